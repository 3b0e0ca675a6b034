#include "render/sheet.h"

#include <algorithm>
#include <cmath>

#include "render/label.h"
#include "taffeta/base/error.h"

namespace taffeta::render {

SheetLayout sheet_layout(int pictures, double picture_aspect) {
    TAFFETA_ASSERT(pictures > 0);
    SheetLayout best;
    double best_cost = INFINITY;
    for (int columns = 1; columns <= pictures; ++columns) {
        const int rows = (pictures + columns - 1) / columns;
        const double aspect = columns * picture_aspect / rows;
        const double empty = double(columns * rows - pictures) / pictures;
        const double cost = std::abs(std::log(aspect / (16.0 / 9))) + 2 * empty;
        if (cost >= best_cost) continue;
        best_cost = cost;
        best = {columns, rows};
    }
    return best;
}

Image contact_sheet(const std::vector<Image>& pictures, const std::vector<std::string>& labels) {
    TAFFETA_ASSERT(!pictures.empty() && pictures.size() == labels.size());
    const int width = pictures.front().width(), height = pictures.front().height();
    const SheetLayout layout = sheet_layout(int(pictures.size()), double(width) / height);
    const int gap = std::max(2, height / 90);
    const Color paper(0.97, 0.97, 0.97), ink(0.25, 0.26, 0.28);

    Image sheet(layout.columns * (width + gap) + gap, layout.rows * (height + gap) + gap, paper);
    const double label_height = std::max(9.0, height / 24.0);
    for (std::size_t p = 0; p < pictures.size(); ++p) {
        const int left = gap + int(p) % layout.columns * (width + gap);
        const int top = gap + int(p) / layout.columns * (height + gap);
        sheet.paste(pictures[p], left, top);
        draw_label(sheet, labels[p], left + label_height, top + height - 2 * label_height,
                   label_height, ink);
    }
    return sheet;
}

}  // namespace taffeta::render
