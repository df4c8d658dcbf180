// The pixels of PIL images, through Pillow's Arrow interface.
#pragma once

#include <torch/csrc/utils/pybind.h>

#include <cstdint>

#include "pyext/arrow_pixels.h"

namespace kwker::pyext {

// Tells what Pillow's Image class and its core's function `new` are, and an image without info.
void SetPillowImages(const pybind11::object& image_class, const pybind11::object& core_new,
                     const pybind11::object& plain_image);

// A PIL image as a function's argument.
struct PillowImage {
  PyObject* object;  // borrowed
  std::int64_t width, height;
  ArrowPixels pixels;  // four bytes each
};

// Of exactly a PIL.Image.Image of mode RGB: throws FallBack otherwise, and where Pillow does not
// hand the memory out (images of more than one block, 16 MB).
PillowImage RequirePillow(PyObject* object);

// Of the info that conversions to another mode treat: throws FallBack where there is any.
void RequireNoTransparency(const PillowImage& image);

// An image of the same size with memory to be written, of mode "RGB" or "L". With the info of
// `like` or, where that is not wanted, with none.
struct NewPillowImage {
  pybind11::object object;
  ArrowPixels pixels;
};
NewPillowImage MakePillow(const PillowImage& like, bool keep_info, const char* mode = "RGB");

}  // namespace kwker::pyext
