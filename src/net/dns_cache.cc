#include "net/dns_cache.h"

#include <algorithm>
#include <utility>

namespace net {

const DnsAnswer* DnsCache::find(std::string_view host, base::Instant now) const {
  const auto found = by_name_.find(host);
  if (found == by_name_.end() || found->second->good_until <= now) {
    return nullptr;
  }
  return &found->second->answer;
}

void DnsCache::put(const std::string& host, DnsAnswer answer, base::Duration ttl,
                   base::Instant now) {
  if (const auto found = by_name_.find(host); found != by_name_.end()) {
    const auto entry = found->second;
    by_name_.erase(found);
    entries_.erase(entry);
  }
  const base::Duration kept = lifetime(answer, ttl);
  if (kept <= base::Duration() || options_.entries_max == 0) {
    return;
  }
  if (entries_.size() >= options_.entries_max) {
    by_name_.erase(entries_.front().host);
    entries_.pop_front();
  }
  entries_.push_back({.host = host, .answer = std::move(answer), .good_until = now + kept});
  by_name_.emplace(entries_.back().host, std::prev(entries_.end()));
}

base::Duration DnsCache::lifetime(const DnsAnswer& answer, base::Duration ttl) const {
  if (answer.failure == DnsFailure::kUnreachable) {
    return {};
  }
  if (answer.failure.has_value()) {
    return options_.failure_ttl;
  }
  return std::clamp(ttl, options_.ttl_min, options_.ttl_max);
}

}  // namespace net
