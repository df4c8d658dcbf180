#include "kernels/optim/traffic.h"

#include <gtest/gtest.h>

#include <string>

#include "kernels/optim/reference.h"

namespace kwker::optim {
namespace {

class TrafficTest : public testing::TestWithParam<Isa> {};

TEST_P(TrafficTest, ChangesNothing) {
  if (!IsaIsSupported(GetParam())) GTEST_SKIP() << "not on this CPU";
  for (const std::int64_t n : {0, 1, 15, 33, 1000, 100003}) {
    for (int updated = 0; updated <= 4; ++updated) {
      std::vector<std::vector<std::uint32_t>> arrays;
      for (int k = 0; k < 5; ++k) {
        const std::vector<double> data = TestData<double>(n, k, true);
        const auto* words = reinterpret_cast<const std::uint32_t*>(data.data());
        arrays.emplace_back(words, words + n);
      }
      const auto before = arrays;
      TrafficTensor tensor = {{}, arrays[4].data(), n};
      for (int k = 0; k < updated; ++k) tensor.updated[k] = arrays[k].data();
      Traffic({&tensor, 1}, GetParam(), Backwards(2));
      EXPECT_EQ(arrays, before);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, TrafficTest,
                         testing::Values(Isa::kDefault, Isa::kAvx2, Isa::kAvx512),
                         [](const auto& info) { return std::string(IsaName(info.param)); });

}  // namespace
}  // namespace kwker::optim
