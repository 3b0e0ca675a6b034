#include <fmt/format.h>

#include "taffeta/solve/sa/hierarchy.h"

/// What a hierarchy says of itself: memory, complexity, a table for people.
namespace taffeta::solve::sa {

double Hierarchy::operator_complexity() const {
    double scalars = double(fine_.half.blocks()) * 9;
    const double finest = scalars;
    if (translations_) scalars += double(translations_->half.blocks()) * 9;
    for (const auto& level : coarse_)
        scalars += double(level->half.blocks()) * 36;
    return scalars / finest;
}

/// Without the workspaces: how many there are depends on the threads.
std::size_t Hierarchy::bytes() const {
    const auto level_bytes = [](const auto& level) {
        return level.A.bytes() + level.half.bytes() + level.P.bytes() + level.basis.bytes() +
               level.b.bytes() + level.x.bytes() + level.aggregates.of.size() * sizeof(Index);
    };
    std::size_t total = level_bytes(fine_) + source_.size() * sizeof(Index) +
                        (vertex_.size() + position_.size()) * sizeof(Index) + scratch_.bytes() +
                        local_.bytes() + coarse_runs_.bytes() +
                        uncoupled_.column.size() * sizeof(Index);
    if (translations_)
        total +=
            level_bytes(*translations_) + to_translations_.bytes() + translations_basis_.bytes();
    for (const auto& level : coarse_)
        total += level_bytes(*level);
    return total;
}

std::string Hierarchy::table() const {
    std::string text =
        fmt::format("{:>5} {:>10} {:>6} {:>12} {:>12} {:>8} {:>8} {:>7}\n", "level", "vertices",
                    "block", "blocks", "P blocks", "blk/row", "lambda", "strips");
    const auto line = [&](std::size_t number, const auto& level, int block, std::size_t transfer) {
        text += fmt::format("{:>5} {:>10} {:>6} {:>12} {:>12} {:>8.1f} {:>8.3f} {:>7}\n", number,
                            level.rows(), block, level.half.blocks(), transfer,
                            double(level.half.blocks()) / double(level.rows()), level.lambda,
                            level.half.strips.count());
    };
    line(0, fine_, 3, (translations_ ? to_translations_.column : fine_.P.column).size());
    if (translations_) line(1, *translations_, 3, translations_->P.column.size());
    for (std::size_t l = 0; l < coarse_.size(); ++l)
        line(l + (translations_ ? 2 : 1), *coarse_[l], 6, coarse_[l]->P.column.size());
    return text + fmt::format("operator complexity {:.3f}, {:.1f} MB\n", operator_complexity(),
                              double(bytes()) / 1e6);
}

}  // namespace taffeta::solve::sa
