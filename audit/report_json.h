// The report as JSON, for programs: "kwker.audit/1", described by
// audit/report.schema.json. Members are only ever added under that name.
#pragma once

#include <string>

#include "audit/report.h"

namespace kwker::audit {

inline constexpr char kReportSchema[] = "kwker.audit/1";

// UTF-8, indented, with a newline at its end. Figures that are not known, or not
// finite, are null. Bytes that are not UTF-8 become U+FFFD.
std::string FormatJson(const Report& report);

}  // namespace kwker::audit
