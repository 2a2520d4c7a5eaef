// SPDX-License-Identifier: Apache-2.0
// Data movement: plans the dims of a strided copy, and the copies that are built from it.
#include "paddle/phi/primitives/copy.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "paddle/common/error.h"
#include "paddle/phi/core/device_forms.h"
#include "paddle/phi/primitives/isa.h"

PD_ISA_DECL(void, CopyBlock2,
            (int size, int64_t n0, int64_t n1, const void* s, int64_t s0, int64_t s1, void* d, int64_t d0, int64_t d1))
PD_ISA_DECL(void, FillBlock, (int size, int64_t n, void* d, int64_t ds, const void* v))

namespace phi::cpu {
namespace {

constexpr int kMaxDims = 64;
constexpr int64_t kGrainBytes = 256 << 10;

struct Dim {
  int64_t n, s, d;
};

// Drops extents of 1, orders by the target's stride, merges what is contiguous in both. Returns the dim count, -1 if
// empty.
int Plan(Ints shape, const int64_t* ss, const int64_t* ds, Dim* out) {
  int nd = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0) return -1;
    if (shape[i] != 1) out[nd++] = {shape[i], ss[i], ds[i]};
  }
  for (int i = 1; i < nd; ++i)
    for (int j = i; j > 0 && (std::llabs(out[j].d) > std::llabs(out[j - 1].d) ||
                              (std::llabs(out[j].d) == std::llabs(out[j - 1].d) &&
                               std::llabs(out[j].s) > std::llabs(out[j - 1].s)));
         --j)
      std::swap(out[j], out[j - 1]);
  int w = 0;
  for (int i = 1; i < nd; ++i) {
    Dim& p = out[w];
    const Dim q = out[i];
    if (p.s == q.s * q.n && p.d == q.d * q.n)
      p = {p.n * q.n, q.s, q.d};
    else
      out[++w] = q;
  }
  return nd ? w + 1 : 0;
}

void CheckRank(Ints shape, const char* op) {
  PD_CHECK(shape.size() <= kMaxDims, InvalidArgument, "[", op, "] expected at most ", kMaxDims, " dims, got ",
           shape.size());
}

void CopyTail(int64_t size, const void* s, void* d) { std::memcpy(d, s, size); }

}  // namespace

void CopyBytes(void* dst, const void* src, int64_t bytes) {
  if (bytes <= 0 || dst == src) return;
  ParallelFor(0, bytes, 4 * kGrainBytes, [&](int64_t b, int64_t e) {
    std::memcpy(static_cast<char*>(dst) + b, static_cast<const char*>(src) + b, e - b);
  });
}

void CopyStrided(int64_t size, Ints shape, const void* src, Ints src_strides, void* dst, Ints dst_strides) {
  if (const DeviceForms* f = FormsHere()) return f->Copy(size, shape, src, src_strides, dst, dst_strides);
  CheckRank(shape, "copy");
  Dim dims[kMaxDims];
  int nd = Plan(shape, src_strides.data(), dst_strides.data(), dims);
  if (nd < 0) return;
  if (nd == 0) return CopyTail(size, src, dst);
  if (nd == 1 && dims[0].s == 1 && dims[0].d == 1) return CopyBytes(dst, src, dims[0].n * size);
  // The last two dims go to the block kernel. Where another dim is the one along which src is contiguous, it becomes
  // the partner.
  if (nd == 1) {
    dims[1] = dims[0];
    dims[0] = {1, 0, 0};
    nd = 2;
  }
  if (dims[nd - 1].s != 1) {
    for (int i = 0; i < nd - 1; ++i)
      if (dims[i].s == 1) {
        std::rotate(dims + i, dims + i + 1, dims + nd - 1);
        break;
      }
  }
  const Dim a = dims[nd - 2], b = dims[nd - 1];
  int64_t outer = 1;
  for (int i = 0; i < nd - 2; ++i) outer *= dims[i].n;
  const bool transpose = a.s == 1 && b.s != 1;
  // Pieces of dim a (or of b when a is trivial) so that the work can be shared out.
  const bool cut_b = a.n == 1 || (transpose && b.n > a.n && outer == 1);
  const int64_t cut_n = cut_b ? b.n : a.n, other = cut_b ? a.n : b.n;
  int64_t piece = std::max<int64_t>(1, 16384 / std::max<int64_t>(1, other));
  piece = (piece + 15) / 16 * 16;
  if (a.n * b.n <= 65536) piece = cut_n;
  const int64_t pieces = (cut_n + piece - 1) / piece;
  const int64_t per = std::min(piece, cut_n) * other * size;
  const auto block = PD_ISA_CALL(CopyBlock2);
  ParallelFor(
      0, outer * pieces, std::max<int64_t>(1, kGrainBytes / std::max<int64_t>(1, per)), [&](int64_t lo, int64_t hi) {
        for (int64_t it = lo; it < hi; ++it) {
          int64_t r = it / pieces;
          const int64_t c0 = it % pieces * piece, cn = std::min(piece, cut_n - c0);
          int64_t so = 0, od = 0;
          for (int i = nd - 3; i >= 0; --i) {
            const int64_t x = r % dims[i].n;
            r /= dims[i].n;
            so += x * dims[i].s;
            od += x * dims[i].d;
          }
          so += c0 * (cut_b ? b.s : a.s);
          od += c0 * (cut_b ? b.d : a.d);
          block(static_cast<int>(size), cut_b ? a.n : cn, cut_b ? cn : b.n, static_cast<const char*>(src) + so * size,
                a.s, b.s, static_cast<char*>(dst) + od * size, a.d, b.d);
        }
      });
}

