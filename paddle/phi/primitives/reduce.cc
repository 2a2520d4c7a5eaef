// SPDX-License-Identifier: Apache-2.0
// Plans a reduction (dims, accumulator type, passes) and finishes its results.
#include "paddle/phi/primitives/reduce.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <exception>
#include <limits>
#include <optional>
#include <thread>
#include <vector>

#include "paddle/common/error.h"
#include "paddle/phi/core/device_forms.h"
#include "paddle/phi/core/host_lock.h"
#include "paddle/phi/core/workspace.h"
#include "paddle/phi/primitives/copy.h"
#include "paddle/phi/primitives/isa.h"
#include "paddle/phi/primitives/reduce_plan.inc.h"

PD_ISA_DECL(void, ReduceRunF32, (const ReducePlan* plan))
PD_ISA_DECL(void, ReduceRunF64, (const ReducePlan* plan))
PD_ISA_DECL(void, ReduceRunI32, (const ReducePlan* plan))
PD_ISA_DECL(void, ReduceRunI64, (const ReducePlan* plan))
PD_ISA_DECL(void, ReduceRunBool, (const ReducePlan* plan))
PD_ISA_DECL(void, ReduceRunC64, (const ReducePlan* plan))
PD_ISA_DECL(void, ReduceRunC128, (const ReducePlan* plan))
PD_ISA_DECL(int64_t, ReducePartialBytes, (const ReducePlan* plan))
PD_ISA_DECL(void, ReduceConvert, (int from_t, const void* from, int64_t n, int to_t, void* to))
PD_ISA_DECL(void, ArgRun,
            (int t, int max, const void* x, int64_t outer, int64_t n, int64_t inner, int64_t* idx, void* values))

namespace phi::cpu {
namespace {

struct Layout {
  int nk = 0, nr = 0;
  int64_t kn[16], ks[16], ko[16], rn[16], rs[16];
  int64_t outs = 1, count = 1;  // kept and reduced element counts
  int64_t times = 1;            // of these, how often each is repeated: reduced dims of stride 0 are no others
  int64_t offset = 0;           // to x's first element after negative reduced strides were turned round
};

Layout Arrange(const char* op, Ints shape, Ints strides, AxisMask mask) {
  const int nd = static_cast<int>(shape.size());
  PD_CHECK(nd <= 64, InvalidArgument, "[", op, "] expected at most 64 dims, got ", nd);
  struct D {
    int64_t n, s, o;
  };
  D kept[64], red[64];
  Layout l;
  int nk = 0, nr = 0;
  int64_t ostep = 1;
  for (int i = nd - 1; i >= 0; --i) {
    const int64_t n = shape[i];
    if (mask >> i & 1) {
      l.count *= n;
      if (n == 1) continue;
      int64_t s = strides[i];
      if (s == 0 && n > 1) {
        l.times *= n;
        continue;
      }
      if (s < 0) {
        l.offset += (n - 1) * s;
        s = -s;
      }
      red[nr++] = {n, s, 0};
    } else {
      l.outs *= n;
      if (n != 1) kept[nk++] = {n, strides[i], ostep};
      ostep *= n;
    }
  }
  const auto arrange = [](D* d, int& n) {
    // By falling stride, later dimensions first among equals; insertion, as there are few and they are mostly in order.
    for (int i = 1; i < n; ++i) {
      const D moved = d[i];
      int at = i;
      for (; at > 0 && std::llabs(d[at - 1].s) <= std::llabs(moved.s); --at) d[at] = d[at - 1];
      d[at] = moved;
    }
    int w = 0;
    for (int i = 1; i < n; ++i) {
      if (d[w].s == d[i].s * d[i].n && d[w].o == d[i].o * d[i].n)
        d[w] = {d[w].n * d[i].n, d[i].s, d[i].o};
      else
        d[++w] = d[i];
    }
    if (n) n = w + 1;
  };
  arrange(kept, nk);
  arrange(red, nr);
  PD_CHECK(nk <= 16 && nr <= 16, InvalidArgument, "[", op, "] expected at most 16 separate dims, got ",
           std::max(nk, nr));
  l.nk = nk;
  l.nr = nr;
  for (int i = 0; i < nk; ++i) {
    l.kn[i] = kept[i].n;
    l.ks[i] = kept[i].s;
    l.ko[i] = kept[i].o;
  }
  for (int i = 0; i < nr; ++i) {
    l.rn[i] = red[i].n;
    l.rs[i] = red[i].s;
  }
  if (nr == 0) {
    l.nr = 1;
    l.rn[0] = 1;
    l.rs[0] = 0;
  }
  return l;
}

template <class T, class F>
void ForEach(void* p, int64_t n, F f) {
  T* v = static_cast<T*>(p);
  for (int64_t i = 0; i < n; ++i) v[i] = f(v[i], i);
}

template <class F>
void ForEachFloating(DataType t, void* p, int64_t n, F f) {
  switch (t) {
    case DataType::FLOAT32: return ForEach<float>(p, n, f);
    case DataType::FLOAT64: return ForEach<double>(p, n, f);
    case DataType::COMPLEX64: return ForEach<complex64>(p, n, f);
    case DataType::COMPLEX128: return ForEach<complex128>(p, n, f);
    default: return;
  }
}

bool IsExtreme(ReduceOp op) {
  return op == ReduceOp::kMax || op == ReduceOp::kMin || op == ReduceOp::kMaxAbs || op == ReduceOp::kMinAbs;
}

// The results of reducing each element once, made those of reducing it `times` times.
void Repeat(int op, DataType t, void* out, int64_t n, int64_t times) {
  const auto kind = static_cast<ReduceOp>(op);
  if (times == 1 || IsExtreme(kind) || kind == ReduceOp::kAny || kind == ReduceOp::kAll) return;
  const bool product = kind == ReduceOp::kProd;
  const auto repeat = [&](auto v, auto count) {
    if (!product) return v * count;
    decltype(v) power(1);
    for (int64_t k = times; k > 0; k >>= 1, v = v * v)
      if (k & 1) power = power * v;
    return power;
  };
  ForEachFloating(t, out, n, [&](auto v, int64_t) {
    if constexpr (std::is_floating_point_v<decltype(v)>)
      return repeat(v, static_cast<decltype(v)>(times));
    else
      return repeat(v, static_cast<typename decltype(v)::value_type>(times));
  });
  // Without a sign: sums and products wrap around.
  if (t == DataType::INT64)
    ForEach<uint64_t>(out, n, [&](uint64_t v, int64_t) { return repeat(v, static_cast<uint64_t>(times)); });
  if (t == DataType::INT32)
    ForEach<uint32_t>(out, n, [&](uint32_t v, int64_t) { return repeat(v, static_cast<uint32_t>(times)); });
}

// Lets the host's signals end a reduction that takes long, as those over overlapping views may.
class Watch {
 public:
  // From so many elements, a tenth of a second.
  static constexpr int64_t kLong = int64_t{1} << 28;

