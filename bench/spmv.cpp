// Speed of the block-sparse product y = A x against the memory of this machine.
//
//   build/release/bin/bench_spmv --size 1001 --threads 1,2 --json spmv.json
//
// The matrix has the pattern of a size x size grid mesh with hinges. Product and STREAM triad
// a = b + s c run in turn in one process on the same threads, and so does a pure read of the
// matrix; reported are medians. Bytes are counted as STREAM counts them, each array once and no
// write allocate: 24 an element of the triad, 76 a block and 52 a row of the product.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "taffeta/base/parallel.h"
#include "taffeta/base/timer.h"
#include "taffeta/sparse/block_diagonal.h"
#include "taffeta/sparse/vector_ops.h"

namespace {

using namespace taffeta;

struct Arguments {
    Index size = 1001;
    int repeats = 9;
    std::vector<int> threads = {1, 2};
    std::string json;
};

struct Result {
    int threads = 0;
    double triad_gbs = 0, read_gbs = 0, spmv_gbs = 0, pcg_gbs = 0;
    double spmv_ms = 0, spmv_gflops = 0, pcg_ms = 0, ratio = 0;
};

[[noreturn]] void usage() {
    std::fputs("usage: bench_spmv [--size M] [--repeats N] [--threads 1,2,...] [--json FILE]\n",
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
    if (arguments.size < 2) usage();
    return arguments;
}

/// Triangles and hinges of a grid of m x m vertices, diagonals all the same way.
sparse::Matrix3 make_matrix(Index m) {
    std::vector<Index> triangles, hinges;
    const auto vertex = [m](Index i, Index j) { return j * m + i; };
    for (Index j = 0; j + 1 < m; ++j)
        for (Index i = 0; i + 1 < m; ++i) {
            const Index a = vertex(i, j), b = vertex(i + 1, j), c = vertex(i + 1, j + 1),
                        d = vertex(i, j + 1);
            triangles.insert(triangles.end(), {a, b, c, a, c, d});
            hinges.insert(hinges.end(), {a, c, b, d});
            if (i + 2 < m) hinges.insert(hinges.end(), {b, c, a, vertex(i + 2, j + 1)});
            if (j + 2 < m) hinges.insert(hinges.end(), {d, c, a, vertex(i + 1, j + 2)});
        }
    const sparse::StencilSet stencils[] = {{3, triangles}, {4, hinges}};
    const Timer timer;
    const sparse::Pattern pattern = sparse::make_pattern(m * m, stencils);
    const double pattern_seconds = timer.seconds();
    const std::size_t slots = sparse::make_slots(*pattern, stencils[0]).size() +
                              sparse::make_slots(*pattern, stencils[1]).size();
    fmt::print("pattern {:.3f} s, {} slots {:.3f} s ({} threads)\n", pattern_seconds, slots,
               timer.seconds() - pattern_seconds, thread_count());
    sparse::Matrix3 A(pattern);
    parallel_for(pattern->rows(), 1024, [&](Index i) {
        for (Index s = pattern->row_begin[std::size_t(i)];
             s < pattern->row_begin[std::size_t(i) + 1]; ++s)
            A.block(s) = Mat3::Identity() * (pattern->column[std::size_t(s)] == i ? 14.0 : -1.0);
    });
    return A;
}

/// Independent sums, so that only memory limits the loop.
double sum(const double* begin, const double* end) {
    double lane[16] = {};
    for (; begin + 16 <= end; begin += 16)
        for (int l = 0; l < 16; ++l)
            lane[l] += begin[l];
    return *std::max_element(lane, lane + 16);
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

Result measure(const sparse::Matrix3& A, int threads, int repeats) {
    set_thread_count(threads);
    const Index size = 3 * A.rows();
    const double n = double(A.rows()), blocks = double(A.pattern().blocks());
    // Long enough that the triad cannot stay in a cache of 32 MB.
    const Index length = std::max<Index>(size, 1 << 24);
    sparse::UntouchedVector<double> a(static_cast<std::size_t>(length)), b(a.size()), c(a.size());
    parallel_for(length, 1 << 16, [&](Index i) {
        a[std::size_t(i)] = 0;
        b[std::size_t(i)] = 1;
        c[std::size_t(i)] = 2;
    });
    sparse::BlockDiagonal D;
    D.resize(A.rows());
    parallel_for(A.rows(), 1024, [&](Index i) { D.set(i, Mat3::Identity() / 14); });
    VecX x = VecX::Ones(size), y = VecX::Zero(size), p = x, r = x, z = x;
    sparse::Partials partials;

    std::vector<double> triad, read, spmv, pcg, sums_of_chunks;
    sums_of_chunks.resize(std::size_t(A.rows() / 1024 + 1));
    for (int repeat = -1; repeat < repeats; ++repeat) {
        Timer timer;
        const double s = 1e-3 * repeat;
        double *const to = a.data(), *const from = b.data(), *const scaled = c.data();
        parallel_chunks(length, 1 << 16, [&](Index begin, Index end) {
            for (Index i = begin; i < end; ++i)
                to[i] = from[i] + s * scaled[i];
        });
        const double triad_seconds = timer.restart();
        parallel_chunks(A.rows(), 1024, [&](Index begin, Index end) {
            sums_of_chunks[std::size_t(begin / 1024)] =
                sum(A.slot(A.pattern().row_begin[std::size_t(begin)]),
                    A.slot(A.pattern().row_begin[std::size_t(end)]));
        });
        const double read_seconds = timer.restart();
        sparse::multiply(A, x, y);
        const double spmv_seconds = timer.restart();
        // One iteration of conjugate gradients with block Jacobi, as the solver does it.
        const double curvature = sparse::multiply_dot(A, p, y, partials);
        const auto sums = D.step(1e-9 / curvature, p, y, x, r, z, partials);
        sparse::xpby(z, 1e-9 * sums.rz, p);
        const double pcg_seconds = timer.restart();
        if (repeat < 0) continue;
        triad.push_back(triad_seconds);
        read.push_back(read_seconds);
        spmv.push_back(spmv_seconds);
        pcg.push_back(pcg_seconds);
    }
    const double spmv_bytes = blocks * 76 + n * (4 + 24 + 24);
    // D^-1 once; step: p q x r read, x r z written; direction: z p read, p written.
    const double pcg_bytes = spmv_bytes + n * (48 + 7 * 24 + 3 * 24);
    Result result;
    result.threads = threads;
    result.triad_gbs = double(length) * 24 / median(triad) * 1e-9;
    result.read_gbs = blocks * 72 / median(read) * 1e-9;
    result.spmv_ms = median(spmv) * 1e3;
    result.spmv_gbs = spmv_bytes / median(spmv) * 1e-9;
    result.spmv_gflops = blocks * 18 / median(spmv) * 1e-9;
    result.pcg_ms = median(pcg) * 1e3;
    result.pcg_gbs = pcg_bytes / median(pcg) * 1e-9;
    result.ratio = result.spmv_gbs / result.triad_gbs;
    return result;
}

void write_json(const std::string& file, const sparse::Matrix3& A,
                const std::vector<Result>& results) {
    std::ofstream out(file);
    out << fmt::format("{{\"vertices\": {}, \"blocks\": {}, \"results\": [", A.rows(),
                       A.pattern().blocks());
    for (std::size_t k = 0; k < results.size(); ++k) {
        const Result& r = results[k];
        out << fmt::format(
            "{}\n  {{\"threads\": {}, \"triad_gb_per_s\": {:.4g}, \"read_gb_per_s\": {:.4g}, "
            "\"spmv_ms\": {:.4g}, "
            "\"spmv_gb_per_s\": {:.4g}, \"spmv_gflop_per_s\": {:.4g}, \"ratio\": {:.4g}, "
            "\"pcg_iteration_ms\": {:.4g}, \"pcg_gb_per_s\": {:.4g}}}",
            k ? "," : "", r.threads, r.triad_gbs, r.read_gbs, r.spmv_ms, r.spmv_gbs, r.spmv_gflops,
            r.ratio, r.pcg_ms, r.pcg_gbs);
    }
    out << "\n]}\n";
    if (!out.flush()) {
        fmt::print(stderr, "{}: cannot be written\n", file);
        std::exit(3);
    }
}

}  // namespace

int main(int count, char** words) {
    const Arguments arguments = read_arguments(count, words);
    set_thread_count(*std::max_element(arguments.threads.begin(), arguments.threads.end()));
    const sparse::Matrix3 A = make_matrix(arguments.size);
    const double n = double(A.rows()), blocks = double(A.pattern().blocks());
    fmt::print("{} vertices, {} blocks ({:.2f} a row)\n", A.rows(), A.pattern().blocks(),
               blocks / n);
    fmt::print("floor of y = A x: {:.1f} MB ({:.0f} B a vertex), {:.1f} Mflop\n",
               (blocks * 76 + n * 52) * 1e-6, (blocks * 76 + n * 52) / n, blocks * 18e-6);
    fmt::print("{:>7} {:>11} {:>10} {:>9} {:>10} {:>8} {:>7} {:>17} {:>9}\n", "threads",
               "triad GB/s", "read GB/s", "spmv ms", "spmv GB/s", "Gflop/s", "ratio",
               "pcg iteration ms", "pcg GB/s");
    std::vector<Result> results;
    for (const int threads : arguments.threads) {
        results.push_back(measure(A, threads, arguments.repeats));
        const Result& r = results.back();
        fmt::print(
            "{:>7} {:>11.2f} {:>10.2f} {:>9.2f} {:>10.2f} {:>8.2f} {:>6.0f}% {:>17.2f} {:>9.2f}\n",
            r.threads, r.triad_gbs, r.read_gbs, r.spmv_ms, r.spmv_gbs, r.spmv_gflops, 100 * r.ratio,
            r.pcg_ms, r.pcg_gbs);
    }
    if (!arguments.json.empty()) write_json(arguments.json, A, results);
    return 0;
}
