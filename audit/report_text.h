// The report as one screen of text, verdict first, for people.
#pragma once

#include <string>

#include "audit/report.h"

namespace kwker::audit {

struct TextStyle {
  int width = 80;       // columns; lines are folded to it; taken as 44 at least, 120 at most
  bool colour = false;  // ANSI escapes; the caller decides by isatty and NO_COLOR
  bool unicode = true;  // else plain ASCII
};

// Ends with a newline. Control characters of names and of what the script
// printed are replaced; lines that the script printed are not folded. The one
// sentence of its first line alone: audit/headline.h.
std::string FormatText(const Report& report, const TextStyle& style);

}  // namespace kwker::audit
