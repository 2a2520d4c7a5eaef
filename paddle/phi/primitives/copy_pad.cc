// SPDX-License-Identifier: Apache-2.0
// Padding of any rank: constant, reflect, replicate and circular, and its gradient.
#include <algorithm>
#include <cstring>
#include <vector>

#include "paddle/common/error.h"
#include "paddle/common/half.h"
#include "paddle/phi/primitives/copy.h"

namespace phi::cpu {
namespace {

struct PadPlan {
  std::vector<int64_t> in, out, lo;  // extents and low pads
  std::vector<int64_t> in_strides, out_strides;
  std::vector<std::vector<int64_t>> map;  // per axis: source position of each output position
};

PadPlan MakePlan(const char* op, Ints shape, Ints lo, Ints hi, PadMode mode) {
  PD_CHECK(lo.size() == shape.size() && hi.size() == shape.size(), InvalidArgument, "[", op,
           "] expected a pad pair for each of the ", shape.size(), " dims, got ", lo.size(), " and ", hi.size());
  PadPlan p;
  const int nd = static_cast<int>(shape.size());
  p.in.assign(shape.begin(), shape.end());
  p.lo.assign(lo.begin(), lo.end());
  p.out.resize(nd);
  p.in_strides.resize(nd);
  p.out_strides.resize(nd);
  for (int i = 0; i < nd; ++i) {
    p.out[i] = shape[i] + lo[i] + hi[i];
    PD_CHECK(p.out[i] >= 0, InvalidArgument, "[", op, "] expected pads that leave dim ", i, " >= 0, got ", p.out[i]);
    if (mode == PadMode::kConstant) continue;
    PD_CHECK(lo[i] >= 0 && hi[i] >= 0, InvalidArgument, "[", op, "] expected pads >= 0, got ", lo[i], " and ", hi[i]);
    const int64_t most = mode == PadMode::kReflect ? shape[i] - 1 : mode == PadMode::kCircular ? shape[i] : INT64_MAX;
    PD_CHECK((lo[i] == 0 && hi[i] == 0) || (std::max(lo[i], hi[i]) <= most && shape[i] > 0), InvalidArgument, "[", op,
             "] expected pads of at most ", most, " in dim ", i, ", got ", lo[i], " and ", hi[i]);
  }
  int64_t a = 1, b = 1;
  for (int i = nd - 1; i >= 0; --i) {
    p.in_strides[i] = a;
    p.out_strides[i] = b;
    a *= p.in[i];
    b *= p.out[i];
  }
  if (mode != PadMode::kConstant) {
    p.map.resize(nd);
    for (int i = 0; i < nd; ++i) {
      p.map[i].resize(p.out[i]);
      const int64_t n = shape[i];
      for (int64_t o = 0; o < p.out[i]; ++o) {
        int64_t s = o - lo[i];
        if (mode == PadMode::kReflect)
          s = s < 0 ? -s : s >= n ? 2 * n - 2 - s : s;
        else if (mode == PadMode::kReplicate)
          s = std::clamp<int64_t>(s, 0, n - 1);
        else
          s = s < 0 ? s + n : s >= n ? s - n : s;
        p.map[i][o] = s;
      }
    }
  }
  return p;
}

// Halves are added up in float32.
template <class T>
T Wide(T v) {
  return v;
}
float Wide(float16 v) { return ToFloat(v); }
float Wide(bfloat16 v) { return ToFloat(v); }
template <class T>
void Narrow(T v, T& to) {
  to = v;
}
void Narrow(float v, float16& to) { to = ToFloat16(v); }
void Narrow(float v, bfloat16& to) { to = ToBfloat16(v); }

// The part of the input that lands inside the output, as a strided block on both sides.
struct Interior {
  std::vector<int64_t> extent;
  int64_t in_offset = 0, out_offset = 0;
};
Interior InteriorOf(const PadPlan& p) {
  Interior r;
  r.extent.resize(p.in.size());
  for (size_t i = 0; i < p.in.size(); ++i) {
    const int64_t from = std::clamp<int64_t>(-p.lo[i], 0, p.in[i]), to = std::min(p.in[i], p.out[i] - p.lo[i]);
    r.extent[i] = std::max<int64_t>(0, to - from);
    r.in_offset += from * p.in_strides[i];
    r.out_offset += (from + p.lo[i]) * p.out_strides[i];
  }
  return r;
}

// Where rows of the output read the input, one after another: steps over all dims but the last, as counters go.
class RowSources {
 public:
  // From row `first` on, of the dims from `lead` to the one before the last.
  RowSources(const PadPlan& p, int lead, int64_t first) : p_(p), lead_(lead), at_(p.in.size(), 0) {
    for (int i = static_cast<int>(p.in.size()) - 2; i >= lead; --i) {
      at_[i] = first % p.out[i];
      first /= p.out[i];
      base_ += p.map[i][at_[i]] * p.in_strides[i];
    }
  }
  int64_t base() const { return base_; }
  void Next() {
    for (int i = static_cast<int>(p_.in.size()) - 2; i >= lead_; --i) {
      const int64_t from = p_.map[i][at_[i]];
      at_[i] = at_[i] + 1 < p_.out[i] ? at_[i] + 1 : 0;
      base_ += (p_.map[i][at_[i]] - from) * p_.in_strides[i];
      if (at_[i]) return;
    }
  }

