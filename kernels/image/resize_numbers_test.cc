#include "kernels/image/resize_numbers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace kwker::image {
namespace {

template <typename T>
T Finished(double sum) {
  if constexpr (std::is_same_v<T, float>) return static_cast<float>(sum);
  const double rounded = std::trunc(sum >= 0 ? sum + 0.5 : sum - 0.5);
  if constexpr (std::is_same_v<T, std::uint16_t>) {
    return static_cast<T>(std::min(std::max(rounded, 0.0), 65535.0));
  }
  const bool fits = rounded >= -0x1p31 && rounded < 0x1p31;
  return fits ? static_cast<T>(rounded) : std::numeric_limits<T>::min();
}

template <typename T>
struct Picture {
  int width, height;
  std::vector<T> values;
};

// One pass by the formula.
template <typename T>
Picture<T> Reference(const Picture<T>& in, const ResizeGeometry& g, bool along_rows) {
  const Taps taps =
      along_rows
          ? MakeTaps(g.filter, g.in_width, g.left, g.right, g.out_width, Precision::kDouble)
          : MakeTaps(g.filter, g.in_height, g.top, g.bottom, g.out_height, Precision::kDouble);
  Picture<T> out = {along_rows ? g.out_width : in.width, along_rows ? in.height : g.out_height, {}};
  for (int y = 0; y < out.height; ++y) {
    for (int x = 0; x < out.width; ++x) {
      const int at = along_rows ? x : y;
      double sum = 0;
      for (int i = 0; i < taps.count[at]; ++i) {
        const int tap = taps.first[at] + i;
        const T value = in.values[along_rows ? y * in.width + tap : tap * in.width + x];
        sum += static_cast<double>(value) * taps.Weights(at)[i];
      }
      out.values.push_back(Finished<T>(sum));
    }
  }
  return out;
}

bool SameBits(float a, float b) {
  return (std::isnan(a) && std::isnan(b)) || std::memcmp(&a, &b, sizeof(a)) == 0;
}
template <typename T>
bool SameBits(T a, T b) {
  return a == b;
}

template <typename T>
T Value(std::mt19937& random) {
  const auto bits = static_cast<std::uint32_t>(random());
  if constexpr (std::is_same_v<T, float>) {
    const float special[] = {0.0f,
                             -0.0f,
                             std::numeric_limits<float>::infinity(),
                             3e38f,
                             std::numeric_limits<float>::quiet_NaN(),
                             1e-42f};
    if (bits % 97 < 6) return special[bits % 97];
    return static_cast<float>(static_cast<std::int32_t>(bits)) * 1e-4f;
  } else {
    const bool extreme = bits % 5 == 0;
    return extreme ? (bits % 2 == 0 ? std::numeric_limits<T>::max() : std::numeric_limits<T>::min())
                   : static_cast<T>(random());
  }
}

template <typename T>
void CheckAll(Isa isa) {
  std::mt19937 random(1);
  const auto draw = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  for (int i = 0; i < 400; ++i) {
    ResizeGeometry g = {draw(1, 50), draw(1, 50), draw(1, 50),
                        draw(1, 50), 0,           0,
                        0,           0,           static_cast<Filter>(draw(1, 7))};
    g.right = static_cast<float>(g.in_width), g.bottom = static_cast<float>(g.in_height);
    if (i % 5 == 0) g.out_width = g.in_width;
    if (i % 7 == 0) g.out_height = g.in_height;
    if (i % 3 == 0) g.left = g.right * 0.3f, g.bottom *= 0.7f;
    if (!g.NeedsHorizontal() && !g.NeedsVertical()) continue;

    Picture<T> in = {g.in_width, g.in_height, {}};
    for (int p = 0; p < in.width * in.height; ++p) in.values.push_back(Value<T>(random));
    std::vector<const T*> rows;
    for (int y = 0; y < in.height; ++y) rows.push_back(in.values.data() + y * in.width);
    std::vector<T> out(static_cast<std::size_t>(g.out_width * g.out_height));
    ResizeNumbers<T>(g, rows.data(), out.data(), isa);

    for (const bool along_rows : {g.HorizontalFirst(), !g.HorizontalFirst()}) {
      if (along_rows ? g.NeedsHorizontal() : g.NeedsVertical()) in = Reference(in, g, along_rows);
    }
    for (std::size_t p = 0; p < out.size(); ++p) {
      ASSERT_TRUE(SameBits(out[p], in.values[p]))
          << out[p] << " " << in.values[p] << " at " << p << ", filter "
          << static_cast<int>(g.filter) << ", " << g.in_width << "x" << g.in_height << " to "
          << g.out_width << "x" << g.out_height;
    }
  }
}

class ResizeNumbersTest : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    if (!IsaIsSupported(GetParam())) GTEST_SKIP() << "not on this CPU";
  }
};

TEST_P(ResizeNumbersTest, EqualsTheFormulaToTheBit) {
  CheckAll<float>(GetParam());
  CheckAll<std::int32_t>(GetParam());
  CheckAll<std::uint16_t>(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Isas, ResizeNumbersTest,
                         testing::Values(Isa::kDefault, Isa::kAvx2, Isa::kAvx512),
                         [](const auto& info) { return std::string(IsaName(info.param)); });

}  // namespace
}  // namespace kwker::image
