#pragma once

#include <string>
#include <vector>

#include "render/image.h"

namespace taffeta::render {

struct SheetLayout {
    int columns = 1, rows = 1;
};

/// The grid for a number of pictures whose whole comes nearest to 16:9 and wastes few cells.
SheetLayout sheet_layout(int pictures, double picture_aspect);

/// A contact sheet: pictures of one size in reading order, with thin gaps and a label each.
Image contact_sheet(const std::vector<Image>& pictures, const std::vector<std::string>& labels);

}  // namespace taffeta::render
