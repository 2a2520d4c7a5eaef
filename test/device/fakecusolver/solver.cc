// SPDX-License-Identifier: Apache-2.0
// A cuSOLVER for tests without a GPU: factorisations of matrices that lie column by column, in the order of a stream,
// in complex float64. It refuses leading dimensions, types, workspaces and devices that do not belong to the call, and
// says so on stderr; what it reads of a matrix is the triangle that was named, and what has no meaning after a call is
// no number. FAKECUSOLVER_FAILS names a call that fails; calls are written to the file of FAKECUSOLVER_LOG, a line a
// call.
#include <algorithm>
#include <cmath>
#include <complex>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "device/host_work.h"

namespace {

using Complex = std::complex<double>;

enum Status : int { kSuccess = 0, kInvalidValue = 3, kExecutionFailed = 6 };
constexpr int kReal32 = 0, kReal64 = 1, kComplex32 = 4, kComplex64 = 5;
constexpr size_t kDeviceBytes = 1024, kHostBytes = 96;

struct Handle {
  CUcontext context;
  CUstream stream = nullptr;
};
struct Params {
  int unused = 0;
};

int Refuse(const std::string& why) {
  std::fprintf(stderr, "fakecusolver: %s\n", why.c_str());
  return kInvalidValue;
}
void Log(const std::string& line) {
  static const char* const path = std::getenv("FAKECUSOLVER_LOG");
  if (path) std::ofstream(path, std::ios::app) << line << "\n";
}
bool Fails(const std::string& call) {
  static const char* const asked = std::getenv("FAKECUSOLVER_FAILS");
  return asked && call == asked;
}

bool IsComplex(int type) { return type == kComplex32 || type == kComplex64; }
Real RealOf(int type) { return type == kReal64 || type == kComplex64 ? Real::k64 : Real::k32; }
int PartOf(int type) { return RealOf(type) == Real::k64 ? kReal64 : kReal32; }
size_t SizeOf(int type) { return SizeOf(RealOf(type)) * (IsComplex(type) ? 2 : 1); }
Complex LoadNumber(int type, const char* p) {
  const Real real = RealOf(type);
  return {Load(real, p), IsComplex(type) ? Load(real, p + SizeOf(real)) : 0};
}
void StoreNumber(int type, Complex v, char* p) {
  const Real real = RealOf(type);
  Store(real, v.real(), p);
  if (IsComplex(type)) Store(real, v.imag(), p + SizeOf(real));
}

// A matrix of numbers, column by column.
struct Matrix {
  int64_t rows = 0, columns = 0;
  std::vector<Complex> v;
  Matrix() = default;
  Matrix(int64_t m, int64_t n) : rows(m), columns(n), v(static_cast<size_t>(m * n)) {}
  Complex& operator()(int64_t i, int64_t k) { return v[static_cast<size_t>(k * rows + i)]; }
  const Complex& operator()(int64_t i, int64_t k) const { return v[static_cast<size_t>(k * rows + i)]; }
};

// One operand of a call: read before it, and written after where it `changes`.
struct Operand {
  int type;
  int64_t rows, columns, leading;
  void* data;
  bool reads = true, changes = true;
  char* host = nullptr;
  Matrix Read() const {
    Matrix m(rows, columns);
    for (int64_t k = 0; k < columns; ++k)
      for (int64_t i = 0; i < rows; ++i)
        m(i, k) = LoadNumber(type, host + static_cast<size_t>(k * leading + i) * SizeOf(type));
    return m;
  }
  void Write(const Matrix& m) const {
    for (int64_t k = 0; k < columns; ++k)
      for (int64_t i = 0; i < rows; ++i)
        StoreNumber(type, m(i, k), host + static_cast<size_t>(k * leading + i) * SizeOf(type));
  }
};

// ---- the algorithms

int Potrf(Matrix& a, bool upper) {
  const int64_t n = a.rows;
  for (int64_t k = 0; k < n; ++k) {
    const auto at = [&](int64_t i, int64_t j) -> Complex& { return upper ? a(j, i) : a(i, j); };  // lower, i >= j
    double d = at(k, k).real();
    for (int64_t j = 0; j < k; ++j) d -= std::norm(at(k, j));
    if (!(d > 0)) return static_cast<int>(k + 1);
    at(k, k) = std::sqrt(d);
    for (int64_t i = k + 1; i < n; ++i) {
      Complex s = at(i, k);
      for (int64_t j = 0; j < k; ++j) s -= at(i, j) * std::conj(at(k, j));
      at(i, k) = s / at(k, k);
    }
  }
  return 0;
}
double Size(Complex z) { return std::abs(z.real()) + std::abs(z.imag()); }
int Getrf(Matrix& a, std::vector<int64_t>& pivots) {
  int info = 0;
  for (int64_t k = 0; k < std::min(a.rows, a.columns); ++k) {
    int64_t best = k;
    for (int64_t i = k + 1; i < a.rows; ++i)
      if (Size(a(i, k)) > Size(a(best, k))) best = i;
    pivots.push_back(best + 1);
    for (int64_t j = 0; j < a.columns; ++j) std::swap(a(k, j), a(best, j));
    if (a(k, k) == 0.0) {
      if (!info) info = static_cast<int>(k + 1);
      continue;
    }
    for (int64_t i = k + 1; i < a.rows; ++i) {
      a(i, k) /= a(k, k);
      for (int64_t j = k + 1; j < a.columns; ++j) a(i, j) -= a(i, k) * a(k, j);
    }
  }
  return info;
}
// x = op(T)^-1 x for a triangle of t, with ones on the diagonal where `unit`.
void SolveTriangle(const Matrix& t, bool upper, int operation, bool unit, Matrix& x) {
  const auto at = [&](int64_t i, int64_t j) {
    return operation == 0 ? t(i, j) : operation == 1 ? t(j, i) : std::conj(t(j, i));
  };
  const int64_t n = t.rows;
  const bool forward = upper == (operation != 0);
  for (int64_t c = 0; c < x.columns; ++c)
    for (int64_t s = 0; s < n; ++s) {
      const int64_t i = forward ? s : n - 1 - s;
      Complex sum = x(i, c);
      for (int64_t j = forward ? 0 : i + 1; j < (forward ? i : n); ++j) sum -= at(i, j) * x(j, c);
      x(i, c) = unit ? sum : sum / at(i, i);
    }
}
void Swap(Matrix& x, const std::vector<int64_t>& pivots, bool forward) {
  const auto n = static_cast<int64_t>(pivots.size());
  for (int64_t s = 0; s < n; ++s) {
    const int64_t i = forward ? s : n - 1 - s, other = pivots[static_cast<size_t>(i)] - 1;
    for (int64_t c = 0; other != i && c < x.columns; ++c) std::swap(x(i, c), x(other, c));
  }
}
// Reflections I - tau v v^H, whose v[k] is 1, below the diagonal.
void Geqrf(Matrix& a, std::vector<Complex>& tau) {
  for (int64_t k = 0; k < std::min(a.rows, a.columns); ++k) {
    double below = 0;
    for (int64_t i = k + 1; i < a.rows; ++i) below += std::norm(a(i, k));
    const Complex alpha = a(k, k);
    if (below == 0 && alpha.imag() == 0) {
      tau.push_back(0);
      continue;
    }
    const double beta = (alpha.real() > 0 ? -1 : 1) * std::sqrt(std::norm(alpha) + below);
    const Complex t((beta - alpha.real()) / beta, -alpha.imag() / beta);
    tau.push_back(t);
    for (int64_t i = k + 1; i < a.rows; ++i) a(i, k) /= alpha - beta;
    a(k, k) = beta;
    for (int64_t j = k + 1; j < a.columns; ++j) {
      Complex s = a(k, j);
      for (int64_t i = k + 1; i < a.rows; ++i) s += std::conj(a(i, k)) * a(i, j);
      s *= std::conj(t);
      a(k, j) -= s;
      for (int64_t i = k + 1; i < a.rows; ++i) a(i, j) -= s * a(i, k);
    }
  }
}
Matrix Orgqr(const Matrix& a, const std::vector<Complex>& tau) {
  Matrix q(a.rows, a.columns);
  for (int64_t i = 0; i < a.columns; ++i) q(i, i) = 1;
  for (auto k = static_cast<int64_t>(tau.size()) - 1; k >= 0; --k)
    for (int64_t j = 0; j < q.columns; ++j) {
      Complex s = q(k, j);
      for (int64_t i = k + 1; i < a.rows; ++i) s += std::conj(a(i, k)) * q(i, j);
      s *= tau[static_cast<size_t>(k)];
      q(k, j) -= s;
      for (int64_t i = k + 1; i < a.rows; ++i) q(i, j) -= s * a(i, k);
    }
  return q;
}
// Columns of a become orthogonal, as a v does: Jacobi's rotations from the right.
void Orthogonalise(Matrix& a, Matrix& v) {
  for (int sweep = 0; sweep < 60; ++sweep) {
    double most = 0;
    for (int64_t p = 0; p < a.columns; ++p)
      for (int64_t q = p + 1; q < a.columns; ++q) {
        double pp = 0, qq = 0;
        Complex pq = 0;
        for (int64_t i = 0; i < a.rows; ++i)
          pp += std::norm(a(i, p)), qq += std::norm(a(i, q)), pq += std::conj(a(i, p)) * a(i, q);
        const double size = std::abs(pq);
        if (size <= 1e-16 * std::sqrt(pp * qq) || size == 0) continue;
        most = std::max(most, size / std::sqrt(pp * qq));
        const Complex phase = pq / size;
        const double z = (qq - pp) / (2 * size);
        const double t = (z >= 0 ? 1 : -1) / (std::abs(z) + std::sqrt(1 + z * z));
        const double c = 1 / std::sqrt(1 + t * t), s = c * t;
        for (Matrix* m : {&a, &v})
          for (int64_t i = 0; i < m->rows; ++i) {
            const Complex x = (*m)(i, p), y = (*m)(i, q) * std::conj(phase);
            (*m)(i, p) = c * x - s * y;
            (*m)(i, q) = s * x + c * y;
          }
      }
    if (most < 1e-15) return;
  }
}
// a = u diag(s) v^H with rows >= columns; u has as many columns as asked for.
void Gesvd(Matrix a, Matrix& u, std::vector<double>& s, Matrix& v) {
  const int64_t n = a.columns;
  Matrix turned(n, n);
  for (int64_t i = 0; i < n; ++i) turned(i, i) = 1;
  Orthogonalise(a, turned);
  std::vector<std::pair<double, int64_t>> order;
  for (int64_t k = 0; k < n; ++k) {
    double sum = 0;
    for (int64_t i = 0; i < a.rows; ++i) sum += std::norm(a(i, k));
    order.emplace_back(-std::sqrt(sum), k);
  }
  std::sort(order.begin(), order.end());
  v = Matrix(n, n);
  for (int64_t k = 0; k < n; ++k) {
    const auto [value, from] = order[static_cast<size_t>(k)];
    s.push_back(-value);
    for (int64_t i = 0; i < n; ++i) v(i, k) = turned(i, from);
    for (int64_t i = 0; i < a.rows && k < u.columns && value != 0; ++i) u(i, k) = a(i, from) / -value;
  }
  // Columns that no value gives: what unit vectors have beside those before.
  int64_t next = 0;
  for (int64_t k = 0; k < u.columns; ++k) {
    if (k < n && s[static_cast<size_t>(k)] != 0) continue;
    for (double length = 0; length < 1e-3; ++next) {
      for (int64_t i = 0; i < u.rows; ++i) u(i, k) = i == next;
      for (int round = 0; round < 2; ++round)
        for (int64_t j = 0; j < u.columns; ++j) {
          if (j == k || (j > k && (j >= n || s[static_cast<size_t>(j)] == 0))) continue;
          Complex along = 0;
          for (int64_t i = 0; i < u.rows; ++i) along += std::conj(u(i, j)) * u(i, k);
          for (int64_t i = 0; i < u.rows; ++i) u(i, k) -= along * u(i, j);
        }
      length = 0;
      for (int64_t i = 0; i < u.rows; ++i) length += std::norm(u(i, k));
      for (int64_t i = 0; i < u.rows && length > 0; ++i) u(i, k) /= std::sqrt(length);
    }
  }
}
// Eigenvalues of the Hermitian matrix in a triangle, rising; vectors in its place. Of a shifted matrix, which is
// positive, these are the singular values.
void Syevd(Matrix& a, bool upper, std::vector<double>& w) {
  const int64_t n = a.rows;
  double shift = 1;
  for (int64_t i = 0; i < n; ++i) {
    a(i, i) = a(i, i).real();
    for (int64_t j = i + 1; j < n; ++j) upper ? a(j, i) = std::conj(a(i, j)) : a(i, j) = std::conj(a(j, i));
  }
  for (const Complex& z : a.v) shift = std::max(shift, std::abs(z) * static_cast<double>(n) * 2);
  for (int64_t i = 0; i < n; ++i) a(i, i) += shift;
  Matrix u(n, n), v;
  std::vector<double> s;
  Gesvd(a, u, s, v);
  for (int64_t k = 0; k < n; ++k) {
    w.push_back(s[static_cast<size_t>(n - 1 - k)] - shift);
    for (int64_t i = 0; i < n; ++i) a(i, k) = v(i, n - 1 - k);
  }
}

// One step of the QR algorithm on the first `n` rows and columns, with a shift; q collects what is done.
void ShiftedStep(Matrix& a, Matrix& q, int64_t n, Complex shift) {
  Matrix block(n, n);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) block(i, j) = a(i, j) - (i == j ? shift : 0.0);
  std::vector<Complex> tau;
  Geqrf(block, tau);
  const Matrix turn = Orgqr(block, tau);
  const auto from_right = [&](Matrix& m) {
    for (int64_t i = 0; i < m.rows; ++i) {
      std::vector<Complex> row(static_cast<size_t>(n));
      for (int64_t j = 0; j < n; ++j)
        for (int64_t k = 0; k < n; ++k) row[static_cast<size_t>(j)] += m(i, k) * turn(k, j);
      for (int64_t j = 0; j < n; ++j) m(i, j) = row[static_cast<size_t>(j)];
    }
  };
  from_right(a);
  from_right(q);
  for (int64_t j = 0; j < a.columns; ++j) {
    std::vector<Complex> column(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i)
      for (int64_t k = 0; k < n; ++k) column[static_cast<size_t>(i)] += std::conj(turn(k, i)) * a(k, j);
    for (int64_t i = 0; i < n; ++i) a(i, j) = column[static_cast<size_t>(i)];
  }
}
// Eigenvalues, and vectors of length 1 whose largest part is real: by a = q t q^H with a triangle t.
int Geev(Matrix a, std::vector<Complex>& w, Matrix& v) {
  const int64_t n = a.rows;
  Matrix q(n, n);
  for (int64_t i = 0; i < n; ++i) q(i, i) = 1;
  int step = 0;
  for (int64_t last = n - 1; last > 0; ++step) {
    double left = 0, all = 0;
    for (int64_t j = 0; j <= last; ++j) (j < last ? left : all) += std::abs(a(last, j));
    if (left <= 1e-16 * (all + std::abs(a(last - 1, last - 1)))) {
      for (int64_t j = 0; j < last; ++j) a(last, j) = 0;
      --last;
      continue;
    }
    if (step > 1000) return static_cast<int>(last);
    const Complex p = a(last - 1, last - 1), s = a(last, last), bc = a(last - 1, last) * a(last, last - 1);
    const Complex half = (p - s) / 2.0, root = std::sqrt(half * half + bc);
    const Complex one = (p + s) / 2.0 + root, other = (p + s) / 2.0 - root;
    const Complex nearest = std::abs(one - s) < std::abs(other - s) ? one : other;
    ShiftedStep(a, q, last + 1, step % 11 == 10 ? nearest + left : nearest);
  }
  v = Matrix(n, n);
  for (int64_t k = 0; k < n; ++k) {
    w.push_back(a(k, k));
    std::vector<Complex> x(static_cast<size_t>(n));
    x[static_cast<size_t>(k)] = 1;
    for (int64_t i = k - 1; i >= 0; --i) {
      Complex sum = 0, gap = a(i, i) - a(k, k);
      for (int64_t j = i + 1; j <= k; ++j) sum -= a(i, j) * x[static_cast<size_t>(j)];
      x[static_cast<size_t>(i)] = sum / (gap == 0.0 ? 1e-300 : gap);
    }
    double length = 0;
    Complex largest = 0;
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j <= k; ++j) v(i, k) += q(i, j) * x[static_cast<size_t>(j)];
      length += std::norm(v(i, k));
      if (std::abs(v(i, k)) > std::abs(largest)) largest = v(i, k);
    }
    for (int64_t i = 0; i < n; ++i) v(i, k) *= std::abs(largest) / largest / std::sqrt(length);
  }
  return 0;
}

