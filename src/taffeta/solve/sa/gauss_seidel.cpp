#include "taffeta/solve/sa/gauss_seidel.h"

#include <algorithm>

#include "taffeta/solve/sa/kernels.h"

namespace taffeta::solve::sa {

namespace {

/// Calls `body(first, last, strip)` for every even strip, then for every odd one (`reverse`: the
/// other way round), strips of one parity in parallel.
template <class Body>
void over_strips(const Strips& strips, bool reverse, const Body& body) {
    const Index count = strips.count();
    for (int phase = 0; phase < 2; ++phase) {
        const Index parity = reverse ? 1 - phase : phase;
        parallel_for((count - parity + 1) / 2, 1, [&](Index k) {
            const Index strip = 2 * k + parity;
            body(strips.begin[std::size_t(strip)], strips.begin[std::size_t(strip) + 1], strip);
        });
    }
}

/// A sweep reads too many streams for a processor to foresee the widest one, the blocks, in time: they
/// are asked for so many rows ahead.
constexpr Index rows_ahead = 32;
constexpr int lines_asked = 4;  // of 64 bytes, about a row of the finest level

/// The pointers of a HalfRows, for local variables: a store of a float might change a pointer that is
/// read through a reference, or from the closure of a lambda, for all the compiler knows.
template <int B>
struct View {
    using Row = RowOf<B>;
    using Vector = typename Row::vector;

    explicit View(const HalfRows<B>& A)
        : begin(A.lower.begin.data()),
          column(A.lower.column.data()),
          value(A.lower.value.data()),
          cross_begin(A.cross.begin.data()),
          cross_column(A.cross.column.data()),
          cross_value(A.cross.value.data()),
          cross_row(A.cross_row.data()),
          strip_cross(A.strip_cross.data()) {}

    const Index *begin, *column;
    const float* value;
    const Index *cross_begin, *cross_column;
    const float* cross_value;
    const Index *cross_row, *strip_cross;

    static const float* at(const float* v, Index i) { return v + std::size_t(i) * stride<B>; }
    static float* at(float* v, Index i) { return v + std::size_t(i) * stride<B>; }

