// SPDX-License-Identifier: Apache-2.0
// Factorisations, solvers and spectra over batches, through LAPACK.
#include "paddle/phi/backends/cpu/lapack.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <climits>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "paddle/common/error.h"
#include "paddle/phi/backends/cpu/lapack_calls.h"
#include "paddle/phi/core/device_forms.h"
#include "paddle/phi/primitives/elementwise.h"

namespace phi::cpu {
namespace {

using lapack::Real;

const bool g_no_nan_check = (PD_BLAS(LAPACKE_set_nancheck)(0), true);  // NaN flows through instead of failing

template <class F>
void ByType(const char* op, DataType t, const F& f) {
  switch (t) {
    case DataType::FLOAT32: return f(float{});
    case DataType::FLOAT64: return f(double{});
    case DataType::COMPLEX64: return f(complex64{});
    case DataType::COMPLEX128: return f(complex128{});
    default: PD_THROW(Unimplemented, "[", op, "] expected float32, float64, complex64 or complex128, got ", NameOf(t));
  }
}

void CheckExtents(const char* op, std::initializer_list<int64_t> extents) {
  for (int64_t e : extents)
    PD_CHECK(e >= 0 && e <= INT_MAX / 4, InvalidArgument, "[", op, "] expected extents below 2^29, got ", e);
}

// Calls f(i) -> info for each item, small ones side by side. A non-zero info goes to `info`, or throws with `meaning`.
template <class F>
void Batch(const char* op, int64_t batch, int64_t n, int32_t* info, const char* meaning, const F& f,
           common::ErrorCode code = common::ErrorCode::kInvalidArgument) {
  std::vector<int32_t> own(info ? 0 : batch);
  int32_t* codes = info ? info : own.data();
  std::atomic<bool> out_of_memory{false};
  // Within a small matrix LAPACK's threads wait for each other longer than they work.
  const bool large = n > 256;
  ParallelFor(0, batch, large ? batch + 1 : std::max<int64_t>(1, 20000 / (n * n * n + 1)), [&](int64_t lo, int64_t hi) {
    const ThreadLimit limit(large ? MaxThreads() : 1);
    for (int64_t i = lo; i < hi; ++i) {
      try {
        codes[i] = f(i);
      } catch (const std::bad_alloc&) {
        out_of_memory = true;
        codes[i] = 0;
      }
    }
  });
  PD_CHECK(!out_of_memory, ResourceExhausted, "[", op, "] out of memory");
  for (int64_t i = 0; i < batch; ++i) {
    PD_CHECK(codes[i] != LAPACK_WORK_MEMORY_ERROR && codes[i] != LAPACK_TRANSPOSE_MEMORY_ERROR, ResourceExhausted, "[",
             op, "] out of memory");
    PD_CHECK(codes[i] >= 0, Internal, "[", op, "] LAPACK failed with info ", codes[i]);
    if (!info && codes[i] != 0)
      common::internal::Throw(code, "[", op, "] expected ", meaning, ", got one that is not (batch item ", i, ", info ",
                              codes[i], ")");
  }
}
constexpr auto kNoConvergence = common::ErrorCode::kPreconditionNotMet;

// Whether n values, of stride 1, are neither NaN nor infinite.
template <class R>
bool Finite(const R* p, int64_t n) {
  using U = std::conditional_t<sizeof(R) == 4, uint32_t, uint64_t>;
  constexpr U kExponent = sizeof(R) == 4 ? U(0x7f800000u) : U(0x7ff0000000000000ull);
  U bad = 0;
  for (int64_t i = 0; i < n; ++i) bad |= U((std::bit_cast<U>(p[i]) & kExponent) == kExponent);
  return !bad;
}
template <class R>
bool Finite(const std::complex<R>* p, int64_t n) {
  return Finite(reinterpret_cast<const R*>(p), 2 * n);
}
template <class T>
void CheckFinite(const char* op, const void* p, int64_t n,
                 common::ErrorCode code = common::ErrorCode::kInvalidArgument) {
  if (!Finite(static_cast<const T*>(p), n))
    common::internal::Throw(code, "[", op, "] expected finite values, got NaN or infinity");
}

template <class T>
const T* Item(const void* p, int64_t i, int64_t size) {
  return static_cast<const T*>(p) + i * size;
}
template <class T>
T* Item(void* p, int64_t i, int64_t size) {
  return static_cast<T*>(p) + i * size;
}
template <class T>
void CopyN(const T* s, int64_t n, T* d) {
  if (s != d && n) std::memcpy(static_cast<void*>(d), s, n * sizeof(T));
}
template <class T>
T Conj(T v) {
  return v;
}
template <class R>
std::complex<R> Conj(std::complex<R> v) {
  return std::conj(v);
}
template <class T>
void Identity(T* p, int64_t rows, int64_t cols) {
  std::fill(p, p + rows * cols, T{});
  for (int64_t i = 0; i < std::min(rows, cols); ++i) p[i * cols + i] = T(1);
}
// d [cols, rows] = the transpose of s [rows, cols].
template <class T>
void Transpose(const T* s, int64_t rows, int64_t cols, T* d) {
  constexpr int64_t kBlock = 16;
  for (int64_t r0 = 0; r0 < rows; r0 += kBlock)
    for (int64_t c0 = 0; c0 < cols; c0 += kBlock)
      for (int64_t r = r0; r < std::min(r0 + kBlock, rows); ++r)
        for (int64_t c = c0; c < std::min(c0 + kBlock, cols); ++c) d[c * rows + r] = s[r * cols + c];
}
// p [n, n] = its adjoint.
template <class T>
void AdjointInPlace(T* p, int64_t n) {
  constexpr int64_t kBlock = 16;
  for (int64_t r0 = 0; r0 < n; r0 += kBlock)
    for (int64_t c0 = 0; c0 <= r0; c0 += kBlock)
      for (int64_t r = r0; r < std::min(r0 + kBlock, n); ++r)
        for (int64_t c = c0; c < std::min({c0 + kBlock, r + 1, n}); ++c) {
          const T v = Conj(p[r * n + c]);
          p[r * n + c] = Conj(p[c * n + r]);
          p[c * n + r] = v;
        }
}
// Row swaps of a factorisation applied to d [n, cols], forward or backward.
template <class T>
void SwapRows(const int32_t* pivots, int64_t n, int64_t cols, bool forward, T* d) {
  for (int64_t k = 0; k < n; ++k) {
    const int64_t r = forward ? k : n - 1 - k, other = pivots[r] - 1;
    if (other != r) std::swap_ranges(d + r * cols, d + (r + 1) * cols, d + other * cols);
  }
}
// Solves a triangular system in place; `how` is 'N', 'T' or 'C'.
template <class T>
void Triangular(bool left, bool upper, char how, bool unit, int64_t n, int64_t nrhs, const T* a, T* d) {
  lapack::Trsm(left ? CblasLeft : CblasRight, upper ? CblasUpper : CblasLower,
               how == 'N'   ? CblasNoTrans
               : how == 'T' ? CblasTrans
                            : CblasConjTrans,
               unit ? CblasUnit : CblasNonUnit, left ? n : nrhs, left ? nrhs : n, a, n, d);
}
template <class T>
void ClearTriangle(T* p, int64_t rows, int64_t cols, bool clear_lower) {
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < cols; ++j)
      if (clear_lower ? j < i : j > i) p[i * cols + j] = T{};
}

}  // namespace

