// SPDX-License-Identifier: Apache-2.0
// Chooses, per type and size, between own loops (gemm_narrow, gemm_small), oneDNN and BLAS for a matrix product.
#include "paddle/phi/backends/cpu/gemm.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstring>
#include <optional>
#include <vector>

#include "paddle/common/error.h"
#include "paddle/phi/backends/cpu/blas.h"
#include "paddle/phi/backends/cpu/gemm_impl.h"
#include "paddle/phi/primitives/copy.h"
#include "paddle/phi/primitives/isa.h"

PD_ISA_DECL(void, GemmSmallF32,
            (int ta, int tb, int64_t m, int64_t n, int64_t k, double alpha, const float* a, int64_t lda, const float* b,
             int64_t ldb, double beta, float* c, int64_t ldc))
PD_ISA_DECL(bool, GemmNarrowF32,
            (int ta, int tb, int64_t m, int64_t n, int64_t k, const float* a, int64_t lda, const float* b, int64_t ldb,
             const float* bias, bool add, float* c, int64_t ldc))
PD_ISA_DECL(void, GemmSmallF64,
            (int ta, int tb, int64_t m, int64_t n, int64_t k, double alpha, const double* a, int64_t lda,
             const double* b, int64_t ldb, double beta, double* c, int64_t ldc))
PD_ISA_DECL(void, GemmInt,
            (int t, int ta, int tb, int64_t m, int64_t n, int64_t k, int64_t alpha, const void* a, int64_t lda,
             const void* b, int64_t ldb, int64_t beta, void* c, int64_t ldc))
PD_ISA_DECL(void, WidenBlock, (int t, const void* src, int64_t ld, int64_t rows, int64_t cols, float* dst, int64_t ldd))
PD_ISA_DECL(void, NarrowBlock,
            (int t, const float* src, int64_t lds, int64_t rows, int64_t cols, float alpha, float beta, void* dst,
             int64_t ld))
PD_ISA_DECL(void, HalfThinNN,
            (int t, int64_t m, int64_t n0, int64_t n1, int64_t k, const float* a, int64_t lda, const void* b,
             int64_t ldb, float* c, int64_t ldc))
PD_ISA_DECL(void, HalfThinNT,
            (int t, int64_t m, int64_t n0, int64_t n1, int64_t k, const float* a, int64_t lda, const void* b,
             int64_t ldb, float* c, int64_t ldc))

