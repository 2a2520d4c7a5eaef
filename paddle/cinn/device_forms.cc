// SPDX-License-Identifier: Apache-2.0
// The primitives on NVIDIA GPUs: which kernel of the library serves a call, with which numbers.
#include <algorithm>
#include <array>
#include <bit>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "paddle/cinn/codegen/ptx.h"
#include "paddle/cinn/device_launch.h"
#include "paddle/phi/backends/cpu/attention_args.inc.h"
#include "paddle/phi/backends/cpu/conv.h"
#include "paddle/phi/backends/cpu/pool.h"
#include "paddle/phi/backends/gpu/blaslt.h"
#include "paddle/phi/backends/gpu/dnn_ops.h"
#include "paddle/phi/backends/gpu/fft_ops.h"
#include "paddle/phi/backends/gpu/solver_ops.h"
#include "paddle/phi/core/device_ops.h"

namespace cinn {
namespace {

using phi::DataType;

constexpr int64_t kMostAxes = 8;
constexpr int kFirstTensorCores = 80;  // the capability that has them for bfloat16 and tf32

// Numbers of the products' kernels; device_gemm.inc.h has the same.
enum : size_t { kM, kN, kK, kInner, kA, kB = 13, kC = 22, kHasBias = 28, kAll, kPicture, kFlatA = 53, kFlatB };
enum : size_t { kKind, kDivI, kStrideI, kStepI, kDivK, kStrideK, kStepK, kBatch0, kBatch1 };
enum : int64_t { kMatrix, kSees, kSeen, kSplit, kTapsFirst };
using Product = std::array<int64_t, 56>;

Product Start(int64_t m, int64_t n, int64_t k) {
  if (std::max({m, n, k}) >= INT_MAX) throw phi::NoDeviceForm{"extents beyond 32 bits"};
  Product p = {};
  p[kM] = m, p[kN] = n, p[kK] = k, p[kInner] = 1;
  p[kA + kDivI] = p[kA + kDivK] = p[kB + kDivI] = p[kB + kDivK] = p[kC] = INT_MAX;
  return p;
}

// Numbers of the kernels of pooling; device_windows.inc.h has the same.
std::vector<int64_t> NumbersOf(const phi::cpu::PoolDesc& d, int64_t total) {
  constexpr int64_t kMost = 1 << 30;
  std::vector<int64_t> p = {total, d.c, d.channels_last};
  auto put = [&](const int64_t* values, int64_t otherwise) {
    for (int i = 0; i < 3; ++i) {
      const int own = i - (3 - d.nd);
      p.push_back(own >= 0 ? values[own] : otherwise);
      if (std::abs(p.back()) >= kMost) throw phi::NoDeviceForm{"windows beyond 30 bits"};
    }
  };
  put(d.in, 1), put(d.k, 1), put(d.out, 1), put(d.stride, 1);
  const int64_t none[3] = {0, 0, 0};
  put(d.adaptive ? none : d.pad_lo, 0), put(d.adaptive ? none : d.pad_hi, 0), put(d.dilation, 1);
  int64_t in = 1, out = 1;
  for (int i = 0; i < d.nd; ++i) {
    if (d.k[i] * d.dilation[i] + d.out[i] * d.stride[i] >= kMost) throw phi::NoDeviceForm{"windows beyond 30 bits"};
    if (__builtin_mul_overflow(in, d.in[i], &in) || __builtin_mul_overflow(out, d.out[i], &out) ||
        std::max(in, out) >= INT_MAX)
      throw phi::NoDeviceForm{"planes beyond 31 bits"};
  }
  p.insert(p.end(), {d.adaptive, d.exclusive || d.adaptive, d.divisor});
  return p;
}

// Numbers of attention's kernels; device_attention.inc.h has the same.
enum : size_t { kHeads, kKeyHeads, kNq, kNk, kDim, kValueDim, kScale, kCausal, kOffset, kQ, kKey = 12, kValue = 15 };
enum : size_t { kMask = 18, kMaskBy, kKept = 23, kKeptBy, kBlocks, kOut, kGrad = 29, kFlat = kOut };
using AttentionNumbers = std::array<int64_t, 32>;
constexpr int64_t kPartOfRow = 8;     // elements of a thread
constexpr int64_t kTensorRows = 128;  // rows of a block of the kernels by tensor cores

// How many elements of a row the kernel has room for.
int64_t WidthOf(const phi::cpu::AttentionArgs& a) {
  const int64_t most = std::max(a.dim, a.vdim);
  if (most > 256) throw phi::NoDeviceForm{"heads of more than 256 elements"};
  if (std::max({a.nq, a.nk, std::abs(a.offset)}) >= INT_MAX / 2) throw phi::NoDeviceForm{"lengths beyond 32 bits"};
  return most <= 64 ? 64 : most <= 128 ? 128 : 256;
}
// Whether eight neighbours of each row lie together at multiples of 16 bytes.
int64_t AreFlat(const phi::cpu::AttentionRows& r) {
  return reinterpret_cast<uintptr_t>(r.p) % 16 == 0 && r.batch % 8 == 0 && r.row % 8 == 0 && r.head % 8 == 0;
}
int64_t RowsOfBlock(int64_t width) { return kGpuThreads / (width / kPartOfRow); }

AttentionNumbers NumbersOf(const phi::cpu::AttentionArgs& a) {
  AttentionNumbers p = {};
  auto number = [](double v) { return std::bit_cast<int64_t>(v); };
  p[kHeads] = a.heads, p[kKeyHeads] = a.kv_heads, p[kNq] = a.nq, p[kNk] = a.nk, p[kDim] = a.dim, p[kValueDim] = a.vdim;
  p[kScale] = number(a.scale), p[kCausal] = a.causal, p[kOffset] = a.offset;
  auto put = [&](size_t at, const phi::cpu::AttentionRows& r) {
    p[at] = r.batch, p[at + 1] = r.row, p[at + 2] = r.head;
  };
  put(kQ, a.q), put(kKey, a.k), put(kValue, a.v);
  if (a.mask) {
    switch (static_cast<DataType>(a.mask_type)) {
      case DataType::BOOL: p[kMask] = 1; break;
      case DataType::FLOAT32: p[kMask] = 2; break;
      case DataType::FLOAT64: p[kMask] = 3; break;
      case DataType::FLOAT16: p[kMask] = 4; break;
      case DataType::BFLOAT16: p[kMask] = 5; break;
      default: throw phi::NoDeviceForm{"a mask of another dtype"};
    }
    std::copy_n(a.mask_strides, 4, p.begin() + kMaskBy);
  }
  p[kKept] = a.keep != nullptr, p[kKeptBy] = number(a.keep_scale);
  return p;
}

// Whether products of float32 may be of its first bits.
bool RoundsToTf32() {
  static const bool tf32 = [] {
    const char* flag = std::getenv("FLAGS_gpu_tf32");
    return flag && *flag == '1';
  }();
  return tf32;
}

// How the blocks of a kernel divide a tensor by its channels; device_norm.inc.h says what they have.
struct ChannelBlocks {
  int64_t c, parts, count;
  std::vector<int64_t> numbers;

