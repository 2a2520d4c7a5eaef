// SPDX-License-Identifier: Apache-2.0
// Process-wide services: random generators, memory statistics, threads, the current device, flags.
#include <cstring>
#include <map>
#include <memory>
#include <random>

#include "paddle/common/logging.h"
#include "paddle/executor/plan.h"
#include "paddle/phi/backends/cpu/threads.h"
#include "paddle/phi/backends/custom/device.h"
#include "paddle/phi/core/allocator.h"
#include "paddle/phi/core/apart.h"
#include "paddle/phi/core/device.h"
#include "paddle/phi/core/generator.h"
#include "paddle/phi/core/host_lock.h"
#include "paddle/phi/core/op_def.h"
#include "paddle/phi/core/op_watch.h"
#include "paddle/phi/primitives/isa.h"
#include "paddle/pybind/object/gil.h"
#include "paddle/jit/python/tape.h"
#include "paddle/pybind/object/class_texts.h"

namespace paddle::py {
namespace {

// --- Generator

struct PyGenerator {
  PyObject_HEAD phi::Generator* generator;
  bool owned;
};
PyTypeObject* g_generator_type = nullptr;
PyObject* g_default_generator = nullptr;
PyTypeObject* g_state_type = nullptr;

struct PyState {
  PyObject_HEAD std::vector<uint8_t>* bytes;
};
PyObject* MakeState(std::vector<uint8_t> bytes) {
  auto held = std::make_unique<std::vector<uint8_t>>(std::move(bytes));
  auto* o = PyObject_New(PyState, g_state_type);
  if (o) o->bytes = held.release();
  return reinterpret_cast<PyObject*>(o);
}
void StateDealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  delete reinterpret_cast<PyState*>(self)->bytes;
  PyObject_Free(self);
  Py_DECREF(type);
}
PyObject* StateNew(PyTypeObject*, PyObject* args, PyObject*) {
  const char* data = nullptr;
  Py_ssize_t n = 0;
  if (!PyArg_ParseTuple(args, "|y#", &data, &n)) return nullptr;
  return MakeState(std::vector<uint8_t>(data, data + n));
}
PyObject* StateReduce(PyObject* self, PyObject*) {
  auto& b = *reinterpret_cast<PyState*>(self)->bytes;
  return Py_BuildValue("O(y#)", reinterpret_cast<PyObject*>(g_state_type), reinterpret_cast<const char*>(b.data()),
                       static_cast<Py_ssize_t>(b.size()));
}
PyObject* StateCompare(PyObject* a, PyObject* b, int op) {
  if (Py_TYPE(b) != g_state_type || (op != Py_EQ && op != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
  return PyBool_FromLong((*reinterpret_cast<PyState*>(a)->bytes == *reinterpret_cast<PyState*>(b)->bytes) ==
                         (op == Py_EQ));
}

phi::Generator& Gen(PyObject* self) { return *reinterpret_cast<PyGenerator*>(self)->generator; }
PyObject* MakeGenerator(phi::Generator* g, bool owned) {
  auto* o = PyObject_New(PyGenerator, g_generator_type);
  if (!o) return nullptr;
  o->generator = g;
  o->owned = owned;
  return reinterpret_cast<PyObject*>(o);
}
void GeneratorDealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  auto* g = reinterpret_cast<PyGenerator*>(self);
  if (g->owned) delete g->generator;
  PyObject_Free(self);
  Py_DECREF(type);
}
PyObject* GeneratorNew(PyTypeObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"device", nullptr};
  PyObject* device = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O", const_cast<char**>(names), &device)) return nullptr;
  const bool first = device && PyLong_Check(device) && PyObject_Not(device) == 1;
  if (!first && !IsNone(device) && !ToPlace(device, "Generator", "device").is_cpu())
    return PyErr_Format(PyExc_ValueError, "[Generator] expected the device 'cpu', got %R", device);
  auto generator = std::make_unique<phi::Generator>(0);
  PyObject* o = MakeGenerator(generator.get(), true);
  if (o) generator.release();
  return o;
}
PyObject* ManualSeed(PyObject* self, PyObject* seed) {
  StopTape(Tape::kPlain, "a generator was set");
  return Guarded([&]() -> PyObject* {
    Gen(self).SetSeed(static_cast<uint64_t>(ToInt(seed, "manual_seed", "seed")));
    Py_INCREF(self);
    return self;
  });
}
PyObject* InitialSeed(PyObject* self, PyObject*) { return PyLong_FromUnsignedLongLong(Gen(self).seed()); }
// A fresh seed from the system's entropy.
PyObject* RandomSeed(PyObject* self, PyObject*) {
  StopTape(Tape::kPlain, "a generator was set");
  return Guarded([&] {
    std::random_device device;
    uint64_t seed = ((static_cast<uint64_t>(device()) << 32) | device()) & 0x1FFFFFFFFFFFFFULL;
    Gen(self).SetSeed(seed);
    return PyLong_FromUnsignedLongLong(seed);
  });
}
PyObject* RandomBits(PyObject* self, PyObject*) {
  StopTape(Tape::kPlain, "a random number was drawn");
  return PyLong_FromUnsignedLongLong(Gen(self).engine()());
}
PyObject* GetState(PyObject* self, PyObject*) {
  return Guarded([&] { return MakeState(Gen(self).GetState()); });
}
PyObject* SetState(PyObject* self, PyObject* state) {
  StopTape(Tape::kPlain, "a generator was set");
  return Guarded([&]() -> PyObject* {
    if (Py_TYPE(state) != g_state_type)
      RaiseTypeError(std::string("[set_state] expected what get_state() returned, got ") + Py_TYPE(state)->tp_name);
    Gen(self).SetState(*reinterpret_cast<PyState*>(state)->bytes);
    Py_RETURN_NONE;
  });
}
PyObject* DefaultCpuGenerator(PyObject*, PyObject*) {
  if (!g_default_generator) g_default_generator = MakeGenerator(&phi::DefaultCpuGenerator(), false);
  Py_XINCREF(g_default_generator);
  return g_default_generator;
}

// --- generators of devices

PyObject* SeedDevices(PyObject*, PyObject* seed) {
  StopTape(Tape::kPlain, "a generator was set");
  return Guarded([&]() -> PyObject* {
    phi::SeedDevices(static_cast<uint64_t>(ToInt(seed, "seed", "seed")));
    Py_RETURN_NONE;
  });
}
PyObject* DeviceState(PyObject*, PyObject* place) {
  return Guarded([&] { return MakeState(phi::GeneratorOf(ToPlace(place, "get_rng_state", "device")).GetState()); });
}
PyObject* SetDeviceState(PyObject*, PyObject* const* args, Py_ssize_t n) {
  StopTape(Tape::kPlain, "a generator was set");
  return Guarded([&]() -> PyObject* {
    if (n != 2 || Py_TYPE(args[1]) != g_state_type)
      RaiseTypeError("[set_rng_state] expected a place and what get_rng_state() returned, got others");
    phi::GeneratorOf(ToPlace(args[0], "set_rng_state", "device")).SetState(*reinterpret_cast<PyState*>(args[1])->bytes);
    Py_RETURN_NONE;
  });
}
PyObject* AllDeviceStates(PyObject*, PyObject*) {
  return Guarded([&] { return MakeState(phi::DeviceStates()); });
}
PyObject* SetAllDeviceStates(PyObject*, PyObject* states) {
  StopTape(Tape::kPlain, "a generator was set");
  return Guarded([&]() -> PyObject* {
    if (Py_TYPE(states) != g_state_type)
      RaiseTypeError("[set_rng_state] expected what device_rng_states() returned, got another object");
    phi::SetDeviceStates(*reinterpret_cast<PyState*>(states)->bytes);
    Py_RETURN_NONE;
  });
}
// The scopes in which numbers are the CPU generator's, one in another.
PyObject* DrawOnHost(PyObject*, PyObject* begin) {
  static std::vector<std::unique_ptr<phi::HostDraws>> scopes;
  return Guarded([&]() -> PyObject* {
    if (begin == Py_True)
      scopes.push_back(std::make_unique<phi::HostDraws>());
    else if (!scopes.empty())
      scopes.pop_back();
    Py_RETURN_NONE;
  });
}

// --- memory

PyObject* MemoryStats(PyObject*, PyObject*) {
  phi::MemoryStats s = phi::CpuMemoryStats();
  return Py_BuildValue("{s:L,s:L,s:L,s:L}", "allocated", static_cast<long long>(s.allocated), "allocated_max",
                       static_cast<long long>(s.allocated_max), "reserved", static_cast<long long>(s.reserved),
                       "reserved_max", static_cast<long long>(s.reserved_max));
}
PyObject* ResetPeaks(PyObject*, PyObject*) {
  phi::ResetCpuMemoryPeaks();
  Py_RETURN_NONE;
}
PyObject* EmptyCache(PyObject*, PyObject*) {
  phi::ReleaseCpuCache();
  Py_RETURN_NONE;
}

// --- device

PyObject* CurrentDevice(PyObject*, PyObject*) { return PlaceObject(phi::CurrentPlace()); }
PyObject* SetDevice(PyObject*, PyObject* place) {
  return Guarded([&]() -> PyObject* {
    phi::SetCurrentPlace(ToPlace(place, "set_device", "device"));
    return PlaceObject(phi::CurrentPlace());
  });
}
PyObject* CpuIsaName(PyObject*, PyObject*) { return PyUnicode_FromString(phi::CpuIsaName()); }

// --- flags: a table of values; a variable FLAGS_x of the environment gives the first value.

std::map<std::string, PyObject*>& Flags() {
  static auto* flags = new std::map<std::string, PyObject*>;
  return *flags;
}
std::string FlagName(PyObject* o) {
  std::string name = ToStr(o, "flags", "name");
  return name.rfind("FLAGS_", 0) == 0 ? name : "FLAGS_" + name;
}
PyObject* DefineFlag(PyObject*, PyObject* const* args, Py_ssize_t n) {
  return Guarded([&]() -> PyObject* {
    if (n != 2) RaiseTypeError("define_flag() takes a name and a value");
    const std::string name = FlagName(args[0]);
    if (name == "FLAGS_check_nan_inf") phi::WatchOps(phi::kWatchNumbers, ToBool(args[1], "set_flags", name.c_str()));
    if (name == "FLAGS_low_precision_op_list")
      phi::WatchOps(phi::kWatchTypes, ToInt(args[1], "set_flags", name.c_str()) != 0);
    if (name == "FLAGS_check_nan_inf_level") {
      phi::NumberCheck check = phi::GetNumberCheck();
      check.level = static_cast<int>(ToInt(args[1], "set_flags", name.c_str()));
      phi::SetNumberCheck(std::move(check));
    }
    if (name == "FLAGS_use_virtual_memory_auto_growth")
      phi::UseVirtualMemory(ToBool(args[1], "set_flags", name.c_str()));
    if (name == "FLAGS_enable_api_kernel_fallback") phi::AllowHostRuns(ToBool(args[1], "set_flags", name.c_str()));
    if (name == "FLAGS_v") common::g_verbosity = static_cast<int>(ToInt(args[1], "set_flags", "FLAGS_v"));
    if (name == "FLAGS_cinn_trial" || name == "FLAGS_cpu_deterministic") {
      static bool trials = false, deterministic = false;
      (name == "FLAGS_cinn_trial" ? trials : deterministic) = ToBool(args[1], "set_flags", name.c_str());
      executor::SetFusionTrials(trials && !deterministic);
    }
    Py_INCREF(args[1]);
    const PyRef before(std::exchange(Flags()[name], args[1]));
    Py_RETURN_NONE;
  });
}
PyObject* GetFlag(PyObject*, PyObject* name) {
  return Guarded([&]() -> PyObject* {
    auto it = Flags().find(FlagName(name));
    if (it == Flags().end()) RaiseValueError("[get_flags] expected the name of a flag, got FLAGS_" + FlagName(name));
    Py_INCREF(it->second);
    return it->second;
  });
}
PyObject* HasCinn(PyObject*, PyObject*) { return PyBool_FromLong(executor::HasFusionPass()); }
PyObject* HasFlag(PyObject*, PyObject* name) {
  return Guarded([&] { return PyBool_FromLong(Flags().count(FlagName(name)) > 0); });
}
PyObject* AllFlags(PyObject*, PyObject*) {
  PyRef d(PyDict_New());
  for (auto& [name, value] : Flags())
    if (PyDict_SetItemString(d.get(), name.c_str(), value) < 0) return nullptr;
  return d.release();
}

// --- ops

PyObject* OpNames(PyObject*, PyObject*) {
  return Guarded([&]() -> PyObject* {
    PyRef list = Own(PyList_New(0));
    for (auto& [name, def] : phi::AllOpDefs()) {
      PyRef s = Own(PyUnicode_FromString(name.c_str()));
      if (PyList_Append(list.get(), s.get()) < 0) return nullptr;
    }
    return list.release();
  });
}
PyObject* FunctionsOfPy(PyObject*, PyObject* where) {
  return Guarded([&] { return FunctionsOf(ToStr(where, "_functions", "namespace")); });
}

#define F(f) reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(f))
PyObject* ExpectTensors(PyObject*, PyObject* const* args, Py_ssize_t n, PyObject* names) {
  const Py_ssize_t count = names ? PyTuple_GET_SIZE(names) : 0;
  if (n != 1 || !PyUnicode_Check(args[0]))
    return PyErr_Format(PyExc_TypeError,
                        "[expect_tensors] expected the name of an op, then tensors by name, got others");
  for (Py_ssize_t i = 0; i < count; ++i)
    if (!IsTensor(args[1 + i]))
      return PyErr_Format(PyExc_TypeError, "[%U] expected a Tensor for %R, got %.200s", args[0],
                          PyTuple_GET_ITEM(names, i), Py_TYPE(args[1 + i])->tp_name);
  Py_RETURN_NONE;
}

PyObject* EndsIn(PyObject*, PyObject* const* args, Py_ssize_t n) {
  if (n != 2) return PyErr_Format(PyExc_TypeError, "[ends_in] expected a tensor and its last extents, got %zd", n);
  PyObject* sizes = args[1];
  const bool one = PyLong_CheckExact(sizes), list = PyList_CheckExact(sizes);
  if (!IsTensor(args[0]) || !(one || list || PyTuple_CheckExact(sizes))) Py_RETURN_NONE;
  const Tensor& x = AsTensor(args[0]);
  if (!x.defined() || !x.is_dense() || egr::State().record != egr::RecordMode::kRun) Py_RETURN_NONE;
  const Py_ssize_t count = one ? 1 : list ? PyList_GET_SIZE(sizes) : PyTuple_GET_SIZE(sizes);
  const int64_t begin = x.ndim() - count;
  if (begin < 0) Py_RETURN_NONE;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* size = one ? sizes : list ? PyList_GET_ITEM(sizes, i) : PyTuple_GET_ITEM(sizes, i);
    int overflow = 0;
    if (!PyLong_CheckExact(size) || PyLong_AsLongLongAndOverflow(size, &overflow) != x.dim(begin + i) || overflow)
      Py_RETURN_NONE;
  }
  return PyLong_FromLongLong(begin);
}

