// What a reader of the report should know before relying on it.
#pragma once

#include <string>
#include <vector>

#include "audit/report.h"

namespace kwker::audit {

// One sentence each, the gravest first. Reads the report's runs and what was
// worked out of them; drops nothing from it.
std::vector<std::string> FindWarnings(const Report& report);

}  // namespace kwker::audit