void CopyToContiguous(int64_t size, Ints shape, const void* src, Ints src_strides, void* dst) {
  CheckRank(shape, "copy");
  int64_t strides[kMaxDims];
  ContiguousStrides(shape, strides);
  CopyStrided(size, shape, src, src_strides, dst, Ints(strides, shape.size()));
}

void Zero(void* dst, int64_t bytes) {
  if (const DeviceForms* f = FormsHere()) return f->Zero(dst, bytes);
  ParallelFor(0, bytes, 4 * kGrainBytes,
              [&](int64_t b, int64_t e) { std::memset(static_cast<char*>(dst) + b, 0, e - b); });
}

void Fill(int64_t size, int64_t n, void* dst, const void* value) {
  if (const DeviceForms* f = FormsHere()) return f->Fill(size, n, dst, value);
  const char* v = static_cast<const char*>(value);
  if (std::all_of(v, v + size, [&](char c) { return c == v[0]; })) {
    ParallelFor(0, n * size, 4 * kGrainBytes,
                [&](int64_t b, int64_t e) { std::memset(static_cast<char*>(dst) + b, v[0], e - b); });
    return;
  }
  const auto fill = PD_ISA_CALL(FillBlock);
  ParallelFor(0, n, 2 * kGrainBytes / size, [&](int64_t b, int64_t e) {
    fill(static_cast<int>(size), e - b, static_cast<char*>(dst) + b * size, 1, value);
  });
}

void Concat(int64_t size, std::span<const void* const> parts, Ints sizes, int64_t outer, int64_t inner, void* whole) {
  int64_t total = 0;
  for (int64_t s : sizes) total += s;
  int64_t at = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (sizes[i] == 0) continue;
    const int64_t row = sizes[i] * inner, shape[2] = {outer, row}, ss[2] = {row, 1}, ds[2] = {total * inner, 1};
    CopyStrided(size, shape, parts[i], ss, static_cast<char*>(whole) + at * inner * size, ds);
    at += sizes[i];
  }
}

void Flip(int64_t size, const void* x, Ints shape, Ints axes, void* out) {
  CheckRank(shape, "flip");
  if (Numel(shape) == 0) return;
  int64_t strides[kMaxDims], ss[kMaxDims], offset = 0;
  ContiguousStrides(shape, strides);
  std::copy(strides, strides + shape.size(), ss);
  for (int64_t a : axes) {
    PD_CHECK(a >= 0 && a < static_cast<int64_t>(shape.size()), InvalidArgument, "[flip] expected axes in [0, ",
             shape.size(), "), got ", a);
    offset += (shape[a] - 1) * strides[a];
    ss[a] = -strides[a];
  }
  CopyStrided(size, shape, static_cast<const char*>(x) + offset * size, Ints(ss, shape.size()), out,
              Ints(strides, shape.size()));
}

