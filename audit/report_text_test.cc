// The text reports of audits of every kind, held against the pages in golden/.
// To write those anew after a wanted change, and then look at what changed:
//   UPDATE_GOLDEN=1 bazel run //audit:report_text_test
#include "audit/report_text.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "audit/testing.h"
#include "audit/utf8.h"

namespace kwker::audit {
namespace {

using testing::MakeOutput;
using testing::MakeRun;
using testing::MakeRuns;
using testing::MakeSetup;

Report Completed(const audit::Setup& setup, std::vector<RunOutcome> runs) {
  return MakeReport(setup, std::move(runs), Ending::kCompleted);
}

Report Faster() {
  audit::Setup setup = MakeSetup(8);
  setup.options.gates = {true, 1.2};
  std::vector<RunOutcome> runs = MakeRuns(setup, 1.38, 0.04);
  for (RunOutcome& run : runs) {
    run.result->outputs[0].bytes = 92'000'000;
    if (run.request.side == Side::kA) continue;
    run.result->features[1].calls = 12;
    run.result->features[1].fallbacks = {{"amsgrad", 2}, {"sparse gradient", 1}};
    run.result->features.push_back({"vision.resize", "on", 0, {}});
  }
  return Completed(setup, runs);
}

Report Slower() {
  const audit::Setup setup = MakeSetup(5);
  return Completed(setup, MakeRuns(setup, 0.9));
}

Report NoDifference() {
  const audit::Setup setup = MakeSetup(5);
  return Completed(setup, MakeRuns(setup, 1, 0.002));
}

Report Inconclusive() {
  audit::Setup setup = MakeSetup(5);
  setup.options.gates.min_speedup = 1.1;
  return Completed(setup, MakeRuns(setup, 1.05, 0.2));
}

Report NotDeterministic() {
  const audit::Setup setup = MakeSetup(5);
  std::vector<RunOutcome> runs = MakeRuns(setup, 1.38);
  for (RunOutcome& run : runs) {
    run.result->outputs[1] = MakeOutput("backward[0]", run.request.order);
    run.stdout_digest += run.request.order;
  }
  return Completed(setup, runs);
}

Report Different() {
  audit::Setup setup = MakeSetup(5);
  setup.options.gates.require_equal = true;
  setup.embedded = false;
  std::vector<RunOutcome> runs = MakeRuns(setup, 1.38);
  for (RunOutcome& run : runs) {
    run.result->outputs[0].nans = 12;
    if (run.request.side == Side::kA) continue;
    run.result->outputs[1] = MakeOutput("optimizer[0].state[3].exp_avg", 99);
    run.stdout_digest = "other";
  }
  return Completed(setup, runs);
}

Report ScriptFailed() {
  std::vector<RunOutcome> runs = {MakeRun({}, 0.2)};
  runs[0].end = RunEnd::kExit;
  runs[0].exit_code = 1;
  runs[0].result.reset();
  runs[0].stderr_tail =
      "Traceback (most recent call last):\n  File \"train.py\", line 7, in <module>\n    "
      "main()\nValueError: \x1b[31mno data\x1b[0m\n";
  return MakeReport(MakeSetup(5), runs, Ending::kScriptFailed);
}

Report KwkerFailed() {
  const audit::Setup setup = MakeSetup(5);
  std::vector<RunOutcome> runs = MakeRuns(setup, 1.38);
  runs.resize(2);
  runs[1].end = RunEnd::kSignal;
  runs[1].signal = 11;
  runs[1].result.reset();
  runs.push_back(MakeRun({Side::kA, 2, false, -1}, 8));
  return MakeReport(setup, runs, Ending::kKwkerFailed);
}

Report Interrupted() {
  const audit::Setup setup = MakeSetup(8);
  std::vector<RunOutcome> runs = MakeRuns(setup, 1.38);
  runs.resize(8);
  runs.back().end = RunEnd::kInterrupted;
  runs.back().result.reset();
  return MakeReport(setup, runs, Ending::kInterrupted);
}

Report ZeroPairs() {
  const audit::Setup setup = MakeSetup(5);
  std::vector<RunOutcome> runs = MakeRuns(setup, 1.38);
  runs.resize(1);
  return MakeReport(setup, runs, Ending::kInterrupted);
}

Report NoResult() {
  const audit::Setup setup = MakeSetup(5);
  std::vector<RunOutcome> runs = MakeRuns(setup, 1.38);
  for (RunOutcome& run : runs) run.result.reset();
  return Completed(setup, runs);
}

Report NothingToCompare() {
  const audit::Setup setup = MakeSetup(1);
  std::vector<RunOutcome> runs = MakeRuns(setup, 1);
  for (RunOutcome& run : runs) {
    run.result->outputs.clear();
    run.result->torch_version.clear();
    run.result->features.clear();
  }
  return Completed(setup, runs);
}

Report Incomplete() {
  audit::Setup setup = MakeSetup(2);
  setup.options.gates.require_equal = true;
  setup.kwker_environment = {{"KWKER_DISABLE", "optim.sgd"}};
  std::vector<RunOutcome> runs = MakeRuns(setup, 1.38);
  for (RunOutcome& run : runs) {
    run.result->incomplete = {"cache could not be compared (TypeError)"};
  }
  return Completed(setup, runs);
}

Report KwkerVaries() {
  audit::Setup setup = MakeSetup(5);
  setup.options.gates.require_equal = true;
  std::vector<RunOutcome> runs = MakeRuns(setup, 1.38);
  runs[3].result->outputs[1] = MakeOutput("backward[0]", 99);
  return Completed(setup, runs);
}

Report CannotRun() {
  return MakeReport(MakeSetup(5), {}, Ending::kCannotRun,
                    {.error = "no process can be started: make room in /tmp", .stop = {}});
}

struct Situation {
  const char* name;
  Report (*make)();
};

const std::vector<Situation>& Situations() {
  static const std::vector<Situation> situations = {{"faster", Faster},
                                                    {"slower", Slower},
                                                    {"no_difference", NoDifference},
                                                    {"inconclusive", Inconclusive},
                                                    {"not_deterministic", NotDeterministic},
                                                    {"different", Different},
                                                    {"script_failed", ScriptFailed},
                                                    {"kwker_failed", KwkerFailed},
                                                    {"interrupted", Interrupted},
                                                    {"zero_pairs", ZeroPairs},
                                                    {"no_result", NoResult},
                                                    {"nothing_to_compare", NothingToCompare},
                                                    {"incomplete", Incomplete},
                                                    {"kwker_varies", KwkerVaries},
                                                    {"cannot_run", CannotRun}};
  return situations;
}

std::string Read(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Golden : public ::testing::TestWithParam<Situation> {};

TEST_P(Golden, Page) {
  const std::string text = FormatText(GetParam().make(), {});
  const std::string page = std::string("audit/golden/") + GetParam().name + ".txt";
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    const char* workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
    std::ofstream(std::filesystem::path(workspace == nullptr ? "." : workspace) / page) << text;
    GTEST_SKIP() << "wrote " << page;
  }
  EXPECT_EQ(text, Read(page));
}

TEST_P(Golden, FitsEveryWidth) {
  for (const int width : {44, 60, 80, 100, 120}) {
    std::string text = FormatText(GetParam().make(), {.width = width});
    for (std::size_t end; (end = text.find('\n')) != std::string::npos; text.erase(0, end + 1)) {
      const std::string line = text.substr(0, end);
      if (line.find("Traceback") != std::string::npos ||
          line.find("File \"") != std::string::npos) {
        continue;  // what the script printed is not folded
      }
      EXPECT_LE(Columns(line), static_cast<std::size_t>(width)) << line;
      EXPECT_FALSE(line.ends_with(' ')) << line;
    }
    EXPECT_TRUE(text.empty());
  }
}

TEST_P(Golden, NoEscapesUnlessAsked) {
  EXPECT_EQ(FormatText(GetParam().make(), {}).find('\x1b'), std::string::npos);
  std::string coloured = FormatText(GetParam().make(), {.width = 80, .colour = true});
  EXPECT_NE(coloured.find('\x1b'), std::string::npos);
  // Without its escapes the coloured page is the plain one.
  for (std::size_t start; (start = coloured.find('\x1b')) != std::string::npos;) {
    coloured.erase(start, coloured.find('m', start) + 1 - start);
  }
  EXPECT_EQ(coloured, FormatText(GetParam().make(), {}));
}

TEST_P(Golden, Ascii) {
  for (const char c : FormatText(GetParam().make(), {.unicode = false})) {
    EXPECT_GE(c, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Situations, Golden, ::testing::ValuesIn(Situations()),
                         [](const auto& situation) { return std::string(situation.param.name); });

}  // namespace
}  // namespace kwker::audit
