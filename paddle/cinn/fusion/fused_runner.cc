// SPDX-License-Identifier: Apache-2.0
// Runs a fused group on tensors: iteration extents from input shapes, output shapes from extents.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <thread>

#include "paddle/cinn/fusion/fused_ops.h"
#include "paddle/common/error.h"
#include "paddle/phi/backends/cpu/threads.h"
#include "paddle/phi/core/device.h"

namespace cinn {
namespace {

constexpr size_t kMaxArguments = 128;

}  // namespace

FusedRunner::FusedRunner(const FusedOps& ops) : plan_(ops), kernel_(Compile(ops.group)) {
  PD_CHECK(ops.group.inputs.size() <= kMaxArguments && ops.group.outputs.size() <= kMaxArguments, Unimplemented,
           "[cinn] expected a group of at most ", kMaxArguments, " inputs and outputs each, got ", ops.group.inputs.size(), " and ",
           ops.group.outputs.size());
  plan_.ops.clear();  // the program may be gone when the kernel runs
}

void FusedRunner::Run(const paddle::Tensor* const* inputs, paddle::Tensor* const* outputs) const {
  const FusionGroup& g = plan_.group;
  int64_t dims[16];
  for (int a = 0; a < g.rank; ++a) {
    const FusedOps::Extent& e = plan_.extents[a];
    dims[a] = e.known;
    if (e.known >= 0) continue;
    const phi::Ints& shape = inputs[e.input]->dims();
    PD_CHECK(e.dim < shape.size(), InvalidArgument, "[cinn] expected an input of rank above ", e.dim, ", got ", common::ShapeText(shape));
    dims[a] = shape[e.dim];
  }
  std::vector<paddle::Tensor> copies;  // inputs brought to the order of memory the kernel reads
  void *in[kMaxArguments], *out[kMaxArguments];
  for (size_t k = 0; k < g.inputs.size(); ++k) {
    const paddle::Tensor& x = *inputs[k];
    const std::vector<int>& axes = plan_.input_axes[k];
    bool fits = x.dtype() == g.inputs[k].dtype && x.dims().size() == static_cast<int64_t>(axes.size());
    for (size_t d = 0; fits && d < axes.size(); ++d) fits = x.dims()[static_cast<int64_t>(d)] == (axes[d] < 0 ? 1 : dims[axes[d]]);
    PD_CHECK(fits, InvalidArgument, "[cinn] input ", k, " of a fused group has dtype ", phi::NameOf(x.dtype()), " and shape ",
             common::ShapeText(x.dims()), ", which the program it was compiled from does not allow");
    const paddle::Tensor* read = &x;
    if (!x.is_contiguous() || !x.place().is_cpu()) {
      if (copies.empty()) copies.reserve(g.inputs.size());
      read = &copies.emplace_back(phi::Contiguous(phi::ToHost(x)));
    }
    in[k] = read->numel() ? const_cast<void*>(static_cast<const void*>(read->raw_data())) : nullptr;
  }
  int64_t reduced = 1;
  for (int a = g.reduce_begin; a < g.reduce_end; ++a) reduced *= dims[a];
  PD_CHECK(reduced > 0 || !plan_.needs_elements, InvalidArgument, "[max, min] expected at least one element to reduce, got none");
  for (size_t k = 0; k < g.outputs.size(); ++k) {
    phi::Ints shape;
    for (int axis : plan_.output_axes[k]) shape.push_back(axis < 0 ? 1 : dims[axis]);
    phi::EnsureOut(*outputs[k], shape, g.outputs[k].dtype);
    out[k] = outputs[k]->numel() ? outputs[k]->raw_data() : nullptr;
  }
  kernel_->Run(in, out, dims);
}

std::vector<CompiledOps> CompileBlock(pir::Block& block) {
  std::vector<CompiledOps> all;
  for (FusedOps& f : FuseBlock(block)) all.push_back({std::move(f), nullptr});
  const char* flag = std::getenv("FLAGS_cinn_explain");
  const bool explain = flag && *flag && *flag != '0';
  std::atomic<size_t> next{0};
  auto work = [&] {
    for (size_t k; (k = next++) < all.size();) {
      try {
        all[k].runner = std::make_shared<FusedRunner>(all[k].ops);
      } catch (const std::exception& e) {
        if (explain) std::fprintf(stderr, "cinn: group of %s: not compiled: %s\n", all[k].ops.ops.front()->name().c_str(), e.what());
      }
    }
  };
  // Threads of their own: OpenMP workers are for kernels, and a compilation must not wait for a parallel region.
  std::vector<std::thread> helpers;
  const size_t extra = std::min<size_t>(all.size(), static_cast<size_t>(std::max(phi::cpu::MaxThreads(), 1)));
  for (size_t k = 1; k < extra; ++k) helpers.emplace_back(work);
  work();
  for (std::thread& t : helpers) t.join();
  std::erase_if(all, [](const CompiledOps& c) { return !c.runner; });
  return all;
}

}  // namespace cinn
