// SPDX-License-Identifier: Apache-2.0
// Which Python code runs while a call is recorded. Code whose reads are noted is registered by NoteCode; other code may
// run only where the recording trusts what is called (paddle.jit.reads). The first frame of other code is kept, and
// ends the tape: what it read is not known.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "paddle/pybind/object/compat.h"
#include "paddle/pybind/object/py_args.h"

namespace paddle::py {

// Registers a code object whose reads are noted; it lives as long as the process. TypeError for others.
void NoteCode(PyObject* code);

class FrameWatch {
 public:
  // `free`: beginnings of the names of files whose code may always run, `trusted`: of those that may within Trust().
  FrameWatch(std::vector<std::string> free, std::vector<std::string> trusted)
      : free_(std::move(free)), trusted_(std::move(trusted)) {}
  ~FrameWatch() { Stop(); }
  FrameWatch(const FrameWatch&) = delete;

  void Start();
  // Another watch may have been put above this one, when an exception left this one where it was, and the collector may
  // end it on any thread: what is left of it is the capsule, which says that it is over and goes when it is called.
  void Stop();
  void Trust() { ++trust_; }
  void Distrust() { --trust_; }
  // file:line: name of the first frame of other code; empty: none ran.
  const std::string& foreign() const { return foreign_; }

 private:
  enum Place : uint8_t { kNoted, kTrusted, kForeign };

  static int OnEvent(PyObject* self, PyFrameObject* frame, int what, PyObject* arg);
  void Enter(PyFrameObject* frame);
  Place Classify(PyObject* code) const;

  std::vector<std::string> free_, trusted_;
  std::unordered_map<PyObject*, Place> known_;
  std::vector<PyRef> held_;
  std::string foreign_;
  int trust_ = 0;
  bool running_ = false;
  Py_tracefunc old_func_ = nullptr;
  PyRef self_, old_object_;
};

// Frames that start on this thread while it lives are not watched: those of code of the package that a function of the
// core calls, and that depends on its arguments alone.
class UnwatchedFrames {
 public:
  UnwatchedFrames();
  ~UnwatchedFrames();
  UnwatchedFrames(const UnwatchedFrames&) = delete;

 private:
  Py_tracefunc func_;
  PyRef object_;
};

}  // namespace paddle::py
