#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <tuple>

#include "solve/folded_sheet.h"
#include "taffeta/base/parallel.h"
#include "taffeta/solve/sa/coarse_terms.h"
#include "taffeta/solve/sa/prolongator.h"
#include "taffeta/solve/term_couplings.h"
#include "taffeta/solve/term_space.h"

/// Springs between the layers of a folded sheet, whose stiffness has nothing to do with the sheet's: the
/// space of the terms against dense algebra, and multigrid beside it.
namespace taffeta::solve {
namespace {

using testing::dense;
using testing::Folded;
using testing::Random;

constexpr std::int64_t unlimited = std::int64_t(1) << 40;

Eigen::MatrixXd dense_q(const Folded& sheet) {
    Eigen::MatrixXd Q =
        Eigen::MatrixXd::Zero(3 * sheet.vertices(), Eigen::Index(sheet.terms.size()));
    for (std::size_t s = 0; s < sheet.terms.size(); ++s)
        for (std::size_t j = 0; j < 4; ++j)
            Q.block<3, 1>(3 * sheet.terms[s].vertex[j], Eigen::Index(s)) += sheet.terms[s].q[j];
    return Q;
}

/// Several springs for each vertex, all across the layers: as sheets that lie flat on each other.
Folded pile_of(Index n, Index layers, double k, std::uint64_t springs) {
    Folded pile(n, layers, k);
    for (std::uint64_t seed = 2; seed <= springs; ++seed) {
        const Folded more(n, layers, k, seed);
        pile.terms.insert(pile.terms.end(), more.terms.begin(), more.terms.end());
    }
    for (RankOneTerm& term : pile.terms)
        for (Vec3& q : term.q)
            q = Vec3(0, 0, std::copysign(q.norm(), q.z()));
    return pile;
}

/// Held, sliding and free vertices among those with terms.
sparse::NodeFilter some_held(const Folded& sheet) {
    sparse::NodeFilter filter(sheet.vertices());
    filter.fix(sheet.at(0, 1, 1));
    filter.forbid(sheet.at(1, 2, 2), Vec3(0.2, 0.1, 1));
    filter.forbid(sheet.at(1, 0, 3), Vec3(1, 0, 0));
    filter.forbid(sheet.at(1, 0, 3), Vec3(0, 1, 1));
    return filter;
}

/// S E S + sigma (I - S)
Eigen::MatrixXd filtered(const sparse::Matrix3& E, const sparse::NodeFilter& filter) {
    sparse::Matrix3 copy = E;
    sparse::prefilter(copy, filter);
    return dense(copy);
}

/// M^-1 column by column, for V as a dense matrix.
Eigen::MatrixXd completed(const TermSpace& space, const Eigen::MatrixXd& V) {
    Eigen::MatrixXd M(V.rows(), V.cols());
    for (Eigen::Index c = 0; c < V.cols(); ++c) {
        VecX r = VecX::Unit(V.rows(), c);
        space.reduce(r);
        VecX z = V * r;
        space.complete(z);
        M.col(c) = z;
    }
    return M;
}

TEST(TermSpace, IsTheInverseWhereTheRestIsBlockDiagonal) {
    for (const double k : {1e-2, 1.0, 1e4}) {
        Folded sheet(5, 2, k);
        Random random(4);
        for (Index i = 0; i < sheet.vertices(); ++i)
            for (Index s = sheet.E.pattern().row_begin[std::size_t(i)];
                 s < sheet.E.pattern().row_begin[std::size_t(i) + 1]; ++s) {
                sheet.E.block(s).setZero();
                if (sheet.E.pattern().column[std::size_t(s)] != i) continue;
                Mat3 root;
                root << random.vector(), random.vector(), random.vector();
                sheet.E.block(s) = root * root.transpose() + 0.1 * Mat3::Identity();
            }
        const sparse::NodeFilter filter = some_held(sheet);
        const Eigen::MatrixXd B = filtered(sheet.E, filter), S = dense(filter);
        const Eigen::MatrixXd SQ = S * dense_q(sheet);
        const Eigen::MatrixXd expected = (B + k * SQ * SQ.transpose()).inverse();
        TermSpace space;

        ASSERT_TRUE(space.make(sheet.E, filter, sheet.terms, {}, unlimited).ok());
        const Eigen::MatrixXd M = completed(space, B.inverse());

        EXPECT_LE((M - expected).norm(), 1e-8 * expected.norm()) << k;
    }
}

/// What the two matrices say that stand for the inverse: one row for each term, one for each direction.
TEST(TermSpace, IsTheSameByDirectionsAsByTerms) {
    for (const double k : {1.0, 1e4}) {
        // Ten springs a vertex are more than its three directions.
        Folded many(6, 3, k);
        for (std::uint64_t seed = 2; seed <= 10; ++seed) {
            const Folded more(6, 3, k, seed);
            many.terms.insert(many.terms.end(), more.terms.begin(), more.terms.end());
        }
        Folded few = many;
        few.terms.resize(8);
        for (const Folded* sheet : {&many, &few}) {
            const sparse::NodeFilter filter = some_held(*sheet);
            const Eigen::MatrixXd B = filtered(sheet->E, filter), S = dense(filter);
            const Eigen::MatrixXd Q = S * dense_q(*sheet), V = B.inverse();
            Eigen::MatrixXd D = Eigen::MatrixXd::Zero(B.rows(), B.cols());
            for (Eigen::Index i = 0; i < B.rows(); i += 3)
                D.block<3, 3>(i, i) = B.block<3, 3>(i, i);
            const Eigen::MatrixXd H = (D + k * Q * Q.transpose()).inverse();
            const Eigen::MatrixXd expected = H + H * (D * V * D - D) * H;
            TermSpace space;

            ASSERT_TRUE(space.make(sheet->E, filter, sheet->terms, {}, unlimited).ok());

            EXPECT_EQ(space.by_directions(), sheet == &many);
            EXPECT_LE((completed(space, V) - expected).norm(), 1e-7 * expected.norm()) << k;
        }
    }
}

TEST(TermCouplings, DirectionsAreOrthonormalInDAndSpanTheTerms) {
    const Folded sheet = pile_of(5, 2, 10, 3);
    TermColumns terms;
    for (const RankOneTerm& term : sheet.terms)
        for (std::size_t j = 0; j < 4; ++j) {
            terms.vertex.push_back(term.vertex[j]);
            terms.dp.push_back(term.q[j]);
        }
    terms.index(sheet.vertices());
    std::vector<Mat3> blocks;
    for (const Index v : terms.touched)
        blocks.push_back(sheet.E.block(sheet.E.pattern().diagonal[std::size_t(v)]));
    const std::vector<double> k(sheet.terms.size(), 10);

    const TermColumns Y = directions_of(terms, k, blocks, 1e-9);
    const Eigen::MatrixXd S =
        Eigen::MatrixXd(couple_directions(terms, k, Y)).selfadjointView<Eigen::Lower>();

    EXPECT_EQ(Y.count(), Index(terms.touched.size())) << "one at each vertex: across the layers";
    Eigen::MatrixXd dense_y = Eigen::MatrixXd::Zero(3 * sheet.vertices(), Y.count());
    for (Index d = 0; d < Y.count(); ++d) {
        const Index v = Y.vertex[std::size_t(d)];
        dense_y.block<3, 1>(3 * v, d) = Y.p[std::size_t(d)];
        const Mat3 D = sheet.E.block(sheet.E.pattern().diagonal[std::size_t(v)]);
        EXPECT_NEAR(Y.p[std::size_t(d)].dot(D * Y.p[std::size_t(d)]), 1, 1e-12);
        EXPECT_LE((Y.dp[std::size_t(d)] - D * Y.p[std::size_t(d)]).norm(), 1e-12 * D.norm());
    }
    const Eigen::MatrixXd YQ = dense_y.transpose() * dense_q(sheet);
    const Eigen::MatrixXd expected =
        Eigen::MatrixXd::Identity(Y.count(), Y.count()) + 10 * YQ * YQ.transpose();
    EXPECT_LE((S - expected).norm(), 1e-12 * expected.norm());
    Eigen::MatrixXd dense_dy = Eigen::MatrixXd::Zero(dense_y.rows(), dense_y.cols());
    for (Index d = 0; d < Y.count(); ++d)
        dense_dy.block<3, 1>(3 * Y.vertex[std::size_t(d)], d) = Y.dp[std::size_t(d)];
    const Eigen::MatrixXd Q = dense_q(sheet);
    EXPECT_LE((dense_dy * YQ - Q).norm(), 1e-12 * Q.norm()) << "Q is D times a sum of directions";
}

TEST(TermSpace, EigenvaluesAreBoundedHoweverStiffTheTermsAre) {
    for (const double k : {1.0, 1e3, 1e6, 1e9}) {
        const Folded sheet(6, 3, k);
        const sparse::NodeFilter filter = some_held(sheet);
        const Eigen::MatrixXd B = filtered(sheet.E, filter), S = dense(filter);
        const Eigen::MatrixXd SQ = S * dense_q(sheet), V = B.inverse();
        const Eigen::MatrixXd A = B + k * SQ * SQ.transpose();
        Eigen::MatrixXd D = Eigen::MatrixXd::Zero(B.rows(), B.cols());
        for (Eigen::Index i = 0; i < B.rows(); i += 3)
            D.block<3, 3>(i, i) = B.block<3, 3>(i, i);
        const Eigen::MatrixXd ridge = 1e-9 * Eigen::MatrixXd::Identity(SQ.cols(), SQ.cols());
        const Eigen::MatrixXd G = SQ.transpose() * D.inverse() * SQ + ridge;
        using Generalized = Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd>;
        const double bound =
            Generalized(B, D).eigenvalues().maxCoeff() *
            Generalized(SQ.transpose() * V * SQ + ridge, G).eigenvalues().maxCoeff();
        TermSpace space;

        ASSERT_TRUE(space.make(sheet.E, filter, sheet.terms, {}, unlimited).ok());
        const Eigen::MatrixXd M = completed(space, V);

        EXPECT_LE((M - M.transpose()).norm(), 1e-8 * M.norm()) << k;
        const Eigen::MatrixXd L = Eigen::LLT<Eigen::MatrixXd>(A).matrixL();
        const VecX values =
            Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(L.transpose() * M * L).eigenvalues();
        EXPECT_GE(values.minCoeff(), 0.99) << k;  // M^-1 is no smaller than A^-1
        EXPECT_LE(values.maxCoeff(), std::max(1.0, bound) * 1.01) << k;
        EXPECT_LE((S * M * S - M * S).norm(), 1e-10 * M.norm()) << "leaves range(S)";
    }
}

TEST(TermSpace, RefusesWhatHasNoInverse) {
    Folded sheet(4, 2, 1);
    sheet.E.block(sheet.E.pattern().diagonal[std::size_t(sheet.at(1, 1, 1))]).setZero();
    TermSpace space;

    const SolveReport report =
        space.make(sheet.E, sparse::NodeFilter(sheet.vertices()), sheet.terms, {}, unlimited);

    EXPECT_EQ(report.status, SolveStatus::singular);
    EXPECT_NE(report.message.find(std::to_string(sheet.at(1, 1, 1))), std::string::npos)
        << report.message;
}

TEST(CoarseTerms, AreTheGalerkinProductOfTheTerms) {
    const Folded sheet(8, 2, 1);
    std::vector<Index> position(std::size_t(sheet.vertices())), vertex;
    std::vector<Vec3> q;
    std::vector<double> stiffness;
    for (Index v = 0; v < sheet.vertices(); ++v)
        position[std::size_t(v)] = sheet.vertices() - 1 - v;
    position[std::size_t(sheet.at(1, 2, 2))] = -1;  // not in the hierarchy
    Random random(8);
    for (const RankOneTerm& term : sheet.terms) {
        vertex.insert(vertex.end(), term.vertex.begin(), term.vertex.end());
        q.insert(q.end(), term.q.begin(), term.q.end());
        stiffness.push_back(random.uniform(0.5, 2));
    }
    const sa::SquareRows<3> fine = testing::rows_of(sheet.E);
    const sa::Aggregates aggregates = sa::aggregate(sa::strength_of(fine, {}), {});
    sa::ProlongatorRows<3, 3> P;
    sa::make_prolongator_pattern(fine, aggregates, P);
    Eigen::MatrixXd dense_p = Eigen::MatrixXd::Zero(3 * sheet.vertices(), 3 * aggregates.count);
    for (Index i = 0; i < sheet.vertices(); ++i)
        for (Index s = P.row_begin[std::size_t(i)]; s < P.row_begin[std::size_t(i) + 1]; ++s)
            for (int k = 0; k < 9; ++k) {
                P.units(s)[k] = sa::Fixed(random.uniform() / double(sa::fixed_unit));
                dense_p(3 * i + k / 3, 3 * P.column[std::size_t(s)] + k % 3) =
                    double(P.block(s)(k / 3, k % 3));
            }
    Eigen::MatrixXd Q = Eigen::MatrixXd::Zero(3 * sheet.vertices(), Eigen::Index(stiffness.size()));
    for (std::size_t k = 0; k < vertex.size(); ++k)
        if (const Index p = position[std::size_t(vertex[k])]; p >= 0)
            Q.block<3, 1>(3 * p, Eigen::Index(k / 4)) += q[k];
    const Eigen::MatrixXd Qc = dense_p.transpose() * Q;
    const VecX weights =
        0.5 * Eigen::Map<const VecX>(stiffness.data(), Eigen::Index(stiffness.size()));
    const Eigen::MatrixXd expected = Qc * weights.asDiagonal() * Qc.transpose();
    sa::SquareRows<3> coarse;
    sa::make_galerkin_pattern(fine, P, aggregates.count, coarse);
    const sa::SoftTerms terms{vertex, q, stiffness};

    sa::CoarseTerms on_coarse;
    on_coarse.find_rows(terms, position, P, coarse.rows());

    EXPECT_TRUE(on_coarse.extend(coarse));
    EXPECT_FALSE(on_coarse.extend(coarse));
    coarse.value.resize(coarse.column.size() * 9);
    coarse.value.set_zero();
    on_coarse.add(terms, 0.5f, position, P, coarse);

    Eigen::MatrixXd found = Eigen::MatrixXd::Zero(expected.rows(), expected.cols());
    for (Index i = 0; i < coarse.rows(); ++i) {
        EXPECT_EQ(coarse.column[std::size_t(coarse.diagonal[std::size_t(i)])], i);
        for (Index s = coarse.row_begin[std::size_t(i)]; s < coarse.row_begin[std::size_t(i) + 1];
             ++s)
            found.block<3, 3>(3 * i, 3 * coarse.column[std::size_t(s)]) =
                Eigen::Map<const Eigen::Matrix3f>(coarse.block(s)).cast<double>();
    }
    EXPECT_LE((found - expected).norm(), 1e-5 * expected.norm());
    EXPECT_TRUE(found == found.transpose());
}

struct Solved {
    int iterations;
    VecX x;
};

Solved solve(const Folded& sheet, const sparse::NodeFilter& filter, bool apart,
             double tolerance = 1e-5) {
    const auto solver = testing::make_solver("prefiltered_pcg", {{"tolerance", tolerance}}, "sa");
    solver->set_near_kernel({&sheet.x});
    if (apart) solver->set_stiff_terms({&sheet.E, sheet.terms, true});
    Solved result{0, VecX::Zero(sheet.x.size())};
    VecX b = Random(5).field(sheet.vertices());
    const SolveReport report = solver->solve(sheet.whole(), filter, b, result.x);
    EXPECT_TRUE(report.ok()) << report.message;
    result.iterations = report.iterations;
    return result;
}

TEST(StiffTerms, IterationsAreFlatOverTheStiffnessOfTheTerms) {
    // From far softer than the sheet to ten thousand times as stiff, over two and four layers.
    for (const Index layers : {2, 4}) {
        int fewest = 1000, most = 0;
        for (const double k : {1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6}) {
            const Folded sheet(30, layers, k);
            const int now = solve(sheet, sparse::NodeFilter(sheet.vertices()), true).iterations;
            fewest = std::min(fewest, now), most = std::max(most, now);
        }
        EXPECT_LE(most - fewest, 3) << layers;
        const Folded stiff(30, layers, 1e5);
        EXPECT_GE(solve(stiff, sparse::NodeFilter(stiff.vertices()), false).iterations, 3 * most);
    }
}

TEST(StiffTerms, IterationsAreFlatInPilesWithSeveralSpringsAVertex) {
    int fewest = 1000, most = 0;
    for (const double k : {1e1, 1e2, 1e3, 1e4, 1e5}) {
        const Folded pile = pile_of(16, 6, k, 4);
        const int now = solve(pile, sparse::NodeFilter(pile.vertices()), true).iterations;
        fewest = std::min(fewest, now), most = std::max(most, now);
    }
    EXPECT_LE(most - fewest, 4);
    const Folded stiff = pile_of(16, 6, 1e5, 4);
    EXPECT_GE(solve(stiff, sparse::NodeFilter(stiff.vertices()), false).iterations, 2 * most);
}

TEST(StiffTerms, TheSolutionIsThatOfTheWholeSystem) {
    for (const double k : {1.0, 1e4}) {
        const Folded sheet(8, 2, k);
        sparse::NodeFilter filter = some_held(sheet);
        filter.set_target(sheet.at(0, 1, 1), {0.1, 0.2, 0.3});
        const VecX expected = testing::kkt_solution(sheet.whole(), filter, Random(5).field(128));

        const VecX x = solve(sheet, filter, true, 1e-10).x;

        EXPECT_LE((x - expected).norm(), 1e-7 * expected.norm()) << k;
    }
}

TEST(TermSpace, StaysEmptyWhereItsFactorsWouldBeTooLarge) {
    const Folded sheet(20, 3, 1e3);
    const sparse::NodeFilter filter(sheet.vertices());
    TermSpace space;
    ASSERT_TRUE(space.make(sheet.E, filter, sheet.terms, {}, unlimited).ok());
    ASSERT_FALSE(space.empty());

    const SolveReport report =
        space.make(sheet.E, filter, sheet.terms, {}, 3 * std::int64_t(sheet.terms.size()));

    EXPECT_TRUE(report.ok());
    EXPECT_TRUE(space.empty());
    EXPECT_TRUE(space.place() == TermSpace::Place::in_matrix);
    EXPECT_TRUE(space.soft().empty());
}

TEST(TermSpace, LargeFactorsAreKeptForStiffTermsAlone) {
    // Where factors cost more than the iterations that they save, terms stay in the matrix.
    for (const auto& [side, k, apart] :
         {std::tuple(105, 1.0, false), std::tuple(105, 1e6, true), std::tuple(30, 1e2, true)}) {
        const Folded sheet(side, 2, k);
        TermSpace space;
        ASSERT_TRUE(
            space.make(sheet.E, sparse::NodeFilter(sheet.vertices()), sheet.terms, {}).ok());
        EXPECT_EQ(space.empty(), !apart) << side << ' ' << k;
        EXPECT_EQ(space.place() == TermSpace::Place::apart, apart) << side << ' ' << k;
    }
}

TEST(TermSpace, SoftTermsAreLeftToSweepsUnlessItIsToldOtherwise) {
    const sparse::NodeFilter filter(Folded(20, 2, 1).vertices());
    const auto place = [&](double k, const TermSpace::Wish& wish) {
        const Folded sheet(20, 2, k);
        TermSpace space;
        EXPECT_TRUE(space.make(sheet.E, filter, sheet.terms, wish).ok());
        EXPECT_EQ(space.soft().empty(), space.place() == TermSpace::Place::in_matrix);
        return space.place();
    };
    using Place = TermSpace::Place;
    EXPECT_EQ(place(1, {}), Place::in_sweeps);
    EXPECT_EQ(place(1e4, {}), Place::apart);
    EXPECT_EQ(place(1e3, {}), Place::apart);
    EXPECT_EQ(place(1e3, {60, false}), Place::in_sweeps) << "a solve takes as many anyway";
    EXPECT_EQ(place(1e3, {60, true}), Place::apart);
}

/// A fold whose springs come and go keeps its levels, and takes as many iterations as one that is new.
TEST(StiffTerms, AreMetInSweepsByLevelsThatOutliveThem) {
    const auto sa = find_entry(preconditioners(), "preconditioner", "sa").make(Settings::object());
    Folded sheet(30, 2, 30);
    const sparse::NodeFilter filter(sheet.vertices());
    const std::vector<RankOneTerm> all = sheet.terms;
    for (const std::size_t count : {all.size(), all.size() / 3, std::size_t(0), all.size()}) {
        sheet.terms.assign(all.begin(), all.begin() + std::ptrdiff_t(count));
        const sparse::Matrix3 A = sheet.whole();
        sa->set_stiff_terms({&sheet.E, sheet.terms, true});
        ASSERT_TRUE(sa->setup(A, filter, {&sheet.x}).ok());
        VecX z, image, exact;
        ASSERT_TRUE(sa->apply_and_multiply(Random(5).field(sheet.vertices()), z, image));
        sparse::multiply(A, z, exact);
        EXPECT_LE((image - exact).norm(), 1e-5 * exact.norm()) << count;
        SolveReport report;
        report.iterations = 12;
        sa->learn(report);
    }
    EXPECT_EQ(sa->setup_counts().built, 1);
}

TEST(StiffTerms, PilesOfSpringsInAllDirectionsStayInTheMatrix) {
    // Their normals are spread so far that each vertex is held in three directions.
    Folded pile(30, 4, 1e3);
    for (const std::uint64_t seed : {2, 3, 4}) {
        const Folded more(30, 4, 1e3, seed);
        pile.terms.insert(pile.terms.end(), more.terms.begin(), more.terms.end());
    }
    const sparse::NodeFilter filter(pile.vertices());

    const Solved told = solve(pile, filter, true), untold = solve(pile, filter, false);

    EXPECT_EQ(told.iterations, untold.iterations);
    EXPECT_EQ(told.x, untold.x);
}

std::unique_ptr<Preconditioner> make_sa() {
    return find_entry(preconditioners(), "preconditioner", "sa").make(Settings::object());
}

/// A sheet whose terms have fewer rows, and a pile whose directions have.
std::vector<Folded> of_both_kinds(double k) {
    return {Folded(30, 2, k), pile_of(24, 3, k, 5)};
}

TEST(StiffTerms, TheCycleIsSymmetricAndPositive) {
    for (const Folded& sheet : of_both_kinds(1e4)) {
        const sparse::NodeFilter filter = some_held(sheet);
        VecX u = Random(1).field(sheet.vertices()), v = Random(2).field(sheet.vertices()), Mu, Mv;
        filter.project(u), filter.project(v);
        const auto sa = make_sa();
        sa->set_stiff_terms({&sheet.E, sheet.terms});
        ASSERT_TRUE(sa->setup(sheet.whole(), filter, {&sheet.x}).ok());

        sa->apply(u, Mu);
        sa->apply(v, Mv);

        EXPECT_NEAR(u.dot(Mv), v.dot(Mu), 1e-5 * std::sqrt(u.dot(Mu) * v.dot(Mv)));
        EXPECT_GT(u.dot(Mu), 0);
        VecX inside = Mu;
        filter.project(inside);
        EXPECT_LE((inside - Mu).norm(), 1e-12 * Mu.norm());
    }
}

TEST(StiffTerms, BothKindsAreKeptApart) {
    const std::vector<Folded> sheets = of_both_kinds(1e4);
    for (std::size_t k = 0; k < 2; ++k) {
        TermSpace space;
        const sparse::NodeFilter filter = some_held(sheets[k]);
        ASSERT_TRUE(space.make(sheets[k].E, filter, sheets[k].terms, {}).ok());
        EXPECT_FALSE(space.empty());
        EXPECT_EQ(space.by_directions(), k == 1);
    }
}

TEST(StiffTerms, GivesTheImageOfWhatItReturns) {
    for (const double k : {1.0, 1e5})
        for (Folded& sheet : of_both_kinds(k)) {
            // In a corner: elsewhere the cycle's own image is all.
            std::erase_if(sheet.terms, [&](const RankOneTerm& term) {
                return term.vertex[0] % sheet.columns > sheet.columns / 3;
            });
            const sparse::NodeFilter filter = some_held(sheet);
            VecX r = Random(1).field(sheet.vertices()), z, image, expected(r.size());
            filter.project(r);
            const sparse::Matrix3 A = sheet.whole();
            const auto sa = make_sa();
            sa->set_stiff_terms({&sheet.E, sheet.terms, true});
            ASSERT_TRUE(sa->setup(A, filter, {&sheet.x}).ok());

            ASSERT_TRUE(sa->apply_and_multiply(r, z, image));

            sparse::multiply(A, z, expected);
            filter.project(expected);
            EXPECT_LE((image - expected).norm(), 1e-5 * expected.norm()) << k;
            VecX alone;
            sa->apply(r, alone);
            EXPECT_LE((z - alone).norm(), 1e-12 * z.norm());
        }
}

TEST(StiffTerms, LevelsOutliveTheTerms) {
    const auto sa = make_sa();
    SolveReport report;
    report.iterations = 10;
    for (const std::uint64_t seed : {1, 2, 3, 4}) {
        Folded sheet(30, 2, 1e3, seed);
        for (std::size_t s = 0; s < sheet.terms.size() / 2; ++s)  // others each time
            sheet.terms.erase(sheet.terms.begin() +
                              std::ptrdiff_t((s * 7 + seed) % sheet.terms.size()));
        if (seed == 3) sheet.terms.clear();
        static sparse::Matrix3 E;  // whose pattern stays where it is
        if (E.empty()) E = sheet.E;
        sa->set_stiff_terms({&E, sheet.terms});

        ASSERT_TRUE(
            sa->setup(sheet.whole(), sparse::NodeFilter(sheet.vertices()), {&sheet.x}).ok());
        sa->learn(report);
    }

    EXPECT_EQ(sa->setup_counts().built, 1);
}

TEST(StiffTerms, TheSameBitsForAnyNumberOfThreadsAndAfterALoad) {
    for (const bool pile : {false, true}) {
        const Folded before = pile ? pile_of(24, 3, 1e3, 4) : Folded(40, 2, 1e3, 1);
        const Folded now = pile ? pile_of(24, 3, 1e5, 5) : Folded(40, 2, 1e5, 2);
        const sparse::NodeFilter filter = some_held(now);
        const VecX r = Random(2).field(now.vertices());
        std::vector<VecX> found;
        for (const int threads : {1, 2, 4, 8, 1}) {
            set_thread_count(threads);
            const auto first = make_sa();
            first->set_stiff_terms({&before.E, before.terms});
            ASSERT_TRUE(first->setup(before.whole(), filter, {&before.x}).ok());
            first->settle();
            const auto loaded = make_sa();
            loaded->load(first->save());
            for (Preconditioner* sa : {first.get(), loaded.get()}) {
                sa->set_stiff_terms({&now.E, now.terms});
                ASSERT_TRUE(sa->setup(now.whole(), filter, {&now.x}).ok());
                VecX z;
                sa->apply(r, z);
                found.push_back(z);
            }
            EXPECT_EQ(loaded->setup_counts().built, 0);
        }
        set_thread_count(0);

        for (const VecX& z : found)
            EXPECT_EQ(z, found[0]);
    }
}

TEST(StiffTerms, ThePrintedMethodHasThemInItsMatrix) {
    const Folded sheet(20, 2, 1e3);
    const sparse::NodeFilter filter(sheet.vertices());
    const VecX r = Random(2).field(sheet.vertices());
    Settings settings = Settings::object();
    settings["type"] = Settings::of(std::string("sa"));
    settings["preset"] = Settings::of(std::string("paper2015"));
    std::vector<VecX> found;
    for (const bool told : {true, false}) {
        const auto sa = find_entry(preconditioners(), "preconditioner", "sa").make(settings);
        if (told) sa->set_stiff_terms({&sheet.E, sheet.terms});
        ASSERT_TRUE(sa->setup(sheet.whole(), filter, {&sheet.x}).ok());
        VecX z;
        sa->apply(r, z);
        found.push_back(z);
    }

    EXPECT_EQ(found[0], found[1]);
}

}  // namespace
}  // namespace taffeta::solve
