// Names for requests: what X-Request-Id, logs and errors call them.
//
// A client's own X-Request-Id is kept if it is harmless, so that one name goes through all of a
// system; else the request gets a new one. New ones differ within a process and, by the seed,
// between processes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "http/fields.h"

namespace http {

class RequestIds {
 public:
  explicit RequestIds(uint64_t seed) : seed_(seed) {}

  // Writes the name of a request with these fields.
  void assign(std::string& id, const Fields& fields);
  // For what is refused before it has fields.
  void assign_new(std::string& id);

 private:
  uint64_t seed_;
  uint64_t count_ = 0;
};

}  // namespace http
