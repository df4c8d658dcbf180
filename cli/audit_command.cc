#include "cli/audit_command.h"

#include <stdio_ext.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <limits>
#include <utility>

#include "audit/atomic_file.h"
#include "audit/machine.h"
#include "audit/report_text.h"
#include "audit/session.h"
#include "cli/ask_python.h"
#include "cli/side_spec.h"
#include "cli/terminal.h"
#include "cli/usage_error.h"

namespace fs = std::filesystem;

namespace kwker::cli {
namespace {

constexpr char kFooter[] = R"(
The script runs again and again, each time in a fresh process, without and with
Kwker in turn: with nothing on its stdin, in this folder and this environment
(PYTHONHASHSEED is set to 0 if it is not set). What it prints goes to files that
are removed at the end.

After five pairs there are more while the interval of the speed-up is wider than
wanted; where it lies does not matter. Where the outputs differ, up to three more
runs make sure of it.

SPEC is a comma list of kwker=off, kwker=on or kwker=NAME+NAME..., env:NAME=VALUE,
args:"WORDS" (after the script's own), python:PATH, threads:N. A side that does not
say kwker= is without it:
  kwker audit --a args:--compile=0 --b args:--compile=1 -- train.py

--isolate is for scripts that go on from what an earlier run wrote, or stumble over
it. Paths that lead out of this folder, absolute ones too, lead where they did.

Exit codes: 0 all that was asked for holds; 1 --require-equal, --min-speedup or
--max-memory-ratio fails, the script fails only with Kwker, or a report cannot be
written; 2 wrong usage; 3 the script fails; 4 undecided (not deterministic, or too
noisy); 130 interrupted.)";

std::string Now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc = {};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

audit::SidePython Describe(const audit::PythonInstall& python) {
  return {python.executable, python.version, python.torch};
}

// Of which --isolate is to make copies.
void CheckFolder() {
  std::error_code error;
  const fs::path here = fs::current_path(error);
  if (error) throw UsageError("--isolate: this folder is gone (" + error.message() + ")");
  if (here == "/") {
    throw UsageError("--isolate would copy all of /: call it in the script's folder");
  }
}

audit::TextStyle StyleOf(std::FILE* stream) {
  audit::TextStyle style;
  style.width = Width(stream);
  style.colour = WantsColour(stream);
  style.unicode = SpeaksUnicode();
  return style;
}

}  // namespace

AuditCommand::AuditCommand(CLI::App& app)
    : command_(app.add_subcommand("audit", "Compare a script's runs with and without Kwker")) {
  SetUsage(*command_,
           "Usage: kwker audit [options] -- SCRIPT [ARG...]\n"
           "       kwker audit [options] -- -m MODULE [ARG...]\n"
           "       kwker audit [options] -- -c CODE [ARG...]");
  command_->footer(kFooter);
  constexpr std::int64_t kManyRuns = 10'000;
  CLI::Option* pairs =
      command_->add_option("-n,--pairs", pairs_, "Just so many pairs of runs, whatever their times")
          ->check(WholeNumber(1, kManyRuns))
          ->type_name("N");
  command_->add_option("--max-pairs", max_pairs_, "Without --pairs: 5 at least, and at most")
      ->check(WholeNumber(1, kManyRuns))
      ->type_name("N")
      ->capture_default_str()
      ->excludes(pairs);
  command_->add_option("--width", width_percent_, "More pairs while the 95% interval is wider")
      ->check(AboveZero())
      ->type_name("PERCENT")
      ->capture_default_str()
      ->excludes(pairs);
  command_
      ->add_option("--max-time", options_.max_time_s,
                   "Begin no pair that would end later (default: 600 for more than 5)")
      ->check(AboveZero())
      ->type_name("SECONDS");
  command_->add_option("--warmup", options_.warmup, "Uncounted runs of each side before them")
      ->check(WholeNumber(0, kManyRuns))
      ->type_name("N")
      ->capture_default_str();
  command_->add_option("--seed", options_.seed, "Seed Python's random, NumPy and torch first")
      ->check(WholeNumber(0, std::numeric_limits<std::int64_t>::max()))
      ->type_name("N");
  command_->add_option("--timeout", options_.timeout_s, "Time limit for each run")
      ->check(AboveZero())
      ->type_name("SECONDS");
  AddFeaturesOption(*command_, options_.features);
  const auto add_file = [this](audit::Form form, const char* text) {
    command_
        ->add_option_function<std::string>(
            audit::OptionOf(form), [this, form](const std::string& path) { files_[form] = path; },
            text)
        ->type_name("FILE");
  };
  add_file(audit::Form::kJson, "Write the report, with all runs, as JSON (-: to stdout)");
  add_file(audit::Form::kMarkdown, "The same for a pull request's comment");
  add_file(audit::Form::kHtml, "The same as a page with plots");
  command_->add_flag("--require-equal", options_.gates.require_equal,
                     "Fail unless the outputs are equal to the bit");
  command_
      ->add_option("--min-speedup", options_.gates.min_speedup,
                   "Fail unless the speed-up surely reaches this")
      ->check(AboveZero())
      ->type_name("RATIO");
  command_
      ->add_option("--max-memory-ratio", options_.gates.max_memory,
                   "Fail if the peak memory grows by more than this")
      ->check(AboveZero())
      ->type_name("RATIO");
  command_->add_flag("--isolate", options_.isolate,
                     "Give each run its own copy of this folder, which stays as it is");
  command_->add_flag("--show-output", show_output_, "Show on stderr what the script prints");
  AddPythonOption(*command_, python_);
  const char* sides = "Compare any two sides";
  command_->add_option("--a", a_, "Side A, in the place of kwker=off (see below)")
      ->type_name("SPEC")
      ->group(sides);
  command_->add_option("--b", b_, "Side B, in the place of kwker=on")
      ->type_name("SPEC")
      ->group(sides);
}

void AuditCommand::CheckFiles(const Invocation& invocation) const {
  const std::vector<int>& closed = invocation.closed_streams;
  const bool no_stdout = std::find(closed.begin(), closed.end(), STDOUT_FILENO) != closed.end();
  std::string on_stdout;
  for (const auto& [form, path] : files_) {
    const std::string option = audit::OptionOf(form);
    if (path.empty()) throw UsageError(option + " '': name a file, or - for stdout");
    if (path == "-" && no_stdout) throw UsageError(option + " -: stdout is closed");
    if (path == "-" && !on_stdout.empty()) {
      throw UsageError("only one of " + on_stdout + " and " + option + " can go to stdout");
    }
    if (path == "-") on_stdout = option;
    audit::CheckWritable(path);
  }
}

audit::Setup AuditCommand::MakeSetup(const ScriptCommand& script,
                                     const audit::PythonInstall& python) const {
  std::error_code error;
  audit::Setup setup;
  setup.command = script.words;
  setup.script_path = script.path;
  if (const std::string digest = script.path.empty() ? "" : audit::DigestFile(script.path);
      !digest.empty()) {
    setup.script_digest = "xxh3-128:" + digest;
  }
  setup.working_directory = fs::current_path(error).string();
  setup.python = python.executable;
  for (const char* name : {"KWKER_DISABLE", "KWKER_FEATURES", "KWKER_VERIFY"}) {
    const char* value = std::getenv(name);
    if (value != nullptr) setup.kwker_environment[name] = value;
  }
  if (options_.features) setup.kwker_environment.erase("KWKER_FEATURES");
  setup.started = Now();
  setup.options = options_;
  if (pairs_) {
    setup.options.pairs = *pairs_;
  } else {
    setup.options.max_pairs = max_pairs_;
    setup.options.width = width_percent_ / 100;
  }
  if (a_ || b_) {
    setup.words = audit::WordsOfAnySides();
    setup.spec_a = a_.value_or("kwker=off");
    setup.spec_b = b_.value_or("kwker=on");
  }
  setup.versions.kwker = python.kwker_version;
  setup.versions.python = python.version;
  setup.versions.torch_package = python.torch;
  setup.machine = audit::DescribeMachine();
  return setup;
}

audit::ChildSide AuditCommand::MakeSide(const std::string& text, const std::string& option,
                                        const ScriptCommand& script,
                                        const audit::PythonInstall& python,
                                        const Invocation& invocation) const {
  SideSpec spec = ParseSideSpec(text, option);
  audit::ChildSide side;
  side.install = spec.install.value_or(false);
  side.python = spec.python.empty() ? python : UsePython(spec.python, invocation.self);
  CheckFeatures(side.python, spec.features, option);
  side.features = spec.features ? spec.features : options_.features;
  side.command = script.words;
  side.command.insert(side.command.end(), spec.args.begin(), spec.args.end());
  side.environment = std::move(spec.environment);
  return side;
}

int AuditCommand::Run(const Invocation& invocation) const {
  const ScriptCommand script = ParseScriptCommand(invocation.script_words, kUsage);
  CheckFiles(invocation);
  if (options_.isolate) CheckFolder();
  const audit::PythonInstall python = UsePython(python_, invocation.self);
  CheckFeatures(python, options_.features);
  const audit::ChildSide a = MakeSide(a_.value_or("kwker=off"), "--a", script, python, invocation);
  const audit::ChildSide b = MakeSide(b_.value_or("kwker=on"), "--b", script, python, invocation);
  audit::Setup setup = MakeSetup(script, python);
  setup.python_a = Describe(a.python);
  setup.python_b = Describe(b.python);
  setup.kwker_in_b = b.install;
  setup.embedded = !a.python.libpython.empty() && !b.python.libpython.empty();

  // From here on Ctrl-C ends the run in progress, not this program.
  audit::ChildRunner runner({.program = invocation.self,
                             .a = a,
                             .b = b,
                             .seed = options_.seed,
                             .timeout_s = options_.timeout_s,
                             .isolate = options_.isolate,
                             .show_output = show_output_});
  audit::ProgressStyle style;
  style.live = IsTerminal(stderr) && !show_output_;
  style.colour = WantsColour(stderr);
  style.unicode = SpeaksUnicode();
  style.width = Width(stderr);
  style.words = setup.words;
  const auto progress = audit::MakeProgress(stderr, style);

  std::string cannot_write;  // the audit goes on: its text may still be read
  const auto write = [&](const audit::Report& report, bool with_stdout) {
    try {
      audit::WriteReports(report, files_, with_stdout);
      cannot_write.clear();
    } catch (const audit::FileError& e) {
      cannot_write = e.what();
    }
  };
  audit::SessionHooks hooks;
  hooks.progress = progress.get();
  hooks.interrupted = [&] { return runner.Interrupted(); };
  hooks.after_pair = [&](const audit::Report& report) { write(report, false); };

  const audit::Report report = audit::RunAudit(
      setup, [&](const audit::RunRequest& request) { return runner.Run(request); }, hooks);
  progress->Finish();

  // stdout is that report's alone which goes there.
  const bool taken = std::any_of(files_.begin(), files_.end(),
                                 [](const auto& file) { return file.second == "-"; });
  std::FILE* text_stream = taken ? stderr : stdout;
  const bool written =
      std::fputs(audit::FormatText(report, StyleOf(text_stream)).c_str(), text_stream) >= 0 &&
      std::fflush(text_stream) == 0;
  const int error = errno;
  write(report, true);
  if (!written && !taken) {
    cannot_write = std::string("cannot write the report to stdout: ") + std::strerror(error);
  }
  if (cannot_write.empty()) return report.exit_code;
  __fpurge(stdout);  // or it is tried again at the end, with SIGPIPE as it was before
  std::cerr << "kwker: " << cannot_write << "\n";
  return report.exit_code == audit::kExitOk ? audit::kExitGateFails : report.exit_code;
}

}  // namespace kwker::cli
