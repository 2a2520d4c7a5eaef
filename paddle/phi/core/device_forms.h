// SPDX-License-Identifier: Apache-2.0
// Primitives as kernels of a device. An op whose stanza says `on_device: true` runs its own kernel on a device too,
// with addresses there, and the primitives that the kernel calls run these instead. Where a form is not given for a
// dtype or a size, it throws NoDeviceForm before anything is written, and the op runs on the host.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "paddle/common/dtype.h"
#include "paddle/common/place.h"
#include "paddle/phi/core/line_op.h"
#include "paddle/phi/core/product_extras.h"
#include "paddle/phi/core/thread_state.h"

namespace phi {

namespace cpu {
struct AttentionArgs;
struct AttentionGradArgs;
struct ConvDesc;
struct PoolDesc;
}  // namespace cpu

struct NoDeviceForm {
  const char* why;
};

// What numbers are drawn from, with what a and b mean: uniform in [a, b); normal, mean and deviation; exponential, rate
// a; the integers of [low, low + range); normal with mean and deviation between the bounds lower and upper, where a and
// b are 2F - 1 of these, F being the distribution function.
enum class DrawKind : uint8_t { kUniform, kNormal, kExponential, kInteger, kTruncated };
struct Draw {
  DrawKind kind;
  double a = 0, b = 0, mean = 0, deviation = 1, lower = 0, upper = 0;
  int64_t low = 0;
  uint64_t range = 0;
  bool wide = false;  // an integer takes 64 bits, not 32
};

// What each element of a result is drawn from, by parameters of its own: x[i], and y[i] of the last.
enum class VariateKind : uint8_t { kBernoulli, kPoisson, kGamma, kBinomial };

// How elements that are written to one place meet: summed, the last one, the least, the largest; NaN stays.
enum class RowWrite : uint8_t { kAdd, kAssign, kMin, kMax };

// y and mask of x; the gradient of x from x, y and dy; the same of means, which read dy alone.
enum class PoolPass : uint8_t { kMax, kMaxGrad, kMean, kMeanGrad };
enum class ConvPass : uint8_t { kForward, kGradInput, kGradWeight };

// A Fourier transform over `axes` of a contiguous tensor, whose extents are `in` and those of the result `out`. Where
// one of the two is real, the last of the axes is the one that keeps a half, unless `whole`.
enum class FourierKind : uint8_t { kComplex, kToComplex, kToReal };
struct Fourier {
  FourierKind kind;
  DataType real;  // that of the parts of complex numbers
  bool forward, whole;
  double scale;
  std::span<const int64_t> in, out, axes;
};

// Dense linear algebra on `batch` contiguous matrices a [m, n], as lapack.h has it: what the results are is said there.
// Right sides b [n, columns].
enum class MatrixKind : uint8_t {
  kCholesky,
  kCholeskySolve,
  kLu,
  kLuSolve,
  kTriangularSolve,
  kSolve,
  kInverse,
  kQr,
  kSvd,
  kEigh,
  kEig
};
struct MatrixWork {
  MatrixKind kind;
  DataType t;
  int64_t batch, m, n;
  bool flag;  // of the upper triangle; of kQr and kSvd: results in full
  const void* a;
  void* out[3];  // in the order of lapack.h
  const void* b = nullptr;
  int64_t columns = 0;
  const int32_t* pivots = nullptr;
  int trans = 0;
  bool unit = false;
};

// A tensor [n, c, spatial], or with channels_last [n, spatial, c].
struct ChannelShape {
  int64_t n, c, spatial;
  bool channels_last;
};

// Arguments are those of the primitives of these names (gather.h, scan.h, sort.h, copy.h, gemm.h, conv.h, attention.h).
class DeviceForms {
 public:
  using Numbers = std::span<const int64_t>;
  virtual ~DeviceForms() = default;
  virtual Place place() const = 0;
  // Memory for the length of a primitive.
  virtual std::shared_ptr<void> Room(int64_t bytes) const = 0;
  // The same with what the host has there.
  virtual std::shared_ptr<void> Sent(const void* p, int64_t bytes) const = 0;
  // Brings bytes to the host, which waits for them; none while a graph is captured.
  virtual void Fetch(const void* p, int64_t bytes, void* to) const = 0;
  // Element i of an index.
  virtual int64_t IndexAt(DataType index_t, const void* index, int64_t i) const = 0;

