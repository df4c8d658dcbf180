#include "pyext/arrow_pixels.h"

#include <utility>

namespace kwker::pyext {
namespace {

namespace py = pybind11;

// https://arrow.apache.org/docs/format/CDataInterface.html, which fixes the layout.
struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

// Behind the second buffer, if it holds `length` elements and nothing else; else null.
std::uint8_t* Elements(const ArrowArray& array, std::int64_t length) {
  if (array.length != length || array.offset != 0 || array.n_children != 0) return nullptr;
  if (array.n_buffers != 2) return nullptr;
  // Ours to write where the image is: nobody else has it yet.
  return static_cast<std::uint8_t*>(const_cast<void*>(array.buffers[1]));
}

}  // namespace

ArrowPixels ArrowPixels::Of(PyObject* core, std::int64_t pixels) {
  static PyObject* const name = PyUnicode_InternFromString("__arrow_c_array__");
  ArrowPixels result;
  PyObject* capsule = PyObject_CallMethodNoArgs(core, name);
  if (capsule == nullptr) {
    if (PyErr_ExceptionMatches(PyExc_Exception) == 0) throw py::error_already_set();
    PyErr_Clear();
    return result;
  }
  result.capsule_ = py::reinterpret_steal<py::object>(capsule);
  if (PyCapsule_IsValid(capsule, "arrow_array") == 0) return result;
  const auto* array = static_cast<ArrowArray*>(PyCapsule_GetPointer(capsule, "arrow_array"));
  const bool has_bands = array->n_children == 1 && array->length == pixels && array->offset == 0;
  result.data_ = has_bands ? Elements(*array->children[0], 4 * pixels) : Elements(*array, pixels);
  return result;
}

py::bytes ImageBytes(const py::object& core, std::int64_t pixels, int pixel_bytes) {
  const ArrowPixels memory = ArrowPixels::Of(core.ptr(), pixels);
  if (!memory) throw py::value_error("Pillow does not hand out this image's memory");
  return {reinterpret_cast<const char*>(memory.data()),
          static_cast<std::size_t>(pixels * pixel_bytes)};
}

}  // namespace kwker::pyext
