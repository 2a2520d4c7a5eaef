// SPDX-License-Identifier: Apache-2.0
// load_plugin for Python, and the plugins of CUSTOM_DEVICE_ROOT, which are loaded with the module.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "paddle/phi/backends/custom/plugin_loader.h"
#include "paddle/common/error.h"
#include "paddle/phi/core/device.h"
#include "paddle/phi/core/op_def.h"
#include "paddle/pybind/module.h"
#include "paddle/pybind/object/py_args.h"

namespace paddle::py {
namespace {

namespace pyb = pybind11;

pyb::dict Describe(const phi::PluginReport& r) {
  pyb::dict d;
  d["path"] = r.path;
  d["device_type"] = r.device_type;
  d["device_count"] = r.device_count;
  d["kernels"] = r.kernels;
  d["rejected"] = r.rejected;
  return d;
}

void Warn(const std::string& text) {
  if (PyErr_WarnEx(PyExc_RuntimeWarning, text.c_str(), 1) < 0) throw pyb::error_already_set();
}

// "tanh(float32, CPU): why" and others as "why: tanh, ...; ...": each kernel is named once, whatever its dtypes.
std::string ByReason(const std::vector<std::string>& rejected) {
  std::map<std::string, std::vector<std::string>> names;
  for (const std::string& text : rejected) {
    const size_t colon = text.find(": ");
    const std::string name = text.substr(0, std::min(colon, text.find('(')));
    auto& of = names[colon == std::string::npos ? "" : text.substr(colon + 2)];
    if (std::find(of.begin(), of.end(), name) == of.end()) of.push_back(name);
  }
  std::string all;
  for (const auto& [why, of] : names) {
    all += (all.empty() ? "" : "; ") + why;
    for (size_t i = 0; i < of.size(); ++i) all += (i ? ", " : ": ") + of[i];
  }
  return all;
}

// Loads every .so of the directory; a plugin that is refused is a warning that says why.
void LoadDirectory(const std::string& root) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::vector<std::string> files;
  for (fs::directory_iterator it(root, error), end; !error && it != end; it.increment(error))
    if (it->path().extension() == ".so") files.push_back(it->path().string());
  if (error) return Warn("CUSTOM_DEVICE_ROOT: cannot read " + root + ": " + error.message());
  std::sort(files.begin(), files.end());
  for (const std::string& file : files) {
    try {
      if (const auto rejected = phi::LoadPlugin(file).rejected; !rejected.empty())
        Warn("[plugin] " + file + ": kernels that are not used: " + ByReason(rejected));
    } catch (const common::Error& e) { Warn(e.what()); }
  }
}

bool HasKernel(const std::string& op, const pyb::object& of) {
  const phi::OpDef* def = phi::g_has_external_kernels ? phi::FindOpDef(op) : nullptr;
  if (!def) return false;
  if (of.is_none()) return !phi::ExternalKernelTypes(*def, phi::CurrentPlace()).empty();
  const Tensor& x = ToTensor(of.ptr(), "has_kernel", "of");
  return x.is_dense() && !x.is_symbolic() && phi::FindExternalKernel(*def, x.dtype(), x.place());
}

int Init(PyObject* module) {
  return GuardedInt([&] {
    pyb::module_ m = pyb::reinterpret_borrow<pyb::module_>(module);
    m.def(
        "load_plugin", [](const std::string& path) { return Describe(phi::LoadPlugin(path)); }, pyb::arg("path"),
        "Loads a plugin; returns what it brought and which kernels were refused, with reasons. RuntimeError when it is "
        "refused.");
    m.def("has_kernel", &HasKernel, pyb::arg("op"), pyb::arg("of") = pyb::none(),
          "Whether a plugin brought a kernel of the op for a tensor, or for any where tensors are made now.");
    m.def("custom_device_types", &phi::CustomDeviceTypes, "Device types of loaded plugins.");
    m.def("custom_device_count", &phi::CustomDeviceCount, pyb::arg("device_type"));
    if (const char* root = std::getenv("CUSTOM_DEVICE_ROOT"); root && *root) LoadDirectory(root);
  });
}

}  // namespace

PADDLE_MODULE_INIT(Init)

}  // namespace paddle::py
