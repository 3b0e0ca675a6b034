#include "taffeta/scene/obstacle_description.h"

namespace taffeta::scene {

Fields<ObstacleDescription> ObstacleDescription::fields() {
    return {
        {"name", &ObstacleDescription::name, "for messages; obstacle0, obstacle1, ... if empty"},
        {"shape", &ObstacleDescription::shape, "its shape and motion", required()},
        {"transform", &ObstacleDescription::transform, "places the mesh of a mesh obstacle"},
        {"friction", &ObstacleDescription::friction, "Coulomb coefficient with cloth", at_least(0)},
        {"color", &ObstacleDescription::color, "red, green, blue for pictures", between(0, 1)},
    };
}

std::string ObstacleDescription::file() const {
    const Settings* file = shape.value.find("file");
    return file && file->is(Settings::Kind::string) ? file->string() : std::string();
}

}  // namespace taffeta::scene
