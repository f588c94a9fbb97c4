#include "server/request_source.h"

#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "text/id_text.h"

namespace server {
namespace {

delivery::PreparedRequest make_request(const model::Delivery& delivery,
                                       const registry::Target& target,
                                       const std::shared_ptr<const model::Event>& event) {
  delivery::PreparedRequest request;
  target.put_into(request);
  // The payload lives in the event, and as long as somebody has it.
  request.body = std::shared_ptr<const std::string>(event, &event->payload);
  request.webhook_id = webhook_id_of(*event, delivery.id.sequence());
  request.headers.push_back({.name = "postrider-event-type", .value = event->type});
  request.headers.push_back({.name = "postrider-delivery", .value = text::id_text(delivery.id)});
  return request;
}

}  // namespace

std::string webhook_id_of(const model::Event& event, base::Sequence sequence) {
  return event.id.empty() ? text::event_id_text(sequence) : event.id;
}

void RequestSource::prepare(const delivery::AttemptRequest& request, delivery::PrepareDone done) {
  registry_.target_of(request.delivery, [this, delivery = request.delivery, done = std::move(done)](
                                            const base::Result<Target>& target) {
    if (target.has_value()) {
      target_found(delivery, *target, done);
    } else {
      done(std::unexpected(target.error()));
    }
  });
}

void RequestSource::target_found(const model::Delivery& delivery, const Target& target,
                                 const delivery::PrepareDone& done) {
  if (const auto event = recent_.find(delivery.id.sequence())) {
    done(make_request(delivery, *target, event));
    return;
  }
  store_.load_event(delivery.id.sequence(), [delivery, target,
                                             done](std::optional<model::Event> event) {
    if (!event.has_value()) {
      done(base::fail(base::ErrorCode::kNotFound, "the event's content is not in the store"));
      return;
    }
    done(make_request(delivery, *target, std::make_shared<const model::Event>(*std::move(event))));
  });
}

}  // namespace server