  ChannelBlocks(DataType t, const phi::ChannelShape& s, std::initializer_list<const void*> packs, int64_t threads)
      : c(s.c) {
    if (!phi::IsFloating(t)) throw phi::NoDeviceForm{"a norm of this dtype"};
    // kLeast and kPack are bytes.
    constexpr int64_t kMostChannels = 1 << 20, kMostParts = 256, kLeast = 1 << 15, kMostLanes = 32, kPack = 16;
    if (c > kMostChannels) throw phi::NoDeviceForm{"too many channels"};
    int64_t lanes = 0, pack = kPack / phi::SizeOf(t);
    if (s.channels_last || s.spatial == 1)
      for (lanes = 1; lanes < std::min(c, kMostLanes);) lanes *= 2;
    const bool packed = lanes == 0 && s.spatial % pack == 0 &&
                        std::all_of(packs.begin(), packs.end(),
                                    [](const void* p) { return reinterpret_cast<uintptr_t>(p) % kPack == 0; });
    if (!packed) pack = 1;
    const int64_t tiles = lanes ? (c + lanes - 1) / lanes : c, each = s.n * s.spatial / pack;
    const int64_t useful = lanes ? each * lanes * phi::SizeOf(t) / (2 * kLeast) : each * pack * phi::SizeOf(t) / kLeast;
    const int64_t wanted = 2 * threads / kGpuThreads / std::max<int64_t>(tiles, 1);
    parts = std::clamp<int64_t>(std::min(useful, wanted), 1, kMostParts);
    count = tiles * parts;
    numbers = {s.n, c, s.spatial, parts, lanes, packed};
  }
  int64_t room() const { return parts * 2 * c * 8; }
  // Sums that are left to the kernels which read them: of many parts there is a total.
  int64_t held() const { return parts > 8 ? 1 : parts; }
};

class Forms final : public DrawForms {
 public:
  using DrawForms::DrawForms;

  void Zero(void* p, int64_t bytes) const override { Each("device_zero", bytes, {p}, {bytes}); }

  void Fill(int64_t elem_size, int64_t n, void* p, const void* value) const override {
    int64_t both[2] = {0, 0};
    std::memcpy(both, value, static_cast<size_t>(elem_size));
    Each("device_fill_" + std::to_string(elem_size), n, {p}, {n, both[0], both[1]});
  }

  void Steps(DataType t, int64_t n, int64_t first, int64_t step, void* out) const override {
    if (t != DataType::INT32 && t != DataType::INT64) throw phi::NoDeviceForm{"steps of this dtype"};
    Each(KernelOf("steps", t), n, {out}, {n, first, step});
  }
  void Steps(DataType t, int64_t n, double first, double step, void* out) const override {
    if (t != DataType::FLOAT32 && t != DataType::FLOAT64) throw phi::NoDeviceForm{"steps of this dtype"};
    Each(KernelOf("steps", t), n, {out}, {n, std::bit_cast<int64_t>(first), std::bit_cast<int64_t>(step)});
  }

  void Copy(int64_t elem_size, Numbers shape, const void* src, Numbers src_strides, void* dst,
            Numbers dst_strides) const override {
    std::vector<int64_t> numbers(3 * kMostAxes, 0);
    std::fill_n(numbers.begin(), kMostAxes, 1);
    int64_t n = 1, used = 0;
    for (size_t a = shape.size(); a-- > 0;) {
      n *= shape[a];
      if (shape[a] == 1) continue;
      const auto last = static_cast<size_t>(kMostAxes - used);
      // An axis that goes on where the one inside of it ends.
      if (used && src_strides[a] == numbers[last] * numbers[kMostAxes + last] &&
          dst_strides[a] == numbers[last] * numbers[2 * kMostAxes + last]) {
        numbers[last] *= shape[a];
        continue;
      }
      if (++used > kMostAxes) throw phi::NoDeviceForm{"more axes than a copy walks"};
      numbers[last - 1] = shape[a];
      numbers[kMostAxes + last - 1] = src_strides[a];
      numbers[2 * kMostAxes + last - 1] = dst_strides[a];
    }
    const int64_t together = Together(elem_size, numbers, src, dst);
    numbers[kMostAxes - 1] /= together;
    for (size_t k = kMostAxes; k < numbers.size(); ++k)
      if (k % kMostAxes != kMostAxes - 1) numbers[k] /= together;
    numbers.insert(numbers.begin(), n / together);
    Each("device_copy_" + std::to_string(elem_size * together), n / together, {src, dst}, numbers);
  }

