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
    void* library = Open();
    if (library) Take(library);
  }
  const Driver* driver() const { return usable_ ? &driver_ : nullptr; }
  const std::string& why() const { return why_; }

 private:
  void* Try(const std::string& file, int flags = 0) {
    void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | flags);
    if (library) {
      driver_.path = file;
    } else if (!flags) {
      const char* error = dlerror();
      why_ += (why_.empty() ? "tried " : "; ") + (error ? error : file + " cannot be opened");
    }
    return library;
  }
  void* Open() {
    if (const char* given = std::getenv("FLAGS_cuda_driver"); given && *given) return Try(given);
    if (void* library = Try(kSoname, RTLD_NOLOAD)) return library;
    for (const char* home : {"CUDA_HOME", "CUDA_PATH"})
      if (const char* folder = std::getenv(home); folder && *folder)
        if (void* library = Try(std::string(folder) + "/compat/" + kSoname)) return library;
    return Try(kSoname);
  }
  void Take(void* library) {
    std::string missing;
#define PADDLE_CUDA_LOOK_UP(name, symbol, args)                               \
  driver_.name = reinterpret_cast<CUresult(*) args>(dlsym(library, #symbol)); \
  if (!driver_.name) missing += std::string(missing.empty() ? "" : ", ") + #symbol;
    PADDLE_CUDA_DRIVER_FUNCTIONS(PADDLE_CUDA_LOOK_UP)
#undef PADDLE_CUDA_LOOK_UP
    why_ = driver_.path + " ";
    if (!missing.empty()) {
      why_ += "has no " + missing;
    } else if (driver_.DriverGetVersion(&driver_.version) != kCudaSuccess || driver_.version < kLeastVersion) {
      why_ += "is a driver for CUDA " + VersionText(driver_.version) + ", expected " + VersionText(kLeastVersion) +
              " or newer";
    } else if (CUresult r = driver_.Init(0); r != kCudaSuccess) {
      why_ += "cannot be initialised: " + Text(r);
    } else if (r = driver_.DeviceGetCount(&driver_.devices); r != kCudaSuccess || driver_.devices < 1) {
      why_ += "has no device";
    } else {
      why_.clear();
      usable_ = true;
      PD_VLOG(1) << "CUDA driver " << VersionText(driver_.version) << " from " << driver_.path << ", "
                 << driver_.devices << " devices";
    }
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

void CheckDriver(CUresult r, const char* call, int device) {
  if (r == kCudaSuccess) return;
  const std::string text = "[gpu:" + std::to_string(device) + "] cu" + call + " failed: " + Found().Text(r);
  if (r == kCudaOutOfMemory) PD_THROW(ResourceExhausted, text);
  PD_THROW(PreconditionNotMet, text);
}

}  // namespace phi::gpu
