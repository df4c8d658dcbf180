#include "audit/testing.h"

#include <fmt/format.h>

#include <cmath>

#include "audit/schedule.h"

namespace kwker::audit::testing {

Output MakeOutput(const std::string& name, int bits) {
  return {name, "float32", {2, 3}, 24, 0, fmt::format("{:032x}", bits)};
}

RunOutcome MakeRun(const RunRequest& request, double wall_s) {
  const bool with = request.side == Side::kB;
  RunOutcome run;
  run.request = request;
  run.usage = {wall_s + 1.5, 1.8 * wall_s + 1.2, 0.2, with ? 815'000'000 : 812'000'000};
  run.stdout_digest = "hello";
  ChildResult result;
  result.wall_s = wall_s;
  result.cpu_user_s = 1.8 * wall_s;
  result.cpu_sys_s = 0.1;
  result.torch_version = "2.13.0+cpu";
  result.capability = "AVX512";
  result.threads = 2;
  result.features = {{"optim.adamw", with ? "on" : "off", with ? 240 : 0, {}},
                     {"optim.sgd", with ? "on" : "off", 0, {}}};
  result.outputs = {MakeOutput("globals.model.weight", 1), MakeOutput("backward[0]", 2)};
  run.result = result;
  return run;
}

Setup MakeSetup(int pairs) {
  Setup setup;
  setup.command = {"train.py", "--epochs", "1"};
  setup.script_path = "/home/ada/train.py";
  setup.script_digest = "xxh3-128:000102030405060708090a0b0c0d0e0f";
  setup.working_directory = "/home/ada";
  setup.python = "/usr/bin/python3";
  setup.started = "2026-01-31T12:00:00Z";
  setup.options.pairs = pairs;
  setup.versions = {"0.1.0", "3.11.7", "2.13.0+cpu"};
  setup.machine = {"Imaginary CPU", 2, 8'000'000'000, "Linux 6.1 x86_64", 0.25};
  return setup;
}

std::vector<RunOutcome> MakeRuns(const Setup& setup, double ratio, double noise) {
  std::vector<RunOutcome> runs;
  for (const RunRequest& request : MakeSchedule(setup.options.warmup, setup.options.pairs)) {
    const double even = request.side == Side::kA ? 8.0 : 8.0 / ratio;
    runs.push_back(MakeRun(request, even * (1 + noise * std::sin(37.0 * request.order + 1))));
  }
  return runs;
}

}  // namespace kwker::audit::testing
