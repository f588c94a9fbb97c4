#include "api/tail_queue.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "base/check.h"

namespace api {
namespace {

constexpr std::string_view kGap = "gap";

// How long a client that was cut off waits before it comes again, in milliseconds.
constexpr int kReconnectDelay = 2000;

}  // namespace

bool TailQueue::has_room(size_t unsent) const {
  return unsent + text_.size() < (left_out_ > 0 ? bytes_max_ / 2 : bytes_max_);
}

void TailQueue::greet(bool is_again) {
  fmt::format_to(std::back_inserter(text_), "retry: {}\n\n", kReconnectDelay);
  if (is_again) {
    append(kGap, R"({"reason":"reconnected","left_out":null})");
  }
}

void TailQueue::add(std::string_view kind, std::string_view json) {
  tell_left_out();
  number_ += 1;
  append(kind, json);
}

void TailQueue::leave_out() {
  number_ += 1;
  left_out_ += 1;
}

void TailQueue::beat(size_t unsent) {
  if (has_room(unsent)) {
    tell_left_out();
    text_ += ":\n\n";
  }
}

std::string TailQueue::take() { return std::exchange(text_, {}); }

void TailQueue::tell_left_out() {
  if (left_out_ > 0) {
    append(kGap, fmt::format(R"({{"reason":"slow_reader","left_out":{}}})", left_out_));
    left_out_ = 0;
  }
}

// Under the number of the last message there was, so that the next one follows it.
void TailQueue::append(std::string_view kind, std::string_view json) {
  CHECK(json.find_first_of("\r\n") == std::string_view::npos);
  fmt::format_to(std::back_inserter(text_), "id: {}-{}\nevent: {}\ndata: {}\n\n", name_, number_,
                 kind, json);
}

}  // namespace api
