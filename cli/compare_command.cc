#include "cli/compare_command.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "audit/atomic_file.h"
#include "audit/comparison.h"
#include "audit/past_report.h"
#include "cli/terminal.h"
#include "cli/usage_error.h"

namespace kwker::cli {
namespace {

// Not a stream: those of the standard library throw for folders.
std::string ReadAll(const std::string& path) {
  std::string text;
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file != nullptr) {
    char part[1 << 16];
    while (const std::size_t size = std::fread(part, 1, sizeof(part), file)) {
      text.append(part, size);
    }
    const bool failed = std::ferror(file) != 0;
    const int error = errno;
    std::fclose(file);
    if (!failed) return text;
    errno = error;
  }
  throw UsageError("cannot read " + path + ": " + std::strerror(errno));
}

audit::PastReport Read(const std::string& path) {
  audit::Parsed<audit::PastReport> report = audit::ParseReport(ReadAll(path));
  if (!report) throw UsageError(path + " " + report.error);
  return std::move(*report.value);
}

}  // namespace

CompareCommand::CompareCommand(CLI::App& app)
    : command_(app.add_subcommand("compare", "Hold two audits' JSON reports against each other")) {
  SetUsage(*command_, "Usage: kwker compare [options] OLD.json NEW.json");
  command_->footer(
      "\nExit codes: 0 compared, whatever was found; 1 the comparison cannot be written; 2 a "
      "report\n"
      "cannot be read.");
  command_->add_option("OLD.json", before_, "What kwker audit --json wrote")->required();
  command_->add_option("NEW.json", after_, "The same, of a later audit")->required();
  command_->add_option("--json", json_, "Write the comparison as JSON (-: to stdout)")
      ->type_name("FILE");
}

int CompareCommand::Run(const Invocation& invocation) const {
  if (!invocation.script_words.empty()) throw UsageError("compare takes two reports and no script");
  if (json_ && json_->empty()) throw UsageError("--json '': name a file, or - for stdout");
  const audit::Comparison comparison = audit::Compare(Read(before_), Read(after_));
  if (json_ && *json_ != "-") {
    audit::CheckWritable(*json_);
    audit::WriteAtomically(*json_, audit::FormatComparisonJson(comparison));
  }
  audit::TextStyle style;
  style.width = Width(stdout);
  style.colour = WantsColour(stdout);
  style.unicode = SpeaksUnicode();
  const std::string text = json_ && *json_ == "-" ? audit::FormatComparisonJson(comparison)
                                                  : audit::FormatComparison(comparison, style);
  if (std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0) return 0;
  std::fprintf(stderr, "kwker: cannot write to stdout: %s\n", std::strerror(errno));
  return 1;
}

}  // namespace kwker::cli