  int64_t Positions(DataType index_t, const void* index, int64_t stride, int64_t n, bool first, int64_t count,
                    int64_t* at, bool wraps, bool value) const override {
    const Wrong wrong(*this, value);  // rows outside of it are the first ones
    Each(KernelOf("positions", index_t), count, {index, at, wrong.at()}, {count, stride, n, first, wraps});
    return wrong.Least();
  }

  void Checked(DataType index_t, const void* index, int64_t count, int64_t low, int64_t n, int64_t except, bool value,
               void* out) const override {
    Each(KernelOf("checked", index_t), count, {index, out, phi::OutsideFlag(place_, value)}, {count, low, n, except});
  }

  void Along(Numbers index_shape, int axis, Numbers strides, int64_t total, int64_t* at) const override {
    const size_t rank = index_shape.size(), before = static_cast<size_t>(kMostAxes) - rank;
    if (rank > static_cast<size_t>(kMostAxes)) throw phi::NoDeviceForm{"more axes than an index has"};
    std::vector<int64_t> numbers(2 + 2 * kMostAxes, 0);
    numbers[0] = total;
    numbers[1] = axis + static_cast<int64_t>(before);
    for (size_t a = 0; a < static_cast<size_t>(kMostAxes); ++a) {
      numbers[2 + a] = a < before ? 1 : index_shape[a - before];
      numbers[2 + static_cast<size_t>(kMostAxes) + a] = a < before ? 0 : strides[a - before];
    }
    Each("device_along", total, {at}, numbers);
  }

  void Read(int64_t elem_size, const void* x, int64_t outer, int64_t n, int64_t inner, const int64_t* at, int64_t count,
            void* out) const override {
    const int64_t total = outer * count * inner;
    Each("device_read_" + std::to_string(elem_size), total, {x, at, out}, {total, n, inner, count});
  }

  void Write(DataType t, void* out, int64_t outer, int64_t n, int64_t inner, const int64_t* at, int64_t count,
             const void* src, phi::RowWrite how, int64_t skip) const override {
    constexpr int64_t kThreads = 1 << 16, kMostLooks = int64_t{1} << 34;
    const int64_t columns = outer * inner, slices = std::clamp<int64_t>(kThreads / std::max<int64_t>(columns, 1), 1, n);
    if (columns * slices > kMostLooks / std::max<int64_t>(count, 1)) throw phi::NoDeviceForm{"too long an index"};
    const bool half = t == DataType::FLOAT16 || t == DataType::BFLOAT16;
    const std::string kernel = KernelOf("add", half ? DataType::FLOAT32 : t);
    if (half) {
      const int64_t to = outer * n * inner, from = outer * count * inner;
      const auto wide_out = Room(to * 4), wide_src = Room(from * 4);
      Each(KernelOf("widen", t), to, {out, wide_out.get()}, {to});
      Each(KernelOf("widen", t), from, {src, wide_src.get()}, {from});
      Write(DataType::FLOAT32, wide_out.get(), outer, n, inner, at, count, wide_src.get(), how, skip);
      return Each(KernelOf("round", t), to, {wide_out.get(), out}, {to});
    }
    Each(kernel, columns * slices, {src, at, out}, {columns, n, inner, count, slices, skip, static_cast<int64_t>(how)});
  }

  void Put(int64_t elem_size, void* out, int64_t outer, int64_t n, int64_t inner, const int64_t* at, int64_t count,
           const void* src, bool one) const override {
    const std::string kernel = "device_put_" + std::to_string(elem_size);
    const int64_t total = outer * count * inner;
    if (total == 0) return;
    if (one) return Each(kernel, total, {src, at, nullptr, out}, {total, n, inner, count});
    const auto last = Room(n * 8);
    const int64_t none = -1;
    Fill(8, n, last.get(), &none);
    Each("device_last", count, {at, last.get()}, {count});
    Each(kernel, total, {src, at, last.get(), out}, {total, n, inner, count});
  }

  void Scan(bool product, DataType t, const void* x, int64_t outer, int64_t n, int64_t inner, bool exclusive,
            bool reverse, void* out) const override {
    const int64_t lines = outer * inner;
    Each(KernelOf(product ? "cumprod" : "cumsum", t), lines, {x, out}, {lines, n, inner, exclusive, reverse});
  }

  void Order(DataType t, const void* x, int64_t outer, int64_t n, int64_t inner, int64_t k, bool descending,
             void* values, int64_t* indices) const override {
    constexpr int64_t kLongest = 1 << 16;
    if (n > kLongest) throw phi::NoDeviceForm{"lines too long to compare each element with all"};
    const int64_t lines = outer * inner;
    const auto room = Room(values && indices ? 0 : lines * k * 8);
    void* v = values ? values : room.get();
    void* i = indices ? static_cast<void*>(indices) : room.get();
    Each(KernelOf("rank", t), lines * n, {x, v, i}, {lines, n, inner, k, descending});
  }

  void Matmul(DataType t, const void* x, Numbers x_shape, Numbers x_strides, bool tx, const void* y, Numbers y_shape,
              Numbers y_strides, bool ty, const void* bias, void* out) const override {
    phi::ProductExtras with;
    with.bias = bias;
    MatmulAnd(false, with, t, x, x_shape, x_strides, tx, y, y_shape, y_strides, ty, out);
  }
  bool MatmulWith(const phi::ProductExtras& with, DataType t, const void* x, Numbers x_shape, Numbers x_strides,
                  bool tx, const void* y, Numbers y_shape, Numbers y_strides, bool ty, void* out) const override {
    return MatmulAnd(true, with, t, x, x_shape, x_strides, tx, y, y_shape, y_strides, ty, out);
  }