    void ask_for(Index row) const {
        constexpr int line = 16;  // floats
        const float* const blocks = value + std::size_t(begin[row]) * (B * B);
        for (int k = 0; k < lines_asked; ++k)
            __builtin_prefetch(blocks + k * line);
    }
    /// sum += L_i v
    void add_lower(RowSum<B>& sum, Index i, const float* v) const {
        for (Index s = begin[i], last = begin[i + 1]; s < last; ++s)
            sum.add(value + std::size_t(s) * (B * B), at(v, column[s]));
    }
    /// The same from the last block to the first: rows that come in descending order are then one
    /// descending stream, which a processor foresees.
    void add_lower_descending(RowSum<B>& sum, Index i, const float* v) const {
        for (Index s = begin[i + 1] - 1, first = begin[i]; s >= first; --s)
            sum.add(value + std::size_t(s) * (B * B), at(v, column[s]));
    }
    void add_cross_descending(RowSum<B>& sum, Index k, const float* v) const {
        for (Index s = cross_begin[k + 1] - 1; s >= cross_begin[k]; --s)
            sum.add(cross_value + std::size_t(s) * (B * B), at(v, cross_column[s]));
    }
    /// sum += C_k v, the k-th row with blocks of other strips.
    void add_cross(RowSum<B>& sum, Index k, const float* v) const {
        for (Index s = cross_begin[k]; s < cross_begin[k + 1]; ++s)
            sum.add(cross_value + std::size_t(s) * (B * B), at(v, cross_column[s]));
    }
    /// out += L_i' xi
    void spread(Index i, Vector xi, float* out) const {
        const RowSpread<B> numbers(xi);
        for (Index s = begin[i], last = begin[i + 1]; s < last; ++s)
            numbers.add_to(value + std::size_t(s) * (B * B), at(out, column[s]));
    }
    /// out_i += gain * C v for the rows of the strips of that parity.
    void add_all_cross(const Strips& strips, Index parity, bool subtract, const float* v,
                       float* out) const {
        parallel_for((strips.count() - parity + 1) / 2, 1, [&](Index half) {
            const Index strip = 2 * half + parity;
            for (Index k = strip_cross[strip]; k < strip_cross[strip + 1]; ++k) {
                RowSum<B> sum;
                add_cross(sum, k, v);
                float* target = at(out, cross_row[k]);
                const Vector total = sum.result();
                Row::store(target, subtract ? Row::subtract(Row::load(target), total)
                                            : Row::add(Row::load(target), total));
            }
        });
    }
};

/// Rows that a sweep leaves as they are.
struct NoneKept {
    bool operator[](Index) const { return false; }
};

/// Calls `sweep` with NoneKept or with the flags, so that a sweep over all rows asks for none.
template <class Sweep>
void with_kept(const char* kept, const Sweep& sweep) {
    if (kept)
        sweep(kept);
    else
        sweep(NoneKept());
}

/// A backward sweep; `finish(i, old, now)` is called for each row, `after(k)` after the k-th row.
/// `later` collects what rows of the strip that come before i in the order add to its sum.
template <int B, class Kept, class Finish, class After, class End>
void sweep_backward(const HalfRows<B>& A, const FloatArray& inverse, const FloatArray& b,
                    FloatArray& x, FloatSpan later, const Kept& kept_rows, const Finish& finish_row,
                    const After& after_row, const End& end) {
    using Row = RowOf<B>;
    over_strips(A.strips, true, [&](Index first, Index last, Index strip) {
        const View<B> view(A);
        const float* const D = inverse.data();
        const float* const right = b.data();
        float* const solution = x.data();
        float* const collected = later.data();
        const Finish finish = finish_row;
        const After after = after_row;
        const Kept kept = kept_rows;
        std::fill(view.at(collected, first), view.at(collected, last), 0.0f);
        Index cross = view.strip_cross[strip + 1];
        for (Index i = last - 1; i >= first; --i) {
            if constexpr (B == 3) view.ask_for(std::max(first, i - rows_ahead));
            RowSum<B> sum;
            view.add_lower_descending(sum, i, solution);
            if (cross > view.strip_cross[strip] && view.cross_row[cross - 1] == i)
                view.add_cross_descending(sum, --cross, solution);
            const auto rhs =
                Row::subtract(Row::load(view.at(right, i)),
                              Row::add(sum.result(), Row::load(view.at(collected, i))));
            const auto old = Row::load(view.at(solution, i));
            const auto now = kept[i] ? old : Row::scale(D + std::size_t(i) * B * stride<B>, rhs);
            finish(i, old, now);
            Row::store(view.at(solution, i), now);
            view.spread(i, now, collected);
            after(i, last);
        }
        end(first, last);
    });
}

template <int B, class Kept>
void sweep_from_zero(const HalfRows<B>& A, const FloatArray& inverse, const FloatArray& b,
                     FloatArray& x, FloatSpan r, const Kept& kept_rows) {
    using Row = RowOf<B>;
    over_strips(A.strips, false, [&](Index first, Index last, Index strip) {
        const View<B> view(A);
        const float* const D = inverse.data();
        const float* const right = b.data();
        float* const solution = x.data();
        float* const residual = r.data();
        const Kept kept = kept_rows;
        const bool odd = strip % 2 == 1;  // an even strip sees odd ones that are still zero
        Index cross = view.strip_cross[strip];
        for (Index i = first; i < last; ++i) {
            if constexpr (B == 3) view.ask_for(std::min(last - 1, i + rows_ahead));
            RowSum<B> sum;
            view.add_lower(sum, i, solution);
            if (odd && cross < view.strip_cross[strip + 1] && view.cross_row[cross] == i)
                view.add_cross(sum, cross++, solution);
            const auto rhs = Row::subtract(Row::load(view.at(right, i)), sum.result());
            const auto now =
                kept[i] ? Row::zero() : Row::scale(D + std::size_t(i) * B * stride<B>, rhs);
            Row::store(view.at(solution, i), now);
            // r = -U x: row i gets its share from the rows that come later.
            Row::store(view.at(residual, i), Row::zero());
            view.spread(i, Row::subtract(Row::zero(), now), residual);
        }
    });
    View<B>(A).add_all_cross(A.strips, 0, true, x.data(), r.data());
}

}  // namespace

template <int B>
void smooth_from_zero(const HalfRows<B>& A, const FloatArray& inverse, const FloatArray& b,
                      FloatArray& x, FloatSpan r, const char* kept) {
    with_kept(kept, [&](const auto& rows) { sweep_from_zero(A, inverse, b, x, r, rows); });
}

template <int B>
void smooth_backward(const HalfRows<B>& A, const FloatArray& inverse, const FloatArray& b,
                     FloatArray& x, FloatSpan scratch, const char* kept) {
    with_kept(kept, [&](const auto& rows) {
        sweep_backward<B>(
            A, inverse, b, x, scratch, rows, [](Index, auto, auto) {}, [](Index, Index) {},
            [](Index, Index) {});
    });
}

template <int B>
void smooth_backward_and_multiply(const HalfRows<B>& A, const FloatArray& inverse,
                                  const FloatArray& b, FloatArray& x, FloatSpan change,
                                  FloatSpan product, const char* kept) {
    using Row = RowOf<B>;
    const View<B> view(A);
    const Index lag = A.strips.bandwidth;
    float* const changed = change.data();
    float* const multiplied = product.data();
    const float* const right = b.data();
    const auto multiply = [=](Index i) {
        RowSum<B> sum;
        view.add_lower(sum, i, changed);
        Row::store(view.at(multiplied, i), Row::add(Row::load(view.at(right, i)), sum.result()));
    };
    // A row's product needs the changes of the rows after it in the order, `lag` rows at most; and
    // what `product` has collected for the sweep is not needed once the row is done.
    with_kept(kept, [&](const auto& rows) {
        sweep_backward<B>(
            A, inverse, b, x, product, rows,
            [=](Index i, auto old, auto now) {
                Row::store(view.at(changed, i), Row::subtract(now, old));
            },
            [=](Index i, Index last) {
                if (i + lag < last) multiply(i + lag);
            },
            [=](Index first, Index last) {
                for (Index i = std::min(last, first + lag) - 1; i >= first; --i)
                    multiply(i);
            });
    });
    // What odd strips see of even ones, which came later.
    view.add_all_cross(A.strips, 1, false, changed, product.data());
}

#define TAFFETA_INSTANTIATE(B)                                                                  \
    template void smooth_from_zero<B>(const HalfRows<B>&, const FloatArray&, const FloatArray&, \
                                      FloatArray&, FloatSpan, const char*);                     \
    template void smooth_backward<B>(const HalfRows<B>&, const FloatArray&, const FloatArray&,  \
                                     FloatArray&, FloatSpan, const char*);                      \
    template void smooth_backward_and_multiply<B>(const HalfRows<B>&, const FloatArray&,        \
                                                  const FloatArray&, FloatArray&, FloatSpan,    \
                                                  FloatSpan, const char*);
TAFFETA_INSTANTIATE(3)
TAFFETA_INSTANTIATE(6)
#undef TAFFETA_INSTANTIATE

}  // namespace taffeta::solve::sa
