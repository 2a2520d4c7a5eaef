// SPDX-License-Identifier: Apache-2.0
#include "paddle/pybind/tape.h"

#include <algorithm>
#include <string_view>

#include "paddle/eager/autograd/grad_node.h"
#include "paddle/eager/dispatch/record.h"
#include "paddle/eager/dispatch/recorded_view.h"
#include "paddle/pybind/call_pattern.h"
#include "paddle/pybind/thread_state.h"

namespace paddle::py {

namespace {

int g_running = 0;  // tapes that take calls, of all threads; the GIL guards it

bool IsValue(PyObject* o) {
  if (o == Py_None || o == Py_Ellipsis || PyLong_Check(o) || PyFloat_Check(o) || PyComplex_Check(o) ||
      PyUnicode_Check(o) || PyBytes_Check(o) || PyType_Check(o) || PyRange_Check(o) || PyFrozenSet_Check(o))
    return true;
  DataType dtype;
  Place place;
  if (IsDtypeObject(o, &dtype) || IsPlaceObject(o, &place)) return true;
  return std::string_view(Py_TYPE(o)->tp_name).starts_with("numpy.") && !IsNdarray(o);
}

uint64_t StorageId(const Tensor& t) { return t->storage() ? t->storage()->id() : 0; }

// The modes a call depends on, for a scope.
class ModesKept {
 public:
  ModesKept() : state_(egr::State()), dtype_(DefaultDtype()) {}
  ~ModesKept() { Set(state_, dtype_); }
  ModesKept(const ModesKept&) = delete;
  static void Set(const egr::DispatchState& to, DataType dtype) {
    egr::DispatchState& s = egr::State();
    s.grad_enabled = to.grad_enabled;
    s.amp_level = to.amp_level;
    s.amp_dtype = to.amp_dtype;
    s.amp_lists = to.amp_lists;
    SetDefaultDtype(dtype);
  }