  void Convolve(phi::ConvPass pass, DataType t, const phi::cpu::ConvDesc& d, const void* a, const void* b,
                void* out) const override {
    if (d.x_blocked || d.y_blocked) throw phi::NoDeviceForm{"a blocked layout"};
    if (phi::gpu::DnnConvolve(*this, pass, t, d, a, b, out, RoundsToTf32())) return;
    const int64_t ic = d.ic / d.groups, oc = d.oc / d.groups;
    int64_t in = 1, seen = 1, taps = 1;
    for (int i = 0; i < d.nd; ++i) in *= d.in[i], seen *= d.out[i], taps *= d.k[i];
    const bool last = d.channels_last;
    const int64_t x_channel = last ? 1 : in, x_pixel = last ? d.ic : 1, y_channel = last ? 1 : seen,
                  y_pixel = last ? d.oc : 1;
    const bool forward = pass == phi::ConvPass::kForward, to_input = pass == phi::ConvPass::kGradInput;
    Product p = forward    ? Start(d.n * seen, oc, ic * taps)
                : to_input ? Start(d.n * in, ic, oc * taps)
                           : Start(oc, ic * taps, d.n * seen);
    p[kInner] = d.groups;
    int64_t* g = p.data() + kPicture;
    for (size_t i = 0; i < 3; ++i) {
      const auto s = static_cast<int>(i) - (3 - d.nd);
      const bool real = s >= 0;
      g[i] = real ? d.in[s] : 1;
      g[3 + i] = real ? d.k[s] : 1;
      g[6 + i] = real ? d.out[s] : 1;
      g[9 + i] = real ? d.stride[s] : 1;
      g[12 + i] = real ? d.dilation[s] : 1;
      g[15 + i] = real ? d.pad_lo[s] : 0;
    }
    g[18] = to_input ? d.oc * seen : d.ic * in;
    g[19] = to_input ? y_channel : x_channel;
    int64_t step = to_input ? y_pixel : x_pixel;
    for (size_t i = 3; i-- > 0;) {
      g[20 + i] = step;
      step *= to_input ? g[6 + i] : g[i];
    }
    int64_t *left = p.data() + kA, *right = p.data() + kB, *result = p.data() + kC;
    if (forward) {
      left[kKind] = kSees, left[kBatch1] = ic * x_channel;
      right[kStepI] = ic * taps, right[kStepK] = 1, right[kBatch1] = oc * ic * taps;
      result[0] = seen, result[1] = d.oc * seen, result[2] = y_pixel, result[3] = y_channel, result[5] = oc * y_channel;
    } else if (to_input) {
      left[kKind] = kSeen, left[kBatch1] = oc * y_channel;
      right[kKind] = kSplit, right[kStepI] = taps, right[kDivK] = taps, right[kStrideK] = ic * taps;
      right[kStepK] = 1, right[kBatch1] = oc * ic * taps;
      result[0] = in, result[1] = d.ic * in, result[2] = x_pixel, result[3] = x_channel, result[5] = ic * x_channel;
    } else {
      left[kKind] = kSplit, left[kStepI] = y_channel, left[kDivK] = seen, left[kStrideK] = d.oc * seen;
      left[kStepK] = y_pixel, left[kBatch1] = oc * y_channel;
      right[kKind] = kSees + kTapsFirst, right[kBatch1] = ic * x_channel;
      result[2] = ic * taps, result[3] = 1, result[5] = oc * ic * taps;
    }
    // The operands of the last product are dy and x, in that order.
    const bool swapped = !forward && !to_input;
    Multiply(t, p, d.groups, swapped ? b : a, swapped ? a : b, nullptr, out);
  }

  void Reduce(phi::LineOp op, DataType t, const void* x, Numbers shape, Numbers strides, uint64_t mask, void* out,
              double p) const override {
    if (phi::IsComplex(t) && (op == phi::LineOp::kSum || op == phi::LineOp::kMean)) {
      // Of reals along one more axis, which stays.
      std::vector<int64_t> extents(shape.begin(), shape.end()), steps(strides.begin(), strides.end());
      for (int64_t& s : steps) s *= 2;
      extents.push_back(2), steps.push_back(1);
      return Reduce(op, phi::RealOf(t), x, extents, steps, mask, out, p);
    }
    if (op != phi::LineOp::kProduct && op < phi::LineOp::kSum && !phi::IsFloating(t))
      throw phi::NoDeviceForm{"a norm of numbers that are not floating"};
    // Extents and strides of what is kept, and of what is reduced, outermost first; axes that go on are one.
    struct Axes {
      std::vector<int64_t> extents, strides;
      int64_t count = 1;
    } axes[2];
    for (size_t a = 0; a < shape.size(); ++a) {
      Axes& to = axes[mask >> a & 1];
      to.count *= shape[a];
      if (shape[a] == 1) continue;
      if (!to.strides.empty() && to.strides.back() == shape[a] * strides[a])
        to.extents.back() *= shape[a], to.strides.back() = strides[a];
      else
        to.extents.push_back(shape[a]), to.strides.push_back(strides[a]);
    }
    if (axes[0].count == 0) return;
    if (axes[1].count == 0) throw phi::NoDeviceForm{"nothing to reduce"};
    const bool beside = !axes[0].strides.empty() && axes[0].strides.back() == 1;  // neighbours in memory are kept
    std::vector<int64_t> numbers = {static_cast<int64_t>(op), axes[0].count, axes[1].count, std::bit_cast<int64_t>(p)};
    constexpr size_t kMost = 4;
    for (const Axes& one : axes) {
      if (one.extents.size() > kMost) throw phi::NoDeviceForm{"more axes than a reduction walks"};
      numbers.insert(numbers.end(), kMost - one.extents.size(), 1);
      numbers.insert(numbers.end(), one.extents.begin(), one.extents.end());
      numbers.insert(numbers.end(), kMost - one.extents.size(), 0);
      numbers.insert(numbers.end(), one.strides.begin(), one.strides.end());
    }
    const bool alone = axes[1].count <= kFew || (beside && axes[0].count >= kFew);
    const int64_t blocks = alone ? (axes[0].count + kGpuThreads - 1) / kGpuThreads : axes[0].count;
    Launch(KernelOf(alone ? "reduce_alone" : "reduce", t), blocks, {x, out}, numbers);
  }

