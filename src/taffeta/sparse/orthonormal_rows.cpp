#include "taffeta/sparse/orthonormal_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taffeta/base/parallel.h"
#include "taffeta/sparse/row_order.h"

/// Gram-Schmidt on sparse rows.
///
/// Why not a factor of C C', which is sparser? Its condition number is the square of that of C: rows
/// that agree to 1e-8 would be lost, and S would be a projector to 1e-8 only. Why twice? One pass
/// leaves rounding / sine in the span of the earlier rows, the second pass rounding alone. The
/// second pass looks at all rows that touch what the first one spread to, because there rounding
/// errors lie that the division by the sine makes large.
namespace taffeta::sparse {

namespace {

/// Below this, numbers of a unit row are rounding errors and are not stored.
constexpr double negligible = 1e-17;

/// A row divided by its length, and what the filter leaves of it.
struct FreeRow {
    std::vector<VertexTerm> terms;  ///< S0 c, without zeros
    std::vector<Index> filtered;    ///< vertices where S0 c is not c
    double length = 1, value = 0;   ///< of c; d - c . z0
    double size = 0;                ///< of the numbers in d - c . z0
};

FreeRow free_part(const NodeFilter& filter, const ConstraintRow& row) {
    FreeRow out;
    double largest = 0, sum = 0;
    for (const Vec3& c : row.coefficients)
        largest = std::max(largest, c.cwiseAbs().maxCoeff());
    for (const Vec3& c : row.coefficients)
        sum += (c / largest).squaredNorm();
    out.length = largest * std::sqrt(sum);
    out.value = row.value / out.length;
    out.size = std::abs(out.value);
    for (std::size_t i = 0; i < row.vertices.size(); ++i) {
        const Index v = row.vertices[i];
        Vec3 c = row.coefficients[i] / out.length;
        if (const NodeFilter::Entry* entry = filter.find(v)) {
            const double prescribed = c.dot(entry->target);
            out.value -= prescribed;
            out.size = std::max(out.size, std::abs(prescribed));
            const Vec3 left = entry->projector * c;
            if ((c - left).norm() > 1e-12) out.filtered.push_back(v);
            c = left.norm() > 1e-15 ? left : Vec3(Vec3::Zero());
        }
        if (c != Vec3::Zero()) out.terms.push_back({v, c});
    }
    merge(out.terms);
    std::sort(out.filtered.begin(), out.filtered.end());
    return out;
}

/// A row that adds nothing.
struct Dependent {
    Index row;
    double mismatch;                                ///< of the row divided by its length
    std::vector<std::pair<Index, double>> on_rows;  ///< (row of C, weight)
};

/// What all groups read, and the places of each vertex that only its own group writes to.
struct Shared {
    const NodeFilter& filter;
    const std::vector<FreeRow>& rows;
    double tolerance;
    VecX work;                                 ///< 3 n: the row under construction
    std::vector<Index> seen;                   ///< per vertex: the last row that touched it
    std::vector<std::vector<Index>> basis_at;  ///< per vertex: rows of its group's basis, ascending
};

class Group {
  public:
    explicit Group(Shared& shared) : shared_(shared) {}

    void add(Index row) {
        const FreeRow& free = shared_.rows[std::size_t(row)];
        row_ = row;
        support_.clear();
        for (const VertexTerm& term : free.terms)
            vec3(shared_.work, touch(term.vertex)) = term.value;
        value_ = free.value;
        along_.assign(std::size_t(out.rank()), 0);
        double left = norm();
        for (int pass = 0; pass < 2 && left > 0; ++pass) {
            subtract_basis();
            for (const Index v : support_)
                if (const NodeFilter::Entry* entry = shared_.filter.find(v))
                    vec3(shared_.work, v) = (entry->projector * vec3(shared_.work, v)).eval();
            left = norm();
        }
        if (left > shared_.tolerance)
            accept(left);
        else
            reject();
    }