  static int Ended(void* self) { return static_cast<Watch*>(self)->Look(); }
  void Finish() const {
    if (failed_) std::rethrow_exception(failed_);
  }

 private:
  bool Look() {
    if (std::this_thread::get_id() == caller_ && std::chrono::steady_clock::now() >= next_) {
      try {
        g_host_lock.check();
      } catch (...) {
        failed_ = std::current_exception();
        ended_.store(true, std::memory_order_relaxed);
      }
      next_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
    }
    return ended_.load(std::memory_order_relaxed);
  }

  const std::thread::id caller_ = std::this_thread::get_id();
  std::chrono::steady_clock::time_point next_;
  std::exception_ptr failed_;
  std::atomic<bool> ended_{false};
};

void RunPlan(const Layout& l, int op, DataType in_t, const void* x, DataType acc_t, const void* param, double p,
             void* out) {
  ReducePlan plan;
  plan.op = op;
  plan.in_t = static_cast<int>(in_t);
  plan.acc_t = static_cast<int>(acc_t);
  plan.x = static_cast<const char*>(x) + l.offset * SizeOf(in_t);
  plan.nk = l.nk;
  plan.nr = l.nr;
  std::copy(l.kn, l.kn + l.nk, plan.kn);
  std::copy(l.ks, l.ks + l.nk, plan.ks);
  std::copy(l.ko, l.ko + l.nk, plan.ko);
  std::copy(l.rn, l.rn + l.nr, plan.rn);
  std::copy(l.rs, l.rs + l.nr, plan.rs);
  plan.p = p;
  plan.param = param;
  plan.out = out;
  Watch watch;
  plan.ended = g_host_lock.check && l.count / l.times > Watch::kLong / l.outs ? &Watch::Ended : nullptr;
  plan.watch = &watch;
  const int64_t bytes = PD_ISA_CALL(ReducePartialBytes)(&plan);
  const auto go = [&] {
    switch (acc_t) {
      case DataType::FLOAT32: return PD_ISA_CALL(ReduceRunF32)(&plan);
      case DataType::FLOAT64: return PD_ISA_CALL(ReduceRunF64)(&plan);
      case DataType::INT32: return PD_ISA_CALL(ReduceRunI32)(&plan);
      case DataType::INT64: return PD_ISA_CALL(ReduceRunI64)(&plan);
      case DataType::BOOL: return PD_ISA_CALL(ReduceRunBool)(&plan);
      case DataType::COMPLEX64: return PD_ISA_CALL(ReduceRunC64)(&plan);
      default: return PD_ISA_CALL(ReduceRunC128)(&plan);
    }
  };
  if (bytes <= 65536) {
    alignas(64) char small[65536];
    plan.partial = small;
    go();
  } else {
    Scratch s(bytes);
    plan.partial = s.as<void>();
    go();
  }
  watch.Finish();
  Repeat(op, acc_t, out, l.outs, l.times);
}

// Rows of at most 16 elements that follow each other, as the kernels add them: a plan would take longer than the sums.
constexpr int64_t kFewRows = 64, kFewElements = 16;

template <class T>
void AddRows(const void* x, int64_t rows, int64_t n, bool mean, void* out) {
  const T* v = static_cast<const T*>(x);
  T* to = static_cast<T*>(out);
  for (int64_t i = 0; i < rows; ++i, v += n) {
    T sum = 0;
    for (int64_t k = 0; k < n; ++k) sum += v[k];
    to[i] = mean ? sum / static_cast<T>(n) : sum;
  }
}

// False: they are not such rows.
bool AddFew(ReduceOp op, DataType t, const void* x, const Ints& shape, const Ints& strides, AxisMask mask, void* out) {
  int64_t rows = 1, n = 1, step = 1;
  for (int64_t i = static_cast<int64_t>(shape.size()) - 1; i >= 0; --i) {
    const int64_t extent = shape[i];
    if (extent == 1) continue;
    const bool summed = mask >> i & 1;
    if (strides[i] != step || (summed && rows != 1)) return false;
    step *= extent;
    (summed ? n : rows) *= extent;
  }
  if (rows < 1 || rows > kFewRows || n < 1 || n > kFewElements) return false;
  if (t == DataType::FLOAT32)
    AddRows<float>(x, rows, n, op == ReduceOp::kMean, out);
  else
    AddRows<double>(x, rows, n, op == ReduceOp::kMean, out);
  return true;
}

constexpr int64_t kFewAccumulators = 512;  // bytes that lie on the stack

DataType AccType(ReduceOp op, DataType in_t, DataType out_t) {
  if (op == ReduceOp::kAny || op == ReduceOp::kAll) return DataType::BOOL;
  if (op == ReduceOp::kCountNonzero)
    return IsComplex(in_t) || IsFloating(in_t) ? (IsComplex(in_t) ? in_t : DataType::FLOAT64) : DataType::INT64;
  DataType a = ComputeType(in_t);
  if (op == ReduceOp::kMax || op == ReduceOp::kMin) return a == DataType::BOOL ? DataType::INT32 : a;
  if (a == DataType::INT32 && (op == ReduceOp::kMaxAbs || op == ReduceOp::kMinAbs)) return DataType::INT64;
  if (IsInteger(a) || a == DataType::BOOL) {
    const bool needs_float = op == ReduceOp::kMean || op == ReduceOp::kLogSumExp || op == ReduceOp::kL2Norm ||
                             op == ReduceOp::kPNorm || op == ReduceOp::kSumPow || op == ReduceOp::kNanMean;
    if (needs_float) return out_t == DataType::FLOAT32 || IsHalf(out_t) ? DataType::FLOAT32 : DataType::FLOAT64;
    a = DataType::INT64;
  }
  // A wider result type widens the arithmetic.
  const DataType o = ComputeType(out_t);
  if (IsComplex(o) && !IsComplex(a)) return o;
  if (a == DataType::COMPLEX64 && o == DataType::COMPLEX128) return o;
  if (a == DataType::INT64 && (o == DataType::FLOAT32 || o == DataType::FLOAT64)) return o;
  if (a == DataType::FLOAT32 && o == DataType::FLOAT64) return o;
  return a;
}

}  // namespace

int64_t ReduceBytes(ReduceOp op, DataType in_t, DataType out_t, int64_t outs) {
  const DataType acc_t = AccType(op, in_t, out_t);
  const int64_t bytes = outs * SizeOf(acc_t), one = Workspace::Piece(bytes);
  return (acc_t != out_t && bytes > kFewAccumulators ? one : 0) + (op == ReduceOp::kLogSumExp ? 2 * one
                                                                   : op == ReduceOp::kNanMean ? one
                                                                                              : 0);
}

namespace {
LineOp LineOpOf(ReduceOp op) {
  switch (op) {
    case ReduceOp::kProd: return LineOp::kProduct;
    case ReduceOp::kSumAbs: return LineOp::kSumAbs;
    case ReduceOp::kMaxAbs: return LineOp::kMaxAbs;
    case ReduceOp::kMinAbs: return LineOp::kMinAbs;
    case ReduceOp::kL2Norm: return LineOp::kLength;
    case ReduceOp::kPNorm: return LineOp::kPowers;
    case ReduceOp::kSumPow: return LineOp::kSumPow;
    case ReduceOp::kCountNonzero: return LineOp::kNonzero;
    case ReduceOp::kSumSquare: return LineOp::kSumSquare;
    case ReduceOp::kSum: return LineOp::kSum;
    case ReduceOp::kMean: return LineOp::kMean;
    case ReduceOp::kMax: return LineOp::kMax;
    case ReduceOp::kMin: return LineOp::kMin;
    default: throw NoDeviceForm{"a reduction that groups do"};
  }
}

// What a reduction of no elements gives.
void ReduceNothing(ReduceOp op, DataType acc_t, int64_t outs, void* acc) {
  const int64_t acc_size = SizeOf(acc_t);
  if (op == ReduceOp::kProd || op == ReduceOp::kAll) {
    for (int64_t i = 0; i < outs; ++i) {
      char* d = static_cast<char*>(acc) + i * acc_size;
      const int64_t one = 1;
      PD_ISA_CALL(ReduceConvert)(static_cast<int>(DataType::INT64), &one, 1, static_cast<int>(acc_t), d);
    }
    return;
  }
  std::memset(acc, 0, outs * acc_size);
  if (op == ReduceOp::kLogSumExp)
    ForEachFloating(acc_t, acc, outs, [](auto, int64_t) { return -std::numeric_limits<double>::infinity(); });
  if (op == ReduceOp::kMean || op == ReduceOp::kNanMean)
    ForEachFloating(acc_t, acc, outs, [](auto, int64_t) { return std::numeric_limits<double>::quiet_NaN(); });
}

// A reduction as passes over the elements, into `acc`.
struct Passes {
  const Layout& l;
  DataType in_t;
  const void* x;
  DataType acc_t;
  double p;
  void* acc;

