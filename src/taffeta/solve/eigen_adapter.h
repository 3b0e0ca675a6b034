#pragma once

#include <Eigen/SparseCore>
#include <memory>
#include <string>
#include <string_view>

#include "taffeta/base/types.h"
#include "taffeta/solve/preconditioner.h"

/// Taffeta's solver for programs that hold an Eigen::SparseMatrix<double>.
///
/// `SmoothedAggregation` is a preconditioner for Eigen's own conjugate gradients,
///
///     Eigen::ConjugateGradient<Eigen::SparseMatrix<double>, Eigen::Lower | Eigen::Upper,
///                              taffeta::SmoothedAggregation> cg;
///     cg.preconditioner().set_coordinates(X);  // optional: rotations as near kernel
///     x = cg.compute(A).solve(b);
///
/// and `SparseSolver` is used in the same way without Eigen's iteration: product and vector loops
/// run in parallel on 3x3 blocks, constraints are allowed, and `message()` says why it stopped.
///
/// Both take any size (rows are padded to whole vertices with a unit diagonal), any storage order,
/// and both halves of A or one: a matrix without entries above (or below) its diagonal stands for
/// the symmetric one. A matrix of the same pattern as the last one keeps what of the hierarchy still
/// serves. What is wrong with a matrix is told by `info()` and `message()`; a wrong call (a size
/// that disagrees, no matrix yet, an unknown option) throws taffeta::Error.
namespace taffeta {

using EigenRows = Eigen::SparseMatrix<double, Eigen::RowMajor>;

class SmoothedAggregation {
  public:
    using Scalar = double;
    using StorageIndex = int;
    enum { ColsAtCompileTime = Eigen::Dynamic, MaxColsAtCompileTime = Eigen::Dynamic };

    SmoothedAggregation();
    template <class Matrix>
    explicit SmoothedAggregation(const Matrix& A) : SmoothedAggregation() {
        compute(A);
    }
    SmoothedAggregation(SmoothedAggregation&&) noexcept;
    SmoothedAggregation& operator=(SmoothedAggregation&&) noexcept;
    ~SmoothedAggregation();

    template <class Matrix>
    SmoothedAggregation& analyzePattern(const Matrix&) {
        return *this;  // `factorize` sees by itself whether the pattern is the old one
    }
    template <class Matrix>
    SmoothedAggregation& factorize(const Matrix& A) {
        set_up(EigenRows(A));
        return *this;
    }
    template <class Matrix>
    SmoothedAggregation& compute(const Matrix& A) {
        return factorize(A);
    }

    /// z = M^-1 r. After a set-up that failed M is the identity, and `info` has said so.
    template <class Rhs>
    Eigen::Solve<SmoothedAggregation, Rhs> solve(const Eigen::MatrixBase<Rhs>& r) const {
        return {*this, r.derived()};
    }
    template <class Rhs, class Destination>
    void _solve_impl(const Rhs& r, Destination& z) const {
        z.resize(r.rows(), r.cols());
        for (Eigen::Index k = 0; k < r.cols(); ++k)
            z.col(k) = apply(r.col(k));
    }

    /// `key=value` pairs as in "aggregate_size=8 strength=0.3" (docs/scene_format.md, `sa`).
    void set_options(std::string_view options);
    /// 3 numbers a vertex; read at the next `compute`. Empty: translations only.
    void set_coordinates(const VecX& coordinates);

    Eigen::Index rows() const;
    Eigen::Index cols() const { return rows(); }
    Eigen::ComputationInfo info() const;
    const std::string& message() const;       ///< a sentence when info is not Success
    std::string description() const;          ///< the hierarchy as a table
    solve::SetupCounts setup_counts() const;  ///< since the options were set

  private:
    struct State;

    void set_up(EigenRows A);
    const VecX& apply(const VecX& r) const;

    std::unique_ptr<State> state_;
};

class SparseSolver {
  public:
    SparseSolver();
    template <class Matrix>
    explicit SparseSolver(const Matrix& A) : SparseSolver() {
        compute(A);
    }
    SparseSolver(SparseSolver&&) noexcept;
    SparseSolver& operator=(SparseSolver&&) noexcept;
    ~SparseSolver();

    template <class Matrix>
    SparseSolver& analyzePattern(const Matrix&) {
        return *this;
    }
    template <class Matrix>
    SparseSolver& factorize(const Matrix& A) {
        set_matrix(EigenRows(A));
        return *this;
    }
    /// Takes A; the preconditioner is made in `solve`, because constraints may still change.
    template <class Matrix>
    SparseSolver& compute(const Matrix& A) {
        return factorize(A);
    }

    /// x of A x = b, a column for every column of b; the best iterate when info is not Success.
    template <class Rhs>
    typename Rhs::PlainObject solve(const Eigen::MatrixBase<Rhs>& b) {
        return solve_columns(b, Eigen::MatrixXd::Zero(b.rows(), b.cols()));
    }
    template <class Rhs, class Guess>
    typename Rhs::PlainObject solveWithGuess(const Eigen::MatrixBase<Rhs>& b,
                                             const Eigen::MatrixBase<Guess>& guess) {
        return solve_columns(b, guess);
    }

    /// `key=value` pairs as in "preconditioner=sa norm=preconditioned", or "type=ldlt". The
    /// defaults are the solver's own, but with the Euclidean norm as Eigen has it.
    void set_options(std::string_view options);
    /// |b - A x| / |b| to stop at, 1e-8 if not set.
    SparseSolver& setTolerance(double tolerance);
    double tolerance() const;
    /// 3 numbers a vertex. Empty: translations only.
    void set_coordinates(const VecX& coordinates);
    /// Constraints on vertices (three rows each); then S (A x - b) = 0 and x = z where S forbids.
    /// They stay until a matrix of another size comes.
    void set_constraints(const sparse::NodeFilter& filter);

    Eigen::Index rows() const;
    Eigen::Index cols() const { return rows(); }
    /// After `compute`: of the matrix. After `solve`: of the first column that failed.
    Eigen::ComputationInfo info() const;
    const std::string& message() const;
    Eigen::Index iterations() const;  ///< of the last `solve`, the largest of its columns
    /// |b - A x| / |b| of the last `solve`, from its definition; the largest of its columns.
    double error() const;
    std::string description() const;
    solve::SetupCounts setup_counts() const;

  private:
    struct State;

    void set_matrix(EigenRows A);
    Eigen::MatrixXd solve_columns(const Eigen::MatrixXd& b, const Eigen::MatrixXd& guess);

    std::unique_ptr<State> state_;
};

}  // namespace taffeta
