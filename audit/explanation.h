// Why the sides of an audit differ, as far as further runs have found out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "audit/bisection.h"
#include "audit/element_difference.h"
#include "audit/run.h"

namespace kwker::audit {

// One of these runs: request.off and request.keep say what it was for.
struct Probe {
  RunOutcome outcome;
  std::optional<bool> differs;  // from those of side A; absent: it could not be told
};

struct Explanation {
  std::int64_t outputs = 0;    // that a run of side A left
  std::int64_t differing = 0;  // of these and of those that only side B has
  // Of the first that differs, between two runs more; absent: there was no time for
  // them, or its elements could not be compared.
  std::optional<ElementDifference> elements;
  // Absent: not looked for, for side B is without Kwker, or has none of its features on.
  std::optional<Culprits> culprits;
  std::string unfinished;  // why a search that was begun did not come to its end: a clause
  std::vector<Probe> probes;
};

}  // namespace kwker::audit