// ---- calls

int Start(const Handle* h, const std::string& call, const std::vector<Operand>& operands) {
  if (Fails(call)) return kExecutionFailed;
  CUcontext now = nullptr;
  DRIVER(cuCtxGetCurrent)(&now);
  if (!h || now != h->context) return Refuse(call + " while another device is current");
  for (const Operand& o : operands) {
    if (!SizeOf(o.type)) return Refuse(call + " of an unknown type");
    if (o.rows < 0 || o.columns < 0) return Refuse(call + " of negative extents");
    if (o.leading < std::max<int64_t>(1, o.rows)) return Refuse(call + " with a leading dimension below the rows");
    if (!o.data || reinterpret_cast<uintptr_t>(o.data) % SizeOf(o.type))
      return Refuse(call + " of a matrix without an address, or a misaligned one");
  }
  return kSuccess;
}
// Reads the operands, lets `what` work on them, which gives info, and writes them back; `device` is written over. Of
// `count` times as many operands, one call after another, with as many infos.
int Do(Handle* h, const std::string& call, std::vector<Operand> operands, int* info, void* device, size_t bytes,
       const std::function<int(const std::vector<Operand>&)>& what, size_t count = 1) {
  HostWork& work = HostWork::On(h->stream);
  const auto span = [](const Operand& o) {
    return o.columns && o.rows ? static_cast<size_t>((o.columns - 1) * o.leading + o.rows) * SizeOf(o.type) : 0;
  };
  for (Operand& o : operands)
    if (span(o)) o.host = o.reads ? work.Read(o.data, span(o)) : work.Room(span(o));
  char* const told = work.Room(count * sizeof(int));
  char* const ruined = work.Room(std::max<size_t>(bytes, 1));
  std::memset(ruined, 0xff, bytes);
  work.Do([operands, told, what, count] {
    const auto each = static_cast<int64_t>(operands.size() / count);
    for (size_t k = 0; k < count; ++k) {
      const auto first = operands.begin() + static_cast<int64_t>(k) * each;
      const int i = what({first, first + each});
      std::memcpy(told + k * sizeof i, &i, sizeof i);
    }
  });
  for (const Operand& o : operands)
    for (int64_t k = 0; o.changes && o.rows && k < o.columns; ++k) {
      const size_t at = static_cast<size_t>(k * o.leading) * SizeOf(o.type);
      work.Write(static_cast<char*>(o.data) + at, o.host + at, static_cast<size_t>(o.rows) * SizeOf(o.type));
    }
  work.Write(info, told, count * sizeof(int));
  if (bytes) work.Write(device, ruined, bytes);
  Log(call + " " + std::to_string(operands[0].rows) + "x" + std::to_string(operands[0].columns) + " type " +
      std::to_string(operands[0].type) + (count > 1 ? " batch " + std::to_string(count) : ""));
  return work.End() ? kSuccess : Refuse(call + " of memory that cannot be read or written");
}
int Bytes(size_t* device, size_t* host) {
  *device = kDeviceBytes;
  *host = kHostBytes;
  return kSuccess;
}
int CheckRoom(const std::string& call, void* device, size_t device_bytes, void* host, size_t host_bytes,
              const int* info) {
  if (!device || device_bytes < kDeviceBytes || !host || host_bytes < kHostBytes)
    return Refuse(call + " with a workspace that is too small");
  if (!info) return Refuse(call + " without a place for info");
  std::memset(host, 0xff, kHostBytes);
  return kSuccess;
}