PyMethodDef generator_methods[] = {
    {"manual_seed", F(ManualSeed), METH_O, "Restarts the stream from a seed."},
    {"initial_seed", F(InitialSeed), METH_NOARGS, "The seed the stream started from."},
    {"seed", F(RandomSeed), METH_NOARGS, "Restarts the stream from a random seed and returns it."},
    {"random", F(Entry<RandomBits>::Call), METH_NOARGS, "64 random bits."},
    {"get_state", F(GetState), METH_NOARGS, "The state, for set_state."},
    {"set_state", F(SetState), METH_O, "Restores a state."},
    {nullptr, nullptr, 0, nullptr}};
PyMethodDef state_methods[] = {{"__reduce__", F(Entry<StateReduce>::Call), METH_NOARGS, nullptr},
                               {nullptr, nullptr, 0, nullptr}};
PyMethodDef methods[] = {
    {"default_cpu_generator", F(Entry<DefaultCpuGenerator>::Call), METH_NOARGS, "The CPU's random generator."},
    {"seed_devices", F(SeedDevices), METH_O, "Seeds the generators of all devices but the CPU."},
    {"device_rng_state", F(DeviceState), METH_O, "The state of a device's generator."},
    {"set_device_rng_state", F(SetDeviceState), METH_FASTCALL, "Restores such a state: (place, state)."},
    {"device_rng_states", F(Entry<AllDeviceStates>::Call), METH_NOARGS, "The states of all devices' generators."},
    {"set_device_rng_states", F(SetAllDeviceStates), METH_O, "Restores these."},
    {"draw_on_host", F(DrawOnHost), METH_O, "From True to False, devices take the CPU generator's numbers."},
    {"cpu_memory_stats", F(Entry<MemoryStats>::Call), METH_NOARGS, "Bytes allocated and reserved, now and at most."},
    {"reset_cpu_memory_peaks", F(Entry<ResetPeaks>::Call), METH_NOARGS, nullptr},
    {"release_cpu_cache", F(Entry<EmptyCache>::Call), METH_NOARGS, "Gives cached memory back to the system."},
    {"current_place", F(Entry<CurrentDevice>::Call), METH_NOARGS, nullptr},
    {"set_current_place", F(SetDevice), METH_O, nullptr},
    {"cpu_isa", F(Entry<CpuIsaName>::Call), METH_NOARGS, "'avx2' or 'avx512'; of a portable build 'plain'."},
    {"define_flag", F(DefineFlag), METH_FASTCALL, nullptr},
    {"is_compiled_with_cinn", F(Entry<HasCinn>::Call), METH_NOARGS, nullptr},
    {"get_flag", F(GetFlag), METH_O, nullptr},
    {"has_flag", F(HasFlag), METH_O, nullptr},
    {"all_flags", F(Entry<AllFlags>::Call), METH_NOARGS, nullptr},
    {"op_names", F(OpNames), METH_NOARGS, "Names of all registered ops."},
    {"expect_tensors", F(ExpectTensors), METH_FASTCALL | METH_KEYWORDS,
     "expect_tensors(op, name=value, ...): TypeError unless each value is a tensor."},
    {"ends_in", F(EndsIn), METH_FASTCALL,
     "The first of the last axes of a tensor, whose extents are an int or a list of ints; None where they are not, or "
     "where it takes more than a look."},
    {"_functions", F(FunctionsOfPy), METH_O, "dict name -> function of a namespace such as 'paddle.nn.functional'."},
    {nullptr, nullptr, 0, nullptr}};
