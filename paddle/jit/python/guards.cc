// SPDX-License-Identifier: Apache-2.0
#include "paddle/jit/python/guards.h"

#include <array>
#include <cstring>

#include "paddle/jit/python/call_pattern.h"

namespace paddle::py {
namespace {

// One object, or equal values of a class without parts that change. Lists, dicts and sets are compared as objects: what
// is in them is a place of its own.
bool Same(PyObject* expected, PyObject* got) {
  if (expected == got) return true;
  if (!got || Py_TYPE(expected) != Py_TYPE(got) || PyList_CheckExact(got) || PyDict_CheckExact(got)) return false;
  if (!PyTuple_CheckExact(got)) return SameValue(expected, got);
  const Deeper level;
  if (PyTuple_GET_SIZE(expected) != PyTuple_GET_SIZE(got)) return false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(got); ++i)
    if (!Same(PyTuple_GET_ITEM(expected, i), PyTuple_GET_ITEM(got, i))) return false;
  return true;
}

// Changes with every change of the dict; 0: this Python does not tell.
uint64_t DictVersion([[maybe_unused]] PyObject* dict) {
#if PY_VERSION_HEX < 0x030C0000
  return reinterpret_cast<PyDictObject*>(dict)->ma_version_tag;
#else
  return 0;
#endif
}

// Changes whenever instances may find other attributes in the class or its bases; 0: not known.
uint64_t ClassVersion(PyTypeObject* type) {
#if PY_VERSION_HEX < 0x030D0000
  if (!PyType_HasFeature(type, Py_TPFLAGS_VALID_VERSION_TAG)) return 0;
#endif
  return type->tp_version_tag;
}

bool SameBytes(PyObject* a, PyObject* b) {
  Py_buffer x, y;
  if (PyObject_GetBuffer(a, &x, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) < 0) {
    PyErr_Clear();
    return false;
  }
  bool same = false;
  if (PyObject_GetBuffer(b, &y, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) < 0) {
    PyErr_Clear();
  } else {
    same = x.ndim == y.ndim && x.len == y.len && std::strcmp(x.format, y.format) == 0 &&
           (x.ndim == 0 || std::memcmp(x.shape, y.shape, sizeof(Py_ssize_t) * static_cast<size_t>(x.ndim)) == 0) &&
           std::memcmp(x.buf, y.buf, static_cast<size_t>(x.len)) == 0;
    PyBuffer_Release(&y);
  }
  PyBuffer_Release(&x);
  return same;
}

std::array<PyObject*, 3> FunctionParts(PyObject* function) {
  return {PyFunction_GET_CODE(function), PyFunction_GET_DEFAULTS(function), PyFunction_GET_KW_DEFAULTS(function)};
}

// Whether iterating `home` gives the keys or items of `entries` in their order.
bool SameOrder(PyObject* home, const std::vector<std::pair<PyRef, PyRef>>& entries) {
  const PyRef iterator = Own(PyObject_GetIter(home));
  for (const auto& entry : entries) {
    const PyRef item = PyRef(PyIter_Next(iterator.get()));
    if (!item && PyErr_Occurred()) throw PyErrAlreadySet();
    if (!item || !Same(entry.first.get(), item.get())) return false;
  }
  const PyRef more = PyRef(PyIter_Next(iterator.get()));
  if (!more && PyErr_Occurred()) throw PyErrAlreadySet();
  return !more;
}

}  // namespace

Guards::Guards(PyObject* places) {
  PD_CHECK(PyList_Check(places), InvalidType, "[to_static] expected a list of places, got ", Py_TYPE(places)->tp_name);
  places_.reserve(static_cast<size_t>(PyList_GET_SIZE(places)));
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(places); ++i) {
    places_.push_back(Make(ItemAt(places, i, "to_static").get()));
    const Place& p = places_.back();
    PyObject* home = p.home.get();
    const auto number = static_cast<uint32_t>(i);
    switch (p.kind) {
      case kEntries:
      case kMapping:
        if (p.kind == kEntries || PyDict_CheckExact(home))
          dicts_.push_back({home, 0, number});
        else
          others_.push_back(number);  // an ordered one keeps its order beside the dict
        break;
      case kClass: classes_.push_back({home, 0, number}); break;
      case kClassOf: objects_.push_back({home, reinterpret_cast<uintptr_t>(p.value.get()), number}); break;
      case kCell: cells_.push_back({home, reinterpret_cast<uintptr_t>(p.value.get()), number}); break;
      default: others_.push_back(number);
    }
  }
}

