// SPDX-License-Identifier: Apache-2.0
// A double of cuBLASLt for tests, over the driver's double: products in the order of streams, in float64. It is strict:
// an attribute, number, size or pointer that the real one would not take is refused, and so is an algorithm for another
// product, a workspace that is too small and an alignment that was not promised. What it does it writes to the file of
// FAKEBLASLT_LOG, a line a call.
#include <algorithm>
#include <cmath>
#include <complex>
#include <fstream>
#include <string>
#include <vector>

#include "device/host_work.h"

namespace {

enum Status : int { kSuccess = 0, kInvalidValue = 7, kExecutionFailed = 13, kNotSupported = 15 };
constexpr int kReal32 = 0, kReal64 = 1, kReal16 = 2, kComplex32 = 4, kComplex64 = 5, kRealB16 = 14, kReal8 = 28;
// Parts of epilogues.
constexpr int kRelu = 2, kBias = 4, kReluGrad = 8, kSums = 16, kGelu = 32, kAux = 128;
constexpr int kSumsA = 256, kSumsB = 512;
constexpr int kEpilogues[] = {1,
                              kRelu,
                              kBias,
                              kRelu | kBias,
                              kGelu,
                              kGelu | kBias,
                              kRelu | kAux,
                              kRelu | kAux | kBias,
                              kReluGrad | kAux,
                              kReluGrad | kAux | kSums,
                              kGelu | kAux,
                              kGelu | kAux | kBias,
                              kSumsA,
                              kSumsB};
constexpr uint64_t kMagic = 0x66616b65626c6173, kWorkspace = 4096;

struct Handle {
  CUcontext context;
};
struct Desc {
  int compute, scale, trans_a = 0, trans_b = 0, epilogue = 1;
  void* bias = nullptr;
  void* aux = nullptr;
  int64_t aux_leading = 0;
  const void *scale_a = nullptr, *scale_b = nullptr;
};
struct Layout {
  int type;
  uint64_t rows, columns;
  int64_t leading, batch_offset = 0;
  int32_t batch = 1;
};
struct Preference {
  uint64_t workspace = 0;
  uint32_t alignment[4] = {256, 256, 256, 256};
};
struct Algorithm {
  uint64_t magic, product, workspace;
  uint32_t alignment[4], rest[6];
};
static_assert(sizeof(Algorithm) == 64);
struct Heuristic {
  Algorithm algorithm;
  size_t workspace;
  int state;
  float waves;
  int reserved[4];
};

int Refuse(int status, const std::string& why) {
  std::fprintf(stderr, "fakeblaslt: %s\n", why.c_str());
  return status;
}
void Log(const std::string& line) {
  static const char* const path = std::getenv("FAKEBLASLT_LOG");
  if (path) std::ofstream(path, std::ios::app) << line << "\n";
}

Real RealOf(int type) {
  switch (type) {
    case kReal32:
    case kComplex32: return Real::k32;
    case kReal64:
    case kComplex64: return Real::k64;
    case kReal16: return Real::k16;
    case kRealB16: return Real::kB16;
    case kReal8: return Real::k8;
    default: return Real::kNone;
  }
}
bool IsComplex(int type) { return type == kComplex32 || type == kComplex64; }
size_t SizeOf(int type) { return SizeOf(RealOf(type)) * (IsComplex(type) ? 2 : 1); }

// What an algorithm is for.
uint64_t ProductOf(const Desc& d, const Layout& a, const Layout& b, const Layout& c) {
  // Other builds of a version have other algorithms.
  uint64_t h = 1469598103934665603u + (std::getenv("FAKEBLASLT_OTHER") ? 1 : 0);
  const auto add = [&](uint64_t v) { h = (h ^ v) * 1099511628211u; };
  for (const int v : {d.compute, d.scale, d.trans_a, d.trans_b, d.epilogue}) add(static_cast<uint64_t>(v));
  for (const Layout* l : {&a, &b, &c})
    for (const uint64_t v : {static_cast<uint64_t>(l->type), l->rows, l->columns, static_cast<uint64_t>(l->leading),
                             static_cast<uint64_t>(l->batch), static_cast<uint64_t>(l->batch_offset)})
      add(v);
  return h;
}

// 0, or why the product cannot be.
int CheckProduct(const Desc& d, const Layout& a, const Layout& b, const Layout& c, const Layout& out) {
  const uint64_t m = d.trans_a ? a.columns : a.rows, k = d.trans_a ? a.rows : a.columns;
  const uint64_t n = d.trans_b ? b.rows : b.columns, k2 = d.trans_b ? b.columns : b.rows;
  if (k != k2 || c.rows != m || c.columns != n || out.rows != m || out.columns != n)
    return Refuse(kInvalidValue, "matrices that do not fit each other");
  const bool low = a.type == kReal8;
  if (a.type != b.type || c.type != out.type || (!low && a.type != c.type))
    return Refuse(kNotSupported, "types of several kinds");
  if (low && c.type != kReal16 && c.type != kRealB16) return Refuse(kNotSupported, "a result of float8 of that type");
  if (low != (d.scale_a != nullptr) || low != (d.scale_b != nullptr))
    return Refuse(kInvalidValue, "factors of matrices that are not float8, or none");
  if (low && (!d.trans_a || d.trans_b)) return Refuse(kNotSupported, "matrices of float8 that do not lie along k");
  if (low && (k % 16 || a.leading % 16 || b.leading % 16 || out.leading % 8)) return kNotSupported;
  for (const Layout* l : {&a, &b, &c, &out}) {
    if (l->leading < static_cast<int64_t>(l->rows)) return Refuse(kInvalidValue, "a leading dimension below the rows");
    if (l->batch != out.batch) return Refuse(kInvalidValue, "batches of several sizes");
  }
  const bool wide = RealOf(a.type) == Real::k64;
  if (d.compute != (wide ? 70 : 68) && !(d.compute == 77 && a.type == kReal32))
    return Refuse(kNotSupported, "a compute type that is not of the matrices");
  if (d.scale != (IsComplex(a.type) ? a.type : wide ? kReal64 : kReal32))
    return Refuse(kNotSupported, "a scale type that is not of the compute type");
  if (std::find(std::begin(kEpilogues), std::end(kEpilogues), d.epilogue) == std::end(kEpilogues))
    return Refuse(kInvalidValue, "an unknown epilogue " + std::to_string(d.epilogue));
  if (d.epilogue != 1 && (wide || IsComplex(a.type))) return kNotSupported;
  if (d.epilogue & kAux) {
    const int64_t unit = d.epilogue & (kRelu | kReluGrad) ? 128 : 8;
    if (d.aux_leading < static_cast<int64_t>(m) || d.aux_leading % unit)
      return Refuse(kInvalidValue, "a leading dimension of the second result that cannot be");
  }
  if (d.epilogue & (kAux | kSums | kSumsA | kSumsB) && out.batch != 1) return kNotSupported;
  if (low && d.epilogue & ~(1 | kRelu | kGelu | kBias)) return kNotSupported;
  return kSuccess;
}

struct Job {
  Desc d;
  Layout a, b, out;
  double alpha;
  const char *at_a = nullptr, *at_b = nullptr, *at_bias = nullptr, *scale_a = nullptr, *scale_b = nullptr;
  char *to = nullptr, *aux = nullptr, *sums = nullptr;
};

size_t Span(const Layout& l) {
  return (static_cast<size_t>(l.batch - 1) * static_cast<size_t>(l.batch_offset) +
          static_cast<size_t>(l.leading) * (l.columns - 1) + l.rows) *
         SizeOf(l.type);
}

template <class N>
N LoadAs(Real type, const char* p) {
  if constexpr (std::is_same_v<N, double>)
    return Load(type, p);
  else
    return {Load(type, p), Load(type, p + SizeOf(type))};
}

size_t At(const Layout& l, uint64_t batch, uint64_t row, uint64_t column) {
  return (batch * static_cast<uint64_t>(l.batch_offset) + column * static_cast<uint64_t>(l.leading) + row) *
         SizeOf(l.type);
}
size_t AuxBytes(const Desc& d, uint64_t columns, size_t size) {
  const size_t all = static_cast<size_t>(d.aux_leading) * columns;
  return d.epilogue & (kRelu | kReluGrad) ? all / 8 : all * size;
}
double TanhOfGelu(double x) { return std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)); }

