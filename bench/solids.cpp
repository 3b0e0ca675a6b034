// Time to evaluate every law of solids and of sheets: energy, force, and force with the positive part of the
// stiffness, on one thread.
//
//   build/release/bin/bench_solids --cells 24 --json solids.json
//
// A box of cells x cells x cells, six tets each, bent and unevenly stretched and compressed, so that no clamp
// is idle. Laws take turns in one process; reported are medians, in microseconds an element. The quadratic rows
// are for the same box with middle vertices (ten a tet), at an eighth of the tets. The membranes are on a sheet of
// as many triangles; springs and differences are counted by its triangles too.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "taffeta/base/fields.h"
#include "taffeta/base/parallel.h"
#include "taffeta/base/timer.h"
#include "taffeta/energy/assembler.h"
#include "taffeta/mesh/generators.h"

namespace {

using namespace taffeta;

struct Arguments {
    Index cells = 24;
    int repeats = 9;
    int threads = 1;
    std::string json;
};

Arguments read_arguments(int count, char** words) {
    Arguments arguments;
    const auto usage = [] {
        std::fputs("usage: bench_solids [--cells N] [--repeats N] [--threads N] [--json FILE]\n",
                   stderr);
        std::exit(2);
    };
    for (int i = 1; i < count; i += 2) {
        if (i + 1 == count) usage();
        const std::string name = words[i], value = words[i + 1];
        if (name == "--json") {
            arguments.json = value;
            continue;
        }
        int number = 0;
        const char* const end = value.data() + value.size();
        if (std::from_chars(value.data(), end, number).ptr != end || number < 1) usage();
        if (name == "--cells")
            arguments.cells = Index(number);
        else if (name == "--repeats")
            arguments.repeats = number;
        else if (name == "--threads")
            arguments.threads = number;
        else
            usage();
    }
    return arguments;
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

/// The defaults, but for measured fabrics, whose default table is the same everywhere: one of a knit that
/// stiffens up to tenfold, unlike along warp, weft and bias, so that all of the law has work.
Settings settings_of(const energy::EnergyEntry& entry) {
    Settings made = Settings::object();
    if (entry.key == "measured")
        made["stretching"] = FieldTraits<std::vector<double>>::write(
            {60,  8,   45,  25,  600, 30, 120, 60, 420, 90, 150, 110,
             260, 120, 190, 140, 180, 80, 260, 95, 130, 25, 380, 50});
    return made;
}

/// One body, one energy, and a state that bends, stretches, compresses and shears it.
struct Case {
    std::string name;
    double elements = 0;
    mesh::TetMesh tets;
    mesh::TriMesh mesh;
    mesh::Topology topology;
    mesh::RestShape rest;
    std::vector<double> mass;
    std::vector<std::unique_ptr<energy::Energy>> energies;
    std::unique_ptr<energy::Assembler> assembler;
    sparse::Matrix3 K;
    VecX x, v, f;
    std::vector<double> value_s, force_s, full_s;

    void finish(const energy::EnergyEntry& entry) {
        energies.push_back(entry.make(settings_of(entry)));
        Diagnostics diagnostics;
        energies[0]->bind({mesh, topology, rest, mass, 0, tets.tet.empty() ? nullptr : &tets},
                          diagnostics);
        assembler = std::make_unique<energy::Assembler>(mesh.vertex_count(), energies);
        K = sparse::Matrix3(assembler->pattern());
        x.resize(3 * mesh.vertex_count());
        v.setZero(x.size());
        f.resize(x.size());
        for (Index i = 0; i < mesh.vertex_count(); ++i) {
            const Vec3& p = mesh.position[std::size_t(i)];
            vec3(x, i) = Vec3(p.x() + 0.03 * std::sin(9 * p.y()) * std::sin(7 * p.x()),
                              p.y() * (1 - 0.3 * p.x()) + 0.02 * std::cos(8 * p.x() + 3 * p.z()),
                              p.z() + 0.2 * p.x() * p.x() + 0.03 * std::sin(6 * p.z() + 5 * p.y()));
        }
    }
    void run(bool keep) {
        const auto timed = [&](std::vector<double>& to, const auto& work) {
            const Timer timer;
            work();
            if (keep) to.push_back(timer.seconds());
        };
        const energy::EvaluationPoint at{0, x, v};
        volatile double sink = 0;
        timed(value_s, [&] { sink = energies[0]->value(x); });
        timed(force_s, [&] { assembler->evaluate(at, {.force = &f}); });
        timed(full_s, [&] { assembler->evaluate(at, {.force = &f, .stiffness = &K}); });
    }
    double microseconds(const std::vector<double>& times) const {
        return 1e6 * median(times) / elements;
    }
};

std::unique_ptr<Case> solid(const energy::EnergyEntry& entry, Index cells, bool quadratic) {
    auto made = std::make_unique<Case>();
    made->name = std::string(entry.key) + (quadratic ? " (quadratic)" : "");
    made->tets = mesh::tet_box({cells, cells, cells}, Vec3(1, 1, 1));
    if (quadratic) made->tets = mesh::quadratic(made->tets);
    made->mesh = mesh::boundary_surface(made->tets);
    made->mass = mesh::lumped_mass(made->tets, 1000);
    made->elements = double(made->tets.tet_count());
    made->finish(entry);
    return made;
}

/// On a regular grid, which springs and differences ask for.
std::unique_ptr<Case> membrane(const energy::EnergyEntry& entry, double triangles) {
    auto made = std::make_unique<Case>();
    made->name = std::string(entry.key) + " (membrane)";
    const Index m = Index(std::sqrt(triangles / 2));
    made->mesh = mesh::grid(m, m, 1, 1, mesh::Tessellation::regular);
    made->topology = mesh::make_topology(made->mesh);
    made->rest = mesh::rest_from_uv(made->mesh, made->topology, 1);
    made->mass = mesh::lumped_mass(made->mesh, made->rest, 0.15);
    made->elements = double(made->mesh.face_count());
    made->finish(entry);
    return made;
}

}  // namespace

int main(int count, char** words) {
    const Arguments arguments = read_arguments(count, words);
    set_thread_count(arguments.threads);
    std::vector<std::unique_ptr<Case>> cases;
    for (const energy::EnergyEntry* entry : energy::solid_laws())
        cases.push_back(solid(*entry, arguments.cells, false));
    // Springs join corners and refuse middle vertices.
    for (const energy::EnergyEntry* entry : energy::solid_laws())
        if (entry->key != "springs")
            cases.push_back(solid(*entry, std::max(1, arguments.cells / 2), true));
    const double triangles = cases[0]->elements;
    for (const energy::EnergyEntry* entry : energy::membrane_laws())
        cases.push_back(membrane(*entry, triangles));
    // The first round touches the memory for the first time.
    for (int repeat = 0; repeat <= arguments.repeats; ++repeat)
        for (const auto& one : cases)
            one->run(repeat > 0);

    fmt::print("{} tets, {} thread(s), medians of {}, microseconds an element\n\n",
               Index(cases[0]->elements), arguments.threads, arguments.repeats);
    fmt::print("{:<32} {:>9} {:>9} {:>9} {:>9}\n", "law", "elements", "energy", "force", "force+K");
    std::string json = fmt::format("{{\"threads\": {}, \"repeats\": {}, \"results\": [",
                                   arguments.threads, arguments.repeats);
    for (const auto& one : cases) {
        const double value = one->microseconds(one->value_s),
                     force = one->microseconds(one->force_s), full = one->microseconds(one->full_s);
        fmt::print("{:<32} {:>9} {:>9.3f} {:>9.3f} {:>9.3f}\n", one->name, Index(one->elements),
                   value, force, full);
        json += fmt::format(
            "{}{{\"law\": \"{}\", \"elements\": {}, \"energy_us\": {:.4f}, \"force_us\": {:.4f}, "
            "\"force_stiffness_us\": {:.4f}}}",
            &one == cases.data() ? "" : ", ", one->name, Index(one->elements), value, force, full);
    }
    if (!arguments.json.empty()) std::ofstream(arguments.json) << json << "]}\n";
}
