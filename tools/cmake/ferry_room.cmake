# ferry_room(LINK ... PCH ... SOURCES ... WITHOUT ... TEST_LINK ... HOT ... SINGLE ... APART ... [NO_EXCEPTIONS] [SMALL]):
# declares the room of the current folder.
#
# Sources are every .cc below the folder (rooms nested in it apart): *_test.cc go to one test program, main.cc
# is left to ferry_program, the rest is a static library `ferry_<folder with _>`. The rooms that it may use
# come from tools/layers.txt. Files named after an instruction set (avx2.cc, neon.cc, ...) get its
# flags; those of other processors are left out.
#
# SMALL is for rooms whose code runs once a model or once an operator of a model, not once an element or a run: what
# is shipped (Release) is compiled for size there (FERRY_SMALL_FLAGS). HOT names folders and files of a small room
# that stay as fast as elsewhere. WITHOUT names folders that are left out.
#
# With FERRY_UNITY eight files are compiled as one. SINGLE names folders and files that never are, for what they define or
# name would reach their neighbours; those with options of their own stay single by themselves. APART names folders
# whose files share a batch with nothing outside. PCH names headers, in angle brackets, that a room of many files
# precompiles: those that most of its files include.

set(FERRY_SMALL_FLAGS -Os)
set(FERRY_ISA_FLAGS_avx2 -mavx2 -mfma -mf16c -mbmi -mbmi2 -mlzcnt)
set(FERRY_ISA_FLAGS_avx512 ${FERRY_ISA_FLAGS_avx2} -mavx512f -mavx512bw -mavx512cd -mavx512dq -mavx512vl)
set(FERRY_ISA_FLAGS_vnni ${FERRY_ISA_FLAGS_avx512} -mavx512vnni)
set(FERRY_ISA_FLAGS_avx512_bf16 ${FERRY_ISA_FLAGS_vnni} -mavx512bf16)
# Highway's NEON headers are declared with the cryptographic extension and inline only into code that has it; no
# such instruction is used.
set(FERRY_ISA_FLAGS_neon -march=armv8-a+crypto)
set(FERRY_ISA_FLAGS_dotprod -march=armv8.2-a+dotprod)
set(FERRY_ISA_FLAGS_i8mm -march=armv8.2-a+dotprod+i8mm)

function(ferry_target_name room out)
  string(REGEX REPLACE "[/-]" "_" name ${room})
  set(${out} ferry_${name} PARENT_SCOPE)
endfunction()

# Reads "room: dep dep" lines and adds the folders that exist, in the order of the file.
macro(ferry_add_rooms file)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(STRINGS ${file} ferry_lines REGEX "^[a-z]")
  foreach(line IN LISTS ferry_lines)
    string(REGEX MATCH "^([^:]+):(.*)$" ignored "${line}")
    set(room ${CMAKE_MATCH_1})
    separate_arguments(deps UNIX_COMMAND "${CMAKE_MATCH_2}")
    if(deps STREQUAL "*")
      set(deps ${ferry_rooms})
    endif()
    set(FERRY_DEPS_${room} ${deps})
    list(APPEND ferry_rooms ${room})
    if(EXISTS ${PROJECT_SOURCE_DIR}/${room}/CMakeLists.txt)
      add_subdirectory(${room})
    endif()
  endforeach()
endmacro()

# The library targets of the rooms that `room` may include; a room that is not there yet is left out.
function(ferry_dep_targets room out)
  set(targets "")
  foreach(dep IN LISTS FERRY_DEPS_${room})
    ferry_target_name(${dep} target)
    if(TARGET ${target})
      list(APPEND targets ${target})
    endif()
  endforeach()
  list(REVERSE targets)
  set(${out} ${targets} PARENT_SCOPE)
endfunction()

# The sets that the target's processors never run; their files are left out.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(FERRY_FOREIGN_ISAS "avx2|avx512|vnni|avx512_bf16")
else()
  set(FERRY_FOREIGN_ISAS "neon|dotprod|i8mm")
endif()

function(ferry_isa_flags)
  foreach(source IN LISTS ARGN)
    get_filename_component(stem ${source} NAME_WE)
    if(DEFINED FERRY_ISA_FLAGS_${stem})
      set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "${FERRY_ISA_FLAGS_${stem}}"
        SKIP_PRECOMPILE_HEADERS ON)
    endif()
  endforeach()
endfunction()

