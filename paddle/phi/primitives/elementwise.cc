// SPDX-License-Identifier: Apache-2.0
// The elementwise driver: how strided, broadcast, converted and transposed operands reach a loop over contiguous
// arrays.
#include "paddle/phi/primitives/elementwise.h"

#include <algorithm>
#include <cstring>

#include "paddle/common/error.h"
#include "paddle/phi/backends/cpu/threads.h"
#include "paddle/phi/primitives/isa.h"

namespace phi {
namespace internal {
using ConvertLoop = void (*)(const void*, void*, int64_t);
}
}  // namespace phi

PD_ISA_DECL(::phi::internal::ConvertLoop, convert_table, (int from, int to))
PD_ISA_DECL(void, load_strided,
            (int size, const char* src, int64_t st0, int64_t n0, int64_t st1, int64_t n1, char* dst))
PD_ISA_DECL(void, store_strided,
            (int size, const char* src, char* dst, int64_t st0, int64_t n0, int64_t st1, int64_t n1))
PD_ISA_DECL(void, transpose_tile,
            (int size, const char* src, int64_t src_row, char* dst, int64_t dst_row, int64_t rows, int64_t cols))

namespace phi {
namespace {

constexpr int64_t kBufferBytes = 4096;        // per operand, in L1
constexpr int64_t kParallelCost = 32768 * 4;  // in units of plan.cost: about 8 us
constexpr int64_t kRowElems = 128;            // inner dims at least this long are run row by row
constexpr int64_t kRepeatElems = 513;         // the same where an operand has one value a row
constexpr int64_t kTransposeBytes = 16384;    // per transposed operand
constexpr int kMaxTransposed = 4;

int64_t GrainOf(int64_t elems_per_unit, int cost) {
  const int64_t unit = elems_per_unit * std::max(cost, 1);
  return std::max<int64_t>(1, kParallelCost / 2 / std::max<int64_t>(unit, 1));
}

// --- contiguous conversion ------------------------------------------------------------------------------------------
void ConvertDense(DataType from, const void* src, DataType to, void* dst, int64_t n) {
  const int64_t in = SizeOf(from), out = SizeOf(to);
  if (from == to) {
    std::memcpy(dst, src, n * in);
    return;
  }
  auto* table = PD_ISA_CALL(convert_table);
  if (auto f = table(static_cast<int>(from), static_cast<int>(to))) {
    f(src, dst, n);
    return;
  }
  auto* first = table(static_cast<int>(from), static_cast<int>(DataType::FLOAT32));
  auto* second = table(static_cast<int>(DataType::FLOAT32), static_cast<int>(to));
  alignas(64) float mid[1024];
  for (int64_t i = 0; i < n; i += 1024) {
    const int64_t m = std::min<int64_t>(1024, n - i);
    first(static_cast<const char*>(src) + i * in, mid, m);
    second(mid, static_cast<char*>(dst) + i * out, m);
  }
}

// --- a plan made ready: dims innermost first, strides in bytes -----------------------------------------------------
struct Operand {
  char* data;
  int size, loop_size;
  DataType dtype, loop_dtype;
  bool same;  // no conversion
  int64_t st[kEwMaxDims];
};

struct Job {
  EwLoop loop;
  const double* attrs;
  int nout, nops, nd, cost;
  int64_t shape[kEwMaxDims];
  Operand ops[kEwMaxOperands];
};

struct alignas(64) Buffers {
  char op[kEwMaxOperands][kBufferBytes];
  char raw[kBufferBytes];  // strided elements before conversion, or after it
};

void MergeDims(Job& j) {
  int w = 0;
  for (int d = 1; d < j.nd; ++d) {
    bool merge = true;
    for (int i = 0; i < j.nops && merge; ++i) merge = j.ops[i].st[d] == j.ops[i].st[w] * j.shape[w];
    if (merge) {
      j.shape[w] *= j.shape[d];
      continue;
    }
    ++w;
    j.shape[w] = j.shape[d];
    for (int i = 0; i < j.nops; ++i) j.ops[i].st[w] = j.ops[i].st[d];
  }
  j.nd = w + 1;
}

void SwapDims(Job& j, int a, int b) {
  std::swap(j.shape[a], j.shape[b]);
  for (int i = 0; i < j.nops; ++i) std::swap(j.ops[i].st[a], j.ops[i].st[b]);
}

// Drops size-1 dims, makes the first output's strides ascending and positive, merges. False when there is nothing to
// do.
bool Prepare(const EwPlan& plan, Job& j) {
  j.loop = plan.loop;
  j.attrs = plan.attrs;
  j.nout = plan.nout;
  j.nops = plan.nout + plan.nin;
  j.cost = plan.cost;
  for (int i = 0; i < j.nops; ++i) {
    const EwOperand& e = plan.ops[i];
    Operand& o = j.ops[i];
    o.data = static_cast<char*>(e.data);
    o.dtype = e.dtype;
    o.loop_dtype = e.loop_dtype;
    o.size = static_cast<int>(SizeOf(e.dtype));
    o.loop_size = static_cast<int>(SizeOf(e.loop_dtype));
    o.same = e.dtype == e.loop_dtype;
  }
  int64_t dense = 1;
  j.nd = 0;
  for (int d = plan.ndim - 1; d >= 0; --d) {
    const int64_t s = plan.shape[d];
    if (s == 0) return false;
    if (s == 1) continue;
    j.shape[j.nd] = s;
    for (int i = 0; i < j.nops; ++i) {
      const int64_t* st = plan.ops[i].strides;
      j.ops[i].st[j.nd] = (st ? st[d] : dense) * j.ops[i].size;
    }
    dense *= s;
    ++j.nd;
  }
  if (j.nd == 0) {
    j.nd = 1;
    j.shape[0] = 1;
    for (int i = 0; i < j.nops; ++i) j.ops[i].st[0] = j.ops[i].size;
    return true;
  }
  Operand& out = j.ops[0];
  for (int d = 0; d < j.nd; ++d) {
    if (out.st[d] >= 0) continue;
    for (int i = 0; i < j.nops; ++i) {
      j.ops[i].data += j.ops[i].st[d] * (j.shape[d] - 1);
      j.ops[i].st[d] = -j.ops[i].st[d];
    }
  }
  for (int a = 1; a < j.nd; ++a)
    for (int b = a; b > 0 && out.st[b] < out.st[b - 1]; --b) SwapDims(j, b, b - 1);
  MergeDims(j);
  return true;
}

// --- how an operand reaches the loop within a tile -----------------------------------------------------------------
enum class Access : uint8_t {
  kDirect,  // contiguous, right dtype
  kOnce,    // buffered, the same for every tile
  kSplat,   // one value per tile
  kDense,   // contiguous, converted through the buffer
  kStrided  // gathered or scattered through the buffer
};

// A tile covers dims [0, k) fully and `rows` indices of dim k (k == nd: rows 1).
struct Tiling {
  int k;
  int64_t rows;       // of dim k in a full tile
  int64_t row_elems;  // product of dims [0, k)
  Access access[kEwMaxOperands];
  bool all_direct;
  bool splats = false;  // some operands are one value per tile, all others direct
};
constexpr int64_t kSplatElems = 256;  // how much of such a value is laid out

Access Classify(const Job& j, const Operand& o, int k, bool input) {
  const int last = std::min(k, j.nd - 1);
  bool dense = o.st[0] == o.size, zero = o.st[0] == 0;
  for (int d = 1; d <= last; ++d) {
    dense = dense && o.st[d] == o.st[d - 1] * j.shape[d - 1];
    zero = zero && o.st[d] == 0;
  }
  if (dense && o.same) return Access::kDirect;
  if (input) {
    bool once = true;
    for (int d = k; d < j.nd; ++d) once = once && o.st[d] == 0;
    if (once) return Access::kOnce;
    if (zero) return Access::kSplat;
  }
  return dense ? Access::kDense : Access::kStrided;
}

class Runner {
 public:
  Runner(const Job& job, const Tiling& t) : j_(job), t_(t) {
    for (int i = 0; i < job.nops; ++i) {
      splat_[i] = nullptr;
      filled_[i] = 0;
    }
  }

