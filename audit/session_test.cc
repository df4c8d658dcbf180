#include "audit/session.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "audit/testing.h"

namespace kwker::audit {
namespace {

using testing::MakeRun;
using testing::MakeSetup;

// A machine on which Kwker makes the script twice as fast. `meddle` may change
// what becomes of a run.
class SessionTest : public ::testing::Test {
 protected:
  Report Run() {
    hooks_.after_pair = [this](const Report& report) {
      EXPECT_EQ(report.ending, Ending::kRunning);
      pairs_seen_.push_back(FinishedPairs(report.runs).size());
    };
    return RunAudit(
        setup_,
        [this](const RunRequest& request) {
          (request.probe ? probes_ : sides_) += request.side == Side::kA ? 'A' : 'B';
          RunOutcome run = MakeRun(request, request.side == Side::kA ? 8 : 4);
          if (meddle_) meddle_(&run);
          return run;
        },
        hooks_);
  }

  static void Fail(RunOutcome* run, RunEnd end) {
    run->end = end;
    run->exit_code = 1;
    run->signal = 11;
    run->result.reset();
  }

  audit::Setup setup_ = MakeSetup(2);
  SessionHooks hooks_;
  std::function<void(RunOutcome*)> meddle_;
  std::string sides_, probes_;  // of runs that count, and of those that explain
  std::vector<std::size_t> pairs_seen_;
};

TEST_F(SessionTest, Completes) {
  const Report report = Run();
  EXPECT_EQ(report.ending, Ending::kCompleted);
  EXPECT_EQ(sides_, "ABABBA");
  EXPECT_EQ(pairs_seen_, (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(report.speed, Speed::kFaster);
  EXPECT_EQ(report.outputs.equality, Equality::kEqual);
  EXPECT_EQ(report.exit_code, kExitOk);
  ASSERT_EQ(report.runs.size(), 6u);
  EXPECT_TRUE(report.runs[1].request.warm_up);
  EXPECT_EQ(report.runs[5].request.pair, 1);
}

TEST_F(SessionTest, StopsWhenTheIntervalIsNarrow) {
  setup_.options.pairs = 3;
  setup_.options.max_pairs = 9;
  EXPECT_EQ(Run().stop, Stop::kWidth);
  EXPECT_EQ(sides_, "ABABBABA");
  meddle_ = [](RunOutcome* run) { run->result->wall_s *= 1 + 0.5 * (run->request.pair % 2); };
  sides_.clear();
  EXPECT_EQ(Run().stop, Stop::kWidth);  // both runs of a pair are slow: the ratio is steady
  meddle_ = [](RunOutcome* run) {
    if (run->request.side == Side::kA) run->result->wall_s *= 1 + 0.5 * (run->request.pair % 2);
  };
  sides_.clear();
  const Report report = Run();
  EXPECT_EQ(report.stop, Stop::kMaxPairs);
  EXPECT_EQ(report.speedup.pairs, 9);
  EXPECT_NE(report.speedup.method.find("width"), std::string::npos);
  EXPECT_EQ(sides_.size(), 20u);
}

TEST_F(SessionTest, StopsWhenTheTimeIsOver) {
  double now = 100;
  hooks_.seconds = [&now] { return now; };
  meddle_ = [&now](RunOutcome* run) { now += run->usage.wall_s; };
  setup_.options.pairs = 8;
  setup_.options.max_time_s = 50;  // a pair takes 15 s
  const Report report = Run();
  EXPECT_EQ(report.stop, Stop::kMaxTime);
  EXPECT_EQ(report.speedup.pairs, 2);
  EXPECT_EQ(report.ending, Ending::kCompleted);
}

TEST_F(SessionTest, ScriptFailsAtOnce) {
  meddle_ = [](RunOutcome* run) { Fail(run, RunEnd::kExit); };
  const Report report = Run();
  EXPECT_EQ(report.ending, Ending::kScriptFailed);
  EXPECT_EQ(report.exit_code, kExitScriptFailed);
  EXPECT_EQ(sides_, "A");
}

TEST_F(SessionTest, FailsOnlyWithKwker) {
  meddle_ = [](RunOutcome* run) {
    if (run->request.side == Side::kB) Fail(run, RunEnd::kSignal);
  };
  const Report report = Run();
  EXPECT_EQ(report.ending, Ending::kKwkerFailed);
  EXPECT_EQ(report.exit_code, kExitGateFails);
  EXPECT_EQ(report.outputs.equality, Equality::kDifferent);
  EXPECT_EQ(sides_, "ABA");
  EXPECT_EQ(report.runs[2].request.pair, -1);
  EXPECT_FALSE(report.runs[2].request.warm_up);
}

TEST_F(SessionTest, DifferencesAreConfirmed) {
  int odd_without = -1;
  meddle_ = [&](RunOutcome* run) {
    if (run->request.side == Side::kA && run->request.order != odd_without) return;
    run->result->outputs[0] = testing::MakeOutput("globals.model.weight", 99);
  };
  EXPECT_EQ(Run().outputs.equality, Equality::kDifferent);
  EXPECT_EQ(sides_, "ABABBA");  // enough as it is
  setup_.options.warmup = 0;
  sides_.clear();
  EXPECT_EQ(Run().outputs.equality, Equality::kDifferent);
  EXPECT_EQ(sides_, "ABBAA");
  setup_.options.pairs = 1;
  sides_.clear();
  const Report report = Run();
  EXPECT_EQ(report.outputs.equality, Equality::kDifferent);
  EXPECT_EQ(report.ending, Ending::kCompleted);
  EXPECT_EQ(report.speedup.pairs, 1);
  EXPECT_EQ(report.runs[2].request.pair, -1);
  EXPECT_EQ(sides_, "ABAAB");
  odd_without = 2;  // it was the script
  sides_.clear();
  EXPECT_EQ(Run().outputs.equality, Equality::kUnknown);
  EXPECT_EQ(sides_, "ABA");
}

// Kwker's optim.adamw is wrong.
void WrongWithAdamw(RunOutcome* run) {
  const std::vector<std::string>& off = run->request.off;
  if (run->request.side == Side::kA) return;
  if (std::find(off.begin(), off.end(), "optim.adamw") != off.end()) return;
  run->result->outputs[0] = testing::MakeOutput("globals.model.weight", 99);
}

TEST_F(SessionTest, DifferencesAreExplained) {
  meddle_ = WrongWithAdamw;
  const Report report = Run();
  EXPECT_EQ(Causes(report), std::vector<std::string>{"optim.adamw"});
  ASSERT_TRUE(report.explanation);
  EXPECT_EQ(report.explanation->differing, 1);
  // Two to look closer; all off, adamw on, adamw off.
  EXPECT_EQ(sides_, "ABABBA");
  EXPECT_EQ(probes_, "ABBBB");
  EXPECT_EQ(report.runs.size(), 6u);
  ASSERT_EQ(report.explanation->probes.size(), 5u);
  EXPECT_EQ(report.explanation->probes[4].outcome.request.order, 10);
  EXPECT_EQ(report.ending, Ending::kCompleted);
  setup_.kwker_in_b = false;
  EXPECT_FALSE(Run().explanation->culprits);
}

TEST_F(SessionTest, ExplanationsRespectTheTime) {
  double now = 0;
  hooks_.seconds = [&now] { return now; };
  meddle_ = [&now](RunOutcome* run) {
    now += run->usage.wall_s;
    WrongWithAdamw(run);
  };
  setup_.options.max_time_s = 60;  // two pairs and the warm-up take 45 s
  Report report = Run();
  EXPECT_EQ(report.explanation->probes.size(), 2u);
  EXPECT_EQ(report.explanation->unfinished, "the time (--max-time 60) is over");
  EXPECT_TRUE(Causes(report).empty());
  setup_.options.max_time_s.reset();
  report = Run();
  EXPECT_EQ(Causes(report).size(), 1u);
}

TEST_F(SessionTest, AnInterruptEndsAnExplanation) {
  meddle_ = WrongWithAdamw;
  hooks_.interrupted = [this] { return probes_.size() >= 2; };
  const Report report = Run();
  EXPECT_EQ(report.ending, Ending::kInterrupted);
  EXPECT_EQ(report.outputs.equality, Equality::kDifferent);
  EXPECT_EQ(report.explanation->unfinished, "it was interrupted");
}

TEST_F(SessionTest, AFailureWithAFeatureIsExplained) {
  meddle_ = [](RunOutcome* run) {
    WrongWithAdamw(run);
    if (run->result->outputs[0].digest != testing::MakeOutput("", 99).digest) return;
    run->end = RunEnd::kExit;
    run->exit_code = 1;
  };
  const Report report = Run();
  EXPECT_EQ(report.ending, Ending::kKwkerFailed);
  EXPECT_EQ(Causes(report), std::vector<std::string>{"optim.adamw"});
}

TEST_F(SessionTest, AFailureWhileADifferenceIsConfirmed) {
  setup_.options.warmup = 0;
  meddle_ = [](RunOutcome* run) {
    if (run->request.side == Side::kB) run->result->outputs.clear();
    if (run->request.order >= 4) Fail(run, RunEnd::kExit);
  };
  EXPECT_EQ(Run().ending, Ending::kScriptFailed);
  EXPECT_EQ(sides_, "ABBAA");
}

TEST_F(SessionTest, RunsWithoutResultDoNotConfirmForever) {
  setup_.options.pairs = 1;
  setup_.options.warmup = 0;
  meddle_ = [](RunOutcome* run) {
    if (run->request.side == Side::kB) run->result->outputs.clear();
    if (run->request.order >= 2) run->result.reset();
  };
  EXPECT_EQ(Run().outputs.equality, Equality::kUnknown);
  EXPECT_EQ(sides_, "ABAAA");
}

TEST_F(SessionTest, StumblesOverAnEarlierRunsFiles) {
  meddle_ = [](RunOutcome* run) {
    if (run->request.order > 0) Fail(run, RunEnd::kExit);
  };
  const Report report = Run();
  EXPECT_EQ(report.ending, Ending::kScriptFailed);
  EXPECT_EQ(report.exit_code, kExitScriptFailed);
  EXPECT_EQ(report.outputs.equality, Equality::kUnknown);
  EXPECT_EQ(sides_, "ABA");
}

TEST_F(SessionTest, AFailureThatDoesNotComeAgainIsNoFeatures) {
  meddle_ = [](RunOutcome* run) {
    if (run->request.order == 4) Fail(run, RunEnd::kExit);
  };
  const Report report = Run();
  EXPECT_EQ(report.ending, Ending::kKwkerFailed);
  EXPECT_EQ(report.explanation->culprits->end, SearchEnd::kUnfinished);
  EXPECT_EQ(report.explanation->unfinished, "it did not happen again");
  EXPECT_EQ(probes_, "B");
}

TEST_F(SessionTest, KwkerFailsLater) {
  meddle_ = [](RunOutcome* run) {
    if (run->request.order == 4) Fail(run, RunEnd::kTimeout);
  };
  const Report report = Run();
  EXPECT_EQ(report.ending, Ending::kKwkerFailed);
  EXPECT_EQ(sides_, "ABABBA");
  EXPECT_EQ(report.speedup.pairs, 1);
}

TEST_F(SessionTest, InterruptedRunEndsIt) {
  meddle_ = [](RunOutcome* run) {
    if (run->request.order == 4) Fail(run, RunEnd::kInterrupted);
  };
  const Report report = Run();
  EXPECT_EQ(report.ending, Ending::kInterrupted);
  EXPECT_EQ(report.exit_code, kExitInterrupted);
  EXPECT_EQ(report.runs.size(), 5u);
  EXPECT_EQ(report.speedup.pairs, 1);
  EXPECT_EQ(report.outputs.equality, Equality::kEqual);
}

TEST_F(SessionTest, InterruptedBetweenRuns) {
  hooks_.interrupted = [this] { return sides_.size() >= 3; };
  const Report report = Run();
  EXPECT_EQ(report.ending, Ending::kInterrupted);
  EXPECT_EQ(sides_, "ABA");
}

TEST_F(SessionTest, InterruptedBeforeAFailureIsConfirmed) {
  meddle_ = [](RunOutcome* run) {
    if (run->request.side == Side::kB) Fail(run, RunEnd::kSignal);
  };
  hooks_.interrupted = [this] { return sides_.size() >= 2; };
  const Report report = Run();
  EXPECT_EQ(report.ending, Ending::kInterrupted);
  EXPECT_EQ(report.outputs.equality, Equality::kUnknown);
}

TEST_F(SessionTest, CannotRun) {
  meddle_ = [](RunOutcome* run) {
    if (run->request.order == 3) throw RunError("no room for the run's files");
  };
  const Report report = Run();
  EXPECT_EQ(report.ending, Ending::kCannotRun);
  EXPECT_EQ(report.error, "no room for the run's files");
  EXPECT_EQ(report.exit_code, kExitUndecided);
  EXPECT_EQ(report.runs.size(), 3u);
}

TEST_F(SessionTest, OtherExceptionsReachTheCaller) {
  meddle_ = [](RunOutcome*) { throw std::logic_error("a fault of ours"); };
  EXPECT_THROW(Run(), std::logic_error);
}

TEST_F(SessionTest, NoWarmUp) {
  setup_.options.warmup = 0;
  setup_.options.pairs = 1;
  EXPECT_EQ(Run().runs.size(), 2u);
  EXPECT_EQ(sides_, "AB");
}

// Counts what it is told.
class CountingProgress : public Progress {
 public:
  void RunStarts(const RunRequest&, int index, int total) override {
    EXPECT_EQ(index, started_++);
    EXPECT_EQ(total, 6);
  }
  void RunEnded(const RunOutcome&) override { ++ended_; }
  void Finish() override { ++finished_; }

  int started_ = 0, ended_ = 0, finished_ = 0;
};

TEST_F(SessionTest, TellsProgress) {
  CountingProgress progress;
  hooks_.progress = &progress;
  Run();
  EXPECT_EQ(progress.started_, 6);
  EXPECT_EQ(progress.ended_, 6);
  EXPECT_EQ(progress.finished_, 1);
}

}  // namespace
}  // namespace kwker::audit
