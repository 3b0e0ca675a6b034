#include <Eigen/SparseCholesky>
#include <array>
#include <cmath>

#include "taffeta/ode/study/problem.h"

/// A square sheet of 9 x 9 particles and springs, E = k/2 (|d|/l - 1)^2, that hangs from two corners:
///
///     #---o---o---#      # held
///     | X | X | X |      structural springs along the sides, shear springs along the diagonals,
///     o---o---o---o      bending springs to the next but one
///
/// After the measurements of [Hauth03] section 3 on a small sheet of cloth. The held particles are no
/// unknowns. K is exact, so not always positive definite: the factors are L D L'.
namespace taffeta::ode::study {

namespace {

struct SpringSheetOptions {
    int side = 9;
    double stiffness = 1, damping = 0, mass = 0.2, size = 1, gravity = 9.81, end = 0.3;

    static Fields<SpringSheetOptions> fields() {
        return {
            {"side", &SpringSheetOptions::side, "particles along a side", between(3, 200)},
            {"stiffness", &SpringSheetOptions::stiffness, "k of each spring, J",
             between(1e-9, 1e9)},
            {"damping", &SpringSheetOptions::damping, "of the strain rate of each spring, J s",
             between(0, 1e6)},
            {"mass", &SpringSheetOptions::mass, "of the sheet, kg", between(1e-6, 1e6)},
            {"size", &SpringSheetOptions::size, "of a side, m", between(1e-3, 1e3)},
            {"gravity", &SpringSheetOptions::gravity, "m/s^2, along -z", between(0, 1e3)},
            {"end", &SpringSheetOptions::end, "duration, s", between(1e-3, 1e3)},
        };
    }
};

class SpringSheet final : public SecondOrderSystem {
  public:
    explicit SpringSheet(const SpringSheetOptions& options)
        : options_(options),
          particle_mass_(options.mass / double(options.side * options.side)),
          unknown_(std::size_t(options.side * options.side), -1) {
        const int n = options.side;
        const double spacing = options.size / (n - 1);
        for (int row = 0; row < n; ++row)
            for (int column = 0; column < n; ++column) {
                place_.push_back({column * spacing, row * spacing, 0});
                const bool held = row == n - 1 && (column == 0 || column == n - 1);
                if (!held) unknown_[place_.size() - 1] = free_++;
            }
        for (const auto& [right, up] : {std::array{1, 0}, {0, 1}, {1, 1}, {-1, 1}, {2, 0}, {0, 2}})
            for (int row = 0; row + up < n; ++row)
                for (int column = 0; column < n; ++column)
                    if (column + right >= 0 && column + right < n)
                        add_spring(row * n + column, (row + up) * n + column + right);
    }

    State start() const {
        State state{0, VecX(size()), VecX::Zero(size())};
        for (std::size_t i = 0; i < place_.size(); ++i)
            if (unknown_[i] >= 0) vec3(state.x, unknown_[i]) = place_[i];
        return state;
    }
    double energy(const State& state) const {
        double sum = 0.5 * particle_mass_ * state.v.squaredNorm();
        for (Index i = 0; i < free_; ++i)
            sum += particle_mass_ * options_.gravity * vec3(state.x, i)[2];
        for (const SheetSpring& spring : springs_) {
            const double strain =
                (at(state.x, spring.a) - at(state.x, spring.b)).norm() / spring.length - 1;
            sum += 0.5 * options_.stiffness * strain * strain;
        }
        return sum;
    }
    /// k/l^2 and c/l^2 a length, as the energy is one of the strain.
    ProblemSprings springs() const {
        ProblemSprings all;
        std::vector<Index> particle = unknown_;
        Index held = free_;
        for (std::size_t i = 0; i < place_.size(); ++i)
            if (particle[i] < 0) {
                particle[i] = held++;
                all.held.conservativeResize(all.held.size() + 3);
                all.held.tail<3>() = place_[i];
            }
        for (const SheetSpring& spring : springs_) {
            const double per_length_sq = 1 / (spring.length * spring.length);
            all.springs.push_back({.i = particle[std::size_t(spring.a)],
                                   .j = particle[std::size_t(spring.b)],
                                   .length = spring.length,
                                   .stiffness = options_.stiffness * per_length_sq,
                                   .damping = options_.damping * per_length_sq});
        }
        all.inverse_mass = VecX::Constant(free_, 1 / particle_mass_);
        all.external_force = [n = free_, weight = particle_mass_ * options_.gravity](
                                 double, const VecX&, const VecX&, VecX& f) {
            f.setZero(3 * n);
            for (Index i = 0; i < n; ++i)
                f[3 * i + 2] = -weight;
        };
        return all;
    }
    /// After the first factorisation: its operations, and those of a product.
    Cost cost() {
        const State state = start();
        linearize(0, state.x, state.v, nullptr);
        VecX u = VecX::Zero(size());
        solve({1, 1, 1}, u, 0, u);
        const double n = double(size()), springs = double(springs_.size());
        double factorisation = 0, factor = 0;
        const Eigen::SparseMatrix<double> L = factors_.matrixL();
        for (Eigen::Index j = 0; j < L.cols(); ++j) {
            const double below = double(L.outerIndexPtr()[j + 1] - L.outerIndexPtr()[j]);
            factorisation += below * (below + 1);
            factor += below;
        }
        const double blocks = 9 * double(free_) + 18 * springs;
        return {.force = 30 * springs,
                .mass = n,
                .linearise = 60 * springs,
                .product = 2 * blocks,
                .solve = factorisation + 4 * factor + 4 * blocks,
                .iteration = 0};
    }

