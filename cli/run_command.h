// `kwker run -- SCRIPT`: once, with the kernels, in this very process.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/common_options.h"

namespace kwker::cli {

class RunCommand {
 public:
  explicit RunCommand(CLI::App& app);
  bool chosen() const { return command_->parsed(); }
  // Returns the script's exit status. Throws UsageError and PythonError.
  int Run(const Invocation& invocation) const;

 private:
  CLI::App* command_;
  std::string python_;
};

}  // namespace kwker::cli
