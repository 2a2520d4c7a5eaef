// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/backends/gpu/library.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "paddle/common/logging.h"

namespace phi::gpu {
namespace {

// The folder that holds `paddle`, where this library lies in paddle/base or paddle/libs.
std::filesystem::path PackagesFolder() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void*>(&PackagesFolder), &info) || !info.dli_fname) return {};
  std::error_code failed;
  const auto file = std::filesystem::canonical(info.dli_fname, failed);
  return failed ? std::filesystem::path() : file.parent_path().parent_path().parent_path();
}

bool Try(const std::string& file, Library* to, int flags = 0) {
  to->handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | flags);
  if (to->handle) {
    to->path = file;
    PD_VLOG(1) << file << " is used";
  } else if (!flags) {
    const char* error = dlerror();
    to->tried += (to->tried.empty() ? "tried " : "; ") + (error ? error : file + " cannot be opened");
  }
  return to->handle != nullptr;
}

Library Open(const char* soname, const char* flag, const char* package) {
  Library found;
  if (const char* folder = std::getenv(flag); folder && *folder) {
    Try(std::string(folder) + "/" + soname, &found);
    return found;
  }
  if (const char* driver = std::getenv("FLAGS_cuda_driver"); driver && *driver) {
    found.tried = std::string("expected ") + flag + " beside FLAGS_cuda_driver";
    return found;
  }
  if (Try(soname, &found, RTLD_NOLOAD)) return found;
  if (const auto packages = PackagesFolder(); !packages.empty())
    for (const char* of : {package, "cu13"}) {
      const auto file = packages / "nvidia" / of / "lib" / soname;
      std::error_code failed;
      if (std::filesystem::exists(file, failed) && Try(file.string(), &found)) return found;
    }
  for (const char* home : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* folder = std::getenv(home); folder && *folder)
      for (const char* below : {"/lib64/", "/lib/"})
        if (Try(std::string(folder) + below + soname, &found)) return found;
  Try(soname, &found);
  return found;
}

}  // namespace

void* Library::FindIfThere(const char* symbol) const { return handle ? dlsym(handle, symbol) : nullptr; }
void* Library::Find(const char* symbol) {
  void* found = FindIfThere(symbol);
  if (!found) missing += (missing.empty() ? "" : ", ") + std::string(symbol);
  return found;
}
std::string Library::Why() const {
  if (!handle) return tried;
  return missing.empty() ? "" : path + " has no " + missing;
}

Library OpenLibrary(std::initializer_list<const char*> names, const char* flag, const char* package) {
  Library found;
  for (const char* soname : names)
    if (!found.handle) found = Open(soname, flag, package);
  return found;
}

void SayHow(const std::string& what, const std::string& how) {
  if (common::ExplainsDevices()) std::fprintf(stderr, "gpu: %s: %s\n", what.c_str(), how.c_str());
  PD_VLOG(1) << what << ": " << how;
}

}  // namespace phi::gpu
