#include "kernels/image/resize_numbers.h"

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "kernels/image/resize_numbers_isa.h"

namespace kwker::image {
namespace {

using internal::kNumberRows;
using internal::NumberLines;
using internal::NumberPasses;
using internal::NumberTaps;

std::size_t Size(std::int64_t n) { return static_cast<std::size_t>(n); }

// By type and instruction set.
template <typename T>
using PassesFunction = NumberPasses<T> (*)();

template <typename T>
NumberPasses<T> Choose(Isa isa, PassesFunction<T> sse2, PassesFunction<T> avx2,
                       PassesFunction<T> avx512) {
  return isa == Isa::kAvx512 ? avx512() : isa == Isa::kAvx2 ? avx2() : sse2();
}

NumberPasses<float> PassesOf(Isa isa, float) {
  return Choose<float>(isa, internal::FloatPassesSse2, internal::FloatPassesAvx2,
                       internal::FloatPassesAvx512);
}
NumberPasses<std::int32_t> PassesOf(Isa isa, std::int32_t) {
  return Choose<std::int32_t>(isa, internal::Int32PassesSse2, internal::Int32PassesAvx2,
                              internal::Int32PassesAvx512);
}
NumberPasses<std::uint16_t> PassesOf(Isa isa, std::uint16_t) {
  return Choose<std::uint16_t>(isa, internal::Uint16PassesSse2, internal::Uint16PassesAvx2,
                               internal::Uint16PassesAvx512);
}

// Where the taps of a line begin and end.
int Begin(const Taps& taps) { return taps.first[0]; }
int End(const Taps& taps) { return taps.first.back() + taps.count.back(); }

// Rows [begin, end) of `in`, to out_rows of the same numbers.
template <typename T>
void Horizontal(const NumberPasses<T>& passes, const Taps& taps, int begin, int end,
                const T* const* in, T* const* out) {
  const NumberTaps view = {taps.first.data(), taps.count.data(), taps.weights.data(), taps.stride,
                           taps.out_size};
  using Scratch = std::remove_pointer_t<decltype(NumberLines<T>::scratch)>;
  std::vector<Scratch> scratch(Size(kNumberRows * std::int64_t{End(taps) - Begin(taps)}));
  for (int y = begin; y < end; y += kNumberRows) {
    NumberLines<T> lines = {{}, {}, Begin(taps), End(taps), scratch.data()};
    for (int r = 0; r < kNumberRows; ++r) {
      const int row = std::min(y + r, end - 1);
      lines.in[r] = in[row];
      lines.out[r] = out[row];
    }
    passes.horizontal(view, lines);
  }
}

template <typename T>
void Vertical(const NumberPasses<T>& passes, const Taps& taps, int width, const T* const* in,
              T* const* out) {
  for (int y = 0; y < taps.out_size; ++y) {
    passes.vertical(in + taps.first[Size(y)], taps.Weights(y), taps.count[Size(y)], width, out[y]);
  }
}

// Rows without gaps.
template <typename T>
std::vector<T*> RowsOf(T* begin, int width, int height) {
  std::vector<T*> rows(Size(height));
  for (int y = 0; y < height; ++y) rows[Size(y)] = begin + std::int64_t{y} * width;
  return rows;
}

}  // namespace

template <typename T>
void ResizeNumbers(const ResizeGeometry& g, const T* const* in, T* out, Isa isa) {
  const bool horizontal = g.NeedsHorizontal(), vertical = g.NeedsVertical();
  constexpr auto kPrecision = Precision::kDouble;
  Taps along_row, along_column;
  if (horizontal) {
    along_row = MakeTaps(g.filter, g.in_width, g.left, g.right, g.out_width, kPrecision);
  }
  if (vertical) {
    along_column = MakeTaps(g.filter, g.in_height, g.top, g.bottom, g.out_height, kPrecision);
  }
  const NumberPasses<T> passes = PassesOf(isa, T());
  const std::vector<T*> out_rows = RowsOf(out, g.out_width, g.out_height);
  if (!vertical) return Horizontal(passes, along_row, 0, g.in_height, in, out_rows.data());
  if (!horizontal) return Vertical(passes, along_column, g.out_width, in, out_rows.data());

  const bool first = g.HorizontalFirst();
  const int width = first ? g.out_width : g.in_width, height = first ? g.in_height : g.out_height;
  std::vector<T> between(Size(std::int64_t{width} * height));
  const std::vector<T*> rows = RowsOf(between.data(), width, height);
  if (first) {
    Horizontal(passes, along_row, Begin(along_column), End(along_column), in, rows.data());
    Vertical(passes, along_column, width, rows.data(), out_rows.data());
  } else {
    Vertical(passes, along_column, width, in, rows.data());
    Horizontal<T>(passes, along_row, 0, height, rows.data(), out_rows.data());
  }
}

template void ResizeNumbers(const ResizeGeometry&, const float* const*, float*, Isa);
template void ResizeNumbers(const ResizeGeometry&, const std::int32_t* const*, std::int32_t*, Isa);
template void ResizeNumbers(const ResizeGeometry&, const std::uint16_t* const*, std::uint16_t*,
                            Isa);

}  // namespace kwker::image
