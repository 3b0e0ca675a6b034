#include "taffeta/scene/choice.h"

#include <fmt/format.h>

#include "taffeta/contact/contact_model.h"
#include "taffeta/contact/obstacle.h"
#include "taffeta/energy/energy.h"
#include "taffeta/energy/strain_projection.h"
#include "taffeta/io/format.h"
#include "taffeta/io/frame_sink.h"
#include "taffeta/io/tet_format.h"
#include "taffeta/ode/integrator.h"
#include "taffeta/solve/linear_solver.h"

namespace taffeta::scene {

namespace {

/// A plain function per registry, because an entry's `make` returns its own type.
template <class EntryType, Registry<EntryType> (*registry)()>
void check_options(const Settings& options) {
    const Settings* type = options.find("type");
    find_entry(registry(), "entry", type->string(), *type).make(options);
}

template <class EntryType, Registry<EntryType> (*registry)()>
std::vector<ChoiceEntry> entries_of() {
    std::vector<ChoiceEntry> entries;
    for (const EntryType* entry : registry())
        entries.push_back({std::string(entry->key), std::string(entry->doc), entry->fields,
                           &check_options<EntryType, registry>});
    return entries;
}

}  // namespace

const char* family_name(Family family) {
    switch (family) {
        case Family::integrator:
            return "integrator";
        case Family::solver:
            return "solver";
        case Family::preconditioner:
            return "preconditioner";
        case Family::contact:
            return "contact";
        case Family::membrane:
            return "membrane";
        case Family::bending:
            return "bending";
        case Family::solid:
            return "solid";
        case Family::limit:
            return "limit";
        case Family::air:
            return "air";
        case Family::obstacle:
            return "obstacle";
        case Family::mesh_format:
            return "format";
        case Family::tet_format:
            return "tets";
        case Family::frame_sink:
            return "sink";
    }
    return "?";
}

std::vector<Family> scene_families() {
    std::vector<Family> families = all_families();
    std::erase(families, Family::mesh_format);
    std::erase(families, Family::tet_format);
    std::erase(families, Family::frame_sink);
    return families;
}

const std::vector<Family>& all_families() {
    static const std::vector<Family> all = {
        Family::integrator, Family::solver,   Family::preconditioner, Family::contact,
        Family::membrane,   Family::bending,  Family::solid,          Family::limit,
        Family::air,        Family::obstacle, Family::mesh_format,    Family::tet_format,
        Family::frame_sink};
    return all;
}

std::vector<ChoiceEntry> family_entries(Family family) {
    switch (family) {
        case Family::integrator:
            return entries_of<ode::IntegratorEntry, ode::integrators>();
        case Family::solver:
            return entries_of<solve::SolverEntry, solve::linear_solvers>();
        case Family::preconditioner:
            return entries_of<solve::PreconditionerEntry, solve::preconditioners>();
        case Family::contact:
            return entries_of<contact::ContactModelEntry, contact::contact_models>();
        case Family::membrane:
            return entries_of<energy::EnergyEntry, energy::membrane_laws>();
        case Family::bending:
            return entries_of<energy::EnergyEntry, energy::bending_terms>();
        case Family::solid:
            return entries_of<energy::EnergyEntry, energy::solid_laws>();
        case Family::limit: {
            // A stiffness within the step, or bounds that are kept after it.
            std::vector<ChoiceEntry> limits =
                entries_of<energy::EnergyEntry, energy::strain_limits>();
            for (ChoiceEntry& after :
                 entries_of<energy::StrainProjectionEntry, energy::strain_projections>())
                limits.push_back(std::move(after));
            return limits;
        }
        case Family::air: {
            // Gravity, pressure and stitches are loads too, but have keys of their own.
            std::vector<ChoiceEntry> loads = entries_of<energy::EnergyEntry, energy::load_terms>();
            std::erase_if(loads, [](const ChoiceEntry& load) {
                return load.key == "gravity" || load.key == "pressure" || load.key == "stitches";
            });
            return loads;
        }
        case Family::obstacle:
            return entries_of<contact::ObstacleEntry, contact::obstacles>();
        case Family::mesh_format:
            return entries_of<io::FormatEntry, io::mesh_formats>();
        case Family::tet_format:
            return entries_of<io::TetFormatEntry, io::tet_formats>();
        case Family::frame_sink:
            return entries_of<io::SinkEntry, io::frame_sinks>();
    }
    return {};
}

std::string lack_of(Family family, const std::string& key) {
    if (family != Family::solver) return {};  // nothing else needs what a machine may be without
    const solve::Unavailable lack =
        solve::unavailable(find_entry(solve::linear_solvers(), "solver", key));
    return lack ? fmt::format("{}; {}", lack.why, lack.remedy) : std::string();
}

std::string family_fallback(Family family) {
    switch (family) {
        case Family::integrator:
            return "linearised_backward_euler";
        case Family::solver:
            return "prefiltered_pcg";
        case Family::preconditioner:
            return "auto";
        case Family::contact:
            return "pipeline_2015";
        case Family::air:
            return "air";
        default:
            return {};
    }
}

bool nested_family(Family outer, const std::string& key, Family& inner) {
    if (outer != Family::solver || key != "preconditioner") return false;
    inner = Family::preconditioner;
    return true;
}

namespace {

using Kind = Settings::Kind;

/// `"contact": {"model": "barrier"}` is read as well.
constexpr const char* contact_synonym = "model";

/// The type that a choice names, with the value that says so for messages.
std::pair<std::string, const Settings*> chosen_type(Family family, const Settings& choice) {
    if (choice.is(Kind::string)) return {choice.string(), &choice};
    if (!choice.is(Kind::null)) require_kind(choice, Kind::object);
    const Settings* type = choice.find("type");
    if (!type && family == Family::contact) type = choice.find(contact_synonym);
    if (type) {
        require_kind(*type, Kind::string);
        return {type->string(), type};
    }
    const std::string fallback = family_fallback(family);
    if (fallback.empty())
        choice.fail(fmt::format("missing key 'type': which {}?", family_name(family)));
    return {fallback, &choice};
}

ChoiceEntry find_choice(Family family, const std::string& key, const Settings& at) {
    std::vector<std::string> known;
    for (ChoiceEntry& entry : family_entries(family)) {
        if (entry.key == key) return std::move(entry);
        known.push_back(entry.key);
    }
    fail_unknown_entry(at, family_name(family), key, known);
}

}  // namespace

Settings completed_choice(Family family, const Settings& choice) {
    const auto [key, at] = chosen_type(family, choice);
    const ChoiceEntry entry = find_choice(family, key, *at);

    Settings complete = Settings::object();
    complete.set_location(choice.location());
    complete.set_path(choice.path());
    complete["type"] = Settings::of(key);
    if (at != &choice) complete["type"] = *at;
    for (const FieldInfo& field : entry.fields()) {
        const Settings* given = choice.find(field.key);
        Family inner;
        if (nested_family(family, field.key, inner))
            complete[field.key] = completed_choice(inner, given ? *given : field.initial);
        else if (given || !field.range.required)
            complete[field.key] = given ? *given : field.initial;
    }
    // Keys that are no option are kept: making the thing reports them at their position.
    for (const auto& [name, value] : choice.members())
        if (!complete.find(name) && &value != at) complete[name] = value;
    entry.check(complete);
    return complete;
}

}  // namespace taffeta::scene
