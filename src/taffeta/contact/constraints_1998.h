#pragma once

#include "taffeta/base/fields.h"
#include "taffeta/contact/contact_model.h"

namespace taffeta::contact {

/// Constraints on single vertices that touch an obstacle (contact/model_constraints_1998.cpp), for
/// models that build on them.
struct Constraints1998Options {
    double thickness = 1e-3;
    double release_tolerance = 1e-3;
    double max_alteration = 0.5;
    double stick_velocity = 0.5;

    static Fields<Constraints1998Options> fields();
};

std::unique_ptr<ContactModel> make_constraints_1998(const Constraints1998Options& options);

}  // namespace taffeta::contact
