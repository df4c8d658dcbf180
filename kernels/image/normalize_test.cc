#include "kernels/image/normalize.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace kwker::image {
namespace {

template <typename In>
std::vector<In> Data(std::int64_t n) {
  std::mt19937 random(static_cast<unsigned>(n));
  std::vector<In> data(static_cast<std::size_t>(n));
  for (In& x : data) {
    x = std::is_same_v<In, float> ? static_cast<In>(static_cast<float>(random()) * 1e-9f - 1)
                                  : static_cast<In>(random());
  }
  if (std::is_same_v<In, float> && n > 2) {
    data[0] = static_cast<In>(-0.0f);
    data[1] = static_cast<In>(1e-42f);
  }
  return data;
}

float Formula(float x, Scale scale) {
  if (scale == Scale::kMultiply) return x * static_cast<float>(1 / 255.0);
  return scale == Scale::kDivide ? x / 255 : x;
}

template <typename In>
void Check(Isa isa, std::int64_t n, int period, Scale scale, bool normalized, int threads) {
  const std::vector<In> in = Data<In>(n);
  std::vector<float> out(in.size(), -7), mean(kChannelPattern), std(kChannelPattern);
  for (int i = 0; i < kChannelPattern; ++i) {
    mean[i] = 0.1f * static_cast<float>(i % period) + 0.3f;
    std[i] = 0.2f + 0.05f * static_cast<float>(i % period);
  }
  const NormalizeRun<In> run = {in.data(), out.data(), n, normalized ? mean.data() : nullptr,
                                normalized ? std.data() : nullptr};
  const ParallelFor backwards = {threads, [](int tasks, const std::function<void(int)>& body) {
                                   for (int i = tasks - 1; i >= 0; --i) body(i);
                                 }};
  Normalize<In>({&run, 1}, scale, period, isa, backwards);
  for (std::int64_t i = 0; i < n; ++i) {
    float expected = Formula(static_cast<float>(in[i]), scale);
    if (normalized) expected = (expected - mean[i % period]) / std[i % period];
    ASSERT_EQ(std::bit_cast<std::uint32_t>(out[i]), std::bit_cast<std::uint32_t>(expected))
        << i << " of " << n << ", period " << period;
  }
}

class NormalizeTest : public testing::TestWithParam<Isa> {};

TEST_P(NormalizeTest, EqualsTheFormulaToTheBit) {
  if (!IsaIsSupported(GetParam())) GTEST_SKIP() << "not on this CPU";
  for (const std::int64_t n : {0, 1, 3, 7, 8, 15, 16, 17, 24, 47, 48, 49, 100, 511, 1999}) {
    for (int period = 1; period <= 4; ++period) {
      for (const bool normalized : {false, true}) {
        Check<float>(GetParam(), n, period, Scale::kNone, normalized, 1);
        Check<std::uint8_t>(GetParam(), n, period, Scale::kMultiply, normalized, 1);
        Check<std::uint8_t>(GetParam(), n, period, Scale::kDivide, normalized, 1);
      }
    }
  }
}

TEST_P(NormalizeTest, ThreadsDoNotChangeBits) {
  if (!IsaIsSupported(GetParam())) GTEST_SKIP() << "not on this CPU";
  for (int period = 1; period <= 4; ++period) {
    Check<std::uint8_t>(GetParam(), 200003, period, Scale::kMultiply, true, 3);
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, NormalizeTest,
                         testing::Values(Isa::kDefault, Isa::kAvx2, Isa::kAvx512),
                         [](const auto& info) { return std::string(IsaName(info.param)); });

}  // namespace
}  // namespace kwker::image
