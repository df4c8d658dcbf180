#include "audit/report.h"

#include <gtest/gtest.h>

#include "audit/testing.h"

namespace kwker::audit {
namespace {

using testing::MakeRuns;
using testing::MakeSetup;

TEST(MakeReport, FasterAndEqual) {
  const audit::Setup setup = MakeSetup(6);
  const Report report = MakeReport(setup, MakeRuns(setup, 1.5), Ending::kCompleted);
  EXPECT_EQ(report.speed, Speed::kFaster);
  EXPECT_NEAR(*report.speedup.estimate, 1.5, 0.03);
  EXPECT_EQ(report.speedup.pairs, 6);
  EXPECT_EQ(report.basis, Basis::kScript);
  EXPECT_EQ(report.outputs.equality, Equality::kEqual);
  EXPECT_EQ(report.exit_code, kExitOk);
  EXPECT_EQ(report.runs.size(), 14u);
  EXPECT_EQ(report.without.runs, 6);
  EXPECT_NEAR(*report.without.wall_s, 8, 0.2);
  EXPECT_NEAR(*report.without.process_wall_s, 9.5, 0.2);
  EXPECT_EQ(report.with.max_rss_bytes, 815'000'000);
  ASSERT_EQ(report.features.size(), 2u);
  EXPECT_EQ(report.features[0].calls, 240);
  EXPECT_TRUE(report.warnings.empty());
}

TEST(MakeReport, WarmUpsAreNotCounted) {
  const audit::Setup setup = MakeSetup(3);
  std::vector<RunOutcome> runs = MakeRuns(setup, 1, 0);
  runs[0].result->wall_s = 1000;
  const Report report = MakeReport(setup, runs, Ending::kCompleted);
  EXPECT_DOUBLE_EQ(*report.speedup.estimate, 1);
  EXPECT_DOUBLE_EQ(*report.without.wall_s, 8);
}

TEST(MakeReport, FallsBackToTheProcessForAllPairs) {
  const audit::Setup setup = MakeSetup(3);
  std::vector<RunOutcome> runs = MakeRuns(setup, 2, 0);
  runs[4].result.reset();
  const Report report = MakeReport(setup, runs, Ending::kCompleted);
  EXPECT_EQ(report.basis, Basis::kProcess);
  EXPECT_EQ(report.speedup.pairs, 3);
  EXPECT_NEAR(*report.speedup.estimate, 9.5 / 5.5, 1e-9);
  EXPECT_EQ(report.outputs.equality, Equality::kUnknown);
}

TEST(MakeReport, CpuTooShortToMeasure) {
  const audit::Setup setup = MakeSetup(2);
  std::vector<RunOutcome> runs = MakeRuns(setup, 2, 0);
  runs[3].result->cpu_user_s = runs[3].result->cpu_sys_s = 0;
  const Report report = MakeReport(setup, runs, Ending::kCompleted);
  EXPECT_FALSE(report.cpu_speedup.estimate);
  EXPECT_TRUE(report.speedup.estimate);
}

TEST(MakeReport, GatesDecideTheExitCode) {
  audit::Setup setup = MakeSetup(6);
  setup.options.gates = {true, 2.0, {}};
  const Report report = MakeReport(setup, MakeRuns(setup, 1.5), Ending::kCompleted);
  ASSERT_EQ(report.gates.size(), 2u);
  EXPECT_EQ(report.gates[0].state, GateState::kHolds);
  EXPECT_EQ(report.gates[1].state, GateState::kFails);
  EXPECT_EQ(report.exit_code, kExitGateFails);
}

TEST(MakeReport, NoGateIsDecidedWhileRunning) {
  audit::Setup setup = MakeSetup(6);
  setup.options.gates = {true, 1.2, {}};
  const Report report = MakeReport(setup, MakeRuns(setup, 1.5), Ending::kRunning);
  ASSERT_EQ(report.gates.size(), 2u);
  for (const GateResult& gate : report.gates) {
    EXPECT_EQ(gate.state, GateState::kUndecided);
    EXPECT_EQ(gate.reason, "the audit is still running");
  }
}

TEST(MakeReport, NothingRun) {
  const Report report =
      MakeReport(MakeSetup(), {}, Ending::kCannotRun, {.error = "the disk is full", .stop = {}});
  EXPECT_EQ(report.speed, Speed::kInconclusive);
  EXPECT_EQ(report.outputs.equality, Equality::kUnknown);
  EXPECT_EQ(report.exit_code, kExitUndecided);
  EXPECT_EQ(report.error, "the disk is full");
  EXPECT_EQ(FailedRun(report), nullptr);
}

TEST(FailedRun, OfTheGuiltySide) {
  const audit::Setup setup = MakeSetup(2);
  std::vector<RunOutcome> runs = MakeRuns(setup, 1);
  runs.resize(3);
  runs[1].end = RunEnd::kSignal;
  EXPECT_EQ(FailedRun(MakeReport(setup, runs, Ending::kKwkerFailed))->request.order, 1);
  runs[2].end = RunEnd::kExit;
  EXPECT_EQ(FailedRun(MakeReport(setup, runs, Ending::kScriptFailed))->request.order, 2);
}

}  // namespace
}  // namespace kwker::audit
