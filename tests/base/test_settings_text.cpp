#include <gtest/gtest.h>

#include "taffeta/base/settings_text.h"

namespace taffeta {
namespace {

std::string error_of(std::string_view text) {
    try {
        settings_from_text(text);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_input);
        return error.what();
    }
    return "no error";
}

TEST(SettingsText, ReadsNumbersBooleansAndWords) {
    const Settings all = settings_from_text(" tolerance=1e-6,warm_start=true;\ttype=pcg n=-3 ");

    ASSERT_EQ(all.members().size(), 4u);
    EXPECT_EQ(all.find("tolerance")->number(), 1e-6);
    EXPECT_TRUE(all.find("warm_start")->is(Settings::Kind::boolean));
    EXPECT_TRUE(all.find("warm_start")->boolean());
    EXPECT_EQ(all.find("type")->string(), "pcg");
    EXPECT_EQ(all.find("n")->number(), -3);
}

TEST(SettingsText, PointsMakeObjectsAndAWordIsTheirTypeBeforeOrAfter) {
    for (const char* text : {"preconditioner=sa preconditioner.aggregate_size=8",
                             "preconditioner.aggregate_size=8 preconditioner=sa"}) {
        const Settings all = settings_from_text(text);
        const Settings* object = all.find("preconditioner");

        ASSERT_TRUE(object && object->is(Settings::Kind::object)) << text;
        ASSERT_EQ(object->members().size(), 2u) << text;
        EXPECT_EQ(object->find("type")->string(), "sa") << text;
        EXPECT_EQ(object->find("aggregate_size")->number(), 8) << text;
        EXPECT_EQ(object->find("aggregate_size")->path(), "preconditioner.aggregate_size");
    }
}

TEST(SettingsText, NothingIsNoSettings) {
    for (const char* text : {"", "  ", ",; \n"})
        EXPECT_TRUE(settings_from_text(text).members().empty());
}

TEST(SettingsText, ErrorsPointAtTheColumn) {
    EXPECT_NE(error_of("a=1 tolerance").find("options:1:5: 'tolerance' has no value"),
              std::string::npos);
    EXPECT_NE(error_of("a=1 b=").find("options:1:5: 'b=' has no value"), std::string::npos);
    EXPECT_NE(error_of("=3").find("an empty key"), std::string::npos);
    EXPECT_NE(error_of(".a=3").find("an empty key"), std::string::npos);
    EXPECT_NE(error_of("a..b=3").find("an empty key"), std::string::npos);
    EXPECT_NE(error_of("a=3 a=4").find("options:1:5: 'a' is there twice"), std::string::npos);
    EXPECT_NE(error_of("a=x a.b=1 a=y").find("'type' is there twice"), std::string::npos);
    EXPECT_EQ(settings_from_text("ab=1").find("ab")->location().column, 1);
}

TEST(SettingsText, RefusesEndlessNesting) {
    std::string text;
    for (int k = 0; k < 100000; ++k)
        text += "a.";

    EXPECT_NE(error_of(text + "a=1").find("too many points"), std::string::npos);
}

}  // namespace
}  // namespace taffeta
