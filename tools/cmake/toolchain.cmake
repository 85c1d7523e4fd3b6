# Compiler settings that every room shares.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
# The shared libraries show ferry_* alone, and carry only what is reached from there.
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
add_compile_options(-ffunction-sections -fdata-sections)
if(NOT FERRY_SANITIZE)
  add_link_options(-Wl,--gc-sections)
endif()
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

find_program(FERRY_CCACHE ccache)
if(FERRY_CCACHE)
  # Precompiled headers need the sloppiness, or ccache refuses every hit. With paths relative to the checkout, clones of
  # it share what was compiled; so no path of the checkout may stand in a definition or in a precompiled header.
  set(ferry_launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      ${PROJECT_SOURCE_DIR}/tools/cmake/ccache.sh ${FERRY_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${ferry_launcher})
  set(CMAKE_C_COMPILER_LAUNCHER ${ferry_launcher})
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
  endif()
endif()
find_program(FERRY_MOLD mold)
if(FERRY_MOLD AND NOT CMAKE_CROSSCOMPILING)
  add_link_options(-fuse-ld=mold)
endif()

add_compile_options(-Wall -Wextra -Wimplicit-fallthrough -Wno-missing-field-initializers)
add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>)
# Products and sums stay separate unless a kernel writes an FMA itself: results must not depend on the optimiser.
add_compile_options(-ffp-contract=off)
if(FERRY_WERROR)
  add_compile_options(-Werror)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1")
if(FERRY_SANITIZE)
  # "fuzzer" instruments everything; libFuzzer's main comes with its own program alone (tools/fuzz).
  string(REPLACE "fuzzer" "fuzzer-no-link" ferry_sanitizers "${FERRY_SANITIZE}")
  # memcpy of no bytes may have null pointers: C23's N3322 says so, and no library does otherwise.
  add_compile_options(-fsanitize=${ferry_sanitizers} -fno-omit-frame-pointer -fno-sanitize-recover=all
    -fno-sanitize=nonnull-attribute)
  add_link_options(-fsanitize=${ferry_sanitizers})
  if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    # What clang 14 writes before a function, to know its type, cannot stand before a coroutine of the network.
    add_compile_options(-fno-sanitize=function)
  endif()
  add_compile_definitions(FERRY_SANITIZED=1)
endif()
