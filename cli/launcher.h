// `kwker run --launcher torchrun`: the script in several processes, which torch's
// own launcher starts, watches and ends.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/script_command.h"

namespace kwker::cli {

class Launcher {
 public:
  // Adds --launcher and the options that torchrun is given.
  explicit Launcher(CLI::App& command);
  // Throws UsageError if only options of torchrun's are given.
  bool Chosen() const;
  // What follows "python" to launch the script. It is to run with KWKER_INSTALL=0;
  // the processes that it launches get KWKER_INSTALL=1. Throws UsageError for -c,
  // and for machines that could not find each other.
  std::vector<std::string> Words(const ScriptCommand& script) const;

 private:
  void CheckMachines() const;

  CLI::Option* launcher_;
  CLI::Option* processes_;
  CLI::Option *count_, *rank_, *address_, *backend_, *endpoint_;
  std::vector<CLI::Option*> machines_;  // the options for several machines
};

}  // namespace kwker::cli
