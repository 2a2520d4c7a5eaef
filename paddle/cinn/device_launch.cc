// SPDX-License-Identifier: Apache-2.0
#include "paddle/cinn/device_launch.h"

#include <algorithm>
#include <climits>

#include "paddle/cinn/codegen/ptx.h"
#include "paddle/cinn/runtime/build_id.h"
#include "paddle/cinn/runtime/disk_cache.h"

namespace cinn {

using phi::DataType;

const char* NumberName(DataType t) {
  switch (t) {
    case DataType::FLOAT32: return "f32";
    case DataType::FLOAT64: return "f64";
    case DataType::FLOAT16: return "f16";
    case DataType::BFLOAT16: return "bf16";
    case DataType::INT32: return "i32";
    case DataType::INT64: return "i64";
    default: return nullptr;
  }
}
std::string KernelOf(const char* what, DataType t) {
  const char* name = NumberName(t);
  if (!name) throw phi::NoDeviceForm{"a dtype without such kernels"};
  return std::string("device_") + what + "_" + name;
}

std::shared_ptr<void> LaunchForms::Room(int64_t bytes) const {
  auto storage = std::make_shared<phi::Ref<phi::Storage>>(
      phi::AllocateOnDevice(static_cast<size_t>(std::max<int64_t>(bytes, 1)), place_));
  return {storage, (*storage)->data()};
}

std::shared_ptr<void> LaunchForms::Sent(const void* p, int64_t bytes) const {
  auto room = Room(bytes);
  phi::CopyBytes(room.get(), place_, p, {}, static_cast<size_t>(bytes));
  return room;
}
void LaunchForms::Fetch(const void* p, int64_t bytes, void* to) const {
  if (phi::CapturesGraph(place_)) throw phi::NoDeviceForm{"what is known after running"};
  phi::CopyBytes(to, {}, p, place_, static_cast<size_t>(bytes));
}

int64_t LaunchForms::IndexAt(DataType index_t, const void* index, int64_t i) const {
  const size_t width = phi::SizeOf(index_t);
  int64_t wide = 0;
  int32_t narrow = 0;
  void* to = width == 8 ? static_cast<void*>(&wide) : &narrow;
  phi::CopyBytes(to, {}, static_cast<const char*>(index) + i * static_cast<int64_t>(width), place_, width);
  return width == 8 ? wide : narrow;
}

LaunchForms::Wrong::Wrong(const LaunchForms& forms, bool value)
    : place_(forms.place_), room_(phi::CapturesGraph(forms.place_) ? nullptr : forms.Room(sizeof(int64_t))) {
  at_ = room_ ? room_.get() : phi::OutsideFlag(place_, value);
  const int64_t none = INT64_MAX;
  if (room_) phi::CopyBytes(room_.get(), place_, &none, {}, sizeof(none));
}
int64_t LaunchForms::Wrong::Least() const {
  int64_t least = INT64_MAX;
  if (room_) phi::CopyBytes(&least, {}, room_.get(), place_, sizeof(least));
  return least == INT64_MAX ? -1 : least;
}

void LaunchForms::Each(const std::string& name, int64_t n, const std::vector<const void*>& addresses,
                       const std::vector<int64_t>& numbers) const {
  Launch(name, (n + kGpuThreads - 1) / kGpuThreads, addresses, numbers);
}
void LaunchForms::Launch(const std::string& name, int64_t blocks, const std::vector<const void*>& addresses,
                         const std::vector<int64_t>& numbers, int threads) const {
  constexpr int64_t kMostBlocks = 1 << 20;
  if (blocks == 0) return;
  std::vector<void*> at;
  for (const void* a : addresses) at.push_back(const_cast<void*>(a));
  phi::LaunchKernel(Kernel(name), place_, std::min(blocks, kMostBlocks), threads, at.data(), at.size(), numbers.data(),
                    numbers.size());
}

const phi::DeviceKernel* LaunchForms::Kernel(const std::string& name) const {
  std::lock_guard<std::mutex> lock(mutex_);
  const phi::DeviceKernel*& kernel = kernels_[name];
  if (kernel) return kernel;
  const std::string key = PtxKey(capability_) + "|library|" + BuildId() + "|" + name;
  DiskCache& disk = DeviceDisk();
  auto text = disk.Get(key);
  if (!text) {
    text = LibraryPtx(name, capability_);
    disk.Put(key, *text);
  }
  kernel = phi::LoadKernel(*text, name, place_);
  return kernel;
}

}  // namespace cinn
