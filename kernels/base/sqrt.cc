#include "kernels/base/sqrt.h"

#include <bit>
#include <cstring>
#include <limits>
#include <mutex>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/base/sqrt_isa.h"

namespace kwker {
namespace {

constexpr std::int64_t kBlock = 4096;  // both blocks fit the first-level cache

template <typename T>
bool SameBits(const std::vector<T>& a, const std::vector<T>& b) {
  return std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

template <typename T>
class Comparison {
 public:
  Comparison(Isa isa, SqrtChoice<T> choice) : isa_(isa), choice_(choice) {}

  bool BlockIsEqual() {
    choice_.library(kBlock, x.data(), theirs_.data());
    SqrtBlock(isa_, choice_, kBlock, x.data(), ours_.data());
    return SameBits(ours_, theirs_);
  }

  std::vector<T> x = std::vector<T>(kBlock);

 private:
  Isa isa_;
  SqrtChoice<T> choice_;
  std::vector<T> ours_ = std::vector<T>(kBlock), theirs_ = std::vector<T>(kBlock);
};

bool Matches(Isa isa, const SqrtChoice<float>& choice) {
  Comparison<float> comparison(isa, choice);
  // Every float of [1, 4).
  for (std::uint32_t base = 0x3F800000; base < 0x40800000; base += kBlock) {
    for (std::int64_t i = 0; i < kBlock; ++i) {
      comparison.x[i] = std::bit_cast<float>(base + static_cast<std::uint32_t>(i));
    }
    if (!comparison.BlockIsEqual()) return false;
  }
  // Sixteen of every exponent, the odd ones and zeros included.
  for (std::int64_t i = 0; i < kBlock; ++i) {
    const auto n = static_cast<std::uint32_t>(i);
    comparison.x[i] = std::bit_cast<float>((n >> 4) << 23 | (n & 15) * 0x0876543u);
  }
  for (float& x : comparison.x) {
    if (x != x) x = std::numeric_limits<float>::quiet_NaN();
  }
  return comparison.BlockIsEqual();
}

bool Matches(Isa isa, const SqrtChoice<double>& choice) {
  Comparison<double> comparison(isa, choice);
  std::mt19937_64 random(1);
  // Random significands of [1, 4), then the neighbours of its ends and squares.
  for (int block = 0; block < 256; ++block) {
    for (double& x : comparison.x) {
      const std::uint64_t bits = random();
      x = std::bit_cast<double>((bits >> 12) | (std::uint64_t{0x3FF} + (bits & 1)) << 52);
    }
    if (!comparison.BlockIsEqual()) return false;
  }
  for (std::int64_t i = 0; i < kBlock; ++i) {
    const double root = 1.0 + static_cast<double>(i / 4) / 1024.0;
    const auto bits = std::bit_cast<std::uint64_t>(root * root);
    comparison.x[i] = std::bit_cast<double>(bits + static_cast<std::uint64_t>(i % 4) - 2);
  }
  if (!comparison.BlockIsEqual()) return false;
  // Two of every exponent.
  for (std::int64_t i = 0; i < kBlock; ++i) {
    const auto n = static_cast<std::uint64_t>(i);
    comparison.x[i] = std::bit_cast<double>((n >> 1) << 52 | (n & 1) * 0x876543210FEDC);
  }
  for (double& x : comparison.x) {
    if (x != x) x = std::numeric_limits<double>::quiet_NaN();
  }
  return comparison.BlockIsEqual();
}

// The forms that a body of this instruction set has, the fastest first.
template <typename T>
std::vector<SqrtForm> Forms(Isa isa) {
  std::vector<SqrtForm> forms;
  if (isa == Isa::kAvx512) forms.push_back(SqrtForm::kRsqrt14);
  if (std::is_same_v<T, float>) forms.push_back(SqrtForm::kRsqrt12);
  forms.push_back(SqrtForm::kIeee);
  return forms;
}

template <typename T>
SqrtChoice<T> Search(Isa isa, LibrarySqrt<T> library) {
  for (const SqrtForm form : Forms<T>(isa)) {
    if (Matches(isa, SqrtChoice<T>{form, library})) return {form, library};
  }
  return {SqrtForm::kLibrary, library};
}

}  // namespace

const char* SqrtFormName(SqrtForm form) {
  switch (form) {
    case SqrtForm::kIeee:
      return "ieee";
    case SqrtForm::kRsqrt14:
      return "rsqrt14";
    case SqrtForm::kRsqrt12:
      return "rsqrt12";
    case SqrtForm::kLibrary:
      break;
  }
  return "library";
}

template <typename T>
SqrtChoice<T> MatchSqrt(Isa isa, LibrarySqrt<T> library) {
  static std::mutex mutex;
  static std::vector<std::pair<Isa, SqrtChoice<T>>> known;
  const std::lock_guard lock(mutex);
  for (const auto& [known_isa, choice] : known) {
    if (known_isa == isa && choice.library == library) return choice;
  }
  known.emplace_back(isa, Search(isa, library));
  return known.back().second;
}

template <typename T>
void SqrtBlock(Isa isa, const SqrtChoice<T>& choice, std::int64_t n, const T* x, T* y) {
  switch (isa) {
    case Isa::kAvx512:
      return internal::SqrtAvx512(choice, n, x, y);
    case Isa::kAvx2:
      return internal::SqrtAvx2(choice, n, x, y);
    case Isa::kDefault:
      return internal::SqrtSse2(choice, n, x, y);
  }
}

template SqrtChoice<float> MatchSqrt(Isa, LibrarySqrt<float>);
template SqrtChoice<double> MatchSqrt(Isa, LibrarySqrt<double>);
template void SqrtBlock(Isa, const SqrtChoice<float>&, std::int64_t, const float*, float*);
template void SqrtBlock(Isa, const SqrtChoice<double>&, std::int64_t, const double*, double*);

}  // namespace kwker
