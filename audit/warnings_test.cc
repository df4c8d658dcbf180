#include "audit/warnings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "audit/testing.h"

namespace kwker::audit {
namespace {

using testing::MakeRuns;
using testing::MakeSetup;

class WarningsTest : public ::testing::Test {
 protected:
  // Those that contain `part`.
  std::ptrdiff_t Count(const std::string& part) const {
    const Report report =
        MakeReport(setup_, runs_, Ending::kCompleted, {.error = "", .stop = stop_});
    return std::count_if(report.warnings.begin(), report.warnings.end(),
                         [&part](const std::string& warning) {
                           EXPECT_EQ(warning.find('\n'), std::string::npos);
                           return warning.find(part) != std::string::npos;
                         });
  }

  audit::Setup setup_ = MakeSetup(6);
  std::optional<Stop> stop_;
  std::vector<RunOutcome> runs_ = MakeRuns(setup_, 1.3);
};

TEST_F(WarningsTest, NoneOnAQuietMachine) { EXPECT_EQ(Count(""), 0); }

TEST_F(WarningsTest, NoisyMachine) {
  runs_ = MakeRuns(setup_, 1.3, 0.2);
  EXPECT_EQ(Count("noisy machine"), 1);
}

TEST_F(WarningsTest, NoisyMachineWithFewRuns) {
  setup_ = MakeSetup(3);
  runs_ = MakeRuns(setup_, 1.3);
  EXPECT_EQ(Count("noisy machine"), 0);
  runs_[2].result->wall_s *= 1.4;
  EXPECT_EQ(Count("noisy machine"), 1);
}

TEST_F(WarningsTest, Outlier) {
  runs_[4].result->wall_s *= 2;
  EXPECT_EQ(Count("pair 2 is an outlier: 0.6"), 1);
  EXPECT_EQ(Count("outlier"), 1);
}

TEST_F(WarningsTest, Drift) {
  for (RunOutcome& run : runs_) run.result->wall_s *= std::pow(1.01, run.request.order);
  EXPECT_EQ(Count("the machine drifted: the last runs took 1"), 1);
  EXPECT_EQ(Count("% longer than the first"), 1);
  for (RunOutcome& run : runs_) run.result->wall_s *= std::pow(0.97, run.request.order);
  EXPECT_EQ(Count("% less than the first"), 1);
}

TEST_F(WarningsTest, OtherLoad) {
  for (RunOutcome& run : runs_) run.surroundings = Surroundings{};
  EXPECT_EQ(Count(""), 0);
  for (RunOutcome& run : runs_) run.surroundings->other_load = 0.34;
  runs_[3].surroundings->other_load = 0;
  runs_[4].surroundings.reset();
  EXPECT_EQ(Count("other programs used 34% of the machine's processors"), 1);
  for (RunOutcome& run : runs_) run.surroundings = Surroundings{0, 0.08, 0, 0};
  EXPECT_EQ(Count("gave 8% of its time to others"), 1);
}

TEST_F(WarningsTest, SwapAndHeat) {
  for (RunOutcome& run : runs_) run.surroundings = Surroundings{};
  runs_[2].surroundings->swapped_bytes = 4096;
  EXPECT_EQ(Count("swapped"), 0);
  runs_[2].surroundings->swapped_bytes = 50 << 20;
  EXPECT_EQ(Count("swapped to disk and back in 1 of 14 runs"), 1);
  runs_[2].surroundings->throttled = 1;
  EXPECT_EQ(Count("slowed down for heat in 1 of 14 runs"), 1);
}

TEST_F(WarningsTest, LimitsThatEndedIt) {
  stop_ = Stop::kMaxTime;
  setup_.options.max_time_s = 90;
  setup_.options.pairs = 9;
  EXPECT_EQ(Count("the time (--max-time 90) was over after 6 of 9 pairs"), 1);
  setup_.options.max_pairs = 20;
  EXPECT_EQ(Count("(--max-time 90) was over after 6 pairs: the interval is wider than wanted"), 1);
  stop_ = Stop::kMaxPairs;
  EXPECT_EQ(Count("after 20 pairs (--max-pairs) the interval is still wider than 5% (--width)"), 1);
  stop_ = Stop::kWidth;
  EXPECT_EQ(Count(""), 0);
}

TEST_F(WarningsTest, OnePair) {
  setup_ = MakeSetup(1);
  runs_ = MakeRuns(setup_, 1.3);
  EXPECT_EQ(Count("one pair has no interval"), 1);
}

TEST_F(WarningsTest, IncompleteOutputsUnlessTheVerdictSaysSo) {
  for (RunOutcome& run : runs_) run.result->incomplete = {"x", "y"};
  EXPECT_EQ(Count("not all outputs were compared"), 1);
  EXPECT_EQ(Count("not all outputs were compared: y"), 1);
  for (RunOutcome& run : runs_) {
    if (run.request.side == Side::kB)
      run.result->outputs[0] = testing::MakeOutput("globals.model.weight", 9);
  }
  EXPECT_EQ(Count("not all outputs were compared"), 2);
}

TEST_F(WarningsTest, NoResult) {
  runs_[4].result.reset();
  EXPECT_EQ(Count("run 5 left no result: os._exit"), 1);
  EXPECT_EQ(Count("whole process"), 1);
  runs_[4].result_error = "RESULT.json is not JSON (near byte 1)";
  EXPECT_EQ(Count("run 5 left no result: RESULT.json is not JSON"), 1);
  for (RunOutcome& run : runs_) run.result.reset();
  EXPECT_EQ(Count("13 of 14 runs left no result: os._exit"), 1);
}

TEST_F(WarningsTest, KernelsNeverCalled) {
  for (RunOutcome& run : runs_) run.result->features[0].calls = 0;
  EXPECT_EQ(Count("never called"), 1);
}

TEST_F(WarningsTest, CallsVaryFromRunToRun) {
  runs_[1].result->features[0].calls = 239;
  EXPECT_EQ(Count("optim.adamw was not called equally often"), 1);
}

TEST_F(WarningsTest, FailedSelfCheck) {
  for (RunOutcome& run : runs_) run.result->features[1].state = "failed self-check";
  EXPECT_EQ(Count("optim.sgd did not take part: failed self-check"), 1);
}

TEST_F(WarningsTest, TorchNotTheSame) {
  runs_[3].result->threads = 1;
  EXPECT_EQ(Count("torch was not the same in all runs"), 1);
}

TEST_F(WarningsTest, PrintedTextDiffers) {
  for (RunOutcome& run : runs_) {
    if (run.request.side == Side::kB) run.stdout_digest = "other";
  }
  EXPECT_EQ(Count("printed text differs"), 1);
}

TEST_F(WarningsTest, OfChildrenOnceEach) {
  for (RunOutcome& run : runs_) run.result->warnings = {"every run says so"};
  runs_[2].result->warnings.push_back("one run says so");
  EXPECT_EQ(Count("every run says so"), 1);
  EXPECT_EQ(Count("one run says so (in 1 of 14 runs)"), 1);
}

TEST_F(WarningsTest, NotEmbedded) {
  setup_.embedded = false;
  EXPECT_EQ(Count("no shared libpython"), 1);
}

}  // namespace
}  // namespace kwker::audit
