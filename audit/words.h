// Figures the way people read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "audit/statistics.h"

namespace kwker::audit {

// Three significant digits up to two minutes, then minutes and hours: "0.012 s",
// "8.31 s", "119 s", "2 min 5 s", "1 h 20 min".
std::string FormatSeconds(double seconds);

// Decimal units, at most three digits: "848 B", "1.2 GB", "92 MB".
std::string FormatBytes(std::int64_t bytes);

// "1.38x"; three digits after the point where the interval is so narrow that
// two would hide it; from 10 on "12.3x".
std::string FormatRatio(const RatioEstimate& ratio);

// "1.31–1.44", with the digits of FormatRatio. The ratio must have an interval.
std::string FormatInterval(const RatioEstimate& ratio);

// "1 pair", "2 pairs".
std::string Plural(std::int64_t count, std::string_view noun);

}  // namespace kwker::audit
