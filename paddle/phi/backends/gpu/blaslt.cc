// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/backends/gpu/blaslt.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "paddle/common/error.h"
#include "paddle/common/logging.h"
#include "paddle/phi/backends/gpu/blaslt_api.h"
#include "paddle/phi/backends/gpu/library.h"
#include "paddle/phi/core/capture.h"
#include "paddle/phi/core/device.h"
#include "paddle/phi/core/kept_text.h"

namespace phi::gpu {
namespace {

using namespace lt;  // NOLINT: of the list of functions

constexpr size_t kMostWorkspace = 32 << 20;

struct Lt {
#define PADDLE_CUBLASLT_MEMBER(name, symbol, args) lt::Status(*name) args = nullptr;
  PADDLE_CUBLASLT_FUNCTIONS(PADDLE_CUBLASLT_MEMBER)
#undef PADDLE_CUBLASLT_MEMBER
  lt::GetVersion Version = nullptr;
  std::string why;

  Lt() {
    Library library = OpenLibrary({"libcublasLt.so.13", "libcublasLt.so.12"}, "FLAGS_cublas_dir", "cublas");
#define PADDLE_CUBLASLT_LOOK_UP(name, symbol, args) name = reinterpret_cast<lt::Status(*) args>(library.Find(#symbol));
    PADDLE_CUBLASLT_FUNCTIONS(PADDLE_CUBLASLT_LOOK_UP)
#undef PADDLE_CUBLASLT_LOOK_UP
    Version = reinterpret_cast<lt::GetVersion>(library.Find("cublasLtGetVersion"));
    why = library.Why();
  }
};
const Lt& Api() {
  static const auto* api = new Lt;
  return *api;
}

void Check(lt::Status s, const char* call) {
  PD_CHECK(s == lt::kSuccess, PreconditionNotMet, "[cublasLt] ", call, " failed with status ", static_cast<int>(s));
}
#define LT_CALL(name, ...) Check(Api().name(__VA_ARGS__), #name)

// Descriptors with their end.
template <class T>
class Owned {
 public:
  explicit Owned(lt::Status (*end)(T)) : end_(end) {}
  ~Owned() {
    if (value_) end_(value_);
  }
  Owned(const Owned&) = delete;
  T* to() { return &value_; }
  T get() const { return value_; }

