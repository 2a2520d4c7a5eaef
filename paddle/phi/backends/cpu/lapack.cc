// SPDX-License-Identifier: Apache-2.0
// Factorisations, solvers and spectra over batches, through LAPACK.
#include "paddle/phi/backends/cpu/lapack.h"

#include <algorithm>
#include <atomic>
#include <climits>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "paddle/common/error.h"
#include "paddle/phi/backends/cpu/lapack_calls.h"

namespace phi::cpu {
namespace {

using lapack::Real;

const bool g_no_nan_check = (LAPACKE_set_nancheck(0), true);  // NaN flows through instead of failing

template <class F>
void ByType(const char* op, DataType t, const F& f) {
  switch (t) {
    case DataType::FLOAT32:
      return f(float{});
    case DataType::FLOAT64:
      return f(double{});
    case DataType::COMPLEX64:
      return f(complex64{});
    case DataType::COMPLEX128:
      return f(complex128{});
    default:
      PD_THROW(Unimplemented, "[", op, "] expected float32, float64, complex64 or complex128, got ", NameOf(t));
  }
}

void CheckExtents(const char* op, std::initializer_list<int64_t> extents) {
  for (int64_t e : extents)
    PD_CHECK(e >= 0 && e <= INT_MAX / 4, InvalidArgument, "[", op, "] expected extents below 2^29, got ", e);
}

// Calls f(i) -> info for each item, small ones side by side. A non-zero info goes to `info`, or throws with `meaning`.
template <class F>
void Batch(const char* op, int64_t batch, int64_t n, int32_t* info, const char* meaning, const F& f) {
  std::vector<int32_t> own(info ? 0 : batch);
  int32_t* codes = info ? info : own.data();
  std::atomic<bool> out_of_memory{false};
  const int64_t flops = n * n * n + 1;
  ParallelFor(0, batch, n > 256 ? batch + 1 : std::max<int64_t>(1, 20000 / flops), [&](int64_t lo, int64_t hi) {
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
    PD_CHECK(codes[i] >= 0, Internal, "[", op, "] LAPACK failed with info ", codes[i]);
    if (!info && meaning)
      PD_CHECK(codes[i] == 0, PreconditionNotMet, "[", op, "] expected ", meaning, ", got one that is not (batch item ", i,
               ", info ", codes[i], ")");
  }
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
template <class T>
void ClearTriangle(T* p, int64_t rows, int64_t cols, bool clear_lower) {
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < cols; ++j)
      if (clear_lower ? j < i : j > i) p[i * cols + j] = T{};
}

}  // namespace

void Cholesky(DataType t, int64_t batch, int64_t n, bool upper, const void* a, void* out, int32_t* info) {
  CheckExtents("cholesky", {n});
  ByType("cholesky", t, [&](auto z) {
    using T = decltype(z);
    Batch("cholesky", batch, n, info, "a positive definite matrix", [&](int64_t i) {
      T* d = Item<T>(out, i, n * n);
      CopyN(Item<T>(a, i, n * n), n * n, d);
      const int r = n ? lapack::Potrf(upper ? 'U' : 'L', n, d) : 0;
      ClearTriangle(d, n, n, upper);
      return r;
    });
  });
}

void CholeskySolve(DataType t, int64_t batch, int64_t n, int64_t nrhs, bool upper, const void* factor, const void* b,
                   void* x) {
  CheckExtents("cholesky_solve", {n, nrhs});
  ByType("cholesky_solve", t, [&](auto z) {
    using T = decltype(z);
    Batch("cholesky_solve", batch, n, nullptr, "a factor without zeros", [&](int64_t i) {
      T* d = Item<T>(x, i, n * nrhs);
      CopyN(Item<T>(b, i, n * nrhs), n * nrhs, d);
      return n && nrhs ? lapack::Potrs(upper ? 'U' : 'L', n, nrhs, Item<T>(factor, i, n * n), d) : 0;
    });
  });
}

void CholeskyInverse(DataType t, int64_t batch, int64_t n, bool upper, const void* factor, void* out) {
  CheckExtents("cholesky_inverse", {n});
  ByType("cholesky_inverse", t, [&](auto z) {
    using T = decltype(z);
    Batch("cholesky_inverse", batch, n, nullptr, "a factor without zeros", [&](int64_t i) {
      T* d = Item<T>(out, i, n * n);
      CopyN(Item<T>(factor, i, n * n), n * n, d);
      const int r = n ? lapack::Potri(upper ? 'U' : 'L', n, d) : 0;
      for (int64_t p = 0; p < n; ++p)
        for (int64_t q = 0; q < p; ++q) {
          if (upper)
            d[p * n + q] = Conj(d[q * n + p]);
          else
            d[q * n + p] = Conj(d[p * n + q]);
        }
      return r;
    });
  });
}

void LuFactor(DataType t, int64_t batch, int64_t m, int64_t n, const void* a, void* lu, int32_t* pivots, int32_t* info) {
  CheckExtents("lu", {m, n});
  const int64_t k = std::min(m, n);
  std::vector<int32_t> own(info ? 0 : batch);
  if (!info) info = own.data();
  ByType("lu", t, [&](auto z) {
    using T = decltype(z);
    Batch("lu", batch, std::max(m, n), info, nullptr, [&](int64_t i) {
      T* d = Item<T>(lu, i, m * n);
      CopyN(Item<T>(a, i, m * n), m * n, d);
      return k ? lapack::Getrf(m, n, d, pivots + i * k) : 0;
    });
  });
}

void LuSolve(DataType t, int64_t batch, int64_t n, int64_t nrhs, int trans, const void* lu, const int32_t* pivots,
             const void* b, void* x) {
  CheckExtents("lu_solve", {n, nrhs});
  for (int64_t i = 0; i < batch * n; ++i)
    PD_CHECK(pivots[i] >= 1 && pivots[i] <= n, InvalidArgument, "[lu_solve] expected pivots in [1, ", n, "], got ", pivots[i]);
  ByType("lu_solve", t, [&](auto z) {
    using T = decltype(z);
    Batch("lu_solve", batch, n, nullptr, "a non-singular matrix", [&](int64_t i) {
      T* d = Item<T>(x, i, n * nrhs);
      CopyN(Item<T>(b, i, n * nrhs), n * nrhs, d);
      return n && nrhs ? lapack::Getrs("NTC"[trans], n, nrhs, Item<T>(lu, i, n * n), pivots + i * n, d) : 0;
    });
  });
}

void LuUnpack(DataType t, int64_t batch, int64_t m, int64_t n, const void* lu, const int32_t* pivots, void* p, void* l,
              void* u) {
  CheckExtents("lu_unpack", {m, n});
  const int64_t k = std::min(m, n);
  if (p)
    for (int64_t i = 0; i < batch * k; ++i)
      PD_CHECK(pivots[i] >= 1 && pivots[i] <= m, InvalidArgument, "[lu_unpack] expected pivots in [1, ", m, "], got ",
               pivots[i]);
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
        std::vector<int64_t> row(m);
        for (int64_t r = 0; r < m; ++r) row[r] = r;
        for (int64_t r = 0; r < k; ++r) std::swap(row[r], row[pivots[i * k + r] - 1]);
        T* d = Item<T>(p, i, m * m);
        std::fill(d, d + m * m, T{});
        for (int64_t r = 0; r < m; ++r) d[row[r] * m + r] = T(1);
      }
    }
  });
}

