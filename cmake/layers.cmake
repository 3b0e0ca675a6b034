# One static library per layer, taffeta_<layer>, alias taffeta::<layer>. Sources are globbed, so a
# new material, integrator or format needs no line here.

add_library(taffeta_flags INTERFACE)
target_compile_options(taffeta_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow)
# GCC 12 sees overlaps and overflows in std::string and in Eigen's AVX loads that are not there (GCC
# bugs 105651 and 106247).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(taffeta_flags INTERFACE -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow)
endif()
if(TAFFETA_WERROR)
  target_compile_options(taffeta_flags INTERFACE -Werror)
endif()
if(TAFFETA_ARCH)
  target_compile_options(taffeta_flags INTERFACE -march=${TAFFETA_ARCH})
endif()
if(TAFFETA_SANITIZE)
  target_compile_options(taffeta_flags INTERFACE -fsanitize=${TAFFETA_SANITIZE}
                         -fno-omit-frame-pointer)
  target_link_options(taffeta_flags INTERFACE -fsanitize=${TAFFETA_SANITIZE})
endif()

# What nearly every file includes, directly or through `base`, is compiled once: it takes two thirds
# of the time of most files. Every file still includes what it uses.
set(common_headers <fmt/format.h> <algorithm> <array> <cmath> <filesystem> <fstream> <functional>
    <map> <memory> <optional> <span> <string> <string_view> <vector>)

# The headers, compiled with the target `owner`, are used by `target`, which has the same flags.
function(taffeta_precompile target owner)
  if(NOT TAFFETA_PRECOMPILE)
    return()
  endif()
  if(target STREQUAL owner)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  else()
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endif()
endfunction()

# Several files in one: for builds from nothing, where reading headers is most of the work. Names in
# anonymous namespaces are therefore unique within a layer.
function(taffeta_unite target)
  if(TAFFETA_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
  endif()
endfunction()

function(taffeta_layer name)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/taffeta/${name}/*.cpp
       ${CMAKE_CURRENT_SOURCE_DIR}/taffeta/${name}/*/*.cpp)
  add_library(taffeta_${name} STATIC ${sources})
  add_library(taffeta::${name} ALIAS taffeta_${name})
  set_target_properties(taffeta_${name} PROPERTIES EXPORT_NAME ${name} LINKER_LANGUAGE CXX)
  target_include_directories(taffeta_${name} PUBLIC
    $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(taffeta_${name} PUBLIC ${ARGN} PRIVATE $<BUILD_INTERFACE:taffeta_flags>)
  if(NOT name MATCHES "^(solve|energy)$")  # these take long for their own sake
    taffeta_unite(taffeta_${name})
  endif()
  taffeta_precompile(taffeta_${name} taffeta_base <Eigen/Geometry> ${common_headers})
endfunction()
