// SPDX-License-Identifier: Apache-2.0
#include "paddle/jit/python/call_pattern.h"

#include <cstring>

#include "paddle/eager/dispatch/unfilled.h"
#include "paddle/pybind/object/compat.h"

namespace paddle::py {
namespace {

bool SameNumber(PyObject* a, PyObject* b) {
  if (PyFloat_CheckExact(a)) {
    double x = PyFloat_AS_DOUBLE(a), y = PyFloat_AS_DOUBLE(b);
    return std::memcmp(&x, &y, sizeof x) == 0;
  }
  int r = PyObject_RichCompareBool(a, b, Py_EQ);
  if (r < 0) throw PyErrAlreadySet();
  return r;
}

bool HasValueEquality(PyObject* o) {
  DataType dtype;
  Place place;
  return PyLong_Check(o) || PyFloat_Check(o) || PyUnicode_CheckExact(o) || PyBytes_CheckExact(o) ||
         PyComplex_CheckExact(o) || PySlice_Check(o) || PyRange_Check(o) || IsDtypeObject(o, &dtype) ||
         IsPlaceObject(o, &place);
}

// Hashing and comparing a key may run Python code.
PyRef ValueAt(PyObject* dict, PyObject* key) {
  PyObject* value = PyDict_GetItemWithError(dict, key);
  if (!value && !PyErr_Occurred())
    RaiseValueError("[to_static] expected a dict that keeps its keys while it is read, got one that lost some");
  return Own(Py_XNewRef(value));
}

bool SameKey(PyObject* expected, PyObject* got) {
  if (expected == got) return true;
  if (Py_TYPE(expected) != Py_TYPE(got)) return false;
  const int r = PyObject_RichCompareBool(expected, got, Py_EQ);
  if (r < 0) throw PyErrAlreadySet();
  return r;
}

// Whether the next int is free.
bool IsNext(FreeParts& free) {
  const size_t number = free.number++;
  if (free.count >= static_cast<size_t>(PyList_GET_SIZE(free.counts))) return false;
  const int64_t next = ToInt(PyList_GET_ITEM(free.counts, static_cast<Py_ssize_t>(free.count)), "to_static", "count");
  if (next != static_cast<int64_t>(number)) return false;
  ++free.count;
  return true;
}

constexpr int64_t kMostCount = int64_t{1} << 40;

PyRef Keys(PyObject* dict) {
  PyRef keys = Own(PyDict_Keys(dict));
  return Own(PyList_AsTuple(keys.get()));
}

}  // namespace

bool SameValue(PyObject* expected, PyObject* got) {
  if (expected == got) return true;
  const Deeper level;
  if (Py_TYPE(expected) != Py_TYPE(got)) return false;
  if (PyList_CheckExact(got) || PyTuple_CheckExact(got)) {
    Py_ssize_t n = PySequence_Fast_GET_SIZE(got);
    if (PySequence_Fast_GET_SIZE(expected) != n) return false;
    for (Py_ssize_t i = 0; i < n; ++i)
      if (i >= PySequence_Fast_GET_SIZE(got) ||
          !SameValue(PySequence_Fast_GET_ITEM(expected, i), PyRef::Borrow(PySequence_Fast_GET_ITEM(got, i)).get()))
        return false;
    return true;
  }
  if (PyDict_CheckExact(got)) {
    if (PyDict_GET_SIZE(got) != PyDict_GET_SIZE(expected)) return false;
    PyObject *key, *value;
    for (Py_ssize_t pos = 0; PyDict_Next(expected, &pos, &key, &value);) {
      const PyRef other = PyRef::Borrow(PyDict_GetItemWithError(got, key));
      if (!other && PyErr_Occurred()) throw PyErrAlreadySet();
      if (!other || !SameValue(value, other.get())) return false;
    }
    return true;
  }
  return HasValueEquality(got) && SameNumber(expected, got);
}

bool ArgNode::Match(PyObject* o, std::vector<Tensor>* tensors) const {
  switch (kind) {
    case kTensor: {
      if (!IsTensor(o)) return false;
      const Tensor& t = AsTensor(o);
      if (!tensor.Fits(t, mesh ? phi::ImplKind::kDist : phi::ImplKind::kDense)) return false;
      if (mesh) {
        const distributed::DistState& s = distributed::StateOf(t);
        if (!s.local.defined() || !(*s.mesh == *mesh) || !(s.placements == placements)) return false;
      }
      if (tensors) mesh ? tensors->push_back(phi::LocalOf(t)) : tensors->push_back(t);
      return true;
    }
    case kValue: return SameValue(value.get(), o);
    case kCount: {
      if (!PyLong_CheckExact(o)) return false;
      int overflow = 0;
      const int64_t n = PyLong_AsLongLongAndOverflow(o, &overflow);
      if (overflow || n < 0 || n > kMostCount) return false;
      if (tensors) tensors->push_back(CountTensor(n));
      return true;
    }
    case kList:
    case kTuple: {
      if (Py_TYPE(o) != (kind == kList ? &PyList_Type : &PyTuple_Type)) return false;
      if (PySequence_Fast_GET_SIZE(o) != static_cast<Py_ssize_t>(children.size())) return false;
      for (size_t i = 0; i < children.size(); ++i)
        if (static_cast<Py_ssize_t>(i) >= PySequence_Fast_GET_SIZE(o) ||
            !children[i].Match(PyRef::Borrow(PySequence_Fast_GET_ITEM(o, i)).get(), tensors))
          return false;
      return true;
    }
    case kDict: {
      if (!PyDict_CheckExact(o) || PyDict_GET_SIZE(o) != static_cast<Py_ssize_t>(children.size())) return false;
      PyObject *at_key, *at_item;
      size_t i = 0;
      for (Py_ssize_t pos = 0; i < children.size() && PyDict_Next(o, &pos, &at_key, &at_item); ++i) {
        const PyRef key = PyRef::Borrow(at_key), item = PyRef::Borrow(at_item);  // comparing may run Python code
        if (!SameKey(PyTuple_GET_ITEM(value.get(), static_cast<Py_ssize_t>(i)), key.get())) return false;
        if (!children[i].Match(item.get(), tensors)) return false;
      }
      return i == children.size();
    }
  }
  return false;
}

int ArgNode::Visit(visitproc visit, void* arg) const {
  Py_VISIT(value.get());
  for (const ArgNode& c : children)
    if (int r = c.Visit(visit, arg)) return r;
  return 0;
}

Tensor CountTensor(int64_t n) {
  static const Tensor* one = new Tensor(phi::Empty({1}, DataType::UINT8));
  return Tensor(phi::TensorState::Strided({n}, {0}, 0, DataType::UINT8, (*one)->storage()));
}

ArgNode MakeArgNode(PyObject* o, FreeParts& free) {
  const Deeper level;
  ArgNode n;
  if (IsTensor(o) && AsTensor(o).defined()) {
    const Tensor& t = AsTensor(o);
    egr::RequireFilled(t, "to_static");
    PD_CHECK(t.is_dense() || (t.is_dist() && phi::LocalOf(t).defined()), InvalidArgument,
             "[to_static] expected dense tensors as arguments, or distributed ones on a mesh of this process, got "
             "another kind");
    if (t.is_dist()) {
      n.mesh = distributed::StateOf(t).mesh;
      n.placements = distributed::StateOf(t).placements;
    }
    n.kind = ArgNode::kTensor;
    n.tensor = jit::TensorSpec::Of(t);
    const size_t i = free.tensor++;
    if (!n.mesh && free.shapes != Py_None && i < static_cast<size_t>(PySequence_Fast_GET_SIZE(free.shapes)))
      if (PyObject* shape = PySequence_Fast_GET_ITEM(free.shapes, i); shape != Py_None)
        n.tensor.dims = ToInts(shape, "to_static", "shape");
  } else if (PyList_CheckExact(o) || PyTuple_CheckExact(o)) {
    n.kind = PyList_CheckExact(o) ? ArgNode::kList : ArgNode::kTuple;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i)
      n.children.push_back(MakeArgNode(ItemAt(o, i, "to_static").get(), free));
  } else if (PyDict_CheckExact(o)) {
    n.kind = ArgNode::kDict;
    n.value = Keys(o);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(n.value.get()); ++i)
      n.children.push_back(MakeArgNode(ValueAt(o, PyTuple_GET_ITEM(n.value.get(), i)).get(), free));
  } else if (PyLong_CheckExact(o) && IsNext(free)) {
    n.kind = ArgNode::kCount;
  } else {
    n.value = PyRef::Borrow(o);
  }
  return n;
}

