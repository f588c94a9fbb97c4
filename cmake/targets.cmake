# How a folder declares what it builds. Four kinds of target:
#
#   postrider_library(core SOURCES lane.cc circuit.cc DEPENDS model base)
#   postrider_test(core_test SOURCES lane_test.cc DEPENDS core)
#   postrider_executable(postrider SOURCES main.cc DEPENDS simulate)
#   postrider_bench(core SOURCES bench_core.cc DEPENDS core)
#
# DEPENDS names our own libraries without the postrider_ prefix; LINKS names targets of others
# (fmt::fmt). Includes read from src/ ("core/lane.h"); files under tests/ and bench/ may also name
# files from the root of the repository ("tests/sim/checks/ledger.h").

include(GoogleTest)

# postrider_library(<name> [SOURCES <file>...] [DEPENDS <name>...] [LINKS <target>...])
# Without SOURCES the library is header-only.
function(postrider_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS;LINKS")
  _postrider_reject_unknown(${name} "${arg_UNPARSED_ARGUMENTS}")

  _postrider_add_library(postrider_${name} "${arg_SOURCES}" "${arg_LINKS}")
  _postrider_link_folders(postrider_${name} "${arg_DEPENDS}")
endfunction()

# postrider_executable(<name> SOURCES <file>... [DEPENDS <name>...] [LINKS <target>...])
# The binary is build/<preset>/<name>.
function(postrider_executable name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS;LINKS")
  _postrider_reject_unknown(${name} "${arg_UNPARSED_ARGUMENTS}")
  _postrider_add_executable(${name} "${arg_SOURCES}" "${arg_DEPENDS}" "${arg_LINKS}")
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
endfunction()

# postrider_test(<name> SOURCES <file>... [DEPENDS <name>...] [LINKS <target>...]
#                [LABELS <label>...])
# Each TEST becomes a ctest named <name>/Suite.Test. The label `long` keeps a test out of the everyday run.
function(postrider_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS;LINKS;LABELS")
  _postrider_reject_unknown(${name} "${arg_UNPARSED_ARGUMENTS}")
  _postrider_add_executable(${name} "${arg_SOURCES}" "${arg_DEPENDS}"
                            "${arg_LINKS};GTest::gmock;GTest::gtest_main")
  # RocksDB is not built for the thread sanitizer, which would take its atomics for races. Our own
  # code is watched all the same, also where RocksDB calls it. Other builds do not read this.
  set(properties PROPERTIES ENVIRONMENT "TSAN_OPTIONS=ignore_noninstrumented_modules=1")
  if(arg_LABELS)
    list(JOIN arg_LABELS "\\;" labels)
    list(APPEND properties LABELS "${labels}")
  endif()
  gtest_discover_tests(${name} TEST_PREFIX "${name}/" DISCOVERY_TIMEOUT 60 ${properties})
endfunction()

# postrider_bench(<name> SOURCES <file>... [DEPENDS <name>...] [LINKS <target>...])
# The binary is build/<preset>/bench/bench_<name>; `script/bench <name>` runs it. Google Benchmark
# is linked; a bench that prints its own report brings its own main().
function(postrider_bench name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS;LINKS")
  _postrider_reject_unknown(${name} "${arg_UNPARSED_ARGUMENTS}")
  _postrider_add_executable(bench_${name} "${arg_SOURCES}" "${arg_DEPENDS}"
                            "${arg_LINKS};benchmark::benchmark_main")
  set_target_properties(bench_${name} PROPERTIES
                        RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bench")
endfunction()

function(_postrider_add_library target sources links)
  if(sources)
    add_library(${target} STATIC ${sources})
    target_compile_options(${target} PRIVATE ${POSTRIDER_WARNINGS})
  else()
    add_library(${target} INTERFACE)
  endif()
  _postrider_visibility(${target} visibility)
  _postrider_include_roots(roots)
  target_include_directories(${target} ${visibility} ${roots})
  target_link_libraries(${target} ${visibility} ${links})
endfunction()

function(_postrider_add_executable target sources depends links)
  add_executable(${target} ${sources})
  target_compile_options(${target} PRIVATE ${POSTRIDER_WARNINGS})
  _postrider_include_roots(roots)
  target_include_directories(${target} PRIVATE ${roots})
  target_link_libraries(${target} PRIVATE ${links})
  _postrider_link_folders(${target} "${depends}")
endfunction()

function(_postrider_link_folders target depends)
  get_target_property(kind ${target} TYPE)
  if(kind STREQUAL "EXECUTABLE")
    set(visibility PRIVATE)
  else()
    _postrider_visibility(${target} visibility)
  endif()
  foreach(name IN LISTS depends)
    if(NOT TARGET postrider_${name})
      message(FATAL_ERROR "${target} depends on '${name}', which is not declared before it. "
                          "Check the spelling and the order of POSTRIDER_FOLDERS.")
    endif()
    target_link_libraries(${target} ${visibility} postrider_${name})
  endforeach()
endfunction()

function(_postrider_visibility target result)
  get_target_property(kind ${target} TYPE)
  if(kind STREQUAL "INTERFACE_LIBRARY")
    set(${result} INTERFACE PARENT_SCOPE)
  else()
    set(${result} PUBLIC PARENT_SCOPE)
  endif()
endfunction()

# src/ cannot name tests/ or bench/: only those two see the root of the repository.
function(_postrider_include_roots result)
  set(roots "${PROJECT_SOURCE_DIR}/src")
  file(RELATIVE_PATH folder "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}")
  if(folder MATCHES "^(tests|bench)(/|$)")
    list(APPEND roots "${PROJECT_SOURCE_DIR}")
  endif()
  set(${result} "${roots}" PARENT_SCOPE)
endfunction()

function(_postrider_reject_unknown name leftovers)
  if(leftovers)
    message(FATAL_ERROR "${name}: unknown words in its declaration: ${leftovers}")
  endif()
endfunction()
