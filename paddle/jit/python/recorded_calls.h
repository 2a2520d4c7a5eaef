// SPDX-License-Identifier: Apache-2.0
// The callable behind paddle.jit.to_static: finds the recording that fits a call without running Python code, and runs
// it. Python (paddle/jit/static_function.py) makes recordings when none fits.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "paddle/jit/known_calls.h"
#include "paddle/jit/python/call_pattern.h"
#include "paddle/jit/python/guards.h"

namespace paddle::py {

// One way the function is known to be called.
struct Known : jit::KnownCall {
  ArgNode args;
  std::vector<std::pair<PyRef, ArgNode>> kwargs;
  Guards guards;
  OutNode out;
  std::vector<std::pair<size_t, PyRef>> decisions;  // outputs that Python code read, and the numbers they were
  int failures = 0;  // runs in a row that failed where the function, run as it is, did not

  // How many of the decisions a run made as the recording did, given `made`, those that are known of the call; adds
  // those of `outputs`.
  bool Decides(const std::vector<Tensor>& outputs, std::vector<PyRef>& made) const;
  // Whether a run may make these decisions first.
  bool MayDecide(const std::vector<PyRef>& made) const;
  // Whether a call as vectorcall gives it is of this kind; its tensors, where they are asked for.
  bool MatchArgs(PyObject* const* given, Py_ssize_t npos, PyObject* kwnames, std::vector<Tensor>* tensors) const;
  int Visit(visitproc visit, void* arg) const;
};

// What is kept for one function.
struct KnownCalls : jit::CallCache<Known> {
  std::vector<Tensor> room;  // for the tensors of the next call
  // Where `plain` does what a function does, as long as that is what it was: these places, else `function`.
  Guards same;
  PyRef function;
};

// An object of the class RecordedCalls. Its class calls `_inline`, `_again` and `_miss` of the object, with the
// arguments as a tuple and a dict: within another recording, to record by another means, and where nothing fits; and
// `_failed`, with the number of a recording that failed, its error, and whether the function raised, too. As an
// attribute of a class it is a descriptor that gives what `_bind(object, class)` made and put in the object's dict
// under `key`, from then on without Python code.
struct RecordedCalls {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject* plain;  // what runs when nothing is recorded
  KnownCalls* entries;
  int64_t compiled_runs;  // calls that ran a recording
  PyObject* key;          // null where each reading of the attribute calls `_bind`
  PyObject* origin;       // the descriptor that it was made by, or null
  PyObject* bound;        // the object or class that it was made for, which the function holds

  static RecordedCalls& Of(PyObject* o) { return *reinterpret_cast<RecordedCalls*>(o); }
};

// Makes the class, with these methods: a new reference, or null with an error set. Called once.
PyObject* MakeRecordedCallsType(PyMethodDef* methods);

// Whether recordings run; else calls run the plain function (paddle.jit.enable_to_static).
extern bool g_recordings_run;

}  // namespace paddle::py