// The addresses that a table on the device holds.
bool ReadTable(const Handle* h, void** table, int n, std::vector<void*>& to) {
  to.resize(static_cast<size_t>(n));
  void* room = nullptr;
  const size_t bytes = to.size() * sizeof(void*);
  if (DRIVER(cuMemHostAlloc)(&room, bytes, 0) != CUDA_SUCCESS) return false;
  const bool ok =
      DRIVER(cuMemcpyDtoHAsync_v2)(room, reinterpret_cast<CUdeviceptr>(table), bytes, h->stream) == CUDA_SUCCESS &&
      DRIVER(cuStreamSynchronize)(h->stream) == CUDA_SUCCESS;
  std::memcpy(to.data(), room, bytes);
  DRIVER(cuMemFreeHost)(room);
  return ok;
}
// What the parameters of a batched call have to be.
int CheckBatch(const std::string& call, const void* how, const void* work, int count, const int* infos, int batch) {
  if (!how || !work || count < static_cast<int>(kDeviceBytes) || !infos || batch < 1)
    return Refuse(call + " without parameters, a workspace or a place for infos");
  return kSuccess;
}
struct How {
  int unused = 0;
};

int PotrfOfAll(Handle* h, int type, int fill, int n, void** matrices, int leading, int* infos, int batch) {
  std::vector<void*> table;
  if (!h || !infos || batch < 1 || !ReadTable(h, matrices, batch, table)) return Refuse("potrfBatched without a table");
  std::vector<Operand> operands;
  for (void* a : table) operands.push_back({type, n, n, leading, a});
  if (const int s = Start(h, "potrfBatched", operands)) return s;
  const auto one = [=](const std::vector<Operand>& o) {
    Matrix m = o[0].Read();
    const int i = Potrf(m, fill == 1);
    o[0].Write(m);
    return i;
  };
  return Do(h, "potrfBatched", operands, infos, nullptr, 0, one, static_cast<size_t>(batch));
}
int SyevjOfAll(Handle* h, int type, int vectors, int fill, int n, void* a, int leading, void* w, void* room, int count,
               int* infos, const How* how, int batch) {
  if (const int s = CheckBatch("syevjBatched", how, room, count, infos, batch)) return s;
  std::vector<Operand> operands;
  for (int64_t k = 0; k < batch; ++k) {
    operands.push_back(
        {type, n, n, leading, static_cast<char*>(a) + static_cast<size_t>(k * leading * n) * SizeOf(type)});
    operands.push_back(
        {PartOf(type), n, 1, n, static_cast<char*>(w) + static_cast<size_t>(k * n) * SizeOf(PartOf(type)), false});
  }
  if (const int s = Start(h, "syevjBatched", operands)) return s;
  const auto one = [=](const std::vector<Operand>& o) {
    Matrix m = o[0].Read(), values(n, 1);
    std::vector<double> found;
    Syevd(m, fill == 1, found);
    for (int64_t k = 0; k < n; ++k) values(k, 0) = found[static_cast<size_t>(k)];
    if (!vectors) std::fill(m.v.begin(), m.v.end(), std::numeric_limits<double>::quiet_NaN());
    o[0].Write(m);
    o[1].Write(values);
    return 0;
  };
  return Do(h, "syevjBatched", operands, infos, room, kDeviceBytes * SizeOf(type), one, static_cast<size_t>(batch));
}
int GesvdjOfAll(Handle* h, int type, int vectors, int m, int n, void* a, int leading, void* s, void* u, int u_leading,
                void* v, int v_leading, void* room, int count, int* infos, const How* how, int batch) {
  if (m > 32 || n > 32) return Refuse("gesvdjBatched of more than 32 rows or columns");
  if (const int wrong = CheckBatch("gesvdjBatched", how, room, count, infos, batch)) return wrong;
  const int64_t k = std::min(m, n);
  std::vector<Operand> operands;
  const auto at = [](void* p, int64_t elements, int of) {
    return static_cast<char*>(p) + static_cast<size_t>(elements) * SizeOf(of);
  };
  for (int64_t i = 0; i < batch; ++i) {
    operands.push_back({type, m, n, leading, at(a, i * leading * n, type)});
    operands.push_back({PartOf(type), k, 1, k, at(s, i * k, PartOf(type)), false});
    operands.push_back({type, m, m, u_leading, at(u, i * u_leading * m, type), false});
    operands.push_back({type, n, n, v_leading, at(v, i * v_leading * n, type), false});
  }
  if (const int wrong = Start(h, "gesvdjBatched", operands)) return wrong;
  const auto one = [=](const std::vector<Operand>& o) {
    Matrix x = o[0].Read(), left, right, values(k, 1);
    std::vector<double> found;
    if (m >= n) {
      left = Matrix(m, m);
      Gesvd(x, left, found, right);
    } else {
      Matrix turned(n, m);
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) turned(j, i) = std::conj(x(i, j));
      right = Matrix(n, n);
      Gesvd(turned, right, found, left);
    }
    for (int64_t i = 0; i < k; ++i) values(i, 0) = found[static_cast<size_t>(i)];
    const double none = std::numeric_limits<double>::quiet_NaN();
    std::fill(x.v.begin(), x.v.end(), none);
    if (!vectors) std::fill(left.v.begin(), left.v.end(), none), std::fill(right.v.begin(), right.v.end(), none);
    o[0].Write(x);
    o[1].Write(values);
    o[2].Write(left);
    o[3].Write(right);
    return 0;
  };
  return Do(h, "gesvdjBatched", operands, infos, room, kDeviceBytes * SizeOf(type), one, static_cast<size_t>(batch));
}

}  // namespace

