// Many divisions by one number, without the processor's divider. Include a
// vec_*.h first.
//
// a/d is computed as fma(a, high, a*low), where high + low is 1/d to twice the
// precision: high = 1/d and low = 1/d - high, each rounded. (N. Brisebarre,
// J.-M. Muller, "Correctly rounded multiplication by arbitrary precision
// constants", 2008.) It is equal to the divider's result for every a unless
// ExactFor(d) says otherwise. Proof, for precision p:
//
// Scaling by powers of two changes nothing in the range below, so let a and d be
// integers of [2^(p-1), 2^p), and a/d = q*2^-k with q in [2^(p-1), 2^p), thus
// k = p-1 if a >= d, else k = p. Errors are in units of the last place of q.
//  - low is wrong by at most 2^(-3p-1), which counts a*2^k times. |a*low| <= 2^-p,
//    so its rounding is wrong by at most 2^(-2p-1), which counts 2^k times.
//    Together at most 2^(k-2p): 2^(-p-1) if a >= d, and 2^-p else.
//  - The fma rounds once. It can round the wrong way only if a midpoint lies
//    between its exact argument and q. A midpoint is M/2 with an odd M > 2^p, and
//    |q - M/2| = |a*2^(k+1) - M*d| / (2d) =: j/(2d). j is not 0, as d*M would
//    need k+1 factors 2, and d < 2^p has fewer than p.
//  - If a >= d: j/(2d) >= 1/(2d) > 2^(-p-1). No wrong rounding.
//  - If a < d, the same for j >= 2. If d is even, so is j. There remain, for an odd
//    d, the a with a*2^(p+1) = 1 or -1 modulo d: at most two significands. These
//    are tried.
#pragma once

#include <cstdint>
#include <limits>

namespace kwker {
namespace {

// Dividends must be in their range; a divisor outside of its own is not served. So
// no result is subnormal or infinite, and where low or a*low are subnormal, their
// errors are below those of the proof.
template <typename T>
inline constexpr T kLeastDividend = 0x1p-60f;
template <>
inline constexpr double kLeastDividend<double> = 0x1p-500;
template <typename T>
inline constexpr T kMostDividend = 0x1p80f;
template <>
inline constexpr double kMostDividend<double> = 0x1p500;

template <class Vec>
class Divisor {
 public:
  using T = typename Vec::T;
  using V = typename Vec::V;

  Divisor() = default;  // not exact

  explicit Divisor(T d) {
    if constexpr (Vec::kFused) {
      if (!(d >= T(0x1p-20) && d <= T(0x1p20))) return;
      const T high = T(1) / d;
      const T low = Fma(-d, high, T(1)) / d;  // the residual is exact
      exact_ = HardCasesAreExact(d, high, low);
      high_ = Vec::Set(high);
      low_ = Vec::Set(low);
    }
  }

  // Whether Quotient() may be used. Almost always, where multiply-adds are fused.
  bool IsExact() const { return exact_; }

  // a/d rounded correctly, for dividends in the range.
  V Quotient(V a) const { return Vec::Mad(a, high_, Vec::Mul(a, low_)); }

 private:
  static float Fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
  static double Fma(double a, double b, double c) { return __builtin_fma(a, b, c); }

  static bool HardCasesAreExact(T d, T high, T low) {
    constexpr int kPrecision = std::numeric_limits<T>::digits;
    constexpr std::uint64_t kLeast = std::uint64_t{1} << (kPrecision - 1);
    const std::uint64_t significand = Significand(d);
    if (significand % 2 == 0) return true;
    // 2^-(p+1) modulo the significand, by halving.
    std::uint64_t inverse = 1;
    for (int i = 0; i <= kPrecision; ++i) {
      inverse = (inverse % 2 == 0 ? inverse : inverse + significand) / 2;
    }
    const std::uint64_t candidates[] = {inverse, significand - inverse};
    for (const std::uint64_t hard : candidates) {
      if (hard < kLeast) continue;
      const T a = static_cast<T>(hard);
      if (Fma(a, high, a * low) != a / d) return false;
    }
    return true;
  }

  // The significand of a normal positive number, as an integer of p bits.
  static std::uint64_t Significand(T d) {
    constexpr int kBits = std::numeric_limits<T>::digits - 1;
    std::uint64_t bits = 0;
    __builtin_memcpy(&bits, &d, sizeof d);
    return (bits & ((std::uint64_t{1} << kBits) - 1)) | std::uint64_t{1} << kBits;
  }

  V high_ = {}, low_ = {};
  bool exact_ = false;
};

template <class Vec>
bool DivideBlock(std::int64_t n, const typename Vec::T* a, typename Vec::T d,
                 typename Vec::T* quotients) {
  const Divisor<Vec> divisor(d);
  if (!divisor.IsExact()) return false;
  for (std::int64_t i = 0; i < n; i += Vec::kSize) {
    Vec::Store(quotients + i, divisor.Quotient(Vec::Load(a + i)));
  }
  return true;
}

}  // namespace
}  // namespace kwker
