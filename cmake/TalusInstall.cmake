# SPDX-License-Identifier: MIT
# `cmake --install` and find_package(talus CONFIG).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

target_include_directories(talus INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
install(TARGETS talus EXPORT talus_targets)
install(DIRECTORY include/talus DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

set(talus_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/talus)
install(EXPORT talus_targets FILE talus-targets.cmake NAMESPACE talus:: DESTINATION ${talus_package_dir})
configure_package_config_file(cmake/talus-config.cmake.in talus-config.cmake INSTALL_DESTINATION ${talus_package_dir})
write_basic_package_version_file(talus-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/talus-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/talus-config-version.cmake
  DESTINATION ${talus_package_dir})