extern "C" {
#define API __attribute__((visibility("default"))) int
#define BYTES int, size_t *device_bytes, size_t *host_bytes
#define ROOM int compute, void *device, size_t device_bytes, void *host, size_t host_bytes, int *info
#define START(call, ...)                                                                              \
  if (compute != type) return Refuse(std::string(call) + " with a compute type that is not its own"); \
  if (const int s = CheckRoom(call, device, device_bytes, host, host_bytes, info)) return s;          \
  const std::vector<Operand> operands = {__VA_ARGS__};                                                \
  if (const int s = Start(h, call, operands)) return s;
#define DO(call) return Do(h, call, operands, info, device, kDeviceBytes, [=](const std::vector<Operand>& o) -> int

API cusolverDnCreate(Handle** h) {
  CUcontext now = nullptr;
  DRIVER(cuCtxGetCurrent)(&now);
  if (Fails("create")) return kExecutionFailed;
  if (!now) return Refuse("a handle without a current device");
  *h = new Handle{now};
  Log("create");
  return kSuccess;
}
API cusolverDnCreateParams(Params** p) {
  *p = new Params;
  return kSuccess;
}
API cusolverDnSetStream(Handle* h, CUstream stream) {
  h->stream = stream;
  return kSuccess;
}
API cusolverDnXpotrf_bufferSize(Handle*, Params*, int, int64_t, int, const void*, int64_t, BYTES) {
  return Bytes(device_bytes, host_bytes);
}
API cusolverDnXpotrf(Handle* h, Params*, int fill, int64_t n, int type, void* a, int64_t leading, ROOM) {
  START("potrf", {type, n, n, leading, a})
  DO("potrf") {
    Matrix m = o[0].Read();
    const int i = Potrf(m, fill == 1);
    o[0].Write(m);
    return i;
  });
}
API cusolverDnXpotrs(Handle* h, Params*, int fill, int64_t n, int64_t columns, int type, const void* a, int64_t leading,
                     int b_type, void* b, int64_t b_leading, int* info) {
  if (b_type != type) return Refuse("potrs of two types");
  const std::vector<Operand> operands = {{b_type, n, columns, b_leading, b},
                                         {type, n, n, leading, const_cast<void*>(a), true, false}};
  if (const int s = Start(h, "potrs", operands)) return s;
  return Do(h, "potrs", operands, info, nullptr, 0, [=](const std::vector<Operand>& o) {
    Matrix x = o[0].Read();
    const Matrix f = o[1].Read();
    SolveTriangle(f, fill == 1, fill == 1 ? 2 : 0, false, x);
    SolveTriangle(f, fill == 1, fill == 1 ? 0 : 2, false, x);
    o[0].Write(x);
    return 0;
  });
}
API cusolverDnXgetrf_bufferSize(Handle*, Params*, int64_t, int64_t, int, const void*, int64_t, BYTES) {
  return Bytes(device_bytes, host_bytes);
}
API cusolverDnXgetrf(Handle* h, Params*, int64_t m, int64_t n, int type, void* a, int64_t leading, int64_t* pivots,
                     ROOM) {
  const int64_t k = std::min(m, n);
  START("getrf", {type, m, n, leading, a}, {kReal64, k, 1, std::max<int64_t>(k, 1), pivots, false})
  DO("getrf") {
    Matrix lu = o[0].Read();
    std::vector<int64_t> p;
    const int i = Getrf(lu, p);
    o[0].Write(lu);
    std::memcpy(o[1].host, p.data(), p.size() * 8);
    return i;
  });
}
API cusolverDnXgetrs(Handle* h, Params*, int operation, int64_t n, int64_t columns, int type, const void* a,
                     int64_t leading, const int64_t* pivots, int b_type, void* b, int64_t b_leading, int* info) {
  if (b_type != type) return Refuse("getrs of two types");
  if (operation < 0 || operation > 2) return Refuse("getrs of an unknown operation");
  const std::vector<Operand> operands = {{b_type, n, columns, b_leading, b},
                                         {type, n, n, leading, const_cast<void*>(a), true, false},
                                         {kReal64, n, 1, n, const_cast<int64_t*>(pivots), true, false}};
  if (const int s = Start(h, "getrs", operands)) return s;
  return Do(h, "getrs", operands, info, nullptr, 0, [=](const std::vector<Operand>& o) {
    Matrix x = o[0].Read();
    const Matrix lu = o[1].Read();
    std::vector<int64_t> p(static_cast<size_t>(n));
    std::memcpy(p.data(), o[2].host, p.size() * 8);
    for (const int64_t row : p)
      if (row < 1 || row > n) return Refuse("getrs with a pivot outside of the matrix");
    if (operation == 0) Swap(x, p, true);
    SolveTriangle(lu, operation != 0, operation, operation == 0, x);
    SolveTriangle(lu, operation == 0, operation, operation != 0, x);
    if (operation != 0) Swap(x, p, false);
    o[0].Write(x);
    return 0;
  });
}
API cusolverDnXgeqrf_bufferSize(Handle*, Params*, int64_t, int64_t, int, const void*, int64_t, int, const void*,
                                BYTES) {
  return Bytes(device_bytes, host_bytes);
}
API cusolverDnXgeqrf(Handle* h, Params*, int64_t m, int64_t n, int type, void* a, int64_t leading, int tau_type,
                     void* tau, ROOM) {
  const int64_t k = std::min(m, n);
  if (tau_type != type) return Refuse("geqrf with factors of another type");
  START("geqrf", {type, m, n, leading, a}, {type, k, 1, std::max<int64_t>(k, 1), tau, false})
  DO("geqrf") {
    Matrix q = o[0].Read(), t(k, 1);
    t.v.clear();
    Geqrf(q, t.v);
    o[0].Write(q);
    o[1].Write(t);
    return 0;
  });
}
static int OrgqrBytes(int m, int n, int k, int leading, int* count) {
  if (n > m || k > n || leading < m) return Refuse("orgqr of more columns than rows, or reflections than columns");
  *count = 64;
  return kSuccess;
}
static int OrgqrDo(int type, Handle* h, int m, int n, int k, void* a, int leading, const void* tau, void* work,
                   int count, int* info) {
  int least = 0;
  if (const int s = OrgqrBytes(m, n, k, leading, &least)) return s;
  if (!work || count < least || !info) return Refuse("orgqr with a workspace that is too small");
  const std::vector<Operand> operands = {{type, m, n, leading, a},
                                         {type, k, 1, std::max(k, 1), const_cast<void*>(tau), true, false}};
  if (const int s = Start(h, "orgqr", operands)) return s;
  return Do(h, "orgqr", operands, info, work, static_cast<size_t>(least) * SizeOf(type),
            [=](const std::vector<Operand>& o) {
              o[0].Write(Orgqr(o[0].Read(), o[1].Read().v));
              return 0;
            });
}
#define ORGQR(letter, kind, type)                                                                                      \
  API cusolverDn##letter##kind##gqr_bufferSize(Handle*, int m, int n, int k, const void*, int leading, const void*,    \
                                               int* count) {                                                           \
    return OrgqrBytes(m, n, k, leading, count);                                                                        \
  }                                                                                                                    \
  API cusolverDn##letter##kind##gqr(Handle* h, int m, int n, int k, void* a, int leading, const void* tau, void* work, \
                                    int count, int* info) {                                                            \
    return OrgqrDo(type, h, m, n, k, a, leading, tau, work, count, info);                                              \
  }