void Cholesky(DataType t, int64_t batch, int64_t n, bool upper, const void* a, void* out) {
  CheckExtents("cholesky", {n});
  if (const DeviceForms* d = FormsHere()) return d->Factor({MatrixKind::kCholesky, t, batch, n, n, upper, a, {out}});
  ByType("cholesky", t, [&](auto z) {
    using T = decltype(z);
    Batch("cholesky", batch, n, nullptr, "a positive definite matrix", [&](int64_t i) {
      T* d = Item<T>(out, i, n * n);
      CopyN(Item<T>(a, i, n * n), n * n, d);
      const int r = n ? lapack::PotrfT(upper ? 'L' : 'U', n, d) : 0;
      ClearTriangle(d, n, n, upper);
      return r;
    });
  });
}

void CholeskySolve(DataType t, int64_t batch, int64_t n, int64_t nrhs, bool upper, const void* factor, const void* b,
                   void* x) {
  CheckExtents("cholesky_solve", {n, nrhs});
  if (const DeviceForms* d = FormsHere())
    return d->Factor({MatrixKind::kCholeskySolve, t, batch, n, n, upper, factor, {x}, b, nrhs});
  ByType("cholesky_solve", t, [&](auto z) {
    using T = decltype(z);
    Batch("cholesky_solve", batch, n, nullptr, "a factor", [&](int64_t i) {
      T* d = Item<T>(x, i, n * nrhs);
      CopyN(Item<T>(b, i, n * nrhs), n * nrhs, d);
      if (n == 0 || nrhs == 0) return 0;
      const T* f = Item<T>(factor, i, n * n);
      Triangular(true, upper, upper ? 'C' : 'N', false, n, nrhs, f, d);
      Triangular(true, upper, upper ? 'N' : 'C', false, n, nrhs, f, d);
      return 0;
    });
  });
}

