#include "kernels/optim/sgd.h"

#include <gtest/gtest.h>

#include "kernels/optim/reference.h"

namespace kwker::optim {
namespace {

template <typename T>
void Check(Isa isa, const SgdScalars<T>& scalars, bool momentum, bool first_step, std::int64_t n,
           int threads) {
  const bool special = n % 2 == 1;
  std::vector<T> p = TestData<T>(n, 1, special), b = TestData<T>(n, 2, special),
                 g = TestData<T>(n, 3, special);
  std::vector<T> p2 = p, b2 = b;
  const SgdTensor<T> tensor = {p.data(), g.data(), momentum ? b.data() : nullptr, n, first_step};
  SgdTensor<T> reference = tensor;
  reference.param = p2.data();
  reference.momentum_buffer = momentum ? b2.data() : nullptr;
  ReferenceSgd(reference, scalars, isa);
  Sgd<T>({&tensor, 1}, scalars, isa, Backwards(threads));
  EXPECT_TRUE(SameBits(p, p2)) << n;
  EXPECT_TRUE(SameBits(b, b2)) << n;
}

template <typename T>
void CheckAll(Isa isa, std::int64_t n, int threads) {
  for (int bits = 0; bits < 32; ++bits) {
    const SgdScalars<T> scalars = {T(-0.1),         T(0.01),         T(0.9),         T(0.8),
                                   (bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0};
    // momentum may be null only without nesterov, as torch demands
    Check<T>(isa, scalars, scalars.nesterov || (bits & 8) != 0, (bits & 16) != 0, n, threads);
  }
}

class SgdTest : public testing::TestWithParam<Isa> {};

TEST_P(SgdTest, EqualsTheFormulaToTheBit) {
  if (!IsaIsSupported(GetParam())) GTEST_SKIP() << "not on this CPU";
  for (std::int64_t n : {0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 511, 513, 1024, 1999}) {
    CheckAll<float>(GetParam(), n, 1);
    CheckAll<double>(GetParam(), n, 1);
  }
}

TEST_P(SgdTest, ThreadsDoNotChangeBits) {
  if (!IsaIsSupported(GetParam())) GTEST_SKIP() << "not on this CPU";
  for (std::int64_t n : {65535, 100003}) CheckAll<float>(GetParam(), n, 3);
}

INSTANTIATE_TEST_SUITE_P(Isas, SgdTest, testing::Values(Isa::kDefault, Isa::kAvx2, Isa::kAvx512),
                         [](const auto& info) { return std::string(IsaName(info.param)); });

}  // namespace
}  // namespace kwker::optim
