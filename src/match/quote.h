// Text from outside, made fit for a sentence: in double quotes, cut short, control characters
// escaped, never cut within a character.
#pragma once

#include <string>
#include <string_view>

namespace match {

std::string quote(std::string_view text);

}  // namespace match
