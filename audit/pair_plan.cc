#include "audit/pair_plan.h"

#include <algorithm>
#include <cmath>

namespace kwker::audit {
namespace {

// Pairs after which the interval is probably narrow enough.
int PairsForWidth(const Interval& interval, int pairs, double wanted, int at_most) {
  const double times = std::log(interval.high / interval.low) / std::log1p(wanted);
  const double needed = std::ceil(pairs * times * times);
  return needed < at_most ? static_cast<int>(needed) : at_most;
}

bool NarrowEnough(const Interval& interval, double wanted) {
  return interval.high / interval.low - 1 <= wanted;
}

// By number and width; the time is another matter.
PairPlan PlanByWidth(const Options& options, const SoFar& so_far) {
  const int at_most = *options.max_pairs;
  const int look = std::max(so_far.next_look, std::min(options.pairs, at_most));
  if (so_far.pairs < look) return {look, look, std::nullopt};
  const auto stop = [&so_far](Stop why) { return PairPlan{so_far.pairs, so_far.pairs, why}; };
  const std::optional<Interval>& interval = so_far.speedup.interval;
  if (interval && NarrowEnough(*interval, options.width)) return stop(Stop::kWidth);
  if (so_far.pairs >= at_most) return stop(Stop::kMaxPairs);
  // A single pair has none yet.
  if (!interval && so_far.pairs > 1) return stop(Stop::kNoInterval);
  const int needed =
      interval ? PairsForWidth(*interval, so_far.pairs, options.width, at_most) : at_most;
  const int next = std::max(needed, so_far.pairs + 1);
  return {next, next, std::nullopt};
}

}  // namespace

std::string_view Name(Stop stop) {
  switch (stop) {
    case Stop::kNumber:
      return "pairs";
    case Stop::kWidth:
      return "width";
    case Stop::kMaxPairs:
      return "max pairs";
    case Stop::kMaxTime:
      return "max time";
    case Stop::kNoInterval:
      break;
  }
  return "no interval";
}

PairPlan PlanPairs(const Options& options, const SoFar& so_far) {
  PairPlan plan{options.pairs, options.pairs, std::nullopt};
  if (options.max_pairs) {
    plan = PlanByWidth(options, so_far);
  } else if (so_far.pairs >= options.pairs) {
    plan.stop = Stop::kNumber;
  }
  const bool free = so_far.pairs < (options.max_pairs && !options.max_time_s ? options.pairs : 1);
  const bool limited = options.max_pairs || options.max_time_s;
  if (plan.stop || !limited || !(so_far.pair_seconds > 0)) return plan;
  const double left = options.max_time_s.value_or(kPatience) - so_far.elapsed_s;
  const double more = std::clamp(std::floor(left / so_far.pair_seconds), 0.0, 1e6);
  if (more < 1 && !free) return {so_far.pairs, so_far.pairs, Stop::kMaxTime};
  const int floor = options.max_time_s ? 1 : std::min(options.pairs, plan.pairs);
  plan.pairs = std::min(plan.pairs, std::max(so_far.pairs + static_cast<int>(more), floor));
  return plan;
}

}  // namespace kwker::audit