void Solve(DataType t, int64_t batch, int64_t n, int64_t nrhs, const void* a, const void* b, void* x) {
  CheckExtents("solve", {n, nrhs});
  ByType("solve", t, [&](auto z) {
    using T = decltype(z);
    Batch("solve", batch, n, nullptr, "a non-singular matrix", [&](int64_t i) -> int {
      T* d = Item<T>(x, i, n * nrhs);
      CopyN(Item<T>(b, i, n * nrhs), n * nrhs, d);
      if (n == 0 || nrhs == 0) return 0;
      Scratch lu(n * n * sizeof(T)), piv(n * sizeof(int));
      CopyN(Item<T>(a, i, n * n), n * n, lu.as<T>());
      const int r = lapack::Getrf(n, n, lu.as<T>(), piv.as<int>());
      return r ? r : lapack::Getrs('N', n, nrhs, lu.as<T>(), piv.as<int>(), d);
    });
  });
}

void Inverse(DataType t, int64_t batch, int64_t n, const void* a, void* out, int32_t* info) {
  CheckExtents("inverse", {n});
  ByType("inverse", t, [&](auto z) {
    using T = decltype(z);
    Batch("inverse", batch, n, info, "a non-singular matrix", [&](int64_t i) -> int {
      if (n == 0) return 0;
      T* d = Item<T>(out, i, n * n);
      CopyN(Item<T>(a, i, n * n), n * n, d);
      Scratch piv(n * sizeof(int));
      const int r = lapack::Getrf(n, n, d, piv.as<int>());
      return r ? r : lapack::Getri(n, d, piv.as<int>());
    });
  });
}

