// `kwker audit -- SCRIPT`: a script with and without Kwker, compared.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "audit/child_run.h"
#include "audit/report_files.h"
#include "audit/setup.h"
#include "cli/common_options.h"
#include "cli/script_command.h"

namespace kwker::cli {

class AuditCommand {
 public:
  static constexpr char kUsage[] = "kwker audit [options] -- SCRIPT [ARG...]";

  explicit AuditCommand(CLI::App& app);
  bool chosen() const { return command_->parsed(); }
  // Returns the exit code (audit/gates.h). Throws UsageError, PythonError and,
  // for what is known before the first run, FileError.
  int Run(const Invocation& invocation) const;

 private:
  // Throws UsageError and FileError: a report could not be written there.
  void CheckFiles(const Invocation& invocation) const;
  audit::Setup MakeSetup(const ScriptCommand& script, const audit::PythonInstall& python) const;
  // What `text`, which --a or --b gives, says of a side.
  audit::ChildSide MakeSide(const std::string& text, const std::string& option,
                            const ScriptCommand& script, const audit::PythonInstall& python,
                            const Invocation& invocation) const;

  CLI::App* command_;
  std::string python_;
  std::optional<std::string> a_, b_;
  std::optional<int> pairs_;
  int max_pairs_ = 20;
  double width_percent_ = 5;
  audit::Options options_;  // the others
  audit::ReportFiles files_;
  bool show_output_ = false;
};

}  // namespace kwker::cli
