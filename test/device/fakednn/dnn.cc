// SPDX-License-Identifier: Apache-2.0
// A double of cuDNN for tests, over the driver's double: graphs of convolutions and their gradients, and of the parts
// of attention, in the order of streams, in float64. It is strict: what the real one would not take of a descriptor is
// refused, and so are tensors without an address or with too little alignment, a device that is not the handle's, and
// memory that is not there for a plan's workspace, which is filled. Of five engines the last alone does float32 as it
// should be: the first sums in no fixed order, the second on tensor cores, the third makes no plans, the fourth takes a
// terabyte. What it does it writes to the file of FAKEDNN_LOG, a line a call; FAKEDNN_FAILS names a call that fails:
// create, finalize, execute.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "device/host_work.h"

namespace {

enum Status : int { kSuccess = 0, kBad = 2000, kNotFinal = 2004, kNotSupported = 3000, kFailed = 5000 };
enum Kind : int {
  kPointwiseOf = 0,
  kConvolution,
  kEngine,
  kConfig,
  kHeuristic,
  kPlan,
  kForward = 10,
  kFilter,
  kData,
  kPointwise,
  kGraph = 15,
  kPack,
  kTensor,
  kProductOf,
  kProduct,
  kReductionOf = 21,
  kReduction,
  kReshape = 31
};

enum Type : int {
  kHandle = 0,
  kDataType,
  kBool,
  kInt64,
  kFloat,
  kPointer = 6,
  kMode,
  kHeur,
  kNote = 11,
  kPointwiseMode = 14,
  kLink,
  kReductionMode = 18
};
constexpr int64_t kWorkspace[] = {0, 0, 0, int64_t{1} << 40, 6000};
constexpr int kGivesUp = 2, kAll = 5;

struct Handle {
  CUcontext context;
  CUstream stream = nullptr;
};
struct State;
using Ref = std::shared_ptr<const State>;
struct Value {
  std::vector<char> bytes;
  std::vector<Ref> links;
};
struct State {
  Kind kind;
  bool final = false;
  std::map<int, Value> at;
  int engine = -1;  // of an engine and its configuration
  Ref graph;        // which that is for
  template <class T>
  std::vector<T> All(int attribute) const {
    const auto it = at.find(attribute);
    if (it == at.end()) return {};
    std::vector<T> all(it->second.bytes.size() / sizeof(T));
    std::memcpy(all.data(), it->second.bytes.data(), it->second.bytes.size());
    return all;
  }
  template <class T>
  T One(int attribute, T otherwise = {}) const {
    const auto all = All<T>(attribute);
    return all.empty() ? otherwise : all[0];
  }
  const State& Of(int attribute) const { return *at.at(attribute).links[0]; }
};
struct Descriptor {
  std::shared_ptr<State> state;
};

std::string& Last() {
  thread_local std::string last;
  return last;
}
int Refuse(int status, const std::string& why) {
  Last() = why;
  std::fprintf(stderr, "fakednn: %s\n", why.c_str());
  return status;
}
bool Fails(const char* call) {
  static const char* const named = std::getenv("FAKEDNN_FAILS");
  if (!named || std::string(named) != call) return false;
  Last() = std::string("asked to fail at ") + call;
  return true;
}
void Log(const std::string& line) {
  static const char* const path = std::getenv("FAKEDNN_LOG");
  if (path) std::ofstream(path, std::ios::app) << line << "\n";
}

struct Attribute {
  Type type;
  int64_t least, most;
  bool needed;
  Kind of = kTensor;  // what a link leads to
};
const std::map<int, Attribute>& AttributesOf(Kind kind) {
  static const auto operation = [](int first, int convolution) {
    std::map<int, Attribute> all;
    for (int k = 0; k < 6; ++k) all[first + k] = k < 2 ? Attribute{kFloat, 1, 1, true} : Attribute{kLink, 1, 1, true};
    all[convolution].of = kConvolution;
    return all;
  };
  static const std::map<int, std::map<int, Attribute>> table = {
      {kTensor,
       {{900, {kInt64, 1, 1, true}},
        {901, {kDataType, 1, 1, true}},
        {902, {kInt64, 4, 5, true}},
        {903, {kInt64, 4, 5, true}},
        {906, {kInt64, 1, 1, true}},
        {907, {kBool, 1, 1, false}},
        {908, {kBool, 1, 1, false}}}},
      {kPointwiseOf, {{0, {kPointwiseMode, 1, 1, true}}, {1, {kDataType, 1, 1, true}}, {9, {kInt64, 1, 1, false}}}},
      {kPointwise,
       {{750, {kLink, 1, 1, true, kPointwiseOf}},
        {751, {kLink, 1, 1, true}},
        {752, {kLink, 1, 1, false}},
        {753, {kLink, 1, 1, true}},
        {758, {kLink, 1, 1, false}}}},
      {kProductOf, {{1500, {kDataType, 1, 1, true}}}},
      {kProduct,
       {{1520, {kLink, 1, 1, true}},
        {1521, {kLink, 1, 1, true}},
        {1522, {kLink, 1, 1, true}},
        {1523, {kLink, 1, 1, true, kProductOf}}}},
      {kReductionOf, {{1600, {kReductionMode, 1, 1, true}}, {1601, {kDataType, 1, 1, true}}}},
      {kReduction,
       {{1610, {kLink, 1, 1, true}}, {1611, {kLink, 1, 1, true}}, {1612, {kLink, 1, 1, true, kReductionOf}}}},
      {kReshape, {{2200, {kLink, 1, 1, true}}, {2201, {kLink, 1, 1, true}}}},
      {kConvolution,
       {{100, {kDataType, 1, 1, true}},
        {101, {kMode, 1, 1, true}},
        {102, {kInt64, 2, 3, true}},
        {103, {kInt64, 2, 3, true}},
        {104, {kInt64, 2, 3, true}},
        {105, {kInt64, 2, 3, true}},
        {106, {kInt64, 1, 1, true}}}},
      {kForward, operation(700, 702)},
      {kData, operation(706, 708)},
      {kFilter, operation(712, 714)},
      {kGraph, {{800, {kHandle, 1, 1, true}}, {801, {kLink, 1, 32, true, kForward}}}},
      {kHeuristic, {{200, {kHeur, 1, 1, true}}, {201, {kLink, 1, 1, true, kGraph}}}},
      {kPlan, {{400, {kHandle, 1, 1, true}}, {401, {kLink, 1, 1, true, kConfig}}}},
      {kPack, {{1000, {kInt64, 1, 16, true}}, {1001, {kPointer, 1, 16, true}}, {1003, {kPointer, 1, 1, true}}}},
      {kConfig, {}},
      {kEngine, {}}};
  static const std::map<int, Attribute> none;
  const auto it = table.find(kind);
  return it == table.end() ? none : it->second;
}
bool IsOperation(Kind kind) {
  return (kind >= kForward && kind <= kPointwise) || kind == kProduct || kind == kReduction || kind == kReshape;
}
size_t WidthOf(Type type) { return type == kBool ? 1 : type == kDataType || type == kFloat || type >= kMode ? 4 : 8; }
Real RealOf(int type) { return type == 0 ? Real::k32 : type == 2 ? Real::k16 : type == 9 ? Real::kB16 : Real::kNone; }

// Integers and truths, which lie nowhere in memory, are kept as float64.
bool IsWhole(int type) { return type == 4 || type == 11; }

// A convolution with its tensors by name.
struct Operation {
  Kind kind;
  const State *convolution, *x, *w, *y;
  float alpha, beta;
  explicit Operation(const State& s) : kind(s.kind) {
    const int first = kind == kForward ? 700 : kind == kData ? 706 : 712;
    alpha = s.One<float>(first), beta = s.One<float>(first + 1), convolution = &s.Of(first + 2);
    // forward: w, x, y; data: w, dx, dy; filter: dw, x, dy
    w = &s.Of(first + 3), x = &s.Of(first + 4), y = &s.Of(first + 5);
  }
};
std::vector<int64_t> Dims(const State& tensor) { return tensor.All<int64_t>(902); }
size_t CountOf(const State& tensor) {
  const auto d = Dims(tensor);
  return static_cast<size_t>(std::accumulate(d.begin(), d.end(), int64_t{1}, std::multiplies<>()));
}
// 1: channels first, 2: last; both where they are one, 0: neither.
int LayoutOf(const State& tensor) {
  const auto d = Dims(tensor), s = tensor.All<int64_t>(903);
  int found = 0;
  for (const bool last : {false, true}) {
    int64_t step = 1;
    bool same = s.size() == d.size();
    const auto see = [&](size_t a) { same = same && (d[a] == 1 || s[a] == step), step *= d[a]; };
    if (last) see(1);
    for (size_t a = d.size(); a-- > 0;)
      if (a != 1 || !last) see(a);
    if (same) found |= last ? 2 : 1;
  }
  return found;
}

int CheckTensor(const State& t) {
  const int64_t alignment = t.One<int64_t>(900);
  if (t.One<char>(907) && t.One<char>(908)) return Refuse(kBad, "a number between operations");
  if (RealOf(t.One<int>(901)) == Real::kNone && !(IsWhole(t.One<int>(901)) && t.One<char>(907)))
    return Refuse(kNotSupported, "a tensor of an unknown type");
  if (alignment < 1 || (alignment & (alignment - 1))) return Refuse(kBad, "an alignment that is no power of two");
  if (Dims(t).size() != t.All<int64_t>(903).size()) return Refuse(kBad, "strides of another rank than the extents");
  for (const int64_t d : Dims(t))
    if (d < 1) return Refuse(kBad, "an extent below 1");
  return kSuccess;
}
int CheckConvolution(const State& c) {
  if (c.One<int>(101) != 1) return Refuse(kNotSupported, "a convolution that is no cross-correlation");
  if (c.One<int>(100) != 0) return Refuse(kNotSupported, "sums in another type than float32");
  for (const int a : {102, 103, 104, 105})
    if (static_cast<int64_t>(c.All<int64_t>(a).size()) != c.One<int64_t>(106))
      return Refuse(kBad, "paddings, strides or dilations of another number than the axes");
  return kSuccess;
}
int CheckOperation(const State& s) {
  const Operation o(s);
  const auto x = Dims(*o.x), w = Dims(*o.w), y = Dims(*o.y);
  const auto of = [&](int attribute) { return o.convolution->All<int64_t>(attribute); };
  const auto axes = static_cast<size_t>(o.convolution->One<int64_t>(106));
  if (x.size() != axes + 2 || w.size() != x.size() || y.size() != x.size())
    return Refuse(kBad, "tensors of another rank than the convolution");
  if (o.alpha != 1 || o.beta != 0) return Refuse(kNotSupported, "a result that is scaled or added to");
  if (x[0] != y[0] || w[0] != y[1] || x[1] % w[1] || w[0] % (x[1] / w[1]))
    return Refuse(kBad, "channels that do not fit each other");
  for (size_t a = 0; a < axes; ++a)
    if (y[a + 2] != (x[a + 2] + of(105)[a] + of(104)[a] - of(102)[a] * (w[a + 2] - 1) - 1) / of(103)[a] + 1)
      return Refuse(kBad, "a result of other extents");
  const int type = o.x->One<int>(901);
  if (o.w->One<int>(901) != type || o.y->One<int>(901) != type) return Refuse(kNotSupported, "types of several kinds");
  if (!(LayoutOf(*o.x) & LayoutOf(*o.w) & LayoutOf(*o.y)))
    return Refuse(kNotSupported, "tensors of several layouts, or with gaps");
  std::vector<int64_t> ids;
  for (const State* t : {o.x, o.w, o.y}) ids.push_back(t->One<int64_t>(906));
  if (ids[0] == ids[1] || ids[0] == ids[2] || ids[1] == ids[2]) return Refuse(kBad, "two tensors of one number");
  return kSuccess;
}

// Calls f with each place of the extents.
template <class F>
void Places(const std::vector<int64_t>& dims, F f) {
  std::vector<int64_t> at(dims.size(), 0);
  while (true) {
    f(at);
    size_t a = dims.size();
    while (a-- > 0 && ++at[a] == dims[a]) at[a] = 0;
    if (a == static_cast<size_t>(-1)) return;
  }
}
int64_t OffsetOf(const State& tensor, const std::vector<int64_t>& at) {
  const auto strides = tensor.All<int64_t>(903);
  return std::inner_product(at.begin(), at.end(), strides.begin(), int64_t{0});
}
int CheckReshape(const State& s) {
  const State &x = s.Of(2200), &y = s.Of(2201);
  if (x.One<int>(901) != y.One<int>(901) && !x.One<char>(907)) return Refuse(kBad, "a reshape to another type");
  std::vector<int64_t> places[2];
  for (int k = 0; k < 2; ++k) {
    const State& t = k ? y : x;
    Places(Dims(t), [&](const std::vector<int64_t>& at) { places[k].push_back(OffsetOf(t, at)); });
    std::sort(places[k].begin(), places[k].end());
  }
  return places[0] == places[1] ? int{kSuccess} : Refuse(kBad, "a reshape of other elements in memory");
}

// The elements of tensors by their numbers, in the order of their extents.
using Elements = std::map<int64_t, std::vector<double>>;
int64_t IdOf(const State& tensor) { return tensor.One<int64_t>(906); }

// The element of a tensor at a place, whose axes of extent 1 are repeated, and whose heads are shared by groups.
size_t Index(const std::vector<int64_t>& dims, const std::vector<int64_t>& at, const std::vector<int64_t>& all) {
  int64_t i = 0;
  for (size_t a = 0; a < dims.size(); ++a)
    i = i * dims[a] + (dims[a] == all[a] ? at[a] : dims[a] == 1 ? 0 : at[a] / (all[a] / dims[a]));
  return static_cast<size_t>(i);
}

void Convolve(const Operation& o, Elements& e) {
  const auto of = [&](int attribute) { return o.convolution->All<int64_t>(attribute); };
  const auto dilation = of(102), stride = of(103), pad = of(105), xd = Dims(*o.x), wd = Dims(*o.w), yd = Dims(*o.y);
  auto &x = e[IdOf(*o.x)], &w = e[IdOf(*o.w)], &y = e[IdOf(*o.y)];
  const int64_t of_group = wd[0] / (xd[1] / wd[1]);
  Places(yd, [&](const std::vector<int64_t>& to) {
    std::vector<int64_t> taps = wd;
    taps[0] = 1;
    Places(taps, [&](const std::vector<int64_t>& tap) {
      std::vector<int64_t> from = {to[0], to[1] / of_group * wd[1] + tap[1]}, by = tap;
      by[0] = to[1];
      for (size_t a = 0; a + 2 < xd.size(); ++a) {
        from.push_back(to[a + 2] * stride[a] - pad[a] + tap[a + 2] * dilation[a]);
        if (from.back() < 0 || from.back() >= xd[a + 2]) return;
      }
      const size_t i = Index(xd, from, xd), j = Index(wd, by, wd), k = Index(yd, to, yd);
      if (o.kind == kForward)
        y[k] += x[i] * w[j];
      else if (o.kind == kData)
        x[i] += y[k] * w[j];
      else
        w[j] += x[i] * y[k];
    });
  });
}
double Pointwise(int mode, double x, double b, bool condition, double index) {
  switch (mode) {
    case 0: return x + b;
    case 1: return x * b;
    case 6: return x / b;
    case 9: return x - b;
    case 13: return std::exp(x);
    case 15: return std::log(x);
    case 303: return x >= b;
    case 304: return x < b;
    case 400: return x != 0 && b != 0;
    case 501: return index;
    default: return condition ? x : b;
  }
}
// The tensor that an operation makes.
const State& ResultOf(const State& s) {
  switch (s.kind) {
    case kForward: return s.Of(705);
    case kData: return s.Of(710);
    case kFilter: return s.Of(715);
    case kPointwise: return s.Of(753);
    case kProduct: return s.Of(1522);
    case kReshape: return s.Of(2201);
    default: return s.Of(1611);
  }
}
void Compute(const State& s, Elements& e) {
  const State& result = ResultOf(s);
  const auto dims = Dims(result);
  auto& out = e[IdOf(result)];
  out.assign(CountOf(result), 0.0);
  const auto get = [&](const State& t, const std::vector<int64_t>& at, const std::vector<int64_t>& all) {
    return e[IdOf(t)][Index(Dims(t), at, all)];
  };
  if (s.kind == kPointwise) {
    const int mode = s.Of(750).One<int>(0);
    const auto axis = static_cast<size_t>(s.Of(750).One<int64_t>(9));
    const bool two = s.at.count(752), three = s.at.count(758);
    Places(dims, [&](const std::vector<int64_t>& at) {
      out[Index(dims, at, dims)] = Pointwise(mode, get(s.Of(751), at, dims), two ? get(s.Of(752), at, dims) : 0,
                                             three && get(s.Of(758), at, dims) != 0, static_cast<double>(at[axis]));
    });
  } else if (s.kind == kProduct) {
    const State &a = s.Of(1520), &b = s.Of(1521);
    const int64_t depth = Dims(a)[3];
    auto left = dims, right = dims;
    left[3] = right[2] = depth;
    Places(dims, [&](const std::vector<int64_t>& at) {
      auto i = at, j = at;
      for (i[3] = j[2] = 0; i[3] < depth; ++i[3], ++j[2])
        out[Index(dims, at, dims)] += get(a, i, left) * get(b, j, right);
    });
  } else if (s.kind == kReduction) {
    const auto all = Dims(s.Of(1610));
    const bool most = s.Of(1612).One<int>(1600) == 3;
    if (most) std::fill(out.begin(), out.end(), -INFINITY);
    Places(all, [&](const std::vector<int64_t>& at) {
      double& sum = out[Index(dims, at, all)];
      const double v = get(s.Of(1610), at, all);
      sum = most ? std::max(sum, v) : sum + v;
    });
  } else if (s.kind == kReshape) {
    const State& x = s.Of(2200);
    std::map<int64_t, double> at_offset;
    Places(Dims(x), [&](const std::vector<int64_t>& at) {
      at_offset[OffsetOf(x, at)] = e[IdOf(x)][Index(Dims(x), at, Dims(x))];
    });
    Places(dims,
           [&](const std::vector<int64_t>& at) { out[Index(dims, at, dims)] = at_offset.at(OffsetOf(result, at)); });
  } else {
    Convolve(Operation(s), e);
  }
  if (const Real type = RealOf(result.One<int>(901)); type == Real::k16 || type == Real::kB16)
    for (double& v : out) {
      char rounded[8];
      Store(type, v, rounded);
      v = Load(type, rounded);
    }
}

// A tensor in memory, and a copy of it for the host.
struct Memory {
  const State* tensor;
  char* copy;
  size_t bytes;
  bool result;
  void All(std::vector<double>& elements, bool store) const {
    const auto dims = Dims(*tensor), strides = tensor->All<int64_t>(903);
    const Real type = RealOf(tensor->One<int>(901));
    elements.resize(CountOf(*tensor));
    Places(dims, [&](const std::vector<int64_t>& at) {
      char* const p =
          copy +
          static_cast<size_t>(std::inner_product(at.begin(), at.end(), strides.begin(), int64_t{0})) * SizeOf(type);
      double& v = elements[Index(dims, at, dims)];
      if (store)
        Store(type, v, p);
      else
        v = Load(type, p);
    });
  }
};
size_t SpanOf(const State& tensor) {
  const auto dims = Dims(tensor), strides = tensor.All<int64_t>(903);
  int64_t last = 0;
  for (size_t a = 0; a < dims.size(); ++a) last += (dims[a] - 1) * strides[a];
  return static_cast<size_t>(last + 1) * SizeOf(RealOf(tensor.One<int>(901)));
}

int Execute(const Handle& handle, const State& plan, const State& pack) {
  const Ref graph = plan.Of(401).graph;
  const auto& operations = graph->at.at(801).links;
  const int engine = plan.Of(401).engine;
  const auto ids = pack.All<int64_t>(1000);
  const auto pointers = pack.All<char*>(1001);
  char* const workspace = pack.One<char*>(1003);
  if (plan.One<const Handle*>(400) != &handle) return Refuse(kBad, "a plan of another handle");
  std::map<int64_t, const State*> tensors;
  std::map<int64_t, bool> made;
  for (const Ref& o : operations) {
    for (const auto& [attribute, value] : o->at)
      for (const Ref& link : value.links)
        if (link->kind == kTensor) tensors[IdOf(*link)] = link.get();
    made[IdOf(ResultOf(*o))] = true;
  }
  HostWork& work = HostWork::On(handle.stream);
  std::vector<Memory> memory;
  std::vector<char*> addresses;
  Elements numbers;
  size_t given = 0;
  for (const auto& [id, tensor] : tensors) {
    if (tensor->One<char>(907)) continue;
    const auto at = std::find(ids.begin(), ids.end(), id);
    if (at == ids.end()) return Refuse(kBad, "a tensor without an address");
    char* const p = pointers[static_cast<size_t>(at - ids.begin())];
    if (!p || reinterpret_cast<uintptr_t>(p) % static_cast<uintptr_t>(tensor->One<int64_t>(900)))
      return Refuse(kBad, "a tensor that is less aligned than was promised");
    ++given;
    if (tensor->One<char>(908)) {
      numbers[id] = {Load(Real::k32, p)};
      continue;
    }
    const size_t span = SpanOf(*tensor);
    if (made[id] && span != CountOf(*tensor) * SizeOf(RealOf(tensor->One<int>(901))))
      return Refuse(kNotSupported, "a result with gaps");
    memory.push_back({tensor, made[id] ? work.Room(span) : work.Read(p, span), span, made[id]});
    addresses.push_back(p);
  }
  if (given != ids.size()) return Refuse(kBad, "more addresses than tensors");
  if (const int64_t bytes = kWorkspace[engine]; bytes) {
    const auto n = static_cast<size_t>(bytes);
    if (!workspace || DRIVER(cuMemsetD8Async)(reinterpret_cast<CUdeviceptr>(workspace), 0xa5, n, handle.stream))
      return Refuse(kFailed, "a workspace that is too small or none");
  }
  work.Do([graph, memory, numbers] {
    Elements e = numbers;
    for (const Memory& m : memory)
      if (!m.result) m.All(e[IdOf(*m.tensor)], false);
    for (const Ref& o : graph->at.at(801).links) Compute(*o, e);
    for (const Memory& m : memory)
      if (m.result) m.All(e[IdOf(*m.tensor)], true);
  });
  for (size_t k = 0; k < memory.size(); ++k)
    if (memory[k].result) work.Write(addresses[k], memory[k].copy, memory[k].bytes);
  const State& first = *operations[0];
  Log("execute " + std::to_string(first.kind) + " type " + std::to_string(memory[0].tensor->One<int>(901)) + " axes " +
      std::to_string(Dims(ResultOf(first)).size() - 2) + " engine " + std::to_string(engine));
  return work.End() ? kSuccess : Refuse(kFailed, "memory that cannot be read or written");
}

}  // namespace

