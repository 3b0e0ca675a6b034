#pragma once

#include <algorithm>
#include <vector>

#include "taffeta/base/parallel.h"
#include "taffeta/contact/broad_phase.h"
#include "taffeta/contact/impacts.h"

namespace taffeta::contact {

/// Calls add(pair, first element, items) for every candidate of a fitted broad phase, in parallel, and appends what it
/// added to `all`, in the order of the candidates whatever the threads. `scratch` is kept between calls.
template <class Item, class Add>
void collect_pairs(BroadPhase& broad, const CollisionSurface& surface, const Add& add,
                   std::vector<std::vector<Item>>& scratch, std::vector<Item>& all) {
    constexpr Index grain = 256;
    const auto collect = [&](const CandidateRows& rows, const auto& pair_of) {
        const Index count = Index(rows.begin.size()) - 1;
        const Index chunks = (count + grain - 1) / grain;
        if (Index(scratch.size()) < chunks) scratch.resize(std::size_t(chunks));
        parallel_for(chunks, 1, [&](Index c) {
            std::vector<Item>& found = scratch[std::size_t(c)];
            found.clear();
            for (Index i = c * grain; i < std::min(count, (c + 1) * grain); ++i)
                for (const Index j : rows.of(i))
                    add(pair_of(i, j), i, found);
        });
        for (Index c = 0; c < chunks; ++c)
            all.insert(all.end(), scratch[std::size_t(c)].begin(), scratch[std::size_t(c)].end());
    };
    collect(broad.find_vertex_face(), [&](Index v, Index f) { return surface.vertex_face(v, f); });
    collect(broad.find_edge_edge(),
            [&](Index e, Index other) { return surface.edge_edge(e, other); });
}

}  // namespace taffeta::contact
