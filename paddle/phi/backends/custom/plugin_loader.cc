// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/backends/custom/plugin_loader.h"

#include <dlfcn.h>
#include <stdlib.h>

#include <cstring>
#include <memory>
#include <mutex>

#include "paddle/common/error.h"
#include "paddle/common/logging.h"
#include "paddle/common/place.h"
#include "paddle/phi/backends/custom/device.h"
#include "paddle/phi/capi/registry.h"

namespace phi {
namespace {

struct Device {
  std::string type;
  size_t count = 0;
  std::vector<int> ids;
  std::unique_ptr<C_DeviceInterface> functions;
  C_DeviceExtension extension{};
};
struct Plugins {
  std::mutex mutex;
  std::vector<PluginReport> reports;
  std::vector<Device> devices;
};
Plugins& All() {
  static auto* p = new Plugins;
  return *p;
}

// Python opens this library privately; plugins need its PD_* names.
void ShowOwnSymbols() {
  Dl_info info;
  static char here;
  if (dladdr(&here, &info) && info.dli_fname) dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
}

std::string MissingFunctions(const C_DeviceInterface& f) {
  std::string missing;
  auto need = [&](bool present, const char* name) {
    if (!present) missing += (missing.empty() ? "" : ", ") + std::string(name);
  };
  need(f.set_device, "set_device");
  need(f.get_device, "get_device");
  need(f.create_event, "create_event");
  need(f.record_event, "record_event");
  need(f.destroy_event, "destroy_event");
  need(f.synchronize_event, "synchronize_event");
  need(f.device_memory_allocate, "device_memory_allocate");
  need(f.device_memory_deallocate, "device_memory_deallocate");
  need(f.get_device_count, "get_device_count");
  need(f.get_device_list, "get_device_list");
  return missing;
}

// Empty when the device is accepted.
std::string InitDevice(void (*init)(CustomRuntimeParams*), Device& device) {
  char type[256] = {}, sub_type[256] = {};
  device.functions = std::make_unique<C_DeviceInterface>();
  std::memset(static_cast<void*>(device.functions.get()), 0, sizeof(C_DeviceInterface));
  device.functions->size = sizeof(C_DeviceInterface);
  CustomRuntimeParams params;
  std::memset(static_cast<void*>(&params), 0, sizeof(params));
  params.size = sizeof(params);
  params.interface = device.functions.get();
  params.device_type = type;
  params.sub_device_type = sub_type;
  init(&params);
  type[sizeof(type) - 1] = 0;
  if (params.device_type) device.type = params.device_type;  // some plugins set a pointer of their own
  if (device.type.empty()) return "InitPlugin set no device_type";
  const CustomRuntimeVersion& v = params.version;
  auto text = [](size_t a, size_t b, size_t c) {
    return std::to_string(a) + "." + std::to_string(b) + "." + std::to_string(c);
  };
  if (v.major == 0 && v.minor == 0 && v.patch == 0)
    return "InitPlugin set no version: PADDLE_CUSTOM_RUNTIME_CHECK_VERSION(params) is missing or found the structs too "
           "small";
  if (v.major != PADDLE_CUSTOM_RUNTIME_MAJOR_VERSION)
    return "built for version " + text(v.major, v.minor, v.patch) +
           " of the device interface, which has another layout than " +
           text(PADDLE_CUSTOM_RUNTIME_MAJOR_VERSION, PADDLE_CUSTOM_RUNTIME_MINOR_VERSION,
                PADDLE_CUSTOM_RUNTIME_PATCH_VERSION);
  if (device.functions->size > sizeof(C_DeviceInterface))
    return "built with a C_DeviceInterface of " + std::to_string(device.functions->size) + " bytes, more than the " +
           std::to_string(sizeof(C_DeviceInterface)) + " known here";
  std::string missing = MissingFunctions(*device.functions);
  if (!missing.empty()) return "required functions are not set: " + missing;
  if (device.functions->initialize && device.functions->initialize() != C_SUCCESS) return "initialize() failed";
  if (device.functions->get_device_count(&device.count) != C_SUCCESS) return "get_device_count() failed";
  if (device.count == 0) return "there is no device of type " + device.type;
  std::vector<size_t> list(device.count);
  if (device.functions->get_device_list(list.data()) != C_SUCCESS) return "get_device_list() failed";
  for (size_t id : list) {
    if (id > 127) return "device number " + std::to_string(id) + " is above 127";
    device.ids.push_back(static_cast<int>(id));
  }
  return "";
}

// Empty when all of its devices are initialised.
std::string Register(Device& device) {
  DeviceType type{device.type, Place{AllocationType::CUSTOM, 0, CustomDeviceIndex(device.type)}, device.ids, nullptr};
  type.functions = std::move(device.functions);
  type.extension = device.extension;
  try {
    RegisterDeviceType(std::move(type));
  } catch (const std::exception& e) { return e.what(); }
  return "";
}

}  // namespace

PluginReport LoadPlugin(const std::string& given) {
  Plugins& all = All();
  std::lock_guard<std::mutex> lock(all.mutex);
  char* real = realpath(given.c_str(), nullptr);
  PD_CHECK(real, NotFound, "[plugin] expected a file at ", given);
  std::string path(real);
  free(real);
  for (const PluginReport& r : all.reports)
    if (r.path == path) return r;
  ShowOwnSymbols();
  capi_impl::BeginLoading();
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char* why = dlerror();
    capi_impl::DropLoading();
    PD_THROW(PreconditionNotMet, "[plugin] ", path, " was refused: ", why ? why : "it cannot be opened");
  }
  PluginReport report;
  report.path = path;
  Device device;
  std::string why;
  auto init = reinterpret_cast<void (*)(CustomRuntimeParams*)>(dlsym(handle, "InitPlugin"));
  if (init) {
    why = InitDevice(init, device);
    if (auto extend = reinterpret_cast<void (*)(C_DeviceExtension*)>(dlsym(handle, "InitPluginExtension"));
        extend && why.empty()) {
      device.extension.size = sizeof(C_DeviceExtension);
      extend(&device.extension);
      if (device.extension.kernel_text > C_KERNEL_TEXT_OPENCL)
        why = "InitPluginExtension set a kernel_text of " + std::to_string(device.extension.kernel_text) +
              ", expected at most " + std::to_string(C_KERNEL_TEXT_OPENCL);
      if (!device.extension.kernel_compile != !device.extension.kernel_launch)
        why = "InitPluginExtension set one of kernel_compile and kernel_launch, expected both or none";
    }
    for (const Device& d : all.devices)
      if (why.empty() && d.type == device.type) why = "a device of type " + d.type + " is already loaded";
    if (why.empty()) why = Register(device);
  }
  if (!why.empty()) {
    capi_impl::DropLoading();
    dlclose(handle);
    PD_THROW(PreconditionNotMet, "[plugin] ", path, " was refused: ", why);
  }
  capi_impl::LoadedKernels kernels = capi_impl::CommitLoading();
  report.kernels = kernels.accepted;
  report.rejected = kernels.rejected;
  if (!init && kernels.accepted.empty()) {
    std::string reasons;
    for (auto& r : kernels.rejected) reasons += "; " + r;
    dlclose(handle);
    PD_THROW(PreconditionNotMet, "[plugin] ", path,
             " was refused: it has neither InitPlugin nor a kernel that fits an op", reasons);
  }
  if (init) {
    report.device_type = device.type;
    report.device_count = device.count;
    all.devices.push_back(std::move(device));
  }
  all.reports.push_back(report);
  PD_VLOG(1) << "plugin " << path << ": device type '" << report.device_type << "', " << report.device_count
             << " devices, " << report.kernels.size() << " kernels, " << report.rejected.size() << " refused";
  return report;
}

std::vector<std::string> CustomDeviceTypes() {
  std::lock_guard<std::mutex> lock(All().mutex);
  std::vector<std::string> types;
  for (const Device& d : All().devices) types.push_back(d.type);
  return types;
}

size_t CustomDeviceCount(const std::string& type) {
  std::lock_guard<std::mutex> lock(All().mutex);
  for (const Device& d : All().devices)
    if (d.type == type) return d.count;
  return 0;
}

}  // namespace phi
