# Language mode, warnings, and the four build types behind the presets.
#
# No build type defines NDEBUG: CHECK is on everywhere, and code that behaves differently in
# release is code that was not tested.

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

include(CheckPIESupported)
check_pie_supported(LANGUAGES CXX)

if(NOT CMAKE_BUILD_TYPE)
  message(FATAL_ERROR "Choose a preset: cmake --preset dev (or asan, tsan, release).")
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
endif()

set(CMAKE_CXX_FLAGS_DEV "-O1 -g")

set(CMAKE_CXX_FLAGS_ASAN
    "-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all")
set(CMAKE_EXE_LINKER_FLAGS_ASAN "-fsanitize=address,undefined")

# The thread sanitizer knows no fences, and GCC says so wherever Asio has one. They only double what
# Asio's mutexes do, so this build goes without.
set(CMAKE_CXX_FLAGS_TSAN
    "-O1 -g -fno-omit-frame-pointer -fsanitize=thread -DBOOST_ASIO_DISABLE_FENCED_BLOCK")
set(CMAKE_EXE_LINKER_FLAGS_TSAN "-fsanitize=thread")

set(CMAKE_CXX_FLAGS_RELEASE
    "-O2 -g1 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -fstack-protector-strong")
set(CMAKE_EXE_LINKER_FLAGS_RELEASE "-Wl,-z,relro -Wl,-z,now")

# What our own targets are compiled with, on top of the build type. -Wrestrict is off because
# GCC 12 reports plain std::string concatenation (GCC bug 105651).
set(POSTRIDER_WARNINGS
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wno-missing-field-initializers
  -Werror -Werror=unused-result
  -Wno-restrict
)
