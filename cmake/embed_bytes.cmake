# Run by postrider_embed() at build time: writes the bytes of FROM into INTO as C++.
#
# Bytes, and no string literal: compilers may refuse long ones, and nothing needs to be escaped.

get_filename_component(name "${FROM}" NAME)
file(READ "${FROM}" bytes HEX)
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
file(WRITE "${INTO}" "// Made from ${name}; change that instead.
#include \"${HEADER}\"

namespace {
constexpr char kBytes[] = {
${bytes}};
}  // namespace

std::string_view ${FUNCTION}() { return {kBytes, sizeof(kBytes)}; }
")