 private:
  egr::DispatchState state_;
  DataType dtype_;
};

}  // namespace

struct Tape::Fields {
  Tensor tensor;
  phi::TensorState state;
  bool stop_gradient;
  uint16_t slot;
  phi::Ref<phi::RefCounted> node;
  phi::RecordedValue value;
};

Tape::Fields Tape::Keep(const Tensor& t) { return {t, t->state(), t->stop_gradient, t->slot(), t->node(), t->value}; }

Tape::Before Tape::Look(const Tensor& t) {
  return {t, t->dims(), t->dtype(), t->stop_gradient, t->node(), t->storage()->version()};
}

Tape::Tape(std::vector<Tensor> inputs, const std::vector<Tensor>& known) : inputs_(std::move(inputs)) {
  auto dense = [](const Tensor& t) { return t.defined() && t->kind() == phi::ImplKind::kDense && t->storage(); };
  for (const Tensor& t : known) {
    if (!dense(t) || !known_.emplace(t.impl(), t).second) continue;
    before_.push_back(Look(t));
    versions_[StorageId(t)] = t->storage()->version();
  }
  for (const Tensor& t : inputs_) {
    const char* why = !dense(t)                ? "an argument that is no dense tensor"
                      : index_.count(t.impl()) ? "a tensor that is given twice"
                      : known_.count(t.impl()) ? "an argument that the function reaches otherwise, too"
                                               : nullptr;
    if (why) {
      Stop(kOnce, why);
      return;
    }
    Add(t, Slot::kInput);
    before_.push_back(Look(t));
    versions_[StorageId(t)] = t->storage()->version();
  }
}

void Tape::Know(const Tensor& t) {
  if (stopped() || !t.defined() || t->kind() != phi::ImplKind::kDense || !t->storage()) return;
  auto it = index_.find(t.impl());
  if (it != index_.end()) {
    if (slots_[it->second].kind == Slot::kInput) Stop(kOnce, "an argument that the function reaches otherwise, too");
    return;
  }
  if (!known_.emplace(t.impl(), t).second) return;
  before_.push_back(Look(t));
  versions_.emplace(StorageId(t), t->storage()->version());
}

Tape::~Tape() {
  if (running_) Finish();
}

void Tape::Start() {
  PD_CHECK(!running_, PreconditionNotMet, "[to_static] expected a tape that takes no calls yet");
  state_ = egr::State();
  default_dtype_ = DefaultDtype();
  reads_ = t_state.data_reads;
  outer_ = t_state.tape;
  t_state.tape = this;
  running_ = true;
  if (g_running++ == 0) phi::WatchOps(phi::kWatchTape, true);
}

void Tape::Finish() {
  if (!running_) return;
  running_ = false;
  t_state.tape = outer_;
  if (--g_running == 0) phi::WatchOps(phi::kWatchTape, false);
  if (t_state.data_reads != reads_) Stop(kPlain, "numbers were read, or backward ran");
  if (stopped()) return;
  const egr::DispatchState& s = egr::State();
  if (s.grad_enabled != state_.grad_enabled || s.amp_level != state_.amp_level ||
      (s.amp_level && (s.amp_dtype != state_.amp_dtype || s.amp_lists != state_.amp_lists)) ||
      DefaultDtype() != default_dtype_)
    return Stop(kChanged, "a mode was changed");
  for (const Before& b : before_) CheckBefore(b);
  for (const Slot& slot : slots_)
    if (!stopped() && slot.held.defined() && slot.held->storage()) {
      auto it = versions_.find(StorageId(slot.held));
      if (StorageId(slot.held) != slot.storage || it == versions_.end() ||
          it->second != slot.held->storage()->version())
        Stop(kPlain, "a tensor was changed by something else than an operation");
    }
}

void Tape::CheckBefore(const Before& b) {
  const Tensor& t = b.tensor;
  if (!(t->dims() == b.dims) || t->dtype() != b.dtype || t->node().get() != b.node.get()) {
    Stop(kPlain, "shape, dtype or history of a tensor from outside was changed");
  } else if (t->stop_gradient != b.stop_gradient) {
    Stop(kChanged, "stop_gradient of a tensor from outside was changed");
  } else if (b.node && t->storage()->version() != b.version) {
    Stop(kPlain, "a tensor with a history was written without one");
  } else if (!index_.count(t.impl())) {
    auto it = versions_.find(StorageId(t));
    if (it == versions_.end() || it->second != t->storage()->version())
      Stop(kPlain, "a tensor was changed by something else than an operation");
  }
}

void Tape::Stop(End end, std::string why) {
  if (end_ == kPlain || (end_ != kRecord && end != kPlain)) return;
  end_ = end;
  why_ = std::move(why);
  const ErrorKept kept;
  // What is let go may run code that comes back here.
  auto steps = std::move(steps_);
  auto slots = std::move(slots_);
  steps_.clear();
  slots_.clear();
  index_.clear();
}

int Tape::Add(const Tensor& t, Slot::Kind kind) {
  Slot s;
  s.kind = kind;
  s.held = t;
  s.dtype = t->dtype();
  s.dims = t->dims();
  s.storage = StorageId(t);
  slots_.push_back(std::move(s));
  index_[t.impl()] = static_cast<int>(slots_.size()) - 1;
  return static_cast<int>(slots_.size()) - 1;
}

int Tape::SlotOf(const Tensor& t) {
  auto it = index_.find(t.impl());
  if (it != index_.end()) return it->second;
  auto known = known_.find(t.impl());
  return known == known_.end() ? -1 : Add(t, Slot::kKnown);
}

Tape::Node Tape::Freeze(PyObject* o, const std::vector<Node>* arguments) {
  Node n;
  if (!o || stopped()) return n;
  const Deeper level;
  if (IsTensor(o)) {
    n.kind = Node::kTensor;
    const Tensor& t = AsTensor(o);
    if (!t.defined() || t->kind() != phi::ImplKind::kDense || !t->storage()) {
      Stop(kOnce, "a tensor that is not dense");
      return n;
    }
    n.slot = SlotOf(t);
    if (n.slot >= 0) return n;
    if (!arguments) {
      Stop(kOnce, "a tensor that no operation made, and that is not reached from the function");
      return n;
    }
    n.slot = Add(t, Slot::kMade);
    Slot& slot = slots_.back();
    std::function<void(const Node&)> look = [&](const Node& a) {
      if (a.slot >= 0 && a.slot != n.slot && slots_[a.slot].held.defined() &&
          StorageId(slots_[a.slot].held) == slot.storage)
        slot.shares = true;
      for (const Node& c : a.children) look(c);
    };
    for (const Node& a : *arguments) look(a);
    slot.origin = slot.storage;
    slot.version = t->storage()->version();
    return n;
  }
  if (PyList_Check(o) || PyTuple_Check(o)) {
    n.kind = PyList_Check(o) ? Node::kList : Node::kTuple;
    bool values = n.kind == Node::kTuple;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i) {
      n.children.push_back(Freeze(PySequence_Fast_GET_ITEM(o, i), arguments));
      values = values && n.children.back().value.get() == PySequence_Fast_GET_ITEM(o, i);
    }
    if (values) {
      n.kind = Node::kValue;
      n.value = PyRef::Borrow(o);
      n.children.clear();
    }
    return n;
  }
  if (PyDict_Check(o)) {
    n.kind = Node::kDict;
    n.value = Own(PyList_AsTuple(Own(PyDict_Keys(o)).get()));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(n.value.get()); ++i)
      n.children.push_back(Freeze(PyDict_GetItem(o, PyTuple_GET_ITEM(n.value.get(), i)), arguments));
    return n;
  }
  if (PySlice_Check(o)) {
    auto* s = reinterpret_cast<PySliceObject*>(o);
    n.kind = Node::kSlice;
    for (PyObject* part : {s->start, s->stop, s->step}) n.children.push_back(Freeze(part, arguments));
    return n;
  }
  n.kind = Node::kValue;
  if (IsValue(o)) {
    n.value = PyRef::Borrow(o);
  } else if (arguments) {
    n.kind = Node::kOther;
  } else if (PySet_Check(o)) {
    n.value = Own(PySet_New(o));
  } else if (IsNdarray(o)) {
    n.value = Own(PyObject_CallMethod(o, "copy", nullptr));
  } else {
    Stop(kOnce, std::string("an argument of class ") + Py_TYPE(o)->tp_name);
  }
  return n;
}