void LuFactor(DataType t, int64_t batch, int64_t m, int64_t n, const void* a, void* lu, int32_t* pivots,
              int32_t* info) {
  CheckExtents("lu", {m, n});
  if (const DeviceForms* d = FormsHere())
    return d->Factor({MatrixKind::kLu, t, batch, m, n, false, a, {lu, pivots, info}});
  const int64_t k = std::min(m, n);
  ByType("lu", t, [&](auto z) {
    using T = decltype(z);
    Batch("lu", batch, std::max(m, n), info, nullptr, [&](int64_t i) -> int {
      if (k == 0) return 0;
      Scratch work(m * n * sizeof(T));
      Transpose(Item<T>(a, i, m * n), m, n, work.as<T>());
      const int r = lapack::GetrfT(m, n, work.as<T>(), pivots + i * k);
      Transpose(work.as<T>(), n, m, Item<T>(lu, i, m * n));
      return r;
    });
  });
}

void LuSolve(DataType t, int64_t batch, int64_t n, int64_t nrhs, int trans, const void* lu, const int32_t* pivots,
             const void* b, void* x) {
  CheckExtents("lu_solve", {n, nrhs});
  if (const DeviceForms* d = FormsHere())
    return d->Factor({MatrixKind::kLuSolve, t, batch, n, n, false, lu, {x}, b, nrhs, pivots, trans});
  for (int64_t i = 0; i < batch * n; ++i)
    PD_CHECK(pivots[i] >= 1 && pivots[i] <= n, InvalidArgument, "[lu_solve] expected pivots in [1, ", n, "], got ",
             pivots[i]);
  ByType("lu_solve", t, [&](auto z) {
    using T = decltype(z);
    Batch("lu_solve", batch, n, nullptr, "factors", [&](int64_t i) {
      T* d = Item<T>(x, i, n * nrhs);
      CopyN(Item<T>(b, i, n * nrhs), n * nrhs, d);
      if (n == 0 || nrhs == 0) return 0;
      const T* f = Item<T>(lu, i, n * n);
      const bool plain = trans == 0;
      const char how = "NTC"[trans];
      if (plain) SwapRows(pivots + i * n, n, nrhs, true, d);
      Triangular(true, !plain, how, plain, n, nrhs, f, d);
      Triangular(true, plain, how, !plain, n, nrhs, f, d);
      if (!plain) SwapRows(pivots + i * n, n, nrhs, false, d);
      return 0;
    });
  });
}