  // p: address of the tile's first element for each operand; rows: of dim k in this tile.
  void Tile(char* const* p, int64_t rows) {
    const int64_t n = t_.row_elems * rows;
    char* ptrs[kEwMaxOperands];
    if (t_.splats && n > kSplatElems) return Splats(p, n);
    for (int i = 0; i < j_.nops; ++i) {
      if (t_.access[i] == Access::kDirect) {
        ptrs[i] = p[i];
        continue;
      }
      ptrs[i] = buf_.op[i];
      if (i >= j_.nout) Load(i, p[i], rows, n);
    }
    j_.loop(ptrs, n, j_.attrs);
    for (int i = 0; i < j_.nout; ++i)
      if (t_.access[i] != Access::kDirect) Store(i, p[i], rows, n);
  }

 private:
  void Splats(char* const* p, int64_t n) {
    char* ptrs[kEwMaxOperands];
    for (int i = 0; i < j_.nops; ++i) {
      const bool splat = t_.access[i] == Access::kSplat;
      ptrs[i] = splat ? buf_.op[i] : p[i];
      if (splat) Load(i, p[i], 1, kSplatElems);
    }
    for (int64_t at = 0; at < n; at += kSplatElems) {
      j_.loop(ptrs, std::min(kSplatElems, n - at), j_.attrs);
      for (int i = 0; i < j_.nops; ++i)
        if (t_.access[i] != Access::kSplat) ptrs[i] += kSplatElems * j_.ops[i].size;
    }
  }

