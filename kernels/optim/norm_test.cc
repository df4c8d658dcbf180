#include "kernels/optim/norm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernels/optim/reference.h"

namespace kwker::optim {
namespace {

// The formula of the header.
float Formula(const std::vector<float>& x, std::int64_t block, Isa isa) {
  if (x.size() == 1) return std::abs(x[0]);
  const std::size_t lanes = 8;
  std::vector<float> sums(lanes);
  const std::size_t whole = x.size() / lanes * lanes;
  for (std::size_t i = 0; i < whole; ++i) {
    const float square = x[i] * x[i];
    sums[i % lanes] += square;
  }
  float sum = sums[0];
  for (std::size_t j = 1; j < lanes; ++j) sum += sums[j];
  const std::size_t rest = x.size() - whole;
  for (std::size_t i = 0; i < rest; ++i) {
    const float value = x[whole + i];
    const bool once = i >= rest / block * block && isa != Isa::kDefault;
    const float square = value * value;
    sum = once ? std::fma(value, value, sum) : sum + square;
  }
  return std::sqrt(sum);
}

class NormTest : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    if (!IsaIsSupported(GetParam())) GTEST_SKIP() << "not on this CPU";
  }
};

TEST_P(NormTest, EqualsTheFormulaToTheBit) {
  for (const std::int64_t block : {1, 4, 8, 16}) {
    std::vector<std::vector<float>> data;
    std::vector<NormTensor> tensors;
    std::vector<float> expected;
    for (const std::int64_t n : {0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 39, 1001, 30001, 50000}) {
      data.push_back(TestData<float>(n, static_cast<int>(n), n % 4 == 1));
      tensors.push_back({data.back().data(), n});
      expected.push_back(Formula(data.back(), block, GetParam()));
    }
    for (const int threads : {1, 3}) {
      std::vector<float> norms(tensors.size(), -1);
      Norms(tensors, block, norms.data(), GetParam(), Backwards(threads));
      EXPECT_TRUE(SameBits(norms, expected)) << block << ' ' << threads;
    }
  }
}

TEST_P(NormTest, ScalesEachElementOnce) {
  std::vector<std::vector<float>> data;
  std::vector<ScaledTensor> tensors;
  for (const std::int64_t n : {0, 1, 7, 33, 70001}) data.push_back(TestData<float>(n, 3, true));
  auto expected = data;
  for (auto& array : data) {
    tensors.push_back({array.data(), static_cast<std::int64_t>(array.size())});
  }
  Scale(tensors, 0.3F, GetParam(), Backwards(3));
  for (std::size_t i = 0; i < data.size(); ++i) {
    for (float& value : expected[i]) value *= 0.3F;
    EXPECT_TRUE(SameBits(data[i], expected[i])) << i;
  }
}

template <int kBlock>
float Another(const float* data, std::int64_t n) {
  return Formula({data, data + n}, kBlock, Isa::kAvx2);
}

TEST_P(NormTest, FindsTheLengthOfBlocks) {
  if (GetParam() != Isa::kAvx2) GTEST_SKIP() << "its formula is AVX2's";
  EXPECT_EQ(MatchNorm(Isa::kAvx2, &Another<4>), 4);
  EXPECT_EQ(MatchNorm(Isa::kAvx2, &Another<1>), 1);
  EXPECT_EQ(MatchNorm(Isa::kAvx2, &Another<2>), 0);
}

INSTANTIATE_TEST_SUITE_P(Isas, NormTest, testing::Values(Isa::kDefault, Isa::kAvx2, Isa::kAvx512),
                         [](const auto& info) { return std::string(IsaName(info.param)); });

}  // namespace
}  // namespace kwker::optim
