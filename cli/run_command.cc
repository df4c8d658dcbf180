#include "cli/run_command.h"

#include <fmt/ranges.h>
#include <unistd.h>

#include <cstdlib>

#include "cli/ask_python.h"
#include "cli/embed.h"
#include "cli/script_command.h"

namespace kwker::cli {

RunCommand::RunCommand(CLI::App& app)
    : command_(app.add_subcommand("run", "Run a script once, with Kwker's kernels")),
      launcher_(*command_) {
  SetUsage(*command_,
           "Usage: kwker run [options] -- SCRIPT [ARG...]\n"
           "       kwker run [options] -- -m MODULE [ARG...]\n"
           "       kwker run [options] -- -c CODE [ARG...]\n"
           "       kwker run --launcher torchrun --nproc-per-node N -- SCRIPT [ARG...]");
  command_->footer(
      "\nNothing else differs from `python SCRIPT` or `torchrun SCRIPT`: output, exit status,\n"
      "signals, workers.");
  AddFeaturesOption(*command_, features_);
  AddPythonOption(*command_, python_);
}

int RunCommand::Run(const Invocation& invocation) const {
  const ScriptCommand script = ParseScriptCommand(invocation.script_words, kUsage);
  const bool launched = launcher_.Chosen();
  std::vector<std::string> words = launched ? launcher_.Words(script) : script.words;
  const audit::PythonInstall python = UsePython(python_, invocation.self);
  if (launched) CheckStartupHook(python);
  CheckFeatures(python, features_);
  if (features_) {
    setenv("KWKER_FEATURES", fmt::format("{}", fmt::join(*features_, ",")).c_str(), 1);
  }
  setenv("KWKER_INSTALL", launched ? "0" : "1", 1);
  for (const int stream : invocation.closed_streams)
    close(stream);  // as the script would find them
  words.insert(words.begin(), python.executable);
  if (launched) Become(std::move(words));
  // Without libpython the wheel's .pth file alone installs the kernels.
  return RunEmbedded(python.executable, python.libpython, script.words, "begin_run", "", words);
}

}  // namespace kwker::cli