OutNode MakeOutNode(PyObject* o, PyObject* slots) {
  const Deeper level;
  OutNode n;
  PyRef id = Own(PyLong_FromVoidPtr(o));
  PyObject* slot = PyDict_GetItemWithError(slots, id.get());
  if (!slot && PyErr_Occurred()) throw PyErrAlreadySet();
  auto children = [&](PyObject* items) {
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items); ++i)
      n.children.push_back(MakeOutNode(ItemAt(items, i, "to_static").get(), slots));
  };
  if (slot && PyTuple_Check(slot)) {
    int64_t kind = ToInt(PyTuple_GET_ITEM(slot, 0), "to_static", "kind");
    n.kind = kind == 0 ? OutNode::kTensor : OutNode::kInput;
    n.index = static_cast<int>(ToInt(PyTuple_GET_ITEM(slot, 1), "to_static", "index"));
  } else if (slot && PyList_Check(slot)) {  // [callable, arguments...]
    n.kind = OutNode::kCall;
    n.value = PyRef::Borrow(PyList_GET_ITEM(slot, 0));
    for (Py_ssize_t i = 1; i < PyList_GET_SIZE(slot); ++i)
      n.children.push_back(MakeOutNode(PyList_GET_ITEM(slot, i), slots));
  } else if (PyList_CheckExact(o) || PyTuple_CheckExact(o)) {
    n.kind = PyList_CheckExact(o) ? OutNode::kList : OutNode::kTuple;
    children(o);
  } else if (PyDict_CheckExact(o)) {
    n.kind = OutNode::kDict;
    n.value = Keys(o);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(n.value.get()); ++i)
      n.children.push_back(MakeOutNode(ValueAt(o, PyTuple_GET_ITEM(n.value.get(), i)).get(), slots));
  } else {
    n.value = PyRef::Borrow(o);
  }
  return n;
}

