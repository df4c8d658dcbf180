#include "audit/time_left.h"

#include <algorithm>

namespace kwker::audit {

void TimeLeft::RunEnded(Side side, double seconds) {
  Sum& sum = sums_[side == Side::kA ? 0 : 1];
  sum.seconds += seconds;
  ++sum.runs;
}

std::optional<double> TimeLeft::OneRun(Side side) const {
  const Sum& own = Of(side);
  const Sum& other = Of(side == Side::kA ? Side::kB : Side::kA);
  const Sum& known = own.runs > 0 ? own : other;
  if (known.runs == 0) return std::nullopt;
  return known.seconds / known.runs;
}

std::optional<double> TimeLeft::Rest(Side current, double elapsed, int more) const {
  const std::optional<double> this_run = OneRun(current);
  if (!this_run) return std::nullopt;
  // The runs that follow are of both sides in turn.
  const double next = (*OneRun(Side::kA) + *OneRun(Side::kB)) / 2;
  return std::max(0.0, *this_run - elapsed) + more * next;
}

}  // namespace kwker::audit
