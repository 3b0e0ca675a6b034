#include "taffeta/solve/term_columns.h"

#include <utility>

#include "taffeta/base/parallel.h"

namespace taffeta::solve {

namespace {

constexpr Index column_grain = 256;

}  // namespace

void TermColumns::index(Index vertices) {
    std::vector<Index> next(std::size_t(vertices), 0);
    for (const Index v : vertex)
        ++next[std::size_t(v)];
    touched.clear();
    place.assign(std::size_t(vertices), -1);
    begin.assign(1, 0);
    for (Index v = 0; v < vertices; ++v) {
        Index& here = next[std::size_t(v)];
        if (here == 0) continue;
        place[std::size_t(v)] = Index(touched.size());
        touched.push_back(v);
        begin.push_back(begin.back() + here);
        here = begin[begin.size() - 2];  // from now on: where the next one goes
    }
    corner.resize(vertex.size());
    for (Index c = 0; c < Index(vertex.size()); ++c)
        corner[std::size_t(next[std::size_t(vertex[std::size_t(c)])]++)] = c;
}

void TermColumns::gather(const std::vector<Vec3>& along, const VecX& u, VecX& out) const {
    out.resize(count());
    parallel_for(count(), column_grain, [&](Index k) {
        double sum = 0;
        for (std::size_t c = std::size_t(on_each * k), end = c + std::size_t(on_each); c < end; ++c)
            sum += along[c].dot(vec3(u, vertex[c]));
        out[k] = sum;
    });
}

void TermColumns::subtract(const std::vector<Vec3>& along, const VecX& weight, VecX& u) const {
    parallel_for(Index(touched.size()), column_grain, [&](Index i) {
        Vec3 sum = Vec3::Zero();
        for (const Index c : corners(i))
            sum += weight[c / on_each] * along[std::size_t(c)];
        vec3(u, touched[std::size_t(i)]) -= sum;
    });
}

std::size_t TermColumns::bytes() const {
    return vertex.size() * (2 * sizeof(Vec3) + 2 * sizeof(Index)) +
           (touched.size() + begin.size() + place.size()) * sizeof(Index);
}

}  // namespace taffeta::solve
