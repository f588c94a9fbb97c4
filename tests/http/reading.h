// What a RequestReader makes of bytes, as text that can be compared.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "http/request_reader.h"

namespace http {

struct Reading {
  std::string statuses;  // as FramingCase::expected has them
  std::string requests;  // everything that was read of each
};

// Feeds `bytes` in pieces of the sizes that `next_size` gives, at least one byte each.
Reading read_in_pieces(std::string_view bytes, const RequestLimits& limits,
                       const std::function<size_t()>& next_size);

}  // namespace http
