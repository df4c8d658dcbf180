// The pixels of PIL images, through Pillow's Arrow interface.
#pragma once

#include <torch/csrc/utils/pybind.h>

#include <cstdint>

namespace kwker::pyext {

// Tells what Pillow's Image class and its core's function `new` are, and an image without info.
void SetPillowImages(const pybind11::object& image_class, const pybind11::object& core_new,
                     const pybind11::object& plain_image);

// The memory of an RGB image, four bytes a pixel, while this lives.
class PillowPixels {
 public:
  // Of an image's core (Image.im). Throws FallBack where Pillow does not hand the memory out:
  // images of more than one block (16 MB).
  explicit PillowPixels(const pybind11::object& core, std::int64_t width, std::int64_t height);

  std::uint8_t* data() const { return data_; }

 private:
  pybind11::object capsule_;  // what is exported lives as long as it does
  std::uint8_t* data_;
};

// A PIL image as a function's argument.
struct PillowImage {
  PyObject* object;  // borrowed
  std::int64_t width, height;
  PillowPixels pixels;
};

// Of exactly a PIL.Image.Image of mode RGB: throws FallBack otherwise.
PillowImage RequirePillow(PyObject* object);

// An image of the same size with memory to be written. With the info of `like` or, where that
// is not wanted, with none.
struct NewPillowImage {
  pybind11::object object;
  PillowPixels pixels;
};
NewPillowImage MakePillow(const PillowImage& like, bool keep_info);

}  // namespace kwker::pyext
