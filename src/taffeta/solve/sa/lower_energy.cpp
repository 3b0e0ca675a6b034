#include <algorithm>
#include <bit>
#include <span>

#include "taffeta/base/parallel.h"
#include "taffeta/solve/sa/kernels.h"
#include "taffeta/solve/sa/prolongator.h"

/// Steps of steepest descent for the energy tr(P' A P) within the pattern of P, strip by strip from half
/// of A.
namespace taffeta::solve::sa {

namespace {

constexpr int columns_at_once = 8;

/// The columns of a row of P, to be looked up one by one. Seven behind the row must be readable.
class RowColumns {
  public:
    RowColumns(const Index* first, Index count) : first_(first), count_(count) {}

    /// The place of `column`, or -1.
    Index place_of(Index column) const {
        for (Index k = 0; k < count_; k += columns_at_once) {
            const unsigned equal = equal_columns(first_ + k, column);
            if (equal == 0) continue;
            const Index place = k + Index(std::countr_zero(equal));
            return place < count_ ? place : -1;
        }
        return -1;
    }

  private:
    const Index* first_;
    Index count_;
};

/// Z = (A - D) P on one strip, within the pattern of P, and the step from it; all in the units of P.
template <int C>
class StripOfDescent {
  public:
    StripOfDescent(const HalfRows<3>& A, Index strip, ProlongatorRows<3, C>& P,
                   Workspace& workspace)
        : A_(A),
          row_begin_(P.row_begin.data()),
          strip_(strip),
          first_(A.strips.begin[std::size_t(strip)]),
          last_(A.strips.begin[std::size_t(strip) + 1]),
          begin_(row_begin_[first_]),
          value_(P.value.data()),
          all_columns_(P.column.data()) {
        workspace.begin_rows({all_columns_ + begin_, all_columns_ + row_begin_[last_]}, 3 * wide);
        column_ = workspace.columns.data();
        sum_ = workspace.sums.data();
    }

    void add_products() {
        const Index* const lower_begin = A_.lower.begin.data();
        const Index* const lower_column = A_.lower.column.data();
        for (Index i = first_; i < last_; ++i)
            for (Index s = lower_begin[i]; s < lower_begin[i + 1]; ++s)
                add<true>(A_.lower.block(s), i, lower_column[s]);
        for (Index k = A_.strip_cross[std::size_t(strip_)];
             k < A_.strip_cross[std::size_t(strip_) + 1]; ++k)
            for (Index s = A_.cross.begin[std::size_t(k)]; s < A_.cross.begin[std::size_t(k) + 1];
                 ++s)
                add<false>(A_.cross.block(s), A_.cross_row[std::size_t(k)],
                           A_.cross.column[std::size_t(s)]);
    }

    /// P -= omega (P + D^-1 Z), less what would change the translations that P gives a vertex.
    void finish(const float* inverse_diagonal, const float* weight, float omega) {
        const float lost = -omega;
        const Vector gain = Row::spread(&lost);
        for (Index i = first_; i < last_; ++i) {
            const std::span<const Index> columns(column_ + (row_begin_[i] - begin_),
                                                 column_ + (row_begin_[i + 1] - begin_));
            float weights = 0;
            for (const Index a : columns)
                weights = weight[a] > 0 && weights >= 0 ? weights + weight[a] * weight[a] : -1;
            if (!(weights > 0)) continue;
            float* const z = sum_of(row_begin_[i]);
            Vector moved[3] = {Row::zero(), Row::zero(), Row::zero()};
            for (std::size_t k = 0; k < columns.size(); ++k) {
                const Fixed* const p = value_ + std::size_t(row_begin_[i] + Index(k)) * (3 * C);
                float* const step = z + k * (3 * wide);
                scale_row(inverse_diagonal + std::size_t(i) * 3 * stride<3>, p, gain, step);
                for (int r = 0; r < 3; ++r)
                    moved[r] = Row::multiply_add(Row::spread(weight + columns[k]),
                                                 Row::load(step + r * wide), moved[r]);
            }
            for (std::size_t k = 0; k < columns.size(); ++k) {
                Fixed* const p = value_ + std::size_t(row_begin_[i] + Index(k)) * (3 * C);
                const float* const step = z + k * (3 * wide);
                alignas(32) float share[wide] = {};
                std::fill_n(share, 3, -weight[columns[k]] / weights);
                Vector row[3];
                for (int r = 0; r < 3; ++r)
                    row[r] = Row::add(
                        Row::load_fixed(p + r * C),
                        Row::multiply_add(Row::load(share), moved[r], Row::load(step + r * wide)));
                for (int r = 0; r < 3; ++r)
                    Row::store_fixed(p + r * C, row[r]);
            }
        }
    }