namespace phi::cpu {
namespace {

constexpr int64_t kSmall = 4096;  // m * n * k up to which own loops win

using Args = GemmArgs;

template <class T>
void ScaleC(const Args& g) {
  T* c = static_cast<T*>(g.c);
  for (int64_t i = 0; i < g.m; ++i)
    for (int64_t j = 0; j < g.n; ++j) {
      T& x = c[i * g.ldc + j];
      x = g.beta == 0 ? T(0) : static_cast<T>(x * static_cast<T>(g.beta));
    }
}

bool UseSmall(const Args& g) {
  const int64_t work = g.m * g.n * g.k;
  return work <= 512 || (work <= kSmall && g.n >= 4);
}

CBLAS_TRANSPOSE BlasTrans(int t) { return t == 0 ? CblasNoTrans : t == 1 ? CblasTrans : CblasConjTrans; }

void CheckBlasSizes(const Args& g) {
  for (int64_t v : {g.m, g.n, g.k, g.lda, g.ldb, g.ldc})
    PD_CHECK(v <= INT_MAX, InvalidArgument, "[matmul] expected extents below 2^31, got ", v);
}

void F32(const Args& g) {
  const float* a = static_cast<const float*>(g.a);
  const float* b = static_cast<const float*>(g.b);
  float* c = static_cast<float*>(g.c);
  if (g.alpha == 1 && (g.beta == 0 || g.beta == 1) &&
      PD_ISA_CALL(GemmNarrowF32)(g.ta, g.tb, g.m, g.n, g.k, a, g.lda, b, g.ldb, nullptr, g.beta == 1, c, g.ldc))
    return;
  if (UseSmall(g)) {
    PD_ISA_CALL(GemmSmallF32)
    (g.ta, g.tb, g.m, g.n, g.k, g.alpha, a, g.lda, b, g.ldb, g.beta, c, g.ldc);
    return;
  }
  Sgemm(g.ta, g.tb, g.m, g.n, g.k, static_cast<float>(g.alpha), a, g.lda, b, g.ldb, static_cast<float>(g.beta), c,
        g.ldc);
}

void F64(const Args& g) {
  const double* a = static_cast<const double*>(g.a);
  const double* b = static_cast<const double*>(g.b);
  double* c = static_cast<double*>(g.c);
  if (UseSmall(g)) {
    PD_ISA_CALL(GemmSmallF64)
    (g.ta, g.tb, g.m, g.n, g.k, g.alpha, a, g.lda, b, g.ldb, g.beta, c, g.ldc);
    return;
  }
  CheckBlasSizes(g);
  Dgemm(g.ta, g.tb, g.m, g.n, g.k, g.alpha, a, g.lda, b, g.ldb, g.beta, c, g.ldc);
}

template <class T>
void Complex(const Args& g) {
  const std::complex<T>* a = static_cast<const std::complex<T>*>(g.a);
  const std::complex<T>* b = static_cast<const std::complex<T>*>(g.b);
  std::complex<T>* c = static_cast<std::complex<T>*>(g.c);
  if (g.m * g.n * g.k <= 64) {
    for (int64_t i = 0; i < g.m; ++i)
      for (int64_t j = 0; j < g.n; ++j) {
        T re = 0, im = 0;
        for (int64_t p = 0; p < g.k; ++p) {
          std::complex<T> x = g.ta ? a[p * g.lda + i] : a[i * g.lda + p];
          std::complex<T> y = g.tb ? b[j * g.ldb + p] : b[p * g.ldb + j];
          if (g.ta == 2) x = std::conj(x);
          if (g.tb == 2) y = std::conj(y);
          re += x.real() * y.real() - x.imag() * y.imag();
          im += x.real() * y.imag() + x.imag() * y.real();
        }
        std::complex<T> r(re * T(g.alpha), im * T(g.alpha));
        std::complex<T>& d = c[i * g.ldc + j];
        d = g.beta == 0 ? r : r + T(g.beta) * d;
      }
    return;
  }
  CheckBlasSizes(g);
  const std::complex<T> alpha(static_cast<T>(g.alpha)), beta(static_cast<T>(g.beta));
  if constexpr (std::is_same_v<T, float>) PD_BLAS(cblas_cgemm)
  (CblasRowMajor, BlasTrans(g.ta), BlasTrans(g.tb), g.m, g.n, g.k, &alpha, a, g.lda, b, g.ldb, &beta, c, g.ldc);
  else PD_BLAS(cblas_zgemm)(CblasRowMajor, BlasTrans(g.ta), BlasTrans(g.tb), g.m, g.n, g.k, &alpha, a, g.lda, b, g.ldb,
                            &beta, c, g.ldc);
}

void HalfGemm(DataType t, const Args& g) {
  const int code = static_cast<int>(t);
  const uint16_t* b = static_cast<const uint16_t*>(g.b);
  const auto widen = PD_ISA_CALL(WidenBlock);
  const auto narrow = PD_ISA_CALL(NarrowBlock);
  const int64_t a_rows = g.ta ? g.k : g.m, a_cols = g.ta ? g.m : g.k;
  const int64_t b_rows = g.tb ? g.n : g.k, b_cols = g.tb ? g.k : g.n;
  if (g.m * g.n * g.k <= 32768) {
    Scratch s((a_rows * a_cols + b_rows * b_cols + g.m * g.n) * 4);
    float *fa = s.as<float>(), *fb = fa + a_rows * a_cols, *fc = fb + b_rows * b_cols;
    widen(code, g.a, g.lda, a_rows, a_cols, fa, a_cols);
    widen(code, b, g.ldb, b_rows, b_cols, fb, b_cols);
    F32({g.ta, g.tb, g.m, g.n, g.k, 1.0, fa, a_cols, fb, b_cols, 0.0, fc, g.n});
    narrow(code, fc, g.n, g.m, g.n, static_cast<float>(g.alpha), static_cast<float>(g.beta), g.c, g.ldc);
    return;
  }
  if (g.m <= 8 && !g.ta) {
    Scratch s((g.m * g.k + g.m * g.n) * 4);
    float *fa = s.as<float>(), *fc = fa + g.m * g.k;
    widen(code, g.a, g.lda, g.m, g.k, fa, g.k);
    ParallelFor(0, g.n, std::max<int64_t>(16, 65536 / g.k), [&](int64_t lo, int64_t hi) {
      if (g.tb)
        PD_ISA_CALL(HalfThinNT)(code, g.m, lo, hi, g.k, fa, g.k, b, g.ldb, fc, g.n);
      else
        PD_ISA_CALL(HalfThinNN)(code, g.m, lo, hi, g.k, fa, g.k, b, g.ldb, fc, g.n);
    });
    narrow(code, fc, g.n, g.m, g.n, static_cast<float>(g.alpha), static_cast<float>(g.beta), g.c, g.ldc);
    return;
  }
  if (g.n == 1 && !g.ta) {  // a matrix times a vector: the rows of A are the stored side
    Scratch s((g.k + g.m) * 4);
    float *fb = s.as<float>(), *fc = fb + g.k;
    widen(code, b, g.tb ? g.k : g.ldb, g.tb ? 1 : g.k, g.tb ? g.k : 1, fb, g.tb ? g.k : 1);
    ParallelFor(0, g.m, std::max<int64_t>(1, 65536 / g.k), [&](int64_t lo, int64_t hi) {
      PD_ISA_CALL(HalfThinNT)(code, 1, lo, hi, g.k, fb, g.k, g.a, g.lda, fc, g.m);
    });
    narrow(code, fc, 1, g.m, 1, static_cast<float>(g.alpha), static_cast<float>(g.beta), g.c, g.ldc);
    return;
  }
  if (t == DataType::BFLOAT16 && GemmBf16Onednn(g)) return;
  // float32 panels: rows of A in chunks, the columns of B shared out and widened block by block.
  const int64_t mc = std::min<int64_t>(g.m, 1024), kc = std::min<int64_t>(g.k, 384), nc = std::min<int64_t>(g.n, 384);
  const int64_t a_bytes = mc * g.k * 4;
  Scratch sa(a_bytes);
  for (int64_t i0 = 0; i0 < g.m; i0 += mc) {
    const int64_t mm = std::min(mc, g.m - i0);
    float* fa = sa.as<float>();
    const int64_t lda = g.ta ? mm : g.k;
    const uint16_t* a = static_cast<const uint16_t*>(g.a);
    if (g.ta)
      ParallelFor(0, g.k, std::max<int64_t>(1, kGrain / mm), [&](int64_t lo, int64_t hi) {
        widen(code, a + lo * g.lda + i0, g.lda, hi - lo, mm, fa + lo * lda, lda);
      });
    else
      ParallelFor(0, mm, std::max<int64_t>(1, kGrain / g.k), [&](int64_t lo, int64_t hi) {
        widen(code, a + (i0 + lo) * g.lda, g.lda, hi - lo, g.k, fa + lo * lda, lda);
      });
    const int64_t grain = std::max<int64_t>(16, 1000000 / (mm * g.k) + 1);
    ParallelFor(0, g.n, grain, [&](int64_t lo, int64_t hi) {
      Scratch s((kc * nc + mm * nc) * 4);
      float *fb = s.as<float>(), *fc = fb + kc * nc;
      for (int64_t j = lo; j < hi; j += nc) {
        const int64_t nn = std::min(nc, hi - j);
        for (int64_t p = 0; p < g.k; p += kc) {
          const int64_t kk = std::min(kc, g.k - p);
          if (g.tb)
            widen(code, b + j * g.ldb + p, g.ldb, nn, kk, fb, kk);
          else
            widen(code, b + p * g.ldb + j, g.ldb, kk, nn, fb, nn);
          Sgemm(g.ta, g.tb, mm, nn, kk, 1.0f, g.ta ? fa + p * lda : fa + p, lda, fb, g.tb ? kk : nn, p ? 1.0f : 0.0f,
                fc, nn);
        }
        narrow(code, fc, nn, mm, nn, static_cast<float>(g.alpha), static_cast<float>(g.beta),
               static_cast<uint16_t*>(g.c) + i0 * g.ldc + j, g.ldc);
      }
    });
  }
}

void BoolGemm(const Args& g) {
  const uint8_t *a = static_cast<const uint8_t*>(g.a), *b = static_cast<const uint8_t*>(g.b);
  uint8_t* c = static_cast<uint8_t*>(g.c);
  for (int64_t i = 0; i < g.m; ++i)
    for (int64_t j = 0; j < g.n; ++j) {
      bool any = g.beta != 0 && c[i * g.ldc + j];
      for (int64_t p = 0; p < g.k && !any; ++p)
        any = (g.ta ? a[p * g.lda + i] : a[i * g.lda + p]) && (g.tb ? b[j * g.ldb + p] : b[p * g.ldb + j]);
      c[i * g.ldc + j] = any;
    }
}

void Run(DataType t, const Args& g) {
  if (g.m <= 0 || g.n <= 0) return;
  if (g.k <= 0) {
    switch (t) {
      case DataType::FLOAT32: return ScaleC<float>(g);
      case DataType::FLOAT64: return ScaleC<double>(g);
      case DataType::COMPLEX64: return ScaleC<complex64>(g);
      case DataType::COMPLEX128: return ScaleC<complex128>(g);
      case DataType::INT32: return ScaleC<int32_t>(g);
      case DataType::INT64: return ScaleC<int64_t>(g);
      default:
        if (g.beta == 0)
          for (int64_t i = 0; i < g.m; ++i)
            std::memset(static_cast<char*>(g.c) + i * g.ldc * SizeOf(t), 0, g.n * SizeOf(t));
        return;
    }
  }
  switch (t) {
    case DataType::FLOAT32: return F32(g);
    case DataType::FLOAT64: return F64(g);
    case DataType::COMPLEX64: return Complex<float>(g);
    case DataType::COMPLEX128: return Complex<double>(g);
    case DataType::FLOAT16:
    case DataType::BFLOAT16: return HalfGemm(t, g);
    case DataType::BOOL: return BoolGemm(g);
    case DataType::UINT8:
    case DataType::INT8:
    case DataType::INT16:
    case DataType::INT32:
    case DataType::INT64:
      PD_ISA_CALL(GemmInt)
      (static_cast<int>(t), g.ta, g.tb, g.m, g.n, g.k, static_cast<int64_t>(g.alpha), g.a, g.lda, g.b, g.ldb,
       static_cast<int64_t>(g.beta), g.c, g.ldc);
      return;
    default: PD_THROW(Unimplemented, "[matmul] expected a float, complex or integer type, got ", NameOf(t));
  }
}

// Many products: small ones are shared out whole, large ones run one after another on all threads.
template <class Offsets>
void RunMany(DataType t, const Args& g, int64_t batch, const Offsets& at) {
  PD_CHECK(!IsFloat8(t), Unimplemented, "[matmul] expected a float, complex or integer type, got ", NameOf(t));
  const double work = static_cast<double>(g.m) * g.n * std::max<int64_t>(g.k, 1);
  const int threads = MaxThreads();
  const auto one = [&](int64_t i) {
    Args item = g;
    at(i, item);
    Run(t, item);
  };
  if (batch == 1 || threads == 1 || work * batch < 60000 ||
      (work > 3e7 && batch % threads != 0 && batch < 4 * threads)) {
    for (int64_t i = 0; i < batch; ++i) one(i);
    return;
  }
  CheckBlasSizes(g);
  ParallelFor(0, batch, std::max<int64_t>(1, static_cast<int64_t>(30000 / (work + 1))), [&](int64_t lo, int64_t hi) {
    for (int64_t i = lo; i < hi; ++i) one(i);
  });
}

const char* At(const void* p, int64_t elems, int64_t size) { return static_cast<const char*>(p) + elems * size; }

// The batch axes of two operands that broadcast: extents, and how far each operand steps along them.
struct Batch {
  int n;
  int64_t dims[32], xs[32], ys[32], count = 1;

