#include "taffeta/solve/sa/local_sweeps.h"

#include <algorithm>
#include <atomic>

#include "taffeta/base/parallel.h"
#include "taffeta/solve/sa/kernels.h"

namespace taffeta::solve::sa {

namespace {

/// Rows that all sweeps one way may visit, as a share of all: what they save is a fifth to two fifths.
constexpr double worth = 0.35;
constexpr Index scored_rows = 1024, rows_at_once = 64;
/// Strips of one colour add into the rows of no common one.
constexpr Index colors = 3;

const float* at(const float* v, Index i) {
    return v + std::size_t(i) * stride<3>;
}
float* at(float* v, Index i) {
    return v + std::size_t(i) * stride<3>;
}

/// D^-1 of a row as SquareRows has it.
const float* inverse_of(const float* inverse, Index i) {
    return inverse + std::size_t(i) * 3 * stride<3>;
}

}  // namespace

void LocalSweeps::choose(const FilteredRows& blocks, const HalfRows<3>& half,
                         const FloatArray& inverse, float creased) {
    const sparse::BlockPattern& pattern = blocks.pattern();
    const Index rows = half.rows();
    chosen_.assign(std::size_t(rows), 0);
    parallel_for(rows, scored_rows, [&](Index i) {
        const float* const D = half.diagonal_block(i);
        const float* const inverted = inverse_of(inverse.data(), i);
        const float traces = (D[0] + D[4] + D[8]) * (inverted[0] + inverted[5] + inverted[10]);
        if (traces * creased > 1 || blocks.is_constrained(i)) return;
        const std::size_t v = std::size_t(blocks.entry_of(i));
        for (Index s = pattern.row_begin[v]; s < pattern.row_begin[v + 1]; ++s)
            if (const Index j = blocks.row_of(pattern.column[std::size_t(s)]); j >= 0)
                std::atomic_ref(chosen_[std::size_t(j)]).store(1, std::memory_order_relaxed);
    });
    row_.clear();
    strip_begin_.assign(1, 0);
    const std::vector<Index>& strip = half.strips.begin;
    for (std::size_t k = 1; k < strip.size(); ++k) {
        for (Index i = strip[k - 1]; i < strip[k]; ++i)
            if (chosen_[std::size_t(i)]) row_.push_back(i);
        strip_begin_.push_back(Index(row_.size()));
    }
}

void LocalSweeps::make(const FilteredRows& blocks, const HalfRows<3>& half,
                       const FloatArray& inverse, int most, double creased) {
    clear();
    if (most == 0) return;
    choose(blocks, half, inverse, float(creased));
    if (empty()) return;
    sweeps_ = std::min(most, int(worth * double(half.rows()) / double(rows())));
    if (sweeps_ == 0) return clear();
    const sparse::BlockPattern& pattern = blocks.pattern();
    begin_.assign(1, 0);
    for (const Index i : row_) {
        const std::size_t v = std::size_t(blocks.entry_of(i));
        begin_.push_back(begin_.back() + pattern.row_begin[v + 1] - pattern.row_begin[v]);
    }
    column_.resize(std::size_t(begin_.back()));
    value_.resize(column_.size() * 9);
    // Columns that the level leaves out are held: their blocks are zero.
    parallel_for(rows(), rows_at_once, [&](Index k) {
        const Index i = row_[std::size_t(k)];
        const std::size_t v = std::size_t(blocks.entry_of(i));
        Index slot = begin_[std::size_t(k)];
        for (Index s = pattern.row_begin[v]; s < pattern.row_begin[v + 1]; ++s, ++slot) {
            const Index j = blocks.row_of(pattern.column[std::size_t(s)]);
            column_[std::size_t(slot)] = std::max(j, Index(0));
            float* const block = value_.data() + std::size_t(slot) * 9;
            if (j >= 0)
                blocks.write_row_major(i, 1, &j, &s, block);
            else
                std::fill_n(block, 9, 0.0f);
        }
    });
}

/// Calls `body(k)` for the chosen rows of the strips of one colour after the other.
template <class Body>
void LocalSweeps::over_rows(bool reverse, const Body& body) const {
    const Index strips = Index(strip_begin_.size()) - 1;
    for (Index phase = 0; phase < colors; ++phase) {
        const Index color = reverse ? colors - 1 - phase : phase;
        parallel_for((strips - color + colors - 1) / colors, 1, [&](Index n) {
            const std::size_t strip = std::size_t(colors * n + color);
            const Index first = strip_begin_[strip], last = strip_begin_[strip + 1];
            const Body sweep = body;
            for (int count = 0; count < sweeps_; ++count)
                if (reverse)
                    for (Index k = last - 1; k >= first; --k)
                        sweep(k);
                else
                    for (Index k = first; k < last; ++k)
                        sweep(k);
        });
    }
}

void LocalSweeps::forward(const FloatArray& inverse, FloatArray& x, FloatSpan r) const {
    const Index *const row = row_.data(), *const begin = begin_.data(),
                       *const column = column_.data();
    const float *const D = inverse.data(), *const value = value_.data();
    float *const solution = x.data(), *const residual = r.data();
    using Row = RowOf<3>;
    over_rows(false, [=](Index k) {
        const Index i = row[k];
        const auto change = Row::scale(inverse_of(D, i), Row::load(at(residual, i)));
        Row::store(at(solution, i), Row::add(Row::load(at(solution, i)), change));
        const RowSpread<3> numbers(Row::negative(change));
        for (Index s = begin[k]; s < begin[k + 1]; ++s)
            numbers.add_to(value + std::size_t(s) * 9, at(residual, column[s]));
    });
}

void LocalSweeps::backward(const FloatArray& inverse, const FloatArray& b, FloatArray& x) const {
    const Index *const row = row_.data(), *const begin = begin_.data(),
                       *const column = column_.data();
    const float *const D = inverse.data(), *const value = value_.data(), *const right = b.data();
    float* const solution = x.data();
    using Row = RowOf<3>;
    over_rows(true, [=](Index k) {
        const Index i = row[k];
        RowSum<3> sum;
        for (Index s = begin[k]; s < begin[k + 1]; ++s)
            sum.add(value + std::size_t(s) * 9, at(solution, column[s]));
        const auto residual = Row::subtract(Row::load(at(right, i)), sum.result());
        Row::store(at(solution, i),
                   Row::add(Row::load(at(solution, i)), Row::scale(inverse_of(D, i), residual)));
    });
}

std::size_t LocalSweeps::bytes() const {
    return chosen_.size() + value_.bytes() +
           (row_.size() + strip_begin_.size() + begin_.size() + column_.size()) * sizeof(Index);
}

}  // namespace taffeta::solve::sa
