// SPDX-License-Identifier: Apache-2.0
// Kernels by content: memory cache, disk cache, compilation; and how a kernel's work is shared among threads.
#include "paddle/cinn/compiler.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "paddle/cinn/codegen/jit.h"
#include "paddle/cinn/runtime/build_id.h"
#include "paddle/cinn/runtime/disk_cache.h"
#include "paddle/cinn/schedule/split_reduce.h"
#include "paddle/cinn/schedule/stages.h"
#include "paddle/common/error.h"
#include "paddle/common/logging.h"
#include "paddle/phi/backends/cpu/threads.h"

namespace cinn {
namespace {

// A kernel takes about 50 KB; one that is dropped is read from disk in a millisecond.
constexpr size_t kMaxIdleKernels = 256;

class CpuKernel : public CompiledGroup {
 public:
  CpuKernel(LoopNest nest, const std::string& object, std::string symbol)
      : nest_(std::move(nest)), symbol_(std::move(symbol)), linked_(object, symbol_) {}

  void Run(void* const* inputs, void* const* outputs, const int64_t* dims, const int64_t* strides) const override {
    KernelMeta meta_store;
    FillMeta(nest_, dims, meta_store, strides);
    common::SmallVector<void*, 32> buffer_store(inputs, inputs + nest_.group.inputs.size());
    buffer_store.append(outputs, outputs + nest_.group.outputs.size());
    const int64_t* meta = meta_store.data();
    void* const* buffers = buffer_store.data();
    const KernelFn fn = linked_.fn();
    const size_t nrows = nest_.rows.size(), nreds = nest_.reds.size();
    int64_t rows = 1, reds = 1;
    for (size_t k = 0; k < nrows; ++k) rows *= meta[k];
    for (size_t k = 0; k < nreds; ++k) reds *= meta[nrows + k];
    const int64_t lane = meta[nrows + nreds];
    if (nest_.mode == LoopMode::kRowReduce) {
      const int64_t per_row = std::max<int64_t>(reds * lane, 1);
      phi::cpu::ParallelFor(0, rows, Grain(per_row), [=](int64_t b, int64_t e) { fn(buffers, meta, b, e); });
      return;
    }
    const int64_t n = rows * lane;
    constexpr int64_t kUnit = 64;
    const int64_t per_unit = kUnit * std::max<int64_t>(reds, 1);
    phi::cpu::ParallelFor(0, (n + kUnit - 1) / kUnit, Grain(per_unit),
                          [=](int64_t b, int64_t e) { fn(buffers, meta, b * kUnit, std::min(e * kUnit, n)); });
  }

  const LoopNest& nest() const override { return nest_; }
  std::string Explain() const override { return ToString(nest_); }
  std::string Ir() const override { return KernelIr(nest_, symbol_); }

 private:
  // Rows or units of `elements` each that keep a thread busy for a while: about 30 ps an operation, 20 ps a byte. Less
  // does not pay for waking another thread, and costs much when other processes want the processors.
  int64_t Grain(int64_t elements) const {
    constexpr double kEnough = 16e6;
    return std::max<int64_t>(
        static_cast<int64_t>(kEnough / ((30.0 * nest_.cost + 20.0 * nest_.bytes) * static_cast<double>(elements))), 2);
  }

  LoopNest nest_;
  std::string symbol_;
  LinkedKernel linked_;
};

// Kernels that together stand for a whole one; compiled at the first need.
class PartKernels {
 public:
  // Whether they exist; when one cannot be compiled none does, and the whole kernel does the work.
  template <typename Groups>
  bool Ready(Groups groups) const {
    std::call_once(once_, [&] {
      try {
        std::vector<std::shared_ptr<CompiledGroup>> kernels;
        for (const FusionGroup* g : groups()) kernels.push_back(Compile(*g));
        kernels_ = std::move(kernels);
      } catch (const std::exception& error) {
        PD_VLOG(3) << "a reduction in blocks was not compiled, and runs whole: " << error.what();
      }
    });
    return !kernels_.empty();
  }
  const CompiledGroup& operator[](size_t k) const { return *kernels_[k]; }

 private:
  mutable std::once_flag once_;
  mutable std::vector<std::shared_ptr<CompiledGroup>> kernels_;
};

// A group whose reduction may be long: in blocks when it is. The kernels for that are made when they are first needed.
class SplitKernel final : public CompiledGroup {
 public:
  SplitKernel(std::shared_ptr<CompiledGroup> whole, const FusionGroup& group, SplitReduction split)
      : whole_(std::move(whole)),
        reduce_end_(group.reduced.end()),
        rank_(group.rank),
        group_(group),
        split_(std::move(split)) {}

