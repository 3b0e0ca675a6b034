// Errors and costs of the bending terms.
//
//   build/release/bin/bench_bending surfaces     small deflections of known surfaces, by mesh and size
//   build/release/bin/bench_bending cantilever   the heavy cantilever against the elastica
//   build/release/bin/bench_bending physics      tip load, lateral buckling, frequencies, ASTM D1388
//   build/release/bin/bench_bending cost         microseconds a triangle on one thread
//
// Rows of comma-separated values on standard output, errors relative. The cases are those of the tests
// (tests/golden/bending_cases.h).

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <string_view>
#include <vector>

#include "golden/bending_cases.h"
#include "taffeta/base/parallel.h"
#include "taffeta/base/timer.h"
#include "taffeta/energy/assembler.h"
#include "taffeta/mesh/generators.h"

namespace {

using namespace taffeta;
using namespace taffeta::bending_cases;

struct Named {
    const char* name;
    Term term;
};

std::vector<Named> terms() {
    Settings consistent = Settings::object();
    consistent["variant"] = Settings::of(std::string("platex"));
    return {{"hinge", {"hinge"}},
            {"plate", {"plate"}},
            {"platex", {"plate", consistent}},
            {"morley", {"morley"}}};
}

constexpr Family families[] = {Family::regular, Family::alternating, Family::irregular,
                               Family::delaunay};

void surfaces() {
    std::puts("case,mesh,term,n10,n20,n40,n80,order");
    const auto row = [](const char* name, Family family, const Named& named, const auto& error) {
        double errors[4];
        int k = 0;
        for (const Index n : {10, 20, 40, 80})
            errors[k++] = error(n);
        // From 20 to 80 cells: two doublings.
        fmt::print("{},{},{},{:.2e},{:.2e},{:.2e},{:.2e},{:.2f}\n", name, name_of(family),
                   named.name, errors[0], errors[1], errors[2], errors[3],
                   std::log2(std::abs(errors[1] / errors[3])) / 2);
        std::fflush(stdout);
    };
    const std::pair<Surface, const char*> cases[] = {
        {Surface::cylinder, "cylinder"}, {Surface::cap, "cap"}, {Surface::twist, "twist"}};
    for (const Family family : families)
        for (const Named& named : terms()) {
            row("strip", family, named, [&](Index n) {
                return small_deflection(named.term, {family, n, 1}) - 1;
            });
            for (const auto& [surface, name] : cases)
                row(name, family, named,
                    [&](Index n) { return surface_error(named.term, family, n, surface); });
        }
}

struct Elastica {
    double gamma, width, height;
};
constexpr Elastica elastica[] = {{1, 0.991246, 0.123471},
                                 {10, 0.656354, 0.700200},
                                 {100, 0.159223, 0.937524},
                                 {1000, 0.045986, 0.981141}};

void cantilever() {
    std::puts("Gamma,mesh,term,cells,W/L error %,H/L error %");
    for (const Elastica& exact : elastica)
        for (const Family family : {Family::regular, Family::irregular, Family::delaunay})
            for (const Named& named : terms())
                for (const Index nx : {20, 40, 80}) {
                    if (nx == 80 && named.term.key == "hinge") continue;
                    const Vec2 found = heavy_cantilever(named.term, {family, nx, 1}, exact.gamma);
                    fmt::print("{},{},{},{},{:.2f},{:.2f}\n", exact.gamma, name_of(family),
                               named.name, nx, 100 * (found[0] / exact.width - 1),
                               100 * (found[1] / exact.height - 1));
                    std::fflush(stdout);
                }
}

void physics() {
    std::puts("case,mesh,term,cells,expected,found,error %");
    const auto row = [](const char* name, const Strip& strip, const Named& named, double expected,
                        double found) {
        fmt::print("{},{},{},{},{:.6g},{:.6g},{:.2f}\n", name, name_of(strip.family), named.name,
                   strip.nx, expected, found, 100 * (found / expected - 1));
        std::fflush(stdout);
    };
    for (const Family family : {Family::regular, Family::irregular, Family::delaunay})
        for (const Named& named : terms())
            for (const Index nx : {20, 40}) {
                const Strip strip{family, nx, 1};
                const Vec2 heavy = heavy_cantilever(named.term, strip, 8.0042);
                row("ASTM chord in degrees", strip, named, 41.5,
                    std::atan2(heavy[1], heavy[0]) * 180 / std::numbers::pi);
                const Vec2 loaded = tip_loaded_cantilever(named.term, strip, 4);
                row("Sze u/L", strip, named, 0.328941, loaded[0]);
                row("Sze w/L", strip, named, 0.669964, loaded[1]);
                const auto f = strip_frequencies(named.term, strip);
                row("f1", strip, named, 1, f[0]);
                row("f2", strip, named, 1, f[1]);
                row("f3", strip, named, 1, f[2]);
                if (named.term.key == "hinge") continue;  // it has no Poisson's ratio
                const Strip longer{family, 4 * nx, 1};
                row("buckling nu = 0.3", longer, named, 14.51,
                    lateral_buckling(named.term, longer, 0.3, 0.05));
            }
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

void cost() {
    set_thread_count(1);
    std::puts("mesh,term,energy,force,force + K,blocks a row");
    for (const Family family : {Family::regular, Family::irregular}) {
        const mesh::TriMesh mesh = sheet(family, 200, 200, 1, 1);
        const mesh::Topology topology = mesh::make_topology(mesh);
        const mesh::RestShape rest = mesh::rest_from_uv(mesh, topology, 1);
        const std::vector<double> mass = mesh::lumped_mass(mesh, rest, 1);
        VecX x(3 * mesh.vertex_count());
        for (Index i = 0; i < mesh.vertex_count(); ++i) {
            const Vec3& p = mesh.position[std::size_t(i)];
            vec3(x, i) = p + 0.05 * std::sin(20 * p.x()) * std::sin(17 * p.y()) * Vec3::UnitZ();
        }
        const VecX v = VecX::Zero(x.size());
        for (const Named& named : terms()) {
            std::vector<std::unique_ptr<energy::Energy>> energies;
            energies.push_back(find_entry(energy::bending_terms(), "bending", named.term.key)
                                   .make(named.term.options));
            Diagnostics diagnostics;
            energies[0]->bind({mesh, topology, rest, mass}, diagnostics);
            const energy::Assembler assembler(mesh.vertex_count(), energies);
            sparse::Matrix3 K(assembler.pattern());
            VecX f;
            const auto time = [&](const auto& work) {
                std::vector<double> seconds;
                for (int repeat = 0; repeat < 11; ++repeat) {
                    const Timer timer;
                    work();
                    seconds.push_back(timer.seconds());
                }
                return 1e6 * median(seconds) / double(mesh.face_count());
            };
            const double energy = time([&] { (void)assembler.value(x); });
            const double force = time([&] { assembler.evaluate({0, x, v}, {&f}); });
            const double all = time([&] { assembler.evaluate({0, x, v}, {&f, &K}); });
            fmt::print("{},{},{:.3f},{:.3f},{:.3f},{:.1f}\n", name_of(family), named.name, energy,
                       force, all, double(K.pattern().blocks()) / K.rows());
        }
    }
}

}  // namespace

int main(int count, char** words) {
    const std::string_view what = count == 2 ? words[1] : "";
    if (what == "surfaces")
        surfaces();
    else if (what == "cantilever")
        cantilever();
    else if (what == "physics")
        physics();
    else if (what == "cost")
        cost();
    else {
        std::fputs("usage: bench_bending surfaces|cantilever|physics|cost\n", stderr);
        return 2;
    }
    return 0;
}