namespace {
void UnpackOn(const DeviceForms& d, DataType t, int64_t batch, int64_t m, int64_t n, const void* lu,
              const std::function<std::vector<int64_t>(int64_t)>& rows_of, void* p, void* l, void* u) {
  const int64_t k = std::min(m, n), size = SizeOf(t);
  const double number = 1;
  int64_t one[2] = {0, 0};
  Convert(DataType::FLOAT64, &number, 1, t, one, 1, 1);
  const std::string kernel = "lu_part_" + std::to_string(size);
  const auto part = [&](void* out, int64_t rows, int64_t columns, bool lower) {
    const int64_t total = batch * rows * columns;
    d.ForEach(kernel.c_str(), DataType::UNDEFINED, total, {lu, out},
              {total, rows, columns, m, n, lower, one[0], one[1]});
  };
  if (l) part(l, m, k, true);
  if (u) part(u, k, n, false);
  if (!p || batch * m == 0) return;
  std::vector<int64_t> ones;
  for (int64_t i = 0; i < batch; ++i) {
    const std::vector<int64_t> row = rows_of(i);
    for (int64_t r = 0; r < m; ++r) ones.push_back((i * m + row[r]) * m + r);
  }
  const auto at = d.Sent(ones.data(), batch * m * 8), value = d.Sent(one, sizeof(one));
  d.Zero(p, batch * m * m * size);
  d.Put(size, p, 1, batch * m * m, 1, static_cast<int64_t*>(at.get()), batch * m, value.get(), true);
}
}  // namespace
void LuUnpack(DataType t, int64_t batch, int64_t m, int64_t n, const void* lu, const int32_t* pivots, void* p, void* l,
              void* u) {
  CheckExtents("lu_unpack", {m, n});
  const int64_t k = std::min(m, n);
  const DeviceForms* const d = FormsHere();
  std::vector<int32_t> read;
  if (d && p && batch * k > 0) {
    read.resize(batch * k);
    d->Fetch(pivots, batch * k * 4, read.data());
    pivots = read.data();
  }
  if (p)
    for (int64_t i = 0; i < batch * k; ++i)
      PD_CHECK(pivots[i] >= 1 && pivots[i] <= m, InvalidArgument, "[lu_unpack] expected pivots in [1, ", m, "], got ",
               pivots[i]);
  // Where the rows of matrix i went.
  const auto rows_of = [&](int64_t i) {
    std::vector<int64_t> row(m);
    std::iota(row.begin(), row.end(), 0);
    for (int64_t r = 0; r < k; ++r) std::swap(row[r], row[pivots[i * k + r] - 1]);
    return row;
  };
  if (d) return UnpackOn(*d, t, batch, m, n, lu, rows_of, p, l, u);
  ByType("lu_unpack", t, [&](auto z) {
    using T = decltype(z);
    for (int64_t i = 0; i < batch; ++i) {
      const T* s = Item<T>(lu, i, m * n);
      if (l) {
        T* d = Item<T>(l, i, m * k);
        for (int64_t r = 0; r < m; ++r)
          for (int64_t c = 0; c < k; ++c) d[r * k + c] = c < r ? s[r * n + c] : T(c == r ? 1 : 0);
      }
      if (u) {
        T* d = Item<T>(u, i, k * n);
        for (int64_t r = 0; r < k; ++r)
          for (int64_t c = 0; c < n; ++c) d[r * n + c] = c >= r ? s[r * n + c] : T{};
      }
      if (p) {
        const std::vector<int64_t> row = rows_of(i);
        T* d = Item<T>(p, i, m * m);
        std::fill(d, d + m * m, T{});
        for (int64_t r = 0; r < m; ++r) d[row[r] * m + r] = T(1);
      }
    }
  });
}

void Solve(DataType t, int64_t batch, int64_t n, int64_t nrhs, const void* a, const void* b, void* x) {
  CheckExtents("solve", {n, nrhs});
  if (const DeviceForms* d = FormsHere())
    return d->Factor({MatrixKind::kSolve, t, batch, n, n, false, a, {x}, b, nrhs});
  ByType("solve", t, [&](auto z) {
    using T = decltype(z);
    Batch("solve", batch, n, nullptr, "a non-singular matrix", [&](int64_t i) -> int {
      T* d = Item<T>(x, i, n * nrhs);
      CopyN(Item<T>(b, i, n * nrhs), n * nrhs, d);
      if (n == 0 || nrhs == 0) return 0;
      Scratch lu(n * n * sizeof(T)), piv(n * sizeof(int));
      T* f = lu.as<T>();
      CopyN(Item<T>(a, i, n * n), n * n, f);
      // A^T = P L U in column order, so in row order A = U^T L^T P^T.
      if (const int r = lapack::GetrfT(n, n, f, piv.as<int>())) return r;
      Triangular(true, false, 'N', false, n, nrhs, f, d);
      Triangular(true, true, 'N', true, n, nrhs, f, d);
      SwapRows(piv.as<int>(), n, nrhs, false, d);
      return 0;
    });
  });
}

