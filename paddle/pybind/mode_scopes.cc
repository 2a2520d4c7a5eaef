// SPDX-License-Identifier: Apache-2.0
// The context managers behind paddle.no_grad, set_grad_enabled and amp.auto_cast. What they change is of the thread
// that enters them. __enter__ and __exit__ are C functions: the exception of a signal handler comes before a mode is
// changed or once the `with` statement will change it back.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "paddle/eager/dispatch/op_support.h"
#include "paddle/pybind/object/compat.h"
#include "paddle/pybind/module.h"
#include "paddle/pybind/object/py_tensor.h"
#include "paddle/pybind/thread_state.h"

namespace paddle::py {
namespace {

namespace pyb = pybind11;

// --- gradient mode: GradMode(on) changes it inside; GradSwitch(on) at once, and back on leaving

struct PyGradMode {
  PyObject_HEAD bool on;
  bool before;  // of a GradSwitch
};
PyGradMode* SelfOf(PyObject* o) { return reinterpret_cast<PyGradMode*>(o); }

PyObject* MakeGradMode(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  int on;
  const char* names[] = {"mode", nullptr};
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "p", const_cast<char**>(names), &on)) return nullptr;
  PyObject* o = type->tp_alloc(type, 0);
  if (o) SelfOf(o)->on = on;
  return o;
}
PyObject* MakeGradSwitch(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  PyObject* o = MakeGradMode(type, args, kwargs);
  if (o) SelfOf(o)->before = std::exchange(egr::State().grad_enabled, SelfOf(o)->on);
  return o;
}
void DeallocGradMode(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  type->tp_free(o);
  Py_DECREF(type);
}

PyObject* EnterGradMode(PyObject* self, PyObject*) {
  return Guarded([&]() -> PyObject* {
    t_state.grad_modes.Push(egr::State().grad_enabled);
    egr::State().grad_enabled = SelfOf(self)->on;
    Py_RETURN_NONE;
  });
}
PyObject* LeaveGradMode(PyObject*, PyObject* const*, Py_ssize_t) {
  return Guarded([&]() -> PyObject* {
    egr::State().grad_enabled = t_state.grad_modes.Pop("gradient mode");
    Py_RETURN_NONE;
  });
}
PyObject* EnterGradSwitch(PyObject* self, PyObject*) {
  egr::State().grad_enabled = SelfOf(self)->on;
  Py_RETURN_NONE;
}
PyObject* LeaveGradSwitch(PyObject* self, PyObject* const*, Py_ssize_t) {
  egr::State().grad_enabled = SelfOf(self)->before;
  Py_RETURN_NONE;
}

#define F(f) reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(f))
PyMethodDef grad_mode_methods[] = {{"__enter__", F(EnterGradMode), METH_NOARGS, nullptr},
                                   {"__exit__", F(LeaveGradMode), METH_FASTCALL, nullptr},
                                   {nullptr, nullptr, 0, nullptr}};
PyMethodDef grad_switch_methods[] = {{"__enter__", F(EnterGradSwitch), METH_NOARGS, nullptr},
                                     {"__exit__", F(LeaveGradSwitch), METH_FASTCALL, nullptr},
                                     {nullptr, nullptr, 0, nullptr}};
#undef F

void AddType(PyObject* module, const char* name, newfunc make, PyMethodDef* methods) {
  PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(make)},
                         {Py_tp_dealloc, reinterpret_cast<void*>(DeallocGradMode)},
                         {Py_tp_methods, methods},
                         {0, nullptr}};
  const std::string full = std::string("paddle.base.libpaddle.") + name;
  PyType_Spec spec = {full.c_str(), sizeof(PyGradMode), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  PyRef type = Own(PyType_FromSpec(&spec));
  if (PyModule_AddObjectRef(module, name, type.get()) < 0) throw PyErrAlreadySet();
}

// --- automatic mixed precision

class AmpScope {
 public:
  AmpScope(int level, pyb::handle dtype, const std::vector<std::string>& white, const std::vector<std::string>& black) {
    PD_CHECK(level >= egr::kAmpOff && level <= egr::kAmpLow, InvalidArgument,
             "[amp] expected a level from 0 to 4, got ", level);
    level_ = static_cast<uint8_t>(level);
    dtype_ = static_cast<int8_t>(ToDataType(dtype.ptr(), "amp", "dtype"));
    lists_ = AmpListsOf(white, black);
  }
  void Enter(PyObject* self) const {
    const egr::DispatchState& s = egr::State();
    t_state.amp.Push({s.amp_level, s.amp_dtype, s.amp_lists, t_state.amp_scope});
    t_state.amp_scope = Py_NewRef(self);
    Set(level_, dtype_, lists_);
  }
  static void Leave() {
    const AmpBefore before = t_state.amp.Pop("automatic mixed precision");
    Set(before.level, before.dtype, before.lists);
    const PyRef left(std::exchange(t_state.amp_scope, before.scope));
  }

 private:
  static void Set(uint8_t level, int8_t dtype, const egr::AmpLists* lists) {
    egr::DispatchState& s = egr::State();
    s.amp_level = level;
    s.amp_dtype = dtype;
    s.amp_lists = lists;
  }
  uint8_t level_;
  int8_t dtype_;
  const egr::AmpLists* lists_;
};

int Init(PyObject* module) {
  return GuardedInt([&] {
    AddType(module, "GradMode", MakeGradMode, grad_mode_methods);
    AddType(module, "GradSwitch", MakeGradSwitch, grad_switch_methods);
    pyb::class_<AmpScope>(pyb::reinterpret_borrow<pyb::module_>(module), "AmpScope",
                          "Inside, operations run with this level, dtype and lists of automatic mixed precision.")
        .def(pyb::init<int, pyb::handle, const std::vector<std::string>&, const std::vector<std::string>&>(),
             pyb::arg("level"), pyb::arg("dtype"), pyb::arg("white"), pyb::arg("black"))
        .def("__enter__",
             [](pyb::object self) {
               pyb::cast<const AmpScope&>(self).Enter(self.ptr());
               return self;
             })
        .def("__exit__", [](AmpScope&, const pyb::args&) { AmpScope::Leave(); })
        .def_static(
            "innermost",
            [] { return pyb::reinterpret_borrow<pyb::object>(t_state.amp_scope ? t_state.amp_scope : Py_None); },
            "The scope that this thread entered last and has not left; None outside.");
  });
}

PADDLE_MODULE_INIT(Init)

}  // namespace
}  // namespace paddle::py