ORGQR(S, or, kReal32)
ORGQR(D, or, kReal64)
ORGQR(C, un, kComplex32)
ORGQR(Z, un, kComplex64)
API cusolverDnXsyevd_bufferSize(Handle*, Params*, int, int, int64_t, int, const void*, int64_t, int, const void*,
                                BYTES) {
  return Bytes(device_bytes, host_bytes);
}
API cusolverDnXsyevd(Handle* h, Params*, int vectors, int fill, int64_t n, int type, void* a, int64_t leading,
                     int w_type, void* w, ROOM) {
  if (w_type != PartOf(type)) return Refuse("syevd with values that are not real");
  START("syevd", {type, n, n, leading, a}, {w_type, n, 1, n, w, false})
  DO("syevd") {
    Matrix m = o[0].Read(), values(n, 1);
    std::vector<double> found;
    Syevd(m, fill == 1, found);
    for (int64_t k = 0; k < n; ++k) values(k, 0) = found[static_cast<size_t>(k)];
    if (!vectors) std::fill(m.v.begin(), m.v.end(), std::numeric_limits<double>::quiet_NaN());
    o[0].Write(m);
    o[1].Write(values);
    return 0;
  });
}
API cusolverDnXgesvd_bufferSize(Handle*, Params*, signed char, signed char, int64_t, int64_t, int, const void*, int64_t,
                                int, const void*, int, const void*, int64_t, int, const void*, int64_t, BYTES) {
  return Bytes(device_bytes, host_bytes);
}
API cusolverDnXgesvd(Handle* h, Params*, signed char job_u, signed char job_v, int64_t m, int64_t n, int type, void* a,
                     int64_t leading, int s_type, void* s, int u_type, void* u, int64_t u_leading, int v_type, void* v,
                     int64_t v_leading, ROOM) {
  if (m < n) return Refuse("gesvd of fewer rows than columns");
  if (s_type != PartOf(type) || u_type != type || v_type != type) return Refuse("gesvd of several types");
  const bool none = job_u == 'N' && job_v == 'N';
  if (!none && ((job_u != 'S' && job_u != 'A') || (job_v != 'S' && job_v != 'A')))
    return Refuse("gesvd of other vectors than all, some or none");
  const int64_t lefts = job_u == 'A' ? m : n;
  START("gesvd", {type, m, n, leading, a}, {s_type, n, 1, n, s, false},
        {type, none ? 0 : m, none ? 0 : lefts, u_leading, none ? a : u, false, !none},
        {type, none ? 0 : n, none ? 0 : n, v_leading, none ? a : v, false, !none})
  DO("gesvd") {
    Matrix x = o[0].Read(), left(m, none ? n : lefts), right, values(n, 1), adjoint(n, n);
    std::vector<double> found;
    Gesvd(x, left, found, right);
    for (int64_t k = 0; k < n; ++k) {
      values(k, 0) = found[static_cast<size_t>(k)];
      for (int64_t i = 0; i < n; ++i) adjoint(k, i) = std::conj(right(i, k));
    }
    std::fill(x.v.begin(), x.v.end(), std::numeric_limits<double>::quiet_NaN());
    o[0].Write(x);
    o[1].Write(values);
    if (none) return 0;
    o[2].Write(left);
    o[3].Write(adjoint);
    return 0;
  });
}

