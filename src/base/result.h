// Result<T>: our own failures as values. The only file that names std::expected.
//
// A receiver's failure is no Error: it is a model::Outcome, the normal product of this program. A
// broken invariant is no Error either: see check.h.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <utility>

namespace base {

// Chosen by what the caller does next, not by what went wrong underneath.
enum class ErrorCode : uint8_t {
  kInvalid,      // the caller's input is wrong: say so, change nothing
  kNotFound,     // there is no such thing
  kConflict,     // the thing exists, but not in the state that this needs
  kUnavailable,  // ours, for now: answer "try again later"
  kCorrupt,      // stored bytes are not what was written: stop using them
  kIo,           // the system refused: see the detail
};

struct Error {
  ErrorCode code;
  std::string detail;  // a sentence for a person, without a trailing full stop
};

template <class T>
class [[nodiscard]] Result : public std::expected<T, Error> {
 public:
  using std::expected<T, Error>::expected;
};

inline std::unexpected<Error> fail(ErrorCode code, std::string detail) {
  return std::unexpected<Error>(Error{code, std::move(detail)});
}

}  // namespace base

#define POSTRIDER_CONCAT_INNER(a, b) a##b
#define POSTRIDER_CONCAT(a, b) POSTRIDER_CONCAT_INNER(a, b)

// TRY(auto value, expression): unwraps a Result or returns its error from the enclosing function.
#define TRY(target, expression) \
  POSTRIDER_TRY(POSTRIDER_CONCAT(try_result_, __COUNTER__), target, expression)
#define POSTRIDER_TRY(result, target, expression)      \
  auto result = (expression);                          \
  if (!result.has_value()) {                           \
    return std::unexpected(std::move(result.error())); \
  }                                                    \
  target = std::move(*result)
