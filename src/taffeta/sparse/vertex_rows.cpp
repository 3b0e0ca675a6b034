#include "taffeta/sparse/vertex_rows.h"

#include <algorithm>

namespace taffeta::sparse {

void VertexRows::clear() {
    begin.assign(1, 0);
    vertex.clear();
    value.clear();
}

double VertexRows::dot(Index k, const VecX& u) const {
    double sum = 0;
    for (Index s = begin[std::size_t(k)]; s < begin[std::size_t(k) + 1]; ++s)
        sum += value[std::size_t(s)].dot(vec3(u, vertex[std::size_t(s)]));
    return sum;
}

VertexColumns columns_of(const VertexRows& rows, Index vertices) {
    VertexColumns columns;
    columns.begin.assign(std::size_t(vertices) + 1, 0);
    for (const Index v : rows.vertex)
        ++columns.begin[std::size_t(v) + 1];
    for (Index v = 0; v < vertices; ++v) {
        if (columns.begin[std::size_t(v) + 1] > 0) columns.touched.push_back(v);
        columns.begin[std::size_t(v) + 1] += columns.begin[std::size_t(v)];
    }
    columns.row.resize(rows.vertex.size());
    columns.slot.resize(rows.vertex.size());
    std::vector<Index> next(columns.begin.begin(), columns.begin.end() - 1);
    for (Index k = 0; k < rows.rows(); ++k)
        for (Index s = rows.begin[std::size_t(k)]; s < rows.begin[std::size_t(k) + 1]; ++s) {
            const Index place = next[std::size_t(rows.vertex[std::size_t(s)])]++;
            columns.row[std::size_t(place)] = k;
            columns.slot[std::size_t(place)] = s;
        }
    return columns;
}

void merge(std::vector<VertexTerm>& terms) {
    std::stable_sort(terms.begin(), terms.end(),
                     [](const VertexTerm& a, const VertexTerm& b) { return a.vertex < b.vertex; });
    std::size_t last = 0;
    for (std::size_t i = 1; i < terms.size(); ++i) {
        if (terms[i].vertex == terms[last].vertex)
            terms[last].value += terms[i].value;
        else
            terms[++last] = terms[i];
    }
    if (!terms.empty()) terms.erase(terms.begin() + std::ptrdiff_t(last) + 1, terms.end());
}

}  // namespace taffeta::sparse
