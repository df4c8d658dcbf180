// Square roots equal to those of the vector-maths library that torch uses.
//
// torch.sqrt on the CPU is the library's, which rounds some results (one in a
// hundred, on some processors one in five) to the neighbour of the correctly
// rounded one. A kernel that must equal torch either calls the library on blocks,
// or evaluates one of the forms below in registers: each is a textbook iteration,
// found by //kernels/base:sqrt_search, and each equals the library on some
// processors only. MatchSqrt() finds out by comparing results.
#pragma once

#include <cstdint>

#include "kernels/base/isa.h"

namespace kwker {

// The estimates r ~ 1/sqrt(x) are the processor's; s = x*r and h = r/2 follow.
enum class SqrtForm {
  kLibrary,  // call the library on a block
  kIeee,     // correctly rounded: the processor's own instruction
  kRsqrt14,  // AVX-512: r to 14 bits; in float64 a Goldschmidt step, e = 1/2 - s*h,
             // s += s*e, h += h*e; then Newton's, s += (x - s*s)*h; all fused
  kRsqrt12,  // float32: r to 12 bits, the same two steps, nothing fused. Intel's
             // library on AMD's processors.
};

const char* SqrtFormName(SqrtForm form);

// y[i] = sqrt(x[i]) for n elements, as torch computes it. x == y is allowed.
template <typename T>
using LibrarySqrt = void (*)(std::int64_t n, const T* x, T* y);

// A form and what to call for the elements it does not cover: outside
// [kSqrtLow, kSqrtHigh] the forms lose bits, or the library takes other ways.
template <typename T>
struct SqrtChoice {
  SqrtForm form = SqrtForm::kLibrary;
  LibrarySqrt<T> library = nullptr;
};

template <typename T>
inline constexpr T kSqrtLow = 0x1p-96f;
template <>
inline constexpr double kSqrtLow<double> = 0x1p-900;
template <typename T>
inline constexpr T kSqrtHigh = 0x1p126f;
template <>
inline constexpr double kSqrtHigh<double> = 0x1p1000;

// The fastest form that equals `library` on this processor, kLibrary if none.
// float32: compared on all 2^24 significands of both exponent parities, and on
// every exponent; about 30 ms. float64: on 2^20 of them. The square root of
// x*4^k is that of x times 2^k, so other exponents add nothing inside the range.
// The answer is kept; later calls with the same arguments cost nothing.
template <typename T>
SqrtChoice<T> MatchSqrt(Isa isa, LibrarySqrt<T> library);

// y = sqrt(x) by that form, for tests and MatchSqrt itself.
template <typename T>
void SqrtBlock(Isa isa, const SqrtChoice<T>& choice, std::int64_t n, const T* x, T* y);

}  // namespace kwker
