// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/core/ew_run.h"

#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "paddle/common/dtype_error.h"
#include "paddle/phi/core/ew_watch.h"
#include "paddle/phi/core/host_lock.h"
#include "paddle/phi/core/promote.h"
#include "paddle/phi/core/thread_state.h"
#include "paddle/phi/primitives/isa.h"

namespace phi {
namespace {

constexpr LoopType LoopOf(DataType compute) {
  switch (compute) {
    case DataType::FLOAT32: return kLoopF32;
    case DataType::FLOAT64: return kLoopF64;
    case DataType::INT32: return kLoopI32;
    case DataType::INT64: return kLoopI64;
    case DataType::BOOL: return kLoopBool;
    case DataType::COMPLEX64: return kLoopC64;
    default: return kLoopC128;
  }
}

[[noreturn, gnu::cold]] void Unsupported(const EwDef& def, DataType t) {
  PD_THROW_DTYPE("[", def.name, "] expected a dtype with a kernel, got ", NameOf(t));
}

DataType CommonType(const EwDef& def, const Tensor* const* in) {
  DataType t = DataType::UNDEFINED;
  bool zero_d = true;
  for (int i = 0; i < def.nin; ++i) {
    if (def.bool_input[i]) continue;
    DataType u = in[i]->dtype();
    bool u0 = in[i]->dims().empty();
    t = t == DataType::UNDEFINED ? u : Promote(def.name, t, zero_d, u, u0);
    zero_d = zero_d && u0;
  }
  return t == DataType::UNDEFINED ? in[0]->dtype() : t;
}

// A long run without the host's lock; meanwhile another thread may rebind the operands, whose memory stays.
class Apart {
 public:
  Apart(const EwDef& def, const Tensor* const* in, Tensor* const* out) : keep_(Storages(def, in, out)) {}

