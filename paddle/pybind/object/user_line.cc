// SPDX-License-Identifier: Apache-2.0
#include "paddle/pybind/object/user_line.h"

#include "paddle/pybind/object/py_args.h"

namespace paddle::py {
namespace {

// The folder of the package, with a slash; empty while it is being imported.
const std::string& Package() {
  static auto* folder = new std::string;
  if (!folder->empty()) return *folder;
  const ErrorKept kept;
  PyObject* modules = PyImport_GetModuleDict();
  PyObject* package = modules ? PyDict_GetItemString(modules, "paddle") : nullptr;
  const PyRef file(package ? PyObject_GetAttrString(package, "__file__") : nullptr);
  if (const char* path = file && PyUnicode_Check(file.get()) ? PyUnicode_AsUTF8(file.get()) : nullptr)
    folder->assign(path, std::string_view(path).find_last_of('/') + 1);
  PyErr_Clear();
  return *folder;
}

// Calls `found` with the file and the line.
void FindLine(const auto& found) {
  if (!PyGILState_Check()) return;
  const std::string& package = Package();
  PyFrameObject* frame = PyEval_GetFrame();
  Py_XINCREF(frame);
  while (frame) {
    const PyRef code(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
    Py_ssize_t size = 0;
    const char* path = PyUnicode_AsUTF8AndSize(reinterpret_cast<PyCodeObject*>(code.get())->co_filename, &size);
    if (!path) PyErr_Clear();
    const std::string_view file(path ? path : "", path ? static_cast<size_t>(size) : 0);
    const bool own = (!package.empty() && file.starts_with(package)) || file.starts_with("<frozen ");
    if (!own && !file.empty()) found(file, PyFrame_GetLineNumber(frame));
    PyFrameObject* back = own || file.empty() ? PyFrame_GetBack(frame) : nullptr;
    Py_DECREF(frame);
    frame = back;
  }
}

}  // namespace

common::SourceLine UserLine() {
  common::SourceLine at;
  FindLine([&](std::string_view file, int line) { at = {std::string(file), line}; });
  return at;
}

common::SourceId UserSource() {
  common::SourceId source = common::kNoSource;
  FindLine([&](std::string_view file, int line) { source = common::NoteSource(file, line); });
  return source;
}

void AddToTraceback(const std::vector<common::SourceLine>& lines) {
  for (const common::SourceLine& at : lines) {
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    const PyRef globals(PyDict_New());
    const PyRef code(reinterpret_cast<PyObject*>(PyCode_NewEmpty(at.file.c_str(), "<compiled>", at.line)));
    PyFrameObject* frame = nullptr;
    if (globals && code)
      frame = PyFrame_New(PyThreadState_Get(), reinterpret_cast<PyCodeObject*>(code.get()), globals.get(), nullptr);
    PyErr_Clear();
    PyErr_Restore(type, value, trace);
    if (!frame) return;
#if PY_VERSION_HEX < 0x030B0000
    frame->f_lineno = at.line;
#endif
    PyTraceBack_Here(frame);
    Py_DECREF(frame);
  }
}

}  // namespace paddle::py
