// Audits that ended in every way, made up for tests of reports.
#pragma once

#include <string>
#include <vector>

#include "audit/report.h"

namespace kwker::audit::testing {

struct Situation {
  const char* name;  // "faster", "script_failed", ...
  Report (*make)();
};

const std::vector<Situation>& Situations();

// The report of the one of that name.
Report Find(const std::string& name);

}  // namespace kwker::audit::testing
