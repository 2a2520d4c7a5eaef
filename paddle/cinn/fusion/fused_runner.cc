// SPDX-License-Identifier: Apache-2.0
// Runs a fused group on tensors: iteration extents from input shapes, output shapes from extents.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <system_error>
#include <thread>

#include "paddle/cinn/fusion/fused_ops.h"
#include "paddle/common/error.h"
#include "paddle/common/logging.h"
#include "paddle/phi/backends/cpu/threads.h"
#include "paddle/phi/core/device.h"
#include "paddle/phi/core/device_forms.h"
#include "paddle/phi/core/device_ops.h"

namespace cinn {
namespace {

constexpr size_t kMaxArguments = 128;
constexpr int kMaxParams = 24, kMaxExtents = kMaxGroupRank + kMaxParams;

// Strides (in elements) of the iteration axes in a contiguous tensor of shape `dims`, and where the first element is.
int64_t ViewStrides(const std::vector<ViewDim>& view, const phi::Ints& dims, int rank, int64_t* strides) {
  std::fill_n(strides, rank, 0);
  int64_t inner = 1, first = 0;
  for (size_t k = view.size(); k-- > 0;) {
    const ViewDim& d = view[k];
    if (d.axis >= 0) strides[d.axis] += d.step * inner;
    first += d.start * inner;
    inner *= dims[static_cast<int64_t>(k)];
  }
  return first;
}

// Whether the positions that `view` gives lie in a tensor of shape `shape`.
bool Fits(const std::vector<ViewDim>& view, const phi::Ints& shape, const int64_t* dims, bool masked) {
  if (shape.size() != static_cast<int64_t>(view.size())) return false;
  for (size_t k = 0; k < view.size(); ++k) {
    const ViewDim& d = view[k];
    const int64_t extent = shape[static_cast<int64_t>(k)], n = d.axis < 0 ? 1 : dims[d.axis];
    if (!d.part && extent != n) return false;
    if (!d.part || masked || n == 0) continue;
    const int64_t last = d.start + d.step * (n - 1);
    if (std::min(d.start, last) < 0 || std::max(d.start, last) >= extent) return false;
  }
  return true;
}

template <class T>
void CheckNumbers(const paddle::Tensor& index, int64_t n, const FusedOps::Lookup& l) {
  const T* p = index.data<T>();
  T lo = 0, hi = 0;
  const bool excepts = l.table < 0;
  for (int64_t i = 0, count = index.numel(); i < count; ++i) {
    const T v = excepts && p[i] == l.except ? 0 : p[i];
    lo = std::min(lo, v);
    hi = std::max(hi, v);
  }
  const int64_t least = l.wraps ? -n : 0;
  const bool fits = lo >= least && (hi < n || index.numel() == 0);
  const auto wrong = static_cast<int64_t>(lo < least ? lo : hi);
  PD_CHECK(fits || !excepts, OutOfRange, "[cross_entropy] expected labels in [0, ", n, "), got ", wrong);
  PD_CHECK(fits || !l.indexes, OutOfRange, "[gather] expected an index in [", least, ", ", n, "), got ", wrong);
  PD_CHECK(fits, InvalidArgument, "[index_select, embedding] expected numbers in [", least, ", ", n, "), got ", wrong);
}

// Whether `out` is memory that a kernel at `place` can write as it is.
bool IsAt(const paddle::Tensor& out, const phi::Ints& shape, phi::DataType dtype, phi::Place place) {
  return out.defined() && out.initialized() && out.is_contiguous() && out.place() == place && out.dtype() == dtype &&
         out.dims() == shape;
}

}  // namespace

FusedRunner::FusedRunner(const FusedOps& ops, phi::KernelText text) : plan_(ops) {
  if (text != phi::KernelText::kNone)
    gpu_ = GroupForGpus(ops.group, text);
  else
    kernel_ = Compile(ops.group);
  const FusionGroup& g = ops.group;
  PD_CHECK(g.inputs.size() <= kMaxArguments && g.outputs.size() <= kMaxArguments && g.params <= kMaxParams,
           Unimplemented, "[cinn] expected a group of at most ", kMaxArguments, " inputs and outputs each, got ",
           g.inputs.size(), " and ", g.outputs.size());
  plan_.ops.clear();  // the program may be gone when the kernel runs
  for (const auto* views : {&plan_.input_views, &plan_.output_views})
    for (const std::vector<ViewDim>& v : *views)
      for (const ViewDim& d : v) parts_ |= d.part;
}

void FusedRunner::Extents(const paddle::Tensor* const* inputs, int64_t* dims) const {
  const FusionGroup& g = plan_.group;
  for (int a = 0; a < g.rank; ++a) {
    const FusedOps::Extent& e = plan_.extents[a];
    dims[a] = e.known;
    if (e.known >= 0) continue;
    const phi::Ints& shape = inputs[e.input]->dims();
    PD_CHECK(e.dim < shape.size(), InvalidArgument, "[cinn] expected an input of rank above ", e.dim, ", got ",
             common::ShapeText(shape));
    dims[a] = shape[e.dim];
  }
  for (size_t k = 0; k < plan_.params.size(); ++k) {
    const FusedOps::Stride& s = plan_.params[k];
    int64_t stride = 1;
    for (int64_t d = s.dim + 1; d < inputs[s.input]->dims().size(); ++d) stride *= inputs[s.input]->dims()[d];
    dims[g.rank + static_cast<int>(k)] = stride;
  }
}

bool FusedRunner::TakesInput(size_t k, const paddle::Tensor& x, const int64_t* dims) const {
  const auto& wanted = plan_.group.inputs[k];
  return x.dtype() == wanted.dtype && Fits(plan_.input_views[k], x.dims(), dims, wanted.mask.defined());
}

bool FusedRunner::Takes(const paddle::Tensor* const* inputs) const {
  const FusionGroup& g = plan_.group;
  for (size_t k = 0; k < g.inputs.size(); ++k)
    if (inputs[k]->dims().size() != static_cast<int64_t>(plan_.input_views[k].size())) return false;
  int64_t dims[kMaxExtents];
  Extents(inputs, dims);
  for (size_t k = 0; k < g.inputs.size(); ++k)
    if (!TakesInput(k, *inputs[k], dims)) return false;
  return true;
}

CostEstimate FusedRunner::Estimate(const paddle::Tensor* const* inputs, bool explain) const {
  int64_t dims[kMaxExtents];
  Extents(inputs, dims);
  const LoopNest& nest = kernel_->nest();
  const CostTerms fused = FusedTerms(nest, dims), single = SingleTerms(plan_.single, nest, dims);
  if (explain) {
    std::string text = "cinn: counts";
    for (const CostTerms* terms : {&fused, &single})
      for (double t : terms->list()) text += " " + std::to_string(static_cast<int64_t>(t));
    std::fprintf(stderr, "%s\n", text.c_str());
  }
  return EstimateCost(fused, single);
}

void FusedRunner::Run(const paddle::Tensor* const* inputs, paddle::Tensor* const* outputs, phi::Place place) const {
  const FusionGroup& g = plan_.group;
  int64_t dims[kMaxExtents];
  Extents(inputs, dims);
  std::vector<paddle::Tensor> copies, held;  // inputs brought to the order of memory the kernel reads; checked numbers
  void *in[kMaxArguments], *out[kMaxArguments];
  const paddle::Tensor* read[kMaxArguments];
  common::SmallVector<int64_t, 64> strides;
  int64_t firsts[2 * kMaxArguments];  // of inputs, then outputs, in elements
  if (parts_) strides.resize(static_cast<int64_t>(g.inputs.size() + g.outputs.size()) * g.rank);
  for (size_t k = 0; k < g.inputs.size(); ++k) {
    const paddle::Tensor& x = *inputs[k];
    PD_CHECK(TakesInput(k, x, dims), InvalidArgument, "[cinn] input ", k, " of a fused group has dtype ",
             phi::NameOf(x.dtype()), " and shape ", common::ShapeText(x.dims()),
             ", which the program it was compiled from does not allow");
    read[k] = &x;
    if (!x.is_contiguous() || !(x.place() == place)) {
      if (copies.empty()) copies.reserve(g.inputs.size());
      read[k] = &copies.emplace_back(phi::Contiguous(phi::ToPlace(x, place)));
    }
    in[k] = x.numel() ? const_cast<void*>(static_cast<const void*>(read[k]->raw_data())) : nullptr;
    if (!parts_) continue;
    firsts[k] = ViewStrides(plan_.input_views[k], x.dims(), g.rank, strides.data() + k * static_cast<size_t>(g.rank));
    if (in[k] && place.is_cpu()) in[k] = static_cast<char*>(in[k]) + firsts[k] * phi::SizeOf(x.dtype());
  }
  for (const FusedOps::Lookup& l : plan_.lookups) {
    if (phi::CapturesGraph(place)) {  // the host sees no number: those outside are replaced, and told later
      const paddle::Tensor& given = *read[l.index];
      const paddle::Tensor clean = phi::Empty(given.dims(), given.dtype(), place);
      const int64_t below = l.table < 0 ? l.below : inputs[l.table]->dims()[l.dim];
      phi::g_forms_of(place)->Checked(given.dtype(), given.raw_data(), given.numel(), l.wraps ? -below : 0, below,
                                      l.table < 0 ? l.except : 0, l.table >= 0 && !l.indexes, clean.raw_data());
      in[l.index] = clean.numel() ? clean.raw_data() : nullptr;
      held.push_back(clean);
      continue;
    }
    const paddle::Tensor index = phi::ToHost(*read[l.index]);
    const int64_t n = l.table < 0 ? l.below : inputs[l.table]->dims()[l.dim];
    if (index.dtype() == phi::DataType::INT64)
      CheckNumbers<int64_t>(index, n, l);
    else
      CheckNumbers<int32_t>(index, n, l);
  }
  int64_t reduced = 1, kept = 1;
  for (int a = 0; a < g.rank; ++a) (g.reduced.has(a) ? reduced : kept) *= dims[a];
  PD_CHECK(reduced > 0 || kept == 0 || !plan_.needs_elements, InvalidArgument,
           "[max, min] expected at least one element to reduce, got none");
  for (auto [o, i] : plan_.inplace) {
    if (read[i] == inputs[i])
      *outputs[o] = *inputs[i];
    else
      outputs[o]->reset();
  }
  for (size_t k = 0; k < g.outputs.size(); ++k) {
    const int v = plan_.output_of[k];
    const std::vector<ViewDim>& view = plan_.output_views[k];
    const FusedOps::Assembled& a = plan_.assembled[static_cast<size_t>(v)];
    if (k == 0 || plan_.output_of[k - 1] != v) {
      phi::Ints shape;
      for (size_t d = 0; d < view.size(); ++d)
        shape.push_back(!a.extents.empty() && a.extents[d] >= 0 ? a.extents[d]
                        : view[d].axis < 0                      ? 1
                                                                : dims[view[d].axis]);
      if (place.is_cpu())
        phi::EnsureOut(*outputs[v], shape, g.outputs[k].dtype);
      else if (!IsAt(*outputs[v], shape, g.outputs[k].dtype, place))
        *outputs[v] = phi::Empty(shape, g.outputs[k].dtype, place);
      const phi::DeviceForms* forms = !a.fill || place.is_cpu() || !phi::g_forms_of ? nullptr : phi::g_forms_of(place);
      if (a.fill && forms) {
        char element[16];
        phi::StoreScalar(*a.fill, g.outputs[k].dtype, element);
        forms->Fill(phi::SizeOf(g.outputs[k].dtype), outputs[v]->numel(), outputs[v]->raw_data(), element);
      } else if (a.fill) {
        const paddle::Tensor one = phi::FullLike({1}, g.outputs[k].dtype, *a.fill);
        phi::CopyInto(phi::ViewOf(one, shape, phi::Ints(shape.size(), 0), 0), *outputs[v]);
      }
    }
    out[k] = outputs[v]->numel() ? outputs[v]->raw_data() : nullptr;
    if (!parts_) continue;
    int64_t* own = strides.data() + (g.inputs.size() + k) * static_cast<size_t>(g.rank);
    const int64_t first = firsts[g.inputs.size() + k] = ViewStrides(view, outputs[v]->dims(), g.rank, own);
    PD_CHECK(Fits(view, outputs[v]->dims(), dims, false), InvalidArgument, "[cinn] output ", v,
             " of a fused group has shape ", common::ShapeText(outputs[v]->dims()),
             ", which has no place for its parts");
    if (out[k] && place.is_cpu()) out[k] = static_cast<char*>(out[k]) + first * phi::SizeOf(g.outputs[k].dtype);
  }
  if (place.is_cpu())
    kernel_->Run(in, out, dims, parts_ ? strides.data() : nullptr);
  else
    gpu_->Run(place, in, out, dims, parts_ ? strides.data() : nullptr, parts_ ? firsts : nullptr);
  for (auto [o, i] : plan_.inplace) {
    if (read[i] == inputs[i]) continue;
    paddle::Tensor whole = *inputs[i];
    phi::CopyInto(*outputs[o], whole);
    *outputs[o] = whole;
  }
}

std::vector<std::pair<int, int>> FusedRunner::Overlays() const {
  std::vector<std::pair<int, int>> pairs;
  const FusionGroup& g = plan_.group;
  if (!g.reduced.empty()) return pairs;
  for (size_t o = 0; o < g.outputs.size(); ++o) {
    const int v = plan_.output_of[o];
    if (!plan_.assembled[static_cast<size_t>(v)].extents.empty()) continue;
    for (size_t i = 0; i < g.inputs.size(); ++i) {
      const GroupInput& in = g.inputs[i];
      const bool whole =
          std::find(in.real.begin(), in.real.end(), false) == in.real.end() && in.order.empty() && in.plain();
      if (whole && in.dtype == g.outputs[o].dtype) pairs.push_back({v, static_cast<int>(i)});
    }
  }
  return pairs;
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
        if (explain)
          std::fprintf(stderr, "cinn: group of %s: not compiled: %s\n", all[k].ops.ops.front()->name().c_str(),
                       e.what());
      }
    }
  };
  // Threads of their own: OpenMP workers are for kernels, and a compilation must not wait for a parallel region.
  {
    std::vector<std::jthread> helpers;
    const size_t extra = std::min<size_t>(all.size(), static_cast<size_t>(std::max(phi::cpu::MaxThreads(), 1)));
    try {
      for (size_t k = 1; k < extra; ++k) helpers.emplace_back(work);
    } catch (const std::system_error& error) {  // the system has no more threads: those there are do the work
      PD_VLOG(1) << "groups are compiled by " << helpers.size() + 1 << " threads: " << error.what();
    }
    work();
  }
  std::erase_if(all, [](const CompiledOps& c) { return !c.runner; });
  return all;
}

}  // namespace cinn
