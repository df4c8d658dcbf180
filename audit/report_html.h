// The report as one HTML page that needs nothing beside it: no script, no other
// file, no network. It follows the reader's light or dark setting and prints well.
#pragma once

#include <string>

#include "audit/report.h"

namespace kwker::audit {

// HTML that is well-formed XML as well.
std::string FormatHtml(const Report& report);

}  // namespace kwker::audit
