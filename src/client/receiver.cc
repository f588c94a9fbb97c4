#include "client/receiver.h"

#include <utility>

#include "client/received.h"
#include "http/options.h"

namespace client {
namespace {

constexpr size_t kBodyBytesMax = size_t{16} << 20U;
constexpr base::Duration kDrainLimit = base::Duration::seconds(1);
constexpr uint16_t kFailure = 503;

http::Response response_of(uint16_t status) {
  // These have no body at all.
  if (status == 204 || status == 304) {
    return {.status = status};
  }
  return {.status = status, .content_type = "text/plain", .body = "postrider listen\n"};
}

}  // namespace

Receiver::Receiver(net::Loop& loop, const ReceiverOptions& options,
                   std::optional<delivery::Verifier> verifier, Print print)
    : loop_(loop), options_(options), verifier_(std::move(verifier)), print_(std::move(print)) {}

base::Result<std::unique_ptr<Receiver>> Receiver::listen(net::Loop& loop,
                                                         const ReceiverOptions& options,
                                                         std::optional<delivery::Verifier> verifier,
                                                         Print print) {
  std::unique_ptr<Receiver> receiver(
      new Receiver(loop, options, std::move(verifier), std::move(print)));
  http::ServerOptions server_options;
  server_options.limits.body_bytes_max = [](const http::Request&) { return kBodyBytesMax; };
  const net::SocketAddress address{.address = net::Address::v4(0x7F000001), .port = options.port};
  const http::Site site{
      .on_request = [it = receiver.get()](
                        const http::Request& request,
                        http::Answer answer) { it->receive(request, std::move(answer)); },
      .explain = http::explain_as_json};
  TRY(receiver->server_, http::Server::listen(loop, address, server_options, site));
  return receiver;
}

void Receiver::receive(const http::Request& request, http::Answer answer) {
  received_ += 1;
  Received received{.at = loop_.wall_clock(),
                    .number = received_,
                    .status = received_ <= options_.fail_first ? kFailure : options_.status};
  if (verifier_.has_value()) {
    received.refusal = verdict_on(request);
  }
  print_(options_.prints_json ? received_json(received, request)
                              : received_text(received, request));
  answer_later(received.status, std::move(answer));
}

std::string Receiver::verdict_on(const http::Request& request) const {
  const delivery::WebhookHeaders headers{
      .id = request.fields.find("webhook-id").value_or(""),
      .timestamp = request.fields.find("webhook-timestamp").value_or(""),
      .signature = request.fields.find("webhook-signature").value_or("")};
  const auto refusal = verifier_->verify(headers, request.body, loop_.wall_clock().ms() / 1000);
  return refusal.has_value() ? std::string(delivery::to_words(*refusal)) : "";
}

void Receiver::answer_later(uint16_t status, http::Answer answer) {
  const uint64_t number = received_;
  pending_.emplace(number, Pending{.status = status, .answer = std::move(answer)});
  if (options_.delay == base::Duration()) {
    answer_now(number);
    return;
  }
  loop_.call_at(loop_.now() + options_.delay, [this, number] { answer_now(number); });
}

void Receiver::answer_now(uint64_t number) {
  if (auto pending = pending_.extract(number)) {
    pending.mapped().answer.send(response_of(pending.mapped().status));
  }
}

void Receiver::stop(const std::function<void()>& done) {
  while (!pending_.empty()) {
    answer_now(pending_.begin()->first);
  }
  server_->drain(kDrainLimit, done);
}

}  // namespace client
