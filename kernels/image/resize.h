// Resizing images as Pillow 13 does, to the bit: PIL.Image.Image.resize without
// its shortcuts (nearest neighbour, crops, copies).
//
// Bytes: a pass along one axis makes, with the weights k of resize_taps.h in fixed
// point,
//
//   out = clip((2^21 + sum over i of in[first + i] * k[i]) >> 22)    to 0 ... 255
//
// Integers, so the order of the sum and the instruction set do not matter. What the
// first pass makes is bytes again. Both passes run where size or box ask for them:
//
//   along rows     out_width != in_width or left != 0 or right != out_width
//   along columns  likewise
//
// first along rows, unless the height shrinks by more than twice what the width
// does (in pixels): then first along columns. Source: Pillow 13.0's
// src/libImaging/Resample.c, for its arithmetic.
#pragma once

#include <cstdint>

#include "kernels/base/isa.h"
#include "kernels/image/resize_taps.h"

namespace kwker::image {

struct ResizeGeometry {
  int in_width, in_height;
  int out_width, out_height;
  float left, top, right, bottom;  // the part of the input that is resized, within it
  Filter filter;

  bool NeedsHorizontal() const {
    return out_width != in_width || left != 0 || right != static_cast<float>(out_width);
  }
  bool NeedsVertical() const {
    return out_height != in_height || top != 0 || bottom != static_cast<float>(out_height);
  }
  bool HorizontalFirst() const {
    const std::int64_t shorter = std::int64_t{in_height} - out_height;
    return !(shorter > 0 && shorter > (std::int64_t{in_width} - out_width) * 2);
  }
};

// Pixels of 1 byte, or of 4, of which `channels` masks (little end first) what is
// kept: the other bytes of the output are 0.
struct BytePixels {
  int size;
  std::uint32_t channels;
};

// `in`: one pointer a row; rows may lie anywhere. `out`: rows without gaps between
// them. One of the passes must be needed. False, with nothing written, if a weight
// is out of the range of the fixed point used here (16 or more).
bool ResizeBytes(const ResizeGeometry& geometry, const BytePixels& pixels,
                 const std::uint8_t* const* in, std::uint8_t* out, Isa isa);

}  // namespace kwker::image