API cusolverDnCreateSyevjInfo(How** how) {
  *how = new How;
  return kSuccess;
}
API cusolverDnCreateGesvdjInfo(How** how) {
  *how = new How;
  return kSuccess;
}
#define BATCHED(letter, syevj, type)                                                                                   \
  API cusolverDn##letter##potrfBatched(Handle* h, int fill, int n, void** matrices, int leading, int* infos,           \
                                       int batch) {                                                                    \
    return PotrfOfAll(h, type, fill, n, matrices, leading, infos, batch);                                              \
  }                                                                                                                    \
  API cusolverDn##syevj##jBatched_bufferSize(Handle*, int, int, int, const void*, int, const void*, int* count,        \
                                             const How*, int) {                                                        \
    *count = kDeviceBytes;                                                                                             \
    return kSuccess;                                                                                                   \
  }                                                                                                                    \
  API cusolverDn##syevj##jBatched(Handle* h, int vectors, int fill, int n, void* a, int leading, void* w, void* room,  \
                                  int count, int* infos, const How* how, int batch) {                                  \
    return SyevjOfAll(h, type, vectors, fill, n, a, leading, w, room, count, infos, how, batch);                       \
  }                                                                                                                    \
  API cusolverDn##letter##gesvdjBatched_bufferSize(Handle*, int, int, int, const void*, int, const void*, const void*, \
                                                   int, const void*, int, int* count, const How*, int) {               \
    *count = kDeviceBytes;                                                                                             \
    return kSuccess;                                                                                                   \
  }                                                                                                                    \
  API cusolverDn##letter##gesvdjBatched(Handle* h, int vectors, int m, int n, void* a, int leading, void* s, void* u,  \
                                        int u_leading, void* v, int v_leading, void* room, int count, int* infos,      \
                                        const How* how, int batch) {                                                   \
    return GesvdjOfAll(h, type, vectors, m, n, a, leading, s, u, u_leading, v, v_leading, room, count, infos, how,     \
                       batch);                                                                                         \
  }
