#include "cli/run_command.h"

#include <unistd.h>

#include <cstdlib>

#include "cli/embed.h"
#include "cli/script_command.h"

namespace kwker::cli {

RunCommand::RunCommand(CLI::App& app)
    : command_(app.add_subcommand("run", "Run a script once, with Kwker's kernels")) {
  SetUsage(*command_,
           "Usage: kwker run [options] -- SCRIPT [ARG...]\n"
           "       kwker run [options] -- -m MODULE [ARG...]\n"
           "       kwker run [options] -- -c CODE [ARG...]");
  command_->footer(
      "\nNothing else differs from `python SCRIPT`: output, exit status, signals, workers.");
  AddPythonOption(*command_, python_);
}

int RunCommand::Run(const Invocation& invocation) const {
  const ScriptCommand script =
      ParseScriptCommand(invocation.script_words, "kwker run [options] -- SCRIPT [ARG...]");
  const audit::PythonInstall python = UsePython(python_, invocation.self);
  setenv("KWKER_INSTALL", "1", 1);
  for (const int stream : invocation.closed_streams)
    close(stream);  // as the script would find them
  // Without libpython the wheel's .pth file alone installs the kernels.
  std::vector<std::string> instead = script.words;
  instead.insert(instead.begin(), python.executable);
  return RunEmbedded(python.executable, python.libpython, script.words, "begin_run", "", instead);
}

}  // namespace kwker::cli
