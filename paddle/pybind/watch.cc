// SPDX-License-Identifier: Apache-2.0
// The watchers of operations for paddle.profiler and paddle.amp.debugging.
#include "paddle/phi/core/number_log.h"
#include "paddle/phi/core/op_watch.h"

#include "paddle/pybind/module.h"
#include "paddle/pybind/object/py_args.h"

namespace paddle::py {
namespace {

PyObject* WatchTimes(PyObject*, PyObject* on) {
  return Guarded([&]() -> PyObject* {
    phi::WatchOps(phi::kWatchTime, ToBool(on, "_watch_times", "on"));
    Py_RETURN_NONE;
  });
}

PyObject* ChosenOps(PyObject*, PyObject* const* args, Py_ssize_t n) {
  return Guarded([&]() -> PyObject* {
    if (n != 2) RaiseTypeError("_check_numbers_of() takes two lists of names");
    phi::NumberCheck check = phi::GetNumberCheck();
    check.only = ToStrs(args[0], "_check_numbers_of", "only");
    check.skip = ToStrs(args[1], "_check_numbers_of", "skip");
    phi::SetNumberCheck(std::move(check));
    Py_RETURN_NONE;
  });
}

PyObject* NumberLog(PyObject*, PyObject* folder) {
  return Guarded([&]() -> PyObject* {
    phi::SetNumberLog(ToStr(folder, "_log_numbers_in", "folder"));
    Py_RETURN_NONE;
  });
}

PyObject* TakeEvents(PyObject*, PyObject*) {
  return Guarded([]() -> PyObject* {
    const std::vector<phi::OpEvent> events = phi::TakeOpEvents();
    PyRef list = Own(PyList_New(static_cast<Py_ssize_t>(events.size())));
    for (size_t i = 0; i < events.size(); ++i) {
      const phi::OpEvent& e = events[i];
      PyObject* row = Py_BuildValue("(s#iiILL)", e.name.data(), static_cast<Py_ssize_t>(e.name.size()),
                                    static_cast<int>(e.from), static_cast<int>(e.type), e.thread,
                                    static_cast<long long>(e.begin), static_cast<long long>(e.end));
      if (!row) return nullptr;
      PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), row);
    }
    return list.release();
  });
}

PyObject* AddEvent(PyObject*, PyObject* args) {
  return Guarded([&]() -> PyObject* {
    const char* name;
    Py_ssize_t size;
    int type;
    long long begin, end;
    if (!PyArg_ParseTuple(args, "s#iLL", &name, &size, &type, &begin, &end)) return nullptr;
    phi::AddUserEvent({name, static_cast<size_t>(size)}, static_cast<uint8_t>(type), begin, end);
    Py_RETURN_NONE;
  });
}

PyObject* Clock(PyObject*, PyObject*) { return PyLong_FromLongLong(phi::OpClock()); }

PyObject* TypeCounts(PyObject*, PyObject*) {
  return Guarded([]() -> PyObject* {
    PyRef dict = Own(PyDict_New());
    for (const auto& [name, n] : phi::TakeTypeCounts()) {
      PyRef row = Own(Py_BuildValue("(LLLL)", static_cast<long long>(n[0]), static_cast<long long>(n[1]),
                                    static_cast<long long>(n[2]), static_cast<long long>(n[3])));
      if (PyDict_SetItemString(dict.get(), name.c_str(), row.get()) < 0) return nullptr;
    }
    return dict.release();
  });
}

#define F(f) reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(f))
PyMethodDef methods[] = {
    {"_watch_times", F(WatchTimes), METH_O, "Starts or stops to record when operations run."},
    {"_check_numbers_of", F(ChosenOps), METH_FASTCALL,
     "The only operations whose results FLAGS_check_nan_inf looks at, and those it skips."},
    {"_log_numbers_in", F(NumberLog), METH_O, "The folder that lines of FLAGS_check_nan_inf go to; '' to print them."},
    {"_take_op_events", F(TakeEvents), METH_NOARGS,
     "[(name, origin, type, thread, begin, end)] since the last call; times in ns."},
    {"_add_event", F(AddEvent), METH_VARARGS, "Adds an event of the user: name, type, begin, end."},
    {"_op_clock", F(Clock), METH_NOARGS, "The clock of events, in ns."},
    {"_take_type_counts", F(TypeCounts), METH_NOARGS,
     "{name: results in float16, bfloat16, float32, other} since the last call."},
    {nullptr, nullptr, 0, nullptr}};
#undef F

int Init(PyObject* module) { return PyModule_AddFunctions(module, methods); }
PADDLE_MODULE_INIT(Init)

}  // namespace
}  // namespace paddle::py
