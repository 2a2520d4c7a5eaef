// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/backends/gpu/solver_ops.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <string>
#include <vector>

#include "paddle/phi/backends/gpu/library.h"
#include "paddle/phi/backends/gpu/per_gpu.h"
#include "paddle/phi/backends/gpu/solver_api.h"
#include "paddle/phi/core/device.h"

namespace phi::gpu {
namespace {

using namespace solver;  // NOLINT: of the list of functions

// Many small matrices are a call together, where there is one, or sooner done by the host than one after another.
constexpr int64_t kManyMatrices = 32, kSmallMatrix = 32;

struct Api {
#define PADDLE_CUSOLVER_MEMBER(name, symbol, args) Status(*name) args = nullptr;
  PADDLE_CUSOLVER_FUNCTIONS(PADDLE_CUSOLVER_MEMBER)
  PADDLE_CUSOLVER_OPTIONAL_FUNCTIONS(PADDLE_CUSOLVER_MEMBER)
#undef PADDLE_CUSOLVER_MEMBER
  std::string why;

  Api() {
    Library library = OpenLibrary({"libcusolver.so.12", "libcusolver.so.11"}, "FLAGS_cusolver_dir", "cusolver");
#define PADDLE_CUSOLVER_LOOK_UP(name, symbol, args) name = reinterpret_cast<Status(*) args>(library.Find(#symbol));
    PADDLE_CUSOLVER_FUNCTIONS(PADDLE_CUSOLVER_LOOK_UP)
#undef PADDLE_CUSOLVER_LOOK_UP
#define PADDLE_CUSOLVER_LOOK_UP(name, symbol, args) \
  name = reinterpret_cast<Status(*) args>(library.FindIfThere(#symbol));
    PADDLE_CUSOLVER_OPTIONAL_FUNCTIONS(PADDLE_CUSOLVER_LOOK_UP)
#undef PADDLE_CUSOLVER_LOOK_UP
    if (why = library.Why(); !why.empty()) why = "no cuSOLVER: " + why;
  }
};
const Api& Cusolver() {
  static const auto* api = new Api;
  return *api;
}
void Check(Status s) {
  if (s != kSuccess) throw NoDeviceForm{"cuSOLVER did not do it"};
}

struct Gpu {
  std::mutex mutex;  // a handle serves one thread at a time
  Handle handle = nullptr;
  Params params = nullptr;
  SyevjInfo eigen = nullptr;
  GesvdjInfo singular = nullptr;
};

struct Kinds {
  Type type, real;
  Status(*org_bytes) PADDLE_CUSOLVER_ORG_BYTES;
  Status(*org) PADDLE_CUSOLVER_ORG;
  // Of many matrices, or null.
  Status(*potrf) PADDLE_CUSOLVER_POTRF_BATCHED;
  Status(*syevj_bytes) PADDLE_CUSOLVER_SYEVJ_BYTES;
  Status(*syevj) PADDLE_CUSOLVER_SYEVJ;
  Status(*gesvdj_bytes) PADDLE_CUSOLVER_GESVDJ_BYTES;
  Status(*gesvdj) PADDLE_CUSOLVER_GESVDJ;
};
Kinds KindsOf(DataType t) {
  const Api& a = Cusolver();
#define PADDLE_CUSOLVER_KINDS(type, real, s)                                                                   \
  {                                                                                                            \
    type, real, a.OrgqrBytes##s, a.Orgqr##s, a.PotrfBatched##s, a.SyevjBytes##s, a.Syevj##s, a.GesvdjBytes##s, \
        a.Gesvdj##s                                                                                            \
  }
  switch (t) {
    case DataType::FLOAT32: return PADDLE_CUSOLVER_KINDS(kReal32, kReal32, S);
    case DataType::FLOAT64: return PADDLE_CUSOLVER_KINDS(kReal64, kReal64, D);
    case DataType::COMPLEX64: return PADDLE_CUSOLVER_KINDS(kComplex32, kReal32, C);
    case DataType::COMPLEX128: return PADDLE_CUSOLVER_KINDS(kComplex64, kReal64, Z);
    default: throw NoDeviceForm{"a dtype that cuSOLVER lacks"};
  }
#undef PADDLE_CUSOLVER_KINDS
}

// Matrices of the library lie column by column, so what lies row by row is its transpose.
class Factors {
 public:
  Factors(const DeviceForms& forms, const MatrixWork& work)
      : forms_(forms),
        place_(forms.place()),
        w_(work),
        kinds_(KindsOf(work.t)),
        size_(SizeOf(work.t)),
        gpu_(PerGpu<Gpu>(place_)),
        lock_(gpu_.mutex) {
    const Stream stream = StreamForCall(place_, {w_.a, w_.b, w_.out[0], w_.out[1], w_.out[2]});
    if (!gpu_.params) {
      if (!gpu_.handle) Check(Cusolver().Create(&gpu_.handle));
      Check(Cusolver().CreateParams(&gpu_.params));
    }
    Check(Cusolver().SetStream(gpu_.handle, stream));
    infos_ = Room(w_.batch * 4);
  }

  // Whether small matrices are a call together.
  static bool AreTogether(const MatrixWork& w) {
    if (w.batch < 2 || std::max({w.m, w.n, w.columns}) > kSmallMatrix) return false;
    const Kinds k = KindsOf(w.t);
    switch (w.kind) {
      case MatrixKind::kCholesky: return k.potrf;
      case MatrixKind::kEigh: return k.syevj_bytes && k.syevj && Cusolver().CreateSyevjInfo;
      case MatrixKind::kSvd: return k.gesvdj_bytes && k.gesvdj && Cusolver().CreateGesvdjInfo;
      default: return false;
    }
  }

  void RunTogether() {
    switch (w_.kind) {
      case MatrixKind::kCholesky: CholeskyOfAll(); break;
      case MatrixKind::kEigh: EighOfAll(); break;
      default: SvdOfAll(); break;
    }
    Judge();
  }

  void Run() {
    const int64_t square = w_.n * w_.n * size_, right = w_.n * w_.columns * size_;
    for (item_ = 0; item_ < w_.batch; ++item_, rooms_.clear()) switch (w_.kind) {
        case MatrixKind::kCholesky: {
          char* out = At(w_.out[0], square);
          CopyRows(At(w_.a, square), w_.n, w_.n, out);
          WithRoom(
              [&](size_t* d, size_t* h) {
                return Cusolver().PotrfBytes(gpu_.handle, gpu_.params, Turned(), w_.n, kinds_.type, out, w_.n,
                                             kinds_.type, d, h);
              },
              [&](void* d, size_t nd, void* h, size_t nh) {
                return Cusolver().Potrf(gpu_.handle, gpu_.params, Turned(), w_.n, kinds_.type, out, w_.n, kinds_.type,
                                        d, nd, h, nh, Info());
              });
          Triangle(out, w_.n, w_.n, w_.flag, false);
          break;
        }
        case MatrixKind::kCholeskySolve: {
          // Of the conjugate matrix.
          char* x = Columns(At(w_.b, right), w_.n, w_.columns);
          Conjugate(x, w_.n * w_.columns);
          Check(Cusolver().Potrs(gpu_.handle, gpu_.params, Turned(), w_.n, w_.columns, kinds_.type, At(w_.a, square),
                                 w_.n, kinds_.type, x, w_.n, Info()));
          Conjugate(x, w_.n * w_.columns);
          Rows(x, w_.n, w_.columns, At(w_.out[0], right));
          break;
        }
        case MatrixKind::kLu: {
          const int64_t all = w_.m * w_.n * size_, k = std::min(w_.m, w_.n);
          char* a = Columns(At(w_.a, all), w_.m, w_.n);
          const auto pivots = Room(k * 8);
          Getrf(a, w_.m, w_.n, pivots.get());
          Rows(a, w_.m, w_.n, At(w_.out[0], all));
          // The low half of each number.
          forms_.Copy(4, Sizes{k}, pivots.get(), Sizes{2}, At(w_.out[1], k * 4), Sizes{1});
          break;
        }
        case MatrixKind::kLuSolve: {
          const char* lu = Columns(At(w_.a, square), w_.n, w_.n);
          Getrs(static_cast<Operation>(w_.trans), lu, Pivots().get(), At(w_.b, right), At(w_.out[0], right));
          break;
        }
        case MatrixKind::kTriangularSolve: {
          if (w_.trans == 2) throw NoDeviceForm{"an adjoint triangular system"};
          // An upper factor beside a lower one of ones alone.
          char* upper = w_.flag ? Columns(At(w_.a, square), w_.n, w_.n) : Copied(At(w_.a, square), w_.n, w_.n);
          Triangle(upper, w_.n, w_.n, false, w_.unit);
          const bool transposed = w_.flag == (w_.trans == 1);
          Getrs(transposed ? kTransposed : kPlain, upper, Pivots().get(), At(w_.b, right), At(w_.out[0], right));
          break;
        }
        case MatrixKind::kSolve: {
          char* a = Copied(At(w_.a, square), w_.n, w_.n);
          const auto pivots = Room(w_.n * 8);
          Getrf(a, w_.n, w_.n, pivots.get());
          Getrs(kTransposed, a, pivots.get(), At(w_.b, right), At(w_.out[0], right));
          break;
        }
        case MatrixKind::kInverse: {
          char *a = Copied(At(w_.a, square), w_.n, w_.n), *out = At(w_.out[0], square);
          const auto pivots = Room(w_.n * 8);
          Getrf(a, w_.n, w_.n, pivots.get());
          forms_.Zero(out, square);
          Triangle(out, w_.n, w_.n, true, true);
          Check(Cusolver().Getrs(gpu_.handle, gpu_.params, kPlain, w_.n, w_.n, kinds_.type, a, w_.n,
                                 static_cast<int64_t*>(pivots.get()), kinds_.type, out, w_.n, Ignored()));
          break;
        }
        case MatrixKind::kQr: Qr(); break;
        case MatrixKind::kSvd: Svd(); break;
        case MatrixKind::kEigh: Eigh(); break;
        case MatrixKind::kEig: Eig(); break;
      }
    Judge();
  }

 private:
  using Sizes = std::vector<int64_t>;

  // ---- memory
  std::shared_ptr<void> Room(int64_t bytes) const { return forms_.Room(bytes); }
  char* Kept(int64_t bytes) {
    rooms_.push_back(Room(bytes));
    return static_cast<char*>(rooms_.back().get());
  }
  char* At(const void* p, int64_t bytes) const {
    return p ? static_cast<char*>(const_cast<void*>(p)) + item_ * bytes : nullptr;
  }
  int* Info() const { return static_cast<int*>(infos_.get()) + item_; }
  // Of a call whose operands were judged by another one.
  int* Ignored() { return reinterpret_cast<int*>(Kept(4)); }
  void CopyRows(const char* from, int64_t rows, int64_t columns, char* to) const {
    forms_.Copy(size_, Sizes{rows * columns}, from, Sizes{1}, to, Sizes{1});
  }
  char* Copied(const char* from, int64_t rows, int64_t columns) {
    char* to = Kept(rows * columns * size_);
    CopyRows(from, rows, columns, to);
    return to;
  }
  // Row by row to column by column, and back: the first rows and columns of a matrix of `leading` rows.
  char* Columns(const char* from, int64_t rows, int64_t columns, int64_t room = 0) {
    char* to = Kept(std::max(columns, room) * rows * size_);
    forms_.Copy(size_, Sizes{rows, columns}, from, Sizes{columns, 1}, to, Sizes{1, rows});
    return to;
  }
  void Rows(const char* from, int64_t rows, int64_t columns, char* to, int64_t leading = 0) const {
    forms_.Copy(size_, Sizes{rows, columns}, from, Sizes{1, leading ? leading : rows}, to, Sizes{columns, 1});
  }
  // Row by row: the other triangle becomes 0, and with `unit` the diagonal 1.
  void Triangle(char* p, int64_t rows, int64_t columns, bool upper, bool unit) const {
    forms_.Triangle(w_.t, rows, columns, upper, unit, p);
  }
  void Conjugate(char* p, int64_t n) const {
    if (IsComplex(w_.t)) forms_.Scale(RealOf(w_.t), 2 * n, 1, -1, p, p);
  }

  // ---- calls
  Fill Turned() const { return w_.flag ? kLower : kUpper; }
  void WithRoom(const std::function<Status(size_t*, size_t*)>& bytes,
                const std::function<Status(void*, size_t, void*, size_t)>& run) {
    size_t device = 0, host = 0;
    Check(bytes(&device, &host));
    const auto there = Room(static_cast<int64_t>(device));
    here_.emplace_back(host);
    Check(run(there.get(), device, here_.back().data(), host));
  }
  void Getrf(char* a, int64_t m, int64_t n, void* pivots) {
    WithRoom(
        [&](size_t* d, size_t* h) {
          return Cusolver().GetrfBytes(gpu_.handle, gpu_.params, m, n, kinds_.type, a, m, kinds_.type, d, h);
        },
        [&](void* d, size_t nd, void* h, size_t nh) {
          return Cusolver().Getrf(gpu_.handle, gpu_.params, m, n, kinds_.type, a, m, static_cast<int64_t*>(pivots),
                                  kinds_.type, d, nd, h, nh, Info());
        });
  }
  void Getrs(Operation operation, const char* lu, const void* pivots, const char* b, char* out) {
    char* x = Columns(b, w_.n, w_.columns);
    Check(Cusolver().Getrs(gpu_.handle, gpu_.params, operation, w_.n, w_.columns, kinds_.type, lu, w_.n,
                           static_cast<const int64_t*>(pivots), kinds_.type, x, w_.n, Ignored()));
    Rows(x, w_.n, w_.columns, out);
  }
  // Those that were given, or of no swaps.
  std::shared_ptr<void> Pivots() {
    std::vector<int64_t> wide(static_cast<size_t>(w_.n));
    std::iota(wide.begin(), wide.end(), 1);
    if (w_.pivots) {
      std::vector<int32_t> narrow(wide.size());
      CopyBytes(narrow.data(), {}, w_.pivots + item_ * w_.n, place_, narrow.size() * 4);
      std::copy(narrow.begin(), narrow.end(), wide.begin());
      if (std::any_of(wide.begin(), wide.end(), [&](int64_t p) { return p < 1 || p > w_.n; }))
        throw NoDeviceForm{"pivots outside of the matrix"};
    }
    auto there = Room(w_.n * 8);
    CopyBytes(there.get(), place_, wide.data(), {}, wide.size() * 8);
    return there;
  }

  void Qr() {
    const int64_t m = w_.m, n = w_.n, k = std::min(m, n), q_columns = w_.flag ? m : k;
    const int64_t r_rows = w_.out[0] && w_.flag ? m : k;
    char* a = Columns(At(w_.a, m * n * size_), m, n, q_columns);
    const auto tau = Room(k * size_);
    WithRoom(
        [&](size_t* d, size_t* h) {
          return Cusolver().GeqrfBytes(gpu_.handle, gpu_.params, m, n, kinds_.type, a, m, kinds_.type, tau.get(),
                                       kinds_.type, d, h);
        },
        [&](void* d, size_t nd, void* h, size_t nh) {
          return Cusolver().Geqrf(gpu_.handle, gpu_.params, m, n, kinds_.type, a, m, kinds_.type, tau.get(),
                                  kinds_.type, d, nd, h, nh, Info());
        });
    char* r = At(w_.out[1], r_rows * n * size_);
    Rows(a, r_rows, n, r, m);
    Triangle(r, r_rows, n, true, false);
    if (!w_.out[0]) return;
    const auto narrow = [](int64_t v) { return static_cast<int>(v); };
    int count = 0;
    Check(kinds_.org_bytes(gpu_.handle, narrow(m), narrow(q_columns), narrow(k), a, narrow(m), tau.get(), &count));
    const auto work = Room(count * size_);
    Check(kinds_.org(gpu_.handle, narrow(m), narrow(q_columns), narrow(k), a, narrow(m), tau.get(), work.get(), count,
                     Ignored()));
    Rows(a, m, q_columns, At(w_.out[0], m * q_columns * size_));
  }

  void Svd() {
    RequireFinite(w_.m * w_.n);
    const int64_t k = std::min(w_.m, w_.n), u_columns = w_.flag ? w_.m : k, v_rows = w_.flag ? w_.n : k;
    const bool wide = w_.m <= w_.n, vectors = w_.out[0] != nullptr;
    // It takes no fewer rows than columns: of a wide matrix the transpose, which is how it lies, with U and V swapped.
    const int64_t rows = std::max(w_.m, w_.n), lefts = wide ? v_rows : u_columns;
    const char* from = At(w_.a, w_.m * w_.n * size_);
    char* a = wide ? Copied(from, w_.m, w_.n) : Columns(from, w_.m, w_.n);
    char *u = At(w_.out[0], w_.m * u_columns * size_), *v = At(w_.out[2], v_rows * w_.n * size_);
    char *left = nullptr, *right = nullptr;
    if (vectors) left = wide ? v : Kept(rows * lefts * size_), right = wide ? u : Kept(k * k * size_);
    char* s = At(w_.out[1], k * SizeOf(RealOf(w_.t)));
    const signed char job_left = !vectors ? 'N' : w_.flag ? 'A' : 'S', job_right = vectors ? 'S' : 'N';
    const Type type = kinds_.type;
    WithRoom(
        [&](size_t* d, size_t* h) {
          return Cusolver().GesvdBytes(gpu_.handle, gpu_.params, job_left, job_right, rows, k, type, a, rows,
                                       kinds_.real, s, type, left, rows, type, right, k, type, d, h);
        },
        [&](void* d, size_t nd, void* h, size_t nh) {
          return Cusolver().Gesvd(gpu_.handle, gpu_.params, job_left, job_right, rows, k, type, a, rows, kinds_.real, s,
                                  type, left, rows, type, right, k, type, d, nd, h, nh, Info());
        });
    if (!vectors || wide) return;
    Rows(left, rows, lefts, u);
    Rows(right, k, k, v);
  }

  void Eigh() {
    RequireFinite(w_.n * w_.n);
    char* a = Copied(At(w_.a, w_.n * w_.n * size_), w_.n, w_.n);
    char* values = At(w_.out[0], w_.n * SizeOf(RealOf(w_.t)));
    const Vectors vectors = w_.out[1] ? kVectors : kNoVectors;
    WithRoom(
        [&](size_t* d, size_t* h) {
          return Cusolver().SyevdBytes(gpu_.handle, gpu_.params, vectors, Turned(), w_.n, kinds_.type, a, w_.n,
                                       kinds_.real, values, kinds_.type, d, h);
        },
        [&](void* d, size_t nd, void* h, size_t nh) {
          return Cusolver().Syevd(gpu_.handle, gpu_.params, vectors, Turned(), w_.n, kinds_.type, a, w_.n, kinds_.real,
                                  values, kinds_.type, d, nd, h, nh, Info());
        });
    if (!w_.out[1]) return;
    Conjugate(a, w_.n * w_.n);
    Rows(a, w_.n, w_.n, At(w_.out[1], w_.n * w_.n * size_));
  }

  // Of complex numbers, which the results are, in any case.
  void Eig() {
    if (!Cusolver().GeevBytes || !Cusolver().Geev) throw NoDeviceForm{"a cuSOLVER without Xgeev"};
    RequireFinite(w_.n * w_.n);
    const DataType real = RealOf(w_.t);
    const int64_t n = w_.n, part = SizeOf(real), number = 2 * part;
    const Type type = real == DataType::FLOAT64 ? kComplex64 : kComplex32;
    char *a = Kept(n * n * number), *w = At(w_.out[0], n * number), *out = At(w_.out[1], n * n * number);
    const char* from = At(w_.a, n * n * size_);
    if (IsComplex(w_.t)) {
      forms_.Copy(number, Sizes{n, n}, from, Sizes{n, 1}, a, Sizes{1, n});
    } else {
      forms_.Zero(a, n * n * number);
      forms_.Copy(part, Sizes{n, n}, from, Sizes{n, 1}, a, Sizes{2, 2 * n});
    }
    char* v = out ? Kept(n * n * number) : nullptr;
    const Vectors right = v ? kVectors : kNoVectors;
    WithRoom(
        [&](size_t* d, size_t* h) {
          return Cusolver().GeevBytes(gpu_.handle, gpu_.params, kNoVectors, right, n, type, a, n, type, w, type,
                                      nullptr, n, type, v, n, type, d, h);
        },
        [&](void* d, size_t nd, void* h, size_t nh) {
          return Cusolver().Geev(gpu_.handle, gpu_.params, kNoVectors, right, n, type, a, n, type, w, type, nullptr, n,
                                 type, v, n, type, d, nd, h, nh, Info());
        });
    if (out) forms_.Copy(number, Sizes{n, n}, v, Sizes{1, n}, out, Sizes{n, 1});
  }

  // ---- all small matrices by one call
  int* Infos() const { return static_cast<int*>(infos_.get()); }
  static int Int(int64_t v) { return static_cast<int>(v); }

  void CholeskyOfAll() {
    const int64_t n = w_.n, square = n * n * size_;
    char* out = static_cast<char*>(w_.out[0]);
    CopyRows(static_cast<const char*>(w_.a), w_.batch * n, n, out);
    std::vector<void*> each;
    for (int64_t i = 0; i < w_.batch; ++i) each.push_back(out + i * square);
    const auto there = forms_.Sent(each.data(), static_cast<int64_t>(each.size() * sizeof(void*)));
    Check(
        kinds_.potrf(gpu_.handle, Turned(), Int(n), static_cast<void**>(there.get()), Int(n), Infos(), Int(w_.batch)));
    forms_.Triangle(w_.t, n, n, w_.flag, false, out, w_.batch);
  }

  void EighOfAll() {
    RequireFinite(w_.n * w_.n);
    const int64_t n = w_.n;
    if (!gpu_.eigen) Check(Cusolver().CreateSyevjInfo(&gpu_.eigen));
    char* a = Copied(static_cast<const char*>(w_.a), w_.batch * n, n);
    const Vectors vectors = w_.out[1] ? kVectors : kNoVectors;
    int count = 0;
    Check(kinds_.syevj_bytes(gpu_.handle, vectors, Turned(), Int(n), a, Int(n), w_.out[0], &count, gpu_.eigen,
                             Int(w_.batch)));
    Check(kinds_.syevj(gpu_.handle, vectors, Turned(), Int(n), a, Int(n), w_.out[0], Kept(count * size_), count,
                       Infos(), gpu_.eigen, Int(w_.batch)));
    if (!w_.out[1]) return;
    Conjugate(a, w_.batch * n * n);
    forms_.Copy(size_, Sizes{w_.batch, n, n}, a, Sizes{n * n, 1, n}, w_.out[1], Sizes{n * n, n, 1});
  }

  // Of the transposes, which is how they lie: U and V are swapped and both whole, and V is no adjoint.
  void SvdOfAll() {
    RequireFinite(w_.m * w_.n);
    const int64_t m = w_.m, n = w_.n, k = std::min(m, n), u_columns = w_.flag ? m : k, v_rows = w_.flag ? n : k;
    if (!gpu_.singular) Check(Cusolver().CreateGesvdjInfo(&gpu_.singular));
    char* a = Copied(static_cast<const char*>(w_.a), w_.batch * m, n);
    char *left = Kept(w_.batch * n * n * size_), *right = Kept(w_.batch * m * m * size_);
    const Vectors vectors = w_.out[0] ? kVectors : kNoVectors;
    int count = 0;
    Check(kinds_.gesvdj_bytes(gpu_.handle, vectors, Int(n), Int(m), a, Int(n), w_.out[1], left, Int(n), right, Int(m),
                              &count, gpu_.singular, Int(w_.batch)));
    Check(kinds_.gesvdj(gpu_.handle, vectors, Int(n), Int(m), a, Int(n), w_.out[1], left, Int(n), right, Int(m),
                        Kept(count * size_), count, Infos(), gpu_.singular, Int(w_.batch)));
    if (!w_.out[0]) return;
    Conjugate(right, w_.batch * m * m);
    forms_.Copy(size_, Sizes{w_.batch, m, u_columns}, right, Sizes{m * m, 1, m}, w_.out[0],
                Sizes{m * u_columns, u_columns, 1});
    forms_.Copy(size_, Sizes{w_.batch, v_rows, n}, left, Sizes{n * n, n, 1}, w_.out[2], Sizes{v_rows * n, n, 1});
  }

  // Of what does not end where numbers are not: all matrices, once.
  void RequireFinite(int64_t elements) const {
    if (item_ > 0) return;
    const int64_t n = w_.batch * elements * (IsComplex(w_.t) ? 2 : 1);
    const DataType real = RealOf(w_.t);
    const auto room = Room(8);
    forms_.Reduce(LineOp::kMaxAbs, real, w_.a, Sizes{n}, Sizes{1}, 1, room.get(), 0);
    double wide = 0;
    float narrow = 0;
    void* to = real == DataType::FLOAT64 ? static_cast<void*>(&wide) : &narrow;
    CopyBytes(to, {}, room.get(), place_, static_cast<size_t>(SizeOf(real)));
    if (!std::isfinite(wide) || !std::isfinite(narrow)) throw NoDeviceForm{"numbers that are not finite"};
  }
  void Judge() {
    if (w_.kind == MatrixKind::kLuSolve || w_.kind == MatrixKind::kTriangularSolve) return;
    if (w_.kind == MatrixKind::kLu) return forms_.Copy(4, Sizes{w_.batch}, infos_.get(), Sizes{1}, w_.out[2], Sizes{1});
    std::vector<int> infos(static_cast<size_t>(w_.batch));
    CopyBytes(infos.data(), {}, infos_.get(), place_, infos.size() * sizeof(int));
    if (std::any_of(infos.begin(), infos.end(), [](int i) { return i != 0; }))
      throw NoDeviceForm{"a matrix that cuSOLVER does not factor"};
  }

  const DeviceForms& forms_;
  const Place place_;
  const MatrixWork& w_;
  const Kinds kinds_;
  const int64_t size_;
  Gpu& gpu_;
  const std::lock_guard<std::mutex> lock_;
  std::shared_ptr<void> infos_;
  std::vector<std::shared_ptr<void>> rooms_;
  std::vector<std::vector<char>> here_;  // of the host, which calls under way may use
  int64_t item_ = 0;
};

}  // namespace

void SolverFactor(const DeviceForms& forms, const MatrixWork& work) {
  if (!Cusolver().why.empty()) throw NoDeviceForm{Cusolver().why.c_str()};
  if (CapturesGraph(forms.place())) throw NoDeviceForm{"a factorisation in a graph"};
  if (std::max({work.m, work.n, work.columns}) > INT_MAX / 4) throw NoDeviceForm{"extents beyond 29 bits"};
  if (work.batch == 0 || std::min(work.m, work.n) == 0 || (work.b && work.columns == 0))
    throw NoDeviceForm{"matrices without elements"};
  if (Factors::AreTogether(work)) return Factors(forms, work).RunTogether();
  if (work.batch > kManyMatrices && std::max({work.m, work.n, work.columns}) <= kSmallMatrix)
    throw NoDeviceForm{"many small matrices"};
  Factors(forms, work).Run();
}

}  // namespace phi::gpu
