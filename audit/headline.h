// An audit's verdict in one sentence.
#pragma once

#include <string>
#include <vector>

#include "audit/report.h"
#include "audit/terminal.h"

namespace kwker::audit {

// The parts of it, to be joined by " · ": the speed and the outputs (these
// first if they are different), or how the audit failed.
std::vector<Span> HeadlineParts(const Report& report);

// "1.38x faster (95% 1.31–1.44, 8 pairs) · outputs equal to the bit (214 tensors,
// 92 MB)"
std::string Headline(const Report& report);

}  // namespace kwker::audit
