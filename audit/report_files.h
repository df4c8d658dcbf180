// The forms of a report that go into files.
#pragma once

#include <map>
#include <string>

#include "audit/report.h"

namespace kwker::audit {

enum class Form { kJson, kMarkdown, kHtml };

// The option that names its file: "--json", "--markdown", "--html".
const char* OptionOf(Form form);

using ReportFiles = std::map<Form, std::string>;  // paths; "-" is stdout

// Writes them (beside each path, then renamed: no reader ever sees half of one).
// Those on stdout only if `with_stdout`. Throws FileError (audit/atomic_file.h) for
// the first that cannot be written, when the others are.
void WriteReports(const Report& report, const ReportFiles& files, bool with_stdout);

}  // namespace kwker::audit
