#pragma once

#include "taffeta/ode/integrator.h"

namespace taffeta::ode::study {

/// Newton's method to rounding: what the study measures is the method, not its stopping rule.
NewtonOptions tight_newton();

/// A method to study: a registered integrator with options, and what it then declares.
struct ChosenMethod {
    /// With its default options, under its own key. The entry must outlive this.
    ChosenMethod(
        const IntegratorEntry& of);  // NOLINT(google-explicit-constructor): a method is one
    /// `options` of the integrator, and `newton_options` of Newton's iteration, which replace those
    /// that a study takes of its own; both are objects. Throws bad input for what is no option.
    ChosenMethod(const IntegratorEntry& of, Settings options, Settings newton_options,
                 std::string label);

    /// A fresh integrator; `newton` where nothing else was chosen.
    std::unique_ptr<Integrator> make(const NewtonOptions& newton = tight_newton()) const;

    /// Whether it wants a problem as springs: the integrator, or the matrix of Newton's iteration.
    bool on_springs() const;

    const IntegratorEntry* entry;
    Settings options, newton_options;
    std::string label;  ///< what results are named by
    IntegratorProperties properties;
};

using ChosenMethods = std::vector<ChosenMethod>;

}  // namespace taffeta::ode::study
