// SPDX-License-Identifier: Apache-2.0
// Convolutions of float32 and bfloat16 through oneDNN: every primitive, reorder and packed weight is made once and
// kept.
#include <list>
#include <memory>
#include <mutex>

#include "paddle/common/error.h"
#include "paddle/phi/backends/cpu/conv_impl.h"
#include "paddle/phi/backends/cpu/onednn.h"
#include "paddle/phi/core/allocator.h"
#include "paddle/phi/primitives/isa.h"

namespace phi::cpu {
namespace {

using Desc = dnnl::memory::desc;
using Dims = dnnl::memory::dims;
using Tag = dnnl::memory::format_tag;

struct Key {
  int32_t kind, type, nd, channels_last, bias, threads, residual, act;
  float alpha;
  int16_t x_blocked, y_blocked;
  int64_t n, ic, oc, groups;
  int64_t in[3], k[3], out[3], stride[3], dilation[3], pad_lo[3], pad_hi[3];
};

// One tensor of a primitive: as the caller has it, and as the primitive wants it (through the reorder where they
// differ).
struct Operand {
  dnnl::memory user, prim;
  dnnl::reorder reorder;
  int64_t bytes = 0;  // of the primitive's form, rounded up to 64; 0: no reorder

  void Init(const Desc& u, const Desc& p, bool input) {
    const dnnl::engine& eng = OnednnEngine();
    user = dnnl::memory(u, eng, nullptr);
    prim = dnnl::memory(p, eng, nullptr);
    if (u == p) return;
    bytes = static_cast<int64_t>((p.get_size() + 63) / 64 * 64);
    reorder = input ? dnnl::reorder(dnnl::reorder::primitive_desc(eng, u, eng, p))
                    : dnnl::reorder(dnnl::reorder::primitive_desc(eng, p, eng, u));
  }
};

struct Plan {
  uint64_t id = 0;
  bool usable = false;
  dnnl::primitive prim;
  Operand x, w, y;
  Operand sum;  // the residual where it is reordered into the result's place and added there
  dnnl::memory bias, residual;
  int x_arg = 0, w_arg = 0, y_arg = 0, bias_arg = 0;
};

void Run(const dnnl::primitive& p, const dnnl_exec_arg_t* args, int n, const char* what) {
  const dnnl_status_t st = dnnl_primitive_execute(p.get(), OnednnStream().get(), n, args);
  PD_CHECK(st != dnnl_out_of_memory, ResourceExhausted, "[conv] out of memory in ", what);
  PD_CHECK(st == dnnl_success, Internal, "[conv] oneDNN failed in ", what, " with status ", static_cast<int>(st));
}

void Reorder(const Operand& o, bool input) {
  const dnnl_exec_arg_t args[2] = {{DNNL_ARG_FROM, (input ? o.user : o.prim).get()},
                                   {DNNL_ARG_TO, (input ? o.prim : o.user).get()}};
  Run(o.reorder, args, 2, "a reorder");
}

void SetHandle(const dnnl::memory& m, void* p) { dnnl_memory_set_data_handle(m.get(), p); }

// Packed weights of frozen layers; the least recently used ones go first, once nobody uses them.
class WeightCache {
 public:
  using Packed = std::shared_ptr<void>;
  // Null if absent.
  Packed Find(const WeightKey& weight, uint64_t plan) {
    std::lock_guard<std::mutex> lock(mutex_);
    for (auto it = items_.begin(); it != items_.end(); ++it)
      if (it->weight == weight && it->plan == plan) {
        items_.splice(items_.begin(), items_, it);
        return it->p;
      }
    return nullptr;
  }
  // Memory to pack into, for Add; null if it does not fit.
  Packed Room(int64_t bytes) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (bytes > limit_) return nullptr;
    Trim(limit_ - bytes);
    const auto size = static_cast<size_t>(bytes);
    return Packed(AllocateCpu(size), [size](void* p) { FreeCpu(p, size); });
  }
  void Add(const WeightKey& weight, uint64_t plan, int64_t bytes, Packed p) {
    std::lock_guard<std::mutex> lock(mutex_);
    items_.push_front({weight, plan, bytes, std::move(p)});
    total_ += bytes;
    Trim(limit_);
  }
  void SetLimit(int64_t bytes) {
    std::lock_guard<std::mutex> lock(mutex_);
    limit_ = std::max<int64_t>(bytes, 0);
    Trim(limit_);
  }
  void Clear() {
    std::lock_guard<std::mutex> lock(mutex_);
    Trim(0);
  }

