#include "pyext/pillow_pixels.h"

#include <string>
#include <utility>

#include "pyext/optim_common.h"

namespace kwker::pyext {
namespace {

namespace py = pybind11;

// Kept for ever: the references are not given back at the end of the process.
PyObject *image_class = nullptr, *core_new = nullptr, *plain_image = nullptr;

py::object Attribute(PyObject* object, const char* name) {
  auto value = py::reinterpret_steal<py::object>(PyObject_GetAttrString(object, name));
  if (!value) throw py::error_already_set();
  return value;
}

ArrowPixels RequirePixels(const py::object& core, std::int64_t pixels) {
  ArrowPixels memory = ArrowPixels::Of(core.ptr(), pixels);
  Require(static_cast<bool>(memory), Reason::kImageMemory);
  return memory;
}

}  // namespace

void SetPillowImages(const py::object& the_class, const py::object& the_function,
                     const py::object& an_image) {
  image_class = py::object(the_class).release().ptr();
  core_new = py::object(the_function).release().ptr();
  plain_image = py::object(an_image).release().ptr();
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
  return {object, width, height, RequirePixels(core, width * height)};
}

void RequireNoTransparency(const PillowImage& image) {
  const py::object info = Attribute(image.object, "info");
  Require(
      PyDict_CheckExact(info.ptr()) && PyDict_GetItemString(info.ptr(), "transparency") == nullptr,
      Reason::kOptions);
}

NewPillowImage MakePillow(const PillowImage& like, bool keep_info, const char* mode) {
  const auto core = py::reinterpret_steal<py::object>(
      PyObject_CallFunction(core_new, "s(LL)", mode, static_cast<long long>(like.width),
                            static_cast<long long>(like.height)));
  if (!core) throw py::error_already_set();
  ArrowPixels pixels = RequirePixels(core, like.width * like.height);
  auto made = py::reinterpret_steal<py::object>(
      PyObject_CallMethod(keep_info ? like.object : plain_image, "_new", "O", core.ptr()));
  if (!made) throw py::error_already_set();
  return {std::move(made), std::move(pixels)};
}

}  // namespace kwker::pyext