// One element of the result; what an activation leaves, or left, is in the second one.
double Finish(const Job& j, uint64_t r, uint64_t c, double sum) {
  const Real type = RealOf(j.out.type);
  const size_t size = SizeOf(type), bit = c * static_cast<uint64_t>(j.d.aux_leading) + r;
  if (j.at_bias) sum += Load(type, j.at_bias + r * size);
  if (j.d.epilogue & kRelu) {
    if (j.aux && sum > 0) j.aux[bit / 8] = static_cast<char>(j.aux[bit / 8] | 1 << bit % 8);
    return sum > 0 ? sum : 0;
  }
  if (j.d.epilogue & kGelu) {
    if (j.aux) Store(type, sum, j.aux + bit * size);
    return sum * 0.5 * (1 + TanhOfGelu(sum));
  }
  if (j.d.epilogue & kReluGrad) return j.aux[bit / 8] >> bit % 8 & 1 ? sum : 0;
  return sum;
}

// The vector that an epilogue writes.
void Sum(const Job& j, const std::vector<double>& of_rows) {
  const Real type = RealOf(j.a.type), to = RealOf(j.out.type);
  const uint64_t depth = j.d.trans_a ? j.a.rows : j.a.columns;
  const bool first = j.d.epilogue == kSumsA;
  const uint64_t count = j.d.epilogue == kSumsB ? j.out.columns : j.out.rows;
  for (uint64_t i = 0; i < count; ++i) {
    double sum = 0;
    for (uint64_t k = 0; k < (j.d.epilogue & kSums ? 0 : depth); ++k)
      sum += first ? Load(type, j.at_a + (j.d.trans_a ? At(j.a, 0, k, i) : At(j.a, 0, i, k)))
                   : Load(type, j.at_b + (j.d.trans_b ? At(j.b, 0, i, k) : At(j.b, 0, k, i)));
    Store(to, j.d.epilogue & kSums ? of_rows[i] : sum, j.sums + i * SizeOf(to));
  }
}

