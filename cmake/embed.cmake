# A file of the repository inside the binary:
#
#   postrider_embed(openapi.json INTO openapi_text.cc HEADER api/openapi.h FUNCTION api::openapi_text)
#
# makes openapi_text.cc in the build folder, which defines the function that the header declares:
# it returns the bytes of the file as a std::string_view. Name the result among SOURCES as
# "${CMAKE_CURRENT_BINARY_DIR}/openapi_text.cc". The file is written anew when it has changed.

set(POSTRIDER_EMBED_SCRIPT "${CMAKE_CURRENT_LIST_DIR}/embed_bytes.cmake")

function(postrider_embed file)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "INTO;HEADER;FUNCTION" "")
  _postrider_reject_unknown(${file} "${arg_UNPARSED_ARGUMENTS}")
  set(from "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
  set(into "${CMAKE_CURRENT_BINARY_DIR}/${arg_INTO}")
  add_custom_command(
    OUTPUT "${into}"
    COMMAND "${CMAKE_COMMAND}" "-DFROM=${from}" "-DINTO=${into}" "-DHEADER=${arg_HEADER}"
            "-DFUNCTION=${arg_FUNCTION}" -P "${POSTRIDER_EMBED_SCRIPT}"
    DEPENDS "${from}" "${POSTRIDER_EMBED_SCRIPT}"
    COMMENT "Embedding ${file}"
    VERBATIM)
endfunction()
