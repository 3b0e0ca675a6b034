#include "taffeta/sparse/vector_ops.h"

#include "taffeta/base/error.h"
#include "taffeta/base/parallel.h"

namespace taffeta::sparse {

namespace {

constexpr Index grain = 8192;  // doubles, 64 kB a vector
constexpr int lanes = 8;

/// A sum that the compiler may keep in vector registers without reordering it: term i goes to lane
/// i mod 8. (Eigen's own sums start at the first aligned element, so their bits would depend on
/// where the allocator put the vector.)
class LaneSum {
  public:
    double total() const {
        return ((lane_[0] + lane_[4]) + (lane_[1] + lane_[5])) +
               ((lane_[2] + lane_[6]) + (lane_[3] + lane_[7]));
    }
    double& operator[](int lane) { return lane_[lane]; }

  private:
    double lane_[lanes] = {};
};

}  // namespace

double dot(const VecX& x, const VecX& y, Partials& scratch) {
    TAFFETA_ASSERT(x.size() == y.size());
    const double* const a = x.data();
    const double* const b = y.data();
    return parallel_sum(Index(x.size()), grain, scratch, [&](Index begin, Index end) {
        LaneSum sum;
        Index i = begin;
        for (; i + lanes <= end; i += lanes)
            for (int l = 0; l < lanes; ++l)
                sum[l] += a[i + l] * b[i + l];
        for (int l = 0; i < end; ++i, ++l)
            sum[l] += a[i] * b[i];
        return sum.total();
    });
}

double dot(const VecX& x, const VecX& y) {
    Partials scratch;
    return dot(x, y, scratch);
}

void axpy(double alpha, const VecX& x, VecX& y) {
    TAFFETA_ASSERT(x.size() == y.size());
    const double* const a = x.data();
    double* const b = y.data();
    parallel_for(Index(x.size()), grain, [&](Index i) { b[i] += alpha * a[i]; });
}

void xpby(const VecX& x, double beta, VecX& y) {
    TAFFETA_ASSERT(x.size() == y.size());
    const double* const a = x.data();
    double* const b = y.data();
    parallel_for(Index(x.size()), grain, [&](Index i) { b[i] = a[i] + beta * b[i]; });
}

double step(double alpha, const VecX& p, const VecX& q, VecX& x, VecX& r, Partials& scratch) {
    TAFFETA_ASSERT(p.size() == x.size() && q.size() == r.size() && x.size() == r.size());
    const double* const along = p.data();
    const double* const image = q.data();
    double* const solution = x.data();
    double* const residual = r.data();
    return parallel_sum(Index(x.size()), grain, scratch, [&](Index begin, Index end) {
        LaneSum sum;
        const auto update = [&](Index i, int l) {
            solution[i] += alpha * along[i];
            residual[i] -= alpha * image[i];
            sum[l] += residual[i] * residual[i];
        };
        Index i = begin;
        for (; i + lanes <= end; i += lanes)
            for (int l = 0; l < lanes; ++l)
                update(i + l, l);
        for (int l = 0; i < end; ++i, ++l)
            update(i, l);
        return sum.total();
    });
}

}  // namespace taffeta::sparse
