// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/backends/gpu/kernel.h"

#include <cstdint>

#include "paddle/common/error.h"
#include "paddle/phi/backends/gpu/device.h"
#include "paddle/phi/backends/gpu/driver.h"
#include "paddle/phi/core/device.h"

namespace phi::gpu {
namespace {

CUfunction Function(const Kernel* k) { return reinterpret_cast<CUfunction>(const_cast<Kernel*>(k)); }

}  // namespace

int CapabilityOf(Place place) {
  const Properties p = PropertiesOf(place.device_id);
  return 10 * p.major + p.minor;
}

const Kernel* LoadKernel(const std::string& ptx, const std::string& name, Place place) {
  MakeCurrent(place);
  const Driver& driver = *FindDriver();
  char log[4096] = {};
  int options[] = {kJitErrorLogBuffer, kJitErrorLogBufferSizeBytes};
  void* values[] = {log, reinterpret_cast<void*>(uintptr_t{sizeof(log)})};
  CUmodule module = nullptr;
  const CUresult r = driver.ModuleLoadDataEx(&module, ptx.c_str(), 2, options, values);
  PD_CHECK(r == kCudaSuccess || !*log, PreconditionNotMet, "[", PlaceText(place),
           "] expected PTX that the driver takes, got: ", log);
  CheckDriver(r, "ModuleLoadDataEx", place.device_id);
  CUfunction function = nullptr;
  CheckDriver(driver.ModuleGetFunction(&function, module, name.c_str()), "ModuleGetFunction", place.device_id);
  return reinterpret_cast<const Kernel*>(function);
}

void Launch(const Kernel* kernel, Place place, int64_t blocks, int threads, void** parameters) {
  MakeCurrent(place);
  auto* stream = static_cast<CUstream>(CurrentStream(place));
  CheckDriver(FindDriver()->LaunchKernel(Function(kernel), static_cast<unsigned>(blocks), 1, 1,
                                         static_cast<unsigned>(threads), 1, 1, 0, stream, parameters, nullptr),
              "LaunchKernel", place.device_id);
}

}  // namespace phi::gpu
