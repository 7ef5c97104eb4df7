# The build's id is what git says of the tree, made anew at each build, so that a run folder names the code that made it.
set(TARE_VERSION_DIR ${CMAKE_BINARY_DIR}/generated)
add_custom_target(tare_version_stamp
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DOUT=${TARE_VERSION_DIR}/tare_version.h -DVERSION=${PROJECT_VERSION}
    -P ${PROJECT_SOURCE_DIR}/cmake/version_stamp.cmake
  BYPRODUCTS ${TARE_VERSION_DIR}/tare_version.h)
