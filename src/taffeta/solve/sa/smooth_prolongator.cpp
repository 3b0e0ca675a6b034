#include <bit>

#include "taffeta/base/parallel.h"
#include "taffeta/solve/sa/kernels.h"
#include "taffeta/solve/sa/prolongator.h"

/// P = (I - omega D^-1 A) P^, strip by strip from half of A.
namespace taffeta::solve::sa {

namespace {

/// The place of `column` in a row of P, which has it: eight at a time, as how many steps a search would
/// take is what a processor foresees badly. Seven columns behind the row must be readable.
inline Index place_of(const Index* columns, Index column) {
    for (Index k = 0;; k += 8)
        if (const unsigned equal = equal_columns(columns + k, column); equal != 0)
            return k + Index(std::countr_zero(equal));
}

/// Z = (A - D) P^ on one strip, and P from it.
template <int B, int C>
class StripOfProlongator {
  public:
    StripOfProlongator(const HalfRows<B>& A, const Aggregates& aggregates, const FloatArray& P_hat,
                       Index strip, ProlongatorRows<B, C>& P, Workspace& workspace)
        : A_(A),
          P_(P),
          aggregate_(aggregates.of.data()),
          row_begin_(P.row_begin.data()),
          P_hat_(P_hat.data()),
          strip_(strip),
          first_(A.strips.begin[std::size_t(strip)]),
          last_(A.strips.begin[std::size_t(strip) + 1]),
          begin_(row_begin_[first_]) {
        workspace.begin_rows({P.column.data() + begin_, P.column.data() + row_begin_[last_]},
                             B * wide);
        column_ = workspace.columns.data();
        sum_ = workspace.sums.data();
    }

    void add_products() {
        const Index* const lower_begin = A_.lower.begin.data();
        const Index* const lower_column = A_.lower.column.data();
        for (Index i = first_; i < last_; ++i) {
            const Index own = aggregate_[i];
            if (own < 0) continue;
            for (Index s = lower_begin[i]; s < lower_begin[i + 1]; ++s) {
                const Index j = lower_column[s];
                const Index other = aggregate_[j];
                if (other >= 0)
                    add<true>(A_.lower.block(s), P_hat(j), sum_of(i, other), P_hat(i),
                              sum_of(j, own));
            }
        }
        for (Index k = A_.strip_cross[std::size_t(strip_)];
             k < A_.strip_cross[std::size_t(strip_) + 1]; ++k) {
            const Index i = A_.cross_row[std::size_t(k)];
            if (aggregate_[i] < 0) continue;
            for (Index s = A_.cross.begin[std::size_t(k)]; s < A_.cross.begin[std::size_t(k) + 1];
                 ++s) {
                const Index j = A_.cross.column[std::size_t(s)];
                if (const Index other = aggregate_[j]; other >= 0)
                    add<false>(A_.cross.block(s), P_hat(j), sum_of(i, other), nullptr, nullptr);
            }
        }
    }

    /// P = (1 - omega) P^ - omega D^-1 Z
    void finish(const float* inverse_diagonal, float omega) {
        constexpr float units = 1 / fixed_unit;
        for (Index i = first_; i < last_; ++i) {
            const float* const inverse = inverse_diagonal + std::size_t(i) * B * stride<B>;
            for (Index t = row_begin_[i]; t < row_begin_[i + 1]; ++t) {
                const float* const z = sum_ + std::size_t(t - begin_) * B * wide;
                Fixed* const out = P_.units(t);
                Vector row[B];
                for (int k = 0; k < B; ++k)
                    row[k] = Row::load(z + k * wide);
                const bool own = column_[t - begin_] == aggregate_[i];
                const float kept_share = own ? units * (1 - omega) : 0.0f, gained = -units * omega;
                const Vector keep = Row::spread(&kept_share), gain = Row::spread(&gained);
                for (int r = 0; r < B; ++r) {
                    Vector sum = Row::zero();
                    for (int k = 0; k < B; ++k)  // D^-1 is symmetric
                        sum = Row::multiply_add(Row::spread(inverse + r * stride<B> + k), row[k],
                                                sum);
                    const Vector kept =
                        Row::multiply_add(keep, Row::load_rough(P_hat(i) + r * C), Row::zero());
                    Row::store_fixed(out + r * C, Row::multiply_add(gain, sum, kept));
                }
            }
        }
    }

  private:
    using Row = RowOf<C>;
    using Vector = typename Row::vector;
    static constexpr int wide = stride<C>;

    const float* P_hat(Index i) const { return P_hat_ + std::size_t(i) * (B * C); }
    float* sum_of(Index i, Index aggregate) const {
        const Index row = row_begin_[i] - begin_;
        return sum_ + std::size_t(row + place_of(column_ + row, aggregate)) * B * wide;
    }

    /// Z_i += a P^_j, and Z_j += a' P^_i.
    template <bool both>
    static void add(const float* a, const float* P_j, float* Z_i, const float* P_i, float* Z_j) {
        Vector pj[B], pi[B], to_j[B];
        for (int k = 0; k < B; ++k) {
            pj[k] = Row::load_rough(P_j + k * C);
            if constexpr (both) pi[k] = Row::load_rough(P_i + k * C), to_j[k] = Row::zero();
        }
        for (int r = 0; r < B; ++r) {
            Vector sum = Row::zero();
            for (int k = 0; k < B; ++k) {
                const Vector number = Row::spread(a + r * B + k);
                sum = Row::multiply_add(number, pj[k], sum);
                if constexpr (both) to_j[k] = Row::multiply_add(number, pi[r], to_j[k]);
            }
            Row::store(Z_i + r * wide, Row::add(Row::load(Z_i + r * wide), sum));
        }
        if constexpr (both)
            for (int k = 0; k < B; ++k)
                Row::store(Z_j + k * wide, Row::add(Row::load(Z_j + k * wide), to_j[k]));
    }

    const HalfRows<B>& A_;
    ProlongatorRows<B, C>& P_;
    const Index *aggregate_, *row_begin_, *column_;
    const float* P_hat_;
    float* sum_;
    Index strip_, first_, last_, begin_;
};

}  // namespace

template <int B, int C>
void smooth_prolongator(const HalfRows<B>& A, const FloatArray& inverse_diagonal,
                        const Aggregates& aggregates, const FloatArray& tentative_block,
                        float omega, Workspaces& workspaces, ProlongatorRows<B, C>& P) {
    parallel_for(A.strips.count(), 1, [&](Index strip) {
        Workspaces::Lease workspace(workspaces);
        StripOfProlongator<B, C> rows(A, aggregates, tentative_block, strip, P, *workspace);
        rows.add_products();
        rows.finish(inverse_diagonal.data(), omega);
    });
}

#define TAFFETA_INSTANTIATE(B, C)                                                       \
    template void smooth_prolongator<B, C>(const HalfRows<B>&, const FloatArray&,       \
                                           const Aggregates&, const FloatArray&, float, \
                                           Workspaces&, ProlongatorRows<B, C>&);
TAFFETA_INSTANTIATE(3, 3)
TAFFETA_INSTANTIATE(3, 6)
TAFFETA_INSTANTIATE(6, 6)
#undef TAFFETA_INSTANTIATE

}  // namespace taffeta::solve::sa
