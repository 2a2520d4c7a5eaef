// SPDX-License-Identifier: Apache-2.0
// A tape of the calls of the core that Python code makes while it runs with real numbers. What is on it can be called
// again with symbolic tensors in place of the real ones, which records the program of the code without running the code
// a second time (paddle.jit.to_static). Operations are taped at their outermost entry, where the bindings test
// phi::OpsWatched(); nothing is taped within another entry.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "paddle/jit/tape_tensors.h"
#include "paddle/phi/core/op_watch.h"
#include "paddle/pybind/object/py_tensor.h"

namespace paddle::py {

// An entry: arguments are borrowed, null where not given; a new reference, or null with an error set, or it throws.
using TapedFn = std::function<PyObject*(PyObject* const*)>;

class Tape final : public jit::TapeTensors {
 public:
  using TapeTensors::TapeTensors;
  ~Tape() { Finish(); }

  PyObject* Call(PyObject* const* args, int n, const std::function<PyObject*(PyObject* const*)>& run, TapedFn again);
  // A number that the code reads out of a tensor of one element, and that a recording tells of.
  PyRef ReadNumber(const Tensor& t);
  // The code asked for extents of the tensor.
  void ReadShape(const Tensor& t);
  // How often it did, and which of these no recording can stand for (-1: none that is known).
  int num_reads() const { return num_reads_; }
  int lost_read() const { return lost_read_; }
  // Calls again what is on the tape, in the record mode set by the caller. `instead`: tensors for known ones.
  // Throws where that gives something else than the first time; end() tells then what else can be done.
  void Replay(const std::vector<Tensor>& proxies, const std::vector<std::pair<Tensor, Tensor>>& instead);

 private:
  struct Node {
    enum Kind : uint8_t { kNull, kValue, kOther, kTensor, kList, kTuple, kDict, kSlice } kind = kNull;
    int slot = -1;
    PyRef value;
    std::vector<Node> children;
  };
  struct Step {
    TapedFn again;  // empty: extents of the tensor in args[0] were read
    std::vector<Node> args;
    Node result;
    jit::Modes modes;
    common::SourceId source = 0;  // the line that made the call
  };

  Node Freeze(PyObject* o, const std::vector<Node>* arguments);  // `arguments`: those that gave the result `o`
  PyRef Thaw(const Node& n) const;
  void Compare(const Node& expected, PyObject* got);
  void CheckAll(const Node& n);   // that tensors are as the last call left them
  void SettleAll(const Node& n);  // they are as this call leaves them
  PyRef Run(const Step& s) const;
  void Drop(std::vector<Slot> tensors) override;

  std::vector<Step> steps_;
  int num_reads_ = 0, lost_read_ = -1;
};

// The tape that takes the calls of this thread now, if any.
inline Tape* TakingTape() {
  if (!phi::OpsWatched()) return nullptr;
  auto* tape = static_cast<Tape*>(jit::t_capture.tape);
  return tape && tape->takes() ? tape : nullptr;
}
using jit::StopTape;

// Members of Tensor as entries.
template <auto F>
PyObject* OnTape(PyObject* self, PyObject* other) {
  Tape* tape = TakingTape();
  if (__builtin_expect(tape == nullptr, 1)) return F(self, other);
  PyObject* args[] = {self, other};
  auto call = [](PyObject* const* a) { return F(a[0], a[1]); };
  return tape->Call(args, 2, call, call);
}
template <auto F>
PyObject* OnTapeUnary(PyObject* self) {
  Tape* tape = TakingTape();
  if (__builtin_expect(tape == nullptr, 1)) return F(self);
  auto call = [](PyObject* const* a) { return F(a[0]); };
  return tape->Call(&self, 1, call, call);
}
template <auto F>
PyObject* OnTapeTernary(PyObject* x, PyObject* y, PyObject* z) {
  Tape* tape = TakingTape();
  if (__builtin_expect(tape == nullptr, 1)) return F(x, y, z);
  PyObject* args[] = {x, y, z};
  auto call = [](PyObject* const* a) { return F(a[0], a[1], a[2]); };
  return tape->Call(args, 3, call, call);
}
template <auto F>
PyObject* OnTapeGetter(PyObject* self, void* context) {
  Tape* tape = TakingTape();
  if (__builtin_expect(tape == nullptr, 1)) return F(self, context);
  auto call = [](PyObject* const* a) { return F(a[0], nullptr); };
  return tape->Call(&self, 1, call, call);
}
template <auto F>
int OnTapeSetter(PyObject* self, PyObject* value, void* context) {
  Tape* tape = TakingTape();
  if (__builtin_expect(tape == nullptr, 1)) return F(self, value, context);
  auto call = [](PyObject* const* a) -> PyObject* {
    if (F(a[0], a[1], nullptr) < 0) return nullptr;
    Py_RETURN_NONE;
  };
  PyObject* args[] = {self, value};
  PyRef r(tape->Call(args, 2, call, call));
  return r ? 0 : -1;
}
// METH_FASTCALL | METH_KEYWORDS: of a method (self is a tensor) or of the module.
PyObject* TapeFastcall(PyObject* (*fn)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*), PyObject* self,
                       PyObject* const* args, Py_ssize_t n, PyObject* kw);
template <auto F>
PyObject* OnTapeFastcall(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* kw) {
  return TakingTape() ? TapeFastcall(F, self, args, n, kw) : F(self, args, n, kw);
}
inline void TapeShape(PyObject* self) {
  if (Tape* tape = TakingTape()) tape->ReadShape(AsTensor(self));
}

}  // namespace paddle::py
