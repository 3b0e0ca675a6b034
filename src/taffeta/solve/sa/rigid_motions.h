#pragma once

#include "taffeta/solve/sa/prolongator.h"
#include "taffeta/sparse/node_filter.h"

namespace taffeta::solve::sa {

/// The near kernel of the finest level: S times the rigid motions of the vertices about their centre, so
/// that an origin far away costs no digits. Made vertex by vertex as it is asked for.
class RigidMotions {
  public:
    /// `vertex`: position -> vertex; `constrained` is per position. Without coordinates all motions are
    /// translations. All must outlive this.
    RigidMotions(const VecX* coordinates, const sparse::NodeFilter& filter,
                 const std::vector<Index>& vertex, const std::vector<char>& constrained)
        : coordinates_(coordinates), filter_(filter), vertex_(vertex), constrained_(constrained) {
        if (coordinates)
            centre_ =
                Eigen::Map<const Eigen::Matrix3Xd>(coordinates->data(), 3, coordinates->size() / 3)
                    .rowwise()
                    .mean();
    }

    KernelBlock<3> operator()(Index p) const {
        const Index v = vertex_[std::size_t(p)];
        KernelBlock<3> K = KernelBlock<3>::Zero();
        K.leftCols<3>().setIdentity();
        if (coordinates_) {
            const Vec3 x = vec3(*coordinates_, v) - centre_;
            K(0, 4) = x[2], K(0, 5) = -x[1];
            K(1, 3) = -x[2], K(1, 5) = x[0];
            K(2, 3) = x[1], K(2, 4) = -x[0];
        }
        if (constrained_[std::size_t(p)]) K = (filter_.find(v)->projector * K).eval();
        return K;
    }

  private:
    const VecX* coordinates_;
    const sparse::NodeFilter& filter_;
    const std::vector<Index>& vertex_;
    const std::vector<char>& constrained_;
    Vec3 centre_ = Vec3::Zero();
};

}  // namespace taffeta::solve::sa