PyRef Tape::Thaw(const Node& n) const {
  switch (n.kind) {
    case Node::kNull:
    case Node::kOther: return {};
    case Node::kValue: return PyRef::Borrow(n.value.get());
    case Node::kTensor: {
      const Tensor& t = slots_[n.slot].stand_in;
      PD_CHECK(t.defined(), PreconditionNotMet, "[to_static] expected an operation that gives a tensor when recorded");
      return Own(ToPy(t));
    }
    case Node::kList: {
      PyRef r = Own(PyList_New(static_cast<Py_ssize_t>(n.children.size())));
      for (size_t i = 0; i < n.children.size(); ++i)
        PyList_SET_ITEM(r.get(), static_cast<Py_ssize_t>(i), Thaw(n.children[i]).release());
      return r;
    }
    case Node::kTuple: {
      PyRef r = Own(PyTuple_New(static_cast<Py_ssize_t>(n.children.size())));
      for (size_t i = 0; i < n.children.size(); ++i)
        PyTuple_SET_ITEM(r.get(), static_cast<Py_ssize_t>(i), Thaw(n.children[i]).release());
      return r;
    }
    case Node::kDict: {
      PyRef r = Own(PyDict_New());
      for (size_t i = 0; i < n.children.size(); ++i)
        if (PyDict_SetItem(r.get(), PyTuple_GET_ITEM(n.value.get(), static_cast<Py_ssize_t>(i)),
                           Thaw(n.children[i]).get()) < 0)
          throw PyErrAlreadySet();
      return r;
    }
    case Node::kSlice:
      return Own(PySlice_New(Thaw(n.children[0]).get(), Thaw(n.children[1]).get(), Thaw(n.children[2]).get()));
  }
  return {};
}

void Tape::Check(const Node& n) {
  if (n.kind == Node::kTensor && !stopped()) {
    const Slot& s = slots_[n.slot];
    auto it = versions_.find(StorageId(s.held));
    if (StorageId(s.held) != s.storage || (it != versions_.end() && it->second != s.held->storage()->version()))
      Stop(kPlain, "a tensor was changed by something else than an operation");
  }
  for (const Node& c : n.children)
    if (!stopped()) Check(c);
}

