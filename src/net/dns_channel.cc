#include "net/dns_channel.h"

#include <sys/time.h>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <utility>

#include "base/check.h"

namespace net {
namespace {

using boost::asio::posix::stream_descriptor;

constexpr int kClassInternet = 1;

std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) {
    all += (all.empty() ? "" : ",") + word;
  }
  return all;
}

}  // namespace

// A socket of c-ares. Waiting handlers keep it alive; `owner` is empty once it is not c-ares' any
// more, so that late ones do nothing.
struct DnsChannel::Watched {
  Watched(DnsChannel& channel, int number)
      : owner(&channel), descriptor(number), asio(channel.loop_.context(), number) {}

  DnsChannel* owner;
  int descriptor;
  stream_descriptor asio;
  bool reads = false;
  bool writes = false;
  bool awaits_read = false;
  bool awaits_write = false;
};

base::Result<std::unique_ptr<DnsChannel>> DnsChannel::make(Loop& loop, const Options& options) {
  std::unique_ptr<DnsChannel> channel(new DnsChannel(loop));
  const auto opened = channel->open(options);
  if (!opened.has_value()) {
    return std::unexpected(opened.error());
  }
  return channel;
}

base::Result<void> DnsChannel::open(const Options& options) {
  // Constant data is built at its first call and never changed; there is nothing to clean up.
  if (const int status = ares_library_init(ARES_LIB_INIT_ALL); status != ARES_SUCCESS) {
    return base::fail(base::ErrorCode::kUnavailable,
                      std::string("the DNS library does not start: ") + ares_strerror(status));
  }
  ares_options settings{};
  // Given explicitly, so that c-ares takes neither from the environment nor from resolv.conf.
  // NOCHECKRESP: without it a server that fails or refuses is reported like one that is not there.
  settings.flags = ARES_FLAG_NOSEARCH | ARES_FLAG_NOALIASES | ARES_FLAG_NOCHECKRESP;
  settings.timeout = static_cast<int>(options.try_timeout.count_ms());
  settings.tries = options.tries;
  settings.ndots = 1;
  char only_dns[] = "b";
  settings.lookups = only_dns;
  settings.domains = nullptr;
  settings.ndomains = 0;
  settings.sock_state_cb = [](void* self, ares_socket_t descriptor, int reads, int writes) {
    static_cast<DnsChannel*>(self)->socket_changed(descriptor, reads != 0, writes != 0);
  };
  settings.sock_state_cb_data = this;
  int status = ares_init_options(&channel_, &settings,
                                 ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES |
                                     ARES_OPT_NDOTS | ARES_OPT_LOOKUPS | ARES_OPT_DOMAINS |
                                     ARES_OPT_NOROTATE | ARES_OPT_SOCK_STATE_CB);
  if (status == ARES_SUCCESS && !options.servers.empty()) {
    status = ares_set_servers_ports_csv(channel_, joined(options.servers).c_str());
  }
  if (status != ARES_SUCCESS) {
    return base::fail(base::ErrorCode::kInvalid,
                      std::string("the DNS servers cannot be used: ") + ares_strerror(status));
  }
  return {};
}

DnsChannel::~DnsChannel() {
  loop_.cancel(timer_);
  if (channel_ != nullptr) {
    ares_destroy(channel_);  // Answers every open question with ARES_EDESTRUCTION.
  }
}

void DnsChannel::query(const std::string& name, int type, Done done) {
  auto answer = [](void* argument, int status, int /*timeouts*/, unsigned char* bytes, int size) {
    const std::unique_ptr<Done> waiting(static_cast<Done*>(argument));
    if (status != ARES_EDESTRUCTION) {
      const size_t length = bytes == nullptr ? 0 : static_cast<size_t>(size);
      (*waiting)(status, {bytes, length});
    }
  };
  ares_query(channel_, name.c_str(), kClassInternet, type, answer,
             std::make_unique<Done>(std::move(done)).release());
  arm_timer();
}

void DnsChannel::socket_changed(int descriptor, bool reads, bool writes) {
  const auto found = sockets_.find(descriptor);
  if (!reads && !writes) {
    if (found != sockets_.end()) {
      found->second->owner = nullptr;
      found->second->asio.release();  // c-ares closes it.
      sockets_.erase(found);
    }
    return;
  }
  std::shared_ptr<Watched>& watched = sockets_[descriptor];
  if (watched == nullptr) {
    watched = std::make_shared<Watched>(*this, descriptor);
  }
  watched->reads = reads;
  watched->writes = writes;
  wait(watched);
}

void DnsChannel::wait(const std::shared_ptr<Watched>& watched) {
  using Wait = stream_descriptor::wait_type;
  if (watched->reads && !watched->awaits_read) {
    watched->awaits_read = true;
    watched->asio.async_wait(Wait::wait_read, [watched](const boost::system::error_code&) {
      watched->awaits_read = false;
      if (watched->owner != nullptr) {
        watched->owner->process(watched->descriptor, ARES_SOCKET_BAD);
      }
      if (watched->owner != nullptr) {
        watched->owner->wait(watched);
      }
    });
  }
  if (watched->writes && !watched->awaits_write) {
    watched->awaits_write = true;
    watched->asio.async_wait(Wait::wait_write, [watched](const boost::system::error_code&) {
      watched->awaits_write = false;
      if (watched->owner != nullptr && watched->writes) {
        watched->owner->process(ARES_SOCKET_BAD, watched->descriptor);
      }
      if (watched->owner != nullptr) {
        watched->owner->wait(watched);
      }
    });
  }
}

void DnsChannel::process(ares_socket_t readable, ares_socket_t writable) {
  ares_process_fd(channel_, readable, writable);
  arm_timer();
}

void DnsChannel::arm_timer() {
  loop_.cancel(timer_);
  timer_ = base::Scheduler::TimerId::kNone;
  timeval wait{};
  if (ares_timeout(channel_, nullptr, &wait) == nullptr) {
    return;
  }
  // Rounded up: a timer that rings too early only rings again.
  const base::Duration delay = base::Duration::ms(wait.tv_sec * 1000 + wait.tv_usec / 1000 + 1);
  timer_ = loop_.call_at(loop_.now() + delay, [this] {
    timer_ = base::Scheduler::TimerId::kNone;
    process(ARES_SOCKET_BAD, ARES_SOCKET_BAD);
  });
}

}  // namespace net
