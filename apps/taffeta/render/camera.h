#pragma once

#include <array>
#include <vector>

#include "taffeta/base/types.h"

namespace taffeta::render {

/// A pinhole camera.
struct Camera {
    Vec3 eye = Vec3(0, 0, 5);
    Vec3 target = Vec3::Zero();
    Vec3 up = Vec3::UnitY();   ///< roughly; need not be normal to the view
    double vertical_fov = 30;  ///< degrees, full angle

    struct Frame {
        Vec3 right, up, forward;  ///< orthonormal
    };
    Frame frame() const;
};

/// Which points matter for framing: the outermost ones in 26 directions, so that a whole animation
/// is remembered by a handful of points.
class Outline {
  public:
    Outline();

    void add(const Vec3& point);
    void add(const VecX& positions);
    void add(const std::vector<Vec3>& positions);
    void add(const Outline& other);

    bool empty() const { return empty_; }
    const Vec3& low() const { return low_; }
    const Vec3& high() const { return high_; }
    Vec3 center() const { return (low_ + high_) / 2; }
    double diagonal() const { return empty_ ? 0 : (high_ - low_).norm(); }
    const std::array<Vec3, 26>& points() const { return points_; }

  private:
    bool empty_ = true;
    Vec3 low_ = Vec3::Zero(), high_ = Vec3::Zero();
    std::array<Vec3, 26> direction_, points_;
    std::array<double, 26> reach_;
};

struct View {
    double azimuth = 32;       ///< degrees from the front, to the right
    double elevation = 20;     ///< degrees above the horizon
    double vertical_fov = 28;  ///< degrees; a long lens, so that cloth is not distorted
    double margin = 0.12;      ///< free border, as a part of the picture's height
};

/// The nearest camera of that view that holds the outline in a picture of that aspect (width over
/// height). `up` is a coordinate axis; the front is +Z for up = Y and -Y for up = Z.
Camera fit_camera(const Outline& outline, const Vec3& up, double aspect, const View& view = {});

}  // namespace taffeta::render