  virtual void Zero(void* p, int64_t bytes) const = 0;
  // n elements of the value.
  virtual void Fill(int64_t elem_size, int64_t n, void* p, const void* value) const = 0;
  // first + i * step: of integers in 64 bits as unsigned ones, else in float64.
  virtual void Steps(DataType t, int64_t n, int64_t first, int64_t step, void* out) const = 0;
  virtual void Steps(DataType t, int64_t n, double first, double step, void* out) const = 0;
  virtual void Copy(int64_t elem_size, Numbers shape, const void* src, Numbers src_strides, void* dst,
                    Numbers dst_strides) const = 0;
  // at[i] = the row that index[i * stride] names of n, or, but in the `first` column, at[i] * n + that. The first i
  // with an index outside [-n, n), or of [0, n) where none `wraps`, or -1; while a graph is captured always that, and
  // its next run tells, with `value` by a ValueError.
  virtual int64_t Positions(DataType index_t, const void* index, int64_t stride, int64_t n, bool first, int64_t count,
                            int64_t* at, bool wraps, bool value) const = 0;
  // out[i] = index[i], and 0 in the place of what lies outside of [low, n) and is not `except`. Only while a graph is
  // captured, whose next run then says so.
  virtual void Checked(DataType index_t, const void* index, int64_t count, int64_t low, int64_t n, int64_t except,
                       bool value, void* out) const = 0;
  // Of each entry of an index of that shape, where it lies in a tensor of `strides` at position at[i] along the axis.
  virtual void Along(Numbers index_shape, int axis, Numbers strides, int64_t total, int64_t* at) const = 0;
  // out [outer, count, inner] = rows of x [outer, n, inner] at `at`.
  virtual void Read(int64_t elem_size, const void* x, int64_t outer, int64_t n, int64_t inner, const int64_t* at,
                    int64_t count, void* out) const = 0;
  // Rows `at` of out [outer, n, inner] take rows of src [outer, count, inner], in order; those that `skip` names, or
  // that are none of n, are left.
  virtual void Write(DataType t, void* out, int64_t outer, int64_t n, int64_t inner, const int64_t* at, int64_t count,
                     const void* src, RowWrite how, int64_t skip = -1) const = 0;
  // out [outer, n, inner] = src [outer, count, inner] at `at`, the last of those that meet; with `one`, the one element
  // of src.
  virtual void Put(int64_t elem_size, void* out, int64_t outer, int64_t n, int64_t inner, const int64_t* at,
                   int64_t count, const void* src, bool one) const = 0;
  virtual void Scan(bool product, DataType t, const void* x, int64_t outer, int64_t n, int64_t inner, bool exclusive,
                    bool reverse, void* out) const = 0;
  // The first k of each line in order; values and indices may each be null.
  virtual void Order(DataType t, const void* x, int64_t outer, int64_t n, int64_t inner, int64_t k, bool descending,
                     void* values, int64_t* indices) const = 0;
  // out contiguous; bias: of the last axis, or null.
  virtual void Matmul(DataType t, const void* x, Numbers x_shape, Numbers x_strides, bool tx, const void* y,
                      Numbers y_shape, Numbers y_strides, bool ty, const void* bias, void* out) const = 0;
  // The same and more. False, with nothing done, where no library does all at once.
  virtual bool MatmulWith(const ProductExtras& with, DataType t, const void* x, Numbers x_shape, Numbers x_strides,
                          bool tx, const void* y, Numbers y_shape, Numbers y_strides, bool ty, void* out) const = 0;
  virtual void Convolve(ConvPass pass, DataType t, const cpu::ConvDesc& d, const void* a, const void* b,
                        void* out) const = 0;
  // In the dtype of x. out contiguous, the axes of `mask` being reduced.
  virtual void Reduce(LineOp op, DataType t, const void* x, Numbers shape, Numbers strides, uint64_t mask, void* out,
                      double p) const = 0;
  // x contiguous [outer, n, inner].
  virtual void ArgReduce(bool max, DataType t, const void* x, int64_t outer, int64_t n, int64_t inner, DataType index_t,
                         void* indices) const = 0;
  // mask: int32, or null.
  virtual void Pool(PoolPass pass, DataType t, const cpu::PoolDesc& d, const void* x, const void* y, const void* dy,
                    void* out, void* mask) const = 0;
  // out [outer, starts - 1, inner] of x [outer, from, inner]: row j is the sum of weight[e] times row at[e], over e
  // from starts[j] to starts[j + 1]. The numbers are the host's.
  virtual void WeightedRows(DataType from_t, DataType to_t, const void* x, int64_t outer, int64_t from, int64_t inner,
                            Numbers starts, Numbers at, std::span<const double> weights, void* out) const = 0;
  // out[i] = x[i] times the factor of even or odd i: float32 or float64. out may be x.
  virtual void Scale(DataType t, int64_t n, double even, double odd, const void* x, void* out) const = 0;
  // Row by row, what lies beyond the diagonal of p [count, rows, columns], above or below, becomes 0, with `unit`
  // that 1.
  virtual void Triangle(DataType t, int64_t rows, int64_t columns, bool upper, bool unit, void* p,
                        int64_t count = 1) const = 0;
  virtual void Factor(const MatrixWork& work) const = 0;
  virtual void Transform(const Fourier& f, const void* x, void* out) const = 0;
  virtual void Attention(const cpu::AttentionArgs& a, void* out, double* lse) const = 0;
  virtual void AttentionGrad(const cpu::AttentionGradArgs& g) const = 0;

