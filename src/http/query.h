// The parameters of a query, decoded once. At most 32 of them, each name once: a doubled parameter
// means one thing to a proxy and another to us, so it means nothing.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace http {

struct Parameter {
  std::string name;
  std::string value;
};

class Query {
 public:
  static constexpr size_t kParametersMax = 32;

  // `text` is without the question mark. An error is for the client's eyes.
  static base::Result<Query> parse(std::string_view text);

  std::optional<std::string_view> find(std::string_view name) const;
  const std::vector<Parameter>& parameters() const { return parameters_; }

 private:
  base::Result<void> add(std::string_view pair);

  std::vector<Parameter> parameters_;
};

}  // namespace http
