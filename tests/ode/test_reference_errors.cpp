#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "ode/problems.h"
#include "taffeta/ode/first_order.h"

/// Multistep, collocation and extrapolation methods on five textbook problems against an independent
/// implementation: errors at the end for four step sizes and states for one. Multistep methods start
/// from exact values, so a wrong coefficient or a wrong place in the past shows in the first digits.
///
///     growth    y' = 2 y,                      y = 1 at 0,             to t = 1
///     decay     y' = -15 y,                    y = 1 at 0,             to t = 1
///     overdamped y'' = -2.5 y - 5 y',          (y, y') = (0, 1) at 0,  to t = 10
///     damper    z'' = -1000 z - 10 z' - 1010,  (-1, -5) at 0,          to t = 2
///     spring    y'' = -5 y,                    (1, 0) at 0,            to t = 10
namespace taffeta::ode {
namespace {

using namespace testing;

struct Errors {
    const char* key;
    std::array<double, 4> error;  ///< 0: not to be compared, an unstable or an exact run
};

struct EndState {
    const char* key;
    double x, v;
};

/// A linear problem with its exact motion.
struct Textbook {
    Problem problem;
    std::function<State(double t)> exact;
    bool first_order = false;
};

Textbook first_order(double rate) {
    Problem problem = oscillator(0, 0);
    problem.system.of = [=](double, const VecX&, const VecX& v) -> VecX { return rate * v; };
    problem.system.scale = std::abs(rate);
    problem.start = {0, scalar(0), scalar(1)};
    problem.end = 1;
    const auto exact = [=](double t) -> State {
        return {t, scalar((std::exp(rate * t) - 1) / rate), scalar(std::exp(rate * t))};
    };
    return {problem, exact, true};
}

Textbook overdamped() {
    Problem problem = oscillator(2.5, 5);
    problem.system.scale = 1;
    problem.start = {0, scalar(0), scalar(1)};
    problem.end = 10;
    const double root = std::sqrt(15.0), slow = (-5 + root) / 2, fast = (-5 - root) / 2;
    const auto exact = [=](double t) -> State {
        const double p = std::exp(slow * t), q = std::exp(fast * t);
        return {t, scalar((p - q) / root), scalar((slow * p - fast * q) / root)};
    };
    return {problem, exact};
}

Textbook damper() {
    Problem problem = oscillator(1000, 10);
    problem.system.of = [](double, const VecX& x, const VecX& v) -> VecX {
        return scalar(-1000 * x[0] - 10 * v[0] - 1010);
    };
    problem.system.scale = 1000;
    problem.start = {0, scalar(-1), scalar(-5)};
    problem.end = 2;
    const double w = std::sqrt(975.0);
    const auto exact = [=](double t) -> State {
        const double c = std::cos(w * t), s = std::sin(w * t), p = 0.01, q = -4.95 / w;
        return {t, scalar(-1.01 + std::exp(-5 * t) * (p * c + q * s)),
                scalar(std::exp(-5 * t) * ((-5 * p + w * q) * c + (-5 * q - w * p) * s))};
    };
    return {problem, exact};
}

Textbook spring() {
    Problem problem = oscillator(5, 0);
    problem.system.scale = 5;
    problem.start = {0, scalar(1), scalar(0)};
    problem.end = 10;
    const double w = std::sqrt(5.0);
    const auto exact = [=](double t) -> State {
        return {t, scalar(std::cos(w * t)), scalar(-w * std::sin(w * t))};
    };
    return {problem, exact};
}

/// Exact states that a multistep method needs before it: its steps less one.
int past_of(std::string_view key) {
    const int number = key.back() - '0';
    if (key.starts_with("adams_bashforth") || key.starts_with("bdf")) return number - 1;
    return key.starts_with("adams_moulton") ? number - 2 : 0;
}

State end_state(const char* key, Textbook book, int steps) {
    const auto integrator = find_entry(integrators(), "integrator", key).make(Settings());
    integrator->set_newton({.max_iterations = 50, .tolerance = 1e-14});
    const double h = book.problem.end / steps;
    const int known = past_of(key);
    std::vector<State> past;
    for (int i = 0; i < known; ++i)
        past.push_back(book.exact(i * h));
    State state = book.exact(known * h);
    if (known > 0) {
        EXPECT_TRUE(integrator->start_from(book.problem.system, past, state)) << key;
    }
    for (int i = known; i < steps; ++i) {
        const StepReport report = integrator->step(book.problem.system, state, h);
        EXPECT_TRUE(report.ok()) << key << ' ' << report.solve.message;
    }
    return state;
}

void expect_errors(const Textbook& book, int fewest, const std::vector<Errors>& table) {
    const State exact = book.exact(book.problem.end);
    const double size = book.first_order ? exact.v.norm() : std::hypot(exact.x[0], exact.v[0]);
    for (const auto& [key, errors] : table) {
        int steps = fewest;
        for (const double expected : errors) {
            if (expected > 0) {
                const State end = end_state(key, book, steps);
                const double found =
                    book.first_order ? std::abs(end.v[0] - exact.v[0]) : distance(end, exact);
                EXPECT_NEAR(found, expected, 1e-9 * expected + 1e-12 * size) << key << ' ' << steps;
            }
            steps *= 2;
        }
    }
}

void expect_states(const Textbook& book, int steps, const std::vector<EndState>& table) {
    for (const auto& [key, x, v] : table) {
        const State end = end_state(key, book, steps);
        const double first = book.first_order ? end.v[0] : end.x[0];
        const double size = std::hypot(x, v);
        EXPECT_NEAR(first, x, 1e-10 * size) << key;
        if (!book.first_order) {
            EXPECT_NEAR(end.v[0], v, 1e-10 * size) << key;
        }
    }
}

TEST(ReferenceErrors, Growth) {
    expect_errors(
        first_order(2), 10,
        {
            {"gauss4",
             {3.291836651620e-05, 2.053737027552e-06, 1.283013109088e-07, 8.017939201466e-09}},
            {"gauss6",
             {9.397533418110e-09, 1.466649024451e-10, 2.291500322826e-12, 3.730349362741e-14}},
            {"radau_iia3",
             {1.736812740650e-03, 2.109521106446e-04, 2.600564540156e-05, 3.228658504106e-06}},
            {"radau_iia5",
             {6.809389487827e-07, 2.088947681500e-08, 6.470086688637e-10, 2.013500477460e-11}},
            {"bulirsch_stoer",
             {3.907540957471e-11, 1.589839371263e-13, 2.664535259100e-14, 1.243449787580e-14}},
            {"adams_bashforth2",
             {1.875319529826e-01, 5.436329765401e-02, 1.451444465077e-02, 3.740413134103e-03}},
            {"adams_bashforth3",
             {2.829858774977e-02, 4.474236112929e-03, 6.236788523832e-04, 8.219516991925e-05}},
            {"adams_bashforth4",
             {4.223719197504e-03, 3.750239313351e-04, 2.756163005646e-05, 1.863238570543e-06}},
            {"adams_bashforth5",
             {6.241961925451e-04, 3.182192034412e-05, 1.238194928810e-06, 4.297529354602e-08}},
            {"adams_moulton3",
             {4.121788337216e-03, 5.638723021022e-04, 7.367894895349e-05, 9.414088112614e-06}},
            {"adams_moulton4",
             {4.264746702072e-04, 3.243799369290e-05, 2.225954220947e-06, 1.456254699050e-07}},
            {"adams_moulton5",
             {4.852988844295e-05, 2.081916321117e-06, 7.529572698672e-08, 2.525164077838e-09}},
            {"bdf2",
             {1.538079790777e-01, 4.301567458002e-02, 1.146893908111e-02, 2.968372570958e-03}},
            {"bdf3",
             {1.773801540824e-02, 2.875452165951e-03, 4.079501248908e-04, 5.427573781258e-05}},
            {"bdf4",
             {2.222387903862e-03, 2.067712841605e-04, 1.551487248985e-05, 1.059078546639e-06}},
            {"bdf5",
             {2.845364815380e-04, 1.543812157401e-05, 6.140109327646e-07, 2.151874145540e-08}},
            {"bdf6",
             {3.625624171999e-05, 1.179722573852e-06, 2.496727002921e-08, 4.494564720403e-10}},
        });
    expect_states(first_order(2), 10,
                  {
                      {"gauss4", 7.3890231805641342, 0},
                      {"gauss6", 7.3890561083281838, 0},
                      {"radau_iia3", 7.3873192861900003, 0},
                      {"radau_iia5", 7.3890567798695992, 0},
                      {"bulirsch_stoer", 7.389056098891575, 0},
                      {"adams_bashforth2", 7.2015241459480981, 0},
                      {"adams_bashforth3", 7.3607575111808838, 0},
                      {"adams_bashforth4", 7.3848323797331465, 0},
                      {"adams_bashforth5", 7.3884319027381054, 0},
                      {"adams_moulton3", 7.3931778872678668, 0},
                      {"adams_moulton4", 7.3894825736008576, 0},
                      {"adams_moulton5", 7.3891046288190934, 0},
                      {"bdf2", 7.5428640780083436, 0},
                      {"bdf3", 7.4067941143388856, 0},
                      {"bdf4", 7.3912784868345121, 0},
                      {"bdf5", 7.3893406354121884, 0},
                      {"bdf6", 7.3890923551723704, 0},
                  });
}

TEST(ReferenceErrors, Decay) {
    expect_errors(
        first_order(-15), 10,
        {
            {"gauss4",
             {3.873591793737e-08, 2.090976723290e-09, 1.271091012160e-10, 7.893326915163e-12}},
            {"gauss6", {5.648668710896e-10, 8.280288757415e-12, 1.272840954700e-13, 0}},
            {"radau_iia3",
             {1.348756253220e-07, 2.222715802926e-08, 3.059884675838e-09, 4.004371954247e-10}},
            {"radau_iia5",
             {4.180625377854e-09, 1.365158880374e-10, 4.460460146445e-12, 1.432466046322e-13}},
            {"bulirsch_stoer", {4.442329412819e-10, 9.843673341242e-13, 0, 0}},
            {"adams_bashforth2",
             {1.991322572476e+01, 3.404744004751e-05, 4.747646628490e-07, 8.115138422086e-08}},
            {"adams_bashforth3",
             {2.051630970517e+02, 2.907326041663e+00, 1.110647229602e-07, 1.337277280274e-08}},
            {"adams_bashforth4",
             {3.162431441355e+02, 5.199565500595e+02, 7.460186345690e-02, 2.561944925215e-09}},
            {"adams_bashforth5", {1.869797116777e+02, 0, 0, 3.044105008149e-04}},
            {"adams_moulton3",
             {2.387388422927e-06, 1.122594208348e-07, 1.144130896046e-08, 1.335920022405e-09}},
            {"adams_moulton4",
             {1.017232998545e-04, 6.191975219667e-08, 3.079492250467e-09, 1.695571589063e-10}},
            {"adams_moulton5",
             {1.131646350074e-03, 5.221271470015e-08, 9.544341614867e-10, 2.430257147329e-11}},
            {"bdf2",
             {1.349349669472e-04, 2.446793982841e-08, 2.084706105656e-07, 5.727255934929e-08}},
            {"bdf3",
             {3.581069765639e-04, 1.870342871475e-06, 9.631979348791e-08, 9.277669015513e-09}},
            {"bdf4",
             {1.286160442102e-03, 9.324942977963e-07, 3.112623326600e-08, 1.489509077156e-09}},
            {"bdf5",
             {2.055078109856e-03, 1.334282449721e-05, 1.217936402987e-08, 2.518024343334e-10}},
            {"bdf6",
             {8.629273799708e-04, 1.238281736333e-04, 1.430236630902e-07, 4.664214530210e-11}},
        });
    expect_states(first_order(-15), 10,
                  {
                      {"gauss4", 3.4463823843919681e-07, 0},
                      {"gauss6", 3.0533745363073618e-07, 0},
                      {"radau_iia3", 1.7102669517978464e-07, 0},
                      {"radau_iia5", 3.1008294587968021e-07, 0},
                      {"bulirsch_stoer", 3.0634655344310769e-07, 0},
                      {"adams_bashforth2", 19.913226030662749, 0},
                      {"adams_bashforth3", 205.16309735759015, 0},
                      {"adams_bashforth4", 316.24314444142027, 0},
                      {"adams_bashforth5", 186.97971198358098, 0},
                      {"adams_moulton3", 2.6932907434290443e-06, 0},
                      {"adams_moulton4", 0.00010202920217501529, 0},
                      {"adams_moulton5", 0.0011319522523945383, 0},
                      {"bdf2", 0.00013524086926768836, 0},
                      {"bdf3", 0.00035841287888444749, 0},
                      {"bdf4", -0.0012858545397816201, 0},
                      {"bdf5", 0.0020553840121763536, 0},
                      {"bdf6", 0.0008632332822912824, 0},
                  });
}

TEST(ReferenceErrors, Overdamped) {
    expect_errors(
        overdamped(), 50,
        {
            {"gauss4",
             {1.337114659484e-09, 8.352226480701e-11, 5.219401116922e-12, 3.261979021808e-13}},
            {"gauss6", {1.212798276361e-13, 0, 0, 0}},
            {"radau_iia3",
             {1.151485413802e-07, 1.460144740398e-08, 1.838622588288e-09, 2.306825888121e-10}},
            {"radau_iia5", {1.477850785510e-11, 4.661085587327e-13, 1.463254295977e-14, 0}},
            {"bulirsch_stoer", {0, 0, 0, 0}},
            {"adams_bashforth2",
             {2.606097476659e-05, 8.090482910136e-06, 1.996644134097e-06, 4.960705947162e-07}},
            {"adams_bashforth3", {0, 4.166102948317e-07, 5.103323095259e-08, 6.315129754405e-09}},
            {"adams_bashforth4", {0, 0, 1.348235772584e-09, 8.306184279591e-11}},
            {"adams_bashforth5", {0, 0, 0, 1.112073904311e-12}},
            {"adams_moulton3",
             {3.633999089133e-07, 4.493592274138e-08, 5.586910340885e-09, 6.964982786146e-10}},
            {"adams_moulton4",
             {2.666331806985e-08, 1.626004268590e-09, 1.003863164752e-10, 6.235825621230e-12}},
            {"adams_moulton5",
             {2.200536921131e-09, 6.610138335872e-11, 2.025075200748e-12, 6.265823630255e-14}},
            {"bdf2",
             {2.664187326808e-05, 6.484469746798e-06, 1.599426883803e-06, 3.971585415370e-07}},
            {"bdf3",
             {2.323950364641e-06, 2.783667149195e-07, 3.406135420552e-08, 4.212511462342e-09}},
            {"bdf4",
             {2.163478480542e-07, 1.275316040615e-08, 7.740056235733e-10, 4.766916525947e-11}},
            {"bdf5",
             {4.052886280914e-08, 6.088761117232e-10, 1.832573196084e-11, 5.620783898741e-13}},
            {"bdf6", {2.129502226006e-05, 2.242614639700e-10, 4.463696159842e-13, 0}},
        });
    expect_states(overdamped(), 50,
                  {
                      {"gauss4", 0.0009218692959573055, -0.00051948102458196344},
                      {"gauss6", 0.00092186813095746433, -0.00051948036809485202},
                      {"radau_iia3", 0.00092176781366326923, -0.00051942383846424137},
                      {"radau_iia5", 0.00092186814393815811, -0.00051948037540958114},
                      {"bulirsch_stoer", 0.00092186813106329504, -0.00051948036815448878},
                      {"adams_bashforth2", 0.00094411466469378571, -0.00050590590141698908},
                      {"adams_bashforth3", -26276969.759206526, 116577557.53467636},
                      {"adams_bashforth4", -147616889255045.5, 654901099989481.62},
                      {"adams_bashforth5", -3.4653239877570678e+18, 1.5373881016290767e+19},
                      {"adams_moulton3", 0.00092218472503411461, -0.00051965877149329025},
                      {"adams_moulton4", 0.00092184490198259658, -0.00051946727837408888},
                      {"adams_moulton5", 0.00092187004817971725, -0.00051948144844449467},
                      {"bdf2", 0.00089865773324599352, -0.00050640111571386695},
                      {"bdf3", 0.00092389275643119323, -0.00052062126140806683},
                      {"bdf4", 0.00092167964986195603, -0.00051937415502825279},
                      {"bdf5", 0.00092189155038797802, -0.00051951344569879806},
                      {"bdf6", 0.00092654910856779964, -0.00054025454497699918},
                  });
}

TEST(ReferenceErrors, Damper) {
    expect_errors(
        damper(), 200,
        {
            {"gauss4",
             {9.668946688717e-08, 6.085524486688e-09, 3.810034532598e-10, 2.384240698411e-11}},
            {"gauss6", {1.046871541488e-10, 1.624019946384e-12, 4.238139228510e-14, 0}},
            {"radau_iia3",
             {5.604416455380e-06, 7.255089915456e-07, 9.193289310239e-08, 1.156123111866e-08}},
            {"radau_iia5",
             {4.707680923472e-09, 1.515146878208e-10, 4.782549536408e-12, 1.285785483748e-13}},
            {"bulirsch_stoer", {1.385871099384e-12, 0, 0, 2.403793595459e-13}},
            {"adams_bashforth2",
             {2.998481009734e-04, 5.287448121321e-05, 8.062427641582e-06, 1.750649387980e-06}},
            {"adams_bashforth3",
             {1.250001070745e-04, 2.060630541277e-05, 2.594279643397e-06, 3.199496000545e-07}},
            {"adams_bashforth4",
             {5.185819999884e-06, 8.338356526793e-07, 7.531717193632e-08, 5.361165004493e-09}},
            {"adams_bashforth5", {0, 4.594330362735e-07, 1.310109187152e-08, 3.862397021609e-10}},
            {"adams_moulton3",
             {1.934843954755e-05, 2.298375659596e-06, 2.828727509976e-07, 3.511713648100e-08}},
            {"adams_moulton4",
             {1.032518671228e-06, 9.071119405025e-08, 6.475377534491e-09, 4.290880967269e-10}},
            {"adams_moulton5",
             {8.523988261989e-07, 2.430362010144e-08, 7.111895763971e-10, 2.136185069704e-11}},
            {"bdf2",
             {4.303102582360e-04, 2.373591434798e-05, 2.349693855188e-06, 1.125917986330e-06}},
            {"bdf3",
             {1.535231191834e-04, 1.477865146410e-05, 1.748837219553e-06, 2.139227156352e-07}},
            {"bdf4",
             {1.695701027665e-06, 4.623699499310e-07, 4.233648036488e-08, 3.048279062361e-09}},
            {"bdf5",
             {7.974613545228e-06, 2.331654727825e-07, 6.650215529229e-09, 1.959141236853e-10}},
            {"bdf6",
             {7.112446630553e-08, 1.358435586528e-08, 2.997333743018e-10, 5.366733623739e-12}},
        });
    expect_states(damper(), 400,
                  {
                      {"gauss4", -1.0099968962620176, -0.00021878202205490707},
                      {"gauss6", -1.0099968966335482, -0.00021877594950873611},
                      {"radau_iia3", -1.0099968909746806, -0.00021805046096408135},
                      {"radau_iia5", -1.0099968966304338, -0.00021877579640415279},
                      {"bulirsch_stoer", -1.0099968966336044, -0.00021877594788420962},
                      {"adams_bashforth2", -1.0100010321693218, -0.00016606344360166044},
                      {"adams_bashforth3", -1.0099968929148049, -0.00019816964280846392},
                      {"adams_bashforth4", -1.0099967945789168, -0.00021960351464220102},
                      {"adams_bashforth5", -1.009996899521689, -0.00021923537184432521},
                      {"adams_moulton3", -1.0099969068735204, -0.00022107430073428722},
                      {"adams_moulton4", -1.0099969040615564, -0.00021868554132480441},
                      {"adams_moulton5", -1.0099968963674486, -0.0002187516457229834},
                      {"bdf2", -1.0099930529644578, -0.0001953533127343854},
                      {"bdf3", -1.0099969022640669, -0.00023355459827720468},
                      {"bdf4", -1.0099969549992047, -0.00021831727651394476},
                      {"bdf5", -1.0099968953036385, -0.00021854278620595305},
                      {"bdf6", -1.0099968956021561, -0.00021878949302648701},
                  });
}

TEST(ReferenceErrors, Spring) {
    expect_errors(
        spring(), 100,
        {
            {"gauss4",
             {1.638154657340e-04, 1.026127623122e-05, 6.416874778882e-07, 4.011106201478e-08}},
            {"gauss6",
             {5.856545944982e-08, 9.164209279851e-10, 1.432621561513e-11, 2.252524597140e-13}},
            {"radau_iia3",
             {4.492645911678e-03, 5.491810871544e-04, 6.780160518922e-05, 8.420911645824e-06}},
            {"radau_iia5",
             {2.211072428637e-06, 6.803863300144e-08, 2.109047419369e-09, 6.563623263258e-11}},
            {"bulirsch_stoer",
             {3.710377487580e-10, 1.422632666145e-12, 2.032769546496e-14, 1.440725600822e-14}},
            {"adams_bashforth2",
             {1.008609418335e+00, 2.492999350535e-01, 6.199034263223e-02, 1.545472313553e-02}},
            {"adams_bashforth3",
             {9.191414183055e-02, 1.288352240223e-02, 1.705715108173e-03, 2.194462814576e-04}},
            {"adams_bashforth4",
             {4.177472794713e-02, 2.637539369598e-03, 1.635448248082e-04, 1.015360333844e-05}},
            {"adams_bashforth5",
             {3.988450604051e-03, 1.309242490917e-04, 4.463826260305e-06, 1.469495283656e-07}},
            {"adams_moulton3",
             {1.188539695004e-02, 1.542248340540e-03, 1.966975182429e-04, 2.484047698625e-05}},
            {"adams_moulton4",
             {3.176445436123e-03, 1.975720287454e-04, 1.228330281374e-05, 7.651132622709e-07}},
            {"adams_moulton5",
             {2.299789328857e-04, 7.924337892532e-06, 2.638489947803e-07, 8.526716204277e-09}},
            {"bdf2",
             {7.560643567067e-01, 1.985284061841e-01, 4.964869095895e-02, 1.237397569069e-02}},
            {"bdf3",
             {6.295287822353e-02, 8.518524102688e-03, 1.129530621543e-03, 1.457563090347e-04}},
            {"bdf4",
             {2.403185368165e-02, 1.511892505502e-03, 9.382880936970e-05, 5.826131580870e-06}},
            {"bdf5",
             {2.014110927192e-03, 6.557387003994e-05, 2.242528879404e-06, 7.402358290529e-08}},
            {"bdf6",
             {8.174883907799e-04, 1.349374985336e-05, 2.105814705588e-07, 3.264680961771e-09}},
        });
    expect_states(spring(), 100,
                  {
                      {"gauss4", -0.9325247245944962, 0.80745785654719726},
                      {"gauss6", -0.93249677850678636, 0.80761921124520519},
                      {"radau_iia3", -0.92935683606022101, 0.80440606315473162},
                      {"radau_iia5", -0.93249517843330132, 0.8076177325614996},
                      {"bulirsch_stoer", -0.93249676854411589, 0.80761926858178767},
                      {"adams_bashforth2", -0.71132639282089638, 1.7916805595580836},
                      {"adams_bashforth3", -0.84554053957586484, 0.77783968336315479},
                      {"adams_bashforth4", -0.93277263233593277, 0.76584545186209241},
                      {"adams_bashforth5", -0.93640851163952521, 0.80684080641636247},
                      {"adams_moulton3", -0.94243244987740049, 0.81414191384801271},
                      {"adams_moulton4", -0.93221949235451163, 0.81078358934310479},
                      {"adams_moulton5", -0.93227157623812418, 0.80757259187185437},
                      {"bdf2", -0.94706689313525061, 0.051695315798129499},
                      {"bdf3", -0.99439284475531642, 0.81910580986673587},
                      {"bdf4", -0.93248990537070764, 0.83165112165299648},
                      {"bdf5", -0.93054004809945279, 0.8080966451736058},
                      {"bdf6", -0.93241639193796455, 0.80680574152370133},
                  });
}

}  // namespace
}  // namespace taffeta::ode
