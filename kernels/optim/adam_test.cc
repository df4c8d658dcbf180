#include "kernels/optim/adam.h"

#include <gtest/gtest.h>
#include <immintrin.h>

#include <cmath>

#include "kernels/optim/reference.h"

namespace kwker::optim {
namespace {

template <typename T>
void Sqrt(std::int64_t n, const T* x, T* y) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = std::sqrt(x[i]);
}

// As libraries on some processors: kernels/base/sqrt.h, kRsqrt12.
void EstimatedSqrt(std::int64_t n, const float* x, float* y) {
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

struct Case {
  WeightDecay decay = WeightDecay::kDecoupled;
  double beta1 = 0.9;
  bool maximize = false, amsgrad = false;
};

template <typename T>
void Check(Isa isa, const SqrtChoice<T>& sqrt, const Case& c, std::int64_t n, bool special,
           int threads) {
  std::vector<T> p = TestData<T>(n, 1, special), m = TestData<T>(n, 2, special),
                 v = TestData<T>(n, 3, special, /*positive=*/true), g = TestData<T>(n, 4, special),
                 x = TestData<T>(n, 5, special);
  std::vector<T> p2 = p, m2 = m, v2 = v, x2 = x;
  const AdamScalars<T> scalars = {c.decay, T(0.99), T(0.01),    T(1 - c.beta1), T(0.999),
                                  T(1e-3), T(1e-8), c.maximize, threads};
  const AdamTensor<T> tensor = {p.data(), g.data(),  m.data(), v.data(),
                                n,        T(-0.003), T(0.7),   c.amsgrad ? x.data() : nullptr};
  const AdamTensor<T> reference = {
      p2.data(), g.data(),  m2.data(), v2.data(),
      n,         T(-0.003), T(0.7),    c.amsgrad ? x2.data() : nullptr};
  ReferenceAdam(reference, scalars, sqrt.library, isa);
  Adam<T>({&tensor, 1}, scalars, sqrt, isa, Backwards(threads));
  EXPECT_TRUE(SameBits(p, p2)) << n;
  EXPECT_TRUE(SameBits(m, m2)) << n;
  EXPECT_TRUE(SameBits(v, v2)) << n;
  EXPECT_TRUE(SameBits(x, x2)) << n;
}

class AdamTest : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    if (!IsaIsSupported(GetParam())) GTEST_SKIP() << "not on this CPU";
  }
};

constexpr std::int64_t kSizes[] = {0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 511, 513, 1024, 1999};

TEST_P(AdamTest, EqualsTheFormulaToTheBit) {
  for (const auto decay : {WeightDecay::kNone, WeightDecay::kCoupled, WeightDecay::kDecoupled}) {
    for (const double beta1 : {0.9, 0.3, 0.5, 0.0}) {
      for (const int bits : {0, 1, 2, 3}) {
        const Case c = {decay, beta1, (bits & 1) != 0, (bits & 2) != 0};
        for (const SqrtForm form : {SqrtForm::kLibrary, SqrtForm::kIeee}) {
          for (const std::int64_t n : kSizes) {
            Check<float>(GetParam(), {form, &Sqrt<float>}, c, n, n % 2 == 1, 1);
            Check<double>(GetParam(), {form, &Sqrt<double>}, c, n, n % 2 == 1, 1);
          }
        }
        for (const std::int64_t n : kSizes) {
          Check<float>(GetParam(), {SqrtForm::kRsqrt12, &EstimatedSqrt}, c, n, n % 2 == 1, 1);
        }
      }
    }
  }
}

TEST_P(AdamTest, ThreadsDoNotChangeBits) {
  for (const std::int64_t n : {49151, 49152, 65536, 100003, 300001}) {
    for (const int threads : {2, 3, 7}) {
      Check<float>(GetParam(), {SqrtForm::kIeee, &Sqrt<float>}, {}, n, true, threads);
    }
  }
}

// Only that of torch's loops.
TEST_P(AdamTest, SignsOfZeroFollowTheNumberOfThreads) {
  for (const std::int64_t n : {32767, 32769, 65537, 100003}) {
    for (const int threads : {1, 2, 3, 4}) {
      const Case c = {WeightDecay::kNone, 0.0, false, true};
      Check<float>(GetParam(), {SqrtForm::kIeee, &Sqrt<float>}, c, n, true, threads);
      Check<double>(GetParam(), {SqrtForm::kIeee, &Sqrt<double>}, c, n, true, threads);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, AdamTest, testing::Values(Isa::kDefault, Isa::kAvx2, Isa::kAvx512),
                         [](const auto& info) { return std::string(IsaName(info.param)); });

}  // namespace
}  // namespace kwker::optim
