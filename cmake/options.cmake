# Warnings, sanitizers and tare_library(), which the folders' CMakeLists.txt use.

add_library(tare_options INTERFACE)
target_include_directories(tare_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(tare_options INTERFACE
  -Wall -Wextra -Wpedantic -Werror -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Wcast-align -Woverloaded-virtual
  -Wconversion -Wsign-conversion -Wnull-dereference -Wimplicit-fallthrough -fno-omit-frame-pointer)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports these inside the standard library at -O2 (PR 105562, 105329, 107852).
  target_compile_options(tare_options INTERFACE -Wno-restrict -Wno-maybe-uninitialized -Wno-stringop-overflow
    -Wno-stringop-overread -Wno-array-bounds -Wno-dangling-pointer -Wno-null-dereference)
endif()
if(TARE_SANITIZE)
  target_compile_options(tare_options INTERFACE -fsanitize=${TARE_SANITIZE} -fno-sanitize-recover=all)
  target_link_options(tare_options INTERFACE -fsanitize=${TARE_SANITIZE})
endif()
if(TARE_FUZZ)
  target_compile_options(tare_options INTERFACE -fsanitize=fuzzer-no-link)  # the fuzzer is guided by what the code does
endif()

# tare_library(NAME libs...): a static library of the folder's *.cpp files.
function(tare_library name)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  add_library(${name} STATIC ${sources})
  target_link_libraries(${name} PUBLIC tare_options ${ARGN})
endfunction()
