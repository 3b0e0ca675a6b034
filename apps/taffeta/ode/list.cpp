#include <fmt/format.h>

#include "ode/common.h"

/// `taffeta ode list`: what there is to study, with what it declares about itself.
namespace taffeta::app {

namespace {

Table method_table() {
    Table table({"method", "order", "damped_order", "implicit", "stability", "symplectic",
                 "evaluations", "about"});
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
                   cell(p.symplectic), cell(p.force_evaluations), cell(std::string(entry->doc))});
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
    command.option("kind", arguments->kind, "methods or problems")
        .one_of({"methods", "problems"})
        .show_default();
    arguments->outputs.add_to(command, false);
    command.footer("Example:  taffeta ode list problems");
    command.action([arguments] {
        arguments->outputs.check();
        const Table table = arguments->kind == "problems" ? problem_table() : method_table();
        fmt::print("{}", table.text());
        arguments->outputs.write(table);
    });
}

}  // namespace taffeta::app
