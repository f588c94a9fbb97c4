// Writes SVG elements. Knows nothing of what they mean.
#pragma once

#include <string>
#include <string_view>

namespace simulate {

struct Box {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
};

struct Point {
  double x = 0;
  double y = 0;
};

class SvgCanvas {
 public:
  // `style` is a list of attributes: fill="#fff" stroke="#000".
  void rect(const Box& box, std::string_view style);
  void line(Point from, Point to, std::string_view style);
  void path(std::string_view commands, std::string_view style);
  void text(Point at, std::string_view text, std::string_view style);

  std::string take(double width, double height, std::string_view title);

 private:
  std::string body_;
};

std::string escape_xml(std::string_view text);

}  // namespace simulate
