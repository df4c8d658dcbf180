#include "cli/common_options.h"

#include <memory>

namespace kwker::cli {
namespace {

// CLI11 would name options and subcommands, but not what follows "--".
class UsageFormatter : public CLI::Formatter {
 public:
  explicit UsageFormatter(std::string usage) : usage_(std::move(usage)) {}
  std::string make_usage(const CLI::App*, std::string) const override { return usage_ + "\n"; }

 private:
  std::string usage_;
};

}  // namespace

void SetUsage(CLI::App& app, const std::string& usage) {
  const auto formatter = std::make_shared<UsageFormatter>(usage);
  formatter->column_width(28);
  app.formatter(formatter);
}

void AddPythonOption(CLI::App& app, std::string& wanted) {
  app.add_option("--python", wanted,
                 "The Python to use (default: the one beside this program, then the active virtual "
                 "environment's, then the first on PATH)")
      ->envname("KWKER_PYTHON")
      ->type_name("PATH");
}

audit::PythonInstall UsePython(const std::string& wanted, const std::filesystem::path& self) {
  audit::PythonInstall python = audit::ProbePython(audit::FindPython(wanted, self));
  audit::CheckPython(python);
  return python;
}

}  // namespace kwker::cli