 private:
  lt::Status (*end_)(T);
  T value_ = nullptr;
};

std::optional<lt::Type> TypeOf(DataType t) {
  switch (t) {
    case DataType::FLOAT32: return lt::kReal32;
    case DataType::FLOAT64: return lt::kReal64;
    case DataType::FLOAT16: return lt::kReal16;
    case DataType::BFLOAT16: return lt::kRealB16;
    case DataType::COMPLEX64: return lt::kComplex32;
    case DataType::COMPLEX128: return lt::kComplex64;
    case DataType::FLOAT8_E4M3FN: return lt::kReal8;
    default: return std::nullopt;
  }
}

// What the choice for a product depends on.
using Problem = std::array<int64_t, 22>;

// A device's handle, and what its products were found to be best done with; nothing where none does.
struct Gpu {
  lt::Handle handle = nullptr;
  std::mutex mutex;
  std::map<Problem, std::optional<lt::Heuristic>> found;
};
Gpu& GpuOf(Place place) {
  static std::mutex mutex;
  static auto& gpus = *new std::map<int, std::unique_ptr<Gpu>>;
  std::lock_guard<std::mutex> lock(mutex);
  auto& gpu = gpus[place.device_id];
  if (!gpu) {
    auto made = std::make_unique<Gpu>();
    const AllowedInCapture allowed;
    StreamForCall(place, {});  // makes its context the thread's
    LT_CALL(Create, &made->handle);
    gpu = std::move(made);
  }
  return *gpu;
}

// cuBLASLt's matrices lie column by column, so it computes the transpose of the result: its A is our b, its B our a. A
// matrix with columns of distance 1 is, read so, the transposed one.
struct Operand {
  lt::Operation op;
  int64_t rows, columns, leading;
};
std::optional<Operand> AsOperand(const LtMatrix& m, int64_t rows, int64_t columns) {
  if (m.column == 1 || columns == 1) {
    const int64_t leading = rows == 1 ? columns : m.row;
    if (leading >= columns && (m.column == 1 || m.row >= 1)) return Operand{lt::kPlain, columns, rows, leading};
  }
  if (m.row == 1 || rows == 1) {
    const int64_t leading = columns == 1 ? rows : m.column;
    if (leading >= rows) return Operand{lt::kTransposed, rows, columns, leading};
  }
  return std::nullopt;
}

// The largest power of two up to 256 that divides an address and the distances from it.
int64_t AlignmentOf(const void* p, int64_t bytes) {
  const uint64_t all = reinterpret_cast<uintptr_t>(p) | static_cast<uint64_t>(bytes) | 256;
  return static_cast<int64_t>(all & -all);
}

// The epilogues are sums of their parts.
lt::Epilogue EpilogueOf(const ProductExtras& with) {
  constexpr int kBiasPart = lt::kBias, kAuxPart = lt::kReluAux - lt::kRelu;
  constexpr int kSumsPart = lt::kReluGradBias - lt::kReluGrad;
  int all = 0;
  switch (with.after) {
    case ProductAfter::kNothing: break;
    case ProductAfter::kRelu: all = lt::kRelu; break;
    case ProductAfter::kGelu: all = lt::kGelu; break;
    case ProductAfter::kReluGrad: all = lt::kReluGrad; break;
  }
  if (with.bias) all |= kBiasPart;
  if (with.kept) all |= kAuxPart;
  if (with.sums) all |= kSumsPart;
  // Its A is our b.
  if (with.b_sums) all = lt::kSumsA;
  if (with.a_sums) all = lt::kSumsB;
  return all ? static_cast<lt::Epilogue>(all) : lt::kNone;
}

// The vector that the epilogue reads or writes; at most one is given.
const void* VectorOf(const ProductExtras& with) {
  for (const void* p : {with.bias, static_cast<const void*>(with.sums), static_cast<const void*>(with.a_sums),
                        static_cast<const void*>(with.b_sums)})
    if (p) return p;
  return nullptr;
}
bool IsRelu(ProductAfter a) { return a == ProductAfter::kRelu || a == ProductAfter::kReluGrad; }

// Whether there is a call of cuBLASLt for all of it.
bool IsCall(const LtProduct& p) {
  const ProductExtras& w = p.with;
  const bool gradient = w.after == ProductAfter::kReluGrad;
  const bool any = w.after != ProductAfter::kNothing || VectorOf(w) || w.kept;
  const auto given = [](const void* q) { return q ? 1 : 0; };
  if (given(w.bias) + given(w.sums) + given(w.a_sums) + given(w.b_sums) > 1) return false;
  if (gradient ? !w.kept || w.bias : w.sums != nullptr) return false;
  if (w.kept && w.after == ProductAfter::kNothing) return false;
  if ((w.a_sums || w.b_sums) && w.after != ProductAfter::kNothing) return false;
  const bool writes = w.kept || w.sums || w.a_sums || w.b_sums;
  if (writes && p.count != 1) return false;
  constexpr int64_t kRowOfGelu = 8, kAlignment = 16;
  if (w.kept && !IsRelu(w.after) && p.n % kRowOfGelu) return false;
  if (reinterpret_cast<uintptr_t>(w.kept) % kAlignment) return false;
  const bool low = p.dtype == DataType::FLOAT8_E4M3FN;
  if (low != (w.a_scale && w.b_scale) || low != (w.out == DataType::FLOAT16 || w.out == DataType::BFLOAT16))
    return false;
  return !(any && IsComplex(p.dtype));
}

class Call {
 public:
  Call(const LtProduct& p, lt::Type type, const Operand& left, const Operand& right) {
    const bool wide = type == lt::kReal64 || type == lt::kComplex64;
    const bool tf32 = p.tf32 && type == lt::kReal32;
    const bool halves = type == lt::kReal16 || type == lt::kRealB16 || type == lt::kReal8;
    const ProductExtras& with = p.with;
    const lt::Type result = type == lt::kReal8 ? *TypeOf(with.out) : type;
    LT_CALL(MatmulDescCreate, desc_.to(),
            wide   ? lt::kCompute64
            : tf32 ? lt::kComputeTf32
                   : lt::kCompute32,
            halves ? lt::kReal32 : type);
    Set(lt::kTransA, left.op);
    Set(lt::kTransB, right.op);
    Set(lt::kEpilogueOf, EpilogueOf(with));
    if (const void* vector = VectorOf(with)) Set(lt::kBiasPointer, vector);
    if (with.kept) {
      Set(lt::kAuxPointer, static_cast<const void*>(with.kept));
      Set(lt::kAuxLeading, IsRelu(with.after) ? 8 * ReluRowBytes(p.n) : p.n);
    }
    if (with.a_scale) {
      Set(lt::kScaleA, static_cast<const void*>(with.b_scale));
      Set(lt::kScaleB, static_cast<const void*>(with.a_scale));
    }
    Layout(left_, type, left.rows, left.columns, left.leading, p.count, p.b.batch);
    Layout(right_, type, right.rows, right.columns, right.leading, p.count, p.a.batch);
    Layout(out_, result, p.n, p.m, p.n, p.count, p.out.batch);
  }