 private:
  static std::array<Ref<Storage>, kEwMaxOperands> Storages(const EwDef& def, const Tensor* const* in,
                                                           Tensor* const* out) {
    std::array<Ref<Storage>, kEwMaxOperands> r;
    for (int i = 0; i < def.nout; ++i) r[i] = (*out[i])->storage();
    for (int i = 0; i < def.nin; ++i) r[def.nout + i] = (*in[i])->storage();
    return r;
  }
  std::array<Ref<Storage>, kEwMaxOperands> keep_;
  WithoutHostLock unlocked_;
};

// Whether writing `o` from its first element on would change what is read of `x` later: another part or order of the
// same memory.
bool Crosses(const Tensor& o, const Tensor& x) {
  return SameStorage(x, o) && !(x->offset() == o->offset() && x.dims() == o.dims() && x.strides() == o.strides());
}

DataType LoopDtype(const EwDef& def, int out, DataType compute) {
  return def.out[out] == EwOut::kSame ? compute : def.out[out] == EwOut::kBool ? DataType::BOOL : RealOf(compute);
}

[[gnu::cold]] void Report(const EwDef& def, EwLoop loop, DataType compute, bool flat, const Tensor* const* in,
                          Tensor* const* out, const double* attrs) {
  if (!t_state.seen) return;
  EwSeen& s = *t_state.seen;
  ++s.calls;
  s.flat = flat && !attrs;
  s.loop = loop;
  s.nout = def.nout;
  s.nin = def.nin;
  s.cost = def.cost;
  s.n = out[0]->numel();
  s.spread = !flat && !attrs;
  for (int i = 0; i < def.nout; ++i) {
    s.operands[i] = out[i];
    s.spread = s.spread && out[i]->is_contiguous() && out[i]->dtype() == LoopDtype(def, i, compute);
  }
  for (int i = 0; i < def.nin; ++i) {
    const Tensor& u = *(s.operands[def.nout + i] = in[i]);
    s.spread = s.spread && u.dtype() == (def.bool_input[i] ? DataType::BOOL : compute) && u.is_contiguous() &&
               (u.numel() == 1 || u.dims() == out[0]->dims());
  }
}

}  // namespace

std::atomic<int> g_ew_watches{0};

EwWatch::EwWatch(EwSeen* seen) : old_(std::exchange(t_state.seen, seen)) {
  g_ew_watches.fetch_add(1, std::memory_order_relaxed);
}
EwWatch::~EwWatch() {
  t_state.seen = old_;
  g_ew_watches.fetch_sub(1, std::memory_order_relaxed);
}

DataType EwResult(const EwDef& def, int out, DataType common) {
  DataType same = def.result[static_cast<int>(common)];
  return def.out[out] == EwOut::kSame ? same : def.out[out] == EwOut::kBool ? DataType::BOOL : RealOf(same);
}

double IntegerBits(const Scalar& v) {
  const int64_t i = v.to_int();
  double bits;
  std::memcpy(&bits, &i, sizeof bits);
  return bits;
}

void RunEw(const EwDef& def, const Tensor* const* in, Tensor* const* out, const double* attrs) {
  DataType t = in[0]->dtype();
  for (int i = 1; i < def.nin; ++i)
    if (def.bool_input[i] || def.bool_input[0] || in[i]->dtype() != t) {
      t = CommonType(def, in);
      break;
    }
  RunEwAs(def, t, in, out, attrs);
}

namespace {

// The shape of the results where the operands are not of one shape and contiguous. True: of one element each and none
// of a higher rank than the first, so that layouts do not matter.
bool Broadcast(const EwDef& def, const Tensor* const* in, Ints* dims) {
  const Tensor& x = *in[0];
  *dims = x.dims();
  bool same = true, single = x.numel() == 1;
  for (int i = 1; i < def.nin && same; ++i) {
    same = in[i]->ndim() == 0 || in[i]->dims() == *dims;
    single = single && in[i]->numel() == 1;
  }
  if (same) return single;
  Dims d = common::ToDims(*dims);
  for (int i = 1; i < def.nin; ++i) d = common::BroadcastDims(def.name, d, common::ToDims(in[i]->dims()));
  *dims = common::ToInts(d);
  return false;
}

// Operands of any layouts and dtypes; the results are there.
[[gnu::noinline]] void RunStrided(const EwDef& def, EwLoop loop, DataType compute, const Ints& dims,
                                  const Tensor* const* in, Tensor* const* out, const double* attrs) {
  EwPlan plan;
  plan.loop = loop;
  plan.nout = def.nout;
  plan.nin = def.nin;
  plan.attrs = attrs;
  plan.cost = def.cost;
  plan.shape = dims.data();
  plan.ndim = static_cast<int>(dims.size());
  for (int i = 0; i < def.nout; ++i)
    plan.ops[i] = {out[i]->raw_data(), out[i]->dtype(), LoopDtype(def, i, compute), out[i]->strides().data()};
  Ints strides[kEwMaxOperands];
  for (int i = 0; i < def.nin; ++i) {
    const Tensor& u = *in[i];
    Ints& s = strides[i];
    s.assign(plan.ndim, 0);
    const int64_t shift = plan.ndim - u.dims().size();
    for (int64_t k = 0; k < u.dims().size(); ++k) s[k + shift] = u.dim(k) == 1 ? 0 : u.strides()[k];
    plan.ops[def.nout + i] = {u.raw_data(), u.dtype(), def.bool_input[i] ? DataType::BOOL : compute, s.data()};
  }
  RunElementwise(plan);
}

}  // namespace

void RunEwAs(const EwDef& def, DataType t, const Tensor* const* in, Tensor* const* out, const double* attrs) {
  const DataType compute = def.compute[static_cast<int>(t)];
  if (__builtin_expect(compute == DataType::UNDEFINED, 0)) Unsupported(def, t);
  const EwLoop loop = def.loops[static_cast<int>(CpuIsa())][LoopOf(compute)];
  if (__builtin_expect(loop == nullptr, 0)) Unsupported(def, t);

  const Tensor& x = *in[0];
  const int nin = def.nin, nout = def.nout;
  Ints broadcast;
  const Ints* dims = &x.dims();
  bool flat = x.is_contiguous();
  for (int i = 1; i < nin && flat; ++i) flat = in[i]->is_contiguous() && in[i]->dims() == *dims;
  if (__builtin_expect(!flat, 0)) {
    flat = Broadcast(def, in, &broadcast);
    dims = &broadcast;
  }

  // Where all are flat and none needs a conversion, the loop runs on the memory as it is.
  char* ptrs[kEwMaxOperands];
  int8_t sizes[kEwMaxOperands];
  for (int i = 0; i < nout; ++i) {
    Tensor& o = *out[i];
    // A given output of the right shape takes the result in its own dtype (in-place ops); else a new one is made.
    if (!o.defined() || !(o.dims() == *dims) || !o.place().is_cpu()) {
      o = Empty(*dims, EwResult(def, i, t), x.place());
    } else {
      for (int k = 0; k < nin; ++k) {
        if (__builtin_expect(!Crosses(o, *in[k]), 1)) continue;
        const Tensor* others[kEwMaxOperands];
        std::copy_n(in, nin, others);
        Tensor copy = Empty(in[k]->dims(), in[k]->dtype());
        CopyInto(*in[k], copy);
        others[k] = &copy;
        return RunEwAs(def, t, others, out, attrs);
      }
    }
    flat = flat && o.dtype() == LoopDtype(def, i, compute) && o.is_contiguous();
    ptrs[i] = static_cast<char*>(o.raw_data());
    sizes[i] = static_cast<int8_t>(SizeOf(o.dtype()));
  }
  for (int i = 0; i < nin; ++i) {
    const Tensor& u = *in[i];
    flat = flat && u.dtype() == (def.bool_input[i] ? DataType::BOOL : compute);
    ptrs[nout + i] = static_cast<char*>(u.raw_data());
    sizes[nout + i] = static_cast<int8_t>(SizeOf(u.dtype()));
  }
  if (__builtin_expect(g_ew_watches.load(std::memory_order_relaxed) != 0, 0))
    Report(def, loop, compute, flat, in, out, attrs);
  std::optional<Apart> unlocked;
  if (__builtin_expect(out[0]->numel() >= kLongWork, 0)) unlocked.emplace(def, in, out);
  if (flat)
    RunElementwiseContiguous(loop, nout + nin, ptrs, sizes, x.numel(), attrs, def.cost);
  else
    RunStrided(def, loop, compute, *dims, in, out, attrs);
}

void InferEw(const EwDef& def, const MetaSlot* in, std::vector<Meta>* out) {
  Dims dims = in[0].p->dims;
  DataType t = DataType::UNDEFINED;
  bool zero_d = true;
  for (int i = 0; i < def.nin; ++i) {
    const Meta& m = *in[i].p;
    if (i) dims = common::BroadcastDims(def.name, dims, m.dims);
    if (def.bool_input[i]) continue;
    t = t == DataType::UNDEFINED ? m.dtype : Promote(def.name, t, zero_d, m.dtype, m.dims.empty());
    zero_d = zero_d && m.dims.empty();
  }
  if (t == DataType::UNDEFINED) t = in[0].p->dtype;
  if (def.compute[static_cast<int>(t)] == DataType::UNDEFINED) Unsupported(def, t);
  for (int i = 0; i < def.nout; ++i) out[i] = {{dims, EwResult(def, i, t)}};
}

}  // namespace phi
