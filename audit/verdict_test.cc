#include "audit/verdict.h"

#include <gtest/gtest.h>

#include "audit/testing.h"

namespace kwker::audit {
namespace {

using testing::MakeOutput;
using testing::MakeRuns;
using testing::MakeSetup;

RatioEstimate Interval95(double low, double high) {
  return {(low + high) / 2, Interval{low, high}, 5, "m"};
}

TEST(JudgeSpeed, ByTheInterval) {
  EXPECT_EQ(JudgeSpeed(Interval95(1.001, 1.4)), Speed::kFaster);
  EXPECT_EQ(JudgeSpeed(Interval95(0.8, 0.999)), Speed::kSlower);
  EXPECT_EQ(JudgeSpeed(Interval95(0.98, 1.02)), Speed::kInconclusive);
  EXPECT_EQ(JudgeSpeed(Interval95(0.995, 1.005)), Speed::kNoDifference);
  EXPECT_EQ(JudgeSpeed(Interval95(1.002, 1.008)), Speed::kNoDifference);
  EXPECT_EQ(JudgeSpeed(Interval95(1, 1.4)), Speed::kInconclusive);
}

TEST(JudgeSpeed, WithoutIntervalInconclusive) {
  EXPECT_EQ(JudgeSpeed({}), Speed::kInconclusive);
  EXPECT_EQ(JudgeSpeed({2.0, std::nullopt, 1, ""}), Speed::kInconclusive);
}

// An audit of two pairs: A B | A B B A.
class JudgeOutputsTest : public ::testing::Test {
 protected:
  OutputsVerdict Judge() const { return JudgeOutputs(runs_); }
  void Change(std::size_t run, int bits = 99) {
    runs_[run].result->outputs[1] = MakeOutput("backward[0]", bits);
  }
  std::vector<RunOutcome> runs_ = MakeRuns(MakeSetup(2), 1.3);
};

TEST_F(JudgeOutputsTest, Equal) {
  const OutputsVerdict verdict = Judge();
  EXPECT_EQ(verdict.equality, Equality::kEqual);
  EXPECT_EQ(verdict.deterministic, true);
  EXPECT_EQ(verdict.count, 2);
  EXPECT_EQ(verdict.bytes, 48);
  EXPECT_EQ(verdict.reason, "");
}

TEST_F(JudgeOutputsTest, AllRunsWithKwkerDiffer) {
  for (const std::size_t run : {1, 3, 4}) Change(run);  // the warm-up is one of them
  OutputsVerdict verdict = Judge();
  EXPECT_EQ(verdict.equality, Equality::kDifferent);
  EXPECT_EQ(verdict.first_difference->name, "backward[0]");
  EXPECT_EQ(verdict.deterministic_with, true);
  EXPECT_EQ(verdict.another_run_of, std::nullopt);
  EXPECT_EQ(verdict.reason, "run 2 with Kwker differs from the 3 runs without it, which agree");
  Change(4, 98);
  verdict = Judge();
  EXPECT_EQ(verdict.equality, Equality::kDifferent);
  EXPECT_EQ(verdict.deterministic_with, false);
  EXPECT_TRUE(verdict.reason.ends_with("; those with Kwker differ among themselves, too"));
}

TEST_F(JudgeOutputsTest, SomeRunsWithKwkerDiffer) {
  for (const std::size_t run : {1, 3, 4}) {
    for (const std::size_t other : {1, 3, 4}) {
      runs_ = MakeRuns(MakeSetup(2), 1.3);
      Change(run);
      Change(other);
      const OutputsVerdict verdict = Judge();
      EXPECT_EQ(verdict.equality, Equality::kUnknown);
      EXPECT_EQ(verdict.deterministic, true);
      EXPECT_EQ(verdict.deterministic_with, false);
      EXPECT_EQ(verdict.another_run_of, std::nullopt);
      EXPECT_EQ(verdict.first_difference->name, "backward[0]");
      EXPECT_TRUE(verdict.reason.starts_with("with Kwker runs differ among themselves: "))
          << verdict.reason;
    }
  }
}

TEST_F(JudgeOutputsTest, TooFewRunsToBeSure) {
  for (const std::size_t run : {1, 3, 4}) Change(run);
  runs_.pop_back();
  EXPECT_EQ(Judge().equality, Equality::kUnknown);
  EXPECT_EQ(Judge().another_run_of, Side::kA);
  EXPECT_NE(Judge().reason.find("2 runs without Kwker are too few"), std::string::npos);
  runs_ = MakeRuns(MakeSetup(2), 1.3);
  Change(1);
  runs_.erase(runs_.begin() + 3, runs_.begin() + 5);
  EXPECT_EQ(Judge().equality, Equality::kUnknown);
  EXPECT_EQ(Judge().another_run_of, Side::kB);
  EXPECT_EQ(Judge().reason,
            "run 2 with Kwker differs from those without it, but one run is no proof");
}

TEST_F(JudgeOutputsTest, IncompleteRunsAreNeverEqual) {
  for (std::size_t run = 0; run < runs_.size(); ++run) {
    runs_ = MakeRuns(MakeSetup(2), 1.3);
    runs_[run].result->incomplete = {"x could not be compared (TypeError)", "y"};
    EXPECT_EQ(Judge().equality, Equality::kUnknown);
    EXPECT_EQ(Judge().reason,
              "not all outputs of run " + std::to_string(run + 1) +
                  " could be compared: x could not be compared (TypeError) (and 1 more)");
    runs_[run].result->outputs.clear();  // what is missing in it is no difference
    EXPECT_EQ(Judge().equality, Equality::kUnknown);
    EXPECT_EQ(Judge().first_difference, std::nullopt);
    EXPECT_EQ(Judge().deterministic, true);
    EXPECT_EQ(Judge().count, 2);
  }
}

TEST_F(JudgeOutputsTest, DifferencesOfIncompleteRunsCount) {
  for (RunOutcome& run : runs_) run.result->incomplete = {"x"};
  EXPECT_EQ(Judge().deterministic, std::nullopt);
  for (const std::size_t run : {1, 3, 4}) Change(run);
  EXPECT_EQ(Judge().equality, Equality::kDifferent);
  // One that agrees in that output speaks against it, one that lacks it does not.
  runs_[3] = runs_[0];
  runs_[3].request.side = Side::kB;
  EXPECT_EQ(Judge().equality, Equality::kUnknown);
  runs_[3].result->outputs.clear();
  EXPECT_EQ(Judge().equality, Equality::kDifferent);
}

TEST_F(JudgeOutputsTest, BaselineDiffersFromItself) {
  for (const std::size_t run : {0, 2, 5}) {
    runs_ = MakeRuns(MakeSetup(2), 1.3);
    Change(run);
    Change(1, 98);  // that the sides differ too does not matter
    const OutputsVerdict verdict = Judge();
    EXPECT_EQ(verdict.equality, Equality::kUnknown);
    EXPECT_EQ(verdict.deterministic, false);
    EXPECT_EQ(verdict.first_difference->name, "backward[0]");
    EXPECT_NE(verdict.reason.find("not deterministic"), std::string::npos);
  }
}

TEST_F(JudgeOutputsTest, OneBaselineRunCannotTellADifference) {
  runs_.resize(2);
  EXPECT_EQ(Judge().equality, Equality::kEqual);
  EXPECT_EQ(Judge().deterministic, std::nullopt);
  Change(1);
  EXPECT_EQ(Judge().equality, Equality::kUnknown);
  EXPECT_EQ(Judge().first_difference->name, "backward[0]");
}

TEST_F(JudgeOutputsTest, NamesOfOneSide) {
  for (const std::size_t run : {1, 3, 4}) {
    runs_[run].result->outputs.push_back(MakeOutput("extra"));
  }
  EXPECT_EQ(Judge().equality, Equality::kDifferent);
  EXPECT_EQ(Judge().first_difference->what, "only with Kwker");
  for (const std::size_t run : {1, 3, 4}) runs_[run].result->outputs.clear();
  EXPECT_EQ(Judge().first_difference->what, "only without Kwker");
}

TEST_F(JudgeOutputsTest, RunWithoutResult) {
  for (std::size_t run = 0; run < runs_.size(); ++run) {
    runs_ = MakeRuns(MakeSetup(2), 1.3);
    runs_[run].result.reset();
    EXPECT_EQ(Judge().equality, Equality::kUnknown);
    EXPECT_NE(Judge().reason.find("os._exit"), std::string::npos);
    runs_[run].result_error = "RESULT.json is not JSON (near byte 1)";
    EXPECT_NE(Judge().reason.find("not JSON"), std::string::npos);
  }
}

TEST_F(JudgeOutputsTest, ADifferenceIsOneEvenIfAnotherRunHasNoResult) {
  Change(1);
  Change(4);
  runs_[3].result.reset();
  EXPECT_EQ(Judge().equality, Equality::kDifferent);
}

TEST_F(JudgeOutputsTest, NoResultAtAll) {
  for (RunOutcome& run : runs_) run.result.reset();
  EXPECT_EQ(Judge().equality, Equality::kUnknown);
}

TEST_F(JudgeOutputsTest, NoOutputs) {
  for (RunOutcome& run : runs_) run.result->outputs.clear();
  EXPECT_EQ(Judge().equality, Equality::kUnknown);
  EXPECT_EQ(Judge().reason, "the script left no tensors to compare");
}

TEST_F(JudgeOutputsTest, NothingRun) {
  runs_.clear();
  EXPECT_EQ(Judge().equality, Equality::kUnknown);
  runs_ = MakeRuns(MakeSetup(2), 1.3);
  runs_.resize(1);
  EXPECT_EQ(Judge().equality, Equality::kUnknown);
  EXPECT_EQ(Judge().reason, "no run with Kwker has finished");
}

TEST_F(JudgeOutputsTest, InterruptedRunsSayNothing) {
  runs_[5].end = RunEnd::kInterrupted;
  runs_[5].result.reset();
  EXPECT_EQ(Judge().equality, Equality::kEqual);
}

TEST_F(JudgeOutputsTest, FailureWithKwkerNeedsAPassAfterIt) {
  runs_.resize(2);
  runs_[1].end = RunEnd::kSignal;
  runs_[1].signal = 11;
  runs_[1].result.reset();
  EXPECT_EQ(Judge().equality, Equality::kUnknown);
  runs_.push_back(testing::MakeRun({Side::kA, 2, false, -1}, 8));
  EXPECT_EQ(Judge().equality, Equality::kDifferent);
  EXPECT_EQ(Judge().reason, "the script fails only with Kwker: signal 11 (SIGSEGV)");
  runs_[2].end = RunEnd::kExit;
  runs_[2].exit_code = 1;
  EXPECT_EQ(Judge().equality, Equality::kUnknown);
  EXPECT_EQ(Judge().reason, "the script fails without Kwker: exit status 1");
}

TEST_F(JudgeOutputsTest, TensorsOrOtherValues) {
  EXPECT_TRUE(Judge().tensors);
  for (const char* dtype : {"python.int", "numpy.float32", "combined"}) {
    runs_[0].result->outputs[1].dtype = dtype;
    EXPECT_FALSE(Judge().tensors) << dtype;
  }
}

TEST_F(JudgeOutputsTest, CountsNans) {
  for (RunOutcome& run : runs_) run.result->outputs[0].nans = 3;
  EXPECT_EQ(Judge().nans, 3);
}

TEST_F(JudgeOutputsTest, PrintedText) {
  EXPECT_EQ(JudgePrinted(runs_), Printed::kEqual);
  runs_[1].stdout_digest = "other";
  EXPECT_EQ(JudgePrinted(runs_), Printed::kDifferent);
  EXPECT_EQ(Judge().equality, Equality::kEqual);
  runs_[2].stdout_digest = "third";
  EXPECT_EQ(JudgePrinted(runs_), Printed::kVaries);
  runs_.resize(1);
  EXPECT_EQ(JudgePrinted(runs_), Printed::kUnknown);
}

TEST(DescribeEnd, InWords) {
  RunOutcome run;
  EXPECT_EQ(DescribeEnd(run), "exit status 0");
  run.end = RunEnd::kExit;
  run.exit_code = 3;
  EXPECT_EQ(DescribeEnd(run), "exit status 3");
  run.end = RunEnd::kSignal;
  run.signal = 9;
  EXPECT_EQ(DescribeEnd(run), "signal 9 (SIGKILL)");
  run.signal = 63;
  EXPECT_EQ(DescribeEnd(run), "signal 63");
  run.end = RunEnd::kTimeout;
  EXPECT_EQ(DescribeEnd(run), "over the time limit");
}

TEST(Failed, InterruptionsAreNone) {
  RunOutcome run;
  EXPECT_FALSE(Failed(run));
  run.end = RunEnd::kInterrupted;
  EXPECT_FALSE(Failed(run));
  run.end = RunEnd::kTimeout;
  EXPECT_TRUE(Failed(run));
}

}  // namespace
}  // namespace kwker::audit
