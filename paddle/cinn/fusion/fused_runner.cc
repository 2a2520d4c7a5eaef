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

// One run: what the kernel gets for the tensors.
class FusedRunner::Call {
 public:
  Call(const FusedRunner& runner, const paddle::Tensor* const* inputs, paddle::Tensor* const* outputs, phi::Place place)
      : runner_(runner), plan_(runner.plan_), inputs_(inputs), outputs_(outputs), place_(place) {
    runner.Extents(inputs, dims_);
    const FusionGroup& g = plan_.group;
    if (runner.parts_) strides_.resize(static_cast<int64_t>(g.inputs.size() + g.outputs.size()) * g.rank);
  }

  void TakeInputs() {
    const FusionGroup& g = plan_.group;
    for (size_t k = 0; k < g.inputs.size(); ++k) {
      const paddle::Tensor& x = *inputs_[k];
      PD_CHECK(runner_.TakesInput(k, x, dims_), InvalidArgument, "[cinn] input ", k, " of a fused group has dtype ",
               phi::NameOf(x.dtype()), " and shape ", common::ShapeText(x.dims()),
               ", which the program it was compiled from does not allow");
      read_[k] = &x;
      if (!x.is_contiguous() || !(x.place() == place_)) {
        if (copies_.empty()) copies_.reserve(g.inputs.size());
        read_[k] = &copies_.emplace_back(phi::Contiguous(phi::ToPlace(x, place_)));
      }
      in_[k] = x.numel() ? const_cast<void*>(static_cast<const void*>(read_[k]->raw_data())) : nullptr;
      if (!runner_.parts_) continue;
      firsts_[k] = ViewStrides(plan_.input_views[k], x.dims(), g.rank, StridesAt(k));
      if (in_[k] && place_.is_cpu()) in_[k] = static_cast<char*>(in_[k]) + firsts_[k] * phi::SizeOf(x.dtype());
    }
  }

  // Numbers at which the kernel reads are in range.
  void CheckLookups() {
    for (const FusedOps::Lookup& l : plan_.lookups) {
      const int64_t below = l.table < 0 ? l.below : inputs_[l.table]->dims()[l.dim];
      if (phi::CapturesGraph(place_)) {
        Replace(l, below);
        continue;
      }
      const paddle::Tensor index = phi::ToHost(*read_[l.index]);
      if (index.dtype() == phi::DataType::INT64)
        CheckNumbers<int64_t>(index, below, l);
      else
        CheckNumbers<int32_t>(index, below, l);
    }
  }

  void CheckReduced() const {
    int64_t reduced = 1, kept = 1;
    for (int a = 0; a < plan_.group.rank; ++a) (plan_.group.reduced.has(a) ? reduced : kept) *= dims_[a];
    PD_CHECK(reduced > 0 || kept == 0 || !plan_.needs_elements, InvalidArgument,
             "[max, min] expected at least one element to reduce, got none");
  }

  void MakeOutputs() {
    const FusionGroup& g = plan_.group;
    for (auto [o, i] : plan_.inplace) {
      if (read_[i] == inputs_[i])
        *outputs_[o] = *inputs_[i];
      else
        outputs_[o]->reset();
    }
    for (size_t k = 0; k < g.outputs.size(); ++k) {
      const int v = plan_.output_of[k];
      const std::vector<ViewDim>& view = plan_.output_views[k];
      if (k == 0 || plan_.output_of[k - 1] != v) MakeOutput(k, view);
      paddle::Tensor& out = *outputs_[v];
      out_[k] = out.numel() ? out.raw_data() : nullptr;
      if (!runner_.parts_) continue;
      const size_t at = g.inputs.size() + k;
      firsts_[at] = ViewStrides(view, out.dims(), g.rank, StridesAt(at));
      PD_CHECK(Fits(view, out.dims(), dims_, false), InvalidArgument, "[cinn] output ", v,
               " of a fused group has shape ", common::ShapeText(out.dims()), ", which has no place for its parts");
      if (out_[k] && place_.is_cpu())
        out_[k] = static_cast<char*>(out_[k]) + firsts_[at] * phi::SizeOf(g.outputs[k].dtype);
    }
  }

