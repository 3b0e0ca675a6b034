#pragma once

#include <filesystem>

#include "taffeta/base/settings.h"

/// Fabrics in the files of ARCSim: `density`, `stretching` (six rows of c11, c12, c22, c33) and `bending`
/// (three directions of the edge by five curvatures), as measured by Wang, O'Brien and Ramamoorthi 2011.
///
/// That program's hinge energy is k l^2/(8 (A1 + A2)) (theta - theta0)^2 and its tables of stretch count
/// twice, so B = k/4 in N m, stretch = 2 c and shear = c33.
namespace taffeta::scene {

/// A material of a scene from such a file, as a preset would be: the `measured` law with the whole
/// table, or for `membrane` "baraff_witkin" its tangent at no strain; hinges with the mean over the
/// measured curvatures. Bad input, with file and line, for anything that is not such a file.
Settings arcsim_material(const std::filesystem::path& file, const std::string& membrane);

}  // namespace taffeta::scene
