#include "pyext/pillow_pixels.h"

#include <string_view>

#include "pyext/optim_common.h"

namespace kwker::pyext {
namespace {

namespace py = pybind11;

// Kept for ever: the references are not given back at the end of the process.
PyObject *image_class = nullptr, *core_new = nullptr, *plain_image = nullptr;

// https://arrow.apache.org/docs/format/CDataInterface.html
struct ArrowArray {
  std::int64_t length, null_count, offset, buffer_count, child_count;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

py::object Attribute(PyObject* object, const char* name) {
  auto value = py::reinterpret_steal<py::object>(PyObject_GetAttrString(object, name));
  if (!value) throw py::error_already_set();
  return value;
}

}  // namespace

void SetPillowImages(const py::object& the_class, const py::object& the_function,
                     const py::object& an_image) {
  image_class = py::object(the_class).release().ptr();
  core_new = py::object(the_function).release().ptr();
  plain_image = py::object(an_image).release().ptr();
}

PillowPixels::PillowPixels(const py::object& core, std::int64_t width, std::int64_t height) {
  capsule_ = py::reinterpret_steal<py::object>(
      PyObject_CallMethod(core.ptr(), "__arrow_c_array__", nullptr));
  if (!capsule_) {
    PyErr_Clear();
    throw FallBack{Reason::kImageMemory};
  }
  const auto* array =
      static_cast<const ArrowArray*>(PyCapsule_GetPointer(capsule_.ptr(), "arrow_array"));
  if (array == nullptr) throw py::error_already_set();
  // A list of lists of four bytes.
  Require(array->child_count == 1 && array->offset == 0 && array->length == width * height &&
              array->children[0]->length == 4 * width * height &&
              array->children[0]->buffer_count == 2 && array->children[0]->offset == 0,
          Reason::kImageMemory);
  data_ = static_cast<std::uint8_t*>(const_cast<void*>(array->children[0]->buffers[1]));
}

PillowImage RequirePillow(PyObject* object) {
  Require(reinterpret_cast<PyObject*>(Py_TYPE(object)) == image_class, Reason::kImage);
  const py::object core = Attribute(object, "im");
  const py::object mode = Attribute(object, "mode");
  Require(py::isinstance<py::str>(mode) && mode.cast<std::string>() == "RGB" &&
              Attribute(core.ptr(), "mode").cast<std::string>() == "RGB",
          Reason::kImage);
  const auto [width, height] =
      Attribute(core.ptr(), "size").cast<std::pair<std::int64_t, std::int64_t>>();
  Require(width > 0 && height > 0, Reason::kEmpty);
  return {object, width, height, PillowPixels(core, width, height)};
}

NewPillowImage MakePillow(const PillowImage& like, bool keep_info) {
  const auto core = py::reinterpret_steal<py::object>(
      PyObject_CallFunction(core_new, "s(LL)", "RGB", static_cast<long long>(like.width),
                            static_cast<long long>(like.height)));
  if (!core) throw py::error_already_set();
  PillowPixels pixels(core, like.width, like.height);
  auto made = py::reinterpret_steal<py::object>(
      PyObject_CallMethod(keep_info ? like.object : plain_image, "_new", "O", core.ptr()));
  if (!made) throw py::error_already_set();
  return {std::move(made), std::move(pixels)};
}

}  // namespace kwker::pyext
