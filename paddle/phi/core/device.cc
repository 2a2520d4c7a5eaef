// SPDX-License-Identifier: Apache-2.0
// Tensors across places: copies of any layout, the place of new tensors, and ops run on host copies.
#include "paddle/phi/core/device.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <set>
#include <string>
#include <tuple>

#include "paddle/common/logging.h"
#include "paddle/phi/core/device_forms.h"
#include "paddle/phi/core/device_ops.h"
#include "paddle/phi/core/thread_state.h"

namespace phi {
namespace {

std::atomic<Place> g_current{Place{}};

// Inside RunOnHost everything new stays on the CPU.
struct HostRun {
  HostRun() { ++t_state.host_runs; }
  ~HostRun() { --t_state.host_runs; }
};

// The elements a tensor spans in its storage: [first, last], relative to its offset.
std::pair<int64_t, int64_t> Span(const Tensor& x) {
  int64_t first = 0, last = 0;
  for (int64_t i = 0; i < x.ndim(); ++i) (x.strides()[i] < 0 ? first : last) += (x.dim(i) - 1) * x.strides()[i];
  return {first, last};
}

// A host tensor with the layout of `x`, over a copy of the memory it spans.
Tensor HostImage(const Tensor& x) {
  auto [first, last] = Span(x);
  Tensor flat = Empty({last - first + 1}, x.dtype());
  size_t size = SizeOf(x.dtype());
  CopyBytes(flat.raw_data(), Place{}, static_cast<char*>(x.raw_data()) + first * static_cast<int64_t>(size), x.place(),
            static_cast<size_t>(flat.numel()) * size);
  return ViewOf(flat, x.dims(), x.strides(), -first);
}

// `x` with one of each element that it repeats: its axes of stride 0 have size 1.
Tensor WithoutRepeats(const Tensor& x) {
  Ints dims = x.dims();
  for (int64_t i = 0; i < x.ndim(); ++i)
    if (x.strides()[i] == 0 && dims[i] > 1) dims[i] = 1;
  return dims == x.dims() ? x : ViewOf(x, dims, x.strides(), x->offset());
}

// `x` with the dims of `like` and its repeats.
Tensor Repeated(const Tensor& x, const Tensor& like) {
  Ints strides = x.strides();
  for (int64_t i = 0; i < x.ndim(); ++i)
    if (x.dim(i) != like.dim(i)) strides[i] = 0;
  return ViewOf(x, like.dims(), strides, 0);
}

}  // namespace

Tensor ToPlace(const Tensor& x, Place place, bool blocking) {
  if (!x.defined() || x.place() == place || x.is_symbolic()) return x;
  if (!x->storage()) return Tensor(x->state().At(place));
  PD_CHECK(x->kind() == ImplKind::kDense, Unimplemented, "[copy] expected a dense tensor to copy to ", PlaceText(place),
           ", got a sparse one or a list");
  const Tensor source = place.is_cpu() ? WithoutRepeats(x) : x;
  Tensor out = Empty(source.dims(), x.dtype(), place);
  CopyAcross(source, out, blocking);
  return source.is_same(x) ? out : Repeated(out, x);
}

Tensor CastThere(const Tensor& x, DataType dtype) {
  static const OpDef* const cast = FindOpDef("cast");
  if (cast && !x.place().is_cpu() && x.place().type != AllocationType::GPUPINNED) {
    const InSlot in[] = {InSlot(x)};
    const AttrValue attrs[] = {AttrValue(dtype)};
    Tensor out;
    OutSlot outs[] = {OutSlot(out)};
    if (g_run_generated && g_run_generated(*cast, in, attrs, outs, x.place())) return out;
    if (FindExternalKernel(*cast, x.dtype(), x.place()) && RunExternalKernel(*cast, in, attrs, outs)) return out;
  }
  return ToPlace(CastTo(ToHost(x), dtype), x.place());
}

void CopyAcross(const Tensor& src, const Tensor& dst, bool blocking) {
  if (dst.numel() == 0) return;
  size_t bytes = static_cast<size_t>(dst.numel() * SizeOf(dst.dtype()));
  if (src.is_contiguous() && dst.is_contiguous())
    return CopyBytes(dst.raw_data(), dst.place(), src.raw_data(), src.place(), bytes, blocking);
  const DeviceForms* forms = src.place() == dst.place() && g_forms_of ? g_forms_of(dst.place()) : nullptr;
  if (forms && dst.ndim() <= 8 && src.dtype() == dst.dtype())
    return forms->Copy(SizeOf(src.dtype()), src.dims(), src.raw_data(), src.strides(), dst.raw_data(), dst.strides());
  Tensor s = src.place().is_cpu() ? src : HostImage(src);
  if (dst.place().is_cpu()) return CopyInto(s, dst);
  if (dst.is_contiguous()) {
    s = Contiguous(s);
    return CopyBytes(dst.raw_data(), dst.place(), s.raw_data(), s.place(), bytes);
  }
  Tensor image = HostImage(dst);
  CopyInto(s, image);
  auto [first, last] = Span(dst);
  int64_t size = SizeOf(dst.dtype());
  CopyBytes(static_cast<char*>(dst.raw_data()) + first * size, dst.place(), image->storage()->data(), Place{},
            static_cast<size_t>((last - first + 1) * size));
}

Place CurrentPlace() { return t_state.place ? *t_state.place : g_current.load(std::memory_order_relaxed); }
PlaceScope::PlaceScope(Place place) : place_(place), before_(t_state.place) { t_state.place = &place_; }
PlaceScope::~PlaceScope() { t_state.place = before_; }
void SetCurrentPlace(Place place) {
  if (!place.is_cpu()) SynchronizeDevice(place);  // names a device that is there
  g_current.store(place, std::memory_order_relaxed);
}
Place PlaceToCreate(Place asked) { return asked.type == AllocationType::CUSTOM ? asked : CurrentPlace(); }
void MoveToPlace(Tensor& out, Place asked) {
  if (t_state.host_runs == 0 && out.defined() && !out.is_symbolic()) out = ToPlace(out, PlaceToCreate(asked));
}
void MoveToPlace(std::vector<Tensor>& outs, Place asked) {
  for (Tensor& t : outs) MoveToPlace(t, asked);
}

Place DevicePlace(const Tensor* tensors, int n) {
  for (int i = 0; i < n; ++i)
    if (tensors[i].defined() && !tensors[i].is_symbolic() && !tensors[i].place().is_cpu() &&
        tensors[i].place().type != AllocationType::GPUPINNED)
      return tensors[i].place();
  return {};
}

namespace {
std::atomic<bool> g_host_runs_allowed{true};

// "custom_cpu has no kernel for int32 (there are ones for float32, float64)"
std::string WithoutKernel(const OpDef& op, DataType dtype, Place place) {
  std::string types;
  for (DataType t : ExternalKernelTypes(op, place)) types += (types.empty() ? "" : ", ") + std::string(NameOf(t));
  std::string device = PlaceText(place);  // Place(custom_cpu:0)
  device = device.substr(device.find('(') + 1, device.find(':') - device.find('(') - 1);
  return device + " has no kernel for " + std::string(NameOf(dtype)) +
         (types.empty() ? "" : " (there are ones for " + types + ")");
}

// Says once of each operation and dtype that it runs on the host, where FLAGS_gpu_explain asks, or refuses to.
void TellOfHostRun(const OpDef& op, const InSlot* in, Place place) {
  DataType dtype = DataType::UNDEFINED;
  for (size_t i = 0; i < op.tensors.size() && dtype == DataType::UNDEFINED; ++i)
    for (int k = 0; k < in[i].n && dtype == DataType::UNDEFINED; ++k)
      if (in[i].p[k].defined()) dtype = in[i].p[k].dtype();
  PD_CHECK(g_host_runs_allowed, NotFound, "[", op.name, "] ", WithoutKernel(op, dtype, place),
           ", and FLAGS_enable_api_kernel_fallback=0 keeps it from running on the host");
  if (!common::ExplainsDevices() || KernelTextOf(place) != KernelText::kNone) return;
  static std::mutex mutex;
  static auto* told = new std::set<std::tuple<const OpDef*, DataType, int>>;
  std::lock_guard<std::mutex> lock(mutex);
  if (told->insert({&op, dtype, place.custom}).second)
    std::fprintf(stderr, "%s: on the host: %s\n", op.name, WithoutKernel(op, dtype, place).c_str());
}
}  // namespace

void AllowHostRuns(bool allowed) { g_host_runs_allowed = allowed; }

void RunOnHost(const OpDef& op, const InSlot* in, const AttrValue* attrs, OutSlot* outs, Place place) {
  if (!place.is_cpu()) TellOfHostRun(op, in, place);
  if (CapturesGraph(place))
    for (size_t i = 0; i < op.tensors.size(); ++i)
      for (int k = 0; k < in[i].n; ++k)
        PD_CHECK(!in[i].p[k].defined() || in[i].p[k].place().is_cpu() || in[i].p[k].numel() == 0, PreconditionNotMet,
                 "[CUDAGraph] expected work on ", PlaceText(place),
                 " alone while a graph is captured, got a copy to the host: of an operation without a kernel, ",
                 op.name);
  HostRun host_run;
  size_t nin = op.tensors.size(), nout = op.outs.size();
  std::vector<std::vector<Tensor>> host(nin), lists(nout);
  std::vector<Tensor> results(nout);
  std::vector<InSlot> slots(nin);
  std::vector<OutSlot> to(nout);
  for (size_t i = 0; i < nin; ++i) {
    for (int k = 0; k < in[i].n; ++k) host[i].push_back(ToHost(in[i].p[k]));
    slots[i] = InSlot(host[i]);
  }
  for (size_t k = 0; k < nout; ++k) {
    if (outs[k].p) to[k] = OutSlot(results[k]);
    if (outs[k].list) to[k] = OutSlot(lists[k]);
  }
  op.Run(ThreadContext(), slots.data(), attrs, to.data());
  // A result that is an input's host copy is that input, changed in place.
  auto back = [&](const Tensor& r) {
    for (size_t i = 0; i < nin; ++i)
      for (size_t k = 0; k < host[i].size(); ++k)
        if (r.is_same(host[i][k]) && !r.is_same(in[i].p[k])) {
          CopyInto(r, in[i].p[k]);
          return in[i].p[k];
        }
    return ToPlace(r, place);
  };
  for (size_t k = 0; k < nout; ++k) {
    if (outs[k].list) {
      outs[k].list->clear();
      for (const Tensor& r : lists[k]) outs[k].list->push_back(r.defined() ? back(r) : r);
    } else if (outs[k].p && results[k].defined()) {
      Tensor& dst = *outs[k].p;
      const Tensor& r = results[k];
      bool fits = dst.defined() && dst->storage() && dst.dims() == r.dims() &&
                  (dst.dtype() == r.dtype() || (op.flags & kOpElementwise));
      if (fits) {
        CopyInto(r, dst);
      } else {
        dst = back(r);
      }
    }
  }
}

bool RunByForms(Place place, const std::function<void()>& run) {
  struct Scope {
    explicit Scope(const DeviceForms* forms) : before(t_state.forms) { t_state.forms = forms; }
    ~Scope() { t_state.forms = before; }
    const DeviceForms* before;
  };
  const DeviceForms* forms = g_forms_of ? g_forms_of(place) : nullptr;
  if (!forms) return false;
  try {
    const Scope scope(forms);
    run();
    return true;
  } catch (const NoDeviceForm&) { return false; }
}

bool CreateByForms(const std::function<void()>& run) {
  const Place here = CurrentPlace();
  return t_state.host_runs == 0 && !here.is_cpu() && RunByForms(here, run);
}

void DeliverResults(const std::vector<Tensor>& results, size_t n, OutSlot* outs) {
  for (size_t k = 0; k < n; ++k) {
    if (!outs[k].p || !results[k].defined()) continue;
    Tensor& out = *outs[k].p;
    if (out.defined() && out->storage() && out.dims() == results[k].dims() && out.dtype() == results[k].dtype())
      CopyInto(results[k], out);
    else
      out = results[k];
  }
}

bool IsComposed(const OpDef& op) { return g_run_composed && g_run_composed(op.computed(), nullptr, nullptr, nullptr); }

bool RunComposed(const OpDef& given, const InSlot* in, const AttrValue* attrs, OutSlot* outs, Place place) {
  if (!IsComposed(given)) return false;
  const OpDef& op = given.computed();
  const size_t nin = op.tensors.size(), nout = op.outs.size();
  std::vector<std::vector<Tensor>> here(nin);
  std::vector<std::vector<Meta>> metas(nin), expected(nout);
  std::vector<InSlot> slots(nin);
  std::vector<MetaSlot> known(nin);
  for (size_t i = 0; i < nin; ++i) {
    for (int k = 0; k < in[i].n; ++k) {
      here[i].push_back(ToPlace(in[i].p[k], place));
      if (in[i].p[k].defined()) metas[i].push_back(in[i].p[k].meta());
    }
    slots[i] = InSlot(here[i]);
    known[i] = {metas[i].data(), static_cast<int>(metas[i].size())};
  }
  op.Infer(known.data(), attrs, expected.data());
  std::vector<Tensor> results(nout);
  std::vector<OutSlot> to(nout);
  for (size_t k = 0; k < nout; ++k) {
    if (outs[k].list) return false;
    if (outs[k].p) to[k] = OutSlot(results[k]);
  }
  g_run_composed(op, slots.data(), attrs, to.data());
  for (size_t k = 0; k < nout; ++k) {
    const bool known_type = !expected[k].empty() && expected[k][0].dtype != DataType::UNDEFINED;
    if (!known_type || !outs[k].p) continue;
    if (results[k].defined()) results[k] = CastTo(results[k], expected[k][0].dtype);
    // Room that no rule speaks of, as it is empty.
    const Dims& dims = expected[k][0].dims;
    const auto none = [](const common::Dim& d) { return d.known() && d.value() == 0; };
    if (!results[k].defined() && std::any_of(dims.begin(), dims.end(), none))
      results[k] = Empty(common::ToInts(dims), expected[k][0].dtype, place);
  }
  DeliverResults(results, nout, outs);
  return true;
}

void RunGradOnDevice(const OpDef& op, const InSlot* in, const AttrValue* attrs, OutSlot* outs, Place place) {
  bool given = true, kept = true;  // what has to be there is; all of it has memory
  for (size_t i = 0; i < op.tensors.size(); ++i)
    for (int k = 0; k < in[i].n; ++k) {
      const Tensor& t = in[i].p[k];
      given = given && (t.defined() || op.tensors[i]->kind == ArgDef::kOptionalTensor);
      kept = kept && (!t.defined() || t->storage());
    }
  if (given && kept && RunExternalKernel(op, in, attrs, outs)) return;
  if (given && g_run_generated && g_run_generated(op, in, attrs, outs, place)) return;
  if (KernelTextOf(place) != KernelText::kNone) {
    if (given && (op.flags & kOpComposed)) return op.Run(ThreadContext(), in, attrs, outs);
    if (RunComposed(op, in, attrs, outs, place)) return;
  }
  RunOnHost(op, in, attrs, outs, place);
}

}  // namespace phi
