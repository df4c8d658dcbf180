#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "kernels/base/divide_isa.h"
#include "kernels/base/isa.h"

namespace kwker {
namespace {

constexpr std::int64_t kBlock = 4096;

template <typename T>
bool Divide(Isa isa, const std::vector<T>& a, T d, std::vector<T>* quotients) {
  const auto n = static_cast<std::int64_t>(a.size());
  switch (isa) {
    case Isa::kAvx512:
      return internal::DivideAvx512(n, a.data(), d, quotients->data());
    case Isa::kAvx2:
      return internal::DivideAvx2(n, a.data(), d, quotients->data());
    case Isa::kDefault:
      break;
  }
  return internal::DivideSse2(n, a.data(), d, quotients->data());
}

template <typename T>
std::int64_t Wrong(const std::vector<T>& a, T d, const std::vector<T>& quotients) {
  std::int64_t wrong = 0;
  for (std::size_t i = 0; i < a.size(); ++i) wrong += quotients[i] != a[i] / d;
  return wrong;
}

// Divisors of every kind: short, long, all ones, next to powers of two, random.
template <typename T>
std::vector<T> Divisors(int random_ones) {
  std::vector<T> divisors = {1, T(0.5), T(3), T(0.7), T(0.0316227766), T(0.99), T(1e-4)};
  for (const T x : {T(1), T(0.5), T(2)}) {
    divisors.push_back(std::nextafter(x, T(0)));
    divisors.push_back(std::nextafter(x, T(3)));
  }
  std::mt19937_64 random(1);
  for (int i = 0; i < random_ones; ++i) {
    divisors.push_back(static_cast<T>(
        std::ldexp(1.0 + double(random() >> 11) * 0x1p-53, static_cast<int>(random() % 38) - 19)));
  }
  return divisors;
}

class DivideTest : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    if (!IsaIsSupported(GetParam())) GTEST_SKIP() << "not on this CPU";
  }
};

TEST_P(DivideTest, EverySignificandOfFloat32) {
  std::vector<float> a(kBlock), quotients(kBlock);
  int served = 0;
  for (const float d : Divisors<float>(3)) {
    for (std::uint32_t base = 0x3F800000; base < 0x40000000; base += kBlock) {
      for (std::uint32_t i = 0; i < kBlock; ++i) a[i] = std::bit_cast<float>(base + i);
      if (!Divide(GetParam(), a, d, &quotients)) break;
      served += base == 0x3F800000;
      ASSERT_EQ(Wrong(a, d, quotients), 0) << d << " " << base;
    }
  }
  if (GetParam() == Isa::kDefault) {
    EXPECT_EQ(served, 0) << "without a fused multiply-add nothing is exact";
  } else {
    EXPECT_GE(served, 10);
  }
}

// The dividends whose quotient is next to a midpoint, j/(2d) from it for small j:
// a * 2^(k+1) = j modulo d.
template <typename T>
std::vector<T> HardDividends(T d) {
  constexpr int kPrecision = std::numeric_limits<T>::digits;
  int exponent;
  const auto significand =
      static_cast<std::uint64_t>(std::ldexp(std::frexp(d, &exponent), kPrecision));
  std::vector<T> hard;
  for (const int halvings : {kPrecision, kPrecision + 1}) {
    for (std::uint64_t j = 1; j <= 16; ++j) {
      std::uint64_t a = j;
      for (int i = 0; i < halvings; ++i) a = (a % 2 == 0 ? a : a + significand) / 2;
      for (const std::uint64_t x : {a, significand - a % significand, a + significand}) {
        if (x >> (kPrecision - 1) == 1) hard.push_back(static_cast<T>(x));
      }
    }
  }
  hard.resize((hard.size() + 15) / 16 * 16, T(1));
  return hard;
}

template <typename T>
void CheckHard(Isa isa) {
  int served = 0;
  std::vector<T> quotients(kBlock);
  for (const T d : Divisors<T>(20000)) {
    const std::vector<T> a = HardDividends(d);
    quotients.resize(a.size());
    if (!Divide(isa, a, d, &quotients)) continue;
    ++served;
    ASSERT_EQ(Wrong(a, d, quotients), 0) << std::hexfloat << d;
  }
  if (isa != Isa::kDefault) {
    EXPECT_GE(served, 15000);
  }
}

TEST_P(DivideTest, HardDividends) {
  CheckHard<float>(GetParam());
  CheckHard<double>(GetParam());
}

template <typename T>
void CheckRandom(Isa isa, int exponents) {
  std::mt19937_64 random(2);
  std::vector<T> a(kBlock), quotients(kBlock);
  for (const T d : Divisors<T>(200)) {
    for (T& x : a) {
      const double significand = 1.0 + static_cast<double>(random() >> 12) * 0x1p-52;
      const int exponent = static_cast<int>(random() % static_cast<unsigned>(exponents));
      x = static_cast<T>(std::ldexp(significand, exponent - exponents / 2));
    }
    if (!Divide(isa, a, d, &quotients)) continue;
    ASSERT_EQ(Wrong(a, d, quotients), 0) << std::hexfloat << d;
  }
}

TEST_P(DivideTest, RandomDividends) {
  CheckRandom<float>(GetParam(), 118);
  CheckRandom<double>(GetParam(), 990);
}

TEST_P(DivideTest, DivisorsOutsideTheRangeAreNotServed) {
  std::vector<float> a(16, 1.0f), quotients(16);
  for (const float d : {0.0f, -1.0f, 1e-9f, 1e9f, std::numeric_limits<float>::infinity(),
                        std::numeric_limits<float>::quiet_NaN()}) {
    EXPECT_FALSE(Divide(GetParam(), a, d, &quotients)) << d;
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, DivideTest, testing::Values(Isa::kDefault, Isa::kAvx2, Isa::kAvx512),
                         [](const auto& info) { return std::string(IsaName(info.param)); });

}  // namespace
}  // namespace kwker
