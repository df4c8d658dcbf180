// A page of text as it grows, line by line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "audit/terminal.h"

namespace kwker::audit {

struct TextStyle {
  int width = 80;       // columns; lines are folded to it; taken as 44 at least, 120 at most
  bool colour = false;  // ANSI escapes; the caller decides by isatty and NO_COLOR
  bool unicode = true;  // else plain ASCII
};

// `text` with spaces after it, or before it, to fill that many columns.
std::string Left(std::string_view text, std::size_t columns);
std::string Right(std::string_view text, std::size_t columns);

class TextPage {
 public:
  static constexpr std::size_t kLabel = 15;  // columns

  explicit TextPage(const TextStyle& style);

  int width() const { return width_; }

  // Not folded; spaces at its end are cut off.
  void Line(const std::vector<Span>& spans);
  void Gap();
  // `text` folded to the right of a label, `indent` columns wide.
  void Entry(std::string_view label, std::string_view text, Ink label_ink, Ink ink,
             std::size_t indent = kLabel);
  // With " · " between, on as many lines as they need.
  void Parts(const std::vector<Span>& parts);

  // Ends with a newline.
  std::string Take() { return std::move(text_); }

 private:
  TextStyle style_;
  int width_;
  std::string text_;
};

}  // namespace kwker::audit