  std::optional<lt::Heuristic> Ask(lt::Handle handle, const std::array<int64_t, 3>& alignments) {
    Owned<lt::Preference> preference(Api().PreferenceDestroy);
    LT_CALL(PreferenceCreate, preference.to());
    const auto set = [&](lt::PreferenceAttribute a, auto value) {
      LT_CALL(PreferenceSet, preference.get(), a, &value, sizeof(value));
    };
    set(lt::kMaxWorkspace, uint64_t{kMostWorkspace});
    const std::pair<lt::PreferenceAttribute, int64_t> least[] = {{lt::kMinAlignmentA, alignments[0]},
                                                                 {lt::kMinAlignmentB, alignments[1]},
                                                                 {lt::kMinAlignmentC, alignments[2]},
                                                                 {lt::kMinAlignmentD, alignments[2]}};
    for (const auto& [attribute, bytes] : least) set(attribute, static_cast<uint32_t>(bytes));
    lt::Heuristic found{};
    int count = 0;
    const lt::Status s = Api().GetHeuristic(handle, desc_.get(), left_.get(), right_.get(), out_.get(), out_.get(),
                                            preference.get(), 1, &found, &count);
    if (s == lt::kNotSupported || (s == lt::kSuccess && (count == 0 || found.state != lt::kSuccess)))
      return std::nullopt;
    Check(s, "GetHeuristic");
    return found;
  }

  // Whether what was found in another process is right for this product here; its workspace is then this one's.
  bool Takes(lt::Handle handle, lt::Heuristic& found) {
    lt::Heuristic own{};
    if (Api().AlgorithmCheck(handle, desc_.get(), left_.get(), right_.get(), out_.get(), out_.get(), &found.algorithm,
                             &own) != lt::kSuccess)
      return false;
    found.workspace = own.workspace;
    return own.state == lt::kSuccess && own.workspace <= kMostWorkspace;
  }

  void Run(lt::Handle handle, const LtProduct& p, const lt::Heuristic& by, Place place) {
    const auto room = by.workspace ? AllocateOnDevice(by.workspace, place) : Ref<Storage>();
    // The first number of a pair stands for a real factor.
    const double one[] = {1, 0}, zero[] = {0, 0};
    const float one32[] = {1, 0}, zero32[] = {0, 0};
    const bool wide = p.dtype == DataType::FLOAT64 || p.dtype == DataType::COMPLEX128;
    LT_CALL(Matmul, handle, desc_.get(), wide ? static_cast<const void*>(one) : one32, p.b.data, left_.get(), p.a.data,
            right_.get(), wide ? static_cast<const void*>(zero) : zero32, p.out.data, out_.get(),
            const_cast<void*>(p.out.data), out_.get(), &by.algorithm, room ? room->data() : nullptr, by.workspace,
            StreamForCall(place, {p.a.data, p.b.data, p.out.data, VectorOf(p.with), p.with.kept, p.with.a_scale,
                                  p.with.b_scale}));
  }