    Eigen::Index size() const override { return 3 * Eigen::Index(free_); }
    void force(double, const VecX& x, const VecX& v, VecX& f) override {
        f.setZero(size());
        for (Index i = 0; i < free_; ++i)
            vec3(f, i)[2] = -particle_mass_ * options_.gravity;
        for (const SheetSpring& spring : springs_) {
            // dE/d(length) = k/l (|d|/l - 1), and damping on d(|d|/l)/dt
            const Vec3 d = at(x, spring.a) - at(x, spring.b);
            const double length = d.norm(), l = spring.length;
            double pull = options_.stiffness / l * (length / l - 1);
            if (options_.damping > 0) {
                const Vec3 u = speed(v, spring.a) - speed(v, spring.b);
                pull += options_.damping / (l * l) * u.dot(d) / length;
            }
            add(f, spring, pull / length * d);
        }
    }
    SolveReport solve_mass(const VecX& f, VecX& a) override {
        a = f / particle_mass_;
        return {};
    }
    void linearize(double t, const VecX& x, const VecX& v, VecX* f) override {
        stiffness_blocks_.resize(springs_.size());
        damping_blocks_.resize(springs_.size());
        for (std::size_t s = 0; s < springs_.size(); ++s) {
            const SheetSpring& spring = springs_[s];
            const Vec3 d = at(x, spring.a) - at(x, spring.b);
            const double length = d.norm(), l = spring.length, k = options_.stiffness;
            const Vec3 n = d / length;
            const Mat3 along = n * n.transpose(), across = Mat3::Identity() - along;
            const double c = options_.damping / (l * l);
            Mat3 block = k / (l * l) * along + k / l * (length / l - 1) / length * across;
            if (c > 0) {
                // d/dx of c (u . n) n
                const Vec3 u = speed(v, spring.a) - speed(v, spring.b);
                block += c / length * (n * (across * u).transpose() + u.dot(n) * across);
            }
            stiffness_blocks_[s] = block;
            damping_blocks_[s] = c * along;
        }
        if (f) force(t, x, v, *f);
    }
    void apply(const Coefficients& c, const VecX& u, VecX& out) override {
        out = c.m * particle_mass_ * u;
        if (c.d == 0 && c.k == 0) return;
        for (std::size_t s = 0; s < springs_.size(); ++s) {
            const SheetSpring& spring = springs_[s];
            const Vec3 difference = speed(u, spring.a) - speed(u, spring.b);
            add(out, spring, -(block(c, s) * difference));
        }
    }
    SolveReport solve(const Coefficients& c, const VecX& rhs, double, VecX& u) override {
        fill_matrix(c);
        factors_.factorize(A_);
        SolveReport report;
        if (factors_.info() == Eigen::Success) u = factors_.solve(rhs);
        if (factors_.info() != Eigen::Success || !u.allFinite()) {
            report.status = SolveStatus::singular;
            report.message = "m M + d D + k K has no factors; a smaller step helps";
        }
        return report;
    }
    double force_scale() const override { return std::max(1e-3, options_.stiffness); }
    bool force_persists() const override { return true; }

  private:
    struct SheetSpring {
        Index a, b;
        double length;
    };