BATCHED(S, Ssyev, kReal32)
BATCHED(D, Dsyev, kReal64)
BATCHED(C, Cheev, kComplex32)
BATCHED(Z, Zheev, kComplex64)

API cusolverDnXgeev_bufferSize(Handle*, Params*, int, int, int64_t, int, const void*, int64_t, int, const void*, int,
                               const void*, int64_t, int, const void*, int64_t, BYTES) {
  return Bytes(device_bytes, host_bytes);
}
API cusolverDnXgeev(Handle* h, Params*, int lefts, int rights, int64_t n, int type, void* a, int64_t leading,
                    int w_type, void* w, int l_type, void*, int64_t, int r_type, void* r, int64_t r_leading, ROOM) {
  if (lefts) return Refuse("geev with vectors from the left");
  if (!IsComplex(type) || w_type != type || l_type != type || r_type != type) return Refuse("geev of several types");
  START("geev", {type, n, n, leading, a}, {type, n, 1, n, w, false},
        {type, rights ? n : 0, rights ? n : 0, r_leading, rights ? r : a, false, rights != 0})
  DO("geev") {
    Matrix x = o[0].Read(), vectors, values(n, 1);
    std::vector<Complex> found;
    if (const int wrong = Geev(x, found, vectors)) return wrong;
    for (int64_t k = 0; k < n; ++k) values(k, 0) = found[static_cast<size_t>(k)];
    std::fill(x.v.begin(), x.v.end(), std::numeric_limits<double>::quiet_NaN());
    o[0].Write(x);
    o[1].Write(values);
    if (rights) o[2].Write(vectors);
    return 0;
  });
}
}
