#include "client/json_text.h"

namespace client {
namespace {

class Layout {
 public:
  Layout(JsonLayout layout, size_t indent)
      : is_indented_(layout == JsonLayout::kIndented), indent_(indent) {}

  std::string run(std::string_view json) {
    for (size_t i = 0; i < json.size(); ++i) {
      if (json[i] == '"') {
        const size_t end = string_end(json, i);
        put(json.substr(i, end - i));
        i = end - 1;
      } else if (std::string_view(" \t\r\n").find(json[i]) == std::string_view::npos) {
        take(json[i]);
      }
    }
    return std::move(out_);
  }

 private:
  static size_t string_end(std::string_view json, size_t begin) {
    for (size_t i = begin + 1; i < json.size(); ++i) {
      if (json[i] == '\\') {
        ++i;
      } else if (json[i] == '"') {
        return i + 1;
      }
    }
    return json.size();
  }

  void take(char letter) {
    if (letter == '}' || letter == ']') {
      depth_ -= 1;
      if (!is_fresh_) {  // something is inside
        break_line();
      }
      is_fresh_ = false;
      out_ += letter;
      return;
    }
    put(std::string_view(&letter, 1));
    if (letter == '{' || letter == '[') {
      depth_ += 1;
      is_fresh_ = true;
    } else if (letter == ',') {
      break_line();
    } else if (letter == ':' && is_indented_) {
      out_ += ' ';
    }
  }

  // What opens a list or object is followed by a line of its own, once something comes.
  void put(std::string_view text) {
    if (is_fresh_) {
      break_line();
      is_fresh_ = false;
    }
    out_ += text;
  }

  void break_line() {
    if (is_indented_) {
      out_.append(1, '\n').append(indent_ + 2 * depth_, ' ');
    }
  }

  const bool is_indented_;
  const size_t indent_;
  size_t depth_ = 0;
  bool is_fresh_ = false;  // a bracket was opened, and nothing has come since
  std::string out_;
};

}  // namespace

std::string laid_out(std::string_view json, JsonLayout layout, size_t indent) {
  return Layout(layout, indent).run(json);
}

}  // namespace client