void Roll(int64_t size, const void* x, Ints shape, Ints shifts, Ints axes, void* out) {
  CheckRank(shape, "roll");
  PD_CHECK(shifts.size() == axes.size(), InvalidArgument, "[roll] expected as many shifts as axes, got ", shifts.size(),
           " and ", axes.size());
  if (Numel(shape) == 0) return;
  const int nd = static_cast<int>(shape.size());
  int64_t strides[kMaxDims], shift[kMaxDims] = {0};
  ContiguousStrides(shape, strides);
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t a = axes[i];
    PD_CHECK(a >= 0 && a < nd, InvalidArgument, "[roll] expected axes in [0, ", nd, "), got ", a);
    shift[a] = ((shift[a] + shifts[i] % shape[a]) % shape[a] + shape[a]) % shape[a];
  }
  int rolled[kMaxDims], nr = 0;
  for (int i = 0; i < nd; ++i)
    if (shift[i]) rolled[nr++] = i;
  for (uint64_t part = 0; part < (uint64_t{1} << nr); ++part) {
    std::vector<int64_t> extent(shape.begin(), shape.end());
    int64_t so = 0, od = 0;
    for (int r = 0; r < nr; ++r) {
      const int a = rolled[r];
      if (part >> r & 1) {  // the tail that wraps to the front
        extent[a] = shift[a];
        so += (shape[a] - shift[a]) * strides[a];
      } else {
        extent[a] = shape[a] - shift[a];
        od += shift[a] * strides[a];
      }
    }
    CopyStrided(size, extent, static_cast<const char*>(x) + so * size, Ints(strides, nd),
                static_cast<char*>(out) + od * size, Ints(strides, nd));
  }
}

void Triangle(int64_t size, const void* x, int64_t batch, int64_t rows, int64_t cols, int64_t diagonal, bool upper,
              void* out) {
  if (batch * rows * cols == 0) return;
  diagonal = std::clamp(diagonal, -rows, cols);
  ParallelFor(0, batch * rows, std::max<int64_t>(1, kGrainBytes / (cols * size)), [&](int64_t lo, int64_t hi) {
    for (int64_t r = lo; r < hi; ++r) {
      const int64_t i = r % rows;
      // Columns kept: [0, cut) for the lower triangle, [cut, cols) for the upper.
      const int64_t cut = std::clamp<int64_t>(i + diagonal + (upper ? 0 : 1), 0, cols);
      const char* s = static_cast<const char*>(x) + r * cols * size;
      char* d = static_cast<char*>(out) + r * cols * size;
      if (upper) {
        std::memset(d, 0, cut * size);
        if (s != d) std::memcpy(d + cut * size, s + cut * size, (cols - cut) * size);
      } else {
        if (s != d) std::memcpy(d, s, cut * size);
        std::memset(d + cut * size, 0, (cols - cut) * size);
      }
    }
  });
}

void RepeatInterleave(int64_t size, const void* x, int64_t outer, int64_t n, int64_t inner, Ints repeats, void* out) {
  PD_CHECK(repeats.size() == 1 || static_cast<int64_t>(repeats.size()) == n, InvalidArgument,
           "[repeat_interleave] expected 1 or ", n, " repeats, got ", repeats.size());
  for (int64_t r : repeats) PD_CHECK(r >= 0, InvalidArgument, "[repeat_interleave] expected repeats >= 0, got ", r);
  if (const DeviceForms* f = FormsHere()) {
    std::vector<int64_t> rows;
    for (int64_t i = 0; i < n; ++i) rows.insert(rows.end(), repeats.size() == 1 ? repeats[0] : repeats[i], i);
    const auto count = static_cast<int64_t>(rows.size());
    const auto at = f->Sent(rows.data(), count * 8);
    return f->Read(size, x, outer, n, inner, static_cast<int64_t*>(at.get()), count, out);
  }
  const char* s = static_cast<const char*>(x);
  char* d = static_cast<char*>(out);
  const int64_t row = inner * size;
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < n; ++i, s += row) {
      const int64_t r = repeats.size() == 1 ? repeats[0] : repeats[i];
      for (int64_t j = 0; j < r; ++j, d += row) std::memcpy(d, s, row);
    }
}

}  // namespace phi::cpu