  void ArgReduce(bool max, DataType t, const void* x, int64_t outer, int64_t n, int64_t inner, DataType index_t,
                 void* indices) const override {
    const int64_t lines = outer * inner;
    const bool narrow = index_t == DataType::INT32, alone = inner > 1 || n <= kFew;
    const auto wide = Room(narrow ? lines * 8 : 1);
    void* to = narrow ? wide.get() : indices;
    const std::string kernel = KernelOf(alone ? "extreme_alone" : "extreme", t);
    Launch(kernel, alone ? (lines + kGpuThreads - 1) / kGpuThreads : lines, {x, to}, {lines, n, inner, max});
    if (narrow) Each("device_narrow_i32", lines, {to, indices}, {lines});
  }

  void Pool(phi::PoolPass pass, DataType t, const phi::cpu::PoolDesc& d, const void* x, const void* y, const void* dy,
            void* out, void* mask) const override {
    if (!phi::IsFloating(t)) throw phi::NoDeviceForm{"windows of this dtype"};
    int64_t inputs = d.n * d.c, outputs = d.n * d.c;
    for (int i = 0; i < d.nd; ++i) inputs *= d.in[i], outputs *= d.out[i];
    std::vector<int64_t> p = NumbersOf(d, outputs);
    if (pass == phi::PoolPass::kMax) {
      const double lowest = t == DataType::FLOAT64    ? std::numeric_limits<double>::lowest()
                            : t == DataType::FLOAT16  ? -65504.0
                            : t == DataType::BFLOAT16 ? -3.3895313892515355e38
                                                      : static_cast<double>(std::numeric_limits<float>::lowest());
      p.push_back(std::bit_cast<int64_t>(lowest));
      return Each(KernelOf("pool_max", t), outputs, {x, out, mask}, p);
    }
    if (pass == phi::PoolPass::kMean) return Each(KernelOf("pool_mean", t), outputs, {x, out}, p);
    std::shared_ptr<void> found;
    if (pass == phi::PoolPass::kMaxGrad) {
      found = Room(outputs * 4);
      Each(KernelOf("pool_found", t), outputs, {x, y, found.get()}, p);
    }
    const auto scaled = found ? nullptr : Room(outputs * (t == DataType::FLOAT64 ? 8 : 4));
    if (scaled) Each(KernelOf("pool_scaled", t), outputs, {dy, scaled.get()}, p);
    p[0] = inputs;
    if (found)
      Each(KernelOf("pool_grad", t), inputs, {dy, found.get(), out}, p);
    else
      Each(KernelOf("pool_spread", t), inputs, {scaled.get(), out}, p);
  }

  void BatchNorm(DataType t, const phi::ChannelShape& shape, const void* x, const void* scale, const void* bias,
                 bool given, double epsilon, double momentum, void* mean, void* variance, void* out, void* saved_mean,
                 void* saved_inverse) const override {
    const ChannelBlocks blocks(t, shape, {x, out}, most_threads_);
    const auto sums = Room(given ? 0 : blocks.room());
    if (!given) SumChannels(t, blocks, x, nullptr, nullptr, sums.get());
    std::vector<int64_t> numbers = blocks.numbers;
    numbers.push_back(given ? 0 : blocks.held());
    for (double v : {momentum, 1 - momentum, epsilon}) numbers.push_back(std::bit_cast<int64_t>(v));
    Launch(KernelOf("channel_norm", t), blocks.count,
           {x, sums.get(), scale, bias, mean, variance, out, saved_mean, saved_inverse}, numbers);
  }

  void BatchNormGrad(DataType t, const phi::ChannelShape& shape, const void* x, const void* dout, const void* scale,
                     bool given, const void* mean, const void* inverse, void* dx, void* dscale,
                     void* dbias) const override {
    const ChannelBlocks blocks(t, shape, {x, dout, dx}, most_threads_);
    const bool sum = !given || dscale || dbias;
    const auto sums = Room(sum ? blocks.room() : 0);
    if (sum) SumChannels(t, blocks, x, dout, mean, sums.get());
    std::vector<int64_t> numbers = blocks.numbers;
    numbers.insert(numbers.end(), {sum ? blocks.held() : 0, given});
    Launch(KernelOf("channel_grad", t), blocks.count, {x, dout, sums.get(), scale, mean, inverse, dx, dscale, dbias},
           numbers);
  }

  void SumChannels(DataType t, const ChannelBlocks& blocks, const void* x, const void* g, const void* mean,
                   void* sums) const {
    Launch(KernelOf("channel_sums", t), blocks.count, {x, g, mean, sums}, blocks.numbers);
    if (blocks.held() < blocks.parts) Each("device_channel_totals", 2 * blocks.c, {sums}, {2 * blocks.c, blocks.parts});
  }

