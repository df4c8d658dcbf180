// The runs of an audit as pairs, and their times.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "audit/run.h"

namespace kwker::audit {

// Whose clocks are meant: those around the script or those around the process.
enum class Basis { kScript, kProcess };

struct Pair {
  int number = 0;
  const RunOutcome* without = nullptr;
  const RunOutcome* with = nullptr;
};

// Those of which both runs ended well, by number. Points into `runs`.
std::vector<Pair> FinishedPairs(std::span<const RunOutcome> runs);

// Seconds; absent if the run has no such clock (no result).
std::optional<double> Wall(const RunOutcome& run, Basis basis);
std::optional<double> Cpu(const RunOutcome& run, Basis basis);  // user and system

using Clock = std::optional<double> (*)(const RunOutcome&, Basis);

// ln(without / with) of each pair. Empty if for one of them it cannot be said (a
// time missing, or not above 0): a part of the pairs would not stand for all.
std::vector<double> LogRatios(const std::vector<Pair>& pairs, Clock clock, Basis basis);

}  // namespace kwker::audit
