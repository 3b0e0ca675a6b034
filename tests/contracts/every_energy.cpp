#include <gtest/gtest.h>

#include "../energy/sheet.h"

/// What every registered energy promises, measured on a small random sheet, or solid for laws of solids.
namespace taffeta::energy::test {
namespace {

/// The registered energies of which a predicate holds.
template <class Predicate>
std::vector<const EnergyEntry*> entries_with(const Predicate& holds) {
    std::vector<const EnergyEntry*> entries;
    for (const auto& registry :
         {membrane_laws(), bending_terms(), solid_laws(), strain_limits(), load_terms()})
        for (const EnergyEntry* entry : registry)
            if (holds(*entry)) entries.push_back(entry);
    return entries;
}

bool is_solid(const EnergyEntry& entry) {
    for (const EnergyEntry* solid : solid_laws())
        if (solid == &entry) return true;
    return false;
}

class EveryEnergy : public testing::TestWithParam<const EnergyEntry*> {
  protected:
    const EnergyEntry& entry() const { return *GetParam(); }
    bool has_field(std::string_view key) const {
        for (const FieldInfo& field : entry().fields())
            if (field.key == key) return true;
        return false;
    }
    /// A sheet of irregular triangles, or of regular ones for what refuses others.
    Body small_body() const {
        if (is_solid(entry())) return small_solid();
        Body irregular = small_sheet();
        try {
            bound(entry(), Settings::object(), irregular);
        } catch (const Error&) {
            return small_sheet(mesh::Tessellation::regular);
        }
        return irregular;
    }
    Settings with_rule(const char* rule) const {
        return has_field("psd") ? options({{"psd", rule}}) : Settings::object();
    }
    /// Every field that is a damping time set to 10 ms.
    Settings damped() const {
        Settings settings = Settings::object();
        for (const FieldInfo& field : entry().fields())
            if (field.key.rfind("tau", 0) == 0) settings[field.key] = Settings::of(0.01);
        return settings;
    }
};

class EveryConservativeEnergy : public EveryEnergy {};
class EveryStiffEnergy : public EveryEnergy {};
class EveryInternalEnergy : public EveryEnergy {};

TEST_P(EveryConservativeEnergy, ForceIsTheSlopeOfItsValue) {
    const Body body = small_body();
    auto energy = bound(entry(), Settings::object(), body);
    const VecX zero = VecX::Zero(body.x.size());
    const VecX d = random_direction(body.x.size());
    const double t = 1e-7, slope = -force(energy, body.x, zero).dot(d);

    const double difference =
        (energy->value(body.x + t * d) - energy->value(body.x - t * d)) / (2 * t);

    EXPECT_NEAR(difference, slope, 1e-6 * std::abs(slope));
    // A linear potential has no second-order remainder to measure.
    if (energy->has_stiffness()) {
        EXPECT_NEAR(gradient_order(energy, body, 1e-3), 2, 0.2);
    }
}

TEST_P(EveryStiffEnergy, ExactStiffnessIsTheSlopeOfItsForce) {
    const Body body = small_body();
    auto energy = bound(entry(), with_rule("exact"), body);
    const VecX d = random_direction(body.x.size()), zero = VecX::Zero(body.x.size());
    const VecX change = force(energy, body.x + 1e-3 * d, zero) - force(energy, body.x, zero);
    const VecX slope = 1e-3 * (evaluate(energy, body).K * d);

    // A linear force has no second-order remainder to measure: only rounding is left.
    if ((change + slope).norm() > 1e-11 * slope.norm()) {
        EXPECT_NEAR(hessian_order(energy, body, 1e-3), 2, 0.2);
    }
}

TEST_P(EveryEnergy, StiffnessAndDampingAreSymmetricAndPositive) {
    const Body body = small_body();
    for (const char* rule : {"automatic", "clamp", "gauss_newton"}) {
        Settings settings = damped();
        if (has_field("psd")) settings["psd"] = Settings::of(std::string(rule));
        auto energy = bound(entry(), settings, body);

        const Evaluated result = evaluate(energy, body);

        for (const MatX& A : {result.K, result.D}) {
            EXPECT_LE((A - A.transpose()).norm(), 1e-13 * A.norm()) << rule;
            EXPECT_GE(smallest_eigenvalue(A), -1e-12 * largest_eigenvalue(A)) << rule;
        }
        EXPECT_EQ(result.K.norm() > 0, energy->has_stiffness()) << rule;
        EXPECT_EQ(result.D.norm() > 0, energy->has_damping()) << rule;
    }
}

TEST_P(EveryEnergy, ForcesAndTorquesSumToZeroExactlyWhereItIsInternal) {
    const Body body = small_body();
    auto energy = bound(entry(), damped(), body);

    const double left = unbalance(body.x, evaluate(energy, body).force).maxCoeff();

    if (entry().properties.internal) {
        EXPECT_LT(left, 1e-12);
    } else {
        EXPECT_GT(left, 1e-6);
    }
}

TEST_P(EveryInternalEnergy, ValueAndForcesFollowRigidMotion) {
    const Body body = small_body();
    auto energy = bound(entry(), Settings::object(), body);
    const Mat3 R = some_rotation();
    VecX moved = rotated(R, body.x);
    for (Index i = 0; i < body.mesh.vertex_count(); ++i)
        vec3(moved, i) += Vec3(0.3, -0.2, 0.5);
    const VecX zero = VecX::Zero(body.x.size());
    const VecX f = force(energy, body.x, zero);

    EXPECT_NEAR(energy->value(moved), energy->value(body.x), 1e-11 * energy->value(body.x));
    EXPECT_LT((force(energy, moved, zero) - rotated(R, f)).norm(), 1e-11 * f.norm());
}

TEST_P(EveryEnergy, PartsSumToTheValue) {
    const Body body = small_body();
    auto energy = bound(entry(), Settings::object(), body);

    double sum = 0;
    for (const auto& [name, value] : energy->parts(body.x)) {
        EXPECT_FALSE(name.empty());
        sum += value;
    }

    EXPECT_NEAR(sum, energy->value(body.x), 1e-14 * std::abs(sum));
}

TEST_P(EveryEnergy, FieldsAreDocumentedAndTheirDefaultsAreAccepted) {
    EXPECT_FALSE(entry().doc.empty());
    Settings settings = Settings::object();
    for (const FieldInfo& field : entry().fields()) {
        EXPECT_FALSE(field.doc.empty()) << field.key;
        settings[field.key] = field.initial;
    }

    EXPECT_NO_THROW(entry().make(settings));
}

std::string key_of(const testing::TestParamInfo<const EnergyEntry*>& test) {
    for (const EnergyEntry* bending : bending_terms())
        if (bending == test.param) return "bending_" + std::string(bending->key);
    return (is_solid(*test.param) ? "solid_" : "") + std::string(test.param->key);
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryEnergy,
                         testing::ValuesIn(entries_with([](const EnergyEntry&) { return true; })),
                         key_of);
INSTANTIATE_TEST_SUITE_P(Registered, EveryConservativeEnergy,
                         testing::ValuesIn(entries_with([](const EnergyEntry& entry) {
                             return entry.properties.conservative;
                         })),
                         key_of);
INSTANTIATE_TEST_SUITE_P(Registered, EveryStiffEnergy,
                         testing::ValuesIn(entries_with([](const EnergyEntry& entry) {
                             return entry.make(Settings::object())->has_stiffness();
                         })),
                         key_of);
INSTANTIATE_TEST_SUITE_P(Registered, EveryInternalEnergy,
                         testing::ValuesIn(entries_with([](const EnergyEntry& entry) {
                             return entry.properties.internal;
                         })),
                         key_of);

}  // namespace
}  // namespace taffeta::energy::test
