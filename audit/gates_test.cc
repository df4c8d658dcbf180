#include "audit/gates.h"

#include <gtest/gtest.h>

namespace kwker::audit {
namespace {

OutputsVerdict Outputs(Equality equality) {
  OutputsVerdict verdict;
  verdict.equality = equality;
  return verdict;
}

RatioEstimate Between(double low, double high) { return {1, Interval{low, high}, 5, "m"}; }

TEST(CheckGates, NoneAsked) { EXPECT_TRUE(CheckGates({}, {}, {}, {}).empty()); }

TEST(CheckGates, RequireEqual) {
  const auto state = [](Equality equality) {
    return CheckGates({.require_equal = true, .min_speedup = {}, .max_memory = {}},
                      Outputs(equality), {}, {})[0]
        .state;
  };
  EXPECT_EQ(state(Equality::kEqual), GateState::kHolds);
  EXPECT_EQ(state(Equality::kDifferent), GateState::kFails);
  EXPECT_EQ(state(Equality::kUnknown), GateState::kUndecided);
}

TEST(CheckGates, MinSpeedupByTheLowerEnd) {
  const auto check = [](const RatioEstimate& speedup) {
    return CheckGates({.require_equal = false, .min_speedup = 1.2, .max_memory = {}}, {}, speedup,
                      {})[0];
  };
  EXPECT_EQ(check(Between(1.2, 1.5)).state, GateState::kHolds);
  EXPECT_EQ(check(Between(1.19, 1.5)).state, GateState::kUndecided);
  EXPECT_EQ(check(Between(1.0, 1.2)).state, GateState::kUndecided);
  EXPECT_EQ(check(Between(1.0, 1.19)).state, GateState::kFails);
  EXPECT_EQ(check({1.5, std::nullopt, 1, ""}).state, GateState::kUndecided);
  EXPECT_EQ(check({}).option, "--min-speedup 1.2");
}

TEST(CheckGates, MaxMemoryRatio) {
  const auto check = [](std::optional<double> memory) {
    const Gates gates = {.require_equal = false, .min_speedup = {}, .max_memory = 1.1};
    return CheckGates(gates, {}, {}, memory)[0];
  };
  EXPECT_EQ(check(1.1).state, GateState::kHolds);
  EXPECT_EQ(check(0.5).state, GateState::kHolds);
  EXPECT_EQ(check(1.11).state, GateState::kFails);
  EXPECT_EQ(check(std::nullopt).state, GateState::kUndecided);
  EXPECT_EQ(check(2).option, "--max-memory-ratio 1.1");
  EXPECT_EQ(check(2).reason, "the peak memory is 2 times that without Kwker");
}

TEST(ExitCodeOf, EachEnding) {
  EXPECT_EQ(ExitCodeOf(Ending::kCompleted, {}), 0);
  EXPECT_EQ(ExitCodeOf(Ending::kRunning, {}), 0);
  EXPECT_EQ(ExitCodeOf(Ending::kKwkerFailed, {}), 1);
  EXPECT_EQ(ExitCodeOf(Ending::kScriptFailed, {}), 3);
  EXPECT_EQ(ExitCodeOf(Ending::kCannotRun, {}), 4);
  EXPECT_EQ(ExitCodeOf(Ending::kInterrupted, {}), 130);
}

TEST(ExitCodeOf, GatesOfACompletedAudit) {
  const GateResult holds{"h", GateState::kHolds, ""};
  const GateResult fails{"f", GateState::kFails, ""};
  const GateResult undecided{"u", GateState::kUndecided, ""};
  EXPECT_EQ(ExitCodeOf(Ending::kCompleted, {holds, holds}), 0);
  EXPECT_EQ(ExitCodeOf(Ending::kCompleted, {holds, undecided}), 4);
  EXPECT_EQ(ExitCodeOf(Ending::kCompleted, {undecided, fails}), 1);
  EXPECT_EQ(ExitCodeOf(Ending::kInterrupted, {fails}), 130);
  EXPECT_EQ(ExitCodeOf(Ending::kScriptFailed, {fails}), 3);
}

}  // namespace
}  // namespace kwker::audit
