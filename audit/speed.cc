#include "audit/speed.h"

#include <vector>

namespace kwker::audit {

SpeedRatios MeasureSpeed(std::span<const RunOutcome> runs, PairsBy by) {
  const std::vector<Pair> pairs = FinishedPairs(runs);
  SpeedRatios speed;
  std::vector<double> wall = LogRatios(pairs, Wall, Basis::kScript);
  speed.basis = wall.size() == pairs.size() ? Basis::kScript : Basis::kProcess;
  const std::vector<double> process_wall = LogRatios(pairs, Wall, Basis::kProcess);
  if (speed.basis == Basis::kProcess) wall = process_wall;
  speed.wall = EstimateRatio(wall, by);
  speed.process_wall = EstimateRatio(process_wall, by);
  speed.cpu = EstimateRatio(LogRatios(pairs, Cpu, speed.basis), by);
  return speed;
}

}  // namespace kwker::audit
