#include "audit/schedule.h"

#include <bit>

namespace kwker::audit {
namespace {

// The Thue-Morse sequence: whether n has an odd number of ones.
bool ExchangesSides(int pair) { return std::popcount(static_cast<unsigned>(pair)) % 2 != 0; }

RunRequest MakeRequest(Side side, int order, bool warm_up, int pair) {
  RunRequest request;
  request.side = side;
  request.order = order;
  request.warm_up = warm_up;
  request.pair = pair;
  return request;
}

}  // namespace

std::vector<RunRequest> MakeWarmUps(int warmup) {
  std::vector<RunRequest> runs;
  for (int i = 0; i < warmup; ++i) {
    runs.push_back(MakeRequest(Side::kA, 2 * i, true, -1));
    runs.push_back(MakeRequest(Side::kB, 2 * i + 1, true, -1));
  }
  return runs;
}

std::vector<RunRequest> MakePair(int pair, int order) {
  const bool exchanged = ExchangesSides(pair);
  return {MakeRequest(exchanged ? Side::kB : Side::kA, order, false, pair),
          MakeRequest(exchanged ? Side::kA : Side::kB, order + 1, false, pair)};
}

std::vector<RunRequest> MakeSchedule(int warmup, int pairs) {
  std::vector<RunRequest> schedule = MakeWarmUps(warmup);
  for (int pair = 0; pair < pairs; ++pair) {
    for (const RunRequest& run : MakePair(pair, static_cast<int>(schedule.size()))) {
      schedule.push_back(run);
    }
  }
  return schedule;
}

}  // namespace kwker::audit
