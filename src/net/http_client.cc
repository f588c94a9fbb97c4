#include "net/http_client.h"

#include <utility>

#include "base/check.h"

namespace net {

base::Result<std::unique_ptr<HttpClient>> HttpClient::make(Loop& loop,
                                                           const ClientOptions& options) {
  ClientOptions complete = options;
  if (complete.tls == nullptr) {
    TRY(const std::shared_ptr<const TlsRoots> roots, TlsRoots::system());
    TRY(complete.tls, TlsIdentity::make(*roots));
  }
  TRY(std::unique_ptr<Resolver> resolver, Resolver::make(loop, options.resolver));
  return std::unique_ptr<HttpClient>(new HttpClient(loop, complete, std::move(resolver)));
}

HttpClient::HttpClient(Loop& loop, const ClientOptions& options, std::unique_ptr<Resolver> resolver)
    : loop_(loop),
      guard_(options.guard),
      resolver_(std::move(resolver)),
      connector_(loop, guard_, options.source),
      pool_(loop, options.pool),
      parts_{.loop = loop,
             .resolver = *resolver_,
             .guard = guard_,
             .connector = connector_,
             .pool = pool_,
             .tls = options.tls,
             .proxy = options.proxy,
             .response = options.response,
             .connections_max = options.connections_max,
             .buffer = {},
             .scratch = {}},
      start_waiting_(loop, [this] { start_waiting(); }),
      alive_(std::make_shared<bool>(true)) {}

HttpClient::~HttpClient() {
  *alive_ = false;
  abandon_all();
}

HttpClient::Handle HttpClient::post(Request request, Done done) {
  CHECK(request.body != nullptr);
  const auto handle = static_cast<Handle>(++last_handle_);
  pending_.at(last_handle_)
      .reset(new Pending{
          .done = std::move(done),
          .exchange = Exchange(parts_, std::move(request), [this, handle](Reply&& reply) {
            complete(handle, std::move(reply));
          })});
  waiting_.push_back(handle);
  start_waiting_.ask();
  return handle;
}

// One after the other, with nothing in between: a receiver that sleeps is woken by the first, and
// finds the others when it looks for more.
void HttpClient::start_waiting() {
  const std::shared_ptr<bool> alive = alive_;
  const std::vector<Handle> handles = std::exchange(waiting_, {});
  loop_.readiness().look();  // They may take connections that were idle.
  for (const Handle handle : handles) {
    if (const auto* found = pending_.find(static_cast<uint64_t>(handle))) {
      (*found)->exchange.start();
    }
    if (!*alive) {
      return;
    }
  }
}

void HttpClient::abandon(Handle handle) { pending_.take(static_cast<uint64_t>(handle)); }

void HttpClient::abandon_all() { pending_ = {}; }

void HttpClient::complete(Handle handle, Reply&& reply) {
  const std::unique_ptr<Pending> ended = pending_.take(static_cast<uint64_t>(handle));
  if (ended != nullptr) {
    ended->done(std::move(reply));
  }
}

}  // namespace net
