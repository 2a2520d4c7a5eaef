// SPDX-License-Identifier: Apache-2.0
#include "paddle/cinn/gpu_group.h"

#include <map>
#include <mutex>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "paddle/cinn/codegen/ptx.h"
#include "paddle/cinn/runtime/build_id.h"
#include "paddle/cinn/runtime/disk_cache.h"
#include "paddle/phi/backends/gpu/kernel.h"

namespace cinn {
namespace {

class Group final : public GpuGroup {
 public:
  Group(LoopNest nest, std::string key) : nest_(std::move(nest)), key_(std::move(key)) { CheckPtx(nest_); }

  void Run(phi::Place place, void* const* inputs, void* const* outputs, const int64_t* dims,
           const int64_t* strides) const override {
    const FusionGroup& g = nest_.group;
    KernelMeta meta;
    FillMeta(nest_, dims, meta, strides);
    for (int a = 0; a < g.rank; ++a)
      if (dims[a] == 0 && !g.reduced.has(a)) return;
    std::vector<void*> buffers(inputs, inputs + g.inputs.size());
    buffers.insert(buffers.end(), outputs, outputs + g.outputs.size());
    const PtxForm form = ChooseForm(nest_, meta, buffers.data());
    const phi::gpu::Kernel* kernel = Kernel(place, form);
    std::vector<void*> parameters;
    for (void*& b : buffers) parameters.push_back(&b);
    for (int64_t& m : meta) parameters.push_back(&m);
    phi::gpu::Launch(kernel, place, PtxBlocks(nest_, form, meta), kGpuThreads, parameters.data());
  }

 private:
  const phi::gpu::Kernel* Kernel(phi::Place place, PtxForm form) const {
    std::lock_guard<std::mutex> lock(mutex_);
    const phi::gpu::Kernel*& kernel = kernels_[{place.device_id, form.vector, form.narrow}];
    if (kernel) return kernel;
    const int capability = phi::gpu::CapabilityOf(place);
    const std::string key =
        PtxKey(capability) + "|" + std::to_string(form.vector) + (form.narrow ? "n|" : "w|") + BuildId() + "|" + key_;
    const std::string symbol = "cinn_" + ContentHash(key);
    static DiskCache& disk = *new DiskCache(DiskCache::DefaultDirectory());
    auto ptx = disk.Get(key);
    if (!ptx) {
      ptx = CompileToPtx(nest_, symbol, form, capability);
      disk.Put(key, *ptx);
    }
    kernel = phi::gpu::LoadKernel(*ptx, symbol, place);
    return kernel;
  }

  const LoopNest nest_;
  const std::string key_;
  mutable std::mutex mutex_;
  mutable std::map<std::tuple<int, int, bool>, const phi::gpu::Kernel*> kernels_;
};

}  // namespace

std::shared_ptr<GpuGroup> GroupForGpus(const FusionGroup& group) {
  Validate(group);
  FusionGroup simple = group;
  SimplifyGroup(simple);
  std::string key = GroupKey(simple);
  static std::mutex mutex;
  static auto& table = *new std::unordered_map<std::string, std::shared_ptr<GpuGroup>>;
  std::lock_guard<std::mutex> lock(mutex);
  if (auto it = table.find(key); it != table.end()) return it->second;
  auto made = std::make_shared<Group>(Schedule(std::move(simple)), key);
  return table.emplace(std::move(key), std::move(made)).first->second;
}

}  // namespace cinn
