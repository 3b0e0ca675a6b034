#include "taffeta/base/parallel.h"
#include "taffeta/solve/sa/gauss_seidel.h"
#include "taffeta/solve/sa/hierarchy.h"
#include "taffeta/solve/sa/transfer.h"

/// The V-cycle of a hierarchy that is made.
namespace taffeta::solve::sa {

namespace {

constexpr Index cycle_rows = 1024;

}  // namespace

void Hierarchy::load(const VecX& r, double unit, FloatArray& into) const {
    parallel_chunks(fine_.rows(), cycle_rows, [&](Index first, Index last) {
        const double* const from = r.data();
        const Index* const vertex = vertex_.data();
        float* const to = into.data();
        const double scale = unit;
        for (Index p = first; p < last; ++p) {
            const double* const v = from + 3 * std::size_t(vertex[p]);
            float* const out = to + std::size_t(p) * stride<3>;
            out[0] = float(scale * v[0]);
            out[1] = float(scale * v[1]);
            out[2] = float(scale * v[2]);
            out[3] = 0;
        }
    });
}

void Hierarchy::store(const float* from, double unit, VecX& to) const {
    // In the order of the vertices: reads that jump overlap, writes that jump do not.
    parallel_chunks(Index(position_.size()), cycle_rows, [&](Index first, Index last) {
        const Index* const position = position_.data();
        const float* const in = from;
        double* const out = to.data();
        for (Index v = first; v < last; ++v) {
            const double scale = position[v] < 0 ? 0.0 : unit;
            const std::size_t p = std::size_t(std::max(position[v], Index(0)));
            for (std::size_t k = 0; k < 3; ++k)
                out[3 * std::size_t(v) + k] = scale * double(in[p * stride<3> + k]);
        }
    });
}

void Hierarchy::add(const float* from, double unit, VecX& to) const {
    parallel_chunks(Index(position_.size()), cycle_rows, [&](Index first, Index last) {
        const Index* const position = position_.data();
        const float* const in = from;
        double* const out = to.data();
        for (Index v = first; v < last; ++v) {
            if (position[v] < 0) continue;
            const float* const step = in + std::size_t(position[v]) * stride<3>;
            for (std::size_t k = 0; k < 3; ++k)
                out[3 * std::size_t(v) + k] += unit * double(step[k]);
        }
    });
}

void Hierarchy::cycle(const VecX& r, VecX& z) const {
    load(r, 1, fine_.b);
    smooth_before(fine_, local_.kept());
    correct_finest();
    smooth_after(fine_, local_.kept());
    store(fine_.x.data(), scale_, z);
}

bool Hierarchy::cycle_and_multiply(const VecX& r, VecX& z, VecX& image) const {
    if (!knows_products()) {
        cycle(r, z);
        return false;
    }
    load(r, 1, fine_.b);
    cycle_and_multiply();
    store(fine_.x.data(), scale_, z);
    store(fine_.d().data(), 1, image);
    return true;
}

void Hierarchy::cycle_and_multiply() const {
    smooth_before(fine_, local_.kept());
    correct_finest();
    // The residual has served: its memory takes the change of the sweep, and d the product.
    smooth_backward_and_multiply(fine_.half, fine_.A.inverse_diagonal, fine_.b, fine_.x, fine_.r(),
                                 fine_.d(), local_.kept());
    if (local_.kept()) local_.multiply_kept(fine_.x, fine_.d());
}

/// x = smoothed from zero, r = b - A x.
template <int B>
void Hierarchy::smooth_before(const Level<B>& level, const char* kept) const {
    if (!recipe_.chebyshev) {
        smooth_from_zero(level.half, level.A.inverse_diagonal, level.b, level.x, level.r(), kept);
        return;
    }
    chebyshev_sweep(level.A, {recipe_.chebyshev_degree, level.lambda, recipe_.chebyshev_ratio},
                    true, level.b, level.x, level.r(), level.d());
    residual(level.A, level.b, level.x, level.r());
}

/// The adjoint of `smooth_before`.
template <int B>
void Hierarchy::smooth_after(const Level<B>& level, const char* kept) const {
    if (recipe_.chebyshev)
        chebyshev_sweep(level.A, {recipe_.chebyshev_degree, level.lambda, recipe_.chebyshev_ratio},
                        false, level.b, level.x, level.r(), level.d());
    else
        smooth_backward(level.half, level.A.inverse_diagonal, level.b, level.x, level.r(), kept);
}

template <int B>
void Hierarchy::descend(const Level<B>& level, std::size_t next) const {
    smooth_before(level);
    visit_coarse(level, next);
    smooth_after(level);
}

/// What comes between the first and the last sweep of the finest level.
void Hierarchy::correct_finest() const {
    if (local_.empty()) return visit_below_finest();
    local_.forward(fine_.A.inverse_diagonal, fine_.b, fine_.x, fine_.r());
    visit_below_finest();
    local_.backward(fine_.A.inverse_diagonal, fine_.b, fine_.x);
}

void Hierarchy::visit_below_finest() const {
    if (!translations_) return visit_coarse(fine_, 0);
    restrict_residual(to_translations_, fine_.r(), translations_->b);
    descend(*translations_, 0);
    prolong_and_add(to_translations_, translations_->x, fine_.x);
}

/// x += P A_c^-1 P' r.
template <int B>
void Hierarchy::visit_coarse(const Level<B>& level, std::size_t next) const {
    if (next < coarse_.size()) {
        const Level<6>& coarse = *coarse_[next];
        restrict_residual(level.P, level.r(), coarse.b);
        if (next + 1 == coarse_.size() && coarse.rows() <= recipe_.coarsest) {
            VecX& b = bottom_vector_;
            b.resize(6 * coarse.rows());
            for (Index i = 0; i < coarse.rows(); ++i)
                b.segment<6>(6 * i) =
                    Eigen::Map<const Eigen::Matrix<float, 6, 1>>(coarse.b.data() + 8 * i)
                        .cast<double>();
            bottom_.solveInPlace(b);
            for (Index i = 0; i < coarse.rows(); ++i)
                Eigen::Map<Eigen::Matrix<float, 6, 1>>(coarse.x.data() + 8 * i) =
                    b.segment<6>(6 * i).cast<float>();
        } else {
            descend(coarse, next + 1);
        }
        prolong_and_add(level.P, coarse.x, level.x);
    }
}

}  // namespace taffeta::solve::sa
