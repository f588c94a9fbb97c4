#include "match/random_json.h"

#include <array>
#include <string_view>

namespace match {

namespace {

constexpr std::array<std::string_view, 24> kScalars = {"null",
                                                       "true",
                                                       "false",
                                                       "0",
                                                       "1",
                                                       "1.0",
                                                       "2",
                                                       "-1.5",
                                                       "10",
                                                       "1e1",
                                                       "100",
                                                       R"("1")",
                                                       R"("1.0")",
                                                       R"("2")",
                                                       R"("a")",
                                                       R"("b")",
                                                       R"("ab")",
                                                       R"("true")",
                                                       R"("")",
                                                       R"("10")",
                                                       R"("2022-01-01")",
                                                       R"("2022-01-01T00:00:00Z")",
                                                       R"("2022-01-01T01:00:00+01:00")",
                                                       R"("2023-05-05T12:00:00.5Z")"};
constexpr std::array<std::string_view, 4> kKeys = {"f", "g", "h", "k"};
constexpr std::array<std::string_view, 12> kComparisons = {
    "eq",       "ne",          "gt",           "gte",     "lt",     "lte",
    "contains", "notContains", "containsOnly", "changed", "exists", "notExists"};

template <class Pool>
std::string_view pick(base::Prng& prng, const Pool& pool) {
  return pool[prng.below(pool.size())];
}

std::string random_object(base::Prng& prng, int depth) {
  std::string object = "{";
  for (const std::string_view key : kKeys) {
    if (prng.chance(60)) {
      object += object.size() > 1 ? "," : "";
      object += "\"" + std::string(key) + "\":" + random_value(prng, depth);
    }
  }
  return object + "}";
}

std::string random_list(base::Prng& prng, int depth) {
  std::string list = "[";
  for (uint64_t count = prng.below(4); count > 0; --count) {
    list += list.size() > 1 ? "," : "";
    list += random_value(prng, depth);
  }
  return list + "]";
}

std::string random_condition(base::Prng& prng) {
  // Half of them eq, which the index uses.
  const std::string_view comparison = prng.chance(50) ? "eq" : pick(prng, kComparisons);
  return R"({"fieldName":")" + std::string(pick(prng, kKeys)) + R"(","comparison":")" +
         std::string(comparison) + R"(","fieldValue":)" + random_value(prng, 2) +
         (prng.chance(20) ? R"(,"state":"oldState"})" : "}");
}

std::string random_group(base::Prng& prng) {
  std::string group = R"({"type":"group","connector":")";
  group += prng.chance(50) ? "AND" : "OR";
  group += R"(","filters":[)" + random_condition(prng);
  for (uint64_t count = 1 + prng.below(4); count > 0; --count) {
    group += "," + random_condition(prng);
  }
  return group + "]}";
}

}  // namespace

std::string random_value(base::Prng& prng, int depth) {
  const uint64_t kind = depth == 0 ? 0 : prng.below(6);
  return kind == 4   ? random_list(prng, depth - 1)
         : kind == 5 ? random_object(prng, depth - 1)
                     : std::string(pick(prng, kScalars));
}

std::string random_filter(base::Prng& prng) {
  std::string filters;
  for (uint64_t count = prng.below(4); count > 0; --count) {
    filters += filters.empty() ? "" : ",";
    filters += prng.chance(25) ? random_group(prng) : random_condition(prng);
  }
  return R"({"filterConnector":")" + std::string(prng.chance(70) ? "AND" : "OR") +
         R"(","filters":[)" + filters + "]}";
}

std::string random_payload(base::Prng& prng) {
  const uint64_t kind = prng.below(10);
  if (kind == 0) {
    return random_value(prng, 3);
  }
  if (kind == 1) {
    return R"({"newState":)" + random_object(prng, 2) + "}";
  }
  return R"({"newState":)" + random_object(prng, 2) + R"(,"oldState":)" + random_object(prng, 2) +
         "}";
}

std::string random_type(base::Prng& prng, bool is_pattern) {
  constexpr std::array<std::string_view, 3> kWords = {"a", "b", "c"};
  std::string type;
  for (uint64_t count = 1 + prng.below(3); count > 0; --count) {
    type += type.empty() ? "" : ".";
    type += is_pattern && prng.chance(25) ? "*" : pick(prng, kWords);
  }
  return is_pattern && prng.chance(20) ? type + ".**" : type;
}

}  // namespace match
