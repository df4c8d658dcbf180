// The pixels of one of Pillow's images, where they lie.
#pragma once

#include <torch/csrc/utils/pybind.h>

#include <cstdint>

namespace kwker::pyext {

// Pillow's core images hand their memory out by the Arrow C data interface, which
// is public and counts references: while this object lives, the memory does.
class ArrowPixels {
 public:
  // `core`: an Image.core.ImagingCore. Empty where Pillow does not hand it out
  // (rows in several blocks, a mode without an Arrow format), or hands out other
  // than `pixels` of 1 element, or of 4 bytes for images of several bands.
  static ArrowPixels Of(PyObject* core, std::int64_t pixels);

  explicit operator bool() const { return data_ != nullptr; }
  std::uint8_t* data() const { return data_; }

 private:
  pybind11::object capsule_;
  std::uint8_t* data_ = nullptr;
};

// All bytes of a core image's memory, those between the bands included: for the
// self-check and the tests.
pybind11::bytes ImageBytes(const pybind11::object& core, std::int64_t pixels, int pixel_bytes);

}  // namespace kwker::pyext
