// SPDX-License-Identifier: Apache-2.0
// Which Python code runs while a call is recorded. Code whose reads are noted is registered by _note_code; other code
// may run only where the recording trusts what is called (paddle.jit.reads). The first frame of other code is kept, and
// ends the tape: what it read is not known.
#include <Python.h>
#include <frameobject.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>
#include <unordered_map>
#include <unordered_set>

#include "paddle/pybind/member.h"
#include "paddle/pybind/module.h"
#include "paddle/pybind/py_args.h"
#include "paddle/pybind/tape.h"

namespace paddle::py {
namespace {

namespace pyb = pybind11;

// Code objects whose reads are noted; they live as long as the process.
std::unordered_set<PyObject*>& NotedCodes() {
  static auto* codes = new std::unordered_set<PyObject*>;
  return *codes;
}

class FrameWatch {
 public:
  // `free`: beginnings of the names of files whose code may always run, `trusted`: of those that may within Trust().
  FrameWatch(std::vector<std::string> free, std::vector<std::string> trusted)
      : free_(std::move(free)), trusted_(std::move(trusted)) {}
  ~FrameWatch() { Stop(); }
  FrameWatch(const FrameWatch&) = delete;

  void Start() {
    if (running_) return;
    PyThreadState* state = PyThreadState_Get();
    old_func_ = state->c_profilefunc;
    old_object_ = PyRef::Borrow(state->c_profileobj);
    self_ = Own(PyCapsule_New(this, nullptr, nullptr));
    running_ = true;
    PyEval_SetProfile(&FrameWatch::OnEvent, self_.get());
  }
  // Another watch may have been put above this one, when an exception left this one where it was, and the collector may
  // end it on any thread: what is left of it is the capsule, which says that it is over and goes when it is called.
  void Stop() {
    if (!running_) return;
    running_ = false;
    PyCapsule_SetContext(self_.get(), self_.get());
    if (PyThreadState_Get()->c_profileobj == self_.get()) PyEval_SetProfile(old_func_, old_object_.get());
    old_object_ = PyRef();
    self_ = PyRef();
  }
  void Trust() { ++trust_; }
  void Distrust() { --trust_; }
  const std::string& foreign() const { return foreign_; }

 private:
  enum Place : uint8_t { kNoted, kTrusted, kForeign };

  static int OnEvent(PyObject* self, PyFrameObject* frame, int what, PyObject* arg) {
    if (PyCapsule_GetContext(self)) {  // over
      const PyRef kept = PyRef::Borrow(self);
      if (PyThreadState_Get()->c_profileobj == self) PyEval_SetProfile(nullptr, nullptr);
      return 0;
    }
    auto* watch = static_cast<FrameWatch*>(PyCapsule_GetPointer(self, nullptr));
    if (what == PyTrace_CALL) watch->Enter(frame);
    return watch->old_func_ ? watch->old_func_(watch->old_object_.get(), frame, what, arg) : 0;
  }

  void Enter(PyFrameObject* frame) {
    PyRef code(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
    auto it = known_.find(code.get());
    if (it == known_.end()) {
      held_.push_back(PyRef::Borrow(code.get()));
      it = known_.emplace(code.get(), Classify(code.get())).first;
    }
    if (it->second == kNoted || (it->second == kTrusted && trust_ > 0) || !foreign_.empty()) return;
    auto* c = reinterpret_cast<PyCodeObject*>(code.get());
    foreign_ = Text(c->co_filename) + ":" + std::to_string(c->co_firstlineno) + ": " + Text(c->co_name);
    StopTape(Tape::kChanged, "code ran whose reads are not known");
  }

  Place Classify(PyObject* code) const {
    if (NotedCodes().count(code)) return kNoted;
    const std::string file = Text(reinterpret_cast<PyCodeObject*>(code)->co_filename);
    for (const std::string& start : free_)
      if (file.starts_with(start)) return kNoted;
    for (const std::string& start : trusted_)
      if (file.starts_with(start)) return kTrusted;
    return kForeign;
  }

  static std::string Text(PyObject* o) {
    const char* text = o && PyUnicode_Check(o) ? PyUnicode_AsUTF8(o) : nullptr;
    if (!text) PyErr_Clear();
    return text ? text : "?";
  }

  std::vector<std::string> free_, trusted_;
  std::unordered_map<PyObject*, Place> known_;
  std::vector<PyRef> held_;
  std::string foreign_;
  int trust_ = 0;
  bool running_ = false;
  Py_tracefunc old_func_ = nullptr;
  PyRef self_, old_object_;
};

int Init(PyObject* module) {
  return GuardedInt([&] {
    pyb::module_ root = pyb::reinterpret_borrow<pyb::module_>(module);
    pyb::class_<FrameWatch>(root, "_FrameWatch", "Which Python code runs while a call is recorded.")
        .def(pyb::init<std::vector<std::string>, std::vector<std::string>>(), pyb::arg("free"), pyb::arg("trusted"))
        .def("start", Member(&FrameWatch::Start))
        .def("stop", Member(&FrameWatch::Stop))
        .def("trust", Member(&FrameWatch::Trust))
        .def("distrust", Member(&FrameWatch::Distrust))
        .def_property_readonly("foreign", [](const FrameWatch& w) { return w.foreign(); });
    root.def(
        "_note_code",
        [](pyb::object code) {
          if (!PyCode_Check(code.ptr()))
            RaiseTypeError(std::string("[to_static] expected a code object, got ") + Py_TYPE(code.ptr())->tp_name);
          if (NotedCodes().insert(code.ptr()).second) code.release();
        },
        pyb::arg("code"), "Registers code whose reads are noted, and keeps it.");
  });
}

PADDLE_MODULE_INIT(Init)

}  // namespace
}  // namespace paddle::py
