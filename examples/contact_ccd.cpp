//   contact_ccd
//
// 1. A query is four points at the start and at the end of a motion: a vertex and a face, or two edges.
// 2. `touches` answers exactly; `first_contact` says from when on; `first_within` keeps a distance.
// 3. Two meshes: the broad phase names the pairs that are worth a query.
//
// Links taffeta::contact alone.

#include <fmt/format.h>

#include <cmath>

#include "taffeta/contact/broad_phase.h"
#include "taffeta/contact/ccd.h"

using namespace taffeta;

namespace {

void one_pair() {
    // A vertex falls from height 1 through a face that lies at height 0.
    const Vec3 a(0, 0, 0), b(1, 0, 0), c(0, 1, 0);
    contact::CcdQuery query{contact::CcdKind::vertex_face,
                            {Vec3(0.5, 0.5, 1), a, b, c},    // t = 0
                            {Vec3(0.5, 0.5, -1), a, b, c}};  // t = 1
    fmt::print("on the rim:        {}, first at t = {}\n", contact::touches(query),
               contact::first_contact(query).value());

    // One unit in the last place further out it misses.
    query.start[0].x() = query.end[0].x() = std::nextafter(0.5, 1);
    fmt::print("1e-16 outside:     {}\n", contact::touches(query));

    // How far it may go and stay a tenth away from the face.
    const std::optional<double> near = contact::first_within(query, {.distance = 0.1});
    fmt::print("a tenth away until t = {:.3f}\n", near.value());
}

void two_sheets() {
    // Two triangles each; the second sheet (vertices 4 to 7) jumps through the first one.
    const std::vector<Triangle> faces = {{0, 1, 2}, {0, 2, 3}, {4, 5, 6}, {4, 6, 7}};
    const std::vector<Edge> edges = {{0, 1}, {1, 2}, {2, 3}, {0, 3}, {0, 2},
                                     {4, 5}, {5, 6}, {6, 7}, {4, 7}, {4, 6}};
    VecX x0(24), x1(24);
    for (Index v = 0; v < 8; ++v) {
        const double offset = v < 4 ? 0 : 0.3;
        const bool right = v % 4 == 1 || v % 4 == 2, back = v % 4 >= 2;
        vec3(x0, v) = Vec3(right + offset, back + offset, v < 4 ? 0 : 0.5);
        vec3(x1, v) = Vec3(right + offset, back + offset, v < 4 ? 0 : -0.5);
    }

    contact::BroadPhase broad(faces, edges, 8);
    broad.order(x0);
    broad.refit(x0, x1, 0);
    int touching = 0;
    const contact::CandidateRows& rows = broad.find_vertex_face();
    for (Index v = 0; v < 8; ++v)
        for (const Index f : rows.of(v)) {
            const Triangle& face = faces[std::size_t(f)];
            contact::CcdQuery query{contact::CcdKind::vertex_face, {}, {}};
            const std::array<Index, 4> corner = {v, face[0], face[1], face[2]};
            for (std::size_t k = 0; k < 4; ++k) {
                query.start[k] = vec3(x0, corner[k]);
                query.end[k] = vec3(x1, corner[k]);
            }
            touching += contact::touches(query);
        }
    fmt::print("two sheets:        {} of {} vertex-face candidates touch\n", touching,
               rows.pairs());
}

}  // namespace

int main() {
    one_pair();
    two_sheets();
    return 0;
}
