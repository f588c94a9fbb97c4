// The live tail: whoever listens to GET /v1/stream hears what happens in his tenant, as it happens.
//
// Only what is durable is told, so nobody sees what a crash could undo. Nothing is kept for who
// comes later, and nothing is computed while nobody listens. Readers never hold anybody up: what
// one does not take is left out, and he is told so (see tail_queue.h).
//
// A reader whose key is revoked or expires, or whose tenant goes, is cut off within a heartbeat.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "api/call.h"
#include "api/problem.h"
#include "api/tail_filter.h"
#include "api/tail_message.h"
#include "api/tail_queue.h"
#include "base/ids.h"
#include "base/scheduler.h"
#include "base/time.h"
#include "core/options.h"
#include "delivery/recent_events.h"
#include "http/answer.h"
#include "model/section.h"
#include "registry/caller.h"

namespace api {

struct TailOptions {
  uint32_t streams_max = 256;
  uint32_t streams_per_tenant_max = 16;
  base::Duration heartbeat = base::Duration::seconds(15);
  // What one reader may have waiting. Less than what ends an http::Stream.
  size_t waiting_bytes_max = size_t{128} * 1024;
};

class Tail {
 public:
  struct Parts {
    base::Scheduler& scheduler;
    const delivery::RecentEvents& recent;
    const core::CircuitOptions& circuit;
    // Whether the caller may still read what he asked for.
    std::function<bool(const registry::Caller&)> may_read;
  };

  // Outlives the HTTP server.
  Tail(const TailOptions& options, Parts parts);
  ~Tail();

  Tail(const Tail&) = delete;
  Tail& operator=(const Tail&) = delete;

  // Why nobody more can listen, if it is so.
  std::optional<Problem> find_problem(base::TenantId tenant) const;
  // From now on. `is_again`: the client has listened before.
  void open(const registry::Caller& caller, const TailFilter& filter, Reply& reply, bool is_again);

  // What has become durable.
  void event_stored(base::Sequence sequence, const std::shared_ptr<const model::Event>& content,
                    const std::vector<model::Delivery>& deliveries);
  void section_durable(const model::Section& section);

  size_t streams() const { return streams_; }
  // Messages that readers did not get, since the start.
  uint64_t left_out() const { return left_out_; }

 private:
  struct Reader {
    uint64_t number;
    registry::Caller caller;
    TailFilter filter;
    TailQueue queue;
    http::Stream stream;
  };

  template <class Wants, class Make>
  void tell(base::TenantId tenant, TailKind kind, Wants wants, Make make);
  void tell_change(const model::DeliveryChange& change);
  void tell_transition(const model::Section& section, const model::Transition& transition);
  void add(Reader& reader, TailKind kind, std::string_view json);
  void send_later();
  void send();
  static void send(Reader& reader);
  void beat();
  void beat_later();
  void forget(base::TenantId tenant, uint64_t number);

  TailOptions options_;
  Parts parts_;
  std::map<base::TenantId, std::vector<Reader>> readers_;  // no tenant without one
  size_t streams_ = 0;
  uint64_t last_number_ = 0;
  uint64_t left_out_ = 0;
  bool will_send_ = false;
  base::Scheduler::TimerId heartbeat_ = base::Scheduler::TimerId::kNone;
};

}  // namespace api
