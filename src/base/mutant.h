// Planted bugs, for testing the tests. In every normal build MUTANT(x) is the constant false and
// vanishes. The simulator's test build compiles them in and switches one on at a time; each of them
// must be noticed by the checkers, or the checkers are not worth their name.
//
// The list is the contract: tests/sim/mutants reads it, script/mutants counts the dead.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

// name, what is wrong when it is switched on
#define POSTRIDER_MUTANT_LIST(X)                                                            \
  X(RateMinimumOffByOne, "the rate rule fires at 100 attempts instead of above 100")

namespace base {

enum class Mutant : uint8_t {
#define POSTRIDER_MUTANT_NAME(name, what) k##name,
  POSTRIDER_MUTANT_LIST(POSTRIDER_MUTANT_NAME)
#undef POSTRIDER_MUTANT_NAME
};

struct MutantText {
  std::string_view name;
  std::string_view what;
};

inline constexpr std::array kMutants = {
#define POSTRIDER_MUTANT_TEXT(name, what) MutantText{#name, what},
    POSTRIDER_MUTANT_LIST(POSTRIDER_MUTANT_TEXT)
#undef POSTRIDER_MUTANT_TEXT
};

#ifdef POSTRIDER_MUTANTS
// Index into kMutants of the bug that is switched on, or -1.
inline int active_mutant = -1;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
inline bool is_active(Mutant mutant) { return active_mutant == static_cast<int>(mutant); }
#endif

}  // namespace base

#ifdef POSTRIDER_MUTANTS
#define MUTANT(name) ::base::is_active(::base::Mutant::k##name)
#else
#define MUTANT(name) false
#endif
