// A receiver for trying things out: takes webhooks on this machine, says whether their signatures
// are good, shows them, and answers as it was told to: a status, late, or failing at first.
//
// It refuses nothing that is badly signed: what it is for is to show.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "delivery/signature.h"
#include "http/answer.h"
#include "http/request.h"
#include "http/server.h"
#include "net/loop.h"

namespace client {

struct ReceiverOptions {
  uint16_t port = 9000;  // 0: any that is free
  uint16_t status = 200;
  base::Duration delay;
  uint64_t fail_first = 0;  // so many requests are answered 503 before
  bool prints_json = false;
};

class Receiver {
 public:
  using Print = std::function<void(std::string_view text)>;

  // Listens from now on. Without a verifier signatures are not looked at.
  static base::Result<std::unique_ptr<Receiver>> listen(net::Loop& loop,
                                                        const ReceiverOptions& options,
                                                        std::optional<delivery::Verifier> verifier,
                                                        Print print);

  uint16_t port() const { return server_->port(); }
  uint64_t received() const { return received_; }
  // Answers what waits, then calls `done`.
  void stop(const std::function<void()>& done);

 private:
  Receiver(net::Loop& loop, const ReceiverOptions& options,
           std::optional<delivery::Verifier> verifier, Print print);

  void receive(const http::Request& request, http::Answer answer);
  std::string verdict_on(const http::Request& request) const;
  void answer_later(uint16_t status, http::Answer answer);
  void answer_now(uint64_t number);

  struct Pending {
    uint16_t status;
    http::Answer answer;
  };

  net::Loop& loop_;
  ReceiverOptions options_;
  std::optional<delivery::Verifier> verifier_;
  Print print_;
  uint64_t received_ = 0;
  std::map<uint64_t, Pending> pending_;  // answers that wait, by number
  std::unique_ptr<http::Server> server_;
};

}  // namespace client