  private:
    using Row = RowOf<C>;
    using Vector = typename Row::vector;
    static constexpr int wide = stride<C>;

    float* sum_of(Index slot) const { return sum_ + std::size_t(slot - begin_) * 3 * wide; }

    /// z = gain (p + D^-1 z)
    static void scale_row(const float* inverse, const Fixed* p, Vector gain, float* z) {
        Vector row[3];
        for (int k = 0; k < 3; ++k)
            row[k] = Row::load(z + k * wide);
        for (int r = 0; r < 3; ++r) {
            Vector sum = Row::load_fixed(p + r * C);
            for (int k = 0; k < 3; ++k)  // D^-1 is symmetric
                sum = Row::multiply_add(Row::spread(inverse + r * stride<3> + k), row[k], sum);
            Row::store(z + r * wide, Row::multiply_add(gain, sum, Row::zero()));
        }
    }

    /// Z_i += a P_j, and Z_j += a' P_i, where both rows have a column.
    template <bool both>
    void add(const float* a, Index i, Index j) {
        const Index own = row_begin_[i], other = row_begin_[j];
        const RowColumns columns(column_ + (own - begin_), row_begin_[i + 1] - own);
        Vector number[9];
        for (int n = 0; n < 9; ++n)
            number[n] = Row::spread(a + n);
        for (Index t = other; t < row_begin_[j + 1]; ++t) {
            const Index place = columns.place_of(all_columns_[t]);
            if (place < 0) continue;
            add_product<false>(number, value_ + std::size_t(t) * (3 * C), sum_of(own + place));
            if constexpr (both)
                add_product<true>(number, value_ + std::size_t(own + place) * (3 * C), sum_of(t));
        }
    }

    /// z += a p, or a' p.
    template <bool transposed>
    static void add_product(const Vector* a, const Fixed* p, float* z) {
        Vector row[3];
        for (int k = 0; k < 3; ++k)
            row[k] = Row::load_fixed(p + k * C);
        for (int r = 0; r < 3; ++r) {
            Vector sum = Row::zero();
            for (int k = 0; k < 3; ++k)
                sum = Row::multiply_add(a[transposed ? 3 * k + r : 3 * r + k], row[k], sum);
            Row::store(z + r * wide, Row::add(Row::load(z + r * wide), sum));
        }
    }

    const HalfRows<3>& A_;
    const Index* row_begin_;
    Index strip_, first_, last_, begin_;
    Fixed* value_;
    const Index* all_columns_;
    const Index* column_;
    float* sum_;
};

}  // namespace

template <int C>
void lower_energy(const HalfRows<3>& A, const FloatArray& inverse_diagonal,
                  const std::vector<float>& weight, float omega, Workspaces& workspaces,
                  ProlongatorRows<3, C>& P) {
    // Even strips first, then odd ones: a strip reads rows of its neighbours while it writes its own.
    for (Index parity = 0; parity < 2; ++parity)
        parallel_for((A.strips.count() - parity + 1) / 2, 1, [&](Index half) {
            Workspaces::Lease workspace(workspaces);
            StripOfDescent<C> rows(A, 2 * half + parity, P, *workspace);
            rows.add_products();
            rows.finish(inverse_diagonal.data(), weight.data(), omega);
        });
}

template void lower_energy<3>(const HalfRows<3>&, const FloatArray&, const std::vector<float>&,
                              float, Workspaces&, ProlongatorRows<3, 3>&);
template void lower_energy<6>(const HalfRows<3>&, const FloatArray&, const std::vector<float>&,
                              float, Workspaces&, ProlongatorRows<3, 6>&);

}  // namespace taffeta::solve::sa