Guards::Place Guards::Make(PyObject* description) {
  const Py_ssize_t n = PyTuple_Check(description) ? PyTuple_GET_SIZE(description) : 0;
  auto part = [&](Py_ssize_t i) {
    PD_CHECK(i < n, InvalidType, "[to_static] expected a place as a tuple of ", i + 1, " parts, got ",
             Py_TYPE(description)->tp_name, " of ", n);
    return PyTuple_GET_ITEM(description, i);
  };
  auto check = [&](bool fits) {
    PD_CHECK(fits, InvalidType, "[to_static] expected the parts of a place of its kind, got others");
  };
  Place p;
  p.kind = static_cast<Kind>(ToInt(part(0), "to_static", "kind"));
  p.home = PyRef::Borrow(part(1));
  auto items = [&](PyObject* list) {
    check(PyList_Check(list) || PyTuple_Check(list));
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(list); ++i)
      p.entries.emplace_back(PyRef::Borrow(PySequence_Fast_GET_ITEM(list, i)), PyRef());
  };
  switch (p.kind) {
    case kEntries:
    case kClass: {
      check(PyDict_Check(part(2)) && (p.kind == kClass ? PyType_Check(part(1)) : PyDict_Check(part(1))));
      PyObject *key, *value;
      for (Py_ssize_t pos = 0; PyDict_Next(part(2), &pos, &key, &value);)
        p.entries.emplace_back(PyRef::Borrow(key), PyRef::Borrow(value));
      items(part(3));
      return p;
    }
    case kMapping:
      check(PyDict_Check(part(1)));
      items(part(2));
      check(PyList_Check(part(3)) && static_cast<size_t>(PyList_GET_SIZE(part(3))) == p.entries.size());
      for (size_t i = 0; i < p.entries.size(); ++i)
        p.entries[i].second = PyRef::Borrow(PyList_GET_ITEM(part(3), static_cast<Py_ssize_t>(i)));
      return p;
    case kCell:
      check(PyCell_Check(part(1)));
      if (n > 2) p.value = PyRef::Borrow(part(2));
      return p;
    case kList:
    case kSet:
      check(p.kind == kList ? PyList_Check(part(1)) : PyAnySet_Check(part(1)));
      items(part(2));
      return p;
    case kClassOf: p.value = PyRef::Borrow(part(2)); return p;
    case kAttribute: p.entries.emplace_back(PyRef::Borrow(part(2)), n > 3 ? PyRef::Borrow(part(3)) : PyRef()); return p;
    case kCall:
      check(PyCFunction_Check(part(1)));
      p.value = PyRef::Borrow(part(2));
      return p;
    case kArray: p.value = PyRef::Borrow(part(2)); return p;
    case kTensor: {
      const Tensor t = ToTensor(part(1), "to_static", "tensor");
      p.tensor = {t->dtype(), t->stop_gradient, t->dims()};
      p.parts = t->parts();
      return p;
    }
    case kVersion: {
      const Tensor t = ToTensor(part(1), "to_static", "tensor");
      PD_CHECK(t.defined() && t->storage(), InvalidType, "[to_static] expected a tensor with data, got one without");
      p.version = t->storage()->version();
      return p;
    }
    case kFunction: break;
  }
  check(p.kind == kFunction && PyFunction_Check(part(1)));
  for (PyObject* held : FunctionParts(part(1))) p.entries.emplace_back(held ? PyRef::Borrow(held) : PyRef(), PyRef());
  return p;
}

bool Guards::HoldsEntries(Place& p) {
  if (p.kind == kMapping) {
    if (PyDict_GET_SIZE(p.home.get()) != static_cast<Py_ssize_t>(p.entries.size())) return false;
    if (p.entries.empty()) return true;
    if (!SameOrder(p.home.get(), p.entries)) return false;
  }
  const uint64_t version = DictVersion(p.home.get());
  if (version && version == p.version) return true;
  for (auto& [key, expected] : p.entries) {
    const PyRef got = PyRef::Borrow(PyDict_GetItemWithError(p.home.get(), key.get()));
    if (!got && PyErr_Occurred()) throw PyErrAlreadySet();
    if (expected ? !Same(expected.get(), got.get()) : static_cast<bool>(got)) return false;
  }
  p.version = version;
  return true;
}

