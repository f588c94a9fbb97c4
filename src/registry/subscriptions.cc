#include "registry/subscriptions.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "registry/record_json.h"
#include "text/id_text.h"

namespace registry {
namespace {

// How often a change is tried again when others change the same thing at the same time.
constexpr int kTriesMax = 8;

// Tells at each start that a subscription is gone, until no delivery of it can be left.
constexpr std::string_view kRemovedPrefix = "removed/";

DocumentPlace place_of(base::TenantId tenant, base::SubscriptionId id) {
  return {.table = model::Table::kSubscriptions, .tenant = tenant, .key = text::id_text(id)};
}

std::unexpected<base::Error> no_such(base::SubscriptionId id) {
  return base::fail(base::ErrorCode::kNotFound, "there is no subscription " + text::id_text(id));
}

core::RetrySchedule schedule_of(const model::RetryPolicy& policy) {
  auto schedule = core::RetrySchedule::make(policy);
  CHECK(schedule.has_value());  // was judged when it was read
  return *std::move(schedule);
}

model::DocumentChange tombstone_of(const Subscription& subscription, base::Instant until) {
  std::string value;
  text::JsonWriter writer(value);
  writer.begin_object().field("v", kRecordVersion);
  write_instant(writer, "until", until);
  writer.end_object();
  return {.table = model::Table::kJobs,
          .tenant = subscription.tenant,
          .key = fmt::format("{}{}", kRemovedPrefix, text::id_text(subscription.id)),
          .value = std::move(value),
          .expected_revision = 0};
}

}  // namespace

struct Subscriptions::Change {
  base::TenantId tenant;
  base::SubscriptionId id;
  bool is_new = false;
  Edit edit;
  Done<ChangedSubscription> done;
  int tries = 0;
  std::optional<Subscription> before = {};
  match::Subscription wanted = {};
  std::optional<model::DocumentChange> endpoint_creation = {};
  uint64_t reserved = 0;  // the likeness that nobody else can take meanwhile
  ChangedSubscription result = {};

