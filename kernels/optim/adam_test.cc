#include "kernels/optim/adam.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/optim/reference.h"

namespace kwker::optim {
namespace {

template <typename T>
void Sqrt(std::int64_t n, const T* x, T* y) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = std::sqrt(x[i]);
}

struct Case {
  WeightDecay decay;
  double beta1;
  bool maximize;
};

template <typename T>
void Check(Isa isa, SqrtForm form, const Case& c, std::int64_t n, bool special, int threads) {
  std::vector<T> p = TestData<T>(n, 1, special), m = TestData<T>(n, 2, special),
                 v = TestData<T>(n, 3, special, /*positive=*/true), g = TestData<T>(n, 4, special);
  std::vector<T> p2 = p, m2 = m, v2 = v;
  const AdamScalars<T> scalars = {c.decay,  T(0.99), T(0.01), T(1 - c.beta1),
                                  T(0.999), T(1e-3), T(1e-8), c.maximize};
  const AdamTensor<T> tensor = {p.data(), g.data(), m.data(), v.data(), n, T(-0.003), T(0.7)};
  AdamTensor<T> reference = tensor;
  reference.param = p2.data(), reference.exp_avg = m2.data(), reference.exp_avg_sq = v2.data();
  ReferenceAdam(reference, scalars, &Sqrt<T>, isa);
  Adam<T>({&tensor, 1}, scalars, {form, &Sqrt<T>}, isa, Backwards(threads));
  EXPECT_TRUE(SameBits(p, p2)) << n;
  EXPECT_TRUE(SameBits(m, m2)) << n;
  EXPECT_TRUE(SameBits(v, v2)) << n;
}

class AdamTest : public testing::TestWithParam<Isa> {};

TEST_P(AdamTest, EqualsTheFormulaToTheBit) {
  if (!IsaIsSupported(GetParam())) GTEST_SKIP() << "not on this CPU";
  for (const auto decay : {WeightDecay::kNone, WeightDecay::kCoupled, WeightDecay::kDecoupled}) {
    for (const double beta1 : {0.9, 0.3, 0.5}) {
      for (const bool maximize : {false, true}) {
        for (const SqrtForm form : {SqrtForm::kLibrary, SqrtForm::kIeee}) {
          for (std::int64_t n : {0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 511, 513, 1024, 1999}) {
            const Case c = {decay, beta1, maximize};
            Check<float>(GetParam(), form, c, n, n % 2 == 1, 1);
            Check<double>(GetParam(), form, c, n, n % 2 == 1, 1);
          }
        }
      }
    }
  }
}

TEST_P(AdamTest, ThreadsDoNotChangeBits) {
  if (!IsaIsSupported(GetParam())) GTEST_SKIP() << "not on this CPU";
  for (const std::int64_t n : {49151, 49152, 65536, 100003, 300001}) {
    for (const int threads : {2, 3, 7}) {
      Check<float>(GetParam(), SqrtForm::kIeee, {WeightDecay::kDecoupled, 0.9, false}, n, true,
                   threads);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, AdamTest, testing::Values(Isa::kDefault, Isa::kAvx2, Isa::kAvx512),
                         [](const auto& info) { return std::string(IsaName(info.param)); });

}  // namespace
}  // namespace kwker::optim