 private:
  struct Item {
    WeightKey weight;
    uint64_t plan;
    int64_t bytes;
    Packed p;
  };
  void Trim(int64_t limit) {
    while (total_ > limit && !items_.empty()) {
      total_ -= items_.back().bytes;
      items_.pop_back();
    }
  }
  std::mutex mutex_;
  std::list<Item> items_;
  int64_t total_ = 0, limit_ = int64_t{256} << 20;
};

PlanCache<Key, Plan>& Plans() {
  static auto* plans = new PlanCache<Key, Plan>(256);
  return *plans;
}
WeightCache& Weights() {
  static auto* weights = new WeightCache;
  return *weights;
}

Dims Shape(const int64_t* v, int nd, std::initializer_list<int64_t> lead) {
  Dims d(lead);
  d.insert(d.end(), v, v + nd);
  return d;
}

// Whether the implementation is worth having; `best` leaves out the ones that unfold.
template <class Pd>
bool Good(const Pd& pd, bool best) {
  if (!pd) return false;
  const char* impl = pd.impl_info_str();
  return std::strncmp(impl, "ref", 3) != 0 && !(best && std::strncmp(impl, "gemm", 4) == 0);
}

// The epilogue of the key as post-operations; the residual lies in the result's place (`sum`), or apart in the form
// `y`.
dnnl::primitive_attr Attributes(const Key& key, const Desc& y, bool sum) {
  dnnl::post_ops ops;
  if (key.residual && sum) ops.append_sum(1.f);
  if (key.residual && !sum) ops.append_binary(dnnl::algorithm::binary_add, y);
  switch (static_cast<ConvAct>(key.act)) {
    case ConvAct::kNone: break;
    case ConvAct::kRelu: ops.append_eltwise(dnnl::algorithm::eltwise_relu, 0.f, 0.f); break;
    case ConvAct::kLeakyRelu: ops.append_eltwise(dnnl::algorithm::eltwise_relu, key.alpha, 0.f); break;
    case ConvAct::kRelu6: ops.append_eltwise(dnnl::algorithm::eltwise_clip, 0.f, 6.f); break;
    case ConvAct::kSilu: ops.append_eltwise(dnnl::algorithm::eltwise_swish, 1.f, 0.f); break;
    case ConvAct::kSigmoid: ops.append_eltwise(dnnl::algorithm::eltwise_logistic, 0.f, 0.f); break;
    case ConvAct::kHardSwish: ops.append_eltwise(dnnl::algorithm::eltwise_hardswish, 1.f / 6, 0.5f); break;
  }
  dnnl::primitive_attr attr;
  attr.set_post_ops(ops);
  return attr;
}

// How a primitive has x and y inside. kBlocks: channels-first tensors are computed in blocks of 16 channels, whose
// reorders are three times as fast as those to the channels-last order oneDNN would choose (kOwn); not every shape has
// such an implementation. kLast: channels-last.
enum class Inside { kOwn, kBlocks, kLast };

std::unique_ptr<Plan> Make(const Key& key, DataType t, const ConvDesc& d, Inside inside) {
  auto p = std::make_unique<Plan>();
  static uint64_t ids = 0;
  p->id = __atomic_add_fetch(&ids, 1, __ATOMIC_RELAXED);
  const dnnl::engine& eng = OnednnEngine();
  const auto type = OnednnType(t);
  const ConvKind kind = static_cast<ConvKind>(key.kind);
  const int nd = d.nd;
  static constexpr Tag kFirst[] = {Tag::ncw, Tag::nchw, Tag::ncdhw}, kLast[] = {Tag::nwc, Tag::nhwc, Tag::ndhwc};
  static constexpr Tag kWeight[] = {Tag::oiw, Tag::oihw, Tag::oidhw}, kGroup[] = {Tag::goiw, Tag::goihw, Tag::goidhw};
  const Tag data = d.channels_last ? kLast[nd - 1] : kFirst[nd - 1];
  const Dims xs = Shape(d.in, nd, {d.n, d.ic}), ys = Shape(d.out, nd, {d.n, d.oc});
  const Dims ws =
      d.groups == 1 ? Shape(d.k, nd, {d.oc, d.ic}) : Shape(d.k, nd, {d.groups, d.oc / d.groups, d.ic / d.groups});
  static constexpr Tag kBlocked[] = {Tag::nCw16c, Tag::nChw16c, Tag::nCdhw16c};
  const Desc xu(xs, type, d.x_blocked ? kBlocked[nd - 1] : data), yu(ys, type, d.y_blocked ? kBlocked[nd - 1] : data);
  const Desc wu(ws, type, d.groups == 1 ? kWeight[nd - 1] : kGroup[nd - 1]);
  const Desc bu = key.bias ? Desc({d.oc}, type, Tag::a) : Desc();
  const Dims stride = Shape(d.stride, nd, {}), lo = Shape(d.pad_lo, nd, {}), hi = Shape(d.pad_hi, nd, {});
  Dims dil = Shape(d.dilation, nd, {});
  for (auto& v : dil) --v;
  const bool last = d.channels_last;
  const bool blocked = inside == Inside::kBlocks;
  auto form = [&](const Dims& s, const Desc& user, bool in_blocks) {
    if (inside == Inside::kLast) return Desc(s, type, kLast[nd - 1]);
    if (last || in_blocks) return user;
    return Desc(s, type, blocked && s[1] % 16 == 0 ? kBlocked[nd - 1] : Tag::any);
  };
  const Desc xa = form(xs, xu, d.x_blocked), ya = form(ys, yu, d.y_blocked);
  const Desc wa(ws, type, Tag::any);
  const auto algo = dnnl::algorithm::convolution_direct;
  const bool sum = key.residual && inside != Inside::kOwn && ya != yu;
  const dnnl::primitive_attr attr = Attributes(key, yu, sum);
  if (kind == ConvKind::kForward) {
    const dnnl::convolution_forward::primitive_desc pd(eng, dnnl::prop_kind::forward_inference, algo, xa, wa, bu, ya,
                                                       stride, dil, lo, hi, attr, true);
    if (!Good(pd, inside != Inside::kOwn) || (key.residual && (pd.dst_desc() == yu) == sum)) return p;
    p->prim = dnnl::convolution_forward(pd);
    p->x.Init(xu, pd.src_desc(), true);
    p->w.Init(wu, pd.weights_desc(), true);
    p->y.Init(yu, pd.dst_desc(), false);
    p->x_arg = DNNL_ARG_SRC, p->w_arg = DNNL_ARG_WEIGHTS, p->y_arg = DNNL_ARG_DST, p->bias_arg = DNNL_ARG_BIAS;
  } else {
    const dnnl::convolution_forward::primitive_desc hint(eng, dnnl::prop_kind::forward_training, algo, xa, wa, bu, ya,
                                                         stride, dil, lo, hi, attr, true);
    if (!hint) return p;
    if (kind == ConvKind::kGradInput) {
      const dnnl::convolution_backward_data::primitive_desc pd(eng, algo, xa, wa, ya, stride, dil, lo, hi, hint, attr,
                                                               true);
      if (!Good(pd, inside != Inside::kOwn)) return p;
      p->prim = dnnl::convolution_backward_data(pd);
      p->x.Init(xu, pd.diff_src_desc(), false);
      p->w.Init(wu, pd.weights_desc(), true);
      p->y.Init(yu, pd.diff_dst_desc(), true);
      p->x_arg = DNNL_ARG_DIFF_SRC, p->w_arg = DNNL_ARG_WEIGHTS, p->y_arg = DNNL_ARG_DIFF_DST;
    } else {
      const dnnl::convolution_backward_weights::primitive_desc pd(eng, algo, xa, wa, bu, ya, stride, dil, lo, hi, hint,
                                                                  attr, true);
      if (!Good(pd, inside != Inside::kOwn)) return p;
      p->prim = dnnl::convolution_backward_weights(pd);
      p->x.Init(xu, pd.src_desc(), true);
      p->w.Init(wu, pd.diff_weights_desc(), false);
      p->y.Init(yu, pd.diff_dst_desc(), true);
      p->x_arg = DNNL_ARG_SRC, p->w_arg = DNNL_ARG_DIFF_WEIGHTS, p->y_arg = DNNL_ARG_DIFF_DST;
      p->bias_arg = DNNL_ARG_DIFF_BIAS;
    }
  }
  if (key.bias) p->bias = dnnl::memory(bu, eng, nullptr);
  if (sum)
    p->sum.Init(yu, p->y.prim.get_desc(), true);
  else if (key.residual)
    p->residual = dnnl::memory(yu, eng, nullptr);
  p->usable = true;
  return p;
}

// Rows so short that the blocked kernels, which keep a row of results in registers, reload filters more often than the
// change of order costs.
bool ShortRows(const Key& key, const ConvDesc& d) {
  return static_cast<ConvKind>(key.kind) == ConvKind::kForward && d.nd == 2 && d.groups == 1 && d.out[1] < 8 &&
         d.k[0] * d.k[1] > 1 && d.ic >= 128 && d.oc >= 128;
}

// Whether each element of the filter meets an element of the input: oneDNN leaves gradients of bfloat16 that meet only
// padding unwritten.
bool EachTapMeetsInput(const ConvDesc& d) {
  for (int i = 0; i < d.nd; ++i)
    for (int64_t k = 0; k < d.k[i]; ++k) {
      const int64_t before = d.pad_lo[i] - k * d.dilation[i];
      const int64_t first = before > 0 ? (before + d.stride[i] - 1) / d.stride[i] : 0;
      if (first >= d.out[i] || first * d.stride[i] - before >= d.in[i]) return false;
    }
  return true;
}

std::unique_ptr<Plan> MakeAny(const Key& key, DataType t, const ConvDesc& d) {
  if (static_cast<ConvKind>(key.kind) == ConvKind::kGradWeight && t == DataType::BFLOAT16 && !EachTapMeetsInput(d))
    return std::make_unique<Plan>();  // not usable
  try {
    if (!d.channels_last && HasAvx512() && (d.ic % 16 == 0 || d.oc % 16 == 0 || d.y_blocked)) {
      if (ShortRows(key, d)) {
        auto p = Make(key, t, d, Inside::kLast);
        if (p->usable) return p;
      }
      auto p = Make(key, t, d, Inside::kBlocks);
      if (p->usable || d.y_blocked) return p;
    }
    return Make(key, t, d, Inside::kOwn);
  } catch (const dnnl::error&) {
    return std::make_unique<Plan>();  // not usable
  }
}

auto PlanOf(ConvKind kind, DataType t, const ConvDesc& d, bool bias, const ConvEpilogue& epilogue) {
  Key key;
  std::memset(&key, 0, sizeof key);
  key.kind = static_cast<int32_t>(kind);
  key.type = static_cast<int32_t>(t);
  key.nd = d.nd;
  key.channels_last = d.channels_last;
  key.bias = bias;
  key.residual = epilogue.residual != nullptr;
  key.act = static_cast<int32_t>(epilogue.act);
  key.alpha = epilogue.alpha;
  key.x_blocked = d.x_blocked, key.y_blocked = d.y_blocked;
  key.threads = MaxThreads();
  key.n = d.n, key.ic = d.ic, key.oc = d.oc, key.groups = d.groups;
  for (int i = 0; i < d.nd; ++i) {
    key.in[i] = d.in[i], key.k[i] = d.k[i], key.out[i] = d.out[i], key.stride[i] = d.stride[i];
    key.dilation[i] = d.dilation[i], key.pad_lo[i] = d.pad_lo[i], key.pad_hi[i] = d.pad_hi[i];
  }
  return Plans().Take(key, [&] { return MakeAny(key, t, d); });
}

// Whether the weight's packed form goes into the cache.
bool KeepsWeight(ConvKind kind, const Operand& w, const WeightKey& weight) {
  return w.bytes != 0 && weight.storage != 0 && kind != ConvKind::kGradWeight;
}

}  // namespace

