// /v1/subscriptions: which events go where.
#pragma once

#include "api/call.h"

namespace api {

void create_subscription(Backend& backend, Call& call);
void list_subscriptions(Backend& backend, Call& call);
void show_subscription(Backend& backend, Call& call);
// Fields that the body does not name stay as they are.
void update_subscription(Backend& backend, Call& call);
// No delivery of it starts after the answer.
void delete_subscription(Backend& backend, Call& call);
void rotate_subscription_secret(Backend& backend, Call& call);

// These act on its endpoint, which other subscriptions may share, and answer with that.
void enable_subscription(Backend& backend, Call& call);
void pause_subscription(Backend& backend, Call& call);
void resume_subscription(Backend& backend, Call& call);

}  // namespace api
