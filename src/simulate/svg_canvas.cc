#include "simulate/svg_canvas.h"

#include <fmt/format.h>

#include <iterator>

namespace simulate {

std::string escape_xml(std::string_view text) {
  std::string escaped;
  for (const char character : text) {
    switch (character) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += character;
    }
  }
  return escaped;
}

void SvgCanvas::rect(const Box& box, std::string_view style) {
  fmt::format_to(std::back_inserter(body_),
                 "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" {}/>\n", box.x,
                 box.y, box.width, box.height, style);
}

void SvgCanvas::line(Point from, Point to, std::string_view style) {
  fmt::format_to(std::back_inserter(body_),
                 "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", from.x,
                 from.y, to.x, to.y, style);
}

void SvgCanvas::path(std::string_view commands, std::string_view style) {
  fmt::format_to(std::back_inserter(body_), "<path d=\"{}\" {}/>\n", commands, style);
}

void SvgCanvas::text(Point at, std::string_view text, std::string_view style) {
  fmt::format_to(std::back_inserter(body_), "<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", at.x,
                 at.y, style, escape_xml(text));
}

std::string SvgCanvas::take(double width, double height, std::string_view title) {
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\" "
      "font-family=\"Inter, 'Segoe UI', 'Helvetica Neue', 'DejaVu Sans', sans-serif\">\n"
      "<title>{2}</title>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{3}</svg>\n",
      width, height, escape_xml(title), body_);
}

}  // namespace simulate
