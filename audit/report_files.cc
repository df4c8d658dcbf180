#include "audit/report_files.h"

#include <cstdio>
#include <optional>

#include "audit/atomic_file.h"
#include "audit/report_html.h"
#include "audit/report_json.h"
#include "audit/report_markdown.h"

namespace kwker::audit {
namespace {

std::string Written(const Report& report, Form form) {
  switch (form) {
    case Form::kJson:
      return FormatJson(report);
    case Form::kMarkdown:
      return FormatMarkdown(report);
    case Form::kHtml:
      break;
  }
  return FormatHtml(report);
}

void WriteToStdout(Form form, const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) {
    return;
  }
  throw FileError(std::string("cannot write the report of ") + OptionOf(form) +
                  " to stdout: it is closed or its disk is full");
}

}  // namespace

const char* OptionOf(Form form) {
  switch (form) {
    case Form::kJson:
      return "--json";
    case Form::kMarkdown:
      return "--markdown";
    case Form::kHtml:
      break;
  }
  return "--html";
}

void WriteReports(const Report& report, const ReportFiles& files, bool with_stdout) {
  std::optional<FileError> first;
  for (const auto& [form, path] : files) {
    const bool to_stdout = path == "-";
    if (to_stdout && !with_stdout) continue;
    try {
      const std::string text = Written(report, form);
      to_stdout ? WriteToStdout(form, text) : WriteAtomically(path, text);
    } catch (const FileError& error) {
      if (!first) first = error;
    }
  }
  if (first) throw *first;
}

}  // namespace kwker::audit
