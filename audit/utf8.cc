#include "audit/utf8.h"

#include <algorithm>
#include <array>
#include <utility>

namespace kwker::audit {
namespace {

bool InRange(unsigned char byte, unsigned char low, unsigned char high) {
  return byte >= low && byte <= high;
}

// RFC 3629, section 4: the first byte says how many follow and what the second
// may be.
struct Form {
  unsigned char first_low, first_high, second_low, second_high;
  std::size_t length;
};
constexpr std::array<Form, 8> kForms = {{
    {0xC2, 0xDF, 0x80, 0xBF, 2},
    {0xE0, 0xE0, 0xA0, 0xBF, 3},
    {0xE1, 0xEC, 0x80, 0xBF, 3},
    {0xED, 0xED, 0x80, 0x9F, 3},
    {0xEE, 0xEF, 0x80, 0xBF, 3},
    {0xF0, 0xF0, 0x90, 0xBF, 4},
    {0xF1, 0xF3, 0x80, 0xBF, 4},
    {0xF4, 0xF4, 0x80, 0x8F, 4},
}};

constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kPlain = {{
    {"·", "|"},
    {"–", "-"},
    {"—", "-"},
    {"…", "..."},
    {"×", "x"},
    {"±", "+-"},
    {"→", "->"},
    {"✗", "x"},
}};

// Calls `take(character)` with each valid character, or with one bad byte.
template <class Take>
void ForEachCharacter(std::string_view text, Take take) {
  while (!text.empty()) {
    const std::size_t length = std::max<std::size_t>(1, Utf8Length(text));
    take(text.substr(0, length));
    text.remove_prefix(length);
  }
}

// ECMA-48, section 5.4: ESC [, parameters and intermediates, and one byte from
// '@' to '~'.
std::string WithoutSequences(std::string_view text) {
  std::string rest;
  while (!text.empty()) {
    const std::size_t start = std::min(text.find("\x1b["), text.size());
    rest += text.substr(0, start);
    text.remove_prefix(start);
    if (text.empty()) break;
    std::size_t end = 2;
    while (end < text.size() && InRange(static_cast<unsigned char>(text[end]), 0x20, 0x3F)) ++end;
    const bool whole =
        end < text.size() && InRange(static_cast<unsigned char>(text[end]), 0x40, 0x7E);
    text.remove_prefix(whole ? end + 1 : end);
  }
  return rest;
}

}  // namespace

std::size_t Utf8Length(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return 1;
  for (const Form& form : kForms) {
    if (!InRange(byte(0), form.first_low, form.first_high)) continue;
    if (text.size() < form.length || !InRange(byte(1), form.second_low, form.second_high)) return 0;
    for (std::size_t i = 2; i < form.length; ++i) {
      if (!InRange(byte(i), 0x80, 0xBF)) return 0;
    }
    return form.length;
  }
  return 0;
}

std::size_t Columns(std::string_view text) {
  std::size_t columns = 0;
  ForEachCharacter(text, [&columns](std::string_view) { ++columns; });
  return columns;
}

std::string_view FirstColumns(std::string_view text, std::size_t columns) {
  std::size_t bytes = 0;
  ForEachCharacter(text, [&](std::string_view character) {
    if (columns == 0) return;
    --columns;
    bytes += character.size();
  });
  return text.substr(0, bytes);
}

std::string Printable(std::string_view text) {
  std::string printable;
  ForEachCharacter(WithoutSequences(text), [&printable](std::string_view character) {
    const auto first = static_cast<unsigned char>(character[0]);
    const bool c1 =
        first == 0xC2 && character.size() == 2 && static_cast<unsigned char>(character[1]) < 0xA0;
    if (first == '\n' || first == '\t') {
      printable += ' ';
    } else if (first < 0x20 || first == 0x7F || c1 || Utf8Length(character) == 0) {
      printable += '?';
    } else {
      printable += character;
    }
  });
  return printable;
}

std::string Ascii(std::string_view text) {
  std::string ascii;
  ForEachCharacter(text, [&ascii](std::string_view character) {
    const auto* plain = std::find_if(kPlain.begin(), kPlain.end(), [character](const auto& pair) {
      return pair.first == character;
    });
    if (plain != kPlain.end()) {
      ascii += plain->second;
    } else {
      ascii += static_cast<unsigned char>(character[0]) < 0x80 ? character : "?";
    }
  });
  return ascii;
}

}  // namespace kwker::audit
