// SPDX-License-Identifier: Apache-2.0
// What Python code read while a call of it was recorded: places in objects, and what was there. A recording may stand
// for the code as long as every place holds what it did.
#pragma once

#include <utility>
#include <vector>

#include "paddle/jit/known_calls.h"
#include "paddle/pybind/object/py_tensor.h"

namespace paddle::py {

class Guards {
 public:
  // Kinds of places, and the tuples (kind, home, ...) that describe them.
  enum Kind : uint8_t {
    kEntries,    // dict, {key: value}, [absent keys]
    kMapping,    // dict, [keys in order], [values]
    kCell,       // cell, value; without a value: an empty cell
    kClass,      // class, {name: what instances find}, [names they do not find]
    kList,       // list, (items)
    kSet,        // set, (items as they are iterated)
    kClassOf,    // object, its class
    kAttribute,  // object, name, value: an attribute that is read without running Python code; no value: there is none
    kArray,      // C-contiguous numpy array, a copy
    kTensor,     // tensor: its dtype, extents and stop_gradient
    kFunction,   // function: its code and the objects that hold its defaults
    kVersion,    // tensor that nobody writes
    kCall,       // function of C without arguments, what it gives
  };

  Guards() = default;
  // Throws InvalidType for what is no list of such tuples.
  explicit Guards(PyObject* places);
  // The number of a place that holds something else than it did; -1: there is none.
  int Changed();
  size_t size() const { return places_.size(); }
  int Visit(visitproc visit, void* arg) const;

 private:
  struct Place {
    Kind kind;
    PyRef home, value;
    std::vector<std::pair<PyRef, PyRef>> entries;  // null value: absent
    uint64_t version = 0;  // of a tensor; of an ordered dict that was found unchanged, 0: not known
    jit::TensorSpec tensor;
    phi::Ref<phi::RefCounted> parts;  // of a distributed tensor
  };

  // A place that holds what it did if one word is the same: a version, or what it points to. `home` is the place's.
  struct Word {
    PyObject* home;
    uint64_t word;
    uint32_t place;
  };

  static Place Make(PyObject* description);
  static bool Holds(Place& place);
  static bool HoldsEntries(Place& place);
  template <class F>
  int ChangedWord(std::vector<Word>& words, const F& word_of);

  std::vector<Place> places_;
  std::vector<Word> dicts_, classes_, objects_, cells_;
  std::vector<uint32_t> others_;
};

}  // namespace paddle::py
