// What one reader of the live tail is about to get, as server-sent events: numbered, bounded, and
// honest about what was left out.
//
//   id: 4f1c09ab77d2e310-17
//   event: attempt_ended
//   data: {"delivery":"dlv_...", ...}
//
// A reader that falls behind misses messages instead of holding memory. Those have numbers too, so
// that ids jump; and before the next message he is told how many they were. He must have caught up
// by half before he gets that next one: else he would hear of gap after gap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace api {

class TailQueue {
 public:
  // `name` begins every id. `bytes_max`: of what the reader has not taken; the last message may
  // exceed it.
  TailQueue(std::string name, size_t bytes_max) : name_(std::move(name)), bytes_max_(bytes_max) {}

  // Whether a message would be taken now. `unsent`: what was handed over and is still on its way.
  bool has_room(size_t unsent) const;

  // The first words; `is_again`: the reader was here before, and missed nobody knows what.
  void greet(bool is_again);
  // `json` is on one line.
  void add(std::string_view kind, std::string_view json);
  // One message that there was no room for.
  void leave_out();
  // A sign of life, and news of what was left out if there is room by now.
  void beat(size_t unsent);

  bool is_empty() const { return text_.empty(); }
  size_t size() const { return text_.size(); }
  // Empty afterwards.
  std::string take();

 private:
  void tell_left_out();
  void append(std::string_view kind, std::string_view json);

  std::string name_;
  size_t bytes_max_;
  std::string text_;
  uint64_t number_ = 0;  // of the last message, told or left out
  uint64_t left_out_ = 0;
};

}  // namespace api
