// What a fuzz target provides. Two programs are made of each: one that libFuzzer drives with inputs
// of its own making (script/fuzz), and one that replays the inputs kept in corpus/ as an ordinary
// test. A target states properties with CHECK; a finding is a CHECK that fails, or what the
// sanitizers see.
#pragma once

#include <string_view>

namespace fuzz {

// Called with any bytes at all, NULs included.
void check(std::string_view input);

}  // namespace fuzz
