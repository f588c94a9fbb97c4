#include "net/resolver.h"

#include <ares.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/check.h"

namespace net {
namespace {

using base::Duration;
using base::Instant;

constexpr int kTypeA = 1;
constexpr int kTypeNs = 2;
constexpr int kTypeAaaa = 28;
constexpr size_t kRecordsMax = 256;

// How long the other family may take once one has brought an address.
constexpr Duration kSecondFamilyPatience = Duration::ms(250);
// After this long without an answer the resolver itself is suspected ...
constexpr Duration kSuspicionAfter = Duration::ms(250);
// ... and after this long without an answer about the root it is found dead.
constexpr Duration kRootPatience = Duration::ms(500);

bool is_from_server(int status) {
  return status != ARES_ETIMEOUT && status != ARES_ECONNREFUSED && status != ARES_ENOMEM &&
         status != ARES_ECANCELLED && status != ARES_EBADNAME;
}

DnsFailure failure_of(int status) {
  switch (status) {
    case ARES_SUCCESS:
    case ARES_ENODATA:
      return DnsFailure::kNoAddress;
    case ARES_ENOTFOUND:
    case ARES_EBADNAME:
      return DnsFailure::kNoSuchName;
    case ARES_ETIMEOUT:
      return DnsFailure::kNoAnswer;
    case ARES_ECONNREFUSED:
    case ARES_ENOMEM:
    case ARES_ECANCELLED:
      return DnsFailure::kUnreachable;
    default:
      return DnsFailure::kServerFailure;
  }
}

// Of two families without addresses the more telling failure counts.
DnsFailure stronger(DnsFailure left, DnsFailure right) {
  for (const DnsFailure failure : {DnsFailure::kNoSuchName, DnsFailure::kServerFailure,
                                   DnsFailure::kNoAnswer, DnsFailure::kUnreachable}) {
    if (left == failure || right == failure) {
      return failure;
    }
  }
  return DnsFailure::kNoAddress;
}

struct Records {
  std::vector<Address> addresses;
  uint32_t ttl_seconds = UINT32_MAX;
};

template <class Record, class Parse, class Convert>
int read_records(std::span<const uint8_t> message, Parse parse, Convert convert, Records& records) {
  std::array<Record, kRecordsMax> found{};
  int count = kRecordsMax;
  const int status =
      parse(message.data(), static_cast<int>(message.size()), nullptr, found.data(), &count);
  if (status != ARES_SUCCESS) {
    return status;
  }
  for (int index = 0; index < count; ++index) {
    const Record& record = found[static_cast<size_t>(index)];
    records.addresses.push_back(convert(record));
    records.ttl_seconds =
        std::min(records.ttl_seconds, static_cast<uint32_t>(std::max(record.ttl, 0)));
  }
  return ARES_SUCCESS;
}

int read_records(int type, std::span<const uint8_t> message, Records& records) {
  if (type == kTypeA) {
    return read_records<ares_addrttl>(
        message, ares_parse_a_reply,
        [](const ares_addrttl& record) { return Address::v4(ntohl(record.ipaddr.s_addr)); },
        records);
  }
  return read_records<ares_addr6ttl>(
      message, ares_parse_aaaa_reply,
      [](const ares_addr6ttl& record) {
        std::array<uint8_t, 16> bytes{};
        std::memcpy(bytes.data(), &record.ip6addr, bytes.size());
        return Address::v6(bytes);
      },
      records);
}

}  // namespace

base::Result<std::unique_ptr<Resolver>> Resolver::make(Loop& loop, const ResolverOptions& options) {
  std::unique_ptr<Resolver> resolver(new Resolver(loop, options));
  TRY(resolver->channel_, DnsChannel::make(loop, {.servers = options.servers,
                                                  .try_timeout = options.try_timeout,
                                                  .tries = options.tries}));
  return resolver;
}

Resolver::Resolver(Loop& loop, const ResolverOptions& options)
    : loop_(loop), options_(options), cache_(options.cache), alive_(std::make_shared<bool>(true)) {}

Resolver::~Resolver() {
  *alive_ = false;
  for (const auto& [host, lookup] : lookups_) {
    loop_.cancel(lookup.timer);
  }
}

const DnsAnswer* Resolver::cached(std::string_view host) const {
  return cache_.find(host, loop_.now());
}

Resolver::LookupId Resolver::resolve(const std::string& host, Done done) {
  const auto id = static_cast<LookupId>(++last_lookup_);
  const auto [found, is_new] = lookups_.try_emplace(host);
  found->second.waiters.push_back({.id = id, .done = std::move(done)});
  hosts_.emplace(id, host);
  if (is_new) {
    found->second.number = last_lookup_;
    found->second.began = loop_.now();
    // c-ares may answer inside the call, and `done` must not run inside ours.
    loop_.post([this, alive = alive_, host] {
      if (*alive) {
        ask(host);
      }
    });
  }
  return id;
}

void Resolver::abandon(LookupId id) {
  const auto host = hosts_.find(id);
  if (host == hosts_.end()) {
    return;
  }
  // The lookup itself goes on: its answer will be of use to the next attempt.
  std::erase_if(lookups_.at(host->second).waiters,
                [id](const Waiter& waiter) { return waiter.id == id; });
  hosts_.erase(host);
}

void Resolver::ask(const std::string& host) {
  Lookup& lookup = lookups_.at(host);
  lookup.open_queries = 2;
  lookup.timer = loop_.call_at(loop_.now() + kSuspicionAfter, [this, began = lookup.began] {
    if (heard_at_ < began) {
      ask_root();
    }
  });
  const uint64_t number = lookup.number;
  for (const int type : {kTypeA, kTypeAaaa}) {
    channel_->query(host, type,
                    [this, host, number, type](int status, std::span<const uint8_t> message) {
                      answered({.host = host, .number = number, .type = type}, status, message);
                    });
  }
}

void Resolver::answered(const Query& query, int status, std::span<const uint8_t> message) {
  if (is_from_server(status)) {
    heard_at_ = loop_.now();
  }
  const auto found = lookups_.find(query.host);
  if (found == lookups_.end() || found->second.number != query.number) {
    return;  // The other family was enough.
  }
  Lookup& lookup = found->second;
  lookup.open_queries -= 1;
  lookup.is_refused = lookup.is_refused || status == ARES_ECONNREFUSED;
  Records records;
  const int read = status == ARES_SUCCESS ? read_records(query.type, message, records) : status;
  lookup.answer.addresses.insert(lookup.answer.addresses.end(), records.addresses.begin(),
                                 records.addresses.end());
  lookup.ttl_seconds = std::min(lookup.ttl_seconds, records.ttl_seconds);
  if (records.addresses.empty()) {
    const DnsFailure failure = failure_of(read);
    lookup.failure = stronger(lookup.failure.value_or(failure), failure);
  }
  if (lookup.open_queries == 0) {
    finish_or_ask_root(query.host);
  } else if (!lookup.answer.addresses.empty()) {
    loop_.cancel(lookup.timer);
    lookup.timer = loop_.call_at(loop_.now() + kSecondFamilyPatience,
                                 [this, host = query.host] { finish(host); });
  }
}

// c-ares says "connection refused" of servers that nobody runs and of servers that answer with a
// failure alike: with nothing else heard, the root tells the two apart.
void Resolver::finish_or_ask_root(const std::string& host) {
  Lookup& lookup = lookups_.at(host);
  if (!lookup.answer.addresses.empty() || !lookup.is_refused || heard_at_ >= lookup.began) {
    return finish(host);
  }
  lookup.awaits_root = true;
  ask_root();
}

void Resolver::finish(const std::string& host) {
  const auto node = lookups_.extract(host);
  Lookup& lookup = node.mapped();
  loop_.cancel(lookup.timer);
  DnsAnswer& answer = lookup.answer;
  if (answer.addresses.size() > options_.addresses_max) {
    answer = {.addresses = {}, .failure = DnsFailure::kServerFailure};
  } else if (answer.addresses.empty()) {
    answer.failure = lookup.failure;
    if (answer.failure == DnsFailure::kNoAnswer && is_unreachable_since(lookup.began)) {
      answer.failure = DnsFailure::kUnreachable;
    }
    if (lookup.is_refused && answer.failure == DnsFailure::kUnreachable &&
        heard_at_ >= lookup.began) {
      answer.failure = DnsFailure::kServerFailure;
    }
  }
  cache_.put(host, answer, Duration::seconds(lookup.ttl_seconds), loop_.now());
  for (const Waiter& waiter : lookup.waiters) {
    // One waiter's end may abandon another of them.
    if (hosts_.erase(waiter.id) > 0) {
      waiter.done(answer);
    }
  }
}

void Resolver::ask_root() {
  if (is_asking_root_) {
    return;
  }
  is_asking_root_ = true;
  root_asked_at_ = loop_.now();
  channel_->query(".", kTypeNs, [this](int status, std::span<const uint8_t> /*message*/) {
    is_asking_root_ = false;
    if (is_from_server(status)) {
      heard_at_ = loop_.now();
    }
    std::vector<std::string> waiting;
    for (const auto& [host, lookup] : lookups_) {
      if (lookup.awaits_root) {
        waiting.push_back(host);
      }
    }
    for (const std::string& host : waiting) {
      finish(host);
    }
  });
}

bool Resolver::is_unreachable_since(Instant began) const {
  if (heard_at_ >= began || (!is_asking_root_ && root_asked_at_ < began)) {
    return false;
  }
  return loop_.now() - std::max(root_asked_at_, began) >= kRootPatience;
}

}  // namespace net