void Inverse(DataType t, int64_t batch, int64_t n, const void* a, void* out) {
  CheckExtents("inverse", {n});
  if (const DeviceForms* d = FormsHere()) return d->Factor({MatrixKind::kInverse, t, batch, n, n, false, a, {out}});
  ByType("inverse", t, [&](auto z) {
    using T = decltype(z);
    Batch("inverse", batch, n, nullptr, "a non-singular matrix", [&](int64_t i) -> int {
      if (n == 0) return 0;
      T* d = Item<T>(out, i, n * n);
      CopyN(Item<T>(a, i, n * n), n * n, d);
      Scratch piv(n * sizeof(int));
      const int r = lapack::GetrfT(n, n, d, piv.as<int>());
      return r ? r : lapack::GetriT(n, d, piv.as<int>());
    });
  });
}

namespace {

// Calls f(i, lu, pivots, odd number of row swaps) with each item's LU factors in column order.
template <class T, class F>
void WithLu(const char* op, int64_t batch, int64_t n, const void* a, const F& f) {
  std::vector<int32_t> ignore(batch);
  Batch(op, batch, n, ignore.data(), nullptr, [&](int64_t i) {
    Scratch lu(n * n * sizeof(T)), piv(n * sizeof(int));
    CopyN(Item<T>(a, i, n * n), n * n, lu.as<T>());
    const int r = n ? lapack::GetrfT(n, n, lu.as<T>(), piv.as<int>()) : 0;
    bool odd = false;
    for (int64_t j = 0; j < n; ++j) odd ^= piv.as<int>()[j] != j + 1;
    f(i, lu.as<T>(), piv.as<int>(), odd);
    return std::min(r, 0);
  });
}

// By the factors that a library of the device makes; logs: null, or those of sizes, of which `out` are the signs.
void DeterminantsOn(const DeviceForms& d, DataType t, int64_t batch, int64_t n, const void* a, void* out, void* logs) {
  const auto lu = d.Room(batch * n * n * SizeOf(t)), pivots = d.Room(batch * n * 4), info = d.Room(batch * 4);
  d.Factor({MatrixKind::kLu, t, batch, n, n, false, a, {lu.get(), pivots.get(), info.get()}});
  const char* kernel = t == DataType::COMPLEX64 ? "determinant_c64" : IsComplex(t) ? "determinant_c128" : "determinant";
  d.ForEach(kernel, IsComplex(t) ? DataType::UNDEFINED : t, batch, {lu.get(), pivots.get(), out, logs}, {batch, n});
}
}  // namespace
void Det(DataType t, int64_t batch, int64_t n, const void* a, void* out) {
  CheckExtents("det", {n});
  if (const DeviceForms* d = FormsHere()) return DeterminantsOn(*d, t, batch, n, a, out, nullptr);
  ByType("det", t, [&](auto z) {
    using T = decltype(z);
    WithLu<T>("det", batch, n, a, [&](int64_t i, const T* lu, const int*, bool odd) {
      T d(odd ? -1 : 1);
      for (int64_t j = 0; j < n; ++j) d *= lu[j * n + j];
      static_cast<T*>(out)[i] = d;
    });
  });
}

void DetGrad(DataType t, int64_t batch, int64_t n, const void* a, const void* det, const void* g, void* out) {
  CheckExtents("det", {n});
  ByType("det", t, [&](auto z) {
    using T = decltype(z);
    using R = Real<T>;
    WithLu<T>("det", batch, n, a, [&](int64_t i, T* lu, const int* pivots, bool) {
      T* d = Item<T>(out, i, n * n);
      const T gi = *Item<T>(g, i, 1);
      bool singular = false;
      for (int64_t j = 0; j < n; ++j) singular |= lu[j * n + j] == T(0);
      if (n == 0) return;
      if (!singular) {
        lapack::GetriT(n, lu, pivots);
        const T scale = gi * Conj(*Item<T>(det, i, 1));
        for (int64_t j = 0; j < n * n; ++j) d[j] = scale * Conj(lu[j % n * n + j / n]);
        return;
      }
      if (!Finite(Item<T>(a, i, n * n), n * n)) {
        std::fill(d, d + n * n, T(std::numeric_limits<R>::quiet_NaN()));
        return;
      }
      // With A = U S V^H, cofactor products of S take the place of det A / S.
      std::vector<T> u(n * n), vh(n * n);
      std::vector<R> s(n), rest(n);
      Svd(t, 1, n, n, false, Item<T>(a, i, n * n), u.data(), s.data(), vh.data());
      T du, dv;
      Det(t, 1, n, u.data(), &du);
      Det(t, 1, n, vh.data(), &dv);
      for (int64_t j = 0; j < n; ++j) {
        rest[j] = 1;
        for (int64_t k = 0; k < n; ++k) rest[j] *= k == j ? R(1) : s[k];
      }
      const T scale = gi * Conj(du * dv);
      for (int64_t r = 0; r < n; ++r)
        for (int64_t c = 0; c < n; ++c) {
          T sum{};
          for (int64_t k = 0; k < n; ++k) sum += u[r * n + k] * rest[k] * vh[k * n + c];
          d[r * n + c] = scale * sum;
        }
    });
  });
}