template <class N>
void Multiply(const Job& j) {
  const Real type = RealOf(j.a.type), to = RealOf(j.out.type);
  const size_t size = SizeOf(j.out.type);
  const auto at = At;
  std::vector<double> of_rows(j.out.rows);
  if (j.aux && j.d.epilogue & kRelu) std::memset(j.aux, 0, AuxBytes(j.d, j.out.columns, size));
  double factor = j.alpha;
  for (const char* scale : {j.scale_a, j.scale_b})
    if (scale) factor *= Load(Real::k32, scale);
  const uint64_t m = j.out.rows, n = j.out.columns, depth = j.d.trans_a ? j.a.rows : j.a.columns;
  for (uint64_t batch = 0; batch < static_cast<uint64_t>(j.out.batch); ++batch)
    for (uint64_t c = 0; c < n; ++c)
      for (uint64_t r = 0; r < m; ++r) {
        N total = 0;
        for (uint64_t k = 0; k < depth; ++k)
          total += LoadAs<N>(type, j.at_a + (j.d.trans_a ? at(j.a, batch, k, r) : at(j.a, batch, r, k))) *
                   LoadAs<N>(type, j.at_b + (j.d.trans_b ? at(j.b, batch, c, k) : at(j.b, batch, k, c)));
        total *= factor;
        if constexpr (!std::is_same_v<N, double>) {
          Store(type, total.real(), j.to + at(j.out, batch, r, c));
          Store(type, total.imag(), j.to + at(j.out, batch, r, c) + size / 2);
          continue;
        }
        const double last = Finish(j, r, c, std::real(total));
        of_rows[r] += last;
        Store(to, last, j.to + at(j.out, batch, r, c));
      }
  if (j.sums) Sum(j, of_rows);
}

template <class T>
int New(T** to, T value) {
  *to = new T(value);
  return kSuccess;
}
template <class T>
int Copy(T& to, const void* value, size_t bytes) {
  if (bytes != sizeof(T)) return Refuse(kInvalidValue, "an attribute of another size");
  std::memcpy(&to, value, bytes);
  return kSuccess;
}

}  // namespace