int64_t ConvOnednnScratch(ConvKind kind, DataType t, const ConvDesc& d, bool bias, const ConvEpilogue& epilogue) {
  const auto p = PlanOf(kind, t, d, bias, epilogue);
  if (!p->usable) return -1;
  return Workspace::Piece(p->x.bytes + p->y.bytes) +
         (KeepsWeight(kind, p->w, d.weight_key) ? 0 : Workspace::Piece(p->w.bytes));
}

bool ConvOnednn(ConvKind kind, DataType t, const ConvDesc& d, void* x, void* w, void* bias, void* y,
                const ConvEpilogue& epilogue) {
  const auto p = PlanOf(kind, t, d, bias != nullptr, epilogue);
  if (!p->usable) return false;

  WeightCache::Packed packed;
  bool pack = p->w.bytes != 0;
  const bool keep = KeepsWeight(kind, p->w, d.weight_key);
  if (keep) {
    packed = Weights().Find(d.weight_key, p->id);
    if (packed)
      pack = false;
    else
      packed = Weights().Room(p->w.bytes);
  }
  const CallMemory scratch(p->x.bytes + p->y.bytes), weight(packed ? 0 : p->w.bytes);
  auto bind = [&](const Operand& o, void* user, char* inside) {
    if (o.bytes == 0) {
      SetHandle(o.prim, user);
      return;
    }
    SetHandle(o.user, user);
    SetHandle(o.prim, inside);
  };
  bind(p->x, x, scratch.as());
  bind(p->y, y, scratch.as() + p->x.bytes);
  if (packed) {
    SetHandle(p->w.user, w);
    SetHandle(p->w.prim, packed.get());
  } else {
    bind(p->w, w, weight.as());
  }
  if (bias) SetHandle(p->bias, bias);

  const bool x_in = kind != ConvKind::kGradInput, y_in = kind != ConvKind::kForward,
             w_in = kind != ConvKind::kGradWeight;
  if (x_in && p->x.bytes) Reorder(p->x, true);
  if (y_in && p->y.bytes) Reorder(p->y, true);
  if (w_in && pack) Reorder(p->w, true);
  if (keep && pack && packed) Weights().Add(d.weight_key, p->id, p->w.bytes, packed);
  dnnl_exec_arg_t args[5] = {{p->x_arg, p->x.prim.get()}, {p->w_arg, p->w.prim.get()}, {p->y_arg, p->y.prim.get()}};
  int count = 3;
  if (bias) args[count++] = {p->bias_arg, p->bias.get()};
  if (p->sum.bytes) {
    SetHandle(p->sum.user, const_cast<void*>(epilogue.residual));
    SetHandle(p->sum.prim, p->y.prim.get_data_handle());
    Reorder(p->sum, true);
  } else if (epilogue.residual) {
    SetHandle(p->residual, const_cast<void*>(epilogue.residual));
    args[count++] = {DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, p->residual.get()};
  }
  Run(p->prim, args, count, "a convolution");
  if (!x_in && p->x.bytes) Reorder(p->x, false);
  if (!y_in && p->y.bytes) Reorder(p->y, false);
  if (!w_in && p->w.bytes) Reorder(p->w, false);
  return true;
}

void SetConvWeightCacheLimit(int64_t bytes) { Weights().SetLimit(bytes); }

void ClearConvCaches() {
  Plans().Clear();
  Weights().Clear();
}

}  // namespace phi::cpu