  void Pass(int code, const void* param, void* to) const { RunPlan(l, code, in_t, x, acc_t, param, p, to); }
  void Pass(ReduceOp op) const { Pass(static_cast<int>(op), nullptr, acc); }

  void LogSumExp() const {
    const int64_t bytes = l.outs * SizeOf(acc_t);
    CallMemory max(bytes);
    Pass(static_cast<int>(ReduceOp::kMax), nullptr, max.as<void>());
    // An infinite maximum is its own answer; 0 in its place keeps inf - inf out of the second pass.
    CallMemory shift(bytes);
    std::memcpy(shift.as<void>(), max.as<void>(), bytes);
    ForEachFloating(acc_t, shift.as<void>(), l.outs, [](auto v, int64_t) {
      if constexpr (std::is_floating_point_v<decltype(v)>)
        return std::isinf(v) ? decltype(v)(0) : v;
      else
        return v;
    });
    Pass(kReduceSumExp, shift.as<void>(), acc);
    const auto finish = [&](auto* mx, auto* d) {
      for (int64_t i = 0; i < l.outs; ++i) d[i] = std::isinf(mx[i]) ? mx[i] : std::log(d[i]) + mx[i];
    };
    if (acc_t == DataType::FLOAT32)
      finish(max.as<float>(), static_cast<float*>(acc));
    else
      finish(max.as<double>(), static_cast<double*>(acc));
  }
  void SumPowers() const { Pass(p == 1 ? ReduceOp::kSumAbs : p == 2 ? ReduceOp::kSumSquare : ReduceOp::kSumPow); }
  void Root() const {
    ForEachFloating(acc_t, acc, l.outs, [](auto v, int64_t) { return std::sqrt(v); });
  }
  void PNorm() const {
    SumPowers();
    if (p == 2) return Root();
    if (p == 1) return;
    ForEachFloating(acc_t, acc, l.outs, [&](auto v, int64_t) -> decltype(v) {
      using V = decltype(v);
      if constexpr (std::is_floating_point_v<V>)
        return static_cast<V>(std::pow(static_cast<double>(v), 1.0 / p));
      else
        return v;
    });
  }
  void Mean() const {
    Pass(ReduceOp::kSum);
    ForEachFloating(acc_t, acc, l.outs, [&](auto v, int64_t) {
      if constexpr (std::is_floating_point_v<decltype(v)>)
        return v / static_cast<decltype(v)>(l.count);
      else
        return v / static_cast<typename decltype(v)::value_type>(l.count);
    });
  }
  void NanMean() const {
    CallMemory valid(l.outs * SizeOf(acc_t));
    Pass(kReduceCountValid, nullptr, valid.as<void>());
    Pass(ReduceOp::kNanSum);
    ForEachFloating(acc_t, acc, l.outs, [&](auto v, int64_t i) { return v / valid.as<decltype(v)>()[i]; });
  }

