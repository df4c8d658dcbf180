#include "kernels/image/byte_tables.h"

#include <algorithm>
#include <cmath>

namespace kwker::image {
namespace {

struct Range {
  int low, high;  // the smallest and the largest byte that occurs
};

Range RangeOf(const ByteCounts& counts) {
  const auto occurs = [](std::int64_t count) { return count > 0; };
  const auto low = std::find_if(counts.begin(), counts.end(), occurs) - counts.begin();
  const auto high = counts.rend() - std::find_if(counts.rbegin(), counts.rend(), occurs) - 1;
  return {static_cast<int>(low), static_cast<int>(high)};
}

template <typename Function>
ByteTable TableOf(const Function& function) {
  ByteTable table;
  for (int x = 0; x < 256; ++x) table[x] = static_cast<std::uint8_t>(function(x));
  return table;
}

}  // namespace

ByteTable TorchAutocontrastTable(const ByteCounts& counts) {
  const Range range = RangeOf(counts);
  auto low = static_cast<float>(range.low);
  float scale = (static_cast<float>(range.high) - low) * static_cast<float>(1.0 / 255.0);
  if (range.low == range.high) {
    low = 0;
    scale = 1;
  }
  return TableOf(
      [=](int x) { return std::clamp((static_cast<float>(x) - low) / scale, 0.0f, 255.0f); });
}

ByteTable PillowAutocontrastTable(const ByteCounts& counts) {
  const Range range = RangeOf(counts);
  if (range.low == range.high) return TableOf([](int x) { return x; });
  const double scale = 255.0 / (range.high - range.low), offset = -range.low * scale;
  return TableOf([=](int x) { return std::clamp(static_cast<int>(x * scale + offset), 0, 255); });
}

ByteTable EqualizeTable(const ByteCounts& counts) {
  std::int64_t pixels = 0, most = 0;
  for (const std::int64_t count : counts) {
    pixels += count;
    if (count > 0) most = count;  // of the largest byte that occurs
  }
  const std::int64_t step = (pixels - most) / 255;
  if (step == 0) return TableOf([](int x) { return x; });
  std::int64_t below = step / 2;
  return TableOf([&](int x) {
    const std::int64_t level = std::min<std::int64_t>(below / step, 255);
    below += counts[x];
    return level;
  });
}

std::optional<ByteTable> PillowGammaTable(double gamma, double gain) {
  std::array<double, 256> values;
  for (int x = 0; x < 256; ++x) {
    // From the left, as Python reads it.
    values[x] = (255 + 1 - 1e-3) * gain * std::pow(x / 255.0, gamma);
    if (!std::isfinite(values[x])) return std::nullopt;
  }
  // Cut first: what is between -1 and 0 is 0 either way.
  return TableOf([&](int x) { return std::clamp(values[x], 0.0, 255.0); });
}

}  // namespace kwker::image