extern "C" {
#define FAKEDNN_API __attribute__((visibility("default")))
FAKEDNN_API size_t cudnnGetVersion() { return 91900; }
FAKEDNN_API void cudnnGetLastErrorString(char* text, size_t most) {
  if (most) text[Last().copy(text, most - 1)] = 0;
}
FAKEDNN_API int cudnnCreate(Handle** handle) {
  if (Fails("create")) return kFailed;
  CUcontext now = nullptr;
  DRIVER(cuCtxGetCurrent)(&now);
  if (!now) return Refuse(kBad, "cudnnCreate without a current device");
  *handle = new Handle{now};
  Log("create");
  return kSuccess;
}
FAKEDNN_API int cudnnSetStream(Handle* handle, CUstream stream) {
  handle->stream = stream;
  return kSuccess;
}
FAKEDNN_API int cudnnBackendCreateDescriptor(int kind, Descriptor** descriptor) {
  if (AttributesOf(static_cast<Kind>(kind)).empty() && kind != kConfig && kind != kEngine)
    return Refuse(kNotSupported, "a descriptor of an unknown kind " + std::to_string(kind));
  *descriptor = new Descriptor{std::make_shared<State>(State{static_cast<Kind>(kind), false, {}, -1, {}})};
  return kSuccess;
}
FAKEDNN_API int cudnnBackendDestroyDescriptor(Descriptor* descriptor) {
  delete descriptor;
  return kSuccess;
}
FAKEDNN_API int cudnnBackendSetAttribute(Descriptor* descriptor, int attribute, int type, int64_t count,
                                         const void* values) {
  State& s = *descriptor->state;
  const auto& known = AttributesOf(s.kind);
  const auto it = known.find(attribute);
  const std::string name = std::to_string(attribute) + " of a descriptor of kind " + std::to_string(s.kind);
  if (it == known.end()) return Refuse(kBad, "an unknown attribute " + name);
  const Attribute& a = it->second;
  if (s.final) return Refuse(kBad, "a finished descriptor that is changed");
  if (type != a.type) return Refuse(kBad, "another type of attribute " + name);
  if (!values || count < a.least || count > a.most) return Refuse(kBad, "too few or too many of attribute " + name);
  Value v;
  if (a.type == kLink) {
    for (int64_t k = 0; k < count; ++k) {
      const State& to = *static_cast<Descriptor* const*>(values)[k]->state;
      const bool fits = a.of == kForward ? IsOperation(to.kind) : to.kind == a.of;
      if (!to.final) return Refuse(kNotFinal, "a descriptor that is not finished, as attribute " + name);
      if (!fits) return Refuse(kBad, "a descriptor of another kind as attribute " + name);
      v.links.push_back(static_cast<Descriptor* const*>(values)[k]->state);
    }
  } else {
    const auto* from = static_cast<const char*>(values);
    v.bytes.assign(from, from + static_cast<size_t>(count) * WidthOf(a.type));
  }
  s.at[attribute] = v;
  return kSuccess;
}
FAKEDNN_API int cudnnBackendFinalize(Descriptor* descriptor) {
  State& s = *descriptor->state;
  if (s.final) return Refuse(kBad, "a descriptor that is finished twice");
  for (const auto& [attribute, a] : AttributesOf(s.kind))
    if (a.needed && !s.at.count(attribute))
      return Refuse(kBad,
                    "no attribute " + std::to_string(attribute) + " of a descriptor of kind " + std::to_string(s.kind));
  int status = kSuccess;
  switch (s.kind) {
    case kTensor: status = CheckTensor(s); break;
    case kConvolution: status = CheckConvolution(s); break;
    case kForward:
    case kData:
    case kFilter: status = CheckOperation(s); break;
    case kReshape: status = CheckReshape(s); break;
    case kHeuristic:
      if (const int mode = s.One<int>(200); mode != 3 && mode != 2)
        status = Refuse(kBad, "an unknown kind of heuristic");
      break;
    case kPlan:
      if (Fails("finalize") || s.Of(401).engine == kGivesUp) return kNotSupported;
      if (s.Of(401).graph->One<const void*>(800) != s.One<const void*>(400)) status = Refuse(kBad, "two handles");
      Log("plan");
      break;
    case kPack:
      if (s.All<int64_t>(1000).size() != s.All<void*>(1001).size()) status = Refuse(kBad, "numbers without addresses");
      break;
    default: status = Refuse(kBad, "a descriptor that is not finished so"); break;
    case kGraph:
    case kPointwise:
    case kProduct:
    case kProductOf:
    case kReduction:
    case kReductionOf:
    case kPointwiseOf: break;
  }
  s.final = status == kSuccess;
  return status;
}
FAKEDNN_API int cudnnBackendGetAttribute(Descriptor* descriptor, int attribute, int type, int64_t most, int64_t* count,
                                         void* values) {
  const State& s = *descriptor->state;
  if (!s.final) return Refuse(kNotFinal, "an attribute of a descriptor that is not finished");
  const auto give = [&](int64_t k, Kind kind, int engine, const Ref& graph) {
    State& to = *static_cast<Descriptor**>(values)[k]->state;
    if (to.kind != kind || to.final) return Refuse(kBad, "a result in a descriptor of another kind, or a used one");
    to.engine = engine, to.graph = graph, to.final = true;
    return int{kSuccess};
  };
  if (s.kind == kHeuristic && attribute == 202 && type == kLink) {
    // The fallback knows the last alone.
    const int first = s.One<int>(200) == 2 ? kAll - 1 : 0;
    *count = std::min<int64_t>(most, kAll - first);
    for (int64_t k = 0; k < *count; ++k)
      if (const int bad = give(k, kConfig, first + static_cast<int>(k), s.at.at(201).links[0])) return bad;
    return kSuccess;
  }
  if (s.kind == kConfig && attribute == 300 && type == kLink && most == 1) {
    *count = 1;
    return give(0, kEngine, s.engine, s.graph);
  }
  if (s.kind == kEngine && attribute == 1303 && type == kNote) {
    const int notes[] = {s.engine == 0 ? 4 : 0};
    *count = s.engine < 2;
    if (most < *count) return Refuse(kBad, "room for fewer notes than there are");
    std::memcpy(values, notes, static_cast<size_t>(*count) * sizeof(int));
    return kSuccess;
  }
  if (s.kind == kPlan && attribute == 402 && type == kInt64 && most == 1) {
    *count = 1;
    std::memcpy(values, &kWorkspace[s.Of(401).engine], sizeof(int64_t));
    return kSuccess;
  }
  return Refuse(kBad, "an unknown attribute " + std::to_string(attribute) + " that is asked for");
}
FAKEDNN_API int cudnnBackendExecute(Handle* handle, Descriptor* plan, Descriptor* pack) {
  if (plan->state->kind != kPlan || !plan->state->final || pack->state->kind != kPack || !pack->state->final)
    return Refuse(kNotFinal, "a plan or addresses that are not finished");
  CUcontext now = nullptr;
  DRIVER(cuCtxGetCurrent)(&now);
  if (now != handle->context) return Refuse(kBad, "a plan that is run while another device is current");
  if (Fails("execute")) return kFailed;
  return Execute(*handle, *plan->state, *pack->state);
}
}
