#include "taffeta/sparse/block_diagonal.h"

#include "taffeta/base/error.h"
#include "taffeta/base/parallel.h"

namespace taffeta::sparse {

namespace {

constexpr Index diagonal_grain = 2048;

struct Triple {
    double x, y, z;
};

inline Triple product(const double* d, const Triple& r) {
    return {d[0] * r.x + d[1] * r.y + d[2] * r.z, d[1] * r.x + d[3] * r.y + d[4] * r.z,
            d[2] * r.x + d[4] * r.y + d[5] * r.z};
}

inline double inner(const Triple& a, const Triple& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

}  // namespace

void BlockDiagonal::set(Index row, const Mat3& symmetric) {
    double* const d = values_.data() + std::size_t(row) * 6;
    d[0] = symmetric(0, 0);
    d[1] = (symmetric(0, 1) + symmetric(1, 0)) / 2;
    d[2] = (symmetric(0, 2) + symmetric(2, 0)) / 2;
    d[3] = symmetric(1, 1);
    d[4] = (symmetric(1, 2) + symmetric(2, 1)) / 2;
    d[5] = symmetric(2, 2);
}

Mat3 BlockDiagonal::block(Index row) const {
    const double* const d = values_.data() + std::size_t(row) * 6;
    Mat3 block;
    block << d[0], d[1], d[2], d[1], d[3], d[4], d[2], d[4], d[5];
    return block;
}

void BlockDiagonal::apply(const VecX& r, VecX& z) const {
    TAFFETA_ASSERT(r.size() == 3 * Eigen::Index(rows()));
    z.resize(r.size());
    const double* const in = r.data();
    double* const out = z.data();
    parallel_for(rows(), diagonal_grain, [&](Index i) {
        const std::size_t k = std::size_t(i) * 3;
        const Triple value = product(values_.data() + 2 * k, {in[k], in[k + 1], in[k + 2]});
        out[k] = value.x;
        out[k + 1] = value.y;
        out[k + 2] = value.z;
    });
}

BlockDiagonal::Sums BlockDiagonal::step(double alpha, const VecX& p, const VecX& q, VecX& x,
                                        VecX& r, VecX& z, Partials& scratch) const {
    TAFFETA_ASSERT(r.size() == 3 * Eigen::Index(rows()) && z.size() == r.size());
    scratch.resize(2 * std::size_t(rows() / diagonal_grain + 1));
    const double* const along = p.data();
    const double* const image = q.data();
    double* const solution = x.data();
    double* const residual = r.data();
    double* const preconditioned = z.data();
    parallel_chunks(rows(), diagonal_grain, [&](Index begin, Index end) {
        Sums sums;
        for (Index i = begin; i < end; ++i) {
            const std::size_t k = std::size_t(i) * 3;
            for (std::size_t c = k; c < k + 3; ++c) {
                solution[c] += alpha * along[c];
                residual[c] -= alpha * image[c];
            }
            const Triple ri{residual[k], residual[k + 1], residual[k + 2]};
            const Triple zi = product(values_.data() + 2 * k, ri);
            preconditioned[k] = zi.x;
            preconditioned[k + 1] = zi.y;
            preconditioned[k + 2] = zi.z;
            sums.rz += inner(ri, zi);
            sums.rr += inner(ri, ri);
        }
        const std::size_t chunk = std::size_t(begin / diagonal_grain);
        scratch[2 * chunk] = sums.rz;
        scratch[2 * chunk + 1] = sums.rr;
    });
    Sums total;
    const Index chunks = (rows() + diagonal_grain - 1) / diagonal_grain;
    for (std::size_t c = 0; c < std::size_t(chunks); ++c) {
        total.rz += scratch[2 * c];
        total.rr += scratch[2 * c + 1];
    }
    return total;
}

}  // namespace taffeta::sparse
