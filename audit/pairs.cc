#include "audit/pairs.h"

#include <cmath>
#include <map>

namespace kwker::audit {

std::vector<Pair> FinishedPairs(std::span<const RunOutcome> runs) {
  std::map<int, Pair> pairs;
  for (const RunOutcome& run : runs) {
    const int number = run.request.pair;
    if (number < 0 || run.end != RunEnd::kOk) continue;
    Pair& pair = pairs[number];
    pair.number = number;
    (run.request.side == Side::kA ? pair.without : pair.with) = &run;
  }
  std::vector<Pair> finished;
  for (const auto& [number, pair] : pairs) {
    if (pair.without != nullptr && pair.with != nullptr) finished.push_back(pair);
  }
  return finished;
}

std::optional<double> Wall(const RunOutcome& run, Basis basis) {
  if (basis == Basis::kProcess) return run.usage.wall_s;
  if (!run.result) return std::nullopt;
  return run.result->wall_s;
}

std::optional<double> Cpu(const RunOutcome& run, Basis basis) {
  if (basis == Basis::kProcess) return run.usage.cpu_user_s + run.usage.cpu_sys_s;
  if (!run.result) return std::nullopt;
  return run.result->cpu_user_s + run.result->cpu_sys_s;
}

std::vector<double> LogRatios(const std::vector<Pair>& pairs, Clock clock, Basis basis) {
  std::vector<double> logs;
  for (const Pair& pair : pairs) {
    const double without = clock(*pair.without, basis).value_or(0);
    const double with = clock(*pair.with, basis).value_or(0);
    const double log_ratio = std::log(without / with);
    if (!(without > 0) || !(with > 0) || !std::isfinite(log_ratio)) return {};
    logs.push_back(log_ratio);
  }
  return logs;
}

}  // namespace kwker::audit
