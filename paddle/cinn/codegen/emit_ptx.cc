// SPDX-License-Identifier: Apache-2.0
// The loops of a kernel for a GPU in LLVM IR: every thread computes scalars; what is read and written together is one
// access.
#include "paddle/cinn/codegen/ptx_values.h"

namespace cinn {
namespace {

using llvm::Value;

class PtxElementwise : PtxValues {
 public:
  using PtxValues::PtxValues;
  void Run() {
    Elementwise();
    b_.CreateRetVoid();
  }

 private:
  // Everything is read before anything is written: an output may be the memory of an input.
  void ElementAt(const LoopStage& st) {
    for (int o : st.outputs) Of(g_.outputs[static_cast<size_t>(o)].value);
    for (int o : st.outputs) Store(o);
  }
  void VectorAt(const LoopStage& st) {
    Lanes lanes;
    lanes.start = position_;
    vector_ = &lanes;
    std::vector<Values> results(st.outputs.size());
    const size_t last = position_.size() - 1;
    for (lanes.lane = 0; lanes.lane < form_.vector; ++lanes.lane) {
      scopes_.emplace_back();
      position_[last] = b_.CreateAdd(lanes.start[last], At(lanes.lane));
      for (size_t k = 0; k < st.outputs.size(); ++k) { results[k].push_back(Result(st.outputs[k])); }
      scopes_.pop_back();
    }
    vector_ = nullptr;
    position_ = lanes.start;
    for (size_t k = 0; k < st.outputs.size(); ++k) StoreVector(st.outputs[k], results[k]);
  }
  void Elementwise() {
    Value* first = b_.CreateAdd(b_.CreateMul(block_, At(kGpuThreads)), thread_);
    Value* step = b_.CreateMul(blocks_, At(kGpuThreads));
    Value* size = Product(outer_);
    for (const LoopStage& st : nest_.stages) {
      Hoist(st);
      if (form_.vector == 1) {
        Loop(first, size, step, {}, [&](Value* at, Values&) {
          Split(at, outer_);
          ElementAt(st);
        });
        continue;
      }
      const bool flat = nest_.rows.empty();
      Value* vectors = b_.CreateUDiv(size, At(form_.vector));
      Value* last = b_.CreateUDiv(Extent(outer_.back()), At(form_.vector));
      Loop(first, vectors, step, {}, [&](Value* at, Values&) {
        Split(at, outer_, last);
        Value*& lane = position_.back();
        lane = b_.CreateMul(lane, At(form_.vector));
        VectorAt(st);
      });
      if (!flat) continue;  // rows are whole vectors
      Value* rest = b_.CreateAdd(b_.CreateMul(vectors, At(form_.vector)), first);
      If(b_.CreateICmpSLT(rest, size), [&] {
        position_.back() = rest;
        ElementAt(st);
      });
    }
  }
};

}  // namespace

void EmitPtxKernel(const LoopNest& nest, const std::string& symbol, PtxForm form, int capability, llvm::Module& module,
                   llvm::Module* math) {
  if (nest.mode == LoopMode::kElementwise)
    PtxElementwise(nest, symbol, form, capability, module, math).Run();
  else
    EmitPtxReduction(nest, symbol, form, capability, module, math);
}

}  // namespace cinn
