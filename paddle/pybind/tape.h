// SPDX-License-Identifier: Apache-2.0
// A tape of the calls of the core that Python code makes while it runs with real numbers. What is on it can be called
// again with symbolic tensors in place of the real ones, which records the program of the code without running the code
// a second time (paddle.jit.to_static). Operations are taped at their outermost entry, where the bindings test
// phi::OpsWatched(); nothing is taped within another entry.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "paddle/eager/dispatch/state.h"
#include "paddle/phi/core/op_watch.h"
#include "paddle/pybind/thread_state.h"
#include "paddle/pybind/py_tensor.h"

namespace paddle::py {

// An entry: arguments are borrowed, null where not given; a new reference, or null with an error set, or it throws.
using TapedFn = std::function<PyObject*(PyObject* const*)>;

class Tape {
 public:
  // What can be made of the tape. kOnce: not of this one, but of running the code in record mode; kChanged: not of this
  // call, since it changed what it depends on, but perhaps of the next.
  enum End : uint8_t { kRecord, kOnce, kChanged, kPlain };

  // `inputs`: tensors with stand-ins of their own; `known`: other tensors that existed before the code ran.
  Tape(std::vector<Tensor> inputs, const std::vector<Tensor>& known);
  ~Tape();
  Tape(const Tape&) = delete;

  // Another tensor that existed before the code ran, found while it runs, before it is used.
  void Know(const Tensor& t);

  // From Start to Finish the calls of this thread go onto the tape, which hides the one before.
  void Start();
  void Finish();
  // No longer taped: why. The first reason stands, but kPlain goes before the others.
  void Stop(End end, std::string why);
  End end() const { return end_; }
  const std::string& why() const { return why_; }
  // Whether no recording can stand for what the code did until now.
  bool Lost();
  // Whether calls go onto it now.
  bool takes() const { return end_ == kRecord && depth_ == 0; }
  bool stopped() const { return end_ != kRecord; }

  PyObject* Call(PyObject* const* args, int n, const std::function<PyObject*(PyObject* const*)>& run, TapedFn again);
  // A number that the code reads out of a tensor of one element, and that a recording tells of.
  PyRef ReadNumber(const Tensor& t);
  // The code asked for extents of the tensor.
  void ReadShape(const Tensor& t);

  // Tensors made on the tape that Python still holds, but those in `accounted`.
  int Strays(const std::vector<Tensor>& accounted);
  // Whether a call on the tape has the tensor among its arguments or results.
  bool Uses(const Tensor& t) const;
  // Whether the tensor is an input or was made by a call on the tape.
  bool Made(const Tensor& t) const;
  // Calls again what is on the tape, in the record mode set by the caller. `instead`: tensors for known ones.
  // Throws where that gives something else than the first time; end() tells then what else can be done.
  void Replay(const std::vector<Tensor>& stand_ins, const std::vector<std::pair<Tensor, Tensor>>& instead);
  // After Replay: what stands for the tensor (for a known one the tensor itself); undefined for others.
  Tensor StandIn(const Tensor& t) const;
  // After Replay: known tensors are as before it.
  void Restore();

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
    egr::DispatchState state;
    DataType default_dtype;
  };
  struct Slot {
    enum Kind : uint8_t { kInput, kKnown, kMade } kind = kMade;
    Tensor held;  // undefined once nobody else holds it
    DataType dtype;
    Ints dims;
    uint64_t storage;     // as the last call left it
    bool shares = false;  // made as a view: of `origin`, which was at `version` then
    uint64_t origin = 0;
    uint32_t version = 0;
    Tensor stand_in;
  };
  // What a tensor was when the tape started.
  struct Before {
    Tensor tensor;
    Ints dims;
    DataType dtype;
    bool stop_gradient;
    phi::Ref<phi::RefCounted> node;
    uint32_t version;
  };
  struct Fields;

  static Before Look(const Tensor& t);
  static Fields Keep(const Tensor& t);
  int SlotOf(const Tensor& t);  // -1: not known
  int Add(const Tensor& t, Slot::Kind kind);
  Node Freeze(PyObject* o, const std::vector<Node>* arguments);  // `arguments`: those that gave the result `o`
  PyRef Thaw(const Node& n) const;
  void Link(const Node& expected, PyObject* got);
  void Check(const Node& n);   // that tensors are as the last call left them
  void Settle(const Node& n);  // they are as this call leaves them
  void Sweep();
  PyRef Run(const Step& s) const;
  void CheckBefore(const Before& b);

  std::vector<Tensor> inputs_;
  std::vector<Before> before_;
  std::unordered_map<phi::TensorImpl*, Tensor> known_;
  std::unordered_map<phi::TensorImpl*, int> index_;
  std::vector<Slot> slots_;
  std::vector<Step> steps_;
  std::unordered_map<uint64_t, uint32_t> versions_;  // by storage
  std::vector<Fields> saved_;
  End end_ = kRecord;
  std::string why_;
  int depth_ = 0;
  size_t sweep_at_ = 256;
  bool running_ = false;
  Tape* outer_ = nullptr;
  egr::DispatchState state_;
  DataType default_dtype_ = DataType::UNDEFINED;
  uint64_t reads_ = 0;
};

// The tape that takes the calls of this thread now, if any.
inline Tape* TakingTape() {
  return phi::OpsWatched() && t_state.tape && t_state.tape->takes() ? t_state.tape : nullptr;
}
// What the code does now cannot be called again from the tape.
inline void StopTape(Tape::End end, const char* why) {
  if (__builtin_expect(t_state.tape != nullptr, 0) && !t_state.tape->stopped()) t_state.tape->Stop(end, why);
}

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
