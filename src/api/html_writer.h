// HTML, appended to a string. Texts are escaped, whatever they hold; markup is a constant of ours.
#pragma once

#include <string>
#include <string_view>

namespace api {

class HtmlWriter {
 public:
  // The string outlives the writer; what it holds already stays.
  explicit HtmlWriter(std::string& out) : out_(out) {}

  // As it is.
  HtmlWriter& markup(std::string_view html);
  HtmlWriter& text(std::string_view text);
  // <tag>text</tag>
  HtmlWriter& element(std::string_view tag, std::string_view text);
  // To a place of the same page.
  HtmlWriter& link(std::string_view place, std::string_view text);
  // Sentences with `code` between backticks.
  HtmlWriter& sentences(std::string_view text);
  // Paragraphs of such sentences, parted by empty lines.
  HtmlWriter& paragraphs(std::string_view text);

 private:
  std::string& out_;
};

}  // namespace api
