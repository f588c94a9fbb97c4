#include "tests/http/reading.h"

namespace http {
namespace {

std::string text_of(const Request& request) {
  std::string text = std::string(to_word(request.method)) + " " + std::string(request.path) + "?" +
                     std::string(request.query) + (request.keeps_alive ? " stays\n" : " leaves\n");
  for (size_t index = 0; index < request.fields.size(); ++index) {
    const Field field = request.fields[index];
    text += std::string(field.name) + "=" + std::string(field.value) + "\n";
  }
  return text + "[" + std::string(request.body) + "]\n";
}

// Takes one piece; false when the connection is over.
bool take_piece(RequestReader& reader, std::string_view piece, Reading& reading) {
  while (!piece.empty()) {
    piece.remove_prefix(reader.feed(piece));
    if (reader.state() == RequestReader::State::kRefused) {
      reading.statuses += std::to_string(reader.refusal().status) + " ";
      reading.requests += std::string(reader.refusal().code) + "\n";
      return false;
    }
    if (reader.state() == RequestReader::State::kDone) {
      const Request request = reader.request();
      reading.statuses += "200 ";
      reading.requests += text_of(request);
      const bool stays = request.keeps_alive;
      reader.reset();
      if (!stays) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace

Reading read_in_pieces(std::string_view bytes, const RequestLimits& limits,
                       const std::function<size_t()>& next_size) {
  Reading reading;
  RequestReader reader(limits);
  bool is_open = true;
  while (is_open && !bytes.empty()) {
    // A copy of its own: the sanitizer sees whoever reads past its end.
    const std::string piece(bytes.substr(0, next_size()));
    bytes.remove_prefix(piece.size());
    is_open = take_piece(reader, piece, reading);
  }
  reading.statuses += is_open ? "open" : "close";
  return reading;
}

}  // namespace http
