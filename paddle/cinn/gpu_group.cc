// SPDX-License-Identifier: Apache-2.0
#include "paddle/cinn/gpu_group.h"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "paddle/cinn/codegen/opencl.h"
#include "paddle/cinn/codegen/ptx.h"
#include "paddle/cinn/runtime/build_id.h"
#include "paddle/cinn/runtime/disk_cache.h"
#include "paddle/common/small_vector.h"

namespace cinn {
namespace {

std::array<int, 7> FormKey(PtxForm f) {
  return {f.vector, f.across, static_cast<int>(f.part), f.stage, f.narrow, f.firsts, f.row};
}

class Group final : public GpuGroup {
 public:
  Group(LoopNest nest, std::string key, phi::KernelText text)
      : nest_(std::move(nest)), vector_(PtxVector(nest_)), key_(std::move(key)), text_(text) {
    if (text == phi::KernelText::kOpenCl)
      PrintOpenCl(nest_, "check", {});
    else
      CheckPtx(nest_);
  }

  void Run(phi::Place place, void* const* inputs, void* const* outputs, const int64_t* dims, const int64_t* strides,
           const int64_t* firsts) const override {
    const FusionGroup& g = nest_.group;
    Buffers buffers(inputs, inputs + g.inputs.size());
    buffers.append(outputs, outputs + g.outputs.size());
    if (!strides && LaunchAgain(place, dims, buffers)) return;
    KernelMeta meta;
    FillMeta(nest_, dims, meta, strides);
    for (int a = 0; a < g.rank; ++a)
      if (dims[a] == 0 && !g.reduced.has(a)) return;
    const bool opencl = text_ == phi::KernelText::kOpenCl;
    for (int64_t k = 0; firsts && !opencl && k < buffers.size(); ++k) {
      const auto i = static_cast<size_t>(k);
      const phi::DataType t = i < g.inputs.size() ? g.inputs[i].dtype : g.outputs[i - g.inputs.size()].dtype;
      if (buffers[k]) buffers[k] = static_cast<char*>(buffers[k]) + firsts[k] * phi::SizeOf(t);
    }
    if (opencl) {
      PtxForm form;
      form.narrow = ChooseForm(nest_, vector_, meta, buffers.data()).narrow;
      form.firsts = firsts != nullptr;
      for (int64_t k = 0; form.firsts && k < buffers.size(); ++k) meta.push_back(firsts[k]);
      return Launch(place, form, 1, buffers, meta);
    }
    const PtxForm form = ChooseForm(nest_, vector_, meta, buffers.data());
    const int64_t parts = PtxParts(nest_, form, meta);
    phi::Ref<phi::Storage> scratch;
    if (parts > 1) {
      scratch = phi::AllocateOnDevice(static_cast<size_t>(PtxScratch(nest_, meta, parts)), place);
      buffers.push_back(scratch->data());
      meta.push_back(parts);
    }
    if (parts == 1 && !strides) Keep(place, dims, buffers, form, meta);
    for (const PtxForm& kernel : PtxKernels(nest_, form, meta, parts)) Launch(place, kernel, parts, buffers, meta);
  }

 private:
  using Buffers = common::SmallVector<void*, 16>;
  // The last launch of one kernel without strides of its own, as far as the next one may repeat it.
  struct Last {
    phi::Place place;
    common::SmallVector<int64_t, 12> dims;
    uint64_t within = 0;  // where in 16 bytes the addresses lie
    const phi::DeviceKernel* kernel = nullptr;
    int64_t blocks = 0;
    KernelMeta meta;
  };
  static constexpr int64_t kMostWithin = 16;

  static uint64_t Within(const Buffers& buffers) {
    uint64_t all = 0;
    for (void* b : buffers) all = all << 4 | (reinterpret_cast<uintptr_t>(b) & 15);
    return all;
  }
  void Keep(phi::Place place, const int64_t* dims, const Buffers& buffers, PtxForm form, const KernelMeta& meta) const {
    if (buffers.size() > kMostWithin) return;
    const phi::DeviceKernel* kernel = Kernel(place, form);
    const int64_t blocks = PtxBlocks(nest_, form, meta, 1);
    std::lock_guard<std::mutex> lock(mutex_);
    const FusionGroup& g = nest_.group;
    last_ = {place, {dims, dims + g.rank + g.params}, Within(buffers), kernel, blocks, meta};
  }
  bool LaunchAgain(phi::Place place, const int64_t* dims, const Buffers& buffers) const {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!last_.kernel || !(last_.place == place) || buffers.size() > kMostWithin || last_.within != Within(buffers) ||
        !std::equal(last_.dims.begin(), last_.dims.end(), dims))
      return false;
    phi::LaunchKernel(last_.kernel, place, last_.blocks, kGpuThreads, buffers.data(), buffers.size(), last_.meta.data(),
                      last_.meta.size());
    return true;
  }
  void Launch(phi::Place place, PtxForm form, int64_t parts, const Buffers& buffers, const KernelMeta& meta) const {
    phi::LaunchKernel(Kernel(place, form), place, PtxBlocks(nest_, form, meta, parts), kGpuThreads, buffers.data(),
                      buffers.size(), meta.data(), meta.size());
  }
  const phi::DeviceKernel* Kernel(phi::Place place, PtxForm form) const {
    std::lock_guard<std::mutex> lock(mutex_);
    const phi::DeviceKernel*& kernel = kernels_[{place.custom, place.device_id, FormKey(form)}];
    if (kernel) return kernel;
    const bool opencl = text_ == phi::KernelText::kOpenCl;
    const int capability = opencl ? 0 : phi::CapabilityOf(place);
    std::string key = opencl ? OpenClKey() : PtxKey(capability);
    for (int number : FormKey(form)) key += "|" + std::to_string(number);
    key += "|" + BuildId() + "|" + key_;
    const std::string symbol = "cinn_" + ContentHash(key);
    DiskCache& disk = DeviceDisk();
    auto text = disk.Get(key);
    if (!text) {
      text = opencl ? PrintOpenCl(nest_, symbol, form) : CompileToPtx(nest_, symbol, form, capability);
      disk.Put(key, *text);
    }
    kernel = phi::LoadKernel(*text, symbol, place);
    return kernel;
  }

  const LoopNest nest_;
  const int vector_;
  const std::string key_;
  const phi::KernelText text_;
  mutable std::mutex mutex_;
  mutable Last last_;
  mutable std::map<std::tuple<int, int, std::array<int, 7>>, const phi::DeviceKernel*> kernels_;
};

}  // namespace

std::shared_ptr<GpuGroup> GroupForGpus(const FusionGroup& group, phi::KernelText text) {
  Validate(group);
  FusionGroup simple = group;
  SimplifyGroup(simple);
  std::string key = std::to_string(static_cast<int>(text)) + "|" + GroupKey(simple);
  static std::mutex mutex;
  static auto& table = *new std::unordered_map<std::string, std::shared_ptr<GpuGroup>>;
  std::lock_guard<std::mutex> lock(mutex);
  if (auto it = table.find(key); it != table.end()) return it->second;
  auto made = std::make_shared<Group>(Schedule(std::move(simple)), key, text);
  return table.emplace(std::move(key), std::move(made)).first->second;
}

}  // namespace cinn