    void add_spring(int a, int b) {
        springs_.push_back({a, b, (place_[std::size_t(a)] - place_[std::size_t(b)]).norm()});
    }
    Vec3 at(const VecX& x, Index particle) const {
        const Index i = unknown_[std::size_t(particle)];
        return i >= 0 ? Vec3(vec3(x, i)) : place_[std::size_t(particle)];
    }
    Vec3 speed(const VecX& v, Index particle) const {
        const Index i = unknown_[std::size_t(particle)];
        return i >= 0 ? Vec3(vec3(v, i)) : Vec3(Vec3::Zero());
    }
    /// f_a -= pull, f_b += pull
    void add(VecX& f, const SheetSpring& spring, const Vec3& pull) const {
        const Index a = unknown_[std::size_t(spring.a)], b = unknown_[std::size_t(spring.b)];
        if (a >= 0) vec3(f, a) -= pull;
        if (b >= 0) vec3(f, b) += pull;
    }
    Mat3 block(const Coefficients& c, std::size_t spring) const {
        return c.k * stiffness_blocks_[spring] + c.d * damping_blocks_[spring];
    }
    void fill_matrix(const Coefficients& c) {
        const bool first = A_.rows() == 0;
        if (first) {
            std::vector<Eigen::Triplet<double>> entries;
            for (Index i = 0; i < free_; ++i)
                add_pattern(entries, i, i);
            for (const SheetSpring& spring : springs_) {
                const Index a = unknown_[std::size_t(spring.a)],
                            b = unknown_[std::size_t(spring.b)];
                if (a >= 0 && b >= 0) add_pattern(entries, std::max(a, b), std::min(a, b));
            }
            A_.resize(size(), size());
            A_.setFromTriplets(entries.begin(), entries.end());
        }
        // Only the lower triangle is read.
        Eigen::Map<VecX>(A_.valuePtr(), A_.nonZeros()).setZero();
        for (Eigen::Index i = 0; i < size(); ++i)
            A_.coeffRef(i, i) = c.m * particle_mass_;
        if (c.d != 0 || c.k != 0)
            for (std::size_t s = 0; s < springs_.size(); ++s) {
                const Index a = unknown_[std::size_t(springs_[s].a)];
                const Index b = unknown_[std::size_t(springs_[s].b)];
                const Mat3 B = block(c, s);
                if (a >= 0) add_block(a, a, B);
                if (b >= 0) add_block(b, b, B);
                if (a >= 0 && b >= 0) add_block(std::max(a, b), std::min(a, b), -B);
            }
        if (first) factors_.analyzePattern(A_);
    }
    static void add_pattern(std::vector<Eigen::Triplet<double>>& entries, Index i, Index j) {
        for (int r = 0; r < 3; ++r)
            for (int s = 0; s < 3; ++s)
                if (i != j || r >= s) entries.emplace_back(3 * i + r, 3 * j + s, 0);
    }
    void add_block(Index i, Index j, const Mat3& B) {
        for (int r = 0; r < 3; ++r)
            for (int s = 0; s < 3; ++s)
                if (i != j || r >= s) A_.coeffRef(3 * i + r, 3 * j + s) += B(r, s);
    }

    SpringSheetOptions options_;
    double particle_mass_;
    Index free_ = 0;
    std::vector<Index> unknown_;  ///< particle -> unknown, -1: held
    std::vector<Vec3> place_;     ///< at rest
    std::vector<SheetSpring> springs_;
    std::vector<Mat3> stiffness_blocks_, damping_blocks_;
    Eigen::SparseMatrix<double> A_;
    Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factors_;
};

std::unique_ptr<Problem> make_spring_sheet(const Settings& settings) {
    const auto options = read_options<SpringSheetOptions>(settings);
    auto problem = std::make_unique<Problem>();
    const auto sheet = std::make_shared<SpringSheet>(options);
    problem->system = sheet;
    problem->start = sheet->start();
    problem->end = options.end;
    problem->cost = sheet->cost();
    problem->names = {"x of the first particle", "y", "z"};
    problem->springs = sheet->springs();
    problem->energy = [sheet](const State& state) { return sheet->energy(state); };
    return problem;
}

/// Small: the order of a method does not depend on the size.
Settings small_sheet() {
    Settings options = Settings::object();
    options["side"] = Settings::of(4.0);
    return options;
}

}  // namespace

extern const ProblemEntry entry_spring_sheet;
constinit const ProblemEntry entry_spring_sheet{
    .key = "spring_sheet",
    .doc = "a sheet of 81 particles and springs that hangs from two corners. [Hauth03] section 3",
    .properties = {.damped = false,
                   .nonlinear = true,
                   .exact = false,
                   .first_steps = 50,
                   .order_options = &small_sheet,
                   .highest_order = 6},
    .fields = &field_table<SpringSheetOptions>,
    .make = &make_spring_sheet,
};

}  // namespace taffeta::ode::study
