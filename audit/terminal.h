// Text for a terminal: colour, folding, what is left where it has neither.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kwker::audit {

enum class Ink { kPlain, kDim, kBold, kGood, kBad, kDoubt };  // green, red and yellow, bold

// A piece of a line in one colour.
struct Span {
  std::string text;
  Ink ink = Ink::kPlain;
};

// `text` in ANSI escapes; unchanged for kPlain.
std::string Paint(std::string_view text, Ink ink);

// Folds at spaces into lines of at most `width` columns (> 0); a longer word is
// broken. At least one line.
std::vector<std::string> Fold(std::string_view text, std::size_t width);

}  // namespace kwker::audit
