#include "taffeta/solve/sa/local_sweeps.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>

#include "taffeta/base/parallel.h"
#include "taffeta/solve/sa/kernels.h"
#include "taffeta/solve/sa/small_cholesky.h"

namespace taffeta::solve::sa {

namespace {

/// Rows that all sweeps one way may visit, as a share of all: what they save is a fifth to two fifths.
constexpr double worth_sweeping = 0.35;
constexpr Index scored_rows = 1024, rows_a_task = 64;
/// Strips of one colour add into the rows of no common one.
constexpr Index strip_colors = 3;
/// Rows with contact that are swept one after the other.
constexpr Index rows_a_group = 32;

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

/// The rows, by pointers that no store of a float may change for all the compiler knows.
struct LocalSweeps::View {
    using Row = RowOf<3>;

    explicit View(const LocalSweeps& rows)
        : row(rows.row_.data()),
          begin(rows.begin_.data()),
          column(rows.column_.data()),
          value(rows.value_.data()) {}

    V4 product(Index k, const float* x) const {
        RowSum<3> sum;
        for (Index s = begin[k], last = begin[k + 1]; s < last; ++s)
            sum.add(value + std::size_t(s) * 9, at(x, column[s]));
        return sum.result();
    }
    /// out += A' change
    void spread(Index k, V4 change, float* out) const {
        const RowSpread<3> numbers(change);
        for (Index s = begin[k], last = begin[k + 1]; s < last; ++s)
            numbers.add_to(value + std::size_t(s) * 9, at(out, column[s]));
    }