# What tests/slow.txt says of `what`: ON for a suite of Python that stands there, the filters of a room joined by ":".
file(STRINGS ${PROJECT_SOURCE_DIR}/tests/slow.txt FERRY_SLOW_LINES REGEX "^[^#]")
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/slow.txt)
function(ferry_slow what out)
  set(filters "")
  set(${out} "" PARENT_SCOPE)
  foreach(line IN LISTS FERRY_SLOW_LINES)
    if(line STREQUAL what)
      set(${out} ON PARENT_SCOPE)
    elseif(line MATCHES "^([^ ]+): (.+)$" AND CMAKE_MATCH_1 STREQUAL what)
      list(APPEND filters ${CMAKE_MATCH_2})
      string(REPLACE ";" ":" joined "${filters}")
      set(${out} "${joined}" PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# The cases of a test program as tests of ctest, with the room's label; label <room>/slow where tests/slow.txt has them
# (one label, for lists of them do not survive discovery).
function(ferry_discover target room)
  set(common WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} DISCOVERY_MODE PRE_TEST TEST_PREFIX "${room}/")
  ferry_slow(${room} slow)
  if(slow)
    gtest_discover_tests(${target} ${common} TEST_FILTER "${slow}" TEST_LIST ${target}_slow
      PROPERTIES LABELS "${room}/slow" TIMEOUT 300)
    gtest_discover_tests(${target} ${common} TEST_FILTER "-${slow}" PROPERTIES LABELS "${room}" TIMEOUT 300)
  else()
    gtest_discover_tests(${target} ${common} PROPERTIES LABELS "${room}" TIMEOUT 300)
  endif()
endfunction()

# The sources that are, or lie below, a path of the list `paths`.
function(ferry_below paths sources out)
  set(below "")
  foreach(path IN LISTS paths)
    set(matching ${sources})
    list(FILTER matching INCLUDE REGEX "^${CMAKE_CURRENT_SOURCE_DIR}/${path}(/|$)")
    if(NOT matching)
      message(FATAL_ERROR "HOT ${path}: no such source in ${CMAKE_CURRENT_SOURCE_DIR}")
    endif()
    list(APPEND below ${matching})
  endforeach()
  set(${out} ${below} PARENT_SCOPE)
endfunction()

