// Time to evaluate a sheet of the benchmark cotton: forces, and forces with the stiffness matrix.
//
//   build/release/bin/bench_assembly --size 201 --threads 1,2 --json assembly.json
//
// Stretch and shear with their closed clamps, hinges by Gauss-Newton, on a size x size vertex mesh
// that is wavy and unevenly stretched, so that no clamp is idle. Thread counts take turns in one
// process; reported are medians. The floor is what no assembly can avoid: writing every block to
// zero and reading and writing it once more, the slots and the rest state once, and the arithmetic
// of the formulas, all at the speed of this machine's memory (triad) on the same threads.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "taffeta/base/parallel.h"
#include "taffeta/base/timer.h"
#include "taffeta/energy/assembler.h"
#include "taffeta/mesh/generators.h"

namespace {

using namespace taffeta;

struct Arguments {
    Index size = 201;
    int repeats = 15;
    std::vector<int> threads = {1, 2};
    bool irregular = false;
    std::string json;
};

struct Result {
    int threads = 0;
    double zero_ms = 0, force_ms = 0, full_ms = 0, membrane_ms = 0, hinge_ms = 0, triad_gbs = 0;
};

[[noreturn]] void usage() {
    std::fputs(
        "usage: bench_assembly [--size M] [--repeats N] [--threads 1,2,...] "
        "[--tessellation regular|irregular] [--json FILE]\n",
        stderr);
    std::exit(2);
}

int number(const char* begin, const char* end) {
    int value = 0;
    if (std::from_chars(begin, end, value).ptr != end || value < 1) usage();
    return value;
}

Arguments read_arguments(int count, char** words) {
    Arguments arguments;
    for (int i = 1; i < count; i += 2) {
        if (i + 1 == count) usage();
        const std::string name = words[i], value = words[i + 1];
        const char* const end = value.data() + value.size();
        if (name == "--size")
            arguments.size = Index(number(value.data(), end));
        else if (name == "--repeats")
            arguments.repeats = number(value.data(), end);
        else if (name == "--tessellation")
            arguments.irregular = value == "irregular";
        else if (name == "--json")
            arguments.json = value;
        else if (name == "--threads") {
            arguments.threads.clear();
            for (const char* word = value.data(); word < end;) {
                const char* comma = std::find(word, end, ',');
                arguments.threads.push_back(number(word, comma));
                word = comma + 1;
            }
        } else
            usage();
    }
    if (arguments.size < 3) usage();
    return arguments;
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

/// The sheet, its energies, and a state with waves, stretched and compressed parts and shear.
struct Sheet {
    mesh::TriMesh mesh;
    mesh::Topology topology;
    mesh::RestShape rest;
    std::vector<std::unique_ptr<energy::Energy>> energies;
    VecX x, v;

    explicit Sheet(const Arguments& arguments) {
        mesh = mesh::grid(
            arguments.size - 1, arguments.size - 1, 1, 1,
            arguments.irregular ? mesh::Tessellation::irregular : mesh::Tessellation::regular);
        topology = mesh::make_topology(mesh);
        rest = mesh::rest_from_uv(mesh, topology, 1);
        const std::vector<double> mass = mesh::lumped_mass(mesh, rest, 0.15);
        energies.push_back(make_entry(energy::membrane_laws(), "law", {}, "baraff_witkin"));
        energies.push_back(make_entry(energy::bending_terms(), "bending", {}, "hinge"));
        energies.push_back(make_entry(energy::load_terms(), "load", {}, "gravity"));
        Diagnostics diagnostics;
        for (auto& energy : energies)
            energy->bind({mesh, topology, rest, mass, 0}, diagnostics);
        x.resize(3 * mesh.vertex_count());
        v.setZero(x.size());
        for (Index i = 0; i < mesh.vertex_count(); ++i) {
            const Vec3& p = mesh.position[std::size_t(i)];
            vec3(x, i) = Vec3(p.x() + 0.02 * std::sin(9 * p.y()) * std::sin(7 * p.x()),
                              p.y() + 0.02 * std::cos(8 * p.x() + 3 * p.y()),
                              0.02 * std::sin(21 * p.x()) * std::cos(17 * p.y()));
        }
    }
};

double triad_gbs() {
    static std::vector<double> a(1 << 24), b(1 << 24, 1), c(1 << 24, 2);
    std::vector<double> seconds;
    for (int repeat = 0; repeat < 7; ++repeat) {
        const Timer timer;
        parallel_chunks(Index(a.size()), 1 << 16, [&](Index begin, Index end) {
            for (auto i = std::size_t(begin); i < std::size_t(end); ++i)
                a[i] = b[i] + 3 * c[i];
        });
        seconds.push_back(timer.seconds());
    }
    return 4 * 8e-9 * double(a.size()) / median(seconds);
}

double milliseconds(const auto& work) {
    const Timer timer;
    work();
    return 1e3 * timer.seconds();
}

std::vector<Result> measure(const Sheet& sheet, const Arguments& arguments) {
    const energy::Assembler assembler(sheet.mesh.vertex_count(), sheet.energies);
    const energy::Assembler membrane(sheet.mesh.vertex_count(), std::span(sheet.energies).first(1));
    const energy::Assembler hinge(sheet.mesh.vertex_count(),
                                  std::span(sheet.energies).subspan(1, 1));
    sparse::Matrix3 K(assembler.pattern()), K_membrane(membrane.pattern()),
        K_hinge(hinge.pattern());
    VecX f(sheet.x.size());
    const energy::EvaluationPoint at{0, sheet.x, sheet.v};

    std::vector<Result> results(arguments.threads.size());
    std::vector<std::array<std::vector<double>, 5>> times(results.size());
    for (int repeat = 0; repeat <= arguments.repeats; ++repeat)
        for (std::size_t i = 0; i < results.size(); ++i) {
            set_thread_count(arguments.threads[i]);
            const double ms[5] = {
                milliseconds([&] { K.set_zero(); }),
                milliseconds([&] { assembler.evaluate(at, {.force = &f}); }),
                milliseconds([&] { assembler.evaluate(at, {.force = &f, .stiffness = &K}); }),
                milliseconds(
                    [&] { membrane.evaluate(at, {.force = &f, .stiffness = &K_membrane}); }),
                milliseconds([&] { hinge.evaluate(at, {.force = &f, .stiffness = &K_hinge}); })};
            // The first round touches the memory for the first time.
            for (std::size_t k = 0; repeat > 0 && k < 5; ++k)
                times[i][k].push_back(ms[k]);
        }
    for (std::size_t i = 0; i < results.size(); ++i) {
        set_thread_count(arguments.threads[i]);
        results[i] = {arguments.threads[i], median(times[i][0]), median(times[i][1]),
                      median(times[i][2]),  median(times[i][3]), median(times[i][4]),
                      triad_gbs()};
    }
    return results;
}

}  // namespace

int main(int count, char** words) {
    const Arguments arguments = read_arguments(count, words);
    const Sheet sheet(arguments);
    const double triangles = double(sheet.mesh.face_count());
    const double hinges = double(sheet.topology.hinge.size());
    const energy::Assembler assembler(sheet.mesh.vertex_count(), sheet.energies);
    const double blocks = double(assembler.pattern()->blocks());
    // Per triangle: 9 slots, 5 constants, 3 vertices; per hinge: 16 slots, 2 constants, 4 vertices.
    const double bytes = 3 * 72 * blocks + triangles * (9 * 4 + 5 * 8 + 3 * 4) +
                         hinges * (16 * 4 + 2 * 8 + 4 * 4) + 4 * 24 * double(sheet.x.size() / 3);
    // Additions and multiplications of the formulas, blocks and their sums included.
    const double flops = triangles * (9 * 9 + 420) + hinges * (2 * 16 * 9 + 130);

    fmt::print("{} x {} vertices, {} triangles, {} hinges, {} blocks ({:.1f} MB)\n", arguments.size,
               arguments.size, sheet.mesh.face_count(), sheet.topology.hinge.size(),
               assembler.pattern()->blocks(), 72e-6 * blocks);
    fmt::print("floor: {:.1f} MB moved, {:.0f} Mflop\n\n", 1e-6 * bytes, 1e-6 * flops);
    fmt::print("{:>7} {:>9} {:>9} {:>12} {:>12} {:>9} {:>9} {:>9} {:>9}\n", "threads", "zero ms",
               "force ms", "force+K ms", "membrane ms", "hinge ms", "triad GB/s", "floor ms",
               "speedup");
    const std::vector<Result> results = measure(sheet, arguments);
    std::string json = fmt::format(
        "{{\"vertices\": {}, \"triangles\": {}, \"hinges\": {}, \"blocks\": {}, \"bytes\": {:.0f}, "
        "\"flops\": {:.0f}, \"repeats\": {}, \"results\": [",
        sheet.mesh.vertex_count(), sheet.mesh.face_count(), sheet.topology.hinge.size(),
        assembler.pattern()->blocks(), bytes, flops, arguments.repeats);
    for (const Result& r : results) {
        const double floor_ms = 1e-6 * bytes / r.triad_gbs;
        const double speedup = results.front().full_ms / r.full_ms;
        fmt::print(
            "{:>7} {:>9.2f} {:>9.2f} {:>12.2f} {:>12.2f} {:>9.2f} {:>10.1f} {:>9.2f} "
            "{:>9.2f}\n",
            r.threads, r.zero_ms, r.force_ms, r.full_ms, r.membrane_ms, r.hinge_ms, r.triad_gbs,
            floor_ms, speedup);
        json += fmt::format(
            "{}{{\"threads\": {}, \"zero_ms\": {:.4f}, \"force_ms\": {:.4f}, "
            "\"force_stiffness_ms\": {:.4f}, \"membrane_ms\": {:.4f}, \"hinge_ms\": {:.4f}, "
            "\"triad_gbs\": {:.3f}, \"floor_ms\": {:.4f}, \"speedup\": {:.4f}}}",
            &r == results.data() ? "" : ", ", r.threads, r.zero_ms, r.force_ms, r.full_ms,
            r.membrane_ms, r.hinge_ms, r.triad_gbs, floor_ms, speedup);
    }
    if (!arguments.json.empty()) std::ofstream(arguments.json) << json << "]}\n";
}
