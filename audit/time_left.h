// How long the rest of an audit will take.
#pragma once

#include <array>
#include <optional>

#include "audit/run.h"

namespace kwker::audit {

// Learns each side's time from the runs that have ended; a side of which none
// has ended yet takes the other's. Pure arithmetic, so that it can be tested.
class TimeLeft {
 public:
  void RunEnded(Side side, double seconds);

  // Of one run of this side; absent before the first run has ended.
  std::optional<double> OneRun(Side side) const;

  // Of the run under way, `elapsed` seconds old, and `more` runs after it.
  std::optional<double> Rest(Side current, double elapsed, int more) const;

 private:
  struct Sum {
    double seconds = 0;
    int runs = 0;
  };
  const Sum& Of(Side side) const { return sums_[side == Side::kA ? 0 : 1]; }

  std::array<Sum, 2> sums_;
};

}  // namespace kwker::audit
