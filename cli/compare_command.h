// `kwker compare OLD.json NEW.json`: two audits' reports against each other.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "cli/common_options.h"

namespace kwker::cli {

class CompareCommand {
 public:
  explicit CompareCommand(CLI::App& app);
  bool chosen() const { return command_->parsed(); }
  // Returns the exit code. Throws UsageError and FileError.
  int Run(const Invocation& invocation) const;

 private:
  CLI::App* command_;
  std::string before_, after_;
  std::optional<std::string> json_;
};

}  // namespace kwker::cli