    OrthonormalRows out;
    std::vector<Dependent> dependent;

  private:
    Index touch(Index v) {
        Index& seen = shared_.seen[std::size_t(v)];
        if (seen != row_) {
            seen = row_;
            support_.push_back(v);
            vec3(shared_.work, v).setZero();
        }
        return v;
    }

    double norm() const {
        double sum = 0;
        for (const Index v : support_)
            sum += vec3(shared_.work, v).squaredNorm();
        return std::sqrt(sum);
    }

    /// c <- c - (c . q_k) q_k for all rows of the basis that touch c, in order.
    void subtract_basis() {
        std::vector<Index> near;
        for (const Index v : support_) {
            const std::vector<Index>& here = shared_.basis_at[std::size_t(v)];
            near.insert(near.end(), here.begin(), here.end());
        }
        std::sort(near.begin(), near.end());
        near.erase(std::unique(near.begin(), near.end()), near.end());
        for (const Index k : near) {
            const Index first = out.q.begin[std::size_t(k)];
            const Index last = out.q.begin[std::size_t(k) + 1];
            for (Index s = first; s < last; ++s)
                touch(out.q.vertex[std::size_t(s)]);
            const double along = out.q.dot(k, shared_.work);
            for (Index s = first; s < last; ++s)
                vec3(shared_.work, out.q.vertex[std::size_t(s)]) -=
                    along * out.q.value[std::size_t(s)];
            value_ -= along * out.value[std::size_t(k)];
            along_[std::size_t(k)] += along;
        }
    }

    void accept(double left) {
        const Index k = out.rank();
        for (std::size_t j = 0; j < along_.size(); ++j)
            if (std::abs(along_[j]) > negligible) {
                out.column.push_back(Index(j));
                out.coefficient.push_back(along_[j]);
            }
        out.begin.push_back(Index(out.column.size()));
        out.pivot.push_back(left);
        out.value.push_back(value_ / left);
        out.source.push_back(row_);
        std::sort(support_.begin(), support_.end());
        for (const Index v : support_) {
            const Vec3 q = vec3(shared_.work, v) / left;
            if (q.cwiseAbs().maxCoeff() <= negligible) continue;
            out.q.vertex.push_back(v);
            out.q.value.push_back(q);
            shared_.basis_at[std::size_t(v)].push_back(k);
        }
        out.q.end_row();
    }

    void reject() {
        Dependent found{row_, value_, {}};
        out.solve_transposed(along_);
        for (std::size_t k = 0; k < along_.size(); ++k)
            if (std::abs(along_[k]) > 1e-9) found.on_rows.emplace_back(out.source[k], along_[k]);
        std::sort(found.on_rows.begin(), found.on_rows.end());
        dependent.push_back(std::move(found));
    }

