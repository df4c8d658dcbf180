#include "audit/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace kwker::audit {
namespace {

// Digits after the point that leave about three significant ones.
int Decimals(double value) {
  if (!(value > 0)) return 2;
  return std::clamp(2 - static_cast<int>(std::floor(std::log10(value))), 0, 3);
}

int RatioDecimals(const RatioEstimate& ratio) {
  if (ratio.estimate.value_or(1) >= 10) return 1;
  return ratio.interval && ratio.interval->high - ratio.interval->low < 0.02 ? 3 : 2;
}

}  // namespace

std::string FormatSeconds(double seconds) {
  const double rounded = std::round(seconds);
  if (rounded < 120) return fmt::format("{:.{}f} s", seconds, Decimals(seconds));
  const auto whole = static_cast<std::int64_t>(rounded);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string FormatBytes(std::int64_t bytes) {
  constexpr std::array<const char*, 5> kUnits = {"B", "kB", "MB", "GB", "TB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < kUnits.size()) {
    value /= 1000;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", value, unit > 0 && value < 9.95 ? 1 : 0, kUnits[unit]);
}

std::string FormatRatio(const RatioEstimate& ratio) {
  return ratio.estimate ? fmt::format("{:.{}f}x", *ratio.estimate, RatioDecimals(ratio)) : "?";
}

std::string FormatInterval(const RatioEstimate& ratio) {
  const int decimals = RatioDecimals(ratio);
  return fmt::format("{:.{}f}–{:.{}f}", ratio.interval->low, decimals, ratio.interval->high,
                     decimals);
}

std::string Plural(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace kwker::audit