#undef F

}  // namespace

int InitRuntime(PyObject* module) {
  phi::g_host_lock = {[]() -> void* { return PyGILState_Check() ? PyEval_SaveThread() : nullptr; },
                      [](void* state) { OrStay([&] { PyEval_RestoreThread(static_cast<PyThreadState*>(state)); }); },
                      [] {
                        if (!PyGILState_GetThisThreadState()) return;
                        const GilHeld gil;
                        if (PyErr_CheckSignals() < 0) throw PyErrAlreadySet();
                      }};
  // Libraries release their kernels' code when the process ends, which other threads may still run.
  if (Py_AtExit(&phi::AwaitApart) != 0) {
    PyErr_SetString(PyExc_SystemError, "[paddle] expected room for one more function that runs at exit, got none");
    return -1;
  }
  static PyType_Slot gen_slots[] = {{Py_tp_new, reinterpret_cast<void*>(Entry<GeneratorNew>::Call)},
                                    {Py_tp_dealloc, reinterpret_cast<void*>(GeneratorDealloc)},
                                    {Py_tp_methods, generator_methods},
                                    {Py_tp_doc, const_cast<char*>(kGeneratorText)},
                                    {0, nullptr}};
  static PyType_Spec gen_spec = {"paddle.base.libpaddle.Generator", sizeof(PyGenerator), 0, Py_TPFLAGS_DEFAULT,
                                 gen_slots};
  static PyType_Slot state_slots[] = {{Py_tp_new, reinterpret_cast<void*>(Entry<StateNew>::Call)},
                                      {Py_tp_dealloc, reinterpret_cast<void*>(StateDealloc)},
                                      {Py_tp_methods, state_methods},
                                      {Py_tp_richcompare, reinterpret_cast<void*>(StateCompare)},
                                      {0, nullptr}};
  static PyType_Spec state_spec = {"paddle.base.libpaddle.GeneratorState", sizeof(PyState), 0, Py_TPFLAGS_DEFAULT,
                                   state_slots};
  g_generator_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&gen_spec));
  g_state_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&state_spec));
  if (!g_generator_type || !g_state_type) return -1;
  Py_INCREF(g_generator_type);
  Py_INCREF(g_state_type);
  if (PyModule_AddObject(module, "Generator", reinterpret_cast<PyObject*>(g_generator_type)) < 0) return -1;
  if (PyModule_AddObject(module, "GeneratorState", reinterpret_cast<PyObject*>(g_state_type)) < 0) return -1;
  return PyModule_AddFunctions(module, methods);
}

}  // namespace paddle::py