  // Batch normalisation. mean and variance are `given`, or take `momentum` of themselves and the rest of the batch's.
  // Parameters and statistics are float32 beside halves; scale and bias may be null.
  virtual void BatchNorm(DataType t, const ChannelShape& shape, const void* x, const void* scale, const void* bias,
                         bool given, double epsilon, double momentum, void* mean, void* variance, void* out,
                         void* saved_mean, void* saved_inverse) const = 0;
  // dx, dscale, dbias may each be null.
  virtual void BatchNormGrad(DataType t, const ChannelShape& shape, const void* x, const void* dout, const void* scale,
                             bool given, const void* mean, const void* inverse, void* dx, void* dscale,
                             void* dbias) const = 0;

  // The kernel `device_<what>_<t>` of the library, or `device_<what>` where t is UNDEFINED: a thread for each of n,
  // with these addresses, then numbers.
  virtual void ForEach(const char* what, DataType t, int64_t n, const std::vector<const void*>& addresses,
                       const std::vector<int64_t>& numbers) const = 0;
  // How many of n elements are not 0, and in `at` where they lie, in order, as int64. None while a graph is captured.
  virtual int64_t Chosen(DataType t, const void* x, int64_t n, std::shared_ptr<void>* at) const = 0;
  // A function of gamma.inc.h of n pairs. The first i of a pair with a negative number, or -1; told as by Variates.
  virtual int64_t Gamma(int64_t kind, int64_t n, const double* a, const double* x, double* out) const = 0;

  // n numbers by the device's generator, or by one seeded with `seed` where that is not 0.
  virtual void Random(const Draw& draw, DataType t, int64_t n, int64_t seed, void* out) const = 0;
  // keep[i] = 1 with this probability, else 0; out[i] = keep[i] ? x[i] * factor : 0. One of the results may be null.
  virtual void Dropout(DataType t, int64_t n, const void* x, double probability, double factor, int64_t seed, void* out,
                       uint8_t* keep) const = 0;
  // n draws in the dtype of x; binomial ones, int64, of float64. The first i whose parameters no distribution has, or
  // -1; while a graph is captured always that, and its next run tells.
  virtual int64_t Variates(VariateKind kind, DataType t, int64_t n, const void* x, const void* y, void* out) const = 0;
  // noise = itself where x < 0, else 1; out = x * noise.
  virtual void LeakyNoise(DataType t, int64_t n, const void* x, void* noise, void* out) const = 0;
  // Rows of k elements over their sums.
  virtual void Shares(DataType t, int64_t rows, int64_t k, void* x) const = 0;
  // k places in each row of n weights, drawn by these, once or `again`. What is wrong first: the weight of this number
  // is negative or not finite, or in row [number - rows * n] too few are above 0; told as by Variates.
  virtual int64_t PickPlaces(DataType t, int64_t rows, int64_t n, int64_t k, bool again, const void* x,
                             int64_t* out) const = 0;
};

// Those of the device that the thread's op runs on; null: it runs on the CPU.
inline const DeviceForms* FormsHere() { return t_state.forms; }

// Operations on tensors that are on a device are not of the kernel's primitives.
class AsOps {
 public:
  AsOps() { t_state.forms = nullptr; }
  ~AsOps() { t_state.forms = before_; }
  AsOps(const AsOps&) = delete;

 private:
  const DeviceForms* before_ = t_state.forms;
};

}  // namespace phi