  void Load(int i, const char* src, int64_t rows, int64_t n) {
    const Operand& o = j_.ops[i];
    char* buf = buf_.op[i];
    switch (t_.access[i]) {
      case Access::kOnce:
        if (n <= filled_[i]) return;
        filled_[i] = n;
        break;
      case Access::kSplat:
        if (src == splat_[i] && n <= filled_[i]) return;
        splat_[i] = src;
        filled_[i] = n;
        alignas(16) char value[16];
        if (!o.same) ConvertDense(o.dtype, src, o.loop_dtype, value, 1);
        PD_ISA_CALL(load_strided)(o.loop_size, o.same ? src : value, 0, n, 0, 1, buf);
        return;
      case Access::kDense: ConvertDense(o.dtype, src, o.loop_dtype, buf, n); return;
      default: break;
    }
    char* raw = o.same ? buf : buf_.raw;
    Move<true>(o, const_cast<char*>(src), raw, rows);
    if (!o.same) ConvertDense(o.dtype, raw, o.loop_dtype, buf, n);
  }

  void Store(int i, char* dst, int64_t rows, int64_t n) {
    const Operand& o = j_.ops[i];
    if (t_.access[i] == Access::kDense) {
      ConvertDense(o.loop_dtype, buf_.op[i], o.dtype, dst, n);
      return;
    }
    char* raw = o.same ? buf_.op[i] : buf_.raw;
    if (!o.same) ConvertDense(o.loop_dtype, buf_.op[i], o.dtype, raw, n);
    Move<false>(o, dst, raw, rows);
  }

  // Between strided memory and a dense tile.
  template <bool kLoad>
  void Move(const Operand& o, char* p, char* dense, int64_t rows) {
    int64_t n0 = t_.k == 0 ? rows : j_.shape[0];
    int64_t n1 = t_.k == 0 ? 1 : t_.k == 1 ? rows : j_.shape[1];
    int64_t st1 = t_.k == 0 ? 0 : o.st[1];
    int64_t idx[kEwMaxDims];
    for (int d = 2; d <= t_.k; ++d) idx[d] = 0;
    uint64_t at = 0;  // bytes, modulo 2^64: an extent of one may have any stride
    for (;;) {
      char* from = p + static_cast<int64_t>(at);
      if constexpr (kLoad)
        PD_ISA_CALL(load_strided)(o.size, from, o.st[0], n0, st1, n1, dense);
      else
        PD_ISA_CALL(store_strided)(o.size, dense, from, o.st[0], n0, st1, n1);
      dense += n0 * n1 * o.size;
      int d = 2;
      for (; d <= t_.k; ++d) {
        const int64_t end = d == t_.k ? rows : j_.shape[d];
        at += static_cast<uint64_t>(o.st[d]);
        if (++idx[d] < end) break;
        at -= static_cast<uint64_t>(o.st[d]) * static_cast<uint64_t>(end);
        idx[d] = 0;
      }
      if (d > t_.k) return;
    }
  }

