// In which order the two sides are run.
#pragma once

#include <vector>

#include "audit/run.h"

namespace kwker::audit {

// `warmup` uncounted runs of each side in turn: AB AB ...
std::vector<RunRequest> MakeWarmUps(int warmup);

// The two runs of pair number `pair`, the first of them run number `order`. Pairs
// come in balanced order: AB BA BA AB, then the same with the sides exchanged,
// and so on (the Thue-Morse sequence), so that neither a steady drift of the
// machine nor one that bends favours a side.
std::vector<RunRequest> MakePair(int pair, int order);

// Warm-ups and `pairs` pairs. All are numbered from 0. Arguments below 0 count
// as 0.
std::vector<RunRequest> MakeSchedule(int warmup, int pairs);

}  // namespace kwker::audit
