#include "audit/schedule.h"

#include <bit>

namespace kwker::audit {
namespace {

// The Thue-Morse sequence: whether n has an odd number of ones.
bool ExchangesSides(int pair) { return std::popcount(static_cast<unsigned>(pair)) % 2 != 0; }

}  // namespace

std::vector<RunRequest> MakeSchedule(int warmup, int pairs) {
  std::vector<RunRequest> schedule;
  const auto add = [&schedule](Side side, bool warm_up, int pair) {
    RunRequest request;
    request.side = side;
    request.order = static_cast<int>(schedule.size());
    request.warm_up = warm_up;
    request.pair = pair;
    schedule.push_back(request);
  };
  for (int i = 0; i < warmup; ++i) {
    add(Side::kA, true, -1);
    add(Side::kB, true, -1);
  }
  for (int pair = 0; pair < pairs; ++pair) {
    const bool exchanged = ExchangesSides(pair);
    add(exchanged ? Side::kB : Side::kA, false, pair);
    add(exchanged ? Side::kA : Side::kB, false, pair);
  }
  return schedule;
}

}  // namespace kwker::audit
