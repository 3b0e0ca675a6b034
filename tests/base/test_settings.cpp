#include <gtest/gtest.h>

#include "taffeta/base/fields.h"

namespace taffeta {
namespace {

struct Inner {
    double stiffness = 2;
    std::vector<int> index;

    static Fields<Inner> fields() {
        return {{"stiffness", &Inner::stiffness, "N/m", positive()},
                {"index", &Inner::index, "vertices", at_least(0)}};
    }
};

struct Outer {
    std::string kind = "a";
    Vec3 direction = Vec3(0, 0, 1);
    Inner inner;
    std::optional<double> limit;
    std::map<std::string, Inner> table;

    static Fields<Outer> fields() {
        return {{"kind", &Outer::kind, "choice", one_of({"a", "beta"})},
                {"direction", &Outer::direction, "unit vector"},
                {"inner", &Outer::inner, "nested"},
                {"limit", &Outer::limit, "optional", between(0, 1)},
                {"table", &Outer::table, "named"}};
    }
};

std::string error_of(const Settings& settings) {
    try {
        Outer outer;
        read_fields(outer, settings);
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

TEST(Fields, WriteThenReadIsIdentity) {
    Outer outer;
    outer.direction = Vec3(1, 2, 3);
    outer.inner.index = {4, 5};
    outer.table["x"].stiffness = 7;

    Outer copy;
    read_fields(copy, write_fields(outer));

    EXPECT_EQ(copy.direction, outer.direction);
    EXPECT_EQ(copy.inner.index, outer.inner.index);
    EXPECT_EQ(copy.table.at("x").stiffness, 7);
    EXPECT_FALSE(copy.limit.has_value());
}

TEST(Fields, UnknownKeyNamesTheNearestAndTheLine) {
    Settings settings = Settings::object();
    settings["inner"]["stifness"] = Settings::of(1.0);
    settings["inner"]["stifness"].set_location({"scene.json", 12, 7});

    const std::string message = error_of(settings);

    EXPECT_EQ(message,
              "scene.json:12:7: inner: unknown key 'stifness' (did you mean 'stiffness'?)");
}

TEST(Fields, RangesAndTypesAreChecked) {
    Settings negative = Settings::object();
    negative["inner"]["stiffness"] = Settings::of(-1.0);
    Settings wrong_type = Settings::object();
    wrong_type["kind"] = Settings::of(3.0);
    Settings wrong_choice = Settings::object();
    wrong_choice["kind"] = Settings::of(std::string("betta"));
    Settings fraction = Settings::object();
    fraction["inner"]["index"] = Settings::array();
    fraction["inner"]["index"].items() = {Settings::of(1.5)};

    EXPECT_NE(error_of(negative).find("must be > 0"), std::string::npos);
    EXPECT_NE(error_of(wrong_type).find("expected a string, found a number"), std::string::npos);
    EXPECT_NE(error_of(wrong_choice).find("did you mean 'beta'?"), std::string::npos);
    EXPECT_NE(error_of(fraction).find("1.5 is not an integer"), std::string::npos);
}

TEST(Nearest, SuggestsOnlyWhatIsNear) {
    EXPECT_EQ(nearest("stifness", {"density", "stiffness"}), "stiffness");
    EXPECT_EQ(nearest("omgea", {"omega", "alpha"}), "omega");
    EXPECT_EQ(nearest("xyzzy", {"density", "stiffness"}), "");
}

TEST(Escaped, ControlBytesAndBrokenUtf8AreShownAsHex) {
    EXPECT_EQ(escaped("a\x1b[31mb"), "a\\x1b[31mb");
    EXPECT_EQ(escaped("\xc3\xa9"), "\xc3\xa9");
    EXPECT_EQ(escaped("\xc3"), "\\xc3");
    EXPECT_EQ(escaped("\xc0\xaf"), "\\xc0\\xaf");
}

}  // namespace
}  // namespace taffeta