namespace {

// Calls f(i, lu, odd number of row swaps) with each item's LU factors.
template <class T, class F>
void WithLu(const char* op, int64_t batch, int64_t n, const void* a, const F& f) {
  std::vector<int32_t> ignore(batch);
  Batch(op, batch, n, ignore.data(), nullptr, [&](int64_t i) {
    Scratch lu(n * n * sizeof(T)), piv(n * sizeof(int));
    CopyN(Item<T>(a, i, n * n), n * n, lu.as<T>());
    const int r = n ? lapack::Getrf(n, n, lu.as<T>(), piv.as<int>()) : 0;
    bool odd = false;
    for (int64_t j = 0; j < n; ++j) odd ^= piv.as<int>()[j] != j + 1;
    f(i, lu.as<T>(), odd);
    return std::min(r, 0);
  });
}

}  // namespace

void Det(DataType t, int64_t batch, int64_t n, const void* a, void* out) {
  CheckExtents("det", {n});
  ByType("det", t, [&](auto z) {
    using T = decltype(z);
    WithLu<T>("det", batch, n, a, [&](int64_t i, const T* lu, bool odd) {
      T d(odd ? -1 : 1);
      for (int64_t j = 0; j < n; ++j) d *= lu[j * n + j];
      static_cast<T*>(out)[i] = d;
    });
  });
}

