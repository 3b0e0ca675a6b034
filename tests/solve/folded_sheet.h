#pragma once

#include <array>
#include <vector>

#include "solve/sa_helpers.h"
#include "taffeta/solve/stiff_terms.h"
#include "taffeta/sparse/pattern_union.h"

namespace taffeta::testing {

///   layer 1   o---o---o---o   .     each vertex of a layer stands on a face of the layer below,
///             |   |   |   |    )    somewhere in it: E is the sheet without them
///   layer 0   o---o---o---o--- .
struct Folded {
    Index columns, rows, layers;
    sparse::Matrix3 E;
    VecX x;
    std::vector<solve::RankOneTerm> terms;

    Folded(Index n, Index how_many, double k, std::uint64_t seed = 1)
        : columns(n),
          rows(n),
          layers(how_many),
          E(elastic_matrix(n, n * how_many, 100)),
          x(sheet(n, n * how_many)) {
        Random random(seed);
        for (Index layer = 1; layer < layers; ++layer)
            for (Index j = 0; j + 1 < rows; ++j)
                for (Index i = 0; i + 1 < columns; ++i) {
                    const double s = random.uniform(0, 0.5), t = random.uniform(0, 0.5);
                    const double weight[] = {1, s + t - 1, -s, -t};
                    solve::RankOneTerm term{{at(layer, i, j), at(layer - 1, i, j),
                                             at(layer - 1, i + 1, j), at(layer - 1, i, j + 1)},
                                            {},
                                            k};
                    const Vec3 normal = (Vec3::UnitZ() + 0.3 * random.vector()).normalized();
                    for (std::size_t c = 0; c < 4; ++c)
                        term.q[c] = weight[c] * normal;
                    terms.push_back(term);
                }
    }

    /// The sheet runs to and fro.
    Index at(Index layer, Index i, Index j) const {
        return (layer * rows + (layer % 2 == 0 ? j : rows - 1 - j)) * columns + i;
    }
    Index vertices() const { return E.rows(); }

    sparse::Matrix3 whole() const {
        std::vector<Index> vertex;
        for (const solve::RankOneTerm& term : terms)
            vertex.insert(vertex.end(), term.vertex.begin(), term.vertex.end());
        const sparse::ExtendedPattern wider = sparse::extend_pattern(E.pattern(), {4, vertex});
        sparse::Matrix3 A(wider.pattern);
        A.set_zero();
        for (std::size_t s = 0; s < wider.slot.size(); ++s)
            A.block(wider.slot[s]) = E.block(Index(s));
        for (const solve::RankOneTerm& term : terms)
            for (std::size_t a = 0; a < 4; ++a)
                for (std::size_t b = 0; b < 4; ++b) {
                    const Mat3 outer = term.q[a] * term.q[b].transpose();
                    A.block(A.pattern().slot(term.vertex[a], term.vertex[b])) += term.k * outer;
                }
        return A;
    }
};

}  // namespace taffeta::testing
