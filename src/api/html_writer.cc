#include "api/html_writer.h"

#include <algorithm>

namespace api {
namespace {

std::string_view escape_of(char character) {
  switch (character) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

// Takes off `rest` what is before the next `mark`, and the mark with it.
std::string_view take_until(std::string_view& rest, std::string_view mark) {
  const size_t end = std::min(rest.find(mark), rest.size());
  const std::string_view taken = rest.substr(0, end);
  rest.remove_prefix(std::min(end + mark.size(), rest.size()));
  return taken;
}

}  // namespace

HtmlWriter& HtmlWriter::markup(std::string_view html) {
  out_.append(html);
  return *this;
}

HtmlWriter& HtmlWriter::text(std::string_view text) {
  for (const char character : text) {
    const std::string_view escape = escape_of(character);
    if (escape.empty()) {
      out_.push_back(character);
    } else {
      out_.append(escape);
    }
  }
  return *this;
}

HtmlWriter& HtmlWriter::element(std::string_view tag, std::string_view text) {
  markup("<").markup(tag).markup(">");
  this->text(text);
  return markup("</").markup(tag).markup(">");
}

HtmlWriter& HtmlWriter::link(std::string_view place, std::string_view text) {
  markup("<a href=\"#").text(place).markup("\">");
  return this->text(text).markup("</a>");
}

HtmlWriter& HtmlWriter::sentences(std::string_view text) {
  for (bool is_code = false; !text.empty(); is_code = !is_code) {
    const std::string_view part = take_until(text, "`");
    if (is_code) {
      element("code", part);
    } else {
      this->text(part);
    }
  }
  return *this;
}

HtmlWriter& HtmlWriter::paragraphs(std::string_view text) {
  while (!text.empty()) {
    const std::string_view paragraph = take_until(text, "\n\n");
    markup("<p>").sentences(paragraph).markup("</p>\n");
  }
  return *this;
}

}  // namespace api
