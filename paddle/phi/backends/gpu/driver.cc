// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/backends/gpu/driver.h"

#include <dlfcn.h>

#include <cstdlib>
#include <mutex>
#include <vector>

#include "paddle/common/error.h"
#include "paddle/common/logging.h"

namespace phi::gpu {
namespace {

// What generated code is made for: PTX of ISA 8.0.
constexpr int kLeastVersion = 12000;
constexpr const char* kSoname = "libcuda.so.1";

std::string VersionText(int v) { return std::to_string(v / 1000) + "." + std::to_string(v % 1000 / 10); }

class Search {
 public:
  Search() {
    if (const char* given = std::getenv("FLAGS_cuda_driver"); given && *given) {
      Use(given);
      return;
    }
    if (Use(kSoname, RTLD_NOLOAD) || Use(kSoname)) return;
    // Drivers for systems with an older one; others refuse to be initialised there.
    for (const char* home : {"CUDA_HOME", "CUDA_PATH"})
      if (const char* folder = std::getenv(home); folder && *folder)
        if (Use(std::string(folder) + "/compat/" + kSoname)) return;
  }
  const Driver* driver() const { return usable_ ? &driver_ : nullptr; }
  const std::string& why() const { return why_; }

 private:
  // Whether the file is a driver that can be used; else why_ says more.
  bool Use(const std::string& file, int flags = 0) {
    void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | flags);
    if (!library && flags) return false;
    std::string why;
    if (library) {
      driver_.path = file;
      why = Take(library);
      usable_ = why.empty();
      if (!usable_) why = file + " " + why;
    } else {
      const char* error = dlerror();
      why = error ? error : file + " cannot be opened";
    }
    if (usable_)
      why_.clear();
    else if (why_.find(why) == std::string::npos)
      why_ += (why_.empty() ? "tried " : "; ") + why;
    return usable_;
  }
  // Nothing, or why the driver is not used.
  std::string Take(void* library) {
    std::string missing;
#define PADDLE_CUDA_LOOK_UP(name, symbol, args)                               \
  driver_.name = reinterpret_cast<CUresult(*) args>(dlsym(library, #symbol)); \
  if (!driver_.name) missing += std::string(missing.empty() ? "" : ", ") + #symbol;
    PADDLE_CUDA_DRIVER_FUNCTIONS(PADDLE_CUDA_LOOK_UP)
#undef PADDLE_CUDA_LOOK_UP
    if (!missing.empty()) return "has no " + missing;
    if (driver_.DriverGetVersion(&driver_.version) != kCudaSuccess || driver_.version < kLeastVersion)
      return "is a driver for CUDA " + VersionText(driver_.version) + ", expected " + VersionText(kLeastVersion) +
             " or newer";
    using Ask = CUresult (*)(const char*, void**, int, unsigned long long, int*);
    const auto ask = reinterpret_cast<Ask>(dlsym(library, "cuGetProcAddress_v2"));
    const auto optional = [&](const char* symbol) {
      void* f = nullptr;
      return ask && ask(symbol, &f, kLeastVersion, 0, nullptr) == kCudaSuccess ? f : nullptr;
    };
#define PADDLE_CUDA_ASK_FOR(name, symbol, args) driver_.name = reinterpret_cast<CUresult(*) args>(optional(#symbol));
    PADDLE_CUDA_OPTIONAL_FUNCTIONS(PADDLE_CUDA_ASK_FOR)
#undef PADDLE_CUDA_ASK_FOR
    if (CUresult r = driver_.Init(0); r != kCudaSuccess) return "cannot be initialised: " + Text(r);
    if (CUresult r = driver_.DeviceGetCount(&driver_.devices); r != kCudaSuccess || driver_.devices < 1)
      return "has no device";
    PD_VLOG(1) << "CUDA driver " << VersionText(driver_.version) << " from " << driver_.path << ", " << driver_.devices
               << " devices";
    return {};
  }

 public:
  std::string Text(CUresult r) const {
    const char *name = nullptr, *text = nullptr;
    driver_.GetErrorName(r, &name);
    driver_.GetErrorString(r, &text);
    return std::string(name ? name : "error " + std::to_string(r)) + (text ? std::string(": ") + text : "");
  }

 private:
  Driver driver_;
  std::string why_;
  bool usable_ = false;
};

// Never destroyed: tensors that die at exit give their memory back.
const Search& Found() {
  static const Search* search = new Search;
  return *search;
}

}  // namespace

const Driver* FindDriver() { return Found().driver(); }
const std::string& NoDriver() { return Found().why(); }

namespace {
struct Capturing {
  std::mutex mutex;
  const char* mode = "relaxed";
  std::string ended;  // the call that ended it
};
Capturing& TheCapture() {
  static auto* capture = new Capturing;
  return *capture;
}
}  // namespace

void CaptureBegins(int mode) {
  Capturing& c = TheCapture();
  const std::lock_guard<std::mutex> lock(c.mutex);
  c.mode = mode == 0 ? "global" : mode == 1 ? "thread_local" : "relaxed";
  c.ended.clear();
}

void HeedOwnCapturesAlone() {
  int mode = 1;  // CU_STREAM_CAPTURE_MODE_THREAD_LOCAL
  if (const Driver* driver = FindDriver()) driver->ThreadExchangeStreamCaptureMode(&mode);
}

void CheckDriver(CUresult r, const char* call, int device) {
  if (r == kCudaSuccess) return;
  std::string text = "[gpu:" + std::to_string(device) + "] cu" + call + " failed: " + Found().Text(r);
  if (r == kCudaForbidden || r == kCudaCaptureEnded) {
    Capturing& c = TheCapture();
    const std::lock_guard<std::mutex> lock(c.mutex);
    text += std::string("; a graph is captured with mode='") + c.mode + "'";
    if (r == kCudaForbidden)
      c.ended = call;
    else if (!c.ended.empty())
      text += ", which cu" + c.ended + " ended";
  }
  if (r == kCudaOutOfMemory) PD_THROW(ResourceExhausted, text);
  PD_THROW(PreconditionNotMet, text);
}

}  // namespace phi::gpu
