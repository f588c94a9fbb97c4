// What the conformance suite needs of an implementation of store::Store: the store itself, a way to
// run until its answers have come, and a crash.
//
// The suite knows implementations only by this interface; a test that asks which one it has is
// wrong.
#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <string>

#include "base/scheduler.h"
#include "store/store.h"

namespace conformance {

class Harness {
 public:
  virtual ~Harness() = default;

  virtual store::Store& store() = 0;
  virtual base::Scheduler& scheduler() = 0;

  // Runs what the store posts, on this thread, until `is_done`. False if that takes too long.
  virtual bool run_until(const std::function<bool()>& is_done) = 0;

  // The process dies and another one starts on what is durable. Nobody will hear the answers that
  // are under way; store() and scheduler() are new ones.
  virtual void crash_and_reopen() = 0;
};

// An implementation under test, by name.
struct Candidate {
  std::string name;
  std::function<std::unique_ptr<Harness>()> make;

  friend void PrintTo(const Candidate& candidate, std::ostream* out) { *out << candidate.name; }
};

}  // namespace conformance