  void WeightedRows(DataType from_t, DataType to_t, const void* x, int64_t outer, int64_t from, int64_t inner,
                    Numbers starts, Numbers at, std::span<const double> weights, void* out) const override {
    const auto there = [&](auto numbers) { return Sent(numbers.data(), static_cast<int64_t>(numbers.size()) * 8); };
    const auto to = static_cast<int64_t>(starts.size()) - 1, total = outer * to * inner;
    const char* name = NumberName(to_t);
    if (!phi::IsFloating(from_t) || !name) throw phi::NoDeviceForm{"a dtype without such kernels"};
    const auto s = there(starts), a = there(at), w = there(weights);
    Each(KernelOf("taps", from_t) + "_" + name, total, {x, s.get(), a.get(), w.get(), out}, {total, from, to, inner});
  }

  void Scale(DataType t, int64_t n, double even, double odd, const void* x, void* out) const override {
    Each(KernelOf("scale", t), n, {x, out}, {n, std::bit_cast<int64_t>(even), std::bit_cast<int64_t>(odd)});
  }
  void Triangle(DataType t, int64_t rows, int64_t columns, bool upper, bool unit, void* p,
                int64_t count) const override {
    const bool wide = phi::RealOf(t) == DataType::FLOAT64;
    const int64_t one = wide ? std::bit_cast<int64_t>(1.0) : std::bit_cast<int32_t>(1.0f);
    const int64_t all = count * rows * columns;
    Each("device_triangle_" + std::to_string(phi::SizeOf(t)), all, {p}, {all, rows, columns, upper, unit, one, 0});
  }
  void Factor(const phi::MatrixWork& work) const override { phi::gpu::SolverFactor(*this, work); }
  void Transform(const phi::Fourier& f, const void* x, void* out) const override {
    phi::gpu::FftTransform(*this, f, x, out);
  }

  void Attention(const phi::cpu::AttentionArgs& a, void* out, double* lse) const override {
    if (MayBeLibrarys(a)) {
      const int64_t n = a.batch * a.heads * a.nq;
      const auto narrow = Room(n * 4);
      if (phi::gpu::DnnAttend(*this, a, out, static_cast<float*>(narrow.get())))
        return Each(KernelOf("widen", DataType::FLOAT32), n, {narrow.get(), lse}, {n});
    }
    const int64_t width = WidthOf(a);
    const bool tensor = ByTensorCores(a, width);
    const int64_t rows = tensor ? kTensorRows : RowsOfBlock(width);
    AttentionNumbers p = NumbersOf(a);
    p[kBlocks] = a.batch * a.heads * ((a.nq + rows - 1) / rows);
    p[kFlat] = AreFlat(a.q) | AreFlat(a.k) << 1 | AreFlat(a.v) << 2;
    const std::string extra = a.mask || a.keep ? "_extra" : "";
    Launch(Attending(tensor ? "_mma" + extra : "", width, a), p[kBlocks],
           {a.q.p, a.k.p, a.v.p, a.mask ? a.mask : a.q.p, a.keep ? a.keep : a.q.p, out, lse}, {p.begin(), p.end()});
  }

  void AttentionGrad(const phi::cpu::AttentionGradArgs& g) const override {
    const phi::cpu::AttentionArgs& a = g.a;
    const int64_t width = WidthOf(a), lines = a.batch * a.heads * a.nq;
    const auto round = [&](float* out) { Each(KernelOf("round", DataType::FLOAT32), lines, {g.lse, out}, {lines}); };
    if (MayBeLibrarys(a) && phi::gpu::DnnAttendGradient(*this, g, round)) return;
    const bool tensor = ByTensorCores(a, width);
    const int64_t rows = tensor ? kTensorRows : RowsOfBlock(width);
    const void *mask = a.mask ? a.mask : a.q.p, *keep = a.keep ? a.keep : a.q.p;
    AttentionNumbers p = NumbersOf(a);
    auto put = [&](size_t at, const phi::cpu::AttentionRows& r) {
      p[at] = r.batch, p[at + 1] = r.row, p[at + 2] = r.head;
    };
    put(kOut, g.out), put(kGrad, g.dout);
    const auto delta = Room(lines * 8);
    auto launch = [&](const std::string& name, int64_t all, int64_t blocks, const std::vector<const void*>& addresses) {
      p[kBlocks] = all;
      Launch(name, blocks, addresses, {p.begin(), p.end()});
    };
    launch(KernelOf("attention_delta", static_cast<DataType>(a.type)), lines, (lines + 7) / 8,
           {g.out.p, g.dout.p, delta.get()});
    const int64_t of_queries = a.batch * a.heads * ((a.nq + rows - 1) / rows),
                  blocks = a.batch * a.kv_heads * ((a.nk + rows - 1) / rows);
    if (tensor) {
      p[kFlat] = AreFlat(a.q) | AreFlat(a.k) << 1 | AreFlat(a.v) << 2 | AreFlat(g.dout) << 3;
      const auto one = [&](const char* side, int64_t all, void* out) {
        if (out)
          launch(Attending(std::string("_mma_") + side + (a.mask || a.keep ? "_extra" : ""), width, a), all, all,
                 {a.q.p, a.k.p, a.v.p, mask, keep, g.lse, delta.get(), g.dout.p, out});
      };
      one("query", of_queries, g.dq), one("key", blocks, g.dk), one("value", blocks, g.dv);
      return;
    }
    if (g.dq)
      launch(Attending("_query", width, a), of_queries, of_queries,
             {a.q.p, a.k.p, a.v.p, mask, keep, g.lse, delta.get(), g.dout.p, g.dq});
    if (!g.dk && !g.dv) return;
    launch(Attending("_key", width, a), blocks, blocks,
           {a.q.p, a.k.p, a.v.p, mask, keep, g.lse, delta.get(), g.dout.p, g.dk, g.dv});
  }

