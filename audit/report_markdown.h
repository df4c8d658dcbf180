// The report as Markdown, for a comment on a pull request.
#pragma once

#include <string>

#include "audit/report.h"

namespace kwker::audit {

// GitHub's and GitLab's kind, with tables and <details>. Names and what scripts
// printed are escaped: they make no links, mentions or tags.
std::string FormatMarkdown(const Report& report);

}  // namespace kwker::audit
