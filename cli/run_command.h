// `kwker run -- SCRIPT`: once, with the kernels, in this very process or in those
// of a launcher.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/common_options.h"
#include "cli/launcher.h"

namespace kwker::cli {

class RunCommand {
 public:
  static constexpr char kUsage[] = "kwker run [options] -- SCRIPT [ARG...]";

  explicit RunCommand(CLI::App& app);
  bool chosen() const { return command_->parsed(); }
  // Returns the script's exit status. Throws UsageError and PythonError.
  int Run(const Invocation& invocation) const;

 private:
  CLI::App* command_;
  Launcher launcher_;
  std::string python_;
  std::optional<std::vector<std::string>> features_;
};

}  // namespace kwker::cli