 private:
  template <class T>
  void Set(lt::DescAttribute attribute, const T& value) {
    LT_CALL(MatmulDescSet, desc_.get(), attribute, &value, sizeof(value));
  }
  static void Layout(Owned<lt::MatrixLayout>& to, lt::Type type, int64_t rows, int64_t columns, int64_t leading,
                     int64_t count, int64_t batch) {
    LT_CALL(LayoutCreate, to.to(), type, static_cast<uint64_t>(rows), static_cast<uint64_t>(columns), leading);
    if (count == 1) return;
    const auto n = static_cast<int32_t>(count);
    LT_CALL(LayoutSet, to.get(), lt::kBatchCount, &n, sizeof(n));
    LT_CALL(LayoutSet, to.get(), lt::kBatchOffset, &batch, sizeof(batch));
  }

  Owned<lt::MatmulDesc> desc_{Api().MatmulDescDestroy};
  Owned<lt::MatrixLayout> left_{Api().LayoutDestroy}, right_{Api().LayoutDestroy}, out_{Api().LayoutDestroy};
};

// What the product is best done with, as an earlier process found it with this version on such a device, or as it is
// found now.
std::optional<lt::Heuristic> Choose(Call& call, lt::Handle handle, const Problem& problem,
                                    const std::array<int64_t, 3>& alignments, Place place) {
  std::string key = "cublasLt|" + std::to_string(Api().Version()) + "|" + std::to_string(CapabilityOf(place)) + "|" +
                    std::to_string(ResidentThreadsOf(place));
  for (int64_t number : problem) key += "|" + std::to_string(number);
  const auto kept = g_kept_text.get ? g_kept_text.get(key) : std::nullopt;
  lt::Heuristic found{};
  if (kept && kept->size() == sizeof(found)) {
    std::memcpy(&found, kept->data(), sizeof(found));
    if (call.Takes(handle, found)) return found;
  }
  const auto now = call.Ask(handle, alignments);
  if (now && g_kept_text.put)
    g_kept_text.put(key, std::string(reinterpret_cast<const char*>(&*now), sizeof(lt::Heuristic)));
  return now;
}

}  // namespace

bool HasLt() { return Api().why.empty(); }

bool LtMultiply(const LtProduct& p, Place place) {
  constexpr int64_t kMost = INT32_MAX;
  const auto type = TypeOf(p.dtype);
  if (!type || !HasLt() || p.m < 1 || p.n < 1 || p.k < 1 || std::max({p.m, p.n, p.k, p.count}) > kMost) return false;
  if (!IsCall(p)) return false;
  const auto left = AsOperand(p.b, p.k, p.n), right = AsOperand(p.a, p.m, p.k);
  if (!left || !right) return false;
  // float8 lies along the axis that is summed over.
  if (*type == lt::kReal8 && (left->op != lt::kTransposed || right->op != lt::kPlain)) return false;
  const auto size = static_cast<int64_t>(SizeOf(p.dtype));
  const DataType result = p.with.out == DataType::UNDEFINED ? p.dtype : p.with.out;
  const auto out_size = static_cast<int64_t>(SizeOf(result));
  const std::array<int64_t, 3> alignments = {AlignmentOf(p.b.data, (left->leading | p.b.batch) * size),
                                             AlignmentOf(p.a.data, (right->leading | p.a.batch) * size),
                                             AlignmentOf(p.out.data, (p.n | p.out.batch) * out_size)};
  const Problem key = {static_cast<int64_t>(p.dtype),
                       p.m,
                       p.n,
                       p.k,
                       p.count,
                       left->op,
                       left->leading,
                       right->op,
                       right->leading,
                       p.a.batch,
                       p.b.batch,
                       p.out.batch,
                       EpilogueOf(p.with),
                       p.tf32,
                       alignments[0],
                       alignments[1],
                       alignments[2],
                       VectorOf(p.with) ? AlignmentOf(VectorOf(p.with), 0) : 0,
                       p.with.kept ? AlignmentOf(p.with.kept, 0) : 0,
                       static_cast<int64_t>(result),
                       left->rows,
                       right->rows};
  Gpu& gpu = GpuOf(place);
  Call call(p, *type, *left, *right);
  std::optional<lt::Heuristic> by;
  {
    std::lock_guard<std::mutex> lock(gpu.mutex);
    const auto [at, is_new] = gpu.found.try_emplace(key);
    if (is_new) at->second = Choose(call, gpu.handle, key, alignments, place);
    by = at->second;
  }
  if (by) call.Run(gpu.handle, p, *by, place);
  return by.has_value();
}

}  // namespace phi::gpu