void SlogDet(DataType t, int64_t batch, int64_t n, const void* a, void* sign, void* logabs) {
  CheckExtents("slogdet", {n});
  if (const DeviceForms* d = FormsHere()) return DeterminantsOn(*d, t, batch, n, a, sign, logabs);
  ByType("slogdet", t, [&](auto z) {
    using T = decltype(z);
    using R = Real<T>;
    WithLu<T>("slogdet", batch, n, a, [&](int64_t i, const T* lu, const int*, bool odd) {
      T s(odd ? -1 : 1);
      R l = 0;
      for (int64_t j = 0; j < n; ++j) {
        const T d = lu[j * n + j];
        const R m = std::abs(d);
        l += std::log(m);
        s = m == 0 ? T(0) : s * (d / m);
      }
      static_cast<T*>(sign)[i] = s;
      static_cast<R*>(logabs)[i] = l;
    });
  });
}

void Qr(DataType t, int64_t batch, int64_t m, int64_t n, bool complete, const void* a, void* q, void* r) {
  CheckExtents("qr", {m, n});
  if (const DeviceForms* d = FormsHere()) return d->Factor({MatrixKind::kQr, t, batch, m, n, complete, a, {q, r}});
  const int64_t k = std::min(m, n), qc = complete ? m : k;
  ByType("qr", t, [&](auto z) {
    using T = decltype(z);
    Batch("qr", batch, std::max(m, n), nullptr, "a factorisable matrix", [&](int64_t i) -> int {
      Scratch h(m * std::max(n, q ? qc : 0) * sizeof(T)), tau(k * sizeof(T));
      T* f = h.as<T>();
      Transpose(Item<T>(a, i, m * n), m, n, f);
      int code = k ? lapack::GeqrfT(m, n, f, tau.as<T>()) : 0;
      const int64_t rr = q ? qc : k;
      if (r) {
        T* d = Item<T>(r, i, rr * n);
        for (int64_t p = 0; p < rr; ++p)
          for (int64_t c = 0; c < n; ++c) d[p * n + c] = c >= p && p < k ? f[c * m + p] : T{};
      }
      if (q && !code) {
        T* d = Item<T>(q, i, m * qc);
        if (k == 0) {
          Identity(d, m, qc);
          return 0;
        }
        code = lapack::OrgqrT(m, qc, k, f, tau.as<T>());
        Transpose(f, qc, m, d);
      }
      return code;
    });
  });
}