  Batch(Ints x_shape, Ints x_strides, Ints y_shape, Ints y_strides) {
    const int xn = static_cast<int>(x_shape.size()) - 2, yn = static_cast<int>(y_shape.size()) - 2;
    n = std::max(xn, yn);
    PD_CHECK(n <= 32, InvalidArgument, "[matmul] expected at most 34 dims, got ", n + 2);
    for (int i = 0; i < n; ++i) {
      const int xi = i - (n - xn), yi = i - (n - yn);
      const int64_t dx = xi >= 0 ? x_shape[xi] : 1, dy = yi >= 0 ? y_shape[yi] : 1;
      PD_CHECK(dx == dy || dx == 1 || dy == 1, InvalidArgument, "[matmul] expected batch extents that broadcast, got ",
               dx, " and ", dy);
      dims[i] = dx == 1 ? dy : dx;
      xs[i] = dx == 1 ? 0 : x_strides[xi];
      ys[i] = dy == 1 ? 0 : y_strides[yi];
      count *= dims[i];
    }
  }
  // Whether both operands step alike over the whole batch, and how far.
  bool Uniform(int64_t* sx, int64_t* sy) const {
    int last = -1;
    *sx = *sy = 0;
    for (int i = n - 1; i >= 0; --i) {
      if (dims[i] == 1) continue;
      if (last < 0) {
        *sx = xs[i];
        *sy = ys[i];
      } else if (xs[i] != xs[last] * dims[last] || ys[i] != ys[last] * dims[last]) {
        return false;
      }
      last = i;
    }
    return true;
  }
  void Offsets(int64_t item, int64_t* ox, int64_t* oy) const {
    *ox = *oy = 0;
    for (int d = n - 1; d >= 0; --d) {
      const int64_t c = item % dims[d];
      item /= dims[d];
      *ox += c * xs[d];
      *oy += c * ys[d];
    }
  }
};

// A matrix operand that BLAS can read, possibly after a copy.
struct Operand {
  const void* p;
  int trans;
  int64_t ld;
  std::optional<Scratch> copy;

