#include <gtest/gtest.h>
#include <unistd.h>

#include <png.h>
#include <string>

#include <cmath>
#include <filesystem>
#include <vector>

#include "render/label.h"
#include "render/png.h"
#include "render/sheet.h"
#include "taffeta/base/error.h"

namespace taffeta::render {
namespace {

namespace fs = std::filesystem;

class PngFile : public testing::Test {
  protected:
    void SetUp() override {
        folder_ = fs::path(testing::TempDir()) / ("taffeta_png_" + std::to_string(::getpid()));
        fs::create_directories(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }

    fs::path folder_;
};

TEST(Colour, FollowsTheStandardCurve) {
    // IEC 61966-2-1: half grey on the display is 0.2140 of the light.
    EXPECT_NEAR(to_linear(Color::Constant(0.5)).x(), 0.21404114, 1e-8);
    for (double value : {0.0, 0.001, 0.03, 0.2, 0.77, 1.0})
        EXPECT_NEAR(to_display(to_linear(Color::Constant(value))).y(), value, 1e-7);
}

TEST(Image, ClampsAndRounds) {
    Image image(2, 1);

    image.set(0, 0, Color(-1, 0.5, 7));

    EXPECT_EQ(image.pixel(0, 0)[0], 0);
    EXPECT_EQ(image.pixel(0, 0)[1], 128);
    EXPECT_EQ(image.pixel(0, 0)[2], 255);
}

TEST(Image, PasteCutsWhatSticksOut) {
    // . . .      . . .
    // . . .  <-  . a a   at (1, 1), a 4 x 4 picture of ones
    Image image(3, 2, Color::Zero());

    image.paste(Image(4, 4, Color::Ones()), 1, 1);
    image.paste(Image(2, 2, Color::Ones()), 9, 9);
    image.paste(Image(2, 2, Color::Ones()), -5, 0);

    const std::vector<int> expected = {0, 0, 0, 0, 1, 1};
    for (int p = 0; p < 6; ++p)
        EXPECT_EQ(image.pixel(p % 3, p / 3)[0], 255 * expected[std::size_t(p)]) << p;
}

TEST_F(PngFile, ReadsBackWithTheSamePixels) {
    Image image(37, 11);
    for (int y = 0; y < 11; ++y)
        for (int x = 0; x < 37; ++x)
            image.set(x, y, Color(x / 36.0, y / 10.0, (x * y % 7) / 6.0));

    write_png(folder_ / "a.png", image);

    png_image header{};
    header.version = PNG_IMAGE_VERSION;
    ASSERT_TRUE(png_image_begin_read_from_file(&header, (folder_ / "a.png").c_str()));
    header.format = PNG_FORMAT_RGB;
    std::vector<std::uint8_t> bytes(PNG_IMAGE_SIZE(header));
    ASSERT_TRUE(png_image_finish_read(&header, nullptr, bytes.data(), 0, nullptr));
    EXPECT_EQ(header.width, 37u);
    EXPECT_EQ(header.height, 11u);
    EXPECT_EQ(bytes, image.bytes());
}

TEST_F(PngFile, LeavesNothingBehindWhereItCannotWrite) {
    EXPECT_THROW(write_png(folder_ / "missing" / "a.png", Image(2, 2)), Error);
    // The rename fails over a folder: the temporary file must go.
    fs::create_directories(folder_ / "b.png" / "inside");

    EXPECT_THROW(write_png(folder_ / "b.png", Image(2, 2)), Error);

    EXPECT_FALSE(fs::exists(folder_ / "b.png.part"));
}

TEST(Label, InkStaysWithinTheWidthItAnnounces) {
    const std::string text = "-0123456789.5 s";
    const double height = 16;
    const int width = int(std::ceil(label_width(text, height)));
    Image image(width + 40, 40);

    draw_label(image, text, 20, 10, height, Color::Ones());

    int left = image.width(), right = -1;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            if (image.pixel(x, y)[0] > 0) {
                left = std::min(left, x);
                right = std::max(right, x);
            }
    EXPECT_NEAR(left, 20, 2);
    EXPECT_NEAR(right, 20 + width, 2);
}

TEST(Label, EveryGlyphIsDifferent) {
    std::vector<std::vector<std::uint8_t>> drawn;

    for (char character : std::string("0123456789.-s ?")) {
        Image image(40, 40);
        draw_label(image, std::string(1, character), 10, 10, 20, Color::Ones());
        for (const auto& earlier : drawn)
            EXPECT_NE(image.bytes(), earlier) << character;
        drawn.push_back(image.bytes());
    }
}

TEST(Label, BesideThePictureDrawsNothing) {
    Image image(10, 10);

    draw_label(image, "8", 100, -50, 12, Color::Ones());

    EXPECT_EQ(image.bytes(), Image(10, 10).bytes());
}

TEST(Sheet, LayoutIsNearSixteenToNine) {
    EXPECT_EQ(sheet_layout(6, 1.6).columns, 3);
    EXPECT_EQ(sheet_layout(6, 1.6).rows, 2);
    EXPECT_EQ(sheet_layout(1, 1.6).columns, 1);
    for (int pictures = 1; pictures < 50; ++pictures) {
        const SheetLayout layout = sheet_layout(pictures, 1.6);
        EXPECT_GE(layout.columns * layout.rows, pictures);
        EXPECT_LT((layout.rows - 1) * layout.columns, pictures);
    }
}

TEST(Sheet, HoldsItsPicturesInReadingOrder) {
    const std::vector<Image> pictures = {Image(90, 90, Color(0, 0, 0)),
                                         Image(90, 90, Color(1, 0, 0)),
                                         Image(90, 90, Color(0, 1, 0))};

    const Image sheet = contact_sheet(pictures, {"", "", ""});

    // Three in a row (aspect 3) are as far from 16:9 as two in a row are, but waste no cell.
    EXPECT_EQ(sheet.width(), 3 * 92 + 2);
    EXPECT_EQ(sheet.pixel(45, 45)[0], 0);
    EXPECT_EQ(sheet.pixel(92 + 45, 45)[0], 255);
    EXPECT_EQ(sheet.pixel(2 * 92 + 45, 45)[1], 255);
}

}  // namespace
}  // namespace taffeta::render