void Svd(DataType t, int64_t batch, int64_t m, int64_t n, bool full, const void* a, void* u, void* s, void* vh) {
  CheckExtents("svd", {m, n});
  if (const DeviceForms* d = FormsHere()) return d->Factor({MatrixKind::kSvd, t, batch, m, n, full, a, {u, s, vh}});
  const int64_t k = std::min(m, n), uc = full ? m : k, vr = full ? n : k;
  const bool vectors = u || vh;
  ByType("svd", t, [&](auto z) {
    using T = decltype(z);
    using R = Real<T>;
    CheckFinite<T>("svd", a, batch * m * n);
    Batch(
        "svd", batch, std::max(m, n), nullptr, "a matrix for which the algorithm converges",
        [&](int64_t i) -> int {
          if (k == 0) {
            if (u) Identity(Item<T>(u, i, m * uc), m, uc);
            if (vh) Identity(Item<T>(vh, i, vr * n), vr, n);
            return 0;
          }
          Scratch work(m * n * sizeof(T)), u2(vectors && !u ? m * uc * sizeof(T) : 0),
              v2(vectors && !vh ? vr * n * sizeof(T) : 0);
          CopyN(Item<T>(a, i, m * n), m * n, work.as<T>());
          T* du = u ? Item<T>(u, i, m * uc) : u2.as<T>();
          T* dv = vh ? Item<T>(vh, i, vr * n) : v2.as<T>();
          // The transposed matrix has the transposed factors: they land in each other's place, in row order.
          return lapack::GesddT(!vectors ? 'N'
                                : full   ? 'A'
                                         : 'S',
                                n, m, work.as<T>(), Item<R>(s, i, k), dv, n, du, std::max<int64_t>(uc, 1));
        },
        kNoConvergence);
  });
}

void Eigh(DataType t, int64_t batch, int64_t n, bool upper, const void* a, void* w, void* v) {
  CheckExtents("eigh", {n});
  if (const DeviceForms* d = FormsHere()) return d->Factor({MatrixKind::kEigh, t, batch, n, n, upper, a, {w, v}});
  ByType("eigh", t, [&](auto z) {
    using T = decltype(z);
    using R = Real<T>;
    for (int64_t i = 0; i < batch * n; ++i) {
      const int64_t r = i % n;
      PD_CHECK(Finite(Item<T>(a, i, n) + (upper ? r : 0), upper ? n - r : r + 1), PreconditionNotMet,
               "[eigh] expected finite values, got NaN or infinity");
    }
    Batch(
        "eigh", batch, n, nullptr, "a matrix for which the algorithm converges",
        [&](int64_t i) -> int {
          if (n == 0) return 0;
          Scratch work(v ? 0 : n * n * sizeof(T));
          T* d = v ? Item<T>(v, i, n * n) : work.as<T>();
          CopyN(Item<T>(a, i, n * n), n * n, d);
          const int r = lapack::HeevdT(v ? 'V' : 'N', upper ? 'L' : 'U', n, d, Item<R>(w, i, n));
          if (v) AdjointInPlace(d, n);
          return r;
        },
        kNoConvergence);
  });
}

void Eig(DataType t, int64_t batch, int64_t n, const void* a, void* w, void* v) {
  CheckExtents("eig", {n});
  if (const DeviceForms* d = FormsHere()) return d->Factor({MatrixKind::kEig, t, batch, n, n, false, a, {w, v}});
  ByType("eig", t, [&](auto z) {
    using T = decltype(z);
    using R = Real<T>;
    using C = std::complex<R>;
    CheckFinite<T>("eig", a, batch * n * n);
    Batch(
        "eig", batch, n, nullptr, "a matrix for which the algorithm converges",
        [&](int64_t i) -> int {
          if (n == 0) return 0;
          Scratch work(n * n * sizeof(T));
          CopyN(Item<T>(a, i, n * n), n * n, work.as<T>());
          C* dw = Item<C>(w, i, n);
          C* dv = v ? Item<C>(v, i, n * n) : nullptr;
          if constexpr (std::is_same_v<T, C>) {
            return lapack::Geev(n, work.as<T>(), dw, dv);
          } else {
            std::vector<R> wr(n), wi(n), vr(v ? n * n : 0);
            const int r = lapack::GeevReal(n, work.as<R>(), wr.data(), wi.data(), v ? vr.data() : nullptr);
            for (int64_t j = 0; j < n; ++j) dw[j] = C(wr[j], wi[j]);
            // A conjugate pair shares two columns: real and imaginary part.
            for (int64_t j = 0; v && j < n; ++j) {
              const bool pair = wi[j] != 0 && j + 1 < n;
              for (int64_t p = 0; p < n; ++p) {
                const R re = vr[p * n + j], im = pair ? vr[p * n + j + 1] : R(0);
                dv[p * n + j] = C(re, im);
                if (pair) dv[p * n + j + 1] = C(re, -im);
              }
              j += pair;
            }
            return r;
          }
        },
        kNoConvergence);
  });
}

