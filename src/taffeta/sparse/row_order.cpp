#include "taffeta/sparse/row_order.h"

#include <algorithm>

namespace taffeta::sparse {

namespace {

constexpr std::size_t small_part = 8;  ///< rows that are not worth cutting

class Dissection {
  public:
    Dissection(std::span<const std::vector<Index>> vertices_of_row, Index vertices)
        : vertices_of_row_(vertices_of_row),
          rows_at_(std::size_t(vertices)),
          part_(vertices_of_row.size(), 0),
          level_(vertices_of_row.size(), -1) {
        for (std::size_t k = 0; k < vertices_of_row.size(); ++k)
            for (const Index v : vertices_of_row[k])
                rows_at_[std::size_t(v)].push_back(Index(k));
    }

    std::vector<std::vector<Index>> groups() {
        std::vector<std::vector<Index>> found;
        for (Index k = 0; k < Index(part_.size()); ++k) {
            if (level_[std::size_t(k)] >= 0) continue;
            std::vector<Index> group = reach(k);
            std::sort(group.begin(), group.end());
            found.push_back(std::move(group));
        }
        for (std::vector<Index>& group : found) {
            std::vector<Index> order;
            dissect(group, order);
            group = std::move(order);
        }
        return found;
    }

  private:
    /// The rows of the same part that can be reached from `start`, by ascending distance, which
    /// goes to `level_`; that of the others of the part must be -1.
    std::vector<Index> reach(Index start) {
        std::vector<Index> queue{start};
        level_[std::size_t(start)] = 0;
        for (std::size_t head = 0; head < queue.size(); ++head) {
            const std::size_t k = std::size_t(queue[head]);
            for (const Index v : vertices_of_row_[k])
                for (const Index other : rows_at_[std::size_t(v)]) {
                    if (level_[std::size_t(other)] >= 0 || part_[std::size_t(other)] != part_[k])
                        continue;
                    level_[std::size_t(other)] = level_[k] + 1;
                    queue.push_back(other);
                }
        }
        return queue;
    }

    void forget_levels(const std::vector<Index>& rows) {
        for (const Index k : rows)
            level_[std::size_t(k)] = -1;
    }

    /// Appends the rows, ascending, to `order`.
    void dissect(const std::vector<Index>& rows, std::vector<Index>& order) {
        ++parts_;
        for (const Index k : rows)
            part_[std::size_t(k)] = parts_;
        forget_levels(rows);
        for (const Index first : rows) {
            if (level_[std::size_t(first)] >= 0) continue;
            std::vector<Index> connected = reach(first);
            if (connected.size() <= small_part) {
                std::sort(connected.begin(), connected.end());
                order.insert(order.end(), connected.begin(), connected.end());
                continue;
            }
            // Levels from the far end are many and short: the middle one separates.
            const Index far = connected.back();
            forget_levels(connected);
            connected = reach(far);
            const int middle = level_[std::size_t(connected[connected.size() / 2])];
            std::vector<Index> near_side, far_side, separator;
            for (const Index k : connected) {
                const int level = level_[std::size_t(k)];
                (level < middle ? near_side : level > middle ? far_side : separator).push_back(k);
            }
            for (std::vector<Index>* side : {&near_side, &far_side, &separator})
                std::sort(side->begin(), side->end());
            if (!near_side.empty()) dissect(near_side, order);
            if (!far_side.empty()) dissect(far_side, order);
            order.insert(order.end(), separator.begin(), separator.end());
            // The caller's loop sees these rows as done, and no later part as theirs.
            for (const Index k : connected) {
                level_[std::size_t(k)] = 0;
                part_[std::size_t(k)] = -1;
            }
        }
    }

    std::span<const std::vector<Index>> vertices_of_row_;
    std::vector<std::vector<Index>> rows_at_;
    std::vector<int> part_, level_;
    int parts_ = 0;
};

}  // namespace

std::vector<std::vector<Index>> ordered_groups(std::span<const std::vector<Index>> vertices_of_row,
                                               Index vertices) {
    return Dissection(vertices_of_row, vertices).groups();
}

}  // namespace taffeta::sparse
