// SPDX-License-Identifier: Apache-2.0
// Comparisons, to predicates and registers, and tests of floating-point values.
#include "device/fakecuda/decode.h"
#include "device/fakecuda/lanes.h"

namespace fakecuda {
namespace {

enum Comparison : uint8_t { kEq, kNe, kLt, kLe, kGt, kGe, kEqu, kNeu, kLtu, kLeu, kGtu, kGeu, kNum, kNan };

template <class T>
uint32_t Compare(Comparison op, const T* a, const T* b) {
  switch (op) {
    case kEq: return Bits([&](int l) { return a[l] == b[l]; });
    case kNe: return Bits([&](int l) { return a[l] < b[l] || a[l] > b[l]; });
    case kLt: return Bits([&](int l) { return a[l] < b[l]; });
    case kLe: return Bits([&](int l) { return a[l] <= b[l]; });
    case kGt: return Bits([&](int l) { return a[l] > b[l]; });
    case kGe: return Bits([&](int l) { return a[l] >= b[l]; });
    case kEqu: return Bits([&](int l) { return !(a[l] < b[l] || a[l] > b[l]); });
    case kNeu: return Bits([&](int l) { return a[l] != b[l]; });
    case kLtu: return Bits([&](int l) { return !(a[l] >= b[l]); });
    case kLeu: return Bits([&](int l) { return !(a[l] > b[l]); });
    case kGtu: return Bits([&](int l) { return !(a[l] <= b[l]); });
    case kGeu: return Bits([&](int l) { return !(a[l] < b[l]); });
    case kNum: return Bits([&](int l) { return a[l] == a[l] && b[l] == b[l]; });
    case kNan: return Bits([&](int l) { return a[l] != a[l] || b[l] != b[l]; });
  }
  return 0;
}

template <class T>
uint32_t CompareSlots(Warp& w, const Instr& i) {
  const T *a = w.R<T>(i.a), *b = w.R<T>(i.b);
  const auto op = static_cast<Comparison>(i.op);
  if constexpr (kHalf<T>) {
    float x[kLanes], y[kLanes];
    for (int l = 0; l < kLanes; ++l) x[l] = static_cast<float>(a[l]), y[l] = static_cast<float>(b[l]);
    return Compare(op, x, y);
  } else if constexpr (std::is_same_v<T, float>) {
    if (i.flags & kFtz) {
      float x[kLanes], y[kLanes];
      for (int l = 0; l < kLanes; ++l) x[l] = Flush(a[l]), y[l] = Flush(b[l]);
      return Compare(op, x, y);
    }
    return Compare(op, a, b);
  } else {
    return Compare(op, a, b);
  }
}

// count: 0 alone, 1 and, 2 or, 3 xor with the predicate c. reg_bytes: 0 a predicate d and its complement e, else the
// width of set's result, bytes: 1 where that is a float.
template <class T>
void Setp(Warp& w, const Instr& i, uint32_t m) {
  uint32_t p = CompareSlots<T>(w, i), q = ~p;
  if (i.count) {
    const uint32_t c = w.P(i.c) ^ (i.imm ? kAllLanes : 0);
    const auto join = [&](uint32_t v) { return i.count == 1 ? v & c : i.count == 2 ? v | c : v ^ c; };
    p = join(p), q = join(q);
  }
  if (i.reg_bytes == 0) {
    w.SetP(i.d, p, m);
    if (i.e != kNoSlot) w.SetP(i.e, q, m);
    return;
  }
  uint32_t r[kLanes];
  for (int l = 0; l < kLanes; ++l) r[l] = (p >> l) & 1 ? (i.bytes ? 0x3f800000u : ~0u) : 0;
  Put(w.R<uint32_t>(i.d), r, m);
}

Handler SetpOf(Type t) {
  switch (t) {
    case Type::kU16: return &Setp<uint16_t>;
    case Type::kS16: return &Setp<int16_t>;
    case Type::kU32: return &Setp<uint32_t>;
    case Type::kS32: return &Setp<int32_t>;
    case Type::kU64: return &Setp<uint64_t>;
    case Type::kS64: return &Setp<int64_t>;
    case Type::kF16: return &Setp<F16>;
    case Type::kBF16: return &Setp<BF16>;
    case Type::kF32: return &Setp<float>;
    case Type::kF64: return &Setp<double>;
    default: return nullptr;
  }
}

void Comparisons(Decoder& d, bool predicate) {
  static const std::map<std::string, Comparison> names = {
      {"eq", kEq},   {"ne", kNe},   {"lt", kLt},   {"le", kLe},   {"gt", kGt},   {"ge", kGe},
      {"lo", kLt},   {"ls", kLe},   {"hi", kGt},   {"hs", kGe},   {"equ", kEqu}, {"neu", kNeu},
      {"ltu", kLtu}, {"leu", kLeu}, {"gtu", kGtu}, {"geu", kGeu}, {"num", kNum}, {"nan", kNan}};
  const Statement& s = d.at();
  const auto it = s.op.size() > 1 ? names.find(s.op[1]) : names.end();
  if (it == names.end()) d.Unknown();
  const Type t = d.LastType();
  Instr in;
  in.cls = Class::kCompare;
  in.op = it->second;
  in.run = SetpOf(t);
  if (!in.run) d.Unknown();
  if (d.Has("ftz")) in.flags = kFtz;
  in.count = d.Has("and") ? 1 : d.Has("or") ? 2 : d.Has("xor") ? 3 : 0;
  in.a = d.Slot(1, t);
  in.b = d.Slot(2, t);
  if (in.count) {
    bool negated = false;
    in.c = d.Predicate(d.Arg(3), &negated);
    in.imm = negated;
  }
  if (predicate) {
    const Operand& to = d.Arg(0);
    in.d = d.Predicate(to.kind == Operand::kVector ? to.parts[0] : to);
    if (to.kind == Operand::kVector) in.e = d.Predicate(to.parts[1]);
  } else {
    const Type result = d.TypePart(0);
    if (BytesOf(result) != 4) d.Unknown();
    in.reg_bytes = 4;
    in.bytes = result == Type::kF32;
    in.d = d.Slot(size_t{0}, result);
  }
  d.Emit(in);
}

// op: 0 finite, 1 infinite, 2 number, 3 notanumber, 4 normal, 5 subnormal.
template <class T>
void Testp(Warp& w, const Instr& i, uint32_t m) {
  const T* a = w.R<T>(i.a);
  w.SetP(i.d, Bits([&](int l) {
           const int kind = std::fpclassify(a[l]);
           switch (i.op) {
             case 0: return kind != FP_INFINITE && kind != FP_NAN;
             case 1: return kind == FP_INFINITE;
             case 2: return kind != FP_NAN;
             case 3: return kind == FP_NAN;
             case 4: return kind == FP_NORMAL;
             default: return kind == FP_SUBNORMAL;
           }
         }),
         m);
}

void TestpOp(Decoder& d) {
  static const std::map<std::string, uint8_t> names = {{"finite", 0},     {"infinite", 1}, {"number", 2},
                                                       {"notanumber", 3}, {"normal", 4},   {"subnormal", 5}};
  const auto it = names.find(d.at().op.size() > 1 ? d.at().op[1] : "");
  const Type t = d.LastType();
  if (it == names.end() || (t != Type::kF32 && t != Type::kF64)) d.Unknown();
  Instr in;
  in.cls = Class::kCompare;
  in.op = it->second;
  in.d = d.Predicate(d.Arg(0));
  in.a = d.Slot(1, t);
  in.run = t == Type::kF32 ? &Testp<float> : &Testp<double>;
  d.Emit(in);
}

}  // namespace

const std::map<std::string, OpDecoder>& CompareOps() {
  static const std::map<std::string, OpDecoder> ops = {{"testp", TestpOp},
                                                       {"setp", [](Decoder& d) { Comparisons(d, true); }},
                                                       {"set", [](Decoder& d) { Comparisons(d, false); }}};
  return ops;
}

}  // namespace fakecuda
