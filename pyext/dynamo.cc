#include "pyext/dynamo.h"

#include <torch/csrc/utils/pybind.h>

namespace kwker::pyext {

bool IsTraced() {
  // dynamo takes the interpreter's place for evaluating frames while any thread has asked for it.
  if (_PyInterpreterState_GetEvalFrameFunc(PyInterpreterState_Get()) == &_PyEval_EvalFrameDefault) {
    return false;
  }
  namespace py = pybind11;
  static PyObject* const callback_of_thread =
      py::object(py::module_::import("torch._C._dynamo.eval_frame").attr("get_eval_frame_callback"))
          .release()
          .ptr();  // for ever
  const auto callback = py::reinterpret_steal<py::object>(PyObject_CallNoArgs(callback_of_thread));
  if (!callback) throw py::error_already_set();
  return !callback.is_none();
}

}  // namespace kwker::pyext
