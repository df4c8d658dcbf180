// Audits that ended in every way, made up for tests of reports.
#pragma once

#include <vector>

#include "audit/report.h"

namespace kwker::audit::testing {

struct Situation {
  const char* name;  // "faster", "script_failed", ...
  Report (*make)();
};

const std::vector<Situation>& Situations();

}  // namespace kwker::audit::testing