  void Run(ReduceOp op) const {
    switch (op) {
      case ReduceOp::kLogSumExp: return LogSumExp();
      case ReduceOp::kL2Norm: Pass(ReduceOp::kSumSquare); return Root();
      case ReduceOp::kPNorm: return PNorm();
      case ReduceOp::kMean: return Mean();
      case ReduceOp::kNanMean: return NanMean();
      case ReduceOp::kNanSum: return Pass(IsInteger(acc_t) ? ReduceOp::kSum : ReduceOp::kNanSum);
      case ReduceOp::kSumPow: return SumPowers();
      default: return Pass(op);
    }
  }
};
}  // namespace

void Reduce(ReduceOp op, DataType in_t, const void* x, Ints shape, Ints strides, AxisMask mask, DataType out_t,
            void* out, double p) {
  PD_CHECK(!IsFloat8(in_t), Unimplemented, "[reduce] expected a dtype of at least 16 bits, got ", NameOf(in_t));
  if (const DeviceForms* d = FormsHere()) {
    if (in_t != out_t) throw NoDeviceForm{"a result of another dtype"};
    return d->Reduce(LineOpOf(op), in_t, x, shape, strides, mask, out, p);
  }
  const bool adds = op == ReduceOp::kSum || op == ReduceOp::kMean;
  if (adds && in_t == out_t && (in_t == DataType::FLOAT32 || in_t == DataType::FLOAT64) &&
      AddFew(op, in_t, x, shape, strides, mask, out))
    return;
  const Layout l = Arrange("reduce", shape, strides, mask);
  if (l.outs == 0) return;
  const bool extreme = IsExtreme(op);
  const bool real = extreme || op == ReduceOp::kLogSumExp || op == ReduceOp::kPNorm || op == ReduceOp::kSumPow;
  PD_CHECK(!real || !IsComplex(in_t), Unimplemented, "[reduce] expected a real type, got ", NameOf(in_t));
  if (extreme)
    PD_CHECK(l.count > 0, InvalidArgument, "[reduce] expected a non-empty axis for max or min, got one of size 0");

  const DataType acc_t = AccType(op, in_t, out_t);
  const int64_t acc_size = SizeOf(acc_t);
  alignas(64) char small[kFewAccumulators];
  const bool in_place = acc_t == out_t;
  std::optional<CallMemory> held;
  void* acc = in_place ? out : small;
  if (!in_place && l.outs * acc_size > kFewAccumulators) acc = held.emplace(l.outs * acc_size).as<void>();

  if (l.count == 0)
    ReduceNothing(op, acc_t, l.outs, acc);
  else
    Passes{l, in_t, x, acc_t, p, acc}.Run(op);
  if (!in_place) PD_ISA_CALL(ReduceConvert)(static_cast<int>(acc_t), acc, l.outs, static_cast<int>(out_t), out);
}

void Variance(DataType t, const void* x, Ints shape, Ints strides, AxisMask mask, double correction, void* mean,
              void* var) {
  PD_CHECK(IsDifferentiable(t) && !IsFloat8(t), Unimplemented, "[var] expected a float or complex type, got ",
           NameOf(t));
  if (const DeviceForms* d = FormsHere()) {
    if (mean || !IsFloating(t)) throw NoDeviceForm{"a variance of complex numbers, or with the mean"};
    double count = 1;
    for (size_t a = 0; a < shape.size(); ++a) count *= mask >> a & 1 ? static_cast<double>(shape[a]) : 1;
    return d->Reduce(LineOp::kVariance, t, x, shape, strides, mask, var, std::max(0.0, count - correction));
  }
  const Layout l = Arrange("var", shape, strides, mask);
  if (l.outs == 0) return;
  const DataType acc_t = ComputeType(t);
  const int64_t size = SizeOf(acc_t);
  CallMemory m(l.outs * size), v(l.outs * size);
  const double n = static_cast<double>(l.count), div = std::max(0.0, n - correction);
  if (l.count == 0) {
    std::memset(m.as<void>(), 0, l.outs * size);
    std::memset(v.as<void>(), 0, l.outs * size);
  } else {
    RunPlan(l, static_cast<int>(ReduceOp::kSum), t, x, acc_t, nullptr, 0, m.as<void>());
  }
  const auto divide = [&](void* p, double d) {
    ForEachFloating(acc_t, p, l.outs, [&](auto a, int64_t) {
      if constexpr (std::is_floating_point_v<decltype(a)>)
        return a / static_cast<decltype(a)>(d);
      else
        return a / static_cast<typename decltype(a)::value_type>(d);
    });
  };
  divide(m.as<void>(), n);
  if (l.count) RunPlan(l, kReduceSumSqDiff, t, x, acc_t, m.as<void>(), 0, v.as<void>());
  divide(v.as<void>(), div);
  const auto convert = PD_ISA_CALL(ReduceConvert);
  if (mean) convert(static_cast<int>(acc_t), m.as<void>(), l.outs, static_cast<int>(t), mean);
  if (var) convert(static_cast<int>(acc_t), v.as<void>(), l.outs, static_cast<int>(RealOf(t)), var);
}

void ArgReduce(bool max, DataType t, const void* x, Ints shape, Ints strides, int axis, DataType index_t, void* indices,
               void* values) {
  PD_CHECK(!IsComplex(t) && !IsFloat8(t), Unimplemented, "[argmax] expected an ordered type, got ", NameOf(t));
  PD_CHECK(index_t == DataType::INT32 || index_t == DataType::INT64, InvalidArgument,
           "[argmax] expected an index type int32 or int64, got ", NameOf(index_t));
  const int nd = static_cast<int>(shape.size());
  int64_t outer = 1, n = 1, inner = 1, step = 1;
  bool contiguous = true;
  for (int i = nd - 1; i >= 0; --i) {
    if (shape[i] != 1 && strides[i] != step) contiguous = false;
    step *= shape[i];
  }
  if (axis == kFlatAxis || nd == 0) {
    n = step;
  } else {
    PD_CHECK(axis >= -nd && axis < nd, InvalidArgument, "[argmax] expected an axis in [", -nd, ", ", nd, "), got ",
             axis);
    if (axis < 0) axis += nd;
    for (int i = 0; i < axis; ++i) outer *= shape[i];
    n = shape[axis];
    for (int i = axis + 1; i < nd; ++i) inner *= shape[i];
  }
  const int64_t outs = outer * inner, size = SizeOf(t);
  if (outs == 0) return;
  PD_CHECK(n > 0, InvalidArgument, "[argmax] expected a non-empty axis, got one of size 0");
  if (const DeviceForms* d = FormsHere()) {
    if (values) throw NoDeviceForm{"extreme values beside their places"};
    if (contiguous) return d->ArgReduce(max, t, x, outer, n, inner, index_t, indices);
    const auto room = d->Room(step * size);
    std::vector<int64_t> order(shape.size(), 1);
    for (size_t i = shape.size(); i-- > 1;) order[i - 1] = order[i] * shape[i];
    d->Copy(size, shape, x, strides, room.get(), order);
    return d->ArgReduce(max, t, room.get(), outer, n, inner, index_t, indices);
  }
  CallMemory copy(contiguous ? 0 : step * size);
  if (!contiguous) {
    CopyToContiguous(size, shape, x, strides, copy.as<void>());
    x = copy.as<void>();
  }
  CallMemory wide(index_t == DataType::INT64 ? 0 : outs * 8);
  int64_t* idx = index_t == DataType::INT64 ? static_cast<int64_t*>(indices) : wide.as<int64_t>();
  PD_ISA_CALL(ArgRun)(static_cast<int>(t), max, x, outer, n, inner, idx, values);
  if (index_t == DataType::INT32)
    for (int64_t i = 0; i < outs; ++i) static_cast<int32_t*>(indices)[i] = static_cast<int32_t>(idx[i]);
}

}  // namespace phi::cpu
