#include "audit/testing_situations.h"

#include <stdexcept>
#include <string>
#include <utility>

#include "audit/testing.h"

namespace kwker::audit::testing {
namespace {

Report Completed(const audit::Setup& setup, std::vector<RunOutcome> runs) {
  return MakeReport(setup, std::move(runs), Ending::kCompleted);
}

Report Faster() {
  audit::Setup setup = MakeSetup(8);
  setup.options.gates = {true, 1.2, {}};
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

Report DifferentAndWhy() {
  const audit::Setup setup = MakeSetup(5);
  std::vector<RunOutcome> runs = MakeRuns(setup, 1.38);
  for (RunOutcome& run : runs) {
    if (run.request.side == Side::kB) run.result->outputs[1] = MakeOutput("backward[0]", 99);
  }
  Explanation explanation;
  explanation.outputs = 2;
  explanation.differing = 1;
  explanation.elements = ElementDifference{"backward[0]", 6, 2, 3, 1.2e-7, 1, 0};
  explanation.culprits = Culprits{SearchEnd::kFeatures, {"optim.adamw"}};
  const std::vector<std::vector<std::string>> off = {
      {}, {"optim.adamw", "optim.sgd"}, {"optim.sgd"}, {"optim.adamw"}};
  for (const auto& names : off) {
    RunRequest request;
    request.side = Side::kB;
    request.order = static_cast<int>(runs.size() + explanation.probes.size());
    request.probe = true;
    request.off = names;
    const bool differs = names.empty() || names[0] == "optim.sgd";
    RunOutcome run = differs ? runs[1] : runs[0];
    run.request = request;
    explanation.probes.push_back({run, differs});
  }
  return MakeReport(setup, runs, Ending::kCompleted, {"", Stop::kNumber, explanation});
}

Report DifferentUnfinished() {
  Report report = DifferentAndWhy();
  Explanation explanation = *report.explanation;
  explanation.elements = ElementDifference{"backward[0]", 1, 1, 0, {}, {}, 1};
  explanation.culprits = Culprits{};
  explanation.unfinished = "the time (--max-time 60) is over";
  explanation.probes.resize(2);
  return MakeReport(report.setup, report.runs, Ending::kCompleted,
                    {"", Stop::kNumber, explanation});
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
  runs.push_back(MakeRun({.side = Side::kA, .order = 2}, 8));
  Explanation explanation;
  explanation.culprits = Culprits{SearchEnd::kFeatures, {"optim.adamw"}};
  return MakeReport(setup, runs, Ending::kKwkerFailed, {"", std::nullopt, explanation});
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
                    {.error = "no process can be started: make room in /tmp"});
}

}  // namespace

const std::vector<Situation>& Situations() {
  static const std::vector<Situation> situations = {{"faster", Faster},
                                                    {"slower", Slower},
                                                    {"no_difference", NoDifference},
                                                    {"inconclusive", Inconclusive},
                                                    {"not_deterministic", NotDeterministic},
                                                    {"different", Different},
                                                    {"different_and_why", DifferentAndWhy},
                                                    {"different_unfinished", DifferentUnfinished},
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

Report Find(const std::string& name) {
  for (const Situation& situation : Situations()) {
    if (situation.name == name) return situation.make();
  }
  throw std::invalid_argument(name);
}

}  // namespace kwker::audit::testing
