// What resize_numbers_<isa>.cc define: declarations only, as such files must share
// no code.
#pragma once

#include <cstdint>
#include <type_traits>

namespace kwker::image::internal {

inline constexpr int kNumberRows = 4;  // that the horizontal pass does at once

// Taps of one line, as of resize_taps.h.
struct NumberTaps {
  const int* first;
  const int* count;
  const double* weights;
  std::int64_t stride;
  int out_size;
};

// What the lines of the horizontal pass are, element by element.
template <typename T>
struct NumberLines {
  const T* in[kNumberRows];  // may repeat
  T* out[kNumberRows];
  int begin, end;  // of the elements of `in` that are read
  // Of kNumberRows * (end - begin): float for float, otherwise int32.
  std::conditional_t<std::is_same_v<T, float>, float, std::int32_t>* scratch;
};

template <typename T>
struct NumberPasses {
  void (*horizontal)(const NumberTaps& taps, const NumberLines<T>& lines);
  // out[x] = sum over rows of rows[i][x] * weights[i], for x < size.
  void (*vertical)(const T* const* rows, const double* weights, int count, int size, T* out);
};

NumberPasses<float> FloatPassesSse2();
NumberPasses<float> FloatPassesAvx2();
NumberPasses<float> FloatPassesAvx512();
NumberPasses<std::int32_t> Int32PassesSse2();
NumberPasses<std::int32_t> Int32PassesAvx2();
NumberPasses<std::int32_t> Int32PassesAvx512();
NumberPasses<std::uint16_t> Uint16PassesSse2();
NumberPasses<std::uint16_t> Uint16PassesAvx2();
NumberPasses<std::uint16_t> Uint16PassesAvx512();

}  // namespace kwker::image::internal