 private:
  // In one call each of a library, or nothing is done and false; or, with no more than a bias, also by our own kernels.
  bool MatmulAnd(bool by_library, const phi::ProductExtras& with, DataType t, const void* x, Numbers x_shape,
                 Numbers x_strides, bool tx, const void* y, Numbers y_shape, Numbers y_strides, bool ty,
                 void* out) const {
    const size_t xn = x_shape.size(), yn = y_shape.size(), nb = std::max(xn, yn) - 2;
    const size_t xr = xn - (tx ? 1 : 2), xc = xn - (tx ? 2 : 1), yr = yn - (ty ? 1 : 2), yc = yn - (ty ? 2 : 1);
    int64_t m = x_shape[xr];
    const int64_t k = x_shape[xc], n = y_shape[yc];
    // Axes of the batch, innermost first, those that go on where the one inside ends merged.
    struct Axis {
      int64_t n, x, y;
    };
    std::vector<Axis> batch;
    for (size_t i = nb; i-- > 0;) {
      const size_t before = nb - i;
      const int64_t dx = before <= xn - 2 ? x_shape[xn - 2 - before] : 1;
      const int64_t dy = before <= yn - 2 ? y_shape[yn - 2 - before] : 1;
      const Axis a{std::max(dx, dy) * (dx && dy), dx == 1 ? 0 : x_strides[xn - 2 - before],
                   dy == 1 ? 0 : y_strides[yn - 2 - before]};
      if (a.n == 1) continue;
      if (batch.empty() && a.y == 0 && a.x == m * x_strides[xr]) {
        m *= a.n;  // more rows of one matrix
        continue;
      }
      if (!batch.empty() && a.x == batch.back().n * batch.back().x && a.y == batch.back().n * batch.back().y)
        batch.back().n *= a.n;
      else
        batch.push_back(a);
    }
    Product p = Start(m, n, k);
    p[kA + kStepI] = x_strides[xr], p[kA + kStepK] = x_strides[xc];
    p[kB + kStepI] = y_strides[yc], p[kB + kStepK] = y_strides[yr];
    p[kC + 2] = n, p[kC + 3] = 1;
    p[kHasBias] = with.bias != nullptr;
    int64_t matrices = 1, all = 1;
    for (size_t i = 0; i < batch.size(); ++i) all *= batch[i].n;
    for (size_t i = 0; i < std::min<size_t>(batch.size(), 2); ++i) {
      const size_t slot = i ? kBatch0 : kBatch1;
      p[kA + slot] = batch[i].x, p[kB + slot] = batch[i].y;
      p[kC + (i ? 4 : 5)] = m * n * matrices;
      if (!i) p[kInner] = batch[i].n;
      matrices *= batch[i].n;
    }
    const auto size = static_cast<int64_t>(phi::SizeOf(t));
    const bool writes = with.kept || with.sums || with.a_sums || with.b_sums;
    if (writes && all != 1) return false;
    for (int64_t done = 0; done < all; done += matrices) {  // a launch for each step of further axes
      int64_t rest = done / matrices, fx = 0, fy = 0;
      for (size_t i = 2; i < batch.size(); ++i) {
        fx += rest % batch[i].n * batch[i].x;
        fy += rest % batch[i].n * batch[i].y;
        rest /= batch[i].n;
      }
      const void *a = static_cast<const char*>(x) + fx * size, *b = static_cast<const char*>(y) + fy * size;
      void* const to = static_cast<char*>(out) + done * m * n * SizeOfResult(t, with);
      if (!by_library)
        Multiply(t, p, matrices, a, b, with.bias, to);
      else if (!ByLibrary(t, p, matrices, a, b, to, RoundsToTf32(), with))
        return false;  // the first of several alike, or none
    }
    return true;
  }

  static bool MayBeLibrarys(const phi::cpu::AttentionArgs& a) {
    const auto t = static_cast<DataType>(a.type);
    return phi::gpu::HasDnn() && (t == DataType::FLOAT16 || t == DataType::BFLOAT16) && !a.mask && !a.keep;
  }
  bool ByTensorCores(const phi::cpu::AttentionArgs& a, int64_t width) const {
    const auto t = static_cast<DataType>(a.type);
    return capability_ >= kFirstTensorCores && width <= 128 && (t == DataType::FLOAT16 || t == DataType::BFLOAT16);
  }
  // How many neighbours a copy moves as one element of up to 16 bytes: of the extents and strides of its numbers.
  static int64_t Together(int64_t elem_size, const std::vector<int64_t>& numbers, const void* src, const void* dst) {
    constexpr size_t kLast = kMostAxes - 1;
    if (numbers[kMostAxes + kLast] != 1 || numbers[2 * kMostAxes + kLast] != 1) return 1;
    const auto addresses = reinterpret_cast<uintptr_t>(src) | reinterpret_cast<uintptr_t>(dst);
    for (int64_t of = 16 / elem_size; of > 1; of /= 2) {
      bool fits = addresses % static_cast<uintptr_t>(of * elem_size) == 0 && numbers[kLast] % of == 0;
      for (size_t a = 0; a < kLast; ++a)
        fits &= numbers[kMostAxes + a] % of == 0 && numbers[2 * kMostAxes + a] % of == 0;
      if (fits) return of;
    }
    return 1;
  }
  static std::string Attending(const std::string& what, int64_t width, const phi::cpu::AttentionArgs& a) {
    return KernelOf(("attention" + what + "_" + std::to_string(width)).c_str(), static_cast<DataType>(a.type));
  }
  // Whether eight neighbours of each row, or column, lie together at multiples of 16 bytes.
  static bool IsFlat(const int64_t* o, const void* data) {
    if (o[kKind] != kMatrix || reinterpret_cast<uintptr_t>(data) % 16 || o[kBatch0] % 8 || o[kBatch1] % 8) return false;
    return o[kStepK] == 1 ? o[kStepI] % 8 == 0 : o[kStepI] == 1 && o[kStepK] % 8 == 0;
  }

