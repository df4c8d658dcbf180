#include "audit/text_page.h"

#include <algorithm>

#include "audit/utf8.h"

namespace kwker::audit {
namespace {

constexpr int kNarrowest = 44;
constexpr int kWidest = 120;

}  // namespace

std::string Left(std::string_view text, std::size_t columns) {
  return std::string(text) + std::string(columns - std::min(columns, Columns(text)), ' ');
}

std::string Right(std::string_view text, std::size_t columns) {
  return std::string(columns - std::min(columns, Columns(text)), ' ') + std::string(text);
}

TextPage::TextPage(const TextStyle& style)
    : style_(style), width_(std::clamp(style.width, kNarrowest, kWidest)) {}

void TextPage::Line(const std::vector<Span>& spans) {
  for (const Span& span : spans) {
    const std::string text = style_.unicode ? span.text : Ascii(span.text);
    text_ += style_.colour ? Paint(text, span.ink) : text;
  }
  while (text_.ends_with(' ')) text_.pop_back();
  text_ += '\n';
}

void TextPage::Gap() { text_ += '\n'; }

void TextPage::Entry(std::string_view label, std::string_view text, Ink label_ink, Ink ink,
                     std::size_t indent) {
  std::string first = Left(label, indent);
  for (const std::string& line : Fold(text, static_cast<std::size_t>(width_) - indent)) {
    Line({{first, label_ink}, {line, ink}});
    first = std::string(indent, ' ');
  }
}

void TextPage::Parts(const std::vector<Span>& parts) {
  const auto width = static_cast<std::size_t>(width_);
  std::vector<Span> line;
  std::size_t used = 0;
  for (const Span& part : parts) {
    const std::size_t columns = Columns(part.text);
    if (!line.empty() && used + 3 + columns > width) {
      Line(line);
      line.clear();
      used = 0;
    }
    if (!line.empty()) {
      line.push_back({" · ", Ink::kDim});
      used += 3;
    }
    if (columns > width) {
      std::vector<std::string> folded = Fold(part.text, width);
      for (std::size_t i = 0; i + 1 < folded.size(); ++i) Line({{folded[i], part.ink}});
      line.push_back({folded.back(), part.ink});
      used = Columns(folded.back());
    } else {
      line.push_back(part);
      used += columns;
    }
  }
  if (!line.empty()) Line(line);
}

}  // namespace kwker::audit
