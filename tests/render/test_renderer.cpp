#include <gtest/gtest.h>

#include <cstdlib>

#include "render/renderer.h"
#include "taffeta/base/error.h"
#include "taffeta/base/parallel.h"

namespace taffeta::render {
namespace {

/// A card that hovers over the floor.
Stage card_stage() {
    RenderMesh card;
    card.position = {{-1, 0.5, -1}, {1, 0.5, -1}, {1, 0.5, 1}, {-1, 0.5, 1}};
    card.face = {{0, 2, 1}, {0, 3, 2}};
    card.uv = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    card.check_size = 0.1;
    card.color = Color(0.8, 0.2, 0.2);
    Stage stage;
    stage.meshes = {card};
    stage.camera.eye = Vec3(0, 4, 12);
    stage.camera.target = Vec3(0, 0.3, 0);
    stage.camera.vertical_fov = 24;
    return stage;
}

RenderOptions small_picture() {
    RenderOptions options;
    options.width = 90;
    options.height = 60;
    options.samples = 8;
    return options;
}

int brightness(const Image& image, int x, int y) {
    return image.pixel(x, y)[0] + image.pixel(x, y)[1] + image.pixel(x, y)[2];
}

TEST(Renderer, SameBitsForAnyNumberOfThreads) {
    const Stage stage = card_stage();

    set_thread_count(1);
    const Image one = render(stage, small_picture());
    set_thread_count(5);
    const Image five = render(stage, small_picture());
    set_thread_count(0);

    EXPECT_EQ(one.bytes(), five.bytes());
}

TEST(Renderer, CardHasItsColourAndThrowsAShadow) {
    Stage stage = card_stage();
    const Image with_card = render(stage, small_picture());
    stage.meshes.clear();

    const Image empty = render(stage, small_picture());

    const std::uint8_t* card = with_card.pixel(45, 28);
    EXPECT_GT(card[0], card[1] + 40);
    int darker = 0;
    for (int y = 0; y < 60; ++y)
        for (int x = 0; x < 90; ++x)
            darker += brightness(with_card, x, y) < 0.7 * brightness(empty, x, y) &&
                      with_card.pixel(x, y)[0] < with_card.pixel(x, y)[1] + 40;
    EXPECT_GT(darker, 50);
}

TEST(Renderer, EmptyStageIsTheBackdropWithoutAHorizon) {
    Stage stage = card_stage();
    stage.meshes.clear();

    const Image image = render(stage, small_picture());

    // Neighbours differ by the gradient only, also where the floor ends.
    for (int y = 1; y < 60; ++y)
        EXPECT_LE(std::abs(brightness(image, 20, y) - brightness(image, 20, y - 1)), 12) << y;
}

TEST(Renderer, FloorBelowTheCameraOnly) {
    Stage stage = card_stage();
    stage.meshes.clear();
    stage.floor_height = 100;
    const Image below = render(stage, small_picture());
    stage.floor = false;

    const Image none = render(stage, small_picture());

    EXPECT_EQ(below.bytes(), none.bytes());
}

TEST(Renderer, RefusesSizesAndSamplesThatMakeNoSense) {
    const Stage stage = card_stage();
    RenderOptions options = small_picture();

    options.width = 0;
    EXPECT_THROW(render(stage, options), Error);
    options = small_picture();
    options.height = 1 << 20;
    EXPECT_THROW(render(stage, options), Error);
    options = small_picture();
    options.samples = 0;
    EXPECT_THROW(render(stage, options), Error);
}

}  // namespace
}  // namespace taffeta::render
