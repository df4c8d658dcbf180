// How fast the sides are, by all clocks.
#pragma once

#include <span>

#include "audit/pairs.h"
#include "audit/run.h"
#include "audit/statistics.h"

namespace kwker::audit {

struct SpeedRatios {
  // Whose clocks `wall` and `cpu` are of: the script's, or the process's if a run
  // of a finished pair has none of its own.
  Basis basis = Basis::kScript;
  RatioEstimate wall;
  RatioEstimate cpu;  // user and system
  RatioEstimate process_wall;
};

// Of the finished pairs among `runs`.
SpeedRatios MeasureSpeed(std::span<const RunOutcome> runs, PairsBy by);

}  // namespace kwker::audit
