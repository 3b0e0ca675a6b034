#include "taffeta/solve/triangular_sweeps.h"

#include <algorithm>

#include "taffeta/base/error.h"
#include "taffeta/solve/sa/ordering.h"

namespace taffeta::solve {

namespace {

constexpr Index shortest_strip = 256;
constexpr Index row_grain = 512;
constexpr std::size_t padding = 4;  ///< a block is read as three columns of four numbers

using Lanes = Eigen::Array4d;  ///< three numbers of a vertex; what is in the fourth has no meaning

Lanes lanes(const double* p) {
    return Eigen::Map<const Lanes>(p);
}

/// Sum of blocks times vectors, one chain of additions for each column of the blocks.
struct Product {
    Lanes sum0 = Lanes::Zero(), sum1 = Lanes::Zero(), sum2 = Lanes::Zero();

    void add(const double* block, const double* x) {
        sum0 += lanes(block) * x[0];
        sum1 += lanes(block + 3) * x[1];
        sum2 += lanes(block + 6) * x[2];
    }
    Lanes result() const { return sum0 + sum1 + sum2; }
};

}  // namespace

void TriangularSweeps::plan(const sparse::Pattern& pattern) {
    if (pattern == pattern_) return;
    pattern_ = pattern;
    make_order();
    make_triangles();
    lower_.resize(lower_column_.size() * 9 + padding);
    upper_.resize(upper_column_.size() * 9 + padding);
    inverse_.resize(vertex_.size() * 9 + padding);
    vector_.resize(vertex_.size() * 4);
    std::fill(lower_.end() - padding, lower_.end(), 0.0);
    std::fill(upper_.end() - padding, upper_.end(), 0.0);
    std::fill(inverse_.begin(), inverse_.end(), 0.0);
}

void TriangularSweeps::make_order() {
    const Index n = pattern_->rows();
    const sa::Graph graph{pattern_->row_begin, pattern_->column};
    const std::vector<Index> along =
        sa::reverse_cuthill_mckee(graph, std::vector<char>(std::size_t(n), 1));
    std::vector<Index> position(std::size_t(n), 0);
    for (std::size_t k = 0; k < along.size(); ++k)
        position[std::size_t(along[k])] = Index(k);
    const sa::Strips strips = sa::make_strips(n, sa::bandwidth(graph, position), shortest_strip);

    vertex_.clear();
    strip_begin_.assign(1, 0);
    for (Index parity = 0; parity < 2; ++parity) {
        for (Index s = parity; s < strips.count(); s += 2) {
            vertex_.insert(vertex_.end(), along.begin() + strips.begin[std::size_t(s)],
                           along.begin() + strips.begin[std::size_t(s) + 1]);
            strip_begin_.push_back(Index(vertex_.size()));
        }
        if (parity == 0) even_strips_ = Index(strip_begin_.size()) - 1;
    }
    row_of_.resize(std::size_t(n));
    for (std::size_t row = 0; row < vertex_.size(); ++row)
        row_of_[std::size_t(vertex_[row])] = Index(row);
}

void TriangularSweeps::make_triangles() {
    const Index n = rows();
    lower_begin_.assign(std::size_t(n) + 1, 0);
    upper_begin_.assign(std::size_t(n) + 1, 0);
    lower_column_.clear();
    source_.clear();
    std::vector<std::pair<Index, Index>> entries;  // column, slot of A
    for (Index i = 0; i < n; ++i) {
        const std::size_t v = std::size_t(vertex(i));
        entries.clear();
        for (Index s = pattern_->row_begin[v]; s < pattern_->row_begin[v + 1]; ++s)
            if (const Index j = row_of_[std::size_t(pattern_->column[std::size_t(s)])]; j < i)
                entries.emplace_back(j, s);
        std::sort(entries.begin(), entries.end());
        for (const auto& [column, slot] : entries) {
            lower_column_.push_back(column);
            source_.push_back(slot);
            ++upper_begin_[std::size_t(column) + 1];
        }
        lower_begin_[std::size_t(i) + 1] = Index(lower_column_.size());
    }
    // Rows in order fill the columns of L', so these ascend as well.
    for (std::size_t i = 0; i < std::size_t(n); ++i)
        upper_begin_[i + 1] += upper_begin_[i];
    std::vector<Index> next(upper_begin_.begin(), upper_begin_.end() - 1);
    upper_column_.resize(lower_column_.size());
    mirror_.resize(lower_column_.size());
    for (Index i = 0; i < n; ++i)
        for (Index s = first_slot(i); s < first_slot(i + 1); ++s) {
            const Index slot = next[std::size_t(column(s))]++;
            upper_column_[std::size_t(slot)] = i;
            mirror_[std::size_t(s)] = slot;
        }
}

bool TriangularSweeps::load(const sparse::Matrix3& A, const sparse::NodeFilter& filter) {
    TAFFETA_ASSERT(A.shared_pattern() == pattern_);
    const bool constrained = !filter.entries().empty();
    const Index not_finite = parallel_sum<Index>(rows(), row_grain, [&](Index begin, Index end) {
        Index bad = 0;
        for (Index i = begin; i < end; ++i) {
            const auto* row = constrained ? filter.find(vertex(i)) : nullptr;
            for (Index s = first_slot(i); s < first_slot(i + 1); ++s) {
                const auto* other = constrained ? filter.find(vertex(column(s))) : nullptr;
                Mat3 block = A.block(source_[std::size_t(s)]);
                if (row) block = (row->projector * block).eval();
                if (other) block = (block * other->projector).eval();
                bad += !block.allFinite();
                lower(s) = block;
                upper(s) = block.transpose();
            }
        }
        return bad;
    });
    return not_finite == 0;
}

void TriangularSweeps::apply(const VecX& r, VecX& z) const {
    TAFFETA_ASSERT(r.size() == 3 * Eigen::Index(rows()));
    z.resize(r.size());
    over_strips(false, [&](Index first, Index last, Index) { forward(r.data(), first, last); });
    over_strips(true, [&](Index first, Index last, Index) { backward(z.data(), first, last); });
}

void TriangularSweeps::forward(const double* r, Index first, Index last) const {
    double* const u = vector_.data();
    for (Index i = first; i < last; ++i) {
        Product sum, image;
        for (Index s = first_slot(i); s < first_slot(i + 1); ++s)
            sum.add(lower_.data() + std::size_t(s) * 9, u + std::size_t(column(s)) * 4);
        const double* const ri = r + std::size_t(vertex(i)) * 3;
        double* const ui = u + std::size_t(i) * 4;
        Eigen::Map<Lanes>{ui} = Lanes(ri[0], ri[1], ri[2], 0) - sum.result();
        image.add(inverse_.data() + std::size_t(i) * 9, ui);
        Eigen::Map<Lanes>{ui} = image.result();
    }
}

void TriangularSweeps::backward(double* z, Index first, Index last) const {
    double* const u = vector_.data();
    for (Index i = last - 1; i >= first; --i) {
        Product sum, image;
        // From the far end, so that the row that was made last is needed last.
        for (Index s = upper_begin_[std::size_t(i) + 1] - 1; s >= upper_begin_[std::size_t(i)]; --s)
            sum.add(upper_.data() + std::size_t(s) * 9,
                    u + std::size_t(upper_column_[std::size_t(s)]) * 4);
        double* const ui = u + std::size_t(i) * 4;
        alignas(32) double coupling[4];
        Eigen::Map<Lanes>{coupling} = sum.result();
        image.add(inverse_.data() + std::size_t(i) * 9, coupling);
        Eigen::Map<Lanes>{ui} = factor_ * lanes(ui) - image.result();
        std::copy(ui, ui + 3, z + std::size_t(vertex(i)) * 3);
    }
}

std::size_t TriangularSweeps::bytes() const {
    const std::size_t indices = vertex_.size() + row_of_.size() + strip_begin_.size() +
                                lower_begin_.size() + lower_column_.size() + upper_begin_.size() +
                                upper_column_.size() + source_.size() + mirror_.size();
    return indices * sizeof(Index) +
           (lower_.size() + upper_.size() + inverse_.size() + vector_.size()) * sizeof(double);
}

}  // namespace taffeta::solve
