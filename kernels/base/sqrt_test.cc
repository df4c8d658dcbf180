#include "kernels/base/sqrt.h"

#include <gtest/gtest.h>
#include <immintrin.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace kwker {
namespace {

template <typename T>
void Ieee(std::int64_t n, const T* x, T* y) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = std::sqrt(x[i]);
}

// A library that no form equals.
template <typename T>
void OneUlpUp(std::int64_t n, const T* x, T* y) {
  for (std::int64_t i = 0; i < n; ++i) {
    y[i] = std::nextafter(std::sqrt(x[i]), std::numeric_limits<T>::infinity());
  }
}

// Two steps from the processor's estimate, nothing fused: kRsqrt12.
void Estimated(std::int64_t n, const float* x, float* y) {
  for (std::int64_t i = 0; i < n; ++i) {
    if (!(x[i] >= kSqrtLow<float> && x[i] <= kSqrtHigh<float>)) {
      y[i] = std::sqrt(x[i]);
      continue;
    }
    const float r = _mm_cvtss_f32(_mm_rsqrt_ss(_mm_set_ss(x[i])));
    float s = x[i] * r, h = 0.5f * r;
    const float sh = s * h, e = 0.5f - sh;
    const float se = s * e, he = h * e;
    s += se, h += he;
    const float ss = s * s, rest = (x[i] - ss) * h;
    y[i] = s + rest;
  }
}

class SqrtTest : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    if (!IsaIsSupported(GetParam())) GTEST_SKIP() << "not on this CPU";
  }
};

TEST_P(SqrtTest, FindsTheFormOfACorrectlyRoundedLibrary) {
  EXPECT_EQ(MatchSqrt<float>(GetParam(), &Ieee<float>).form, SqrtForm::kIeee);
  EXPECT_EQ(MatchSqrt<double>(GetParam(), &Ieee<double>).form, SqrtForm::kIeee);
}

TEST_P(SqrtTest, FindsTheFormOfAnEstimatingLibrary) {
  EXPECT_EQ(MatchSqrt<float>(GetParam(), &Estimated).form, SqrtForm::kRsqrt12);
}

TEST_P(SqrtTest, LeavesAnUnknownLibraryToItself) {
  EXPECT_EQ(MatchSqrt<float>(GetParam(), &OneUlpUp<float>).form, SqrtForm::kLibrary);
  EXPECT_EQ(MatchSqrt<double>(GetParam(), &OneUlpUp<double>).form, SqrtForm::kLibrary);
}

template <typename T>
void CheckSpecials(Isa isa) {
  using Limits = std::numeric_limits<T>;
  for (std::int64_t n = 0; n < 40; ++n) {
    std::vector<T> x, y(n), expected(n);
    for (std::int64_t i = 0; i < n; ++i) {
      const T values[] = {T(0), T(2), -T(0), Limits::denorm_min(), Limits::infinity(), T(3)};
      x.push_back(values[(i * i + n) % 6]);
    }
    Ieee(n, x.data(), expected.data());
    SqrtBlock<T>(isa, {SqrtForm::kIeee, &Ieee<T>}, n, x.data(), y.data());
    EXPECT_TRUE(n == 0 || std::memcmp(y.data(), expected.data(), n * sizeof(T)) == 0) << n;
  }
}

TEST_P(SqrtTest, ZerosAndRareValuesAsTheLibrary) {
  CheckSpecials<float>(GetParam());
  CheckSpecials<double>(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Isas, SqrtTest, testing::Values(Isa::kDefault, Isa::kAvx2, Isa::kAvx512),
                         [](const auto& info) { return std::string(IsaName(info.param)); });

}  // namespace
}  // namespace kwker
