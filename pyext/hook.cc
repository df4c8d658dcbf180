#include "pyext/hook.h"

#include <structmember.h>
#include <torch/csrc/Exceptions.h>

#include <string_view>

namespace kwker::pyext {
namespace {

struct Hook {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject* weak_references;
  PyObject* original;
  FastPath fast;       // null in an observer
  PyObject* callback;  // null in a hook
};

Hook* Self(PyObject* self) { return reinterpret_cast<Hook*>(self); }

PyObject* CallHook(PyObject* self, PyObject* const* args, std::size_t count, PyObject* names) {
  HANDLE_TH_ERRORS
  PyObject* result = nullptr;
  if (Self(self)->fast({args, PyVectorcall_NARGS(count), names}, &result)) return result;
  return PyObject_Vectorcall(Self(self)->original, args, count, names);
  END_HANDLE_TH_ERRORS
}

void CallBack(PyObject* callback, PyObject* result, PyObject* const* args, Py_ssize_t count,
              PyObject* names) {
  namespace py = pybind11;
  const auto positional = py::reinterpret_steal<py::object>(PyTuple_New(count));
  const auto keywords = py::reinterpret_steal<py::object>(PyDict_New());
  if (!positional || !keywords) return;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyTuple_SET_ITEM(positional.ptr(), i, Py_NewRef(args[i]));
  }
  for (Py_ssize_t i = 0; names != nullptr && i < PyTuple_GET_SIZE(names); ++i) {
    if (PyDict_SetItem(keywords.ptr(), PyTuple_GET_ITEM(names, i), args[count + i]) != 0) return;
  }
  Py_XDECREF(
      PyObject_CallFunctionObjArgs(callback, result, positional.ptr(), keywords.ptr(), nullptr));
}

PyObject* CallObserver(PyObject* self, PyObject* const* args, std::size_t count, PyObject* names) {
  HANDLE_TH_ERRORS
  PyObject* result = PyObject_Vectorcall(Self(self)->original, args, count, names);
  if (result == nullptr) return nullptr;
  CallBack(Self(self)->callback, result, args, PyVectorcall_NARGS(count), names);
  if (PyErr_Occurred() == nullptr) return result;
  if (PyErr_ExceptionMatches(PyExc_Exception) != 0) {
    PyErr_Clear();
    return result;
  }
  Py_DECREF(result);  // a KeyboardInterrupt or the like is the program's
  return nullptr;
  END_HANDLE_TH_ERRORS
}

// The few attributes that are the hook's own; all others are the original's,
// __class__ included.
PyObject* GetAttribute(PyObject* self, PyObject* name) {
  const char* text = PyUnicode_AsUTF8(name);
  if (text == nullptr) return nullptr;
  for (const std::string_view own :
       {"__call__", "__eq__", "__get__", "__hash__", "__ne__", "__reduce__", "__reduce_ex__"}) {
    if (own == text) return PyObject_GenericGetAttr(self, name);
  }
  return PyObject_GetAttr(Self(self)->original, name);
}

int SetAttribute(PyObject* self, PyObject* name, PyObject* value) {
  return PyObject_SetAttr(Self(self)->original, name, value);
}

PyObject* Repr(PyObject* self) { return PyObject_Repr(Self(self)->original); }

// Binds to an instance, as functions do.
PyObject* Bind(PyObject* self, PyObject* instance, PyObject*) {
  if (instance == nullptr || instance == Py_None) return Py_NewRef(self);
  return PyMethod_New(self, instance);
}

// Pickled as a function is: by its name. But whatever stands there may be another object by
// now, as after uninstall(); pickle would refuse a mere name for that.
PyObject* Reduce(PyObject* self, PyObject*) {
  namespace py = pybind11;
  HANDLE_TH_ERRORS
  const py::handle original = Self(self)->original;
  const py::str name =
      py::str("{}:{}").format(original.attr("__module__"), original.attr("__qualname__"));
  const py::object resolve = py::module_::import("pkgutil").attr("resolve_name");
  return py::make_tuple(resolve, py::make_tuple(name)).release().ptr();
  END_HANDLE_TH_ERRORS
}

void Deallocate(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  if (Self(self)->weak_references != nullptr) PyObject_ClearWeakRefs(self);
  Py_XDECREF(Self(self)->original);
  Py_XDECREF(Self(self)->callback);
  type->tp_free(self);
  Py_DECREF(type);
}

// help() asks past GetAttribute().
PyObject* Documentation(PyObject* self, void*) {
  return PyObject_GetAttrString(Self(self)->original, "__doc__");
}

PyGetSetDef properties[] = {
    {"__doc__", &Documentation, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMethodDef methods[] = {
    {"__reduce__", &Reduce, METH_NOARGS, nullptr},
    {"__reduce_ex__", &Reduce, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Hook, vectorcall), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Hook, weak_references), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

template <typename Function>
PyType_Slot Slot(int id, Function* function) {
  return {id, reinterpret_cast<void*>(function)};
}

PyTypeObject* HookType() {
  static PyTypeObject* const type = [] {
    PyType_Slot slots[] = {
        Slot(Py_tp_call, &PyVectorcall_Call),
        Slot(Py_tp_getattro, &GetAttribute),
        Slot(Py_tp_setattro, &SetAttribute),
        Slot(Py_tp_repr, &Repr),
        Slot(Py_tp_descr_get, &Bind),
        Slot(Py_tp_dealloc, &Deallocate),
        {Py_tp_methods, methods},
        {Py_tp_getset, properties},
        {Py_tp_members, members},
        {0, nullptr},
    };
    PyType_Spec spec = {"kwker._C.Hook", sizeof(Hook), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL |
                            Py_TPFLAGS_METHOD_DESCRIPTOR | Py_TPFLAGS_DISALLOW_INSTANTIATION |
                            Py_TPFLAGS_IMMUTABLETYPE,
                        slots};
    return reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  }();
  if (type == nullptr) throw pybind11::error_already_set();
  return type;
}

pybind11::object Make(const pybind11::object& original, FastPath fast,
                      const pybind11::object& callback) {
  PyTypeObject* type = HookType();
  PyObject* self = type->tp_alloc(type, 0);
  if (self == nullptr) throw pybind11::error_already_set();
  Self(self)->vectorcall = fast != nullptr ? &CallHook : &CallObserver;
  Self(self)->weak_references = nullptr;
  Self(self)->original = original.inc_ref().ptr();
  Self(self)->fast = fast;
  Self(self)->callback = callback ? callback.inc_ref().ptr() : nullptr;
  return pybind11::reinterpret_steal<pybind11::object>(self);
}

}  // namespace

pybind11::object MakeHook(const pybind11::object& original, FastPath fast) {
  return Make(original, fast, pybind11::object());
}

pybind11::object Observe(const pybind11::object& original, const pybind11::object& callback) {
  return Make(original, nullptr, callback);
}

}  // namespace kwker::pyext