  // The last two axes are a matrix, to be used with `t`. A copy changes the steps of the batch.
  Operand(int64_t size, const void* x, Ints shape, Ints strides, int t, int batch_axes, int64_t* steps) {
    const int n = static_cast<int>(shape.size());
    if (Read(x, shape[n - 2], shape[n - 1], strides[n - 2], strides[n - 1], t)) return;
    int64_t count = 1;
    for (int64_t d : shape) count *= d;
    copy.emplace(count * size);
    CopyToContiguous(size, shape, x, strides, copy->as<void>());
    int64_t step = shape[n - 1] * shape[n - 2];
    for (int i = batch_axes - 1, d = n - 3; i >= 0; --i, --d) {
      steps[i] = d >= 0 && shape[d] != 1 ? step : 0;
      if (d >= 0) step *= shape[d];
    }
    p = copy->as<void>();
    trans = t;
    ld = std::max<int64_t>(shape[n - 1], 1);
  }

 private:
  // The stored matrix [rows, cols] with strides (rs, cs), where BLAS can read it.
  bool Read(const void* x, int64_t rows, int64_t cols, int64_t rs, int64_t cs, int t) {
    p = x;
    if (cols <= 1) cs = 1;
    if (rows <= 1 && cs == 1) rs = std::max<int64_t>(cols, 1);
    if (cs == 1 && rs >= std::max<int64_t>(cols, 1)) {
      trans = t;
      ld = rs;
      return true;
    }
    if (rows <= 1) rs = 1;
    if (cols <= 1) cs = std::max<int64_t>(rows, 1);
    if (rs == 1 && cs >= std::max<int64_t>(rows, 1) && t != 2) {
      trans = 1 - t;
      ld = cs;
      return true;
    }
    return false;
  }
};

}  // namespace

void Gemm(DataType t, int ta, int tb, int64_t m, int64_t n, int64_t k, double alpha, const void* a, int64_t lda,
          const void* b, int64_t ldb, double beta, void* c, int64_t ldc) {
  Run(t, {ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc});
}

void GemmBatched(DataType t, int ta, int tb, int64_t batch, int64_t m, int64_t n, int64_t k, double alpha,
                 const void* a, int64_t lda, int64_t sa, const void* b, int64_t ldb, int64_t sb, double beta, void* c,
                 int64_t ldc, int64_t sc) {
  const int64_t size = SizeOf(t);
  // One B for all items and rows of A and C that follow each other: a single taller product.
  if (batch > 1 && sb == 0 && !ta && sa == m * lda && sc == m * ldc) {
    Run(t, {ta, tb, batch * m, n, k, alpha, a, lda, b, ldb, beta, c, ldc});
    return;
  }
  RunMany(t, {ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc}, batch, [&](int64_t i, Args& g) {
    g.a = At(a, i * sa, size);
    g.b = At(b, i * sb, size);
    g.c = const_cast<char*>(At(c, i * sc, size));
  });
}

void Matmul(DataType t, const void* x, Ints x_shape, Ints x_strides, int tx, const void* y, Ints y_shape,
            Ints y_strides, int ty, void* out, bool accumulate) {
  const int xn = static_cast<int>(x_shape.size()), yn = static_cast<int>(y_shape.size());
  PD_CHECK(xn >= 2 && yn >= 2, InvalidArgument, "[matmul] expected matrices, got ", xn, "-D and ", yn, "-D operands");
  const int64_t m = x_shape[xn - (tx ? 1 : 2)], k = x_shape[xn - (tx ? 2 : 1)];
  const int64_t n = y_shape[yn - (ty ? 2 : 1)], ky = y_shape[yn - (ty ? 1 : 2)];
  PD_CHECK(k == ky, InvalidArgument, "[matmul] expected equal inner extents, got ", k, " and ", ky);
  Batch batch(x_shape, x_strides, y_shape, y_strides);
  if (m == 0 || n == 0 || batch.count == 0) return;
  const int64_t size = SizeOf(t);
  const Operand a(size, x, x_shape, x_strides, tx, batch.n, batch.xs);
  const Operand b(size, y, y_shape, y_strides, ty, batch.n, batch.ys);
  const double beta = accumulate ? 1.0 : 0.0;
  const Args g{a.trans, b.trans, m, n, k, 1.0, a.p, a.ld, b.p, b.ld, beta, out, n};
  if (batch.count == 1) return Run(t, g);
  int64_t sx, sy;
  if (batch.Uniform(&sx, &sy))
    return GemmBatched(t, a.trans, b.trans, batch.count, m, n, k, 1.0, a.p, a.ld, sx, b.p, b.ld, sy, beta, out, n,
                       m * n);
  RunMany(t, g, batch.count, [&](int64_t i, Args& item) {
    int64_t ox, oy;
    batch.Offsets(i, &ox, &oy);
    item.a = At(a.p, ox, size);
    item.b = At(b.p, oy, size);
    item.c = const_cast<char*>(At(out, i * m * n, size));
  });
}

void Linear(DataType t, int64_t m, int64_t n, int64_t k, const void* x, const void* w, const void* bias, void* out) {
  if (!bias) return Gemm(t, 0, 0, m, n, k, 1.0, x, k, w, n, 0.0, out, n);
  if (t == DataType::FLOAT32 && k > 0 &&
      PD_ISA_CALL(GemmNarrowF32)(0, 0, m, n, k, static_cast<const float*>(x), k, static_cast<const float*>(w), n,
                                 static_cast<const float*>(bias), false, static_cast<float*>(out), n))
    return;
  const int64_t shape[2] = {m, n}, strides[2] = {0, 1};
  CopyToContiguous(SizeOf(t), shape, bias, strides, out);
  Gemm(t, 0, 0, m, n, k, 1.0, x, k, w, n, 1.0, out, n);
}

}  // namespace phi::cpu