void Tape::Settle(const Node& n) {
  if (n.kind == Node::kTensor) {
    Slot& s = slots_[n.slot];
    s.storage = StorageId(s.held);
    versions_[s.storage] = s.held->storage() ? s.held->storage()->version() : 0;
  }
  for (const Node& c : n.children) Settle(c);
}

// Tensors that only the tape holds cannot come back.
void Tape::Sweep() {
  if (slots_.size() < sweep_at_) return;
  for (Slot& s : slots_)
    if (s.kind == Slot::kMade && s.held.defined() && s.held->use_count() == 1) {
      index_.erase(s.held.impl());
      s.held.reset();
    }
  sweep_at_ = slots_.size() + std::max<size_t>(256, index_.size());
}

PyObject* Tape::Call(PyObject* const* args, int n, const std::function<PyObject*(PyObject* const*)>& run,
                     TapedFn again) {
  Step s;
  try {
    if (t_state.data_reads != reads_) Stop(kPlain, "numbers were read, or backward ran");
    for (int i = 0; i < n && !stopped(); ++i) s.args.push_back(Freeze(args[i], nullptr));
    for (size_t i = 0; i < s.args.size() && !stopped(); ++i) Check(s.args[i]);
  } catch (...) { return RaiseCurrent(); }
  if (stopped()) return run(args);
  s.again = std::move(again);
  s.state = egr::State();
  s.default_dtype = DefaultDtype();
  ++depth_;
  PyRef r;
  try {
    r = PyRef(run(args));
  } catch (...) { RaiseCurrent(); }
  --depth_;
  if (!r) {
    Stop(kPlain, "an operation raised");
    return nullptr;
  }
  if (stopped() || r.get() == Py_NotImplemented) return r.release();
  try {
    s.result = Freeze(r.get(), &s.args);
    if (stopped()) return r.release();
    for (const Node& a : s.args) Settle(a);
    Settle(s.result);
    steps_.push_back(std::move(s));
    Sweep();
  } catch (...) { return RaiseCurrent(); }
  return r.release();
}

bool Tape::Lost() {
  if (t_state.data_reads != reads_) Stop(kPlain, "numbers were read, or backward ran");
  return end_ == kPlain;
}

PyRef Tape::ReadNumber(const Tensor& t) {
  if (t_state.data_reads != reads_) Stop(kPlain, "numbers were read, or backward ran");
  PyRef number = Own(ItemOf(t, 0));
  reads_ = t_state.data_reads;
  return number;
}

void Tape::ReadShape(const Tensor& t) {
  auto it = t.defined() ? index_.find(t.impl()) : index_.end();
  if (it == index_.end()) return;
  // One note for each tensor, unless something happened to it since.
  if (!steps_.empty() && !steps_.back().again && steps_.back().args[0].slot == it->second) return;
  Step s;
  s.args.emplace_back();
  s.args[0].kind = Node::kTensor;
  s.args[0].slot = it->second;
  steps_.push_back(std::move(s));
}

int Tape::Strays(const std::vector<Tensor>& accounted) {
  std::vector<phi::TensorImpl*> known;
  for (const Tensor& t : accounted) known.push_back(t.impl());
  int n = 0;
  for (const Slot& s : slots_)
    n += s.kind == Slot::kMade && s.held.defined() && s.held->pyobj &&
         std::find(known.begin(), known.end(), s.held.impl()) == known.end();
  return n;
}

bool Tape::Uses(const Tensor& t) const { return index_.count(t.impl()) != 0; }

bool Tape::Made(const Tensor& t) const {
  auto it = index_.find(t.impl());
  return it != index_.end() && slots_[it->second].kind != Slot::kKnown;
}

PyRef Tape::Run(const Step& s) const {
  std::vector<PyRef> held;
  std::vector<PyObject*> args;
  for (const Node& a : s.args) {
    held.push_back(Thaw(a));
    args.push_back(held.back().get());
  }
  ModesKept::Set(s.state, s.default_dtype);
  return Own(s.again(args.data()));
}

