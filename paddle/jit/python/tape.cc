// SPDX-License-Identifier: Apache-2.0
#include "paddle/jit/python/tape.h"

#include <string_view>

#include "paddle/eager/dispatch/record.h"
#include "paddle/jit/python/call_pattern.h"
#include "paddle/pybind/object/user_line.h"

namespace paddle::py {

namespace {

bool IsValue(PyObject* o) {
  if (o == Py_None || o == Py_Ellipsis || PyLong_Check(o) || PyFloat_Check(o) || PyComplex_Check(o) ||
      PyUnicode_Check(o) || PyBytes_Check(o) || PyType_Check(o) || PyRange_Check(o) || PyFrozenSet_Check(o))
    return true;
  DataType dtype;
  Place place;
  if (IsDtypeObject(o, &dtype) || IsPlaceObject(o, &place)) return true;
  return std::string_view(Py_TYPE(o)->tp_name).starts_with("numpy.") && !IsNdarray(o);
}

}  // namespace

void Tape::Drop(std::vector<Slot> tensors) {
  const ErrorKept kept;
  auto steps = std::move(steps_);
  steps_.clear();
  tensors.clear();
}

Tape::Node Tape::Freeze(PyObject* o, const std::vector<Node>* arguments) {
  Node n;
  if (!o || stopped()) return n;
  const Deeper level;
  if (IsTensor(o)) {
    n.kind = Node::kTensor;
    const Tensor& t = AsTensor(o);
    n.slot = Use(t);
    if (n.slot >= 0 || stopped()) return n;
    if (!arguments) {
      Stop(kOnce, "a tensor that no operation made, and that is not reached from the function");
      return n;
    }
    std::vector<int> from;
    std::function<void(const Node&)> look = [&](const Node& a) {
      if (a.slot >= 0) from.push_back(a.slot);
      for (const Node& c : a.children) look(c);
    };
    for (const Node& a : *arguments) look(a);
    n.slot = Make(t, from);
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
      const Tensor& t = proxy(n.slot);
      PD_CHECK(t.defined(), PreconditionNotMet,
               "[to_static] expected an operation that gives a tensor when recorded, got one without");
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

void Tape::CheckAll(const Node& n) {
  if (n.kind == Node::kTensor && !stopped()) Check(n.slot);
  for (const Node& c : n.children)
    if (!stopped()) CheckAll(c);
}

void Tape::SettleAll(const Node& n) {
  if (n.kind == Node::kTensor) Settle(n.slot);
  for (const Node& c : n.children) SettleAll(c);
}

PyObject* Tape::Call(PyObject* const* args, int n, const std::function<PyObject*(PyObject* const*)>& run,
                     TapedFn again) {
  Step s;
  try {
    CheckReads();
    for (int i = 0; i < n && !stopped(); ++i) s.args.push_back(Freeze(args[i], nullptr));
    for (size_t i = 0; i < s.args.size() && !stopped(); ++i) CheckAll(s.args[i]);
  } catch (...) { return RaiseCurrent(); }
  if (stopped()) return run(args);
  s.again = std::move(again);
  s.modes = jit::Modes::Now();
  s.source = UserSource();
  PyRef r;
  try {
    const Inside inside(*this);
    r = PyRef(run(args));
  } catch (...) { RaiseCurrent(); }
  if (!r) {
    Stop(kPlain, "an operation raised");
    return nullptr;
  }
  if (stopped() || r.get() == Py_NotImplemented) return r.release();
  try {
    s.result = Freeze(r.get(), &s.args);
    if (stopped()) return r.release();
    for (const Node& a : s.args) SettleAll(a);
    SettleAll(s.result);
    steps_.push_back(std::move(s));
    Sweep();
  } catch (...) { return RaiseCurrent(); }
  return r.release();
}

PyRef Tape::ReadNumber(const Tensor& t) {
  CheckReads();
  PyRef number = Own(ItemOf(t, 0));
  AllowRead();
  return number;
}

void Tape::ReadShape(const Tensor& t) {
  const int slot = IndexOf(t);
  if (slot < 0) return;
  // One note for each tensor, unless something happened to it since.
  if (!steps_.empty() && !steps_.back().again && steps_.back().args[0].slot == slot) return;
  Step s;
  s.args.emplace_back();
  s.args[0].kind = Node::kTensor;
  s.args[0].slot = slot;
  ++num_reads_;
  steps_.push_back(std::move(s));
}

PyRef Tape::Run(const Step& s) const {
  std::vector<PyRef> held;
  std::vector<PyObject*> args;
  for (const Node& a : s.args) {
    held.push_back(Thaw(a));
    args.push_back(held.back().get());
  }
  s.modes.Set();
  const pir::Builder::SourceGuard at(egr::State().recorder->builder(), s.source);
  return Own(s.again(args.data()));
}

void Tape::Compare(const Node& n, PyObject* got) {
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
      Link(n.slot, AsTensor(got));
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
        Compare(n.children[static_cast<size_t>(i)], item);
      }
    }
  }
}

void Tape::Replay(const std::vector<Tensor>& proxies, const std::vector<std::pair<Tensor, Tensor>>& instead) {
  BeginReplay(proxies, instead);
  const jit::ModesKept kept;
  int reads = 0;
  for (const Step& s : steps_) {
    if (s.again) {
      PyRef r = Run(s);
      Compare(s.result, r.get());
    } else {
      lost_read_ = reads++;
      CheckExtents(s.args[0].slot);
      lost_read_ = -1;
    }
  }
}

PyObject* TapeFastcall(PyObject* (*fn)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*), PyObject* self,
                       PyObject* const* args, Py_ssize_t n, PyObject* kw) {
  return Guarded([&] {
    // self where it is a tensor, the names, the arguments
    std::vector<PyObject*> all{self && IsTensor(self) ? self : nullptr, kw};
    const Py_ssize_t total = n + (kw ? PyTuple_GET_SIZE(kw) : 0);
    all.insert(all.end(), args, args + total);
    auto call = [fn, n](PyObject* const* a) { return fn(a[0], a + 2, n, a[1]); };
    return static_cast<Tape*>(jit::t_capture.tape)->Call(all.data(), static_cast<int>(all.size()), call, call);
  });
}

}  // namespace paddle::py