  void Run(void* const* inputs, void* const* outputs, const int64_t* dims, const int64_t* strides) const override {
    int64_t n = 1, kept = 1;
    for (int a = 0; a < rank_; ++a) (a < reduce_end_ ? n : kept) *= dims[a];
    const int64_t block = SplitBlock(n, kept);
    if (strides || !block || !Ready()) return whole_->Run(inputs, outputs, dims, strides);
    const CompiledGroup& blocks = parts_[0];
    const size_t reductions = group_.reductions.size();
    const int64_t whole_blocks = n / block, tail = n % block, results = (whole_blocks + (tail > 0)) * kept;
    std::vector<double> scratch(static_cast<size_t>(results) * reductions);  // at least as wide as any partial result
    std::vector<void*> in(inputs, inputs + group_.inputs.size()), out;
    for (size_t j = 0; j < reductions; ++j) out.push_back(scratch.data() + static_cast<size_t>(results) * j);
    for (int o : split_.full) out.push_back(outputs[o]);
    int64_t d[17] = {whole_blocks, block};
    std::copy(dims + reduce_end_, dims + rank_, d + 2);
    blocks.Run(in.data(), out.data(), d);
    if (tail) {
      for (size_t i = 0; i < in.size(); ++i) {
        int64_t step = split_.steps[i];
        for (int a = reduce_end_; a < rank_; ++a)
          if (group_.inputs[i].real.empty() || group_.inputs[i].real[static_cast<size_t>(a)]) step *= dims[a];
        in[i] = static_cast<char*>(in[i]) + whole_blocks * block * step;
      }
      for (size_t k = 0; k < out.size(); ++k) {
        const int64_t elements = whole_blocks * kept * (k < reductions ? 1 : block);
        out[k] = static_cast<char*>(out[k]) + elements * phi::SizeOf(split_.blocks.outputs[k].dtype);
      }
      d[0] = 1;
      d[1] = tail;
      blocks.Run(in.data(), out.data(), d);
    }
    double count = static_cast<double>(n);
    in.clear();
    for (int i : split_.extra) in.push_back(inputs[i]);
    for (size_t j = 0; j < reductions; ++j) in.push_back(scratch.data() + static_cast<size_t>(results) * j);
    in.push_back(&count);
    out.clear();
    for (int o : split_.reduced) out.push_back(outputs[o]);
    d[1] = results / kept;
    parts_[1].Run(in.data(), out.data(), d + 1);
  }

  const LoopNest& nest() const override { return whole_->nest(); }
  std::string Explain() const override { return whole_->Explain(); }
  std::string Ir() const override { return whole_->Ir(); }

 private:
  bool Ready() const {
    return parts_.Ready([this] { return std::vector{&split_.blocks, &split_.rest}; });
  }

  std::shared_ptr<CompiledGroup> whole_;
  int reduce_end_, rank_;
  FusionGroup group_;
  SplitReduction split_;
  PartKernels parts_;  // blocks, then the rest
};

// A group with values that wait for a long reduction: step by step when it is long.
class StagedKernel final : public CompiledGroup {
 public:
  StagedKernel(std::shared_ptr<CompiledGroup> whole, const FusionGroup& group, StagedGroup stages)
      : whole_(std::move(whole)),
        stages_(std::move(stages)),
        reduce_end_(group.reduced.end()),
        rank_(group.rank),
        arguments_(group.inputs.size() + group.outputs.size()),
        reductions_(group.reductions.size()),
        inputs_(group.inputs.size()) {}

  void Run(void* const* inputs, void* const* outputs, const int64_t* dims, const int64_t* strides) const override {
    int64_t n = 1, kept = 1;
    for (int a = 0; a < rank_; ++a) (a < reduce_end_ ? n : kept) *= dims[a];
    if (strides || !SplitBlock(n, kept) || !Ready()) return whole_->Run(inputs, outputs, dims, strides);
    std::vector<double> scratch(static_cast<size_t>(kept) * reductions_);  // at least as wide as any result
    auto buffer = [&](int b) -> void* {
      const size_t k = static_cast<size_t>(b);
      return k < inputs_      ? inputs[k]
             : k < arguments_ ? outputs[k - inputs_]
                              : scratch.data() + static_cast<size_t>(kept) * (k - arguments_);
    };
    std::vector<void*> in, out;
    for (size_t k = 0; k < stages_.steps.size(); ++k) {
      const StagedGroup::Step& s = stages_.steps[k];
      in.clear();
      out.clear();
      for (int b : s.inputs) in.push_back(buffer(b));
      for (int b : s.outputs) out.push_back(buffer(b));
      parts_[k].Run(in.data(), out.data(), s.kept_only ? dims + reduce_end_ : dims);
    }
  }

