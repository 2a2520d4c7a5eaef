// SPDX-License-Identifier: Apache-2.0
// Initialisation, devices, contexts, errors, and the double's own functions.
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "device/fakecuda/engine.h"

namespace fakecuda {
namespace {

thread_local int current_device = -1;

CUdevice Checked(CUdevice device) {
  Require(device >= 0 && device < static_cast<int>(Engine::Get().devices.size()), CUDA_ERROR_INVALID_DEVICE);
  return device;
}

Device& Of(CUcontext context) {
  for (const auto& d : Engine::Get().devices) {
    if (reinterpret_cast<CUcontext>(d.get()) == context) return *d;
  }
  throw ApiError{CUDA_ERROR_INVALID_CONTEXT};
}

// As Call, for what needs no context.
template <class F>
CUresult Plain(F&& f) {
  Engine& e = Engine::Get();
  const std::lock_guard lock(e.mutex);
  if (!e.initialised) return CUDA_ERROR_NOT_INITIALIZED;
  try {
    f(e);
    return CUDA_SUCCESS;
  } catch (const ApiError& error) { return error.result; }
}

struct ErrorText {
  const char *name, *text;
};

const std::map<int, ErrorText>& Errors() {
  static const std::map<int, ErrorText> errors = {
      {0, {"CUDA_SUCCESS", "no error"}},
      {1, {"CUDA_ERROR_INVALID_VALUE", "invalid argument"}},
      {2, {"CUDA_ERROR_OUT_OF_MEMORY", "out of memory"}},
      {3, {"CUDA_ERROR_NOT_INITIALIZED", "initialization error"}},
      {46, {"CUDA_ERROR_DEVICE_UNAVAILABLE", "device is lost"}},
      {100, {"CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"}},
      {101, {"CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"}},
      {200, {"CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"}},
      {201, {"CUDA_ERROR_INVALID_CONTEXT", "invalid device context"}},
      {209, {"CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available for execution on the device"}},
      {218, {"CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"}},
      {222, {"CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "the PTX was compiled with a toolchain newer than the driver"}},
      {400, {"CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"}},
      {500, {"CUDA_ERROR_NOT_FOUND", "named symbol not found"}},
      {600, {"CUDA_ERROR_NOT_READY", "device not ready"}},
      {700, {"CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"}},
      {701, {"CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"}},
      {702, {"CUDA_ERROR_LAUNCH_TIMEOUT", "the launch timed out and was terminated"}},
      {712,
       {"CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED", "part or all of the requested memory range is already mapped"}},
      {713, {"CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED", "pointer does not correspond to a registered memory region"}},
      {716, {"CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"}},
      {718, {"CUDA_ERROR_INVALID_PC", "invalid program counter"}},
      {719, {"CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"}},
      {801, {"CUDA_ERROR_NOT_SUPPORTED", "operation not supported"}},
      {900, {"CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "operation not permitted when stream is capturing"}},
      {901, {"CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", "operation failed due to a previous error during capture"}},
      {903, {"CUDA_ERROR_STREAM_CAPTURE_UNMATCHED", "capture was not initiated in this stream"}},
      {904, {"CUDA_ERROR_STREAM_CAPTURE_UNJOINED", "capturing stream has unjoined work"}},
      {906,
       {"CUDA_ERROR_STREAM_CAPTURE_IMPLICIT",
        "operation would make the legacy stream depend on a capturing blocking stream"}},
      {907, {"CUDA_ERROR_CAPTURED_EVENT", "operation not permitted on an event last recorded in a capturing stream"}},
      {908, {"CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD", "capture was begun by another thread"}},
      {999, {"CUDA_ERROR_UNKNOWN", "unknown error"}},
  };
  return errors;
}

int Attribute(int attribute, int device) {
  const Config& c = Config::Get();
  const bool big = c.capability >= 80;
  switch (attribute) {
    case 1:
    case 2:
    case 3: return 1024;
    case 4: return 64;
    case 5: return 2147483647;
    case 6:
    case 7: return 65535;
    case 8: return 49152;
    case 9: return 65536;
    case 10: return kLanes;
    case 12:
    case 82: return 65536;  // registers of a block, of a multiprocessor
    case 13: return 1755000;
    case 15:
    case 31: return 1;
    case 16: return c.capability >= 90 ? 132 : big ? 108 : 40;
    case 33: return device + 1;
    case 36: return 2619000;
    case 37: return 5120;
    case 38: return c.capability >= 90 ? 52428800 : 41943040;
    case 39: return big ? 2048 : 1024;
    case 40: return 3;
    case 19:
    case 41:
    case 78:
    case 79:
    case 80:
    case 83:
    case 95:
    case 115: return 1;
    case 102: return c.missing.count("cuMemCreate") == 0;
    case 75: return c.capability / 10;
    case 76: return c.capability % 10;
    case 81:
    case 97: return c.capability >= 90 ? (attribute == 81 ? 233472 : 232448) : big ? 166912 : 65536;
    case 106: return big ? 32 : 16;
    case 111: return 1024;
    default: return 0;
  }
}

}  // namespace

Device& Engine::Current() {
  Require(current_device >= 0, CUDA_ERROR_INVALID_CONTEXT);
  return *devices[static_cast<size_t>(current_device)];
}

}  // namespace fakecuda

using namespace fakecuda;

extern "C" {

CUresult cuInit(unsigned flags) {
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  Engine& e = Engine::Get();
  const std::lock_guard lock(e.mutex);
  if (e.devices.empty()) return CUDA_ERROR_NO_DEVICE;
  if (!std::exchange(e.initialised, true)) std::atexit([] { Engine::Get().ReportLeaks(); });
  return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int* version) {
  if (!version) return CUDA_ERROR_INVALID_VALUE;
  *version = Config::Get().driver;
  return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult error, const char** text) {
  const auto it = Errors().find(error);
  *text = it == Errors().end() ? nullptr : it->second.name;
  return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char** text) {
  const auto it = Errors().find(error);
  *text = nullptr;
  if (it == Errors().end()) return CUDA_ERROR_INVALID_VALUE;
  Engine& e = Engine::Get();
  const std::lock_guard lock(e.mutex);
  static std::map<std::string, bool> kept;  // the caller may keep the pointer
  const std::string find = e.Text(error);
  *text = kept.try_emplace(find.empty() ? it->second.text : std::string(it->second.text) + ": " + find, true)
              .first->first.c_str();
  return CUDA_SUCCESS;
}

CUresult cuGetProcAddress_v2(const char* name, void** function, int, uint64_t, int* status) {
  *function = nullptr;
  if (!Config::Get().missing.count(name)) {
    for (const char* suffix : {"_v2", ""}) {
      Dl_info own;
      dladdr(reinterpret_cast<void*>(&cuInit), &own);
      void* self = dlopen(own.dli_fname, RTLD_NOW | RTLD_NOLOAD);
      if (!*function) *function = dlsym(self, (std::string(name) + suffix).c_str());
      dlclose(self);
    }
  }
  if (status) *status = *function ? 0 : 1;
  return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  return Plain([&](Engine&) { *device = Checked(ordinal); });
}
CUresult cuDeviceGetCount(int* count) {
  return Plain([&](Engine& e) { *count = static_cast<int>(e.devices.size()); });
}

CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  return Plain([&](Engine&) {
    Require(length > 0);
    const std::string text = "fakecuda device " + std::to_string(Checked(device));
    *std::copy_n(text.begin(), std::min<size_t>(text.size(), static_cast<size_t>(length) - 1), name) = '\0';
  });
}

CUresult cuDeviceGetUuid_v2(void* uuid, CUdevice device) {
  return Plain([&](Engine&) { std::memset(uuid, 0xfc + Checked(device), 16); });
}

CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice device) {
  return Plain([&](Engine&) { Checked(device), *bytes = Config::Get().memory; });
}

CUresult cuDeviceGetAttribute(int* value, int attribute, CUdevice device) {
  return Plain([&](Engine&) { *value = Attribute(attribute, Checked(device)); });
}

CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  return Plain([&](Engine&) { *can = Checked(device) != Checked(peer); });
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  return Plain([&](Engine& e) {
    *context = reinterpret_cast<CUcontext>(e.devices[static_cast<size_t>(Checked(device))].get());
  });
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  return Plain([&](Engine&) { Checked(device); });
}

CUresult cuCtxSetCurrent(CUcontext context) {
  return Plain([&](Engine&) { current_device = context ? Of(context).index : -1; });
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  return Plain([&](Engine& e) { *context = current_device < 0 ? nullptr : reinterpret_cast<CUcontext>(&e.Current()); });
}

CUresult cuCtxGetDevice(CUdevice* device) {
  return Plain([&](Engine& e) { *device = e.Current().index; });
}

CUresult cuCtxSynchronize() {
  return Call([](Engine& e) {
    e.Unsafe("cuCtxSynchronize");
    e.RunAll(&e.Current());
  });
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  return Call([&](Engine& e) { Require(flags == 0 && &Of(peer) != &e.Current()); });
}

void fakecuda_counters(FakeCudaCounters* out) {
  Engine& e = Engine::Get();
  const std::lock_guard lock(e.mutex);
  e.RunAll();
  const Counters& c = e.counters;
  uint64_t sum = 0;
  for (const uint64_t n : c.lanes) sum += n;
  out->launches = c.launches, out->blocks = c.blocks, out->lanes = sum;
  static_assert(offsetof(FakeCudaCounters, requests) - offsetof(FakeCudaCounters, moves) == sizeof(c.lanes));
  std::memcpy(&out->moves, c.lanes, sizeof(c.lanes));
  out->requests = c.requests, out->sectors = c.sectors, out->bytes_read = c.bytes_read,
  out->bytes_written = c.bytes_written;
  out->vector_requests = c.vector_requests, out->shared_requests = c.shared_requests,
  out->bank_conflicts = c.bank_conflicts;
  out->barriers = c.barriers;
}

void fakecuda_reset_counters() {
  Engine& e = Engine::Get();
  const std::lock_guard lock(e.mutex);
  e.RunAll();
  e.counters = Counters();
}

const char* fakecuda_take_find() {
  Engine& e = Engine::Get();
  const std::lock_guard lock(e.mutex);
  static std::string text;
  text = e.TakeFind();
  return text.c_str();
}

void fakecuda_configure(const char* name, const char* value) {
  const std::lock_guard lock(Engine::Get().mutex);
  if (value)
    setenv(name, value, 1);
  else
    unsetenv(name);
  Config::Read();
  Engine::Get().allocations = Engine::Get().launches = 0;
}
}
