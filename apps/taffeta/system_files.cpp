#include "system_files.h"

#include <fmt/format.h>

#include <cmath>

#include "taffeta/base/error.h"
#include "taffeta/sparse/compressed_rows.h"
#include "taffeta/sparse/matrix_market.h"

namespace taffeta::app {

namespace {

VecX read_part(const std::string& file, Index rows, Index padding) {
    const VecX values = sparse::read_vector(file);
    if (values.size() != rows)
        fail_input(file,
                   fmt::format("{} numbers, but the matrix has {} rows", values.size(), rows));
    return sparse::padded(values, padding);
}

/// (S, z) from a block diagonal matrix: a vertex whose block is the identity is free.
void read_filter(const SystemFiles& files, FileSystem& system, Index padding) {
    system.filter = sparse::NodeFilter(system.A.rows());
    if (files.filter.empty()) {
        if (!files.target.empty())
            fail_input("--target", "prescribed values need --filter to say where");
        return;
    }
    const sparse::Triplets file = sparse::read_matrix(files.filter);
    if (file.rows != system.rows || file.columns != system.rows)
        fail_input(file.where, fmt::format("S is {} x {}, but A has {} rows", file.rows,
                                           file.columns, system.rows));
    const sparse::Matrix3 S = sparse::to_blocks(sparse::padded(file, padding));
    const VecX z = files.target.empty() ? VecX::Zero(3 * Eigen::Index(S.rows())).eval()
                                        : read_part(files.target, system.rows, padding);
    for (Index i = 0; i < S.rows(); ++i)
        for (Index s = S.pattern().row_begin[std::size_t(i)];
             s < S.pattern().row_begin[std::size_t(i) + 1]; ++s) {
            const Index j = S.pattern().column[std::size_t(s)];
            const Mat3 block = S.block(s);
            if (i != j && !block.isZero(0))
                fail_input(
                    file.where,
                    fmt::format("S couples vertices {} and {}; it must be block diagonal", i, j));
            if (i != j || block == Mat3::Identity()) continue;
            const int forbidden = 3 - int(std::lround(block.trace()));
            system.filter.insert({i, forbidden, block, vec3(z, i)});
        }
}

}  // namespace

FileSystem read_system(const SystemFiles& files) {
    FileSystem system;
    sparse::Triplets matrix = sparse::read_matrix(files.matrix);
    system.rows = matrix.rows;
    const Index padding = sparse::padding(matrix.rows);
    system.A = sparse::to_blocks(sparse::padded(std::move(matrix), padding));
    system.b = read_part(files.right_side, system.rows, padding);
    read_filter(files, system, padding);
    if (!files.nodes.empty()) system.nodes = read_part(files.nodes, system.rows, padding);
    return system;
}

}  // namespace taffeta::app
