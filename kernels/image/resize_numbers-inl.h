// The passes of resize_numbers_isa.h for the instruction set that is compiled for.
#pragma once

#ifdef __AVX__
#include <immintrin.h>
#else
#include <emmintrin.h>
#endif

#include <cstdint>

#include "kernels/image/resize_numbers_isa.h"

namespace kwker::image {
namespace {

using internal::kNumberRows;
using internal::NumberLines;
using internal::NumberPasses;
using internal::NumberTaps;

inline std::int32_t RoundedAway(double sum) {
  // The conversion itself, as C++ leaves open what it makes of large sums.
  return _mm_cvttsd_si32(_mm_set_sd(sum >= 0.0 ? sum + 0.5 : sum - 0.5));
}

inline void Finish(double sum, float* out) { *out = static_cast<float>(sum); }
inline void Finish(double sum, std::int32_t* out) { *out = RoundedAway(sum); }
inline void Finish(double sum, std::uint16_t* out) {
  const std::int32_t rounded = RoundedAway(sum);
  *out = static_cast<std::uint16_t>(rounded < 0 ? 0 : rounded > 65535 ? 65535 : rounded);
}

// Four sums at once.
struct Four {
#ifdef __AVX__
  __m256d v;

  static Four Zero() { return {_mm256_setzero_pd()}; }
  static Four Load(const float* p) { return {_mm256_cvtps_pd(_mm_loadu_ps(p))}; }
  static Four Load(const std::int32_t* p) { return {_mm256_cvtepi32_pd(Integers(p))}; }
  void AddProduct(Four x, double weight) {
    v = _mm256_add_pd(v, _mm256_mul_pd(x.v, _mm256_set1_pd(weight)));
  }
  void Store(float* p) const { _mm_storeu_ps(p, _mm256_cvtpd_ps(v)); }
  void Store(double* p) const { _mm256_storeu_pd(p, v); }
#else
  __m128d low, high;

  static Four Zero() { return {_mm_setzero_pd(), _mm_setzero_pd()}; }
  static Four Load(const float* p) {
    const __m128 x = _mm_loadu_ps(p);
    return {_mm_cvtps_pd(x), _mm_cvtps_pd(_mm_movehl_ps(x, x))};
  }
  static Four Load(const std::int32_t* p) {
    const __m128i x = Integers(p);
    return {_mm_cvtepi32_pd(x), _mm_cvtepi32_pd(_mm_unpackhi_epi64(x, x))};
  }
  void AddProduct(Four x, double weight) {
    const __m128d w = _mm_set1_pd(weight);
    low = _mm_add_pd(low, _mm_mul_pd(x.low, w));
    high = _mm_add_pd(high, _mm_mul_pd(x.high, w));
  }
  void Store(float* p) const {
    _mm_storeu_ps(p, _mm_movelh_ps(_mm_cvtpd_ps(low), _mm_cvtpd_ps(high)));
  }
  void Store(double* p) const {
    _mm_storeu_pd(p, low);
    _mm_storeu_pd(p + 2, high);
  }
#endif
  static __m128i Integers(const void* p) { return _mm_loadu_si128(static_cast<const __m128i*>(p)); }
  static Four Load(const std::uint16_t* p) {
    const std::int32_t wide[4] = {p[0], p[1], p[2], p[3]};
    return Load(wide);
  }
};

inline void Finish(const Four& sums, float* out) { sums.Store(out); }
template <typename T>
inline void Finish(const Four& sums, T* out) {
  double all[4];
  sums.Store(all);
  for (int i = 0; i < 4; ++i) Finish(all[i], out + i);
}

// Columns [begin, begin + columns) of four rows, one column after the other.
inline void Transpose(const float* const* rows, int begin, int columns, float* to) {
  int x = 0;
  for (; x + 4 <= columns; x += 4) {
    __m128 a = _mm_loadu_ps(rows[0] + begin + x), b = _mm_loadu_ps(rows[1] + begin + x);
    __m128 c = _mm_loadu_ps(rows[2] + begin + x), d = _mm_loadu_ps(rows[3] + begin + x);
    _MM_TRANSPOSE4_PS(a, b, c, d);
    _mm_storeu_ps(to + 4 * x, a);
    _mm_storeu_ps(to + 4 * x + 4, b);
    _mm_storeu_ps(to + 4 * x + 8, c);
    _mm_storeu_ps(to + 4 * x + 12, d);
  }
  for (; x < columns; ++x) {
    for (int r = 0; r < kNumberRows; ++r) to[4 * x + r] = rows[r][begin + x];
  }
}
template <typename T>
inline void Transpose(const T* const* rows, int begin, int columns, std::int32_t* to) {
  for (int x = 0; x < columns; ++x) {
    for (int r = 0; r < kNumberRows; ++r) to[4 * x + r] = rows[r][begin + x];
  }
}

template <typename T>
void NumbersHorizontal(const NumberTaps& taps, const NumberLines<T>& lines) {
  static_assert(kNumberRows == 4);
  Transpose(lines.in, lines.begin, lines.end - lines.begin, lines.scratch);
  const double* weights = taps.weights;
  for (int x = 0; x < taps.out_size; ++x, weights += taps.stride) {
    Four sums = Four::Zero();
    const auto* column =
        lines.scratch + static_cast<std::int64_t>(taps.first[x] - lines.begin) * kNumberRows;
    for (int i = 0; i < taps.count[x]; ++i, column += kNumberRows) {
      sums.AddProduct(Four::Load(column), weights[i]);
    }
    T made[kNumberRows];
    Finish(sums, made);
    for (int r = 0; r < kNumberRows; ++r) lines.out[r][x] = made[r];
  }
}

template <typename T>
void NumbersVertical(const T* const* rows, const double* weights, int count, int size, T* out) {
  constexpr int kVectors = 4, kBlock = 4 * kVectors;
  int at = 0;
  for (; at + kBlock <= size; at += kBlock) {
    Four sums[kVectors] = {Four::Zero(), Four::Zero(), Four::Zero(), Four::Zero()};
    for (int i = 0; i < count; ++i) {
      for (int j = 0; j < kVectors; ++j) {
        sums[j].AddProduct(Four::Load(rows[i] + at + 4 * j), weights[i]);
      }
    }
    for (int j = 0; j < kVectors; ++j) Finish(sums[j], out + at + 4 * j);
  }
  for (; at < size; ++at) {
    double sum = 0.0;
    for (int i = 0; i < count; ++i) sum += static_cast<double>(rows[i][at]) * weights[i];
    Finish(sum, out + at);
  }
}

template <typename T>
NumberPasses<T> Passes() {
  return {&NumbersHorizontal<T>, &NumbersVertical<T>};
}

}  // namespace
}  // namespace kwker::image