# Puts eight of `sources` at a time into one compilation of `target`; sets `out` to how many compilations read the
# target's precompiled header. Files with options, definitions or folders of their own are compiled alone, as CMake
# would do by itself, for all files of a batch are compiled alike.
function(ferry_batches target sources single apart out)
  ferry_below("${single}" "${sources}" alone)
  set(count 0)
  set(last "")
  set(size 0)
  foreach(source IN LISTS sources)
    set(own "")
    foreach(property COMPILE_OPTIONS COMPILE_DEFINITIONS INCLUDE_DIRECTORIES SKIP_UNITY_BUILD_INCLUSION)
      get_property(value SOURCE ${source} PROPERTY ${property})
      string(APPEND own "${value}")
    endforeach()
    get_property(without_header SOURCE ${source} PROPERTY SKIP_PRECOMPILE_HEADERS)
    if(own OR source IN_LIST alone)
      set_property(SOURCE ${source} PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
      if(NOT without_header)
        math(EXPR count "${count} + 1")
      endif()
      continue()
    endif()
    set(name files)
    foreach(folder IN LISTS apart)
      if(source MATCHES "^${CMAKE_CURRENT_SOURCE_DIR}/${folder}/")
        set(name ${folder})
      endif()
    endforeach()
    if(NOT name STREQUAL last OR size EQUAL 8)
      math(EXPR count "${count} + 1")
      set(last ${name})
      set(size 0)
    endif()
    math(EXPR size "${size} + 1")
    set_property(SOURCE ${source} PROPERTY UNITY_GROUP "${name}_${count}")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # A batch includes its files, so gcc takes what stands in their anonymous namespaces for that of a header.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  set(${out} ${count} PARENT_SCOPE)
endfunction()

# Compiles `target` for size, except those of its sources that are, or lie below, a path of `hot`.
function(ferry_small target sources hot)
  target_compile_options(${target} PRIVATE "$<$<CONFIG:Release>:${FERRY_SMALL_FLAGS}>")
  ferry_below("${hot}" "${sources}" fast)
  if(fast)
    set_source_files_properties(${fast} PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:-O2>"
      SKIP_PRECOMPILE_HEADERS ON)
  endif()
endfunction()

function(ferry_room)
  cmake_parse_arguments(A "NO_EXCEPTIONS;SMALL" "" "LINK;PCH;TEST_LINK;SOURCES;WITHOUT;HOT;SINGLE;APART" ${ARGN})
  file(RELATIVE_PATH room ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  ferry_target_name(${room} target)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  file(GLOB_RECURSE nested ${CMAKE_CURRENT_SOURCE_DIR}/*/CMakeLists.txt)
  foreach(file IN LISTS nested)
    get_filename_component(folder ${file} DIRECTORY)
    list(FILTER sources EXCLUDE REGEX "^${folder}/")
  endforeach()
  foreach(folder IN LISTS A_WITHOUT)
    list(FILTER sources EXCLUDE REGEX "^${CMAKE_CURRENT_SOURCE_DIR}/${folder}/")
  endforeach()
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER sources EXCLUDE REGEX "(_test|/main|/(${FERRY_FOREIGN_ISAS}))\\.cc$")
  set(single ${A_SINGLE})
  list(FILTER single EXCLUDE REGEX "_test\\.cc$")
  set(single_tests ${A_SINGLE})
  list(FILTER single_tests INCLUDE REGEX "_test\\.cc$")
  list(APPEND sources ${A_SOURCES})
  if(A_SOURCES)
    set_source_files_properties(${A_SOURCES} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
  ferry_isa_flags(${sources})

  ferry_dep_targets(${room} dep_targets)

  if(sources)
    add_library(${target} STATIC ${sources})
    set(visibility PUBLIC)
    if(A_NO_EXCEPTIONS)
      target_compile_options(${target} PRIVATE -fno-exceptions)
    endif()
    if(A_SMALL)
      ferry_small(${target} "${sources}" "${A_HOT}")
    endif()
    list(LENGTH sources count)
    set(enough 12)
    if(FERRY_UNITY)
      ferry_batches(${target} "${sources}" "${single}" "${A_APART}" count)
      set(enough 3)
    endif()
    if(FERRY_PCH AND count GREATER enough)
      target_precompile_headers(${target} PRIVATE ${A_PCH} <common/base/precompiled.h>)
    endif()
  else()
    add_library(${target} INTERFACE)
    set(visibility INTERFACE)
  endif()
  target_include_directories(${target} ${visibility} ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/gen)
  target_link_libraries(${target} ${visibility} ${dep_targets} ${A_LINK} Threads::Threads)

  if(FERRY_TESTS AND tests AND NOT FERRY_VM_COMPILER AND device-runtime/vm IN_LIST FERRY_DEPS_${room})
    message(STATUS "${room}: no tests, for their scripts are source text (FERRY_VM_COMPILER=OFF)")
  elseif(FERRY_TESTS AND tests)
    string(REPLACE "ferry_" "test_" test_target ${target})
    add_executable(${test_target} ${tests})
    target_link_libraries(${test_target} PRIVATE ${target} ${A_TEST_LINK} GTest::gmock GTest::gtest GTest::gtest_main)
    # Tests run in the checkout's folder.
    target_compile_definitions(${test_target} PRIVATE FERRY_SOURCE_DIR=".")
    list(LENGTH tests count)
    if(FERRY_UNITY)
      ferry_batches(${test_target} "${tests}" "${single_tests}" "" count)
      # A quarter less to compile than at -O2; what the tests call is the library's, compiled as ever.
      target_compile_options(${test_target} PRIVATE "$<$<CONFIG:Release>:-O1>")
    endif()
    if(FERRY_PCH AND count GREATER 2)
      # Behind a precompiled header gcc 12 takes the standard library's own code for ours and warns about short
      # strings (gcc bug 105329).
      target_compile_options(${test_target} PRIVATE
        "$<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds;-Wno-stringop-overflow;-Wno-restrict>")
      target_precompile_headers(${test_target} PRIVATE <gtest/gtest.h> <common/base/precompiled.h>)
    endif()
    ferry_discover(${test_target} ${room})
  endif()
endfunction()

# ferry_program(NAME [LINK targets...]): builds main.cc of the current folder into bin/NAME, with the room's library.
function(ferry_program name)
  cmake_parse_arguments(A "" "" "LINK" ${ARGN})
  file(RELATIVE_PATH room ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  ferry_target_name(${room} target)
  ferry_dep_targets(${room} dep_targets)
  add_executable(${name} ${CMAKE_CURRENT_SOURCE_DIR}/main.cc)
  if(TARGET ${target})
    target_link_libraries(${name} PRIVATE ${target})
  endif()
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/gen)
  target_link_libraries(${name} PRIVATE ${dep_targets} ${A_LINK})
endfunction()