  void Launch() {
    const int64_t* strides = runner_.parts_ ? strides_.data() : nullptr;
    if (place_.is_cpu())
      runner_.kernel_->Run(in_, out_, dims_, strides);
    else
      runner_.gpu_->Run(place_, in_, out_, dims_, strides, runner_.parts_ ? firsts_ : nullptr);
    for (auto [o, i] : plan_.inplace) {
      if (read_[i] == inputs_[i]) continue;
      paddle::Tensor whole = *inputs_[i];
      phi::CopyInto(*outputs_[o], whole);
      *outputs_[o] = whole;
    }
  }

 private:
  int64_t* StridesAt(size_t argument) { return strides_.data() + argument * static_cast<size_t>(plan_.group.rank); }

  // The host sees no number while a graph is captured: those out of range are replaced, and told later.
  void Replace(const FusedOps::Lookup& l, int64_t below) {
    const paddle::Tensor& given = *read_[l.index];
    const paddle::Tensor clean = phi::Empty(given.dims(), given.dtype(), place_);
    phi::g_forms_of(place_)->Checked(given.dtype(), given.raw_data(), given.numel(), l.wraps ? -below : 0, below,
                                     l.table < 0 ? l.except : 0, l.table >= 0 && !l.indexes, clean.raw_data());
    in_[l.index] = clean.numel() ? clean.raw_data() : nullptr;
    held_.push_back(clean);
  }

  // The tensor of the k-th output, filled where its parts leave places.
  void MakeOutput(size_t k, const std::vector<ViewDim>& view) {
    const int v = plan_.output_of[k];
    const phi::DataType dtype = plan_.group.outputs[k].dtype;
    const FusedOps::Assembled& a = plan_.assembled[static_cast<size_t>(v)];
    paddle::Tensor& out = *outputs_[v];
    phi::Ints shape;
    for (size_t d = 0; d < view.size(); ++d)
      shape.push_back(!a.extents.empty() && a.extents[d] >= 0 ? a.extents[d]
                      : view[d].axis < 0                      ? 1
                                                              : dims_[view[d].axis]);
    if (place_.is_cpu())
      phi::EnsureOut(out, shape, dtype);
    else if (!IsAt(out, shape, dtype, place_))
      out = phi::Empty(shape, dtype, place_);
    if (!a.fill) return;
    if (const phi::DeviceForms* forms = place_.is_cpu() || !phi::g_forms_of ? nullptr : phi::g_forms_of(place_)) {
      char element[16];
      phi::StoreScalar(*a.fill, dtype, element);
      forms->Fill(phi::SizeOf(dtype), out.numel(), out.raw_data(), element);
    } else {
      const paddle::Tensor one = phi::FullLike({1}, dtype, *a.fill);
      phi::CopyInto(phi::ViewOf(one, shape, phi::Ints(shape.size(), 0), 0), out);
    }
  }

  const FusedRunner& runner_;
  const FusedOps& plan_;
  const paddle::Tensor* const* inputs_;
  paddle::Tensor* const* outputs_;
  const phi::Place place_;
  int64_t dims_[kMaxExtents];
  std::vector<paddle::Tensor> copies_, held_;  // inputs in the order of memory that the kernel reads; checked numbers
  void *in_[kMaxArguments], *out_[kMaxArguments];
  const paddle::Tensor* read_[kMaxArguments];
  common::SmallVector<int64_t, 64> strides_;
  int64_t firsts_[2 * kMaxArguments];  // of inputs, then outputs, in elements
};

void FusedRunner::Run(const paddle::Tensor* const* inputs, paddle::Tensor* const* outputs, phi::Place place) const {
  Call call(*this, inputs, outputs, place);
  call.TakeInputs();
  call.CheckLookups();
  call.CheckReduced();
  call.MakeOutputs();
  call.Launch();
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
