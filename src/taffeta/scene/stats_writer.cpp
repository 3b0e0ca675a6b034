#include "taffeta/scene/stats_writer.h"

#include "taffeta/scene/json.h"
#include "taffeta/scene/jsonl.h"
#include "taffeta/sim/energy_audit.h"

namespace taffeta::scene {

namespace {

Settings count(double value) {
    return Settings::of(value);
}

Settings energies_of(const sim::World& world) {
    const sim::EnergyAudit audit = sim::audit(world);
    Settings energies = Settings::object();
    energies["kinetic"] = Settings::of(audit.kinetic);
    for (const auto& [name, value] : audit.potential)
        energies[name] = Settings::of(value);
    energies["total"] = Settings::of(audit.total());
    return energies;
}

}  // namespace

StatsWriter::StatsWriter(const std::filesystem::path& file, long steps_kept, bool energies,
                         bool adaptive)
    : energies_(energies), adaptive_(adaptive) {
    file_.open(file, bytes_of_lines(file, steps_kept));
}

void StatsWriter::on_step(const sim::World& world, const sim::StepRecord& record) {
    Settings line = Settings::object();
    line["step"] = count(double(record.step));
    line["t"] = Settings::of(record.t);
    line["h"] = Settings::of(record.h);
    line["pieces"] = count(record.pieces);

    Settings& solver = line["solver"] = Settings::object();
    solver["status"] = Settings::of(std::string(to_string(record.integration.solve.status)));
    solver["solves"] = count(record.integration.linear_solves);
    solver["iterations"] = count(record.integration.linear_iterations);
    solver["residual"] = Settings::of(record.integration.solve.residual);
    solver["newton_iterations"] = count(record.integration.newton_iterations);
    solver["newton_residual"] = Settings::of(record.integration.newton_residual);
    if (record.integration.newton_floor > 0)  // the goal lay below rounding
        solver["newton_floor"] = Settings::of(record.integration.newton_floor);

    solver["force_evaluations"] = count(record.integration.force_evaluations);
    if (adaptive_) {
        Settings& adaptive = line["adaptive"] = Settings::object();
        adaptive["rejected"] = count(record.rejected);
        adaptive["failed"] = count(record.failed);
        adaptive["error"] = Settings::of(record.error);
    }

    if (!world.projections.empty()) {
        Settings& strain = line["strain"] = Settings::object();
        strain["sweeps"] = count(record.strain.sweeps);
        strain["excess"] = Settings::of(record.strain.excess);
    }

    Settings& contact = line["contact"] = Settings::object();
    contact["vertices"] = count(record.contact.contacts);
    contact["sliding"] = count(record.contact.sliding);
    contact["released"] = count(record.contact.released);
    contact["pinned_conflicts"] = count(record.contact.pinned_conflicts);
    contact["deepest"] = Settings::of(record.contact.deepest);
    contact["altered"] = Settings::of(record.contact.altered);
    contact["springs"] = count(record.contact.springs);
    contact["impacts"] = count(record.contact.impacts);
    contact["rounds"] = count(record.contact.rounds);
    contact["zone_impacts"] = count(record.contact.zone_impacts);
    contact["stopped"] = count(record.contact.stopped);
    contact["touching"] = count(record.contact.touching);
    contact["pinched"] = count(record.contact.pinched);
    contact["tangled"] = count(record.contact.tangled);

    Settings& seconds = line["seconds"] = Settings::object();
    seconds["contact"] = Settings::of(record.times.contact);
    seconds["assembly"] = Settings::of(record.times.assembly);
    seconds["system"] = Settings::of(record.times.system);
    seconds["setup"] = Settings::of(record.times.setup);
    seconds["solve"] = Settings::of(record.times.solve);
    seconds["other"] = Settings::of(record.times.other);

    if (energies_) line["energy"] = energies_of(world);
    file_.append(write_json(line, 0) + "\n");
}

}  // namespace taffeta::scene