void Lstsq(DataType t, int64_t batch, int64_t m, int64_t n, int64_t nrhs, const char* driver, double rcond,
           const void* a, const void* b, void* x, int32_t* rank, void* s) {
  CheckExtents("lstsq", {m, n, nrhs});
  enum { kGels, kGelsy, kGelsd, kGelss } which;
  const std::string_view name(driver);
  if (name == "gels")
    which = kGels;
  else if (name == "gelsy")
    which = kGelsy;
  else if (name == "gelsd")
    which = kGelsd;
  else if (name == "gelss")
    which = kGelss;
  else
    PD_THROW(InvalidArgument, "[lstsq] expected a driver of gels, gelsy, gelsd or gelss, got ", driver);
  const int64_t k = std::min(m, n), tall = std::max(m, n);
  ByType("lstsq", t, [&](auto z) {
    using T = decltype(z);
    using R = Real<T>;
    const R rc = static_cast<R>(rcond < 0 ? std::numeric_limits<R>::epsilon() * static_cast<double>(tall) : rcond);
    if (which == kGelsd || which == kGelss) {
      CheckFinite<T>("lstsq", a, batch * m * n, kNoConvergence);
      CheckFinite<T>("lstsq", b, batch * m * nrhs, kNoConvergence);
    }
    Batch(
        "lstsq", batch, tall, nullptr, "a matrix of full rank",
        [&](int64_t i) -> int {
          T* d = Item<T>(x, i, n * nrhs);
          int found = 0, r = 0;
          if (k == 0 || nrhs == 0) {
            std::fill(d, d + n * nrhs, T{});
          } else if (!Finite(Item<T>(a, i, m * n), m * n) || !Finite(Item<T>(b, i, m * nrhs), m * nrhs)) {
            std::fill(d, d + n * nrhs, T(std::numeric_limits<R>::quiet_NaN()));
          } else {
            Scratch wa(m * n * sizeof(T)), wb(tall * nrhs * sizeof(T)), sv(k * sizeof(R));
            T *fa = wa.as<T>(), *fb = wb.as<T>();
            CopyN(Item<T>(a, i, m * n), m * n, fa);
            CopyN(Item<T>(b, i, m * nrhs), m * nrhs, fb);
            std::fill(fb + m * nrhs, fb + tall * nrhs, T{});
            if (which == kGels) {
              r = lapack::Gels(m, n, nrhs, fa, fb);
            } else if (which == kGelsy) {
              std::vector<int> jpvt(n, 0);
              r = lapack::Gelsy(m, n, nrhs, fa, fb, jpvt.data(), rc, &found);
            } else {
              r = which == kGelsd ? lapack::Gelsd(m, n, nrhs, fa, fb, sv.as<R>(), rc, &found)
                                  : lapack::Gelss(m, n, nrhs, fa, fb, sv.as<R>(), rc, &found);
              if (s) CopyN(sv.as<R>(), k, Item<R>(s, i, k));
            }
            CopyN(fb, n * nrhs, d);
          }
          if (rank && which != kGels) rank[i] = found;
          return r;
        },
        kNoConvergence);
  });
}

void TriangularSolve(DataType t, int64_t batch, int64_t n, int64_t nrhs, bool left, bool upper, int trans,
                     bool unit_diagonal, const void* a, const void* b, void* x) {
  CheckExtents("triangular_solve", {n, nrhs});
  if (const DeviceForms* d = FormsHere()) {
    if (!left) throw NoDeviceForm{"a system from the right"};
    return d->Factor(
        {MatrixKind::kTriangularSolve, t, batch, n, n, upper, a, {x}, b, nrhs, nullptr, trans, unit_diagonal});
  }
  ByType("triangular_solve", t, [&](auto z) {
    using T = decltype(z);
    Batch("triangular_solve", batch, n, nullptr, nullptr, [&](int64_t i) {
      T* d = Item<T>(x, i, n * nrhs);
      CopyN(Item<T>(b, i, n * nrhs), n * nrhs, d);
      if (n && nrhs) Triangular(left, upper, "NTC"[trans], unit_diagonal, n, nrhs, Item<T>(a, i, n * n), d);
      return 0;
    });
  });
}

}  // namespace phi::cpu