bool Guards::Holds(Place& p) {
  switch (p.kind) {
    case kEntries:
    case kMapping: return HoldsEntries(p);
    case kCell: {
      const PyRef got = PyRef::Borrow(PyCell_GET(p.home.get()));
      return p.value ? Same(p.value.get(), got.get()) : !got;
    }
    case kClass: {
      auto* type = reinterpret_cast<PyTypeObject*>(p.home.get());
      for (auto& [name, expected] : p.entries)
        if (_PyType_Lookup(type, name.get()) != expected.get()) return false;
      return true;
    }
    case kList:
      if (PyList_GET_SIZE(p.home.get()) != static_cast<Py_ssize_t>(p.entries.size())) return false;
      for (size_t i = 0; i < p.entries.size(); ++i)
        if (!Same(p.entries[i].first.get(), PyList_GET_ITEM(p.home.get(), static_cast<Py_ssize_t>(i)))) return false;
      return true;
    case kSet: return SameOrder(p.home.get(), p.entries);
    case kClassOf: return reinterpret_cast<PyObject*>(Py_TYPE(p.home.get())) == p.value.get();
    case kAttribute: {
      const PyRef got = PyRef(PyObject_GetAttr(p.home.get(), p.entries[0].first.get()));
      if (!got) PyErr_Clear();
      return p.entries[0].second ? got && Same(p.entries[0].second.get(), got.get()) : !got;
    }
    case kCall: return Same(p.value.get(), Own(PyObject_CallNoArgs(p.home.get())).get());
    case kArray: return SameBytes(p.value.get(), p.home.get());
    case kTensor: {
      const Tensor& t = AsTensor(p.home.get());
      return t.defined() && t->dtype() == p.tensor.dtype && t->dims() == p.tensor.dims &&
             t->stop_gradient == p.tensor.stop_gradient && t->parts().get() == p.parts.get();
    }
    case kVersion: {
      const Tensor& t = AsTensor(p.home.get());
      return t.defined() && t->storage() && t->storage()->version() == p.version;
    }
    case kFunction: {
      const auto parts = FunctionParts(p.home.get());
      for (size_t i = 0; i < parts.size(); ++i)
        if (p.entries[i].first.get() != parts[i]) return false;
      return true;
    }
  }
  return false;
}

// The number of the first place that changed; -1: none. A place that holds what it did takes the version of now.
template <class F>
int Guards::ChangedWord(std::vector<Word>& words, const F& word_of) {
  for (Word& w : words) {
    const uint64_t now = word_of(w.home);
    if (__builtin_expect(now && now == w.word, 1)) continue;
    if (!Holds(places_[w.place])) return static_cast<int>(w.place);
    if (&words == &dicts_ || &words == &classes_) w.word = word_of(w.home);
  }
  return -1;
}

int Guards::Changed() {
  auto bits = [](const void* p) { return static_cast<uint64_t>(reinterpret_cast<uintptr_t>(p)); };
  if (int n = ChangedWord(objects_, [&](PyObject* o) { return bits(Py_TYPE(o)); }); n >= 0) return n;
  if (int n = ChangedWord(dicts_, DictVersion); n >= 0) return n;
  if (int n = ChangedWord(cells_, [&](PyObject* o) { return bits(PyCell_GET(o)); }); n >= 0) return n;
  if (int n = ChangedWord(classes_, [](PyObject* o) { return ClassVersion(reinterpret_cast<PyTypeObject*>(o)); });
      n >= 0)
    return n;
  for (const uint32_t i : others_)
    if (!Holds(places_[i])) return static_cast<int>(i);
  return -1;
}

int Guards::Visit(visitproc visit, void* arg) const {
  for (const Place& p : places_) {
    Py_VISIT(p.home.get());
    Py_VISIT(p.value.get());
    for (auto& [key, value] : p.entries) {
      Py_VISIT(key.get());
      Py_VISIT(value.get());
    }
  }
  return 0;
}

}  // namespace paddle::py
