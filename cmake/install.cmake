# find_package(taffeta) gives taffeta::base ... taffeta::scene; taffeta::solve and taffeta::ode can
# be linked alone.
include(CMakePackageConfigHelpers)

install(TARGETS taffeta_base taffeta_sparse taffeta_solve taffeta_ode taffeta_mesh taffeta_io
                taffeta_energy taffeta_contact taffeta_sim taffeta_scene
        EXPORT taffeta-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY src/taffeta DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(EXPORT taffeta-targets NAMESPACE taffeta:: FILE taffeta-targets.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/taffeta)
configure_package_config_file(cmake/taffeta-config.cmake.in taffeta-config.cmake
        INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/taffeta)
write_basic_package_version_file(taffeta-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/taffeta-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/taffeta-config-version.cmake
              cmake/FindMETIS.cmake cmake/FindCHOLMOD.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/taffeta)