 private:
  const PadPlan& p_;
  int lead_;
  std::vector<int64_t> at_;
  int64_t base_ = 0;
};

// Rows [first, last) of the output, of which the input's begin `left` elements behind the first.
template <class E>
void PadRows(const PadPlan& p, const E* x, int64_t left, int64_t first, int64_t last, E* out) {
  const int64_t n = p.in.back(), inner = p.out.back();
  const int64_t* map = p.map.back().data();
  RowSources sources(p, 0, first);
  for (int64_t r = first; r < last; ++r, sources.Next()) {
    const E* from = x + sources.base();
    E* to = out + r * inner;
    for (int64_t j = 0; j < left; ++j) to[j] = from[map[j]];
    std::memcpy(to + left, from, static_cast<size_t>(n) * sizeof(E));
    for (int64_t j = left + n; j < inner; ++j) to[j] = from[map[j]];
  }
}
struct Bytes16 {
  int64_t parts[2];
};

template <class T, class Acc>
void AddPadded(const PadPlan& p, const T* dout, T* dx) {
  const int nd = static_cast<int>(p.in.size());
  int lead = 0;  // leading dims that are not padded can run side by side
  int64_t groups = 1;
  while (lead < nd - 1 && p.in[lead] == p.out[lead]) groups *= p.in[lead++];
  const int64_t in_size = Numel(p.in) / groups, out_size = Numel(p.out) / groups, inner = p.out[nd - 1];
  const int64_t rows = out_size / inner, left = p.lo[nd - 1], n = p.in[nd - 1];
  const int64_t* map = p.map[nd - 1].data();
  ParallelFor(0, groups, std::max<int64_t>(1, kGrain / out_size), [&](int64_t b, int64_t e) {
    std::vector<Acc> acc(in_size);
    for (int64_t g = b; g < e; ++g) {
      std::fill(acc.begin(), acc.end(), Acc{});
      const T* s = dout + g * out_size;
      RowSources sources(p, lead, 0);
      for (int64_t r = 0; r < rows; ++r, s += inner, sources.Next()) {
        Acc* to = acc.data() + sources.base();
        for (int64_t j = 0; j < left; ++j) to[map[j]] += Wide(s[j]);
        for (int64_t j = 0; j < n; ++j) to[j] += Wide(s[left + j]);
        for (int64_t j = left + n; j < inner; ++j) to[map[j]] += Wide(s[j]);
      }
      T* d = dx + g * in_size;
      for (int64_t i = 0; i < in_size; ++i) Narrow(acc[i], d[i]);
    }
  });
}

}  // namespace

void Pad(int64_t size, const void* x, Ints shape, Ints lo, Ints hi, PadMode mode, const void* value, void* out) {
  const PadPlan p = MakePlan("pad", shape, lo, hi, mode);
  const int64_t total = Numel(p.out);
  if (total == 0) return;
  const char* s = static_cast<const char*>(x);
  char* d = static_cast<char*>(out);
  const Interior in = InteriorOf(p);
  if (mode == PadMode::kConstant) {
    if (Numel(in.extent) != total) {
      if (value)
        Fill(size, total, out, value);
      else
        Zero(out, total * size);
    }
    CopyStrided(size, in.extent, s + in.in_offset * size, p.in_strides, d + in.out_offset * size, p.out_strides);
    return;
  }
  const int nd = static_cast<int>(p.in.size());
  if (nd == 0) {
    std::memcpy(out, x, size);
    return;
  }
  const int64_t inner = p.out[nd - 1], rows = total / inner, left = lo[nd - 1];
  ParallelFor(0, rows, std::max<int64_t>(1, kGrain / inner), [&](int64_t b, int64_t e) {
    const auto run = [&](auto tag) {
      using E = decltype(tag);
      PadRows(p, static_cast<const E*>(x), left, b, e, static_cast<E*>(out));
    };
    switch (size) {
      case 1: return run(uint8_t{});
      case 2: return run(uint16_t{});
      case 4: return run(uint32_t{});
      case 8: return run(uint64_t{});
      case 16: return run(Bytes16{});
      default: PD_THROW(Unimplemented, "[pad] expected elements of 1, 2, 4, 8 or 16 bytes, got ", size);
    }
  });
}

void PadGrad(DataType t, const void* dout, Ints shape, Ints lo, Ints hi, PadMode mode, void* dx) {
  const PadPlan p = MakePlan("pad_grad", shape, lo, hi, mode);
  const int64_t total = Numel(p.in), size = SizeOf(t);
  if (total == 0) return;
  if (mode == PadMode::kConstant || p.in.empty()) {
    const Interior in = InteriorOf(p);
    if (Numel(in.extent) != total) Zero(dx, total * size);
    CopyStrided(size, in.extent, static_cast<const char*>(dout) + in.out_offset * size, p.out_strides,
                static_cast<char*>(dx) + in.in_offset * size, p.in_strides);
    return;
  }
  if (Numel(p.out) == 0) return Zero(dx, total * size);
  switch (t) {
#define PD_CASE(D, T, A) \
  case DataType::D: return AddPadded<T, A>(p, static_cast<const T*>(dout), static_cast<T*>(dx));
    PD_CASE(FLOAT32, float, float)
    PD_CASE(FLOAT64, double, double)
    PD_CASE(FLOAT16, float16, float)
    PD_CASE(BFLOAT16, bfloat16, float)
    PD_CASE(COMPLEX64, complex64, complex64)
    PD_CASE(COMPLEX128, complex128, complex128)
    PD_CASE(INT32, int32_t, int32_t)
    PD_CASE(INT64, int64_t, int64_t)
#undef PD_CASE
    default: PD_THROW(Unimplemented, "[pad_grad] expected a differentiable type, got ", NameOf(t));
  }
}

}  // namespace phi::cpu
