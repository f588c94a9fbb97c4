#include "server/request_source.h"

#include <optional>
#include <string>
#include <utility>

#include "base/hash.h"
#include "base/result.h"
#include "text/id_text.h"
#include "text/trace_context.h"

namespace server {

std::string webhook_id_of(const model::Event& event, base::Sequence sequence) {
  return event.id.empty() ? text::event_id_text(sequence) : event.id;
}

delivery::PreparedRequest RequestSource::make_request(
    const Wanted& wanted, const registry::Target& target,
    const std::shared_ptr<const model::Event>& event) {
  const model::Delivery& delivery = wanted.delivery;
  delivery::PreparedRequest request;
  target.put_into(request);
  // The payload lives in the event, and as long as somebody has it.
  request.body = std::shared_ptr<const std::string>(event, &event->payload);
  request.webhook_id = webhook_id_of(*event, delivery.id.sequence());
  if (!event->traceparent.empty()) {
    request.headers.add("traceparent", text::with_span(event->traceparent, wanted.span));
  }
  request.headers.add("postrider-event-type", event->type);
  request.headers.add("postrider-delivery", text::id_text(delivery.id));
  return request;
}

void RequestSource::prepare(const delivery::AttemptRequest& request, delivery::PrepareDone done) {
  const Wanted wanted{
      .delivery = request.delivery,
      .span = base::mix(base::mix(span_seed_, request.delivery.id.value), request.number)};
  registry_.target_of(request.delivery,
                      [this, wanted, done = std::move(done)](const base::Result<Target>& target) {
                        if (target.has_value()) {
                          target_found(wanted, *target, done);
                        } else {
                          done(std::unexpected(target.error()));
                        }
                      });
}

void RequestSource::target_found(const Wanted& wanted, const Target& target,
                                 const delivery::PrepareDone& done) {
  const base::Sequence sequence = wanted.delivery.id.sequence();
  if (const auto event = recent_.find(sequence)) {
    done(make_request(wanted, *target, event));
    return;
  }
  store_.load_event(sequence, [wanted, target, done](std::optional<model::Event> event) {
    if (!event.has_value()) {
      done(base::fail(base::ErrorCode::kNotFound, "the event's content is not in the store"));
      return;
    }
    done(make_request(wanted, *target, std::make_shared<const model::Event>(*std::move(event))));
  });
}

}  // namespace server