void Tape::Link(const Node& n, PyObject* got) {
  const char* differs = "[to_static] expected an operation that gives the same when recorded";
  switch (n.kind) {
    case Node::kNull:
    case Node::kOther: return;
    case Node::kValue: {
      PD_CHECK(SameValue(n.value.get(), got), PreconditionNotMet, differs);
      return;
    }
    case Node::kTensor: {
      PD_CHECK(IsTensor(got), PreconditionNotMet, differs);
      Slot& s = slots_[n.slot];
      if (s.stand_in.defined()) return;
      const Tensor& t = AsTensor(got);
      const common::Dims dims = t.extents();
      bool same = t.dtype() == s.dtype && dims.size() == s.dims.size();
      for (int64_t i = 0; same && i < dims.size(); ++i) same = !dims[i].known() || dims[i].raw() == s.dims[i];
      PD_CHECK(same, PreconditionNotMet, differs);
      if (s.shares && versions_.at(s.origin) != s.version) {
        egr::AutogradMeta* m = egr::MaybeMeta(t);
        PD_CHECK(m && m->recorded_view, PreconditionNotMet,
                 "[to_static] expected a view that is a view when recorded, since its memory is written later");
      }
      s.stand_in = t;
      return;
    }
    default: {
      const bool dict = n.kind == Node::kDict;
      PD_CHECK(dict ? PyDict_Check(got) : PyList_Check(got) || PyTuple_Check(got), PreconditionNotMet, differs);
      const Py_ssize_t size = dict ? PyDict_GET_SIZE(got) : PySequence_Fast_GET_SIZE(got);
      PD_CHECK(size == static_cast<Py_ssize_t>(n.children.size()), PreconditionNotMet, differs);
      for (Py_ssize_t i = 0; i < size; ++i) {
        PyObject* item =
            dict ? PyDict_GetItem(got, PyTuple_GET_ITEM(n.value.get(), i)) : PySequence_Fast_GET_ITEM(got, i);
        PD_CHECK(item, PreconditionNotMet, differs);
        Link(n.children[static_cast<size_t>(i)], item);
      }
    }
  }
}

void Tape::Replay(const std::vector<Tensor>& stand_ins, const std::vector<std::pair<Tensor, Tensor>>& instead) {
  PD_CHECK(!stopped() && !running_ && stand_ins.size() == inputs_.size(), PreconditionNotMet,
           "[to_static] expected a finished tape and a stand-in for each input");
  for (Slot& s : slots_) {
    s.stand_in = Tensor();
    if (s.kind != Slot::kKnown) continue;
    s.stand_in = s.held;
    for (auto& [known, other] : instead)
      if (known.is_same(s.held)) s.stand_in = other;
    saved_.push_back(Keep(s.stand_in));
  }
  for (size_t i = 0; i < inputs_.size(); ++i) slots_[index_.at(inputs_[i].impl())].stand_in = stand_ins[i];
  const ModesKept kept;
  for (const Step& s : steps_) {
    if (s.again) {
      PyRef r = Run(s);
      Link(s.result, r.get());
      continue;
    }
    const Tensor& t = slots_[s.args[0].slot].stand_in;
    if (!t.defined() || !common::AllKnown(t.extents())) {
      end_ = kOnce;
      PD_THROW(PreconditionNotMet, "[to_static] expected extents that are known, as the function reads them");
    }
  }
}

Tensor Tape::StandIn(const Tensor& t) const {
  auto it = index_.find(t.impl());
  if (it != index_.end()) return slots_[it->second].stand_in;
  return known_.count(t.impl()) ? t : Tensor();
}

void Tape::Restore() {
  for (Fields& f : saved_) {
    phi::TensorImpl* d = f.tensor.impl();
    d->Become(f.state);
    d->stop_gradient = f.stop_gradient;
    d->SetHistory(f.node, f.slot);
    d->value = f.value;
  }
  saved_.clear();
}

PyObject* TapeFastcall(PyObject* (*fn)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*), PyObject* self,
                       PyObject* const* args, Py_ssize_t n, PyObject* kw) {
  return Guarded([&] {
    // self where it is a tensor, the names, the arguments
    std::vector<PyObject*> all{self && IsTensor(self) ? self : nullptr, kw};
    const Py_ssize_t total = n + (kw ? PyTuple_GET_SIZE(kw) : 0);
    all.insert(all.end(), args, args + total);
    auto call = [fn, n](PyObject* const* a) { return fn(a[0], a + 2, n, a[1]); };
    return t_state.tape->Call(all.data(), static_cast<int>(all.size()), call, call);
  });
}

}  // namespace paddle::py
