// `kwker info`: what is installed, and whether it works on this machine.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/common_options.h"

namespace kwker::cli {

class InfoCommand {
 public:
  explicit InfoCommand(CLI::App& app);
  bool chosen() const { return command_->parsed(); }
  // Returns 0; 1 if a feature's self-check failed, or stdout cannot be written to.
  // Throws PythonError.
  int Run(const Invocation& invocation) const;

 private:
  CLI::App* command_;
  std::string python_;
  bool json_ = false;
  bool verify_ = false;
};

}  // namespace kwker::cli
