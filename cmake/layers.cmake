# One static library per layer, taffeta_<layer>, alias taffeta::<layer>. Sources are globbed, so a
# new material, integrator or format needs no line here.

add_library(taffeta_flags INTERFACE)
target_compile_options(taffeta_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow)
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

function(taffeta_layer name)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/taffeta/${name}/*.cpp
       ${CMAKE_CURRENT_SOURCE_DIR}/taffeta/${name}/*/*.cpp)
  add_library(taffeta_${name} STATIC ${sources})
  add_library(taffeta::${name} ALIAS taffeta_${name})
  set_target_properties(taffeta_${name} PROPERTIES EXPORT_NAME ${name} LINKER_LANGUAGE CXX)
  target_include_directories(taffeta_${name} PUBLIC
    $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(taffeta_${name} PUBLIC ${ARGN} PRIVATE $<BUILD_INTERFACE:taffeta_flags>)
endfunction()