  Subscription& after() { return result.subscription; }
};

Subscriptions::Subscriptions(Parts parts, const model::RetryPolicy& retry, Told told)
    : parts_(std::move(parts)), schedule_(schedule_of(retry)), told_(std::move(told)) {}

void Subscriptions::load(Done<void> done) {
  parts_.documents.each(
      model::Table::kSubscriptions, [this](const model::Document& it) { return loaded(it); },
      [this, done = std::move(done)](base::Result<void> result) {
        if (!result.has_value()) {
          done(std::move(result));
          return;
        }
        parts_.documents.each(
            model::Table::kJobs, [this](const model::Document& it) { return job_loaded(it); },
            done);
      });
}

base::Result<void> Subscriptions::loaded(const model::Document& document) {
  TRY(LoadedSubscription subscription, load_subscription(parser_, document));
  const model::SubscriptionSettings& settings = subscription.settings;
  if (!parts_.tenants.contains(document.tenant)) {
    told_.removed(settings.id);  // its tenant is being erased
    return {};
  }
  if (!parts_.index.add(std::move(subscription.wanted))) {
    return corrupt_record(document);
  }
  twins_.at(subscription.likeness) = settings.id;
  keep_schedule(settings);
  if (is_special(settings)) {
    told_.settings(settings);
  }
  return {};
}

base::Result<void> Subscriptions::job_loaded(const model::Document& document) {
  if (!document.key.starts_with(kRemovedPrefix)) {
    return {};
  }
  TRY(RecordReader record, open_record(parser_, document));
  const auto id = text::parse_subscription_id(document.key.substr(kRemovedPrefix.size()));
  const base::Instant until = record.instant("until");
  if (!id || !record.is_sound()) {
    return corrupt_record(document);
  }
  told_.removed(*id);
  if (until < parts_.documents.now()) {
    // What is left all the same, because nobody ran for long, is cancelled when it comes up.
    parts_.documents.commit({{.table = document.table,
                              .tenant = document.tenant,
                              .key = document.key,
                              .value = std::nullopt,
                              .expected_revision = document.revision}},
                            [](const base::Result<void>&) {});
  }
  return {};
}

Sealing Subscriptions::sealing(const secrets::TenantKey& key) const {
  return {.key = key, .roots = *parts_.roots, .now = parts_.documents.now()};
}

void Subscriptions::create(base::TenantId tenant, match::JsonValue body,
                           Done<ChangedSubscription> done) {
  auto read = read_subscription_input(body);
  if (!read.has_value()) {
    done(std::unexpected(std::move(read.error())));
    return;
  }
  if (parts_.index.size(tenant) >= kPerTenantMax) {
    done(base::fail(
        base::ErrorCode::kConflict,
        fmt::format("this tenant has {} subscriptions already; delete some first", kPerTenantMax)));
    return;
  }
  const auto input = std::make_shared<const SubscriptionInput>(*std::move(read));
  begin(std::make_shared<Change>(Change{
      .tenant = tenant,
      .id = {parts_.ids.next()},
      .is_new = true,
      .edit = [this, input](
                  Subscription& it,
                  const secrets::TenantKey& key) { return apply_input(*input, sealing(key), it); },
      .done = std::move(done)}));
}

void Subscriptions::update(base::TenantId tenant, base::SubscriptionId id, match::JsonValue body,
                           Done<ChangedSubscription> done) {
  auto read = read_subscription_input(body);
  if (!read.has_value()) {
    done(std::unexpected(std::move(read.error())));
    return;
  }
  const auto input = std::make_shared<const SubscriptionInput>(*std::move(read));
  begin(std::make_shared<Change>(Change{
      .tenant = tenant,
      .id = id,
      .edit = [this, input](
                  Subscription& it,
                  const secrets::TenantKey& key) { return apply_input(*input, sealing(key), it); },
      .done = std::move(done)}));
}

void Subscriptions::rotate(base::TenantId tenant, base::SubscriptionId id, match::JsonValue body,
                           Done<ChangedSubscription> done) {
  auto read = read_rotation_input(body);
  if (!read.has_value()) {
    done(std::unexpected(std::move(read.error())));
    return;
  }
  const auto input = std::make_shared<const RotationInput>(*std::move(read));
  begin(std::make_shared<Change>(
      Change{.tenant = tenant,
             .id = id,
             .edit =
                 [this, input](Subscription& it, const secrets::TenantKey& key) {
                   return rotate_secret(*input, sealing(key), it);
                 },
             .done = std::move(done)}));
}

void Subscriptions::begin(const ChangePtr& change) {
  ++change->tries;
  if (change->is_new) {
    change->after() = Subscription{.tenant = change->tenant,
                                   .id = change->id,
                                   .settings = {.id = change->id},
                                   .created_at = parts_.documents.now()};
    apply(change);
    return;
  }
  find(change->tenant, change->id, [this, change](base::Result<Subscription> found) {
    if (!found.has_value()) {
      fail(*change, std::move(found.error()));
      return;
    }
    change->before = *found;
    change->after() = *std::move(found);
    apply(change);
  });
}

base::Result<bool> Subscriptions::try_edit(Change& change) {
  TRY(const secrets::TenantKey key, parts_.tenants.open_key(change.tenant));
  Subscription& after = change.after();
  TRY(change.result.signing_secret, change.edit(after, key));
  if (!change.before || change.before->url != after.url) {
    TRY([[maybe_unused]] const bool is_reachable, check_url(after.url, parts_.guard));
  }
  TRY(change.wanted, wanted_by(parser_, after));
  change.result.warnings = match::warnings_of(change.wanted.filter, after.type);
  after.updated_at = parts_.documents.now();
  after.kept_for = std::max(after.kept_for, unfinished_for(after));
  return true;
}

void Subscriptions::apply(const ChangePtr& change) {
  auto edited = try_edit(*change);
  if (!edited.has_value()) {
    fail(*change, std::move(edited.error()));
    return;
  }
  change->endpoint_creation.reset();
  if (change->before && change->before->url == change->after().url) {
    check_twin(change);
    return;
  }
  parts_.endpoints.place_of(change->tenant, change->after().url,
                            [this, change](base::Result<Endpoints::Place> place) {
                              if (!place.has_value()) {
                                fail(*change, std::move(place.error()));
                                return;
                              }
                              change->after().endpoint = place->id;
                              change->wanted.endpoint = place->id;
                              change->endpoint_creation = std::move(place->creation);
                              check_twin(change);
                            });
}

void Subscriptions::check_twin(const ChangePtr& change) {
  const uint64_t likeness = likeness_of(change->after());
  const base::SubscriptionId* taken = twins_.find(likeness);
  if (taken == nullptr || *taken == change->id) {
    if (taken == nullptr) {
      release_likeness(std::exchange(change->reserved, likeness), change->id);
      twins_.at(likeness) = change->id;
    }
    write(change);
    return;
  }
  const base::SubscriptionId twin = *taken;
  parts_.documents.find(
      place_of(change->tenant, twin),
      [this, change, twin](const std::optional<model::Document>& document) {
        const auto other = document ? decode_subscription(parser_, *document) : no_such(twin);
        // One that is not there yet is being created at this moment.
        if (!other.has_value() || is_alike(*other, change->after())) {
          fail(*change,
               {base::ErrorCode::kConflict,
                fmt::format("the subscription {} has the same url, type, object and filters; "
                            "change that one",
                            text::id_text(twin))});
          return;
        }
        write(change);  // only its hash is the same
      });
}

void Subscriptions::write(const ChangePtr& change) {
  DocumentPlace place = place_of(change->tenant, change->id);
  std::vector<model::DocumentChange> changes;
  changes.push_back({.table = place.table,
                     .tenant = place.tenant,
                     .key = std::move(place.key),
                     .value = encode_subscription(change->after()),
                     .expected_revision = change->before ? change->before->revision : 0});
  if (change->endpoint_creation) {
    changes.push_back(*change->endpoint_creation);
  }
  parts_.documents.commit(std::move(changes), [this, change](base::Result<void> result) {
    if (result.has_value()) {
      written(*change);
      return;
    }
    if (result.error().code == base::ErrorCode::kConflict && change->tries < kTriesMax) {
      begin(change);
      return;
    }
    fail(*change, std::move(result.error()));
  });
}

void Subscriptions::written(Change& change) {
  Subscription& after = change.after();
  after.revision = change.before ? change.before->revision + 1 : 1;
  if (!parts_.tenants.contains(change.tenant)) {
    removed(after);
    fail(change, no_such(change.id).error());
    return;
  }
  if (change.before) {
    CHECK(parts_.index.replace(std::move(change.wanted)));
    const uint64_t likeness = likeness_of(*change.before);
    if (likeness != likeness_of(after)) {
      release_likeness(likeness, change.id);
    }
  } else {
    CHECK(parts_.index.add(std::move(change.wanted)));
  }
  keep_schedule(after.settings);
  if (is_special(after.settings) || (change.before && is_special(change.before->settings))) {
    told_.settings(after.settings);
  }
  told_.changed(change.id);
  if (change.before && change.before->endpoint != after.endpoint) {
    change.result.previous_endpoint = change.before->endpoint;
  }
  change.done(std::move(change.result));
}

void Subscriptions::fail(Change& change, base::Error error) {
  release_likeness(change.reserved, change.id);
  change.done(std::unexpected(std::move(error)));
}

void Subscriptions::release_likeness(uint64_t likeness, base::SubscriptionId id) {
  const base::SubscriptionId* owner = twins_.find(likeness);
  if (owner != nullptr && *owner == id) {
    twins_.erase(likeness);
  }
}

void Subscriptions::remove(base::TenantId tenant, base::SubscriptionId id, Done<void> done) {
  find(tenant, id, [this, done = std::move(done)](base::Result<Subscription> found) {
    if (!found.has_value()) {
      done(std::unexpected(std::move(found.error())));
      return;
    }
    remove_found(*found, done);
  });
}

void Subscriptions::remove_found(const Subscription& subscription, Done<void> done) {
  // Twice the schedule: jitter may stretch every gap of it to the double.
  const base::Instant until = parts_.documents.now() +
                              std::max(subscription.kept_for, unfinished_for(subscription)) * 2 +
                              base::Duration::hours(24);
  DocumentPlace place = place_of(subscription.tenant, subscription.id);
  std::vector<model::DocumentChange> changes;
  changes.push_back({.table = place.table,
                     .tenant = place.tenant,
                     .key = std::move(place.key),
                     .value = std::nullopt,
                     .expected_revision = subscription.revision});
  changes.push_back(tombstone_of(subscription, until));
  parts_.documents.commit(
      std::move(changes), [this, subscription, done = std::move(done)](base::Result<void> result) {
        if (result.has_value()) {
          static_cast<void>(parts_.index.remove(subscription.tenant, subscription.id));
          removed(subscription);
          done({});
          return;
        }
        if (result.error().code == base::ErrorCode::kConflict) {
          remove(subscription.tenant, subscription.id, done);  // it was changed meanwhile
          return;
        }
        done(std::move(result));
      });
}

void Subscriptions::removed(const Subscription& subscription) {
  release_likeness(likeness_of(subscription), subscription.id);
  schedules_.erase(subscription.id);
  told_.removed(subscription.id);
  told_.changed(subscription.id);
}

void Subscriptions::find(base::TenantId tenant, base::SubscriptionId id, Done<Subscription> done) {
  if (!parts_.tenants.contains(tenant)) {
    done(no_such(id));
    return;
  }
  parts_.documents.find(place_of(tenant, id), [this, id, done = std::move(done)](
                                                  const std::optional<model::Document>& document) {
    if (!document) {
      done(no_such(id));
      return;
    }
    done(decode_subscription(parser_, *document));
  });
}

void Subscriptions::list(base::TenantId tenant, base::SubscriptionId after, uint32_t limit,
                         Done<SubscriptionPage> done) {
  parts_.documents.page({.table = model::Table::kSubscriptions,
                         .tenant = tenant,
                         .after = text::id_text(after),
                         .limit = limit},
                        [this, done = std::move(done)](const model::DocumentPage& found) {
                          SubscriptionPage page;
                          page.complete = found.complete;
                          for (const model::Document& document : found.documents) {
                            auto subscription = decode_subscription(parser_, document);
                            if (!subscription.has_value()) {
                              done(std::unexpected(std::move(subscription.error())));
                              return;
                            }
                            page.subscriptions.push_back(*std::move(subscription));
                          }
                          done(std::move(page));
                        });
}

std::vector<delivery::MatchedSubscription> Subscriptions::matched(
    std::span<const match::Match> matches) const {
  std::vector<delivery::MatchedSubscription> subscriptions;
  subscriptions.reserve(matches.size());
  for (const match::Match& match : matches) {
    const auto schedule = schedules_.find(match.id);
    subscriptions.push_back(
        {.id = match.id,
         .endpoint = match.endpoint,
         .ordered = match.ordered,
         .has_own_queue = match.has_own_queue,
         .schedule = schedule == schedules_.end() ? nullptr : &schedule->second});
  }
  return subscriptions;
}

void Subscriptions::forget_tenant(base::TenantId tenant, std::function<void()> done) {
  parts_.index.remove_tenant(tenant);
  tell_removed(tenant, {}, std::move(done));
}

void Subscriptions::tell_removed(base::TenantId tenant, base::SubscriptionId after,
                                 std::function<void()> done) {
  constexpr uint32_t kAtOnce = 1000;
  list(tenant, after, kAtOnce,
       [this, tenant, done = std::move(done)](const base::Result<SubscriptionPage>& page) {
         // A damaged one stops the telling; attempts of the others find them gone by themselves.
         if (!page.has_value()) {
           done();
           return;
         }
         for (const Subscription& subscription : page->subscriptions) {
           removed(subscription);
         }
         if (page->complete) {
           done();
           return;
         }
         tell_removed(tenant, page->subscriptions.back().id, done);
       });
}

void Subscriptions::keep_schedule(const model::SubscriptionSettings& settings) {
  schedules_.erase(settings.id);
  if (settings.retry) {
    schedules_.emplace(settings.id, schedule_of(*settings.retry));
  }
}

base::Duration Subscriptions::unfinished_for(const Subscription& subscription) const {
  const base::Instant queued = base::Instant::from_ms(1);
  const model::Delivery delivery{.queued_at = queued};
  const base::Instant last = subscription.settings.retry
                                 ? schedule_of(*subscription.settings.retry).last_slot(delivery)
                                 : schedule_.last_slot(delivery);
  return last - queued;
}

}  // namespace registry
