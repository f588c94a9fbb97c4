// The characters of HTTP/1.1 by RFC 9110, and the few questions about text that a head asks.
//
// Nothing here repairs: a text is of its kind or it is not.
#pragma once

#include <string_view>

namespace http {

bool is_token_character(char character);
// At least one character, all of a token.
bool is_token(std::string_view text);
// A field's value: no control character but the tab. Bytes above ASCII are allowed and opaque.
bool is_field_value(std::string_view text);

bool equals_ignoring_case(std::string_view left, std::string_view right);
// Without blanks at both ends.
std::string_view trimmed(std::string_view text);
// Takes the first element of a comma-separated list off `list`, trimmed.
std::string_view take_list_element(std::string_view& list);

}  // namespace http