  static int64_t SizeOfResult(DataType t, const phi::ProductExtras& with) {
    return static_cast<int64_t>(phi::SizeOf(with.out == DataType::UNDEFINED ? t : with.out));
  }

  // The product by cuBLASLt, in steps of one axis of its batch; false where that does not do it.
  bool ByLibrary(DataType t, const Product& p, int64_t matrices, const void* a, const void* b, void* out, bool tf32,
                 const phi::ProductExtras& with) const {
    if (!phi::gpu::HasLt() || p[kA + kKind] != kMatrix || p[kB + kKind] != kMatrix || matrices == 0) return false;
    for (size_t k : {kA + kDivI, kA + kDivK, kB + kDivI, kB + kDivK, kC + 0})
      if (p[k] != INT_MAX) return false;
    const int64_t inner = std::max<int64_t>(p[kInner], 1), outer = matrices / inner;
    const auto size = static_cast<int64_t>(phi::SizeOf(t)), out_size = SizeOfResult(t, with);
    if (p[kC + 3] != 1 || p[kC + 2] != p[kN]) return false;  // convolutions' results
    for (int64_t o = 0; o < outer; ++o) {
      const auto at = [&](const void* data, int64_t step) { return static_cast<const char*>(data) + o * step; };
      phi::gpu::LtProduct lt;
      lt.dtype = t, lt.m = p[kM], lt.n = p[kN], lt.k = p[kK], lt.count = inner;
      lt.a = {at(a, p[kA + kBatch0] * size), p[kA + kStepI], p[kA + kStepK], p[kA + kBatch1]};
      lt.b = {at(b, p[kB + kBatch0] * size), p[kB + kStepK], p[kB + kStepI], p[kB + kBatch1]};
      lt.out = {at(out, p[kC + 4] * out_size), p[kN], 1, p[kC + 5]};
      lt.with = with;
      lt.tf32 = tf32;
      if (!phi::gpu::LtMultiply(lt, place_)) return false;  // the first of several alike, or none
    }
    return true;
  }

  void Multiply(DataType t, Product p, int64_t matrices, const void* a, const void* b, const void* bias,
                void* out) const {
    const bool tf32 = RoundsToTf32();
    const bool half = t == DataType::FLOAT16 || t == DataType::BFLOAT16;
    if (!half && t != DataType::FLOAT32 && t != DataType::FLOAT64 && !phi::IsComplex(t))
      throw phi::NoDeviceForm{"a product of numbers that are not floating"};
    phi::ProductExtras with;
    with.bias = p[kHasBias] ? bias : nullptr;
    if (ByLibrary(t, p, matrices, a, b, out, tf32, with)) return;
    if (phi::IsComplex(t) && matrices > 0) throw phi::NoDeviceForm{"a product of complex numbers without cuBLASLt"};
    // By tensor cores a tile is read before there is known to be one along k.
    const bool tensor = p[kK] > 0 && capability_ >= kFirstTensorCores && (half || (tf32 && t == DataType::FLOAT32));
    const int64_t tile = tensor ? 128 : 64;
    const auto tiles = [&](int64_t rows, int64_t columns) {
      return matrices * ((p[kM] + rows - 1) / rows) * ((p[kN] + columns - 1) / columns);
    };
    p[kFlatA] = half && IsFlat(p.data() + kA, a);
    p[kFlatB] = half && IsFlat(p.data() + kB, b);
    // Neighbours lie along k, or along the rows of the result, and no eight of them go beyond its extent.
    const bool along[2] = {p[kA + kStepK] == 1, p[kB + kStepK] == 1};
    const bool eights = p[along[0] ? kK : kM] % 8 == 0 && p[along[1] ? kK : kN] % 8 == 0 && p[kK] > 0;
    const bool plain = p[kC] == INT_MAX && p[kC + 2] == p[kN] && p[kC + 3] == 1;
    if (tensor && p[kFlatA] && p[kFlatB] && eights && plain && reinterpret_cast<uintptr_t>(out) % 4 == 0) {
      constexpr int64_t kRows = 128, kColumns = 64;
      p[kAll] = tiles(kRows, kColumns);
      const std::string layout = std::string(along[0] ? "1" : "0") + (along[1] ? "1" : "0");
      return Launch(KernelOf(("flat_" + layout).c_str(), t), p[kAll], {a, b, out, bias ? bias : a},
                    {p.begin(), p.end()}, kFlatThreads);
    }
    p[kAll] = tiles(tile, tile);
    Launch(KernelOf(tensor ? "mma" : "gemm", t), p[kAll], {a, b, out, bias ? bias : a}, {p.begin(), p.end()});
  }

  static constexpr int64_t kFew = 32;  // elements that one thread reduces
};

const phi::DeviceForms* FormsOf(phi::Place place) {
  if (phi::KernelTextOf(place) != phi::KernelText::kPtx) return nullptr;
  static std::mutex mutex;
  static auto& table = *new std::map<std::pair<int, int>, std::unique_ptr<Forms>>;
  std::lock_guard<std::mutex> lock(mutex);
  auto& forms = table[{place.custom, place.device_id}];
  if (!forms) forms = std::make_unique<Forms>(place);
  return forms.get();
}

const bool g_registered = [] {
  const char* flag = std::getenv("FLAGS_gpu_kernels");
  if (!flag || *flag != '0') phi::g_forms_of = FormsOf;
  return true;
}();

}  // namespace
}  // namespace cinn
