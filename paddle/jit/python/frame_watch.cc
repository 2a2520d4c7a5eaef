// SPDX-License-Identifier: Apache-2.0
#include "paddle/jit/python/frame_watch.h"

#include <unordered_map>

#include "paddle/jit/tape_tensors.h"

namespace paddle::py {
namespace {

// The code objects, each with the weak reference that takes it out when it goes.
std::unordered_map<PyObject*, PyRef>& NotedCodes() {
  static auto* codes = new std::unordered_map<PyObject*, PyRef>;
  return *codes;
}

PyObject* Forget(PyObject* address, PyObject*) {
  NotedCodes().erase(static_cast<PyObject*>(PyLong_AsVoidPtr(address)));
  Py_RETURN_NONE;
}

PyMethodDef forget = {"forget", &Forget, METH_O, nullptr};

std::string Text(PyObject* o) {
  const char* text = o && PyUnicode_Check(o) ? PyUnicode_AsUTF8(o) : nullptr;
  if (!text) PyErr_Clear();
  return text ? text : "?";
}

}  // namespace

void NoteCode(PyObject* code) {
  if (!PyCode_Check(code))
    RaiseTypeError(std::string("[to_static] expected a code object, got ") + Py_TYPE(code)->tp_name);
  if (NotedCodes().count(code)) return;
  const PyRef address = Own(PyLong_FromVoidPtr(code));
  const PyRef callback = Own(PyCFunction_New(&forget, address.get()));
  NotedCodes().emplace(code, Own(PyWeakref_NewRef(code, callback.get())));
}

void FrameWatch::Start() {
  if (running_) return;
  PyThreadState* state = PyThreadState_Get();
  old_func_ = state->c_profilefunc;
  old_object_ = PyRef::Borrow(state->c_profileobj);
  self_ = Own(PyCapsule_New(this, nullptr, nullptr));
  running_ = true;
  PyEval_SetProfile(&FrameWatch::OnEvent, self_.get());
}

void FrameWatch::Stop() {
  if (!running_) return;
  running_ = false;
  PyCapsule_SetContext(self_.get(), self_.get());
  if (PyThreadState_Get()->c_profileobj == self_.get()) PyEval_SetProfile(old_func_, old_object_.get());
  old_object_ = PyRef();
  self_ = PyRef();
}

UnwatchedFrames::UnwatchedFrames() {
  PyThreadState* state = PyThreadState_Get();
  func_ = state->c_profilefunc;
  object_ = PyRef::Borrow(state->c_profileobj);
  if (func_) PyEval_SetProfile(nullptr, nullptr);
}

UnwatchedFrames::~UnwatchedFrames() {
  const ErrorKept kept;
  if (func_) PyEval_SetProfile(func_, object_.get());
}

int FrameWatch::OnEvent(PyObject* self, PyFrameObject* frame, int what, PyObject* arg) {
  if (PyCapsule_GetContext(self)) {  // over
    const PyRef kept = PyRef::Borrow(self);
    if (PyThreadState_Get()->c_profileobj == self) PyEval_SetProfile(nullptr, nullptr);
    return 0;
  }
  auto* watch = static_cast<FrameWatch*>(PyCapsule_GetPointer(self, nullptr));
  if (what == PyTrace_CALL) watch->Enter(frame);
  return watch->old_func_ ? watch->old_func_(watch->old_object_.get(), frame, what, arg) : 0;
}

void FrameWatch::Enter(PyFrameObject* frame) {
  PyRef code(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
  auto it = known_.find(code.get());
  if (it == known_.end()) {
    held_.push_back(PyRef::Borrow(code.get()));
    it = known_.emplace(code.get(), Classify(code.get())).first;
  }
  if (it->second == kNoted || (it->second == kTrusted && trust_ > 0) || !foreign_.empty()) return;
  auto* c = reinterpret_cast<PyCodeObject*>(code.get());
  foreign_ = Text(c->co_filename) + ":" + std::to_string(c->co_firstlineno) + ": " + Text(c->co_name);
  jit::StopTape(jit::TapeTensors::kChanged, "code ran whose reads are not known");
}

FrameWatch::Place FrameWatch::Classify(PyObject* code) const {
  if (NotedCodes().count(code)) return kNoted;
  const std::string file = Text(reinterpret_cast<PyCodeObject*>(code)->co_filename);
  for (const std::string& start : free_)
    if (file.starts_with(start)) return kNoted;
  for (const std::string& start : trusted_)
    if (file.starts_with(start)) return kTrusted;
  return kForeign;
}

}  // namespace paddle::py
