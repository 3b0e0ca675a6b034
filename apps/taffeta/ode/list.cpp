#include <fmt/format.h>

#include "ode/common.h"
#include "taffeta/scene/json.h"

/// `taffeta ode list`: what there is to study, with what it declares about itself.
namespace taffeta::app {

namespace {

/// `2`, or `1 + 3 n` with n residuals of Newton's iteration.
std::string evaluations_text(const ode::IntegratorProperties& p) {
    if (!p.implicit || p.linearised) return std::to_string(p.force_evaluations);
    std::string text = p.residual_forces == 1 ? "n" : fmt::format("{} n", p.residual_forces);
    if (p.force_evaluations > 0) text = fmt::format("{} + {}", p.force_evaluations, text);
    return text;
}

/// `beta=0.25, gamma=0.5`: options as the command line takes them, with their defaults.
std::string options_text(const ode::IntegratorEntry& entry) {
    std::vector<std::string> options;
    for (const FieldInfo& field : entry.fields())
        options.push_back(field.key + "=" + scene::write_json(field.initial, 0));
    return joined(options);
}

Table option_table() {
    Table table({"method", "option", "default", "values", "about"});
    const auto add = [&](const std::string& method, const std::string& prefix,
                         const FieldTable& fields) {
        for (const FieldInfo& field : fields)
            table.add({cell(method), cell(prefix + field.key),
                       cell(scene::write_json(field.initial, 0)), cell(field.range.text()),
                       cell(field.doc)});
    };
    for (const ode::IntegratorEntry* entry : ode::integrators())
        add(std::string(entry->key), "", entry->fields());
    add("implicit ones", "newton.", field_table<ode::NewtonOptions>());
    return table;
}

Table method_table() {
    Table table({"method", "order", "damped_order", "implicit", "stability", "symplectic",
                 "evaluations", "options", "about"});
    for (const ode::IntegratorEntry* entry : ode::integrators()) {
        const ode::IntegratorProperties& p = entry->properties;
        table.add({cell(std::string(entry->key)), cell(p.order),
                   cell(p.damped_order > 0 ? p.damped_order : p.order),
                   cell(!p.implicit    ? "no"
                        : p.linearised ? "one solve"
                                       : "Newton"),
                   cell(p.l_stable   ? "L"
                        : p.a_stable ? "A"
                                     : "-"),
                   cell(p.symplectic), cell(evaluations_text(p)), cell(options_text(*entry)),
                   cell(std::string(entry->doc))});
    }
    return table;
}

Table problem_table() {
    Table table({"problem", "unknowns", "kind", "solution", "options", "about"});
    for (const ode::study::ProblemEntry* entry : laboratory_problems()) {
        const auto& p = entry->properties;
        std::string kind = p.first_order ? "y' = f" : p.damped ? "damped" : "undamped";
        if (p.nonlinear) kind += ", nonlinear";
        std::vector<std::string> options;
        for (const FieldInfo& field : entry->fields())
            options.push_back(field.key);
        const auto problem = laboratory_problem(std::string(entry->key));
        table.add({cell(std::string(entry->key)), cell(long(problem->system->size())), cell(kind),
                   cell(p.exact ? "closed form" : "reference run"), cell(joined(options)),
                   cell(std::string(entry->doc))});
    }
    return table;
}

}  // namespace

void add_ode_list(Command& ode, int&) {
    struct Arguments {
        std::string kind = "methods";
        Outputs outputs;
    };
    const auto arguments = std::make_shared<Arguments>();
    Command command = ode.subcommand("list", "the integrators and the problems");
    command.option("kind", arguments->kind, "methods, their options, or problems")
        .one_of({"methods", "options", "problems"})
        .show_default();
    arguments->outputs.add_to(command, false);
    command.footer("Example:  taffeta ode list problems");
    command.action([arguments] {
        arguments->outputs.check();
        const Table table = arguments->kind == "problems"  ? problem_table()
                            : arguments->kind == "options" ? option_table()
                                                           : method_table();
        fmt::print("{}", table.text());
        arguments->outputs.write(table);
    });
}

}  // namespace taffeta::app
