// Who calls, and what he may do: what an API key stands for once it was found genuine.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"

namespace registry {

// The numbers are bits, and never leave the process: documents and answers have the words.
enum class Scope : uint8_t {
  kPublish = 1,  // events
  kRead = 2,     // everything that can be looked up
  kManage = 4,   // subscriptions, endpoints, deliveries
  kAdmin = 8,    // all of these, keys and tenants, in any tenant
};

class Scopes {
 public:
  constexpr Scopes() = default;
  constexpr Scopes(std::initializer_list<Scope> scopes) {
    for (const Scope scope : scopes) {
      add(scope);
    }
  }

  constexpr void add(Scope scope) { bits_ |= static_cast<uint8_t>(scope); }
  // An admin has every scope.
  constexpr bool has(Scope scope) const {
    return (bits_ & (static_cast<uint8_t>(scope) | static_cast<uint8_t>(Scope::kAdmin))) != 0;
  }
  constexpr bool is_empty() const { return bits_ == 0; }

  // As they were given: an admin's are "admin" alone.
  std::vector<std::string_view> words() const;

  friend constexpr bool operator==(const Scopes&, const Scopes&) = default;

 private:
  uint8_t bits_ = 0;
};

std::string_view word_of(Scope scope);
// kInvalid, with the nearest word, if there is no such scope.
base::Result<Scope> parse_scope(std::string_view word);

using KeyId = base::Id<struct ApiKeyTag>;

struct Caller {
  base::TenantId tenant;  // in which he acts
  Scopes scopes;
  KeyId key;
};

}  // namespace registry
