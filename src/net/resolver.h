// Names to addresses, by c-ares, on the loop: a resolver that does not answer delays the names that
// need it and nobody else.
//
// Only DNS is asked: no hosts file, no search list, nothing from the environment. A and AAAA are
// asked together; once one of them has brought an address the other gets a moment and no more.
// Whoever asks for a name that is being asked for already shares the answer.
//
// "The name's servers do not answer" and "our resolver is dead" look alike, and the first is the
// receiver's failure while the second is ours. So when a name keeps us waiting and nothing else has
// been heard from any resolver, the root is asked for, which every resolver knows: if even that
// stays unanswered, the resolver is to blame.
//
// It judges no address; that is the guard's, right before the connect.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "net/dns_cache.h"
#include "net/dns_channel.h"
#include "net/loop.h"

namespace net {

struct ResolverOptions {
  std::vector<std::string>
      servers;  // "192.0.2.53", "127.0.0.1:5353", "[::1]:53"; none: the system's
  base::Duration try_timeout = base::Duration::seconds(1);  // doubles with each round of tries
  int tries = 2;                                            // of each server
  size_t addresses_max = 64;                                // more of them are no usable answer
  DnsCacheOptions cache;
};

class Resolver {
 public:
  enum class LookupId : uint64_t { kNone = 0 };
  using Done = std::function<void(const DnsAnswer&)>;

  static base::Result<std::unique_ptr<Resolver>> make(Loop& loop, const ResolverOptions& options);
  ~Resolver();

  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;

  // An answer that is still good, or nothing. Valid until the next turn of the loop.
  const DnsAnswer* cached(std::string_view host) const;
  // `done` runs once and never inside the call, unless the lookup is abandoned before.
  LookupId resolve(const std::string& host, Done done);
  void abandon(LookupId lookup);

  // Whether a lookup that began at `began` and is still without answer waits for a dead resolver
  // rather than for a slow name.
  bool is_unreachable_since(base::Instant began) const;

 private:
  struct Query {
    std::string host;
    uint64_t number = 0;  // of the lookup; a later one of the same name is another
    int type = 0;
  };
  struct Waiter {
    LookupId id;
    Done done;
  };
  struct Lookup {
    uint64_t number = 0;
    std::vector<Waiter> waiters;
    base::Instant began;
    DnsAnswer answer;
    std::optional<DnsFailure> failure;  // of the families that brought nothing
    uint32_t ttl_seconds = UINT32_MAX;
    int open_queries = 0;
    bool is_refused = false;   // in the words of c-ares: a server that fails, or none at all
    bool awaits_root = false;  // to find out which
    base::Scheduler::TimerId timer = base::Scheduler::TimerId::kNone;
  };

  Resolver(Loop& loop, const ResolverOptions& options);

  void ask(const std::string& host);
  void answered(const Query& query, int status, std::span<const uint8_t> message);
  void finish_or_ask_root(const std::string& host);
  void finish(const std::string& host);
  void ask_root();

  Loop& loop_;
  ResolverOptions options_;
  DnsCache cache_;
  std::unordered_map<std::string, Lookup> lookups_;
  std::unordered_map<LookupId, std::string> hosts_;  // of the waiters
  uint64_t last_lookup_ = 0;
  base::Instant heard_at_;  // when any resolver last answered anything
  base::Instant root_asked_at_;
  bool is_asking_root_ = false;
  std::shared_ptr<bool> alive_;  // false for posted tasks that come after the end
  std::unique_ptr<DnsChannel> channel_;
};

}  // namespace net
