// SPDX-License-Identifier: Apache-2.0
// What the core is made of and what of it this machine can use, for paddle.version.show().
#include <pybind11/pybind11.h>

#include "paddle/cinn/codegen/jit.h"
#include "paddle/cinn/runtime/disk_cache.h"
#include "paddle/phi/backends/cpu/libraries.h"
#include "paddle/phi/backends/cpu/threads.h"
#include "paddle/phi/primitives/isa.h"
#include "paddle/pybind/module.h"
#include "paddle/pybind/object/py_args.h"

namespace paddle::py {
namespace {

namespace pyb = pybind11;

PyObject* BuildInfo(PyObject*, PyObject*) {
  return Guarded([]() -> PyObject* {
    pyb::dict info;
    info["isa"] = phi::CpuIsaName();
    info["avx512_bf16"] = phi::HasAvx512Bf16();
    info["amx"] = phi::HasAmx();
    info["threads"] = phi::cpu::MaxThreads();
    pyb::dict libraries;
    for (const auto& [name, version] : phi::cpu::Libraries()) libraries[name.c_str()] = version;
    info["libraries"] = libraries;
    info["llvm"] = cinn::LlvmVersion();
    info["compiler"] = "GCC " __VERSION__;
    info["kernel_cache"] = cinn::DiskCache::DefaultDirectory();
    return info.release().ptr();
  });
}

int Init(PyObject* module) {
  static PyMethodDef methods[] = {{"build_info", BuildInfo, METH_NOARGS,
                                   "Versions of the libraries in the core, and what it uses of this machine."},
                                  {nullptr, nullptr, 0, nullptr}};
  return PyModule_AddFunctions(module, methods);
}

}  // namespace

PADDLE_MODULE_INIT(Init)

}  // namespace paddle::py
