#pragma once

#include <string>

#include "taffeta/scene/body_description.h"
#include "taffeta/scene/choice.h"

namespace taffeta::scene {

/// A solid that the cloth rests on: an analytic shape, or a closed mesh from a file.
struct ObstacleDescription {
    std::string name;
    Choice<Family::obstacle> shape;
    Transform transform;  ///< of a mesh, before its motion
    double friction = 0.3;
    Vec3 color = Vec3(0.7, 0.7, 0.7);

    static Fields<ObstacleDescription> fields();

    std::string file() const;  ///< of a mesh; empty for analytic shapes
};

}  // namespace taffeta::scene
