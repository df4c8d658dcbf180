// The report as one screen of text, verdict first, for people.
#pragma once

#include <string>

#include "audit/report.h"
#include "audit/text_page.h"

namespace kwker::audit {

// Ends with a newline. Control characters of names and of what the script
// printed are replaced; lines that the script printed are not folded. The one
// sentence of its first line alone: audit/headline.h.
std::string FormatText(const Report& report, const TextStyle& style);

}  // namespace kwker::audit
