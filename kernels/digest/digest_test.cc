#include "kernels/digest/digest.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace kwker {
namespace {

template <typename T>
std::string HexOf(ElementKind kind, const std::vector<T>& elements, std::int64_t* nans = nullptr) {
  Digest digest;
  digest.AddElements(kind, elements.data(), static_cast<std::int64_t>(elements.size()));
  if (nans != nullptr) *nans = digest.nans();
  return digest.Hex();
}

TEST(DigestTest, SignOfZeroAndEveryBitCount) {
  std::vector<float> a(5000, 1.0f), b = a;
  EXPECT_EQ(HexOf(ElementKind::kFloat32, a), HexOf(ElementKind::kFloat32, b));
  for (const std::size_t i : {0, 1, 2047, 2048, 4999}) {
    b = a;
    b[i] = std::nextafter(1.0f, 2.0f);
    EXPECT_NE(HexOf(ElementKind::kFloat32, a), HexOf(ElementKind::kFloat32, b)) << i;
  }
  EXPECT_NE(HexOf(ElementKind::kFloat32, std::vector<float>{0.0f}),
            HexOf(ElementKind::kFloat32, std::vector<float>{-0.0f}));
}

TEST(DigestTest, NansCountByTheirPlace) {
  std::vector<double> a(3000, 2.0), b = a, c = a;
  a[7] = std::numeric_limits<double>::quiet_NaN();
  b[7] = -std::bit_cast<double>(std::uint64_t{0x7FF0000000000123});
  c[8] = std::numeric_limits<double>::quiet_NaN();
  std::int64_t nans = 0;
  const std::string of_a = HexOf(ElementKind::kFloat64, a, &nans);
  EXPECT_EQ(nans, 1);
  EXPECT_EQ(of_a, HexOf(ElementKind::kFloat64, b));
  EXPECT_NE(of_a, HexOf(ElementKind::kFloat64, c));
}

TEST(DigestTest, AsManyNansAsThereAre) {
  std::int64_t nans = 0;
  HexOf(ElementKind::kFloat16, std::vector<std::uint16_t>(100000, 0xFFFF), &nans);
  EXPECT_EQ(nans, 100000);
  HexOf(ElementKind::kFloat8E4M3Fn, std::vector<std::uint8_t>(100000, 0x7F), &nans);
  EXPECT_EQ(nans, 100000);
}

// Every value of the small formats against what their definitions say.
TEST(DigestTest, NansOfSmallFormats) {
  const auto count = [](ElementKind kind, int bits) {
    std::int64_t found = 0;
    for (int value = 0; value < 1 << bits; ++value) {
      std::int64_t nans = 0;
      if (bits == 8) {
        HexOf(kind, std::vector<std::uint8_t>{static_cast<std::uint8_t>(value)}, &nans);
      } else {
        HexOf(kind, std::vector<std::uint16_t>{static_cast<std::uint16_t>(value)}, &nans);
      }
      found += nans;
    }
    return found;
  };
  EXPECT_EQ(count(ElementKind::kFloat16, 16), 2 * (1023));
  EXPECT_EQ(count(ElementKind::kBFloat16, 16), 2 * (127));
  EXPECT_EQ(count(ElementKind::kFloat8E5M2, 8), 2 * 3);
  EXPECT_EQ(count(ElementKind::kFloat8E4M3Fn, 8), 2);
  EXPECT_EQ(count(ElementKind::kFloat8UnsignedZero, 8), 1);
  EXPECT_EQ(count(ElementKind::kFloat8E8M0, 8), 1);
}

TEST(DigestTest, TextCannotPassIntoElements) {
  Digest a, b;
  a.AddText("float32 (1,)");
  a.AddElements(ElementKind::kBits8, "xy", 2);
  b.AddText("float32 (1,)x");
  b.AddElements(ElementKind::kBits8, "y", 1);
  EXPECT_NE(a.Hex(), b.Hex());
  EXPECT_EQ(a.Hex().size(), 32u);
}

TEST(DigestTest, AnyAlignmentAndNoElements) {
  std::vector<char> bytes(65);
  const float values[3] = {1, 2, 3};
  std::memcpy(bytes.data() + 1, values, sizeof(values));
  Digest moved, plain;
  moved.AddElements(ElementKind::kFloat32, bytes.data() + 1, 3);
  plain.AddElements(ElementKind::kFloat32, values, 3);
  EXPECT_EQ(moved.Hex(), plain.Hex());
  Digest none;
  none.AddElements(ElementKind::kFloat32, nullptr, 0);
  none.AddElements(ElementKind::kBits8, nullptr, 0);
  EXPECT_EQ(none.nans(), 0);
}

}  // namespace
}  // namespace kwker