    Shared& shared_;
    Index row_ = -1;
    double value_ = 0;
    std::vector<Index> support_;
    std::vector<double> along_;
};

std::string list(const char* one, const char* many, const std::vector<Index>& numbers) {
    constexpr std::size_t shown = 6;
    std::string text = fmt::format("{} {}", numbers.size() == 1 ? one : many, numbers[0]);
    for (std::size_t i = 1; i < std::min(shown, numbers.size()); ++i)
        text += fmt::format("{}{}", i + 1 == numbers.size() ? " and " : ", ", numbers[i]);
    if (numbers.size() > shown) text += fmt::format(" and {} more", numbers.size() - shown);
    return text;
}

/// What a dependent row follows from, in words.
std::string origin(const Dependent& dependent, const std::vector<FreeRow>& rows) {
    std::vector<Index> others, filters = rows[std::size_t(dependent.row)].filtered;
    for (const auto& [row, weight] : dependent.on_rows) {
        others.push_back(row);
        const std::vector<Index>& more = rows[std::size_t(row)].filtered;
        filters.insert(filters.end(), more.begin(), more.end());
    }
    std::sort(filters.begin(), filters.end());
    filters.erase(std::unique(filters.begin(), filters.end()), filters.end());
    std::string text = others.empty() ? "" : list("row", "rows", others);
    if (!filters.empty())
        text += (text.empty() ? "the " : " and the ") +
                list("filter of vertex", "filters of vertices", filters);
    return text;
}

void append(const OrthonormalRows& group, OrthonormalRows& all) {
    const Index rank = all.rank();
    const Index terms = Index(all.q.vertex.size()), numbers = Index(all.column.size());
    const auto join = [](auto& to, const auto& from) {
        to.insert(to.end(), from.begin(), from.end());
    };
    join(all.q.vertex, group.q.vertex);
    join(all.q.value, group.q.value);
    join(all.value, group.value);
    join(all.source, group.source);
    join(all.coefficient, group.coefficient);
    join(all.pivot, group.pivot);
    for (std::size_t k = 1; k < group.begin.size(); ++k) {
        all.q.begin.push_back(terms + group.q.begin[k]);
        all.begin.push_back(numbers + group.begin[k]);
    }
    for (const Index j : group.column)
        all.column.push_back(rank + j);
}

}  // namespace

void OrthonormalRows::solve_transposed(std::vector<double>& t) const {
    for (std::size_t k = std::size_t(rank()); k-- > 0;) {
        t[k] /= pivot[k];
        for (Index s = begin[k]; s < begin[k + 1]; ++s)
            t[std::size_t(column[std::size_t(s)])] -= coefficient[std::size_t(s)] * t[k];
    }
}

OrthonormalRows orthonormalise(const NodeFilter& filter, std::span<const ConstraintRow> rows,
                               double tolerance) {
    const Index vertices = filter.vertices();
    std::vector<FreeRow> free(rows.size());
    std::vector<std::vector<Index>> touched(rows.size());
    double scale = 0;
    for (std::size_t k = 0; k < rows.size(); ++k) {
        free[k] = free_part(filter, rows[k]);
        for (const VertexTerm& term : free[k].terms)
            touched[k].push_back(term.vertex);
        scale = std::max(scale, free[k].size);
    }

    const std::vector<std::vector<Index>> order = ordered_groups(touched, vertices);
    Shared shared{filter,
                  free,
                  tolerance,
                  VecX(3 * Eigen::Index(vertices)),
                  std::vector<Index>(std::size_t(vertices), -1),
                  std::vector<std::vector<Index>>(std::size_t(vertices))};
    std::vector<Group> groups(order.size(), Group(shared));
    parallel_for(Index(order.size()), 1, [&](Index g) {
        for (const Index row : order[std::size_t(g)])
            groups[std::size_t(g)].add(row);
    });

    OrthonormalRows all;
    std::vector<Dependent> dependent;
    for (const Group& group : groups) {
        append(group.out, all);
        dependent.insert(dependent.end(), group.dependent.begin(), group.dependent.end());
    }
    for (const FreeRow& row : free)
        all.length.push_back(row.length);
    std::sort(dependent.begin(), dependent.end(),
              [](const Dependent& a, const Dependent& b) { return a.row < b.row; });
    for (const Dependent& row : dependent) {
        const std::string from = origin(row, free);
        const double length = free[std::size_t(row.row)].length;
        const double value = rows[std::size_t(row.row)].value;
        if (std::abs(row.mismatch) <= tolerance * scale)
            all.notes.push_back(
                fmt::format("constraint row {} follows from {}: dropped", row.row, from));
        else if (all.conflict.empty())
            all.conflict = fmt::format(
                "constraint row {} asks for {:.6g}, but {:.6g} follows from {}: a mismatch of "
                "{:.3g}",
                row.row, value, value - row.mismatch * length, from,
                std::abs(row.mismatch) * length);
    }
    return all;
}

}  // namespace taffeta::sparse