  const LoopNest& nest() const override { return whole_->nest(); }
  std::string Explain() const override { return whole_->Explain(); }
  std::string Ir() const override { return whole_->Ir(); }

 private:
  bool Ready() const {
    return parts_.Ready([this] {
      std::vector<const FusionGroup*> groups;
      for (const StagedGroup::Step& s : stages_.steps) groups.push_back(&s.group);
      return groups;
    });
  }

  std::shared_ptr<CompiledGroup> whole_;
  StagedGroup stages_;
  int reduce_end_, rank_;
  size_t arguments_, reductions_, inputs_;
  PartKernels parts_;
};

class KernelTable {
 public:
  KernelTable() : disk_(DiskCache::DefaultDirectory()), prefix_(TargetKey() + "|" + BuildId() + "|") {}

  std::shared_ptr<CompiledGroup> Get(const FusionGroup& group) {
    Validate(group);
    FusionGroup simple = group;
    SimplifyGroup(simple);
    const std::string key = prefix_ + GroupKey(simple);
    std::promise<std::shared_ptr<CompiledGroup>> promise;
    std::shared_future<std::shared_ptr<CompiledGroup>> pending;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      auto it = table_.find(key);
      if (it != table_.end()) {
        ++stats_.memory_hits;
        pending = it->second;
      } else {
        if (table_.size() >= most_) DropIdle();
        table_.emplace(key, promise.get_future().share());
      }
    }
    if (pending.valid()) return pending.get();  // waits when another thread is compiling it
    try {
      auto kernel = Build(Schedule(std::move(simple)), key);
      promise.set_value(kernel);
      return kernel;
    } catch (...) {
      {
        std::lock_guard<std::mutex> lock(mutex_);
        table_.erase(key);
      }
      promise.set_exception(std::current_exception());
      throw;
    }
  }

  CompilerStats Stats() {
    std::lock_guard<std::mutex> lock(mutex_);
    return stats_;
  }
  void Clear() {
    std::lock_guard<std::mutex> lock(mutex_);
    table_.clear();
  }

 private:
  std::shared_ptr<CompiledGroup> Build(LoopNest nest, const std::string& key) {
    const std::string symbol = "cinn_" + ContentHash(key);
    if (auto object = disk_.Get(key)) {
      try {
        auto kernel = std::make_shared<CpuKernel>(nest, *object, symbol);
        std::lock_guard<std::mutex> lock(mutex_);
        ++stats_.disk_hits;
        return kernel;
      } catch (const common::Error& error) {
        PD_VLOG(1) << "a kernel of the disk cache is built anew: " << error.what();
      }
    }
    const std::string object = CompileToObject(nest, symbol);
    auto kernel = std::make_shared<CpuKernel>(std::move(nest), object, symbol);
    disk_.Put(key, object);
    std::lock_guard<std::mutex> lock(mutex_);
    ++stats_.compiled;
    return kernel;
  }

  // Kernels that nobody but the table holds go; the others cost no memory of their own here.
  void DropIdle() {
    std::erase_if(table_, [](const auto& row) {
      return row.second.wait_for(std::chrono::seconds(0)) == std::future_status::ready &&
             row.second.get().use_count() == 1;
    });
    most_ = table_.size() + kMaxIdleKernels;
  }

  std::mutex mutex_;
  std::unordered_map<std::string, std::shared_future<std::shared_ptr<CompiledGroup>>> table_;
  size_t most_ = kMaxIdleKernels;
  CompilerStats stats_;
  DiskCache disk_;
  std::string prefix_;
};

// Never destroyed: handles may outlive static destruction.
KernelTable& Table() {
  static KernelTable* table = new KernelTable();
  return *table;
}

}  // namespace

std::shared_ptr<CompiledGroup> Compile(const FusionGroup& group) {
  auto whole = Table().Get(group);
  if (auto split = Split(group)) return std::make_shared<SplitKernel>(std::move(whole), group, std::move(*split));
  if (auto stages = Stages(group)) return std::make_shared<StagedKernel>(std::move(whole), group, std::move(*stages));
  return whole;
}
CompilerStats GetCompilerStats() { return Table().Stats(); }
void ClearKernelCache() { Table().Clear(); }

}  // namespace cinn
