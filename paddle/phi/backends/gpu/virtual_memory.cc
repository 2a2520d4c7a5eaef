// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/backends/gpu/virtual_memory.h"

#include <cstdint>
#include <vector>

#include "paddle/common/logging.h"
#include "paddle/phi/backends/gpu/driver.h"

namespace phi::gpu {
namespace {

CUdeviceptr Address(const void* p) { return reinterpret_cast<uintptr_t>(p); }

class VirtualMemory final : public GrowingMemory {
 public:
  VirtualMemory(const Driver& driver, int device, size_t unit, size_t memory, std::vector<CUmemAccessDesc> access)
      : driver_(driver), device_(device), unit_(unit), memory_(memory), access_(std::move(access)) {}
  size_t unit() const override { return unit_; }
  // Twice the memory there is, so that holes too small for a request do not use the addresses up.
  size_t span() const override { return 2 * memory_; }
  void* Reserve(size_t bytes) override {
    CUdeviceptr at = 0;
    if (driver_.MemAddressReserve(&at, bytes, unit_, 0, 0) != kCudaSuccess) return nullptr;
    return reinterpret_cast<void*>(static_cast<uintptr_t>(at));
  }
  void Release(void* p, size_t bytes) override { Check(driver_.MemAddressFree(Address(p), bytes), "MemAddressFree"); }
  bool Back(void* p, size_t bytes, size_t piece) override {
    size_t done = 0;
    for (; done < bytes; done += piece)
      if (!Map(Address(p) + done, piece)) break;
    CUresult r = kCudaSuccess;
    if (done == bytes) r = driver_.MemSetAccess(Address(p), bytes, access_.data(), access_.size());
    if (done == bytes && r == kCudaSuccess) {
      PD_VLOG(4) << "gpu:" << device_ << ": " << bytes << " bytes from the device, for a segment that grows";
      return true;
    }
    Bare(p, done, piece);
    if (r != kCudaOutOfMemory) Check(r, "MemSetAccess");
    return false;
  }
  void Bare(void* p, size_t bytes, size_t piece) override {
    for (size_t done = 0; done < bytes; done += piece) Check(driver_.MemUnmap(Address(p) + done, piece), "MemUnmap");
  }
  void Wait() override { Check(driver_.CtxSynchronize(), "CtxSynchronize"); }

 private:
  void Check(CUresult r, const char* call) const { CheckDriver(r, call, device_); }
  // False when the device has no such memory left. What is mapped lives as long as its mapping.
  bool Map(CUdeviceptr at, size_t bytes) const {
    const CUmemAllocationProp properties = {kMemPinned, 0, {kMemOnDevice, device_}, nullptr, {}};
    CUmemHandle handle = 0;
    CUresult r = driver_.MemCreate(&handle, bytes, &properties, 0);
    if (r == kCudaOutOfMemory) return false;
    Check(r, "MemCreate");
    r = driver_.MemMap(at, bytes, 0, handle, 0);
    driver_.MemRelease(handle);
    if (r == kCudaOutOfMemory) return false;
    Check(r, "MemMap");
    return true;
  }

  const Driver& driver_;
  const int device_;
  const size_t unit_, memory_;
  const std::vector<CUmemAccessDesc> access_;  // by this device, and by those that reach it
};

}  // namespace

std::unique_ptr<GrowingMemory> MakeVirtualMemory(int device) {
  const Driver& driver = *FindDriver();
  const bool functions = driver.MemGetAllocationGranularity && driver.MemAddressReserve && driver.MemAddressFree &&
                         driver.MemCreate && driver.MemRelease && driver.MemMap && driver.MemSetAccess &&
                         driver.MemUnmap;
  CUdevice own = 0;
  int supported = 0;
  CheckDriver(driver.DeviceGet(&own, device), "DeviceGet", device);
  CheckDriver(driver.DeviceGetAttribute(&supported, kVirtualMemory, own), "DeviceGetAttribute", device);
  if (!functions || !supported) {
    PD_VLOG(0) << "[FLAGS_use_virtual_memory_auto_growth] expected a driver and a device with virtual memory, got "
               << (functions ? "a device" : "a driver") << " without for gpu:" << device
               << ": its memory comes in segments of fixed sizes";
    return nullptr;
  }
  const CUmemAllocationProp properties = {kMemPinned, 0, {kMemOnDevice, device}, nullptr, {}};
  size_t unit = 0, memory = 0;
  CheckDriver(driver.MemGetAllocationGranularity(&unit, &properties, kMemGranularityRecommended),
              "MemGetAllocationGranularity", device);
  CheckDriver(driver.DeviceTotalMem(&memory, own), "DeviceTotalMem", device);
  std::vector<CUmemAccessDesc> access = {{{kMemOnDevice, device}, kMemReadWrite}};
  for (int k = 0; k < driver.devices && driver.DeviceCanAccessPeer; ++k) {
    CUdevice peer = 0;
    int can = 0;
    if (k != device && driver.DeviceGet(&peer, k) == kCudaSuccess &&
        driver.DeviceCanAccessPeer(&can, peer, own) == kCudaSuccess && can)
      access.push_back({{kMemOnDevice, k}, kMemReadWrite});
  }
  return std::make_unique<VirtualMemory>(driver, device, unit, memory, std::move(access));
}

}  // namespace phi::gpu
