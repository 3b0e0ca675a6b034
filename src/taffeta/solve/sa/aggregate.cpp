#include "taffeta/solve/sa/aggregate.h"

#include <algorithm>

namespace taffeta::solve::sa {

namespace {

constexpr Index smallest_aggregate = 3;

class Aggregator {
  public:
    Aggregator(const Strength& strength, const Recipe& recipe)
        : strength_(strength), recipe_(recipe), of_(strength.row_begin.size() - 1, -1) {}

    Aggregates run() {
        if (recipe_.distance_two) make_roots(2);
        make_roots(1);
        join_leftovers();
        merge_small();
        return numbered();
    }

  private:
    Index rows() const { return Index(of_.size()); }

    /// Vertices within `depth` strong edges of i (without i), nearest first.
    void neighbourhood(Index i, int depth, std::vector<Index>& found) {
        found.clear();
        ++stamp_;
        if (mark_.empty()) mark_.assign(of_.size(), 0);
        mark_[std::size_t(i)] = stamp_;
        std::size_t begin = 0;
        append_neighbours(i, found);
        for (int d = 1; d < depth; ++d) {
            const std::size_t end = found.size();
            for (; begin < end; ++begin)
                append_neighbours(found[begin], found);
        }
    }
    void append_neighbours(Index i, std::vector<Index>& found) {
        for (Index s = strength_.row_begin[std::size_t(i)];
             s < strength_.row_begin[std::size_t(i) + 1]; ++s) {
            const Index j = strength_.column[std::size_t(s)];
            if (mark_[std::size_t(j)] == stamp_) continue;
            mark_[std::size_t(j)] = stamp_;
            found.push_back(j);
        }
    }

    void make_roots(int depth) {
        std::vector<Index> around;
        for (Index i = 0; i < rows(); ++i) {
            if (of_[std::size_t(i)] >= 0) continue;
            neighbourhood(i, depth, around);
            if (around.empty()) continue;
            const bool free = std::all_of(around.begin(), around.end(),
                                          [&](Index j) { return of_[std::size_t(j)] < 0; });
            if (!free) continue;
            const Index members = std::min(Index(around.size()), Index(recipe_.aggregate_size) - 1);
            of_[std::size_t(i)] = count_;
            for (Index k = 0; k < members; ++k)
                of_[std::size_t(around[std::size_t(k)])] = count_;
            size_.push_back(members + 1);
            ++count_;
        }
    }

    /// Ties of i to each aggregate around it: (aggregate, sum of r_ij).
    void ties(Index i, std::vector<std::pair<Index, float>>& found) const {
        found.clear();
        for (Index s = strength_.row_begin[std::size_t(i)];
             s < strength_.row_begin[std::size_t(i) + 1]; ++s) {
            const Index a = of_[std::size_t(strength_.column[std::size_t(s)])];
            if (a < 0) continue;
            const auto known = std::find_if(found.begin(), found.end(),
                                            [&](const auto& tie) { return tie.first == a; });
            if (known == found.end()) {
                found.emplace_back(a, strength_.weight[std::size_t(s)]);
            } else {
                known->second += strength_.weight[std::size_t(s)];
            }
        }
    }

    void join_leftovers() {
        // Waves: a leftover may touch only other leftovers at first.
        std::vector<std::pair<Index, float>> around;
        for (bool changed = true; changed;) {
            changed = false;
            for (Index i = 0; i < rows(); ++i) {
                if (of_[std::size_t(i)] >= 0) continue;
                ties(i, around);
                if (around.empty()) continue;
                // The stronger tie wins; among equals the smaller aggregate.
                const auto best = std::max_element(
                    around.begin(), around.end(), [&](const auto& a, const auto& b) {
                        const float wa = a.second / float(4 + size_[std::size_t(a.first)]);
                        const float wb = b.second / float(4 + size_[std::size_t(b.first)]);
                        return wa != wb ? wa < wb : a.first > b.first;
                    });
                of_[std::size_t(i)] = best->first;
                ++size_[std::size_t(best->first)];
                changed = true;
            }
        }
        // What is left has strong ties to itself only: components of leftovers.
        std::vector<Index> around_i;
        for (Index i = 0; i < rows(); ++i) {
            if (of_[std::size_t(i)] >= 0) continue;
            neighbourhood(i, 1, around_i);
            if (around_i.empty()) continue;
            of_[std::size_t(i)] = count_;
            Index members = 1;
            for (const Index j : around_i)
                if (of_[std::size_t(j)] < 0) {
                    of_[std::size_t(j)] = count_;
                    ++members;
                }
            size_.push_back(members);
            ++count_;
        }
    }

    /// A merge may leave a small aggregate behind, so a few passes.
    void merge_small() {
        for (int pass = 0; pass < 4 && merge_small_once(); ++pass) {
        }
    }

    bool merge_small_once() {
        bool changed = false;
        std::vector<std::pair<Index, float>> around;
        for (Index i = 0; i < rows(); ++i) {
            const Index a = of_[std::size_t(i)];
            if (a < 0 || size_[std::size_t(a)] >= smallest_aggregate) continue;
            ties(i, around);
            std::erase_if(around, [&](const auto& tie) { return tie.first == a; });
            if (around.empty()) continue;
            const auto best =
                std::max_element(around.begin(), around.end(), [](const auto& x, const auto& y) {
                    return x.second != y.second ? x.second < y.second : x.first > y.first;
                });
            of_[std::size_t(i)] = best->first;
            --size_[std::size_t(a)];
            ++size_[std::size_t(best->first)];
            changed = true;
        }
        return changed;
    }

    Aggregates numbered() const {
        Aggregates result;
        result.of.assign(of_.size(), -1);
        std::vector<Index> number(std::size_t(count_), -1);
        for (std::size_t i = 0; i < of_.size(); ++i) {
            if (of_[i] < 0) continue;
            Index& n = number[std::size_t(of_[i])];
            if (n < 0) n = result.count++;
            result.of[i] = n;
        }
        return result;
    }

    const Strength& strength_;
    const Recipe& recipe_;
    std::vector<Index> of_, size_;
    std::vector<std::uint32_t> mark_;
    std::uint32_t stamp_ = 0;
    Index count_ = 0;
};

}  // namespace

Aggregates aggregate(const Strength& strength, const Recipe& recipe) {
    return Aggregator(strength, recipe).run();
}

}  // namespace taffeta::solve::sa
