#include "store/gate.h"

namespace store {

std::optional<Gate::Visit> Gate::visit(std::shared_mutex& mutex) {
  Visit visit;
  visit.lock_ = std::shared_lock(mutex);
  visit.database_ = database_.get();
  return visit.database_ == nullptr ? std::nullopt : std::optional(std::move(visit));
}

void Gate::end() {
  is_ending_ = true;
  wants_out_ = true;
}

void Gate::Silence::close() {
  gate_.wants_out_ = true;
  const std::unique_lock lock(gate_.open_);
  gate_.database_.reset();
  gate_.wants_out_ = gate_.is_ending_.load();
}

void Gate::Silence::open(std::unique_ptr<Database> database) {
  const std::unique_lock lock(gate_.open_);
  gate_.database_ = std::move(database);
}

}  // namespace store
