// Runs with a shell script in the program's place: what is started, waited for
// and ended, without Python.
#include "audit/child_run.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <thread>

namespace fs = std::filesystem;

namespace kwker::audit {
namespace {

// $1 is _child, $2 REQUEST.json, $3 and $4 the Python.
ChildRunOptions Options(const std::string& script) {
  static int number = 0;
  const fs::path path = fs::path(testing::TempDir()) / ("program" + std::to_string(number++));
  std::ofstream(path) << "#!/bin/bash\n" << script << "\n";
  chmod(path.c_str(), 0755);
  ChildRunOptions options;
  options.program = path;
  for (ChildSide* side : {&options.a, &options.b}) {
    side->python.executable = "/python";
    side->command = {"train.py"};
  }
  options.b.install = true;
  options.grace = std::chrono::milliseconds(300);
  return options;
}

RunOutcome RunOnce(const ChildRunOptions& options, Side side = Side::kA) {
  RunRequest request;
  request.side = side;
  return ChildRunner(options).Run(request);
}

// Sends a signal to this process while `runner` waits.
RunOutcome RunAndSignal(ChildRunner& runner, int signal, std::chrono::milliseconds after) {
  std::thread sender([=] {
    std::this_thread::sleep_for(after);
    kill(getpid(), signal);
  });
  const RunOutcome outcome = runner.Run({});
  sender.join();
  return outcome;
}

bool IsAlive(const std::string& pid) { return kill(std::stoi(pid), 0) == 0; }

void ExpectGone(const std::string& pid) {
  for (int i = 0; i < 50 && IsAlive(pid); ++i) usleep(20'000);  // init has to reap it
  EXPECT_FALSE(IsAlive(pid)) << pid;
}

TEST(ChildRunnerTest, WaysToEnd) {
  EXPECT_EQ(RunOnce(Options("exit 0")).end, RunEnd::kOk);
  const RunOutcome exits = RunOnce(Options("echo first >&2; echo last >&2; exit 3"));
  EXPECT_EQ(exits.end, RunEnd::kExit);
  EXPECT_EQ(exits.exit_code, 3);
  EXPECT_EQ(exits.stderr_tail, "first\nlast");
  const RunOutcome dies = RunOnce(Options("kill -SEGV $$"));
  EXPECT_EQ(dies.end, RunEnd::kSignal);
  EXPECT_EQ(dies.signal, SIGSEGV);
}

TEST(ChildRunnerTest, NoProgram) {
  ChildRunOptions options = Options("");
  options.program = "/no/such/program";
  EXPECT_THROW(RunOnce(options), RunError);
}

TEST(ChildRunnerTest, SidesDifferInNothingElse) {
  setenv("KWKER_INSTALL", "yes", 1);
  unsetenv("PYTHONHASHSEED");
  ChildRunOptions options =
      Options("echo \"$KWKER_INSTALL $KWKER_FEATURES $PYTHONHASHSEED\" >&2; pwd >&2");
  const std::string here = "\n" + fs::current_path().string();
  EXPECT_EQ(RunOnce(options, Side::kA).stderr_tail, "0  0" + here);
  EXPECT_EQ(RunOnce(options, Side::kB).stderr_tail, "1  0" + here);
  options.b.features = {"optim.adamw", "optim.sgd"};
  setenv("PYTHONHASHSEED", "7", 1);
  EXPECT_EQ(RunOnce(options, Side::kA).stderr_tail, "0  7" + here);
  EXPECT_EQ(RunOnce(options, Side::kB).stderr_tail, "1 optim.adamw,optim.sgd 7" + here);
  unsetenv("PYTHONHASHSEED");
  unsetenv("KWKER_INSTALL");
}

TEST(ChildRunnerTest, TheRequest) {
  ChildRunOptions options = Options("echo \"$1 $3 [$4]\" >&2; grep -c train.py $2 >&2");
  EXPECT_EQ(RunOnce(options).stderr_tail, "_child /python []\n1");
}

TEST(ChildRunnerTest, FeaturesThatAreOff) {
  const ChildRunOptions options = Options("echo \"$KWKER_DISABLE\" >&2");
  RunRequest request;
  request.off = {"optim.adamw", "vision.resize"};
  EXPECT_EQ(ChildRunner(options).Run(request).stderr_tail, "optim.adamw,vision.resize");
  setenv("KWKER_DISABLE", "optim.sgd", 1);
  EXPECT_EQ(ChildRunner(options).Run(request).stderr_tail, "optim.sgd,optim.adamw,vision.resize");
  unsetenv("KWKER_DISABLE");
}

TEST(ChildRunnerTest, WhatIsKept) {
  const ChildRunOptions options =
      Options("grep -o 'backward.0.' $2 >&2; [[ $(grep KEPT $2) ]] && echo x > $(dirname $2)/KEPT");
  fs::path kept;
  {
    ChildRunner runner(options);
    RunRequest request;
    request.keep = "backward[0]";
    const RunOutcome outcome = runner.Run(request);
    EXPECT_EQ(outcome.stderr_tail, "backward[0]");
    EXPECT_EQ(ReadFile(kept = outcome.kept), "x\n");
    request.keep = "";
    EXPECT_EQ(runner.Run(request).kept, "");
  }
  EXPECT_FALSE(fs::exists(kept));
}

TEST(ChildRunnerTest, EachRunItsOwnCopyOfTheFolder) {
  const fs::path before = fs::current_path();
  const fs::path folder = fs::canonical(testing::TempDir()) / "isolated";
  fs::create_directory(folder);
  fs::current_path(folder);
  std::ofstream("here") << "x";
  ChildRunOptions options =
      Options("cat here; pwd >&2; [[ $PWD == $(pwd -P) ]] || exit 1; mkdir there || exit 2");
  options.isolate = true;
  ChildRunner runner(options);
  const RunOutcome first = runner.Run({}), second = runner.Run({});
  EXPECT_EQ(first.end, RunEnd::kOk);
  EXPECT_EQ(second.end, RunEnd::kOk);
  EXPECT_TRUE(first.stderr_tail.ends_with("/isolated")) << first.stderr_tail;
  EXPECT_EQ(first.stderr_tail, second.stderr_tail);
  EXPECT_FALSE(fs::exists(first.stderr_tail));
  EXPECT_FALSE(fs::exists(folder / "there"));
  fs::current_path(before);
  fs::remove_all(folder);
}

TEST(ChildRunnerTest, SidesDifferInWhatTheySay) {
  ChildRunOptions options = Options("echo \"$X $3 $(grep -c fused $2)\" >&2");
  options.b.environment = {{"X", "1"}};
  options.b.python.executable = "/other/python";
  options.b.command = {"train.py", "--fused"};
  EXPECT_EQ(RunOnce(options, Side::kA).stderr_tail, " /python 0");
  EXPECT_EQ(RunOnce(options, Side::kB).stderr_tail, "1 /other/python 1");
}

TEST(ChildRunnerTest, NothingOnStdin) { EXPECT_EQ(RunOnce(Options("cat; exit 4")).exit_code, 4); }

TEST(ChildRunnerTest, DigestsWhatIsPrinted) {
  const std::string a = RunOnce(Options("echo a")).stdout_digest;
  EXPECT_EQ(a.size(), 32u);
  EXPECT_EQ(a, RunOnce(Options("echo a; echo x >&2")).stdout_digest);
  EXPECT_NE(a, RunOnce(Options("echo b")).stdout_digest);
}

TEST(ChildRunnerTest, ResultsGoodBadAndMissing) {
  EXPECT_FALSE(RunOnce(Options("exit 0")).result);
  const RunOutcome bad = RunOnce(Options("echo rubbish > $(dirname $2)/RESULT.json"));
  EXPECT_FALSE(bad.result);
  EXPECT_NE(bad.result_error, "");
}

TEST(ChildRunnerTest, MeasuresTheTree) {
  const RunOutcome outcome =
      RunOnce(Options("bash -c 'for ((i = 0; i < 200000; ++i)); do :; done'; sleep 0.2"));
  EXPECT_GT(outcome.usage.wall_s, 0.2);
  EXPECT_GT(outcome.usage.cpu_user_s, 0.05);
  EXPECT_GT(outcome.usage.max_rss_bytes, 1 << 20);
}

TEST(ChildRunnerTest, TheTimeLimitEndsTheGroup) {
  ChildRunOptions options = Options("sleep 60 & echo $! >&2; wait");
  options.timeout_s = 0.5;
  const RunOutcome outcome = RunOnce(options);
  EXPECT_EQ(outcome.end, RunEnd::kTimeout);
  EXPECT_LT(outcome.usage.wall_s, 5);
  ExpectGone(outcome.stderr_tail);
}

TEST(ChildRunnerTest, TheTimeLimitEndsWhatDoesNotListen) {
  ChildRunOptions options = Options("trap '' TERM; while true; do sleep 0.05; done");
  options.timeout_s = 0.3;
  const RunOutcome outcome = RunOnce(options);
  EXPECT_EQ(outcome.end, RunEnd::kTimeout);
  EXPECT_GT(outcome.usage.wall_s, 0.6);
  EXPECT_LT(outcome.usage.wall_s, 5);
}

TEST(ChildRunnerTest, NothingIsLeftRunning) {
  const RunOutcome outcome = RunOnce(Options("sleep 60 & echo $! >&2"));
  EXPECT_EQ(outcome.end, RunEnd::kOk);
  ExpectGone(outcome.stderr_tail);
}

TEST(ChildRunnerTest, WhatMadeItsOwnSessionIsNotLeftRunning) {
  const std::string leave =
      "setsid --fork bash -c 'trap \"\" TERM HUP; echo $$ >&2; sleep 60' & "
      "while [ ! -s /proc/$$/fd/2 ]; do sleep 0.02; done; ";
  EXPECT_EQ(RunOnce(Options(leave + "exit 0")).end, RunEnd::kOk);
  for (const char* then : {"exit 0", "sleep 60", "kill -SEGV $$"}) {
    ChildRunOptions options = Options(leave + then);
    options.timeout_s = 1;
    const RunOutcome outcome = RunOnce(options);
    ASSERT_NE(outcome.stderr_tail, "");
    EXPECT_FALSE(IsAlive(outcome.stderr_tail)) << then;
  }
}

TEST(ChildRunnerTest, SignalsAreTheScriptsAsTheyWere) {
  const std::string ignored = "[[ $(grep SigIgn /proc/self/status) =~ 1...$ ]]";
  EXPECT_EQ(RunOnce(Options(ignored + " && exit 3; exit 0")).end, RunEnd::kOk);
}

TEST(ChildRunnerTest, AnInterruptEndsTheRunAndIsRemembered) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    ChildRunner runner(Options("echo $$ >&2; exec sleep 60"));
    EXPECT_FALSE(runner.Interrupted());
    const RunOutcome outcome = RunAndSignal(runner, signal, std::chrono::milliseconds(300));
    EXPECT_EQ(outcome.end, RunEnd::kInterrupted);
    EXPECT_TRUE(runner.Interrupted());
    EXPECT_FALSE(IsAlive(outcome.stderr_tail));
    EXPECT_EQ(runner.Run({}).end, RunEnd::kInterrupted);  // no other is started
  }
}

TEST(ChildRunnerTest, AnInterruptBetweenRuns) {
  ChildRunner runner(Options("exit 0"));
  raise(SIGINT);
  EXPECT_TRUE(runner.Interrupted());
}

TEST(ChildRunnerTest, ARunThatEndsWellWhenInterruptedWasInterrupted) {
  ChildRunner runner(Options("trap 'exit 0' INT; while true; do sleep 0.05; done"));
  EXPECT_EQ(RunAndSignal(runner, SIGINT, std::chrono::milliseconds(300)).end, RunEnd::kInterrupted);
}

}  // namespace
}  // namespace kwker::audit
