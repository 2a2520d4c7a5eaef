// SPDX-License-Identifier: Apache-2.0
// Random draws. Element k of a tensor takes the k-th draw of the standard library's distribution, as the peer's CPU
// kernels do. On devices these are forms, which draw by the device's own generator.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_set>
#include <vector>

#include "paddle/common/dtype_error.h"
#include "paddle/phi/core/by_float.h"
#include "paddle/phi/core/device.h"
#include "paddle/phi/core/device_forms.h"
#include "paddle/phi/core/generator.h"
#include "paddle/phi/core/ordered.h"
#include "paddle/phi/infer/rules.h"
#include "paddle/phi/ops/random/number_at.h"
#include "paddle/phi/primitives/copy.h"
#include "paddle/phi/primitives/elementwise.h"
#include "paddle/phi/primitives/uniform.h"

namespace phi {
namespace {

constexpr int64_t kChunk = 256;  // draws at a time, an even number

// Writes n elements of `out` from `at` on, given as `t`.
void Store(DataType t, const void* drawn, Tensor& out, int64_t at, int64_t n) {
  Convert(t, drawn, 1, out.dtype(), static_cast<char*>(out.raw_data()) + at * SizeOf(out.dtype()), 1, n);
}

// Calls draw(T* to, n) for one chunk of the tensor's elements after another: in float32 or float64, of which halves are
// rounded, and parts of complex numbers are two, for those of one number after another or for all real parts first.
template <class T, class Draw>
void FillAs(Tensor& out, bool real_first, Draw draw) {
  T chunk[kChunk];
  const int64_t parts = IsComplex(out.dtype()) ? 2 : 1, n = out.numel();
  if (parts == 1 && SizeOf(out.dtype()) != sizeof(T)) {
    for (int64_t at = 0; at < n; at += kChunk) {
      const int64_t k = std::min(kChunk, n - at);
      draw(chunk, k);
      Store(DataType::FLOAT32, chunk, out, at, k);
    }
    return;
  }
  T* p = static_cast<T*>(out.raw_data());
  if (parts == 1 || !real_first) return draw(p, n * parts);
  for (int64_t part : {0, 1})
    for (int64_t at = 0; at < n; at += kChunk) {
      const int64_t k = std::min(kChunk, n - at);
      draw(chunk, k);
      for (int64_t i = 0; i < k; ++i) p[2 * (at + i) + part] = chunk[i];
    }
}
template <class Draw>
void FillWith(Tensor& out, bool real_first, Draw draw) {
  if (out.dtype() == DataType::FLOAT64 || out.dtype() == DataType::COMPLEX128)
    FillAs<double>(out, real_first, draw);
  else
    FillAs<float>(out, real_first, draw);
}

template <class Draw>
void FillIntegers(Tensor& out, Draw draw) {
  int64_t chunk[kChunk];
  for (int64_t at = 0; at < out.numel(); at += kChunk) {
    const int64_t k = std::min(kChunk, out.numel() - at);
    for (int64_t i = 0; i < k; ++i) chunk[i] = draw();
    Store(DataType::INT64, chunk, out, at, k);
  }
}

// Whether the device that the op runs on has filled `out`.
bool FillOnDevice(const Draw& draw, int64_t seed, const Tensor& out) {
  const DeviceForms* forms = FormsHere();
  if (forms) forms->Random(draw, out.dtype(), out.numel(), seed, out.raw_data());
  return forms != nullptr;
}

void FillUniform(const KernelContext& context, Tensor& out, double lo, double hi, int64_t seed) {
  if (FillOnDevice({.kind = DrawKind::kUniform, .a = lo, .b = hi}, seed, out)) return;
  EngineFor e(context, seed);
  FillWith(out, true, [&]<class T>(T* to, int64_t n) {
    const T low = static_cast<T>(lo), width = static_cast<T>(hi) - low;
    cpu::DrawUniform(*e, to, n);
    for (int64_t i = 0; i < n; ++i) to[i] = to[i] * width + low;
  });
}
void FillNormal(const KernelContext& context, Tensor& out, double mean, double std, int64_t seed) {
  if (FillOnDevice({.kind = DrawKind::kNormal, .a = mean, .b = std}, seed, out)) return;
  EngineFor e(context, seed);
  // Real and imaginary parts each carry half of the variance.
  if (IsComplex(out.dtype())) std /= std::sqrt(2.0);
  FillWith(out, false,
           [&]<class T>(T* to, int64_t n) { cpu::DrawNormal(*e, static_cast<T>(mean), static_cast<T>(std), to, n); });
}

void RequireKernel(const char* op, DataType dtype, bool has) {
  PD_CHECK_DTYPE(has, "[", op, "] expected a dtype with a kernel, got ", NameOf(dtype));
}

// Integers from low to high are to be of this dtype.
void RequireHolds(const char* op, DataType dtype, int64_t low, int64_t high) {
  RequireKernel(op, dtype, !IsComplex(dtype) && dtype != DataType::BOOL);
  const auto holds = [&](int64_t v) {
    int64_t back = 0;
    if (IsInteger(dtype)) {
      alignas(8) char number[8];
      Convert(DataType::INT64, &v, 1, dtype, number, 1, 1);
      Convert(dtype, number, 1, DataType::INT64, &back, 1, 1);
      return back == v;
    }
    return dtype != DataType::FLOAT16 || (v >= -65504 && v <= 65504);
  };
  PD_CHECK(holds(low) && holds(high), InvalidArgument, "[", op, "] expected integers that fit in ", NameOf(dtype),
           ", got ", low, " to ", high);
}

Meta ShapedFloat(const char* op, const IntArray& shape, DataType dtype) {
  Dims dims = ShapeArg(op, shape);
  if (dtype == DataType::UNDEFINED) dtype = DataType::FLOAT32;
  PD_CHECK_DTYPE(IsDifferentiable(dtype), "[", op, "] expected a floating or complex dtype, got ", NameOf(dtype));
  return {std::move(dims), dtype};
}

// Inverse of the error function to double accuracy: Giles' single-precision start, then two Newton steps.
double ErfInv(double x) {
  if (x <= -1 || x >= 1) return x == -1 ? -HUGE_VAL : x == 1 ? HUGE_VAL : NAN;
  double w = -std::log1p(-x * x), p;
  if (w < 5) {
    w -= 2.5;
    p = 2.81022636e-08;
    for (double c : {3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087, -0.00125372503, -0.00417768164,
                     0.246640727, 1.50140941})
      p = c + p * w;
  } else {
    w = std::sqrt(w) - 3;
    p = -0.000200214257;
    for (double c : {0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613, 0.00943887047,
                     1.00167406, 2.83297682})
      p = c + p * w;
  }
  double y = p * x;
  for (int i = 0; i < 2; ++i) y -= (std::erf(y) - x) / (1.1283791670955126 * std::exp(-y * y));
  return y;
}

}  // namespace

void uniform_infer(const IntArray& shape, DataType dtype, const Scalar& min, const Scalar& max, int64_t, Place,
                   Meta& out) {
  PD_CHECK(!IsComplex(min.dtype()) && !IsComplex(max.dtype()), InvalidType,
           "[uniform] expected real bounds, got complex ones");
  out = ShapedFloat("uniform", shape, dtype);
}
void uniform_kernel(const KernelContext& context, const Ints&, DataType, const Scalar& min, const Scalar& max,
                    int64_t seed, Place, Tensor& out) {
  FillUniform(context, out, min.to_double(), max.to_double(), seed);
}

void rrelu_infer(const Meta& x, double, double, bool, Meta& out, Meta& noise) {
  PD_CHECK_DTYPE(IsFloating(x.dtype), "[rrelu] expected a floating dtype, got ", NameOf(x.dtype));
  out = noise = x;
}
int64_t rrelu_workspace(const Meta& x, double, double, bool) {
  const DataType t = ComputeType(x.dtype);
  return WorkspaceFor(x.dims, t) * (x.dtype == t ? 1 : 4);
}
void rrelu_kernel(const KernelContext& context, const Tensor& x, double lower, double upper, bool is_test, Tensor& out,
                  Tensor& noise) {
  if (const DeviceForms* forms = FormsHere()) {
    if (is_test) {
      alignas(8) char mean[8];
      StoreScalar(Scalar((lower + upper) / 2), noise.dtype(), mean);
      cpu::Fill(SizeOf(noise.dtype()), noise.numel(), noise.raw_data(), mean);
    } else {
      FillUniform(context, noise, lower, upper, 0);
    }
    return forms->LeakyNoise(x.dtype(), x.numel(), x.raw_data(), noise.raw_data(), out.raw_data());
  }
  const DataType t = ComputeType(x.dtype());
  const Ordered wide_x(x, t);
  const Widened wide_out(out, t);
  const Tensor& v = wide_x;
  const ScratchTensor drawn(x.dims(), t);
  const Tensor& factors = drawn.tensor;
  EngineFor e(context, 0);
  std::uniform_real_distribution<float> draw(static_cast<float>(lower), static_cast<float>(upper));
  ByFloat(t, [&](auto tag) {
    using T = decltype(tag);
    const T mean = static_cast<T>((lower + upper) / 2);
    T* factor = factors.data<T>();
    for (int64_t i = 0; i < x.numel(); ++i) factor[i] = !(v.data<T>()[i] < 0) ? T(1) : is_test ? mean : T(draw(*e));
  });
  CopyInto(factors, noise);
  // With the factors as they are rounded.
  const Ordered as_rounded(noise, t);
  const Tensor& rounded = as_rounded;
  Tensor& to = wide_out;
  ByFloat(t, [&](auto tag) {
    using T = decltype(tag);
    for (int64_t i = 0; i < x.numel(); ++i) to.data<T>()[i] = v.data<T>()[i] * rounded.data<T>()[i];
  });
}

void gaussian_infer(const IntArray& shape, double, double, int64_t, DataType dtype, Place, Meta& out) {
  out = ShapedFloat("gaussian", shape, dtype);
}
void gaussian_kernel(const KernelContext& context, const Ints&, double mean, double std, int64_t seed, DataType, Place,
                     Tensor& out) {
  FillNormal(context, out, mean, std, seed);
}

void truncated_gaussian_random_infer(const Ints& shape, double, double, int64_t, double, double, DataType dtype, Place,
                                     Meta& out) {
  out = ShapedFloat("truncated_gaussian_random", shape, dtype);
}
void truncated_gaussian_random_kernel(const KernelContext& context, const Ints&, double mean, double std, int64_t seed,
                                      double a, double b, DataType, Place, Tensor& out) {
  auto phi_of = [](double x) { return (1.0 + std::erf(x / std::sqrt(2.0))) / 2.0; };
  double lo = 2 * phi_of((a - mean) / std) - 1, hi = 2 * phi_of((b - mean) / std) - 1;
  if (FillOnDevice({DrawKind::kTruncated, lo, hi, mean, std, a, b}, seed, out)) return;
  EngineFor e(context, seed);
  FillWith(out, true, [&]<class T>(T* to, int64_t n) {
    // A bound that rounds to 1 stands for a number below 1: the inverse of 1 is infinite.
    const T last = std::nextafter(T{1}, T{0}), low = static_cast<T>(lo), width = static_cast<T>(hi) - low;
    cpu::DrawUniform(*e, to, n);
    for (int64_t i = 0; i < n; ++i) {
      const T drawn = std::clamp(to[i] * width + low, -last, last);
      to[i] = static_cast<T>(std::clamp(std::sqrt(2.0) * ErfInv(drawn) * std + mean, a, b));
    }
  });
}

void randint_infer(int64_t low, int64_t high, const IntArray& shape, DataType dtype, Place, Meta& out) {
  PD_CHECK(low < high, InvalidArgument, "[randint] expected low < high, got ", low, " and ", high);
  RequireHolds("randint", dtype, low, high - 1);
  out = {ShapeArg("randint", shape), dtype == DataType::UNDEFINED ? DataType::INT64 : dtype};
}
void randint_kernel(const KernelContext& context, int64_t low, int64_t high, const Ints&, DataType, Place,
                    Tensor& out) {
  const auto range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  if (FillOnDevice({.kind = DrawKind::kInteger, .low = low, .range = range, .wide = range > UINT32_MAX}, 0, out))
    return;
  EngineFor e(context, 0);
  std::uniform_int_distribution<int64_t> d(low, high - 1);
  FillIntegers(out, [&] { return d(*e); });
}

void random_infer(const Meta& x, int64_t from, int64_t to, Meta& out) {
  PD_CHECK(from < to, InvalidArgument, "[random] expected from < to, got ", from, " and ", to);
  RequireHolds("random", x.dtype, from, to - 1);
  out = x;
}
void random_kernel(const KernelContext& context, const Tensor&, int64_t from, int64_t to, Tensor& out) {
  // PaddlePaddle's stream: remainders of 32 bits below this range, of 64 from it on.
  constexpr uint64_t kWide = uint64_t{1} << 28;
  const uint64_t range = static_cast<uint64_t>(to) - static_cast<uint64_t>(from);
  if (FillOnDevice({.kind = DrawKind::kInteger, .low = from, .range = range, .wide = range >= kWide}, 0, out)) return;
  EngineFor e(context, 0);
  FillIntegers(out, [&] {
    const uint64_t bits = (*e)(), drawn = range < kWide ? static_cast<uint32_t>(bits) % range : bits % range;
    return static_cast<int64_t>(static_cast<uint64_t>(from) + drawn);
  });
}

void randperm_infer(int64_t n, DataType dtype, Place, Meta& out) {
  PD_CHECK(n >= 0, InvalidArgument, "[randperm] expected a non-negative n, got ", n);
  RequireHolds("randperm", dtype, 0, n > 0 ? n - 1 : 0);
  // Above, floats do not tell neighbours apart.
  PD_CHECK(!IsFloating(dtype) || dtype == DataType::FLOAT64 ||
               n <= (dtype == DataType::FLOAT32   ? 1 << 24
                     : dtype == DataType::FLOAT16 ? 1 << 11
                                                  : 1 << 8),
           InvalidArgument, "[randperm] expected n whose numbers ", NameOf(dtype), " tells apart, got ", n);
  out = {Dims{Dim(n)}, dtype};
}
void randperm_kernel(const KernelContext& context, int64_t n, DataType, Place, Tensor& out) {
  if (const DeviceForms* forms = FormsHere()) {  // where the keys lie in order: equal ones are so rare as not to matter
    if (out.dtype() != DataType::INT64) throw NoDeviceForm{"a permutation of this dtype"};
    const auto keys = forms->Room(n * 8);
    forms->Random({.kind = DrawKind::kInteger, .wide = true}, DataType::INT64, n, 0, keys.get());
    return forms->Order(DataType::INT64, keys.get(), 1, n, 1, n, false, nullptr, out.data<int64_t>());
  }
  EngineFor e(context, 0);
  std::vector<int64_t> v(n);
  std::iota(v.begin(), v.end(), 0);
  std::shuffle(v.begin(), v.end(), *e);
  Convert(DataType::INT64, v.data(), 1, out.dtype(), out.raw_data(), 1, n);
}

void class_center_sample_infer(const Meta& label, int64_t classes, int64_t samples, int64_t, int64_t, int64_t nranks,
                               bool, int64_t, Meta& remapped, Meta& sampled) {
  constexpr const char* kOp = "class_center_sample";
  PD_CHECK_DTYPE(label.dtype == DataType::INT32 || label.dtype == DataType::INT64, "[", kOp,
                 "] expected label of dtype int32 or int64, got ", NameOf(label.dtype));
  PD_CHECK(label.dims.size() == 1, InvalidArgument, "[", kOp, "] expected label of one axis, got shape ",
           common::ShapeText(label.dims));
  PD_CHECK(0 < samples && samples <= classes, InvalidArgument, "[", kOp, "] expected num_samples in [1, ", classes,
           "], got ", samples);
  PD_CHECK(nranks == 1, Unimplemented, "[", kOp, "] expected nranks 1, the classes are on one process, got ", nranks);
  remapped = label;
  sampled = {Dims{common::NewSymbol()}, label.dtype};
}
void class_center_sample_kernel(const KernelContext& context, const Tensor& label, int64_t classes, int64_t samples,
                                int64_t, int64_t, int64_t, bool fix_seed, int64_t seed, Tensor& remapped,
                                Tensor& sampled) {
  EngineFor e(context, fix_seed ? seed : 0);
  const Tensor labels = CastTo(label, DataType::INT64);
  const int64_t *first = labels.data<int64_t>(), *last = first + labels.numel();
  std::vector<int64_t> centers(first, last);
  std::sort(centers.begin(), centers.end());
  centers.erase(std::unique(centers.begin(), centers.end()), centers.end());
  PD_CHECK(centers.empty() || (centers.front() >= 0 && centers.back() < classes), InvalidArgument,
           "[class_center_sample] expected label in [0, ", classes, "), got ",
           centers.front() < 0 ? centers.front() : centers.back());
  Tensor places = Empty(label.dims(), DataType::INT64);
  std::transform(first, last, places.data<int64_t>(),
                 [&](int64_t v) { return std::lower_bound(centers.begin(), centers.end(), v) - centers.begin(); });
  remapped = CastTo(places, label.dtype());
  EnsureOut(sampled, Ints{std::max<int64_t>(samples, centers.size())}, label.dtype());
  std::unordered_set<int64_t> taken(centers.begin(), centers.end());
  std::uniform_int_distribution<int64_t> draw(0, classes - 1);
  while (static_cast<int64_t>(centers.size()) < samples)
    if (const int64_t v = draw(*e); taken.insert(v).second) centers.push_back(v);
  Convert(DataType::INT64, centers.data(), 1, label.dtype(), sampled.raw_data(), 1, sampled.numel());
}

void bernoulli_infer(const Meta& x, Meta& out) {
  RequireKernel("bernoulli", x.dtype, IsFloating(x.dtype));
  out = x;
}
int64_t bernoulli_workspace(const Meta& x) { return ConvertedBytes(x, DataType::FLOAT64); }
void bernoulli_kernel(const KernelContext& context, const Tensor& x, Tensor& out) {
  const auto check = [](double p) {
    PD_CHECK(p >= 0 && p <= 1, OutOfRange, "[bernoulli] expected probabilities in [0, 1], got ", p);
  };
  if (const DeviceForms* forms = FormsHere()) {
    const int64_t bad =
        forms->Variates(VariateKind::kBernoulli, x.dtype(), x.numel(), x.raw_data(), nullptr, out.raw_data());
    return bad >= 0 ? check(NumberAt(x, bad)) : void();
  }
  const Ordered wide(x, DataType::FLOAT64);
  const double* p = static_cast<const Tensor&>(wide).data<double>();
  EngineFor e(context, 0);
  const int64_t n = out.numel();
  for (int64_t i = 0; i < n; ++i) check(p[i]);
  double chunk[kChunk];
  for (int64_t at = 0; at < n; at += kChunk) {
    const int64_t k = std::min(kChunk, n - at);
    cpu::DrawUniform(*e, chunk, k);
    for (int64_t i = 0; i < k; ++i) chunk[i] = (chunk[i] <= p[at + i]) & (p[at + i] > 0) ? 1 : 0;
    Store(DataType::FLOAT64, chunk, out, at, k);
  }
}

void poisson_infer(const Meta& x, Meta& out) {
  RequireKernel("poisson", x.dtype, IsFloating(x.dtype));
  out = x;
}
int64_t poisson_workspace(const Meta& x) { return ConvertedBytes(x, DataType::FLOAT64); }
void poisson_kernel(const KernelContext& context, const Tensor& x, Tensor& out) {
  const auto check = [](double mean) {
    PD_CHECK(mean >= 0 && mean < 0x1p62, InvalidArgument, "[poisson] expected means in [0, 2^62), got ", mean);
  };
  if (const DeviceForms* forms = FormsHere()) {
    const int64_t bad =
        forms->Variates(VariateKind::kPoisson, x.dtype(), x.numel(), x.raw_data(), nullptr, out.raw_data());
    return bad >= 0 ? check(NumberAt(x, bad)) : void();
  }
  const Ordered wide(x, DataType::FLOAT64);
  const double* means = static_cast<const Tensor&>(wide).data<double>();
  EngineFor e(context, 0);
  for (int64_t i = 0; i < out.numel(); ++i) {
    check(means[i]);
    double v = means[i] == 0 ? 0 : static_cast<double>(std::poisson_distribution<int64_t>(means[i])(*e));
    Convert(DataType::FLOAT64, &v, 1, out.dtype(), static_cast<char*>(out.raw_data()) + i * SizeOf(out.dtype()), 1, 1);
  }
}

void multinomial_infer(const Meta& x, const Scalar& num, bool, Meta& out) {
  PD_CHECK(x.dims.size() == 1 || x.dims.size() == 2, InvalidArgument,
           "[multinomial] expected a tensor of 1 or 2 axes, got shape ", common::ShapeText(x.dims));
  PD_CHECK(!num.known() || num.to_int() > 0, InvalidArgument, "[multinomial] expected num_samples of at least 1, got ",
           num.to_int());
  RequireKernel("multinomial", x.dtype, !IsComplex(x.dtype) && x.dtype != DataType::BOOL);
  out = {x.dims, DataType::INT64};
  out.dims.back() = num.known() ? Dim(num.to_int()) : num.integer().extent();
}
int64_t multinomial_workspace(const Meta& x, const Scalar&, bool) { return ConvertedBytes(x, DataType::FLOAT64); }
void multinomial_kernel(const KernelContext& context, const Tensor& x, const Scalar& num, bool replacement,
                        Tensor& out) {
  int64_t n = x.dim(x.ndim() - 1), rows = n ? x.numel() / n : 0, k = num.to_int();
  PD_CHECK(n > 0 || out.numel() == 0, InvalidArgument,
           "[multinomial] expected at least one probability in a row, got shape ", common::ShapeText(x.dims()));
  const auto check = [](double v) {
    PD_CHECK(v >= 0 && std::isfinite(v), InvalidArgument,
             "[multinomial] expected finite non-negative probabilities, got ", v);
  };
  const auto check_positive = [&](int64_t positive) {
    PD_CHECK(positive > 0 && (replacement || positive >= k), InvalidArgument, "[multinomial] expected at least ",
             replacement ? 1 : k, " positive probabilities in a row, got ", positive);
  };
  const auto positives = [&](const double* w) { return std::count_if(w, w + n, [](double v) { return v > 0; }); };
  if (const DeviceForms* forms = FormsHere()) {
    if (rows == 0) return;
    const Ordered floating(x, IsFloating(x.dtype()) ? x.dtype() : DataType::FLOAT64);
    const Tensor& weights = floating;
    check_positive(n);
    const int64_t bad =
        forms->PickPlaces(weights.dtype(), rows, n, k, replacement, weights.raw_data(), out.data<int64_t>());
    if (bad < 0) return;
    if (bad < rows * n) return check(NumberAt(x, bad));
    const Tensor row = ToHost(ViewOf(weights, {n}, {1}, weights->offset() + (bad - rows * n) * n));
    const Ordered numbers(row, DataType::FLOAT64);
    return check_positive(positives(static_cast<const Tensor&>(numbers).data<double>()));
  }
  const Ordered wide(x, DataType::FLOAT64);
  const double* weights = static_cast<const Tensor&>(wide).data<double>();
  EngineFor e(context, 0);
  std::uniform_real_distribution<double> d(0.0, 1.0);
  std::vector<double> w(n);
  for (int64_t r = 0; r < rows; ++r) {
    std::copy_n(weights + r * n, n, w.begin());
    for (double v : w) check(v);
    check_positive(positives(w.data()));
    for (int64_t s = 0; s < k; ++s) {
      double total = std::accumulate(w.begin(), w.end(), 0.0), u = d(*e) * total, run = 0;
      int64_t pick = -1;
      for (int64_t i = 0; i < n && (pick < 0 || run < u); ++i) {
        run += w[i];
        if (w[i] > 0) pick = i;
      }
      out.data<int64_t>()[r * k + s] = pick;
      if (!replacement) w[pick] = 0;
    }
  }
}

void uniform_inplace_infer(const Meta& x, double min, double max, int64_t, int64_t, int64_t, double, Meta& out) {
  PD_CHECK(min < max, InvalidArgument, "[uniform_] expected min below max, got ", min, " and ", max);
  RequireKernel("uniform_inplace", x.dtype, IsFloating(x.dtype));
  out = x;
}
void gaussian_inplace_infer(const Meta& x, double, double, int64_t, Meta& out) {
  RequireKernel("gaussian_inplace", x.dtype, IsDifferentiable(x.dtype));
  out = x;
}
void uniform_inplace_kernel(const KernelContext& context, const Tensor&, double min, double max, int64_t seed, int64_t,
                            int64_t, double, Tensor& out) {
  FillUniform(context, out, min, max, seed);
}
void gaussian_inplace_kernel(const KernelContext& context, const Tensor&, double mean, double std, int64_t seed,
                             Tensor& out) {
  FillNormal(context, out, mean, std, seed);
}

int64_t exponential_workspace(const Meta& x, double) { return WorkspaceFor(x.dims, x.dtype); }
void exponential_kernel(const KernelContext& context, const Tensor& x, double lam, Tensor& out) {
  RequireKernel("exponential_", x.dtype(), IsFloating(x.dtype()));
  PD_CHECK(lam > 0, InvalidArgument, "[exponential_] expected a positive lam, got ", lam);
  if (const DeviceForms* forms = FormsHere()) {
    if (!x.is_contiguous()) throw NoDeviceForm{"a tensor with gaps"};
    forms->Random({.kind = DrawKind::kExponential, .a = lam}, x.dtype(), x.numel(), 0, x.raw_data());
    out = x;
    return;
  }
  ScratchTensor fresh(x.dims(), x.dtype());
  {
    EngineFor e(context, 0);
    FillWith(fresh.tensor, true, [&]<class T>(T* to, int64_t n) {
      std::exponential_distribution<T> d(static_cast<T>(lam));
      for (int64_t i = 0; i < n; ++i) to[i] = d(*e);
    });
  }
  CopyInto(fresh.tensor, x);
  out = x;
}

void dropout_infer(const Meta& x, const Meta*, const Scalar& p, bool is_test, const std::string& mode, int64_t, bool,
                   Meta& out, Meta& mask) {
  PD_CHECK(!p.known() || (p.to_double() >= 0 && p.to_double() <= 1), InvalidArgument,
           "[dropout] expected p in [0, 1], got ", p.to_double());
  PD_CHECK(mode == "upscale_in_train" || mode == "downgrade_in_infer", InvalidArgument,
           "[dropout] expected mode upscale_in_train or downgrade_in_infer, got ", mode);
  out = x;
  mask = is_test ? Meta{} : Meta{x.dims, DataType::UINT8};
}
void dropout_kernel(const KernelContext& context, const Tensor& x, const Tensor& seed_tensor, const Scalar& ps,
                    bool is_test, const std::string& mode, int64_t seed, bool fix_seed, Tensor& out, Tensor& mask) {
  double p = ps.to_double();
  bool up = mode == "upscale_in_train";
  const int64_t n = x.numel(), size = SizeOf(x.dtype());
  if (const DeviceForms* forms = FormsHere()) {
    if (is_test)  // all is kept, whatever is drawn
      return forms->Dropout(x.dtype(), n, x.raw_data(), 2, up ? 1 : 1 - p, 1, out.raw_data(), nullptr);
    if (seed_tensor.defined()) throw NoDeviceForm{"a seed in memory"};
    return forms->Dropout(x.dtype(), n, x.raw_data(), 1 - static_cast<float>(p),
                          !up      ? 1
                          : p == 1 ? 0
                                   : 1 / (1 - p),
                          fix_seed ? seed : 0, out.raw_data(), mask.data<uint8_t>());
  }
  if (!is_test) {
    EngineFor e(context, seed_tensor.defined() ? ScalarAsInt(seed_tensor) : fix_seed ? seed : 0);
    cpu::DrawKept(*e, static_cast<float>(p), mask.data<uint8_t>(), n);
  }
  float factor = is_test ? (up ? 1.0f : static_cast<float>(1 - p))
                 : up    ? (p == 1 ? 0.0f : static_cast<float>(1.0 / (1.0 - p)))
                         : 1.0f;
  auto run = [&](auto tag, DataType t) {
    using T = decltype(tag);
    T buf[256];
    for (int64_t at = 0; at < n; at += 256) {
      int64_t k = std::min<int64_t>(256, n - at);
      Convert(x.dtype(), static_cast<const char*>(x.raw_data()) + at * size, 1, t, buf, 1, k);
      if (is_test)
        for (int64_t i = 0; i < k; ++i) buf[i] *= factor;
      else
        for (int64_t i = 0; i < k; ++i) buf[i] = mask.data<uint8_t>()[at + i] ? buf[i] * factor : T(0);
      Convert(t, buf, 1, x.dtype(), static_cast<char*>(out.raw_data()) + at * size, 1, k);
    }
  };
  if (x.dtype() == DataType::FLOAT64)
    run(double{}, DataType::FLOAT64);
  else
    run(float{}, DataType::FLOAT32);
}

}  // namespace phi
