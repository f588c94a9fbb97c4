// What is wrong with a request, in the one shape that every refusal has:
//
//   {"error": {"code": "unknown_field", "message": "there is no field \"ur\"", "field": "ur",
//              "hint": "did you mean \"url\"?", "request_id": "..."}}
//
// The code is for programs and never changes its meaning; the message is a sentence for people; the
// field and the hint are there where they help.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "http/response.h"
#include "text/json_writer.h"

namespace api {

struct Problem {
  uint16_t status = 400;
  std::string_view code;  // of a constant
  std::string message;    // without a full stop
  std::string field = {};
  std::string hint = {};
  int retry_after_seconds = 0;  // of 429 and 503
};

Problem invalid(std::string_view field, std::string message, std::string hint = {});
// For ids that do not exist and for ids of others alike: nobody learns which.
Problem no_such(std::string_view thing);
Problem unavailable(std::string message);
// An error of ours in the words of HTTP.
Problem problem_of(const base::Error& error);

// The members of "error".
void write_problem(text::JsonWriter& json, const Problem& problem, std::string_view request_id);
http::Response response_of(const Problem& problem, std::string_view request_id);

inline constexpr std::string_view kJson = "application/json";

}  // namespace api