    const Index *row, *begin, *column;
    const float* value;
};

void LocalSweeps::choose(const FilteredRows& whole, const HalfRows<3>& half,
                         const FloatArray& inverse, float creased) {
    const sparse::BlockPattern& pattern = whole.pattern();
    const Index rows = half.rows();
    chosen_.assign(std::size_t(rows), 0);
    parallel_for(rows, scored_rows, [&](Index i) {
        const float* const D = half.diagonal_block(i);
        const float* const inverted = inverse_of(inverse.data(), i);
        const float traces = (D[0] + D[4] + D[8]) * (inverted[0] + inverted[5] + inverted[10]);
        if (traces * creased > 1 || whole.is_constrained(i)) return;
        const std::size_t v = std::size_t(whole.entry_of(i));
        for (Index s = pattern.row_begin[v]; s < pattern.row_begin[v + 1]; ++s)
            if (const Index j = whole.row_of(pattern.column[std::size_t(s)]); j >= 0)
                std::atomic_ref(chosen_[std::size_t(j)]).store(1, std::memory_order_relaxed);
    });
    row_.clear();
    strip_begin_.assign(1, 0);
    const std::vector<Index>& strip = half.strips.begin;
    for (std::size_t k = 1; k < strip.size(); ++k) {
        for (Index i = strip[k - 1]; i < strip[k]; ++i)
            if (chosen_[std::size_t(i)] && (kept_.empty() || !kept_[std::size_t(i)]))
                row_.push_back(i);
        strip_begin_.push_back(Index(row_.size()));
    }
}

Index LocalSweeps::make(const FilteredRows& whole, std::span<const Index> contact,
                        const HalfRows<3>& half, int most, double creased, FloatArray& inverse) {
    clear();
    Index with_contact = 0;
    if (!contact.empty()) {
        kept_.assign(std::size_t(half.rows()), 0);
        for (const Index v : contact)
            if (const Index i = whole.row_of(v); i >= 0) {
                with_contact += !kept_[std::size_t(i)];
                kept_[std::size_t(i)] = 1;
            }
        if (with_contact == 0) kept_.clear();
    }
    strip_begin_.assign(std::size_t(half.strips.count()) + 1, 0);
    const auto sweeps_over = [&](Index rows) {
        return std::min(
            most, int(worth_sweeping * double(half.rows()) / double(std::max(rows, Index(1)))));
    };
    if (most > 0) choose(whole, half, inverse, float(creased));
    sweeps_ = sweeps_over(rows() + with_contact);
    if (sweeps_ == 0) {
        row_.clear();
        std::fill(strip_begin_.begin(), strip_begin_.end(), 0);
        sweeps_ = std::max(1, sweeps_over(with_contact));
    }
    for (Index i = 0; i < Index(kept_.size()); ++i)
        if (kept_[std::size_t(i)]) row_.push_back(i);
    if (empty()) return -1;
    color_contact(whole, half.rows());
    copy_rows(whole);

    // Only now: what is creased is the sheet's.
    for (Index k = strip_begin_.back(); k < rows(); ++k) {
        const Index i = row_[std::size_t(k)];
        float block[9];
        whole.write_diagonal(i, whole.entry_of(i), block);
        float* const out = inverse.data() + std::size_t(i) * 3 * stride<3>;
        if (!invert_block<3>(Eigen::Map<const Eigen::Matrix3f>(block), out)) return i;
    }
    return -1;
}

/// Sorts groups of rows with contact by the first colour that none before with a column of theirs has.
void LocalSweeps::color_contact(const FilteredRows& whole, Index level_rows) {
    const Index first = strip_begin_.back();
    const std::vector<Index> contact(row_.begin() + first, row_.end());
    const sparse::BlockPattern& pattern = whole.pattern();
    using Colors = std::uint64_t;
    std::vector<Colors> met(std::size_t(level_rows), 0);  // of each column
    std::vector<std::vector<Index>> groups;               // first rows of the groups of each colour
    for (Index begin = 0; begin < Index(contact.size()); begin += rows_a_group) {
        const Index end = std::min(begin + rows_a_group, Index(contact.size()));
        const auto for_each_column = [&](const auto& visit) {
            for (Index k = begin; k < end; ++k) {
                const std::size_t v = std::size_t(whole.entry_of(contact[std::size_t(k)]));
                for (Index s = pattern.row_begin[v]; s < pattern.row_begin[v + 1]; ++s)
                    if (const Index j = whole.row_of(pattern.column[std::size_t(s)]); j >= 0)
                        visit(met[std::size_t(j)]);
            }
        };
        Colors taken = 0;
        for_each_column([&](Colors colors) { taken |= colors; });
        const std::size_t color = std::size_t(std::countr_one(taken));
        constexpr std::size_t known = 64;
        if (color < known) for_each_column([&](Colors& colors) { colors |= Colors(1) << color; });
        const std::size_t place = color < known ? color : groups.size();
        if (place >= groups.size()) groups.resize(place + 1);
        groups[place].push_back(begin);
    }
    Index next = first;
    color_begin_.assign(1, 0);
    for (const std::vector<Index>& of_color : groups) {
        for (const Index begin : of_color) {
            group_begin_.push_back(next);
            for (Index k = begin; k < std::min(begin + rows_a_group, Index(contact.size())); ++k)
                row_[std::size_t(next++)] = contact[std::size_t(k)];
        }
        color_begin_.push_back(Index(group_begin_.size()));
    }
    group_begin_.push_back(next);
}

void LocalSweeps::copy_rows(const FilteredRows& whole) {
    const sparse::BlockPattern& pattern = whole.pattern();
    begin_.assign(1, 0);
    for (const Index i : row_) {
        const std::size_t v = std::size_t(whole.entry_of(i));
        begin_.push_back(begin_.back() + pattern.row_begin[v + 1] - pattern.row_begin[v]);
    }
    column_.resize(std::size_t(begin_.back()));
    value_.resize(column_.size() * 9);
    // Columns that the level leaves out are held: their blocks are zero.
    parallel_for(rows(), rows_a_task, [&](Index k) {
        const Index i = row_[std::size_t(k)];
        const std::size_t v = std::size_t(whole.entry_of(i));
        Index slot = begin_[std::size_t(k)];
        for (Index s = pattern.row_begin[v]; s < pattern.row_begin[v + 1]; ++s, ++slot) {
            const Index j = whole.row_of(pattern.column[std::size_t(s)]);
            column_[std::size_t(slot)] = std::max(j, Index(0));
            float* const block = value_.data() + std::size_t(slot) * 9;
            if (j >= 0)
                whole.write_row_major(i, 1, &j, &s, block);
            else
                std::fill_n(block, 9, 0.0f);
        }
    });
}

/// Calls `body(k)` so many times for the creased rows of the strips of one colour after the other, and for those
/// with contact, of whose groups the same is true.
template <class Body>
void LocalSweeps::over_rows(bool reverse, const Body& body) const {
    const auto visit_rows = [&body, reverse](Index first, Index last) {
        const Body visit = body;
        if (reverse)
            for (Index k = last - 1; k >= first; --k)
                visit(k);
        else
            for (Index k = first; k < last; ++k)
                visit(k);
    };
    const auto sweep_contact = [&] {
        const Index colors = Index(color_begin_.size()) - 1;
        for (Index phase = 0; phase < sweeps_ * colors; ++phase) {
            const Index nth = phase % colors, color = reverse ? colors - 1 - nth : nth;
            const Index first = color_begin_[std::size_t(color)];
            parallel_for(color_begin_[std::size_t(color) + 1] - first, 1, [&](Index n) {
                const std::size_t group = std::size_t(first + n);
                visit_rows(group_begin_[group], group_begin_[group + 1]);
            });
        }
    };
    const Index strips = Index(strip_begin_.size()) - 1;
    if (reverse) sweep_contact();
    for (Index phase = 0; phase < strip_colors && strip_begin_.back() > 0; ++phase) {
        const Index color = reverse ? strip_colors - 1 - phase : phase;
        parallel_for((strips - color + strip_colors - 1) / strip_colors, 1, [&](Index n) {
            const std::size_t strip = std::size_t(strip_colors * n + color);
            for (int count = 0; count < sweeps_; ++count)
                visit_rows(strip_begin_[strip], strip_begin_[strip + 1]);
        });
    }
    if (!reverse) sweep_contact();
}

void LocalSweeps::forward(const FloatArray& inverse, const FloatArray& b, FloatArray& x,
                          FloatSpan r) const {
    using Row = RowOf<3>;
    const View view(*this);
    const float* const D = inverse.data();
    float *const solution = x.data(), *const residual = r.data();
    const Index first = strip_begin_.back();
    parallel_for(rows() - first, rows_a_task, [&](Index n) {
        const Index k = first + n, i = view.row[k];
        Row::store(at(r.data(), i),
                   Row::subtract(Row::load(at(b.data(), i)), view.product(k, x.data())));
    });
    over_rows(false, [=](Index k) {
        const Index i = view.row[k];
        const V4 change = Row::scale(inverse_of(D, i), Row::load(at(residual, i)));
        Row::store(at(solution, i), Row::add(Row::load(at(solution, i)), change));
        view.spread(k, Row::negative(change), residual);
    });
}

void LocalSweeps::backward(const FloatArray& inverse, const FloatArray& b, FloatArray& x) const {
    using Row = RowOf<3>;
    const View view(*this);
    const float *const D = inverse.data(), *const right = b.data();
    float* const solution = x.data();
    over_rows(true, [=](Index k) {
        const Index i = view.row[k];
        const V4 residual = Row::subtract(Row::load(at(right, i)), view.product(k, solution));
        Row::store(at(solution, i),
                   Row::add(Row::load(at(solution, i)), Row::scale(inverse_of(D, i), residual)));
    });
}

void LocalSweeps::multiply_kept(const FloatArray& x, FloatSpan product) const {
    const View view(*this);
    const Index first = strip_begin_.back();
    parallel_for(rows() - first, rows_a_task, [&](Index n) {
        const Index k = first + n;
        RowOf<3>::store(at(product.data(), view.row[k]), view.product(k, x.data()));
    });
}

std::size_t LocalSweeps::bytes() const {
    return chosen_.size() + kept_.size() + value_.bytes() +
           (row_.size() + strip_begin_.size() + group_begin_.size() + color_begin_.size() +
            begin_.size() + column_.size()) *
               sizeof(Index);
}

}  // namespace taffeta::solve::sa
