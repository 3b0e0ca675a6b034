#include "taffeta/scene/json.h"

#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <limits>

namespace taffeta::scene {
namespace {

std::string error_of(const std::string& text, const JsonLimits& limits = {}) {
    try {
        parse_json(text, "a.json", limits);
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST(ParseJson, EveryValueKnowsItsPositionAndPath) {
    const Settings root = parse_json(
        "{\n"
        "  \"bodies\": [ // the cloth\n"
        "    {\"pins\": [1, {\"box\": null}], \"name\" : \"a\\\"b\"}\n"
        "  ]\n"
        "}\n",
        "a.json");

    const Settings& body = root.find("bodies")->items().at(0);
    const Settings& box = *body.find("pins")->items().at(1).find("box");

    EXPECT_EQ(root.location().text(), "a.json:1:1");
    EXPECT_EQ(root.find("bodies")->location().text(), "a.json:2:13");
    EXPECT_EQ(body.location().text(), "a.json:3:5");
    EXPECT_EQ(body.path(), "bodies[0]");
    EXPECT_EQ(body.find("pins")->items().at(0).location().text(), "a.json:3:15");
    EXPECT_EQ(box.location().text(), "a.json:3:26");
    EXPECT_EQ(box.path(), "bodies[0].pins[1].box");
    EXPECT_EQ(body.find("name")->location().text(), "a.json:3:43");
    EXPECT_EQ(body.find("name")->string(), "a\"b");
}

TEST(ParseJson, CommentsDoNotDisturbPositions) {
    const Settings root = parse_json("/* a { */{\"x\":/* \" */1,//\"}\n\"y\"/**/:2}", "a.json");

    EXPECT_EQ(root.location().column, 10);
    EXPECT_EQ(root.find("x")->location().text(), "a.json:1:22");
    EXPECT_EQ(root.find("y")->location().text(), "a.json:2:9");
}

TEST(ParseJson, LineEndsOfAllKindsCount) {
    EXPECT_EQ(parse_json("[\n\n1]", "a").items()[0].location().line, 3);
    EXPECT_EQ(parse_json("[\r\n\r\n1]", "a").items()[0].location().line, 3);
    EXPECT_EQ(parse_json("[\r\r1]", "a").items()[0].location().line, 3);
}

TEST(ParseJson, NumbersAreExact) {
    const Settings root =
        parse_json("[0.1, 1e-3, 123456789012345678, 5e-324, -0, 1.7976931348623157e308]", "a");

    EXPECT_EQ(root.items()[0].number(), 0.1);
    EXPECT_EQ(root.items()[1].number(), 1e-3);
    EXPECT_EQ(root.items()[2].number(), 123456789012345678.0);
    EXPECT_EQ(root.items()[3].number(), std::numeric_limits<double>::denorm_min());
    EXPECT_TRUE(std::signbit(root.items()[4].number()));
    EXPECT_EQ(root.items()[5].number(), std::numeric_limits<double>::max());
}

TEST(ParseJson, AByteOrderMarkIsSkipped) {
    EXPECT_EQ(parse_json("\xef\xbb\xbf{\"a\": 1}", "a").find("a")->number(), 1);
}

TEST(ParseJson, DeepNestingIsAnErrorAndNoCrash) {
    EXPECT_TRUE(contains(error_of(std::string(100000, '[')), "a.json:1:65: nested deeper than 64"));
    EXPECT_EQ(error_of(std::string(64, '[') + std::string(64, ']')), "no error");
    std::string objects;
    for (int i = 0; i < 100000; ++i)
        objects += "{\"a\":";
    EXPECT_TRUE(contains(error_of(objects), "nested deeper than 64"));
}

TEST(ParseJson, SizeLimitsHold) {
    JsonLimits small;
    small.values = 10;
    small.bytes = 100;

    EXPECT_TRUE(contains(error_of("[1,1,1,1,1,1,1,1,1,1]", small), "more than 10 values"));
    EXPECT_TRUE(contains(error_of(std::string(101, ' '), small), "101 bytes"));
}

TEST(ParseJson, EveryCutOffPrefixIsAnErrorWithAPosition) {
    const std::string text = R"({"a": [1.5, true, null, "x\u00e9"], "b": {"c": -2e3}} )";

    for (std::size_t length = 0; length + 1 < text.size(); ++length) {
        const std::string message = error_of(text.substr(0, length));

        EXPECT_TRUE(contains(message, "a.json:1:")) << length << ": " << message;
    }
}

TEST(ParseJson, DuplicateKeysNameBothPlaces) {
    const std::string message = error_of("{\"a\": 1,\n \"b\": 2,\n \"a\": 3}");

    EXPECT_EQ(message, "a.json:3:2: duplicate key 'a' (first given at a.json:1:2)");
}

TEST(ParseJson, TheSameKeyInTwoObjectsIsFine) {
    EXPECT_EQ(error_of(R"([{"a": 1}, {"a": {"a": 2}}])"), "no error");
}

TEST(WriteJson, RoundTripKeepsEveryBit) {
    Settings values = Settings::array();
    for (const double value :
         {0.1, 1.0 / 3, 1e-300, 5e-324, 1e22, -0.0, 3.0, 1.7976931348623157e308})
        values.items().push_back(Settings::of(value));

    const Settings read = parse_json(write_json(values), "a");

    for (std::size_t i = 0; i < values.items().size(); ++i) {
        EXPECT_EQ(read.items()[i].number(), values.items()[i].number());
        EXPECT_EQ(std::signbit(read.items()[i].number()), std::signbit(values.items()[i].number()));
    }
}

TEST(WriteJson, StringsAreEscapedAndComeBack) {
    const std::string text = "quote \" backslash \\ line\nend tab\t bell\x07 é 😀";

    const std::string written = write_json(Settings::of(text), 0);

    EXPECT_EQ(written.find('\n'), std::string::npos);
    EXPECT_EQ(parse_json(written, "a").string(), text);
}

TEST(WriteJson, LayoutIsReadable) {
    Settings root = Settings::object();
    root["list"] = parse_json("[1, 2, 3]", "a");
    root["empty"] = Settings::object();
    root["inner"]["flag"] = Settings::of(true);

    EXPECT_EQ(write_json(root),
              "{\n"
              "  \"list\": [1, 2, 3],\n"
              "  \"empty\": {},\n"
              "  \"inner\": {\n"
              "    \"flag\": true\n"
              "  }\n"
              "}");
    EXPECT_EQ(write_json(root, 0), R"({"list":[1,2,3],"empty":{},"inner":{"flag":true}})");
}

TEST(WriteJson, NaNIsRefused) {
    EXPECT_THROW(write_json(Settings::of(std::nan(""))), Error);
    EXPECT_THROW(write_json(Settings::of(HUGE_VAL)), Error);
}

TEST(Json, TheLocaleDoesNotMatter) {
    const char* name = std::setlocale(LC_ALL, "de_DE.UTF-8");
    if (!name) GTEST_SKIP() << "no locale with a decimal comma on this machine";

    const double read = parse_json("[1.5]", "a").items()[0].number();
    const std::string written = write_json(Settings::of(2.25));
    std::setlocale(LC_ALL, "C");

    EXPECT_EQ(read, 1.5);
    EXPECT_EQ(written, "2.25");
}

}  // namespace
}  // namespace taffeta::scene
