// Answers of the resolver, kept for as long as they are good. Knows no clock and asks nobody.
//
// Names that failed are remembered too, for a moment: a thousand deliveries to a name that does not
// exist are one question.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/time.h"
#include "net/address.h"

namespace net {

enum class DnsFailure : uint8_t {
  kNoSuchName,
  kNoAddress,
  kServerFailure,  // the name's servers fail, refuse, or send nonsense
  kNoAnswer,       // they do not answer, though the resolver lives
  kUnreachable,    // ours: no resolver can be reached. Never cached
};

// Addresses, or why there are none.
struct DnsAnswer {
  std::vector<Address> addresses;
  std::optional<DnsFailure> failure;
};

struct DnsCacheOptions {
  base::Duration ttl_min = base::Duration::seconds(1);
  base::Duration ttl_max = base::Duration::minutes(5);
  base::Duration failure_ttl = base::Duration::seconds(2);
  size_t entries_max = 65'536;
};

class DnsCache {
 public:
  explicit DnsCache(const DnsCacheOptions& options) : options_(options) {}

  // Valid until the next call that is not const.
  const DnsAnswer* find(std::string_view host, base::Instant now) const;
  // `ttl` counts for addresses only, and is brought within the bounds.
  void put(const std::string& host, DnsAnswer answer, base::Duration ttl, base::Instant now);

  size_t size() const { return by_name_.size(); }

 private:
  struct Entry {
    std::string host;
    DnsAnswer answer;
    base::Instant good_until;
  };
  using Entries = std::list<Entry>;

  base::Duration lifetime(const DnsAnswer& answer, base::Duration ttl) const;

  DnsCacheOptions options_;
  Entries entries_;  // in the order of their arrival: the oldest goes when there is no room
  std::unordered_map<std::string_view, Entries::iterator> by_name_;  // views of Entry::host
};

}  // namespace net
