// SPDX-License-Identifier: Apache-2.0
// Loads, stores, atomic operations and asynchronous copies to shared memory.
#include <algorithm>
#include <bit>

#include "device/fakecuda/access.h"
#include "device/fakecuda/decode.h"
#include "device/fakecuda/lanes.h"

namespace fakecuda {
namespace {

template <int kBytes>
using UInt =
    std::conditional_t<kBytes == 1, uint8_t,
                       std::conditional_t<kBytes == 2, uint16_t, std::conditional_t<kBytes == 4, uint32_t, uint64_t>>>;

// Where one value of each lane lies, stride bytes apart, as registers of Reg.
template <class Mem, class Reg, bool kSigned>
void Gather(Warp& w, uint32_t slot, uint32_t m, const Lanes& lanes, size_t offset) {
  Reg r[kLanes] = {};
  for (uint32_t rest = m; rest; rest &= rest - 1) {
    const int l = std::countr_zero(rest);
    Mem v;
    std::memcpy(&v, lanes.host[l] + offset, sizeof(Mem));
    r[l] = kSigned ? static_cast<Reg>(static_cast<std::make_signed_t<Mem>>(v)) : static_cast<Reg>(v);
  }
  Put(w.R<Reg>(slot), r, m);
}

template <int kBytes, int kReg>
void Load(Warp& w, const Instr& in, uint32_t m) {
  using Mem = UInt<kBytes>;
  using Reg = UInt<kReg>;
  if (in.space == Space::kParam && in.a == kNoSlot) {
    const auto& params = w.launch->params;
    for (size_t k = 0; k < in.count; ++k) {
      const size_t at = static_cast<size_t>(in.imm) + k * kBytes;
      if (at + kBytes > params.size()) w.Fail(1, std::countr_zero(m), "read outside the parameters");
      Mem v;
      std::memcpy(&v, params.data() + at, kBytes);
      const Reg value =
          in.flags & kSignExtend ? static_cast<Reg>(static_cast<std::make_signed_t<Mem>>(v)) : static_cast<Reg>(v);
      Reg r[kLanes];
      std::fill_n(r, kLanes, value);
      Put(w.R<Reg>(in.list[k]), r, m);
    }
    return;
  }
  Lanes lanes;
  Addresses(w, in, lanes);
  Check(w, in, m, static_cast<uint32_t>(kBytes) * in.count, Touch::kRead, lanes);
  if (lanes.adjacent && in.count == 1 && kBytes == kReg) {
    std::memcpy(w.R<Reg>(in.list[0]), lanes.host[0], size_t{kBytes} * kLanes);
    return;
  }
  for (size_t k = 0; k < in.count; ++k) {
    if (in.flags & kSignExtend)
      Gather<Mem, Reg, true>(w, in.list[k], m, lanes, k * kBytes);
    else
      Gather<Mem, Reg, false>(w, in.list[k], m, lanes, k * kBytes);
  }
}

template <int kBytes, int kReg>
void Store(Warp& w, const Instr& in, uint32_t m) {
  using Mem = UInt<kBytes>;
  Lanes lanes;
  Addresses(w, in, lanes);
  const size_t each = size_t{kBytes} * in.count;
  alignas(64) uint8_t values[kLanes * 16];
  for (size_t k = 0; k < in.count; ++k) {
    const UInt<kReg>* from = w.R<UInt<kReg>>(in.list[k]);
    for (int l = 0; l < kLanes; ++l) {
      const Mem v = static_cast<Mem>(from[l]);
      std::memcpy(values + static_cast<size_t>(l) * each + k * kBytes, &v, kBytes);
    }
  }
  Check(w, in, m, static_cast<uint32_t>(each), Touch::kWrite, lanes, values);
  if (lanes.adjacent) {
    std::memcpy(lanes.host[0], values, each * kLanes);
    return;
  }
  for (uint32_t rest = m; rest; rest &= rest - 1) {
    const int l = std::countr_zero(rest);
    std::memcpy(lanes.host[l], values + static_cast<size_t>(l) * each, each);
  }
}

template <int kBytes>
Handler AccessOf(bool load, int reg) {
  if constexpr (kBytes <= 2) {
    if (reg == 2) return load ? &Load<kBytes, 2> : &Store<kBytes, 2>;
  }
  if constexpr (kBytes <= 4) {
    if (reg == 4) return load ? &Load<kBytes, 4> : &Store<kBytes, 4>;
  }
  if (reg == 8) return load ? &Load<kBytes, 8> : &Store<kBytes, 8>;
  return nullptr;
}

Space SpaceOf(const Decoder& d) {
  if (d.Has("global")) return Space::kGlobal;
  if (d.Has("shared") || d.Has("shared::cta")) return Space::kShared;
  if (d.Has("local")) return Space::kLocal;
  if (d.Has("const")) return Space::kConst;
  if (d.Has("param")) return Space::kParam;
  return Space::kGeneric;
}

uint8_t Ordering(const Decoder& d) {
  return d.Has("volatile") || d.Has("relaxed") || d.Has("acquire") || d.Has("release") ? kVolatile : 0;
}

void LoadStore(Decoder& d, bool load) {
  const Type t = d.LastType();
  Instr in;
  in.cls = load ? Class::kLoad : Class::kStore;
  in.space = SpaceOf(d);
  in.flags = Ordering(d);
  if (load && IsSigned(t)) in.flags |= kSignExtend;
  d.Address(d.Arg(load ? 1 : 0), in);
  const Operand& values = d.Arg(load ? 0 : 1);
  const bool vector = values.kind == Operand::kVector;
  const size_t n = vector ? values.parts.size() : 1;
  const size_t stated = d.Has("v2") ? 2 : d.Has("v4") ? 4 : d.Has("v8") ? 8 : 1;
  const int bytes = BytesOf(t);
  if (n != stated || bytes == 0 || n * static_cast<size_t>(bytes) > 16) d.Unknown();
  std::vector<uint32_t> slots;
  int reg = 0;
  for (size_t k = 0; k < n; ++k) {
    const Operand& o = vector ? values.parts[k] : values;
    const int have = d.RegisterBytes(o);
    const int width = have > 0 ? have : o.kind == Operand::kSink || !load ? std::max(bytes, 2) : 0;
    if (width == 0 || (reg != 0 && width != reg && have > 0) || width < bytes)
      d.Fail("expected registers of one width of at least " + std::to_string(8 * bytes) + " bits in '" + d.at().text +
             "'");
    reg = have > 0 || reg == 0 ? width : reg;
  }
  for (size_t k = 0; k < n; ++k) {
    const Operand& o = vector ? values.parts[k] : values;
    const Type as = reg == 2   ? Type::kU16
                    : reg == 4 ? (IsFloat(t) ? Type::kF32 : Type::kU32)
                               : (IsFloat(t) ? Type::kF64 : Type::kU64);
    slots.push_back(d.Slot(o, as));
  }
  in.list = d.List(slots);
  in.count = static_cast<uint8_t>(n);
  in.run = bytes == 1   ? AccessOf<1>(load, reg)
           : bytes == 2 ? AccessOf<2>(load, reg)
           : bytes == 4 ? AccessOf<4>(load, reg)
                        : AccessOf<8>(load, reg);
  if (!in.run) d.Unknown();
  d.Emit(in);
}

enum AtomicOp : uint8_t { kAdd, kMin, kMax, kAnd, kOr, kXor, kExch, kCas, kInc, kDec };

// The new value for the old one.
template <class T>
T Next(AtomicOp op, T old, T b, T c) {
  if constexpr (kHalf<T>) {
    const float x = static_cast<float>(old), y = static_cast<float>(b);
    switch (op) {
      case kAdd: return FromFloat<T>(x + y);
      case kMin: return FromFloat<T>(std::fmin(x, y));
      case kMax: return FromFloat<T>(std::fmax(x, y));
      default: return b;
    }
  } else if constexpr (std::is_floating_point_v<T>) {
    return op == kAdd ? old + b : b;
  } else {
    switch (op) {
      case kAdd: return old + b;
      case kMin: return std::min(old, b);
      case kMax: return std::max(old, b);
      case kAnd: return old & b;
      case kOr: return old | b;
      case kXor: return old ^ b;
      case kExch: return b;
      case kCas: return old == b ? c : old;
      case kInc: return old >= b ? T(0) : static_cast<T>(old + 1);
      case kDec: return old == 0 || old > b ? b : static_cast<T>(old - 1);
    }
    return b;
  }
}

// T: of the value; Word: of the memory, of one or two values.
template <class T, class Word>
void Atomic(Warp& w, const Instr& in, uint32_t m) {
  Lanes lanes;
  Addresses(w, in, lanes);
  Check(w, in, m, sizeof(Word), Touch::kAtomic, lanes);
  const Word* b = w.R<Word>(in.b);
  const Word* c = in.c == kNoSlot ? b : w.R<Word>(in.c);
  Word r[kLanes] = {};
  for (uint32_t rest = m; rest; rest &= rest - 1) {
    const int l = std::countr_zero(rest);
    auto* word = reinterpret_cast<Word*>(lanes.host[l]);
    Word old = __atomic_load_n(word, __ATOMIC_RELAXED), next;
    do {
      T parts[3][sizeof(Word) / sizeof(T)];
      std::memcpy(parts[0], &old, sizeof(Word));
      std::memcpy(parts[1], b + l, sizeof(Word));
      std::memcpy(parts[2], c + l, sizeof(Word));
      for (size_t k = 0; k < sizeof(Word) / sizeof(T); ++k)
        parts[0][k] = Next(static_cast<AtomicOp>(in.op), parts[0][k], parts[1][k], parts[2][k]);
      std::memcpy(&next, parts[0], sizeof(Word));
    } while (!__atomic_compare_exchange_n(word, &old, next, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
    r[l] = old;
  }
  if (in.d != kNoSlot) Put(w.R<Word>(in.d), r, m);
}

void AtomicDecode(Decoder& d, bool returns) {
  static const std::map<std::string, AtomicOp> names = {{"add", kAdd}, {"min", kMin}, {"max", kMax},   {"and", kAnd},
                                                        {"or", kOr},   {"xor", kXor}, {"exch", kExch}, {"cas", kCas},
                                                        {"inc", kInc}, {"dec", kDec}};
  const Type t = d.LastType();
  Instr in;
  in.cls = Class::kAtomic;
  in.op = 255;
  for (const auto& [name, op] : names) in.op = d.Has(name.c_str()) ? static_cast<uint8_t>(op) : in.op;
  in.space = SpaceOf(d);
  if (in.op == 255 || d.Has("v2") || d.Has("v4") ||
      (IsFloat(t) && in.op != kAdd && BytesOf(t) > 2 && t != Type::kF16x2 && t != Type::kBF16x2))
    d.Unknown();
  const size_t first = returns ? 1 : 0;
  if (returns) in.d = d.Slot(size_t{0}, t);
  d.Address(d.Arg(first), in);
  in.b = d.Slot(first + 1, t);
  if (in.op == kCas) in.c = d.Slot(first + 2, t);
  switch (t) {
    case Type::kU16: in.run = in.op == kCas || in.op == kExch ? &Atomic<uint16_t, uint16_t> : nullptr; break;
    case Type::kU32: in.run = &Atomic<uint32_t, uint32_t>; break;
    case Type::kS32: in.run = &Atomic<int32_t, uint32_t>; break;
    case Type::kU64: in.run = &Atomic<uint64_t, uint64_t>; break;
    case Type::kS64: in.run = &Atomic<int64_t, uint64_t>; break;
    case Type::kF16: in.run = &Atomic<F16, uint16_t>; break;
    case Type::kBF16: in.run = &Atomic<BF16, uint16_t>; break;
    case Type::kF16x2: in.run = &Atomic<F16, uint32_t>; break;
    case Type::kBF16x2: in.run = &Atomic<BF16, uint32_t>; break;
    case Type::kF32: in.run = &Atomic<float, uint32_t>; break;
    case Type::kF64: in.run = &Atomic<double, uint64_t>; break;
    default: d.Unknown();
  }
  if (!in.run) d.Unknown();
  d.Emit(in);
}

// d: shared address, a: global address, bytes: copied, e: how many of them come from memory; the rest is zero.
void CopyAsync(Warp& w, const Instr& in, uint32_t m) {
  if (w.copies.empty()) w.copies.emplace_back();
  Lanes lanes;
  Addresses(w, in, lanes);
  for (uint32_t rest = m; rest; rest &= rest - 1) {
    const int l = std::countr_zero(rest);
    const uint32_t to = in.count == 4 ? w.R<uint32_t>(in.d)[l] : static_cast<uint32_t>(w.R<uint64_t>(in.d)[l]);
    const uint32_t n = in.e == kNoSlot ? in.bytes : std::min<uint32_t>(w.R<uint32_t>(in.e)[l], in.bytes);
    w.copies.back().push_back({to + static_cast<uint32_t>(in.target), lanes.address[l], in.bytes,
                               static_cast<uint8_t>(n), static_cast<uint8_t>(l), in.line});
  }
}

void Finish(Warp& w, const Instr& in, size_t groups) {
  for (size_t g = 0; g < groups; ++g) {
    for (const PendingCopy& copy : w.copies[g]) {
      Lanes lanes;
      const uint32_t lane = 1u << copy.lane;
      uint8_t value[16] = {};
      if (copy.copied) {
        lanes.address[copy.lane] = copy.global;
        std::fill_n(lanes.address, kLanes, copy.global);
        // The request is as wide as the copy; what src-size leaves out is not read.
        CheckSpace(w, in, Space::kGlobal, lane, copy.copied, Touch::kRead, lanes);
        std::memcpy(value, lanes.host[copy.lane], copy.copied);
      }
      uint8_t values[kLanes * 16];
      std::memcpy(values + size_t{copy.lane} * copy.bytes, value, copy.bytes);
      std::fill_n(lanes.address, kLanes, uint64_t{copy.shared});
      CheckSpace(w, in, Space::kShared, lane, copy.bytes, Touch::kWrite, lanes, values);
      std::memcpy(lanes.host[copy.lane], value, copy.bytes);
    }
  }
  w.copies.erase(w.copies.begin(), w.copies.begin() + static_cast<std::ptrdiff_t>(groups));
}

void CopyDecode(Decoder& d) {
  Instr in;
  in.cls = Class::kLoad;
  if (d.Has("commit_group")) {
    in.run = [](Warp& w, const Instr&, uint32_t) { w.copies.emplace_back(); };
  } else if (d.Has("wait_group") || d.Has("wait_all")) {
    in.imm = d.Has("wait_all") ? -1 : static_cast<int64_t>(d.Arg(0).bits);
    in.run = [](Warp& w, const Instr& i, uint32_t) {
      const size_t n = w.copies.size();
      const size_t keep = i.imm < 0 ? 0 : static_cast<size_t>(i.imm) + 1;  // and the open group
      if (n > keep) Finish(w, i, n - keep);
    };
  } else {
    if (d.Has("bulk") || d.Has("mbarrier") || !d.Has("global")) d.Unknown();
    in.space = Space::kGlobal;
    d.Address(d.Arg(1), in);
    Instr to;
    to.space = Space::kShared;
    d.Address(d.Arg(0), to);
    in.target = static_cast<uint32_t>(to.imm);
    in.count = 4;
    in.d = to.a;
    if (to.a == kNoSlot)
      in.d = d.Constant(0, 4);
    else
      in.count = to.reg_bytes;
    in.bytes = static_cast<uint8_t>(d.Arg(2).bits);
    if (d.Arg(2).kind != Operand::kImmediate || (in.bytes != 4 && in.bytes != 8 && in.bytes != 16)) d.Unknown();
    if (d.Args() > 3) in.e = d.Slot(3, Type::kU32);
    in.run = &CopyAsync;
  }
  d.Emit(in);
}

void Nothing(Decoder&) {}

}  // namespace

const std::map<std::string, OpDecoder>& MemoryOps() {
  static const std::map<std::string, OpDecoder> ops = {
      {"ld", [](Decoder& d) { LoadStore(d, true); }},
      {"ldu", [](Decoder& d) { LoadStore(d, true); }},
      {"st", [](Decoder& d) { LoadStore(d, false); }},
      {"atom", [](Decoder& d) { AtomicDecode(d, true); }},
      {"red", [](Decoder& d) { AtomicDecode(d, false); }},
      {"cp", [](Decoder& d) { d.Has("async") ? CopyDecode(d) : d.Unknown(); }},
      {"prefetch", Nothing},
      {"prefetchu", Nothing},
      {"discard", Nothing},
  };
  return ops;
}

}  // namespace fakecuda
