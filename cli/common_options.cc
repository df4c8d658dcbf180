#include "cli/common_options.h"

#include <charconv>
#include <cstdlib>
#include <limits>
#include <memory>

namespace kwker::cli {
namespace {

// CLI11 would name options and subcommands, but not what follows "--".
class UsageFormatter : public CLI::Formatter {
 public:
  explicit UsageFormatter(std::string usage) : usage_(std::move(usage)) {}
  std::string make_usage(const CLI::App*, std::string) const override { return usage_ + "\n"; }
  // Without the spellings with underscores: each option has one with hyphens.
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
    if (is_positional) return option->get_name(/*positional=*/true);
    std::string names;
    for (const std::string& name : option->get_snames()) names += ",-" + name;
    for (const std::string& name : option->get_lnames()) {
      if (name.find('_') == name.npos) names += ",--" + name;
    }
    return names.substr(1);
  }

 private:
  std::string usage_;
};

}  // namespace

void SetUsage(CLI::App& app, const std::string& usage) {
  const auto formatter = std::make_shared<UsageFormatter>(usage);
  formatter->column_width(28);
  app.formatter(formatter);
}

CLI::Validator AboveZero() {
  return CLI::Validator(
      [](std::string& text) {
        char* end = nullptr;
        const double value = std::strtod(text.c_str(), &end);
        const bool fine = end != text.c_str() && *end == '\0' && value > 0 &&
                          value <= std::numeric_limits<double>::max();
        return fine ? std::string() : "'" + text + "' is not a number above 0";
      },
      "");
}

CLI::Validator WholeNumber(std::int64_t low, std::int64_t high) {
  return CLI::Validator(
      [low, high](std::string& text) {
        std::int64_t value = 0;
        const char* end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data(), end, value);
        const bool fine = error == std::errc() && stop == end && value >= low && value <= high;
        return fine ? std::string()
                    : "'" + text + "' is not a whole number from " + std::to_string(low) + " to " +
                          std::to_string(high);
      },
      "");
}

void AddFeaturesOption(CLI::App& app, std::optional<std::vector<std::string>>& features) {
  app.add_option("--features", features, "With Kwker, only these of its features")
      ->delimiter(',')
      ->type_name("NAME,...");
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