void SlogDet(DataType t, int64_t batch, int64_t n, const void* a, void* sign, void* logabs) {
  CheckExtents("slogdet", {n});
  ByType("slogdet", t, [&](auto z) {
    using T = decltype(z);
    using R = Real<T>;
    WithLu<T>("slogdet", batch, n, a, [&](int64_t i, const T* lu, bool odd) {
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
  const int64_t k = std::min(m, n), qc = complete ? m : k;
  ByType("qr", t, [&](auto z) {
    using T = decltype(z);
    Batch("qr", batch, std::max(m, n), nullptr, "a factorisable matrix", [&](int64_t i) -> int {
      Scratch h(m * n * sizeof(T)), tau(k * sizeof(T));
      T* f = h.as<T>();
      CopyN(Item<T>(a, i, m * n), m * n, f);
      int code = k ? lapack::Geqrf(m, n, f, tau.as<T>()) : 0;
      const int64_t rr = q ? qc : k;
      if (r) {
        T* d = Item<T>(r, i, rr * n);
        for (int64_t p = 0; p < rr; ++p)
          for (int64_t c = 0; c < n; ++c) d[p * n + c] = c >= p && p < k ? f[p * n + c] : T{};
      }
      if (q && !code) {
        T* d = Item<T>(q, i, m * qc);
        if (k == 0) {
          Identity(d, m, qc);
          return 0;
        }
        for (int64_t p = 0; p < m; ++p)
          for (int64_t c = 0; c < qc; ++c) d[p * qc + c] = c < k ? f[p * n + c] : T{};
        code = lapack::Orgqr(m, qc, k, d, tau.as<T>());
      }
      return code;
    });
  });
}

void Geqrf(DataType t, int64_t batch, int64_t m, int64_t n, const void* a, void* h, void* tau) {
  CheckExtents("geqrf", {m, n});
  const int64_t k = std::min(m, n);
  ByType("geqrf", t, [&](auto z) {
    using T = decltype(z);
    Batch("geqrf", batch, std::max(m, n), nullptr, "a factorisable matrix", [&](int64_t i) {
      T* d = Item<T>(h, i, m * n);
      CopyN(Item<T>(a, i, m * n), m * n, d);
      return k ? lapack::Geqrf(m, n, d, Item<T>(tau, i, k)) : 0;
    });
  });
}

void HouseholderProduct(DataType t, int64_t batch, int64_t m, int64_t n, int64_t k, const void* h, const void* tau,
                        void* q) {
  CheckExtents("householder_product", {m, n, k});
  PD_CHECK(m >= n && n >= k, InvalidArgument, "[householder_product] expected rows >= columns >= reflectors, got ", m, ", ",
           n, ", ", k);
  ByType("householder_product", t, [&](auto z) {
    using T = decltype(z);
    Batch("householder_product", batch, m, nullptr, "valid reflectors", [&](int64_t i) {
      T* d = Item<T>(q, i, m * n);
      CopyN(Item<T>(h, i, m * n), m * n, d);
      return m && n ? lapack::Orgqr(m, n, k, d, Item<T>(tau, i, k)) : 0;
    });
  });
}

void Ormqr(DataType t, int64_t batch, int64_t m, int64_t n, int64_t k, bool left, bool transpose, const void* h,
           const void* tau, const void* c, void* out) {
  CheckExtents("ormqr", {m, n, k});
  const int64_t rows = left ? m : n;
  PD_CHECK(k <= rows, InvalidArgument, "[ormqr] expected at most ", rows, " reflectors, got ", k);
  ByType("ormqr", t, [&](auto z) {
    using T = decltype(z);
    Batch("ormqr", batch, std::max(m, n), nullptr, "valid reflectors", [&](int64_t i) {
      T* d = Item<T>(out, i, m * n);
      CopyN(Item<T>(c, i, m * n), m * n, d);
      return m && n && k ? lapack::Ormqr(left, transpose, m, n, k, Item<T>(h, i, rows * k), Item<T>(tau, i, k), d) : 0;
    });
  });
}

void Svd(DataType t, int64_t batch, int64_t m, int64_t n, bool full, const void* a, void* u, void* s, void* vh) {
  CheckExtents("svd", {m, n});
  const int64_t k = std::min(m, n), uc = full ? m : k, vr = full ? n : k;
  const bool vectors = u || vh;
  ByType("svd", t, [&](auto z) {
    using T = decltype(z);
    using R = Real<T>;
    Batch("svd", batch, std::max(m, n), nullptr, "a matrix for which the algorithm converges", [&](int64_t i) -> int {
      if (k == 0) {
        if (u) Identity(Item<T>(u, i, m * uc), m, uc);
        if (vh) Identity(Item<T>(vh, i, vr * n), vr, n);
        return 0;
      }
      Scratch work(m * n * sizeof(T)), u2(vectors && !u ? m * uc * sizeof(T) : 0), v2(vectors && !vh ? vr * n * sizeof(T) : 0);
      CopyN(Item<T>(a, i, m * n), m * n, work.as<T>());
      T* du = u ? Item<T>(u, i, m * uc) : u2.as<T>();
      T* dv = vh ? Item<T>(vh, i, vr * n) : v2.as<T>();
      return lapack::Gesdd(!vectors ? 'N' : full ? 'A' : 'S', m, n, work.as<T>(), Item<R>(s, i, k), du,
                           std::max<int64_t>(uc, 1), dv, n);
    });
  });
}

void Eigh(DataType t, int64_t batch, int64_t n, bool upper, const void* a, void* w, void* v) {
  CheckExtents("eigh", {n});
  ByType("eigh", t, [&](auto z) {
    using T = decltype(z);
    using R = Real<T>;
    Batch("eigh", batch, n, nullptr, "a matrix for which the algorithm converges", [&](int64_t i) {
      Scratch work(v ? 0 : n * n * sizeof(T));
      T* d = v ? Item<T>(v, i, n * n) : work.as<T>();
      CopyN(Item<T>(a, i, n * n), n * n, d);
      return n ? lapack::Heevd(v ? 'V' : 'N', upper ? 'U' : 'L', n, d, Item<R>(w, i, n)) : 0;
    });
  });
}

void Eig(DataType t, int64_t batch, int64_t n, const void* a, void* w, void* v) {
  CheckExtents("eig", {n});
  ByType("eig", t, [&](auto z) {
    using T = decltype(z);
    using R = Real<T>;
    using C = std::complex<R>;
    Batch("eig", batch, n, nullptr, "a matrix for which the algorithm converges", [&](int64_t i) -> int {
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
    });
  });
}

void Lstsq(DataType t, int64_t batch, int64_t m, int64_t n, int64_t nrhs, const char* driver, double rcond, const void* a,
           const void* b, void* x, int32_t* rank, void* s) {
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
    Batch("lstsq", batch, tall, nullptr, "a matrix of full rank", [&](int64_t i) -> int {
      T* d = Item<T>(x, i, n * nrhs);
      int found = 0, r = 0;
      if (k == 0 || nrhs == 0) {
        std::fill(d, d + n * nrhs, T{});
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
    });
  });
}

void TriangularSolve(DataType t, int64_t batch, int64_t n, int64_t nrhs, bool left, bool upper, int trans,
                     bool unit_diagonal, const void* a, const void* b, void* x) {
  CheckExtents("triangular_solve", {n, nrhs});
  ByType("triangular_solve", t, [&](auto z) {
    using T = decltype(z);
    Batch("triangular_solve", batch, n, nullptr, nullptr, [&](int64_t i) {
      T* d = Item<T>(x, i, n * nrhs);
      CopyN(Item<T>(b, i, n * nrhs), n * nrhs, d);
      if (n && nrhs)
        lapack::Trsm(left ? CblasLeft : CblasRight, upper ? CblasUpper : CblasLower,
                     trans == 0   ? CblasNoTrans
                     : trans == 1 ? CblasTrans
                                  : CblasConjTrans,
                     unit_diagonal ? CblasUnit : CblasNonUnit, left ? n : nrhs, left ? nrhs : n, Item<T>(a, i, n * n), n, d);
      return 0;
    });
  });
}

}  // namespace phi::cpu
