#include "audit/headline.h"

#include <gtest/gtest.h>

#include "audit/testing.h"

namespace kwker::audit {
namespace {

using testing::MakeOutput;
using testing::MakeRuns;
using testing::MakeSetup;

class HeadlineTest : public ::testing::Test {
 protected:
  std::string Of(Ending ending = Ending::kCompleted, const std::string& error = "") const {
    return Headline(MakeReport(setup_, runs_, ending, {.error = error, .stop = {}}));
  }
  void Make(double ratio, double noise) { runs_ = MakeRuns(setup_, ratio, noise); }

  audit::Setup setup_ = MakeSetup(8);
  std::vector<RunOutcome> runs_ = MakeRuns(setup_, 1.38, 0.05);
};

TEST_F(HeadlineTest, Faster) {
  EXPECT_EQ(Of(),
            "1.39x faster (95% 1.34–1.44, 8 pairs) · outputs equal to the bit (2 tensors, "
            "48 B)");
}

TEST_F(HeadlineTest, Slower) {
  Make(0.9, 0.02);
  EXPECT_TRUE(Of().starts_with("slower: 0.90x (95% 0.8")) << Of();
}

TEST_F(HeadlineTest, NoDifference) {
  Make(1, 0.002);
  EXPECT_TRUE(Of().starts_with("no difference in speed (1.000x, 95% 0.99")) << Of();
}

TEST_F(HeadlineTest, Inconclusive) {
  Make(1, 0.1);
  EXPECT_TRUE(Of().starts_with("speed inconclusive (1.01x, 95% 0.9")) << Of();
}

TEST_F(HeadlineTest, OnePair) {
  runs_.resize(4);
  EXPECT_TRUE(Of().starts_with("speed inconclusive (1.")) << Of();
  EXPECT_NE(Of().find("x, 1 pair)"), std::string::npos) << Of();
}

TEST_F(HeadlineTest, NoPair) {
  runs_.resize(3);
  EXPECT_EQ(Of(Ending::kInterrupted),
            "speed not measured: no pair of runs finished · outputs equal to the bit (2 tensors, "
            "48 B) · interrupted: 0 of 8 pairs finished");
}

TEST_F(HeadlineTest, DifferentComesFirst) {
  for (RunOutcome& run : runs_) {
    if (run.request.side == Side::kB) run.result->outputs[1] = MakeOutput("backward[0]", 99);
  }
  EXPECT_EQ(Of(),
            "OUTPUTS DIFFERENT, first in backward[0] · 1.39x faster (95% 1.34–1.44, 8 pairs)");
}

TEST_F(HeadlineTest, NotDeterministic) {
  runs_[2].result->outputs[1] = MakeOutput("backward[0]", 99);
  EXPECT_TRUE(Of().ends_with("outputs unknown: not deterministic")) << Of();
}

TEST_F(HeadlineTest, RunsWithKwkerDifferAmongThemselves) {
  runs_[1].result->outputs[1] = MakeOutput("backward[0]", 99);
  EXPECT_TRUE(Of().ends_with("outputs unknown: runs with Kwker differ among themselves")) << Of();
}

TEST_F(HeadlineTest, ValuesThatAreNoTensors) {
  for (RunOutcome& run : runs_) run.result->outputs[1].dtype = "python.int";
  EXPECT_TRUE(Of().ends_with("outputs equal to the bit (2 values, 48 B)")) << Of();
}

TEST_F(HeadlineTest, Failures) {
  runs_.resize(1);
  runs_[0].end = RunEnd::kExit;
  runs_[0].exit_code = 3;
  EXPECT_EQ(Of(Ending::kScriptFailed), "the script fails without Kwker: exit status 3");
  runs_[0].end = RunEnd::kTimeout;
  setup_.options.timeout_s = 60;
  EXPECT_EQ(Of(Ending::kScriptFailed),
            "the script fails without Kwker: it takes longer than --timeout 60 s");
  runs_[0].request.side = Side::kB;
  runs_[0].end = RunEnd::kSignal;
  runs_[0].signal = 11;
  EXPECT_EQ(Of(Ending::kKwkerFailed),
            "KWKER FAILED: the script fails only with Kwker: signal 11 (SIGSEGV)");
  EXPECT_EQ(Of(Ending::kCannotRun, "the disk is full"),
            "the audit could not go on: the disk is full");
}

}  // namespace
}  // namespace kwker::audit