  const Job& j_;
  const Tiling& t_;
  const char* splat_[kEwMaxOperands];
  int64_t filled_[kEwMaxOperands];
  Buffers buf_;
};

// Walks tiles [begin, end) of dims [k, nd), dim k in steps of `rows`.
template <class F>
void WalkTiles(const Job& j, int k, int64_t rows, int64_t begin, int64_t end, F&& f) {
  char* p[kEwMaxOperands];
  const int64_t extent = k < j.nd ? j.shape[k] : 1;
  const int64_t per = (extent + rows - 1) / rows;
  int64_t idx[kEwMaxDims];
  int64_t rest = begin / per, at = begin % per * rows;
  for (int i = 0; i < j.nops; ++i) p[i] = j.ops[i].data + (k < j.nd ? j.ops[i].st[k] * at : 0);
  for (int d = k + 1; d < j.nd; ++d) {
    idx[d] = rest % j.shape[d];
    rest /= j.shape[d];
    for (int i = 0; i < j.nops; ++i) p[i] += j.ops[i].st[d] * idx[d];
  }
  for (int64_t u = begin; u < end; ++u) {
    const int64_t m = std::min(rows, extent - at);
    f(p, m);
    at += m;
    if (at < extent) {
      for (int i = 0; i < j.nops; ++i) p[i] += j.ops[i].st[k] * m;
      continue;
    }
    for (int i = 0; k < j.nd && i < j.nops; ++i) p[i] -= j.ops[i].st[k] * (extent - m);
    at = 0;
    for (int d = k + 1; d < j.nd; ++d) {
      for (int i = 0; i < j.nops; ++i) p[i] += j.ops[i].st[d];
      if (++idx[d] < j.shape[d]) break;
      idx[d] = 0;
      for (int i = 0; i < j.nops; ++i) p[i] -= j.ops[i].st[d] * j.shape[d];
    }
  }
}

int64_t TileCount(const Job& j, int k, int64_t rows) {
  int64_t n = k < j.nd ? (j.shape[k] + rows - 1) / rows : 1;
  for (int d = k + 1; d < j.nd; ++d) n *= j.shape[d];
  return n;
}

int64_t BufferElems(const Job& j) {
  int widest = 1;
  for (int i = 0; i < j.nops; ++i) widest = std::max({widest, j.ops[i].size, j.ops[i].loop_size});
  return kBufferBytes >> __builtin_ctz(widest);  // sizes are powers of two
}

[[gnu::noinline]] void RunTiles(const Job& j) {
  const int64_t limit = BufferElems(j);
  Tiling t;
  t.k = 0;
  t.row_elems = 1;
  bool repeats = false;
  for (int i = j.nout; i < j.nops; ++i) repeats = repeats || j.ops[i].st[0] == 0;
  if (j.shape[0] < (repeats ? kRepeatElems : kRowElems))
    while (t.k < j.nd && t.row_elems * j.shape[t.k] <= limit) t.row_elems *= j.shape[t.k++];
  t.rows = t.k == 0 ? std::min(j.shape[0], limit) : t.k < j.nd ? std::min(j.shape[t.k], limit / t.row_elems) : 1;
  t.all_direct = true;
  for (int i = 0; i < j.nops; ++i) {
    t.access[i] = Classify(j, j.ops[i], t.k, i >= j.nout);
    t.all_direct = t.all_direct && t.access[i] == Access::kDirect;
    t.splats = t.splats || t.access[i] == Access::kSplat;
  }
  for (int i = 0; i < j.nops; ++i)
    t.splats = t.splats && (t.access[i] == Access::kDirect || t.access[i] == Access::kSplat);
  if (t.k == j.nd || (j.nd == 1 && t.rows == j.shape[0])) {  // one tile
    char* p[kEwMaxOperands];
    for (int i = 0; i < j.nops; ++i) p[i] = j.ops[i].data;
    Runner(j, t).Tile(p, t.rows);
    return;
  }
  if (t.all_direct && t.k < j.nd) t.rows = std::min<int64_t>(j.shape[t.k], 16384 / t.row_elems);
  cpu::ParallelFor(0, TileCount(j, t.k, t.rows), GrainOf(t.rows * t.row_elems, j.cost), [&](int64_t b, int64_t e) {
    Runner r(j, t);
    WalkTiles(j, t.k, t.rows, b, e, [&](char* const* p, int64_t rows) { r.Tile(p, rows); });
  });
}

// --- operands whose memory runs along another dim than the output's ------------------------------------------------
bool IsTransposed(const Operand& o, int d) {
  return o.st[d] == o.size && o.st[0] != 0 && o.st[0] != o.size && o.st[0] != -o.size;
}

int TransposedDim(const Job& j) {
  if (j.shape[0] < 16) return 0;
  for (int i = 0; i < j.nops; ++i)
    for (int d = 1; d < j.nd; ++d)
      if (j.shape[d] >= 8 && IsTransposed(j.ops[i], d)) return d;
  return 0;
}

// Dim 1 is the unit-stride dim of the transposed operands: blocks of dims 0 and 1 are transposed into L1, then run by
// rows.
[[gnu::noinline]] void RunTransposed(const Job& j) {
  int which[kMaxTransposed], count = 0, widest = 1;
  for (int i = 0; i < j.nops && count < kMaxTransposed; ++i)
    if (IsTransposed(j.ops[i], 1)) {
      which[count++] = i;
      widest = std::max(widest, j.ops[i].size);
    }
  const int64_t limit = BufferElems(j);
  const int64_t rows = std::min<int64_t>(j.shape[1], 64);
  const int64_t cols = std::min({j.shape[0], limit, kTransposeBytes / (64 * widest)});
  // The job as the row runner sees it: transposed operands are dense along dim 0.
  Job row = j;
  for (int q = 0; q < count; ++q) row.ops[which[q]].st[0] = j.ops[which[q]].size;
  Tiling t;
  t.k = 0;
  t.row_elems = 1;
  t.rows = cols;
  for (int i = 0; i < j.nops; ++i) {
    t.access[i] = Classify(row, row.ops[i], 0, i >= j.nout);
    for (int q = 0; q < count; ++q)
      if (which[q] == i) t.access[i] = row.ops[i].same ? Access::kDirect : Access::kDense;
  }
  cpu::ParallelFor(0, TileCount(j, 1, rows), GrainOf(rows * j.shape[0], j.cost), [&](int64_t b, int64_t e) {
    Runner r(row, t);
    alignas(64) char tile[kMaxTransposed][kTransposeBytes];
    WalkTiles(j, 1, rows, b, e, [&](char* const* p, int64_t m) {
      for (int64_t c = 0; c < j.shape[0]; c += cols) {
        const int64_t w = std::min(cols, j.shape[0] - c);
        for (int q = 0; q < count; ++q) {
          const int i = which[q];
          const Operand& o = j.ops[i];
          if (i >= j.nout)
            PD_ISA_CALL(transpose_tile)(o.size, p[i] + c * o.st[0], o.st[0], tile[q], cols * o.size, m, w);
        }
        char* rp[kEwMaxOperands];
        for (int64_t y = 0; y < m; ++y) {
          for (int i = 0; i < j.nops; ++i) rp[i] = p[i] + c * j.ops[i].st[0] + y * j.ops[i].st[1];
          for (int q = 0; q < count; ++q) rp[which[q]] = tile[q] + y * cols * j.ops[which[q]].size;
          r.Tile(rp, w);
        }
        for (int q = 0; q < count; ++q) {
          const int i = which[q];
          const Operand& o = j.ops[i];
          if (i < j.nout)
            PD_ISA_CALL(transpose_tile)(o.size, tile[q], cols * o.size, p[i] + c * o.st[0], o.st[0], w, m);
        }
      }
    });
  });
}

// --- everything contiguous -----------------------------------------------------------------------------------------
// Streaming stores were tried for large outputs and were slower, on one thread and on two.
[[gnu::noinline]] void RunLarge(EwLoop loop, int nptrs, char* const* ptrs, const int8_t* sizes, int64_t n,
                                const double* attrs, int cost) {
  constexpr int64_t kUnit = 64;  // elements: at least a cache line of every operand
  cpu::ParallelFor(0, (n + kUnit - 1) / kUnit, GrainOf(kUnit, cost), [&](int64_t b, int64_t e) {
    const int64_t begin = b * kUnit, end = std::min(e * kUnit, n);
    char* p[kEwMaxOperands];
    for (int i = 0; i < nptrs; ++i) p[i] = ptrs[i] + begin * sizes[i];
    loop(p, end - begin, attrs);
  });
}

}  // namespace

void RunElementwiseContiguous(EwLoop loop, int nptrs, char* const* ptrs, const int8_t* item_sizes, int64_t n,
                              const double* attrs, int cost) {
  if (n * std::max(cost, 1) < kParallelCost) {
    if (n > 0) loop(ptrs, n, attrs);
    return;
  }
  RunLarge(loop, nptrs, ptrs, item_sizes, n, attrs, cost);
}

void RunElementwise(const EwPlan& plan) {
  const int nops = plan.nout + plan.nin;
  PD_CHECK(plan.nout >= 1 && nops <= kEwMaxOperands && plan.ndim <= kEwMaxDims, InvalidArgument,
           "[elementwise] expected at most ", kEwMaxOperands, " operands and ", kEwMaxDims, " dims, got ", nops,
           " and ", plan.ndim);
  bool flat = true;
  char* ptrs[kEwMaxOperands];
  int8_t sizes[kEwMaxOperands];
  for (int i = 0; i < nops; ++i) {
    const EwOperand& o = plan.ops[i];
    flat = flat && o.dtype == o.loop_dtype;
    ptrs[i] = static_cast<char*>(o.data);
    sizes[i] = static_cast<int8_t>(SizeOf(o.dtype));
  }
  int64_t n = 1;
  if (flat) {
    for (int d = plan.ndim - 1; d >= 0; --d) {
      const int64_t s = plan.shape[d];
      if (s != 1)
        for (int i = 0; i < nops; ++i) flat = flat && (!plan.ops[i].strides || plan.ops[i].strides[d] == n);
      n *= s;
    }
  }
  if (flat || (n == 0 && plan.ndim > 0 && std::find(plan.shape, plan.shape + plan.ndim, 0) != plan.shape + plan.ndim)) {
    RunElementwiseContiguous(plan.loop, nops, ptrs, sizes, n, plan.attrs, plan.cost);
    return;
  }
  Job j;
  if (!Prepare(plan, j)) return;
  bool dense = j.nd == 1;
  for (int i = 0; i < nops && dense; ++i) dense = j.ops[i].same && j.ops[i].st[0] == j.ops[i].size;
  if (dense) {
    for (int i = 0; i < nops; ++i) ptrs[i] = j.ops[i].data;
    RunElementwiseContiguous(plan.loop, nops, ptrs, sizes, j.shape[0], plan.attrs, plan.cost);
    return;
  }
  if (const int d = TransposedDim(j)) {
    SwapDims(j, 1, d);
    RunTransposed(j);
    return;
  }
  RunTiles(j);
}

void Convert(DataType from, const void* src, int64_t src_stride, DataType to, void* dst, int64_t dst_stride,
             int64_t n) {
  if (n <= 0) return;
  if (src_stride == 1 && dst_stride == 1) {
    ConvertDense(from, src, to, dst, n);
    return;
  }
  const int in = static_cast<int>(SizeOf(from)), out = static_cast<int>(SizeOf(to));
  constexpr int64_t kStep = 256;
  alignas(64) char a[kStep * 16], b[kStep * 16];
  const char* s = static_cast<const char*>(src);
  char* d = static_cast<char*>(dst);
  for (int64_t i = 0; i < n; i += kStep) {
    const int64_t m = std::min(kStep, n - i);
    PD_ISA_CALL(load_strided)(in, s + i * src_stride * in, src_stride * in, m, 0, 1, a);
    ConvertDense(from, a, to, b, m);
    PD_ISA_CALL(store_strided)(out, b, d + i * dst_stride * out, dst_stride * out, m, 0, 1);
  }
}

void CastParallel(DataType from, const void* src, DataType to, void* dst, int64_t n) {
  const int64_t in = SizeOf(from), out = SizeOf(to);
  cpu::ParallelFor(0, (n + 63) / 64, cpu::kGrain / 64, [&](int64_t b, int64_t e) {
    const int64_t m = std::min(e * 64, n) - b * 64;
    ConvertDense(from, static_cast<const char*>(src) + b * 64 * in, to, static_cast<char*>(dst) + b * 64 * out, m);
  });
}

}  // namespace phi
