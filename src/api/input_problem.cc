#include "api/input_problem.h"

#include <string_view>
#include <utility>

namespace api {
namespace {

constexpr std::string_view kUnknownField = "there is no such field";
constexpr std::string_view kSuggestion = "did you mean ";

// The field that the sentence begins with, cut off its front; empty if it begins with none.
std::string_view take_field(std::string_view& sentence) {
  const size_t end = sentence.find(": ");
  // Only a key that somebody else chose may have a blank in it, and such keys are quoted.
  if (end == std::string_view::npos ||
      (sentence.substr(0, end).contains(' ') && !sentence.substr(0, end).contains('"'))) {
    return {};
  }
  const std::string_view field = sentence.substr(0, end);
  sentence.remove_prefix(end + 2);
  return field;
}

}  // namespace

Problem input_problem(const base::Error& error) {
  Problem problem = problem_of(error);
  if (error.code != base::ErrorCode::kInvalid) {
    return problem;
  }
  std::string_view sentence = error.detail;
  std::string_view field = take_field(sentence);
  if (sentence.starts_with(kUnknownField)) {
    problem.code = "unknown_field";
  }
  const size_t suggestion = sentence.rfind(kSuggestion);
  if (suggestion != std::string_view::npos && suggestion >= 2) {
    problem.hint = sentence.substr(suggestion);
    sentence = sentence.substr(0, suggestion - 2);
  }
  if (field.size() > 2 && field.starts_with('"') && field.ends_with('"')) {
    field = field.substr(1, field.size() - 2);
  }
  problem.message = std::string(sentence);
  problem.field = std::string(field);
  return problem;
}

}  // namespace api
