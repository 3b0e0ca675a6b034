#pragma once

#include "taffeta/contact/contact_model.h"
#include "taffeta/scene/scene_description.h"
#include "taffeta/sim/world.h"

namespace taffeta::scene {

/// Throws bad input with the first pairs when faces and edges intersect at the start, among bodies and
/// with obstacles that are meshes, if the contact model of the scene keeps them apart and is not told to
/// tolerate it; and when a vertex starts inside of another obstacle, if the model cannot get it out.
void check_start(const Scene& scene, const sim::World& world, const contact::ContactModel& model);

}  // namespace taffeta::scene
