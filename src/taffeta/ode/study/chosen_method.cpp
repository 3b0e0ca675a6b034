#include "taffeta/ode/study/chosen_method.h"

namespace taffeta::ode::study {

NewtonOptions tight_newton() {
    NewtonOptions options;
    options.max_iterations = 50;
    options.tolerance = 1e-15;
    return options;
}

ChosenMethod::ChosenMethod(const IntegratorEntry& of)
    : ChosenMethod(of, Settings::object(), Settings::object(), std::string(of.key)) {}

ChosenMethod::ChosenMethod(const IntegratorEntry& of, Settings its_options, Settings newton,
                           std::string name)
    : entry(&of),
      options(std::move(its_options)),
      newton_options(std::move(newton)),
      label(std::move(name)),
      properties(make()->declared(of.properties)) {}

std::unique_ptr<Integrator> ChosenMethod::make(const NewtonOptions& newton) const {
    auto integrator = entry->make(options);
    NewtonOptions chosen = newton;
    read_fields(chosen, newton_options);
    integrator->set_newton(chosen);
    return integrator;
}

bool ChosenMethod::on_springs() const {
    const Settings* newton = newton_options.find("type");
    return properties.needs_springs ||
           (newton && newton->is(Settings::Kind::string) && newton->string() == "springs");
}

}  // namespace taffeta::ode::study
