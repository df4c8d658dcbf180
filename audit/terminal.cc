#include "audit/terminal.h"

#include <fmt/format.h>

#include <algorithm>

#include "audit/utf8.h"

namespace kwker::audit {
namespace {

const char* Escape(Ink ink) {
  switch (ink) {
    case Ink::kPlain:
      return "";
    case Ink::kDim:
      return "\x1b[2m";
    case Ink::kBold:
      return "\x1b[1m";
    case Ink::kGood:
      return "\x1b[1;32m";
    case Ink::kBad:
      return "\x1b[1;31m";
    case Ink::kDoubt:
      return "\x1b[1;33m";
  }
  return "";
}

}  // namespace

std::string Paint(std::string_view text, Ink ink) {
  if (ink == Ink::kPlain || text.empty()) return std::string(text);
  return fmt::format("{}{}\x1b[0m", Escape(ink), text);
}

std::vector<std::string> Fold(std::string_view text, std::size_t width) {
  std::vector<std::string> lines(1);
  while (!text.empty()) {
    std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (word.empty()) continue;
    const std::size_t used = Columns(lines.back());
    if (used > 0 && used + 1 + Columns(word) > width) {
      lines.emplace_back();
    } else if (used > 0) {
      lines.back() += ' ';
    }
    while (Columns(word) > width) {
      const std::string_view part = FirstColumns(word, width);
      lines.back() += part;
      lines.emplace_back();
      word.remove_prefix(part.size());
    }
    lines.back() += word;
  }
  return lines;
}

}  // namespace kwker::audit