PyRef OutNode::Build(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs) const {
  switch (kind) {
    case kTensor: return Own(ToPy(outputs[index]));
    case kInput: return Own(ToPy(inputs[index]));
    case kValue: return PyRef::Borrow(value.get());
    case kList: {
      PyRef r = Own(PyList_New(children.size()));
      for (size_t i = 0; i < children.size(); ++i)
        PyList_SET_ITEM(r.get(), i, children[i].Build(outputs, inputs).release());
      return r;
    }
    case kTuple:
    case kCall: {
      PyRef r = Own(PyTuple_New(children.size()));
      for (size_t i = 0; i < children.size(); ++i)
        PyTuple_SET_ITEM(r.get(), i, children[i].Build(outputs, inputs).release());
      return kind == kTuple ? std::move(r) : Own(PyObject_Call(value.get(), r.get(), nullptr));
    }
    case kDict: {
      PyRef r = Own(PyDict_New());
      for (size_t i = 0; i < children.size(); ++i)
        if (PyDict_SetItem(r.get(), PyTuple_GET_ITEM(value.get(), i), children[i].Build(outputs, inputs).get()) < 0)
          throw PyErrAlreadySet();
      return r;
    }
  }
  return {};
}

int OutNode::Visit(visitproc visit, void* arg) const {
  Py_VISIT(value.get());
  for (const OutNode& c : children)
    if (int r = c.Visit(visit, arg)) return r;
  return 0;
}

}  // namespace paddle::py