extern "C" {
#define FAKEBLASLT_API __attribute__((visibility("default")))
FAKEBLASLT_API int cublasLtCreate(Handle** handle) {
  CUcontext now = nullptr;
  DRIVER(cuCtxGetCurrent)(&now);
  void* memory = nullptr;  // a capture heeds what a handle takes
  if (DRIVER(cuMemHostAlloc)(&memory, 64, 0) != CUDA_SUCCESS) return Refuse(1, "cublasLtCreate without memory");
  DRIVER(cuMemFreeHost)(memory);
  return now ? New(handle, Handle{now}) : Refuse(1, "cublasLtCreate without a current device");
}
FAKEBLASLT_API int cublasLtMatmulDescCreate(Desc** desc, int compute, int scale) {
  return New(desc, Desc{compute, scale});
}
FAKEBLASLT_API int cublasLtMatmulDescDestroy(Desc* desc) {
  delete desc;
  return kSuccess;
}
FAKEBLASLT_API int cublasLtMatmulDescSetAttribute(Desc* d, int attribute, const void* value, size_t bytes) {
  switch (attribute) {
    case 3: return Copy(d->trans_a, value, bytes);
    case 4: return Copy(d->trans_b, value, bytes);
    case 7: return Copy(d->epilogue, value, bytes);
    case 8: return Copy(d->bias, value, bytes);
    case 11: return Copy(d->aux, value, bytes);
    case 12: return Copy(d->aux_leading, value, bytes);
    case 17: return Copy(d->scale_a, value, bytes);
    case 18: return Copy(d->scale_b, value, bytes);
    default: return Refuse(kInvalidValue, "an unknown attribute " + std::to_string(attribute) + " of a product");
  }
}
FAKEBLASLT_API int cublasLtMatrixLayoutCreate(Layout** layout, int type, uint64_t rows, uint64_t columns,
                                              int64_t leading) {
  if (!SizeOf(type)) return Refuse(kInvalidValue, "an unknown type " + std::to_string(type));
  return New(layout, Layout{type, rows, columns, leading});
}
FAKEBLASLT_API int cublasLtMatrixLayoutDestroy(Layout* layout) {
  delete layout;
  return kSuccess;
}
FAKEBLASLT_API int cublasLtMatrixLayoutSetAttribute(Layout* l, int attribute, const void* value, size_t bytes) {
  if (attribute == 5) return Copy(l->batch, value, bytes);
  if (attribute == 6) return Copy(l->batch_offset, value, bytes);
  return Refuse(kInvalidValue, "an unknown attribute " + std::to_string(attribute) + " of a matrix");
}
FAKEBLASLT_API int cublasLtMatmulPreferenceCreate(Preference** preference) { return New(preference, Preference{}); }
FAKEBLASLT_API int cublasLtMatmulPreferenceDestroy(Preference* preference) {
  delete preference;
  return kSuccess;
}
FAKEBLASLT_API int cublasLtMatmulPreferenceSetAttribute(Preference* p, int attribute, const void* value, size_t bytes) {
  if (attribute == 1) return Copy(p->workspace, value, bytes);
  if (attribute >= 5 && attribute <= 8) return Copy(p->alignment[attribute - 5], value, bytes);
  return Refuse(kInvalidValue, "an unknown attribute " + std::to_string(attribute) + " of a preference");
}
FAKEBLASLT_API int cublasLtMatmulAlgoGetHeuristic(Handle*, Desc* d, Layout* a, Layout* b, Layout* c, Layout* out,
                                                  Preference* p, int most, Heuristic* found, int* count) {
  *count = 0;
  if (most < 1) return Refuse(kInvalidValue, "a wish for no algorithm");
  if (const int s = CheckProduct(*d, *a, *b, *c, *out)) return s;
  std::memset(found, 0, sizeof *found);
  found->algorithm.magic = kMagic;
  found->algorithm.product = ProductOf(*d, *a, *b, *out);
  found->algorithm.workspace = found->workspace = p->workspace >= kWorkspace ? kWorkspace : 0;
  std::memcpy(found->algorithm.alignment, p->alignment, sizeof p->alignment);
  *count = 1;
  Log("heuristic");
  return kSuccess;
}
FAKEBLASLT_API int cublasLtMatmulAlgoCheck(Handle*, Desc* d, Layout* a, Layout* b, Layout* c, Layout* out,
                                           const Algorithm* algorithm, Heuristic* found) {
  if (const int s = CheckProduct(*d, *a, *b, *c, *out)) return s;
  Log("check");
  if (algorithm->magic != kMagic || algorithm->product != ProductOf(*d, *a, *b, *out)) return kNotSupported;
  std::memset(found, 0, sizeof *found);
  found->algorithm = *algorithm;
  found->workspace = algorithm->workspace;
  return kSuccess;
}
FAKEBLASLT_API size_t cublasLtGetVersion() {
  const char* other = std::getenv("FAKEBLASLT_VERSION");
  return other ? std::strtoull(other, nullptr, 10) : 130000;
}
FAKEBLASLT_API int cublasLtMatmul(Handle* handle, Desc* d, const void* alpha, const void* a, Layout* la, const void* b,
                                  Layout* lb, const void* beta, const void* c, Layout* lc, void* out, Layout* lout,
                                  const Algorithm* algorithm, void* workspace, size_t bytes, CUstream stream) {
  if (const int s = CheckProduct(*d, *la, *lb, *lc, *lout)) return s;
  CUcontext now = nullptr;
  DRIVER(cuCtxGetCurrent)(&now);
  if (now != handle->context) return Refuse(kInvalidValue, "a product while another device is current");
  const Real factor = RealOf(d->scale);
  const double scale = Load(factor, static_cast<const char*>(alpha));
  const auto second = [&](const void* of) { return Load(factor, static_cast<const char*>(of) + SizeOf(factor)); };
  if (IsComplex(d->scale) && (second(alpha) != 0 || second(beta) != 0))
    return Refuse(kNotSupported, "a factor that is not real");
  if (Load(factor, static_cast<const char*>(beta)) != 0 || c != out)
    return Refuse(kNotSupported, "a result that is added to");
  if (!algorithm || algorithm->magic != kMagic || algorithm->product != ProductOf(*d, *la, *lb, *lout))
    return Refuse(kInvalidValue, "an algorithm of another product");
  if (algorithm->workspace > bytes || (bytes && reinterpret_cast<uintptr_t>(workspace) % 256))
    return Refuse(kInvalidValue, "a workspace that is too small or misaligned");
  const void* const operands[] = {a, b, c, out};
  const Layout* const layouts[] = {la, lb, lc, lout};
  for (int k = 0; k < 4; ++k) {
    const uint64_t size = SizeOf(layouts[k]->type);
    const uint64_t together = reinterpret_cast<uintptr_t>(operands[k]) |
                              static_cast<uint64_t>(layouts[k]->leading | layouts[k]->batch_offset) * size;
    if (together % algorithm->alignment[k])
      return Refuse(kInvalidValue, "an operand that is less aligned than was promised");
  }
  const bool reads = d->epilogue & kBias, writes = d->epilogue & (kSums | kSumsA | kSumsB);
  if ((reads || writes) != (d->bias != nullptr)) return Refuse(kInvalidValue, "a vector without its epilogue, or none");
  if (((d->epilogue & kAux) != 0) != (d->aux != nullptr))
    return Refuse(kInvalidValue, "a second result without its epilogue, or none");
  if (reinterpret_cast<uintptr_t>(d->aux) % 16) return Refuse(kInvalidValue, "a second result that is misaligned");

  HostWork& work = HostWork::On(stream);
  Job j{*d, *la, *lb, *lout, scale};
  const size_t size = SizeOf(lout->type), column = lout->rows * size;
  j.at_a = work.Read(a, Span(*la)), j.at_b = work.Read(b, Span(*lb)), j.to = work.Room(Span(*lout));
  const size_t sums = d->epilogue == kSumsB ? lout->columns * size : column;
  if (reads) j.at_bias = work.Read(d->bias, column);
  if (writes) j.sums = work.Room(sums);
  if (d->scale_a) j.scale_a = work.Read(d->scale_a, sizeof(float)), j.scale_b = work.Read(d->scale_b, sizeof(float));
  const size_t aux = AuxBytes(*d, lout->columns, size);
  const bool gives = d->epilogue & kAux && d->epilogue & (kRelu | kGelu);
  if (d->epilogue & kAux) j.aux = gives ? work.Room(aux) : work.Read(d->aux, aux);
  work.Do([j] { IsComplex(j.a.type) ? Multiply<std::complex<double>>(j) : Multiply<double>(j); });
  const auto write = [&](void* to, const char* from, size_t at) {
    work.Write(static_cast<char*>(to) + at, from + at, column);
  };
  for (int32_t batch = 0; batch < lout->batch; ++batch)
    for (uint64_t k = 0; k < lout->columns; ++k) {
      const auto at = static_cast<size_t>(batch * lout->batch_offset + static_cast<int64_t>(k) * lout->leading) * size;
      write(out, j.to, at);
    }
  if (gives) work.Write(d->aux, j.aux, aux);
  if (writes) work.Write(d->bias, j.sums, sums);
  const bool ok = work.End();
  Log("matmul " + std::to_string(lout->columns) + "x" + std::to_string(lout->rows) + " type " +
      std::to_string(la->type) + " epilogue " + std::to_string(d->epilogue) + " batch " + std::to_string(lout->batch));
  return ok ? kSuccess : Refuse(kExecutionFailed, "memory that cannot be read or written");
}
}
