// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "device/fakecuda/decode.h"
#include "device/fakecuda/lanes.h"

namespace fakecuda {
namespace {

template <class T>
using Wide =
    std::conditional_t<sizeof(T) == 2, std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>,
                       std::conditional_t<sizeof(T) == 4, std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>,
                                          std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>>>;
// Integers wrap; the unsigned type of 32 bits at least avoids promotion to int.
template <class T>
using Wrap = std::conditional_t<kFloating<T>, T, std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>>;
template <class T>
constexpr Wrap<T> W(T v) {
  return static_cast<Wrap<T>>(v);
}

struct Add {
  template <class T>
  static T Do(T a, T b) {
    return static_cast<T>(W(a) + W(b));
  }
};
struct Sub {
  template <class T>
  static T Do(T a, T b) {
    return static_cast<T>(W(a) - W(b));
  }
};
struct Mul {
  template <class T>
  static T Do(T a, T b) {
    return static_cast<T>(W(a) * W(b));
  }
};
struct MulHi {
  template <class T>
  static T Do(T a, T b) {
    return static_cast<T>((Wide<T>(a) * Wide<T>(b)) >> (8 * sizeof(T)));
  }
};
struct MadLo {
  template <class T>
  static T Do(T a, T b, T c) {
    return static_cast<T>(W(a) * W(b) + W(c));
  }
};
struct MadHi {
  template <class T>
  static T Do(T a, T b, T c) {
    return static_cast<T>(W(MulHi::Do(a, b)) + W(c));
  }
};
struct Fma {
  template <class T>
  static T Do(T a, T b, T c) {
    return std::fma(a, b, c);
  }
};
struct Div {
  template <class T>
  static T Do(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      return a / b;
    } else {
      if (b == 0) return static_cast<T>(~T(0));
      if (std::is_signed_v<T> && b == static_cast<T>(-1)) return static_cast<T>(0 - W(a));
      return static_cast<T>(a / b);
    }
  }
};
struct Rem {
  template <class T>
  static T Do(T a, T b) {
    if (b == 0) return a;
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
    return static_cast<T>(a % b);
  }
};
struct AddSat {
  template <class T>
  static T Do(T a, T b) {
    return static_cast<T>(std::clamp<int64_t>(int64_t{a} + b, INT32_MIN, INT32_MAX));
  }
};
struct SubSat {
  template <class T>
  static T Do(T a, T b) {
    return static_cast<T>(std::clamp<int64_t>(int64_t{a} - b, INT32_MIN, INT32_MAX));
  }
};
struct Sad {
  template <class T>
  static T Do(T a, T b, T c) {
    return static_cast<T>(W(c) + (a < b ? W(b) - W(a) : W(a) - W(b)));
  }
};
struct Abs {
  template <class T>
  static T Do(T a) {
    return a < 0 ? static_cast<T>(0 - W(a)) : a;
  }
};
struct Neg {
  template <class T>
  static T Do(T a) {
    return static_cast<T>(0 - W(a));
  }
};
template <bool kMax>
struct IntMinMax {
  template <class T>
  static T Do(T a, T b) {
    return kMax ? std::max(a, b) : std::min(a, b);
  }
};
template <bool kMax, bool kNan>
struct MinMax {
  template <class T>
  static T Do(T a, T b) {
    if (kNan && (a != a || b != b)) return std::numeric_limits<T>::quiet_NaN();
    if (a != a) return b;
    if (b != b) return a;
    if (a == b) return (std::signbit(a) != 0) == kMax ? b : a;
    return (a < b) == kMax ? b : a;
  }
};
struct Ex2 {
  template <class T>
  static T Do(T a) {
    return std::exp2(a);
  }
};
struct Lg2 {
  template <class T>
  static T Do(T a) {
    return std::log2(a);
  }
};
struct Rcp {
  template <class T>
  static T Do(T a) {
    return T(1) / a;
  }
};
struct Sqrt {
  template <class T>
  static T Do(T a) {
    return std::sqrt(a);
  }
};
struct Rsqrt {
  template <class T>
  static T Do(T a) {
    return static_cast<T>(1.0L / std::sqrt(static_cast<long double>(a)));
  }
};
template <>
inline float Rsqrt::Do(float a) {
  return static_cast<float>(1.0 / std::sqrt(static_cast<double>(a)));
}
struct Sin {
  template <class T>
  static T Do(T a) {
    return std::sin(a);
  }
};
struct Cos {
  template <class T>
  static T Do(T a) {
    return std::cos(a);
  }
};
struct Tanh {
  template <class T>
  static T Do(T a) {
    return std::tanh(a);
  }
};

// A fused multiply-add of halves: the exact product and sum, rounded to odd in double, then once to T.
template <class T>
T HalfFma(T a, T b, T c) {
  const double p = static_cast<double>(static_cast<float>(a)) * static_cast<double>(static_cast<float>(b));
  const double z = static_cast<float>(c), s = p + z;
  const double t = s - p, error = (p - (s - t)) + (z - t);
  double odd = s;
  if (error != 0 && std::isfinite(s) && !(std::bit_cast<uint64_t>(s) & 1)) {
    odd = std::bit_cast<double>(std::bit_cast<uint64_t>(s) + ((error > 0) == (s > 0) ? 1 : -1));
  }
  if constexpr (std::is_same_v<T, F16>) {
    return odd == odd ? static_cast<F16>(odd) : FromFloat<F16>(std::numeric_limits<float>::quiet_NaN());
  } else {
    // To odd in float as well: the low bits only say whether something was lost.
    float f = static_cast<float>(odd);
    if (std::isfinite(f) && static_cast<double>(f) != odd) {
      const uint32_t u = std::bit_cast<uint32_t>(f);
      const bool beyond = std::fabs(static_cast<double>(f)) > std::fabs(odd);
      const uint32_t toward = beyond ? u - 1 : u;
      f = std::bit_cast<float>(toward | 1);
    }
    return BF16(f);
  }
}

template <class T, bool kPair>
void FmaHalf(Warp& w, const Instr& i, uint32_t m) {
  constexpr int n = kPair ? 2 * kLanes : kLanes;
  const T *a = w.R<T>(i.a), *b = w.R<T>(i.b), *c = w.R<T>(i.c);
  alignas(64) T r[n];
  for (int l = 0; l < n; ++l) {
    r[l] = HalfFma(a[l], b[l], c[l]);
    if (i.flags & kSat) r[l] = FromFloat<T>(Saturate(static_cast<float>(r[l])));
    if ((i.flags & kNaN) && static_cast<float>(r[l]) < 0) r[l] = FromFloat<T>(0);
  }
  if constexpr (kPair)
    Put(w.R<uint32_t>(i.d), reinterpret_cast<const uint32_t*>(r), m);
  else
    Put(w.R<T>(i.d), r, m);
}

template <class F, class T>
void MulWide(Warp& w, const Instr& i, uint32_t m) {
  const T *a = w.R<T>(i.a), *b = w.R<T>(i.b);
  const Wide<T>* c = F::kAdd ? w.R<Wide<T>>(i.c) : nullptr;
  Wide<T> r[kLanes];
  for (int l = 0; l < kLanes; ++l) {
    r[l] = static_cast<Wide<T>>(a[l]) * static_cast<Wide<T>>(b[l]);
    if (F::kAdd) r[l] = static_cast<Wide<T>>(W(r[l]) + W(c[l]));
  }
  Put(w.R<Wide<T>>(i.d), r, m);
}
struct NoAdd {
  static constexpr bool kAdd = false;
};
struct WithAdd {
  static constexpr bool kAdd = true;
};

// add.cc, addc, sub.cc, subc, madc: op bit 0 takes the carry, bit 1 leaves one, bit 2 subtracts.
template <class T>
void Carry(Warp& w, const Instr& i, uint32_t m) {
  const T *a = w.R<T>(i.a), *b = w.R<T>(i.b);
  T r[kLanes];
  uint32_t out = 0;
  for (int l = 0; l < kLanes; ++l) {
    const unsigned __int128 in = (i.op & 1) ? (w.carry >> l) & 1 : 0;
    const unsigned __int128 v = (i.op & 4) ? static_cast<unsigned __int128>(a[l]) - b[l] - in
                                           : static_cast<unsigned __int128>(a[l]) + b[l] + in;
    r[l] = static_cast<T>(v);
    out |= static_cast<uint32_t>((v >> (8 * sizeof(T))) & 1) << l;
  }
  if (i.op & 2) w.carry = (w.carry & ~m) | (out & m);
  Put(w.R<T>(i.d), r, m);
}

// mad.lo.cc, madc.hi and the like; op bit 3 takes the high half of the product.
template <class T>
void MadCarry(Warp& w, const Instr& i, uint32_t m) {
  const T *a = w.R<T>(i.a), *b = w.R<T>(i.b), *c = w.R<T>(i.c);
  T r[kLanes];
  uint32_t out = 0;
  for (int l = 0; l < kLanes; ++l) {
    const T product = (i.op & 8) ? MulHi::Do<T>(a[l], b[l]) : Mul::Do<T>(a[l], b[l]);
    const unsigned __int128 v = static_cast<unsigned __int128>(product) + c[l] + ((i.op & 1) ? (w.carry >> l) & 1 : 0);
    r[l] = static_cast<T>(v);
    out |= static_cast<uint32_t>((v >> (8 * sizeof(T))) & 1) << l;
  }
  if (i.op & 2) w.carry = (w.carry & ~m) | (out & m);
  Put(w.R<T>(i.d), r, m);
}

uint8_t Mods(const Decoder& d) { return static_cast<uint8_t>((d.Has("ftz") ? kFtz : 0) | (d.Has("sat") ? kSat : 0)); }

int Rounding(const Decoder& d) {
  return d.Has("rz") ? FE_TOWARDZERO : d.Has("rm") ? FE_DOWNWARD : d.Has("rp") ? FE_UPWARD : FE_TONEAREST;
}

// Sets d, a, b, c from the first 1 + arity operands of one type.
Instr Uniform(Decoder& d, Type t, int arity, Class cls) {
  Instr in;
  in.cls = cls;
  in.flags = Mods(d);
  in.d = d.Slot(size_t{0}, t);
  in.a = d.Slot(1, t);
  if (arity > 1) in.b = d.Slot(2, t);
  if (arity > 2) in.c = d.Slot(3, t);
  if (d.Args() != static_cast<size_t>(arity) + 1)
    d.Fail("expected " + std::to_string(arity + 1) + " operands of '" + d.at().text + "'");
  return in;
}

template <class F, class T, int kArity, bool kMods>
constexpr Handler Elementwise() {
  if constexpr (kArity == 1)
    return &Unary<F, T, kMods>;
  else if constexpr (kArity == 2)
    return &Binary<F, T, kMods>;
  else
    return &Ternary<F, T, kMods>;
}

// A float opcode of any float type; Wide types only where kHalves.
template <class F, int kArity, bool kHalves = true>
void FloatOp(Decoder& d, Class cls = Class::kFloat) {
  const Type t = d.LastType();
  Instr in = Uniform(d, t, kArity, cls);
  const int rounding = Rounding(d);
  if (rounding != FE_TONEAREST) {
    if (t == Type::kF32) in.run = &Rounded<F, float, kArity>;
    if (t == Type::kF64) in.run = &Rounded<F, double, kArity>;
    in.imm = rounding;
  } else if (t == Type::kF32) {
    in.run = in.flags ? Elementwise<F, float, kArity, true>() : Elementwise<F, float, kArity, false>();
  } else if (t == Type::kF64) {
    in.run = in.flags ? Elementwise<F, double, kArity, true>() : Elementwise<F, double, kArity, false>();
  } else if constexpr (kHalves) {
    if (t == Type::kF16) in.run = Elementwise<F, F16, kArity, true>();
    if (t == Type::kBF16) in.run = Elementwise<F, BF16, kArity, true>();
    if (t == Type::kF16x2) in.run = &Packed<F, F16, kArity>;
    if (t == Type::kBF16x2) in.run = &Packed<F, BF16, kArity>;
  }
  if (!in.run) d.Unknown();
  d.Emit(in);
}

template <class F, int kArity>
void IntOp(Decoder& d, Class cls = Class::kInteger) {
  const Type t = d.LastType();
  Instr in = Uniform(d, t, kArity, cls);
  switch (t) {
    case Type::kU16: in.run = Elementwise<F, uint16_t, kArity, false>(); break;
    case Type::kS16: in.run = Elementwise<F, int16_t, kArity, false>(); break;
    case Type::kU32: in.run = Elementwise<F, uint32_t, kArity, false>(); break;
    case Type::kS32: in.run = Elementwise<F, int32_t, kArity, false>(); break;
    case Type::kU64: in.run = Elementwise<F, uint64_t, kArity, false>(); break;
    case Type::kS64: in.run = Elementwise<F, int64_t, kArity, false>(); break;
    default: d.Unknown();
  }
  d.Emit(in);
}

void CarryOp(Decoder& d, int op) {
  const Type t = d.LastType();
  if (d.Has("cc")) op |= 2;
  Instr in = Uniform(d, t, 2, Class::kInteger);
  in.op = static_cast<uint8_t>(op);
  in.run = BytesOf(t) == 4 ? &Carry<uint32_t> : BytesOf(t) == 8 ? &Carry<uint64_t> : nullptr;
  if (!in.run) d.Unknown();
  d.Emit(in);
}

template <class F, class Sat>
void AddLike(Decoder& d, int subtract) {
  const Type t = d.LastType();
  if (d.Has("cc")) return CarryOp(d, subtract);
  if (IsFloat(t)) return FloatOp<F, 2>(d);
  if (!d.Has("sat")) return IntOp<F, 2>(d);
  if (t != Type::kS32) d.Unknown();
  Instr in = Uniform(d, t, 2, Class::kInteger);
  in.run = &Binary<Sat, int32_t>;
  d.Emit(in);
}

void MulOp(Decoder& d) {
  const Type t = d.LastType();
  if (IsFloat(t)) return FloatOp<Mul, 2>(d);
  if (d.Has("lo")) return IntOp<Mul, 2>(d);
  if (d.Has("wide")) {
    const Type wide = BytesOf(t) == 2 ? Type::kU32 : Type::kU64;
    Instr in;
    in.cls = Class::kInteger;
    in.d = d.Slot(size_t{0}, wide);
    in.a = d.Slot(1, t);
    in.b = d.Slot(2, t);
    in.run = t == Type::kU16   ? &MulWide<NoAdd, uint16_t>
             : t == Type::kS16 ? &MulWide<NoAdd, int16_t>
             : t == Type::kU32 ? &MulWide<NoAdd, uint32_t>
             : t == Type::kS32 ? &MulWide<NoAdd, int32_t>
                               : nullptr;
    if (!in.run) d.Unknown();
    return d.Emit(in);
  }
  if (!d.Has("hi")) d.Unknown();
  IntOp<MulHi, 2>(d);
}

void HalfFmaOp(Decoder& d, Type t) {
  Instr in = Uniform(d, t, 3, Class::kFloat);
  if (d.Has("relu")) in.flags |= kNaN;
  in.run = t == Type::kF16     ? &FmaHalf<F16, false>
           : t == Type::kBF16  ? &FmaHalf<BF16, false>
           : t == Type::kF16x2 ? &FmaHalf<F16, true>
                               : &FmaHalf<BF16, true>;
  d.Emit(in);
}

void FmaOp(Decoder& d) {
  const Type t = d.LastType();
  if (t == Type::kF32 || t == Type::kF64) return FloatOp<Fma, 3, false>(d);
  if (!IsFloat(t)) d.Unknown();
  HalfFmaOp(d, t);
}

void MadOp(Decoder& d, bool carry_in) {
  const Type t = d.LastType();
  if (IsFloat(t)) return FmaOp(d);
  if (carry_in || d.Has("cc")) {
    Instr in = Uniform(d, t, 3, Class::kInteger);
    in.op = static_cast<uint8_t>((carry_in ? 1 : 0) | (d.Has("cc") ? 2 : 0) | (d.Has("hi") ? 8 : 0));
    in.run = t == Type::kU32 ? &MadCarry<uint32_t> : t == Type::kU64 ? &MadCarry<uint64_t> : nullptr;
    if (!in.run) d.Unknown();
    return d.Emit(in);
  }
  if (d.Has("lo")) return IntOp<MadLo, 3>(d);
  if (d.Has("hi")) return IntOp<MadHi, 3>(d);
  if (!d.Has("wide")) d.Unknown();
  const Type wide = BytesOf(t) == 2 ? Type::kU32 : Type::kU64;
  Instr in;
  in.cls = Class::kInteger;
  in.d = d.Slot(size_t{0}, wide);
  in.a = d.Slot(1, t);
  in.b = d.Slot(2, t);
  in.c = d.Slot(3, wide);
  in.run = t == Type::kU16   ? &MulWide<WithAdd, uint16_t>
           : t == Type::kS16 ? &MulWide<WithAdd, int16_t>
           : t == Type::kU32 ? &MulWide<WithAdd, uint32_t>
           : t == Type::kS32 ? &MulWide<WithAdd, int32_t>
                             : nullptr;
  if (!in.run) d.Unknown();
  d.Emit(in);
}

void DivOp(Decoder& d) {
  const Type t = d.LastType();
  if (t == Type::kF32 || t == Type::kF64)
    FloatOp<Div, 2, false>(d, Class::kDivision);
  else
    IntOp<Div, 2>(d, Class::kDivision);
}

template <bool kMax>
void MinMaxOp(Decoder& d) {
  if (!IsFloat(d.LastType())) return IntOp<IntMinMax<kMax>, 2>(d);
  if (d.Args() != 3 || d.Has("xorsign")) d.Unknown();
  if (d.Has("NaN"))
    FloatOp<MinMax<kMax, true>, 2>(d);
  else
    FloatOp<MinMax<kMax, false>, 2>(d);
}

template <class F>
void SpecialOp(Decoder& d) {
  FloatOp<F, 1>(d, Class::kSpecial);
}

template <class F>
void SignedOp(Decoder& d) {
  if (!IsSigned(d.LastType())) d.Unknown();
  IntOp<F, 1>(d);
}

}  // namespace

// abs and neg of floats touch the sign bit alone and stand with the operations on bits.
void IntegerAbs(Decoder& d) { SignedOp<Abs>(d); }
void IntegerNeg(Decoder& d) { SignedOp<Neg>(d); }

const std::map<std::string, OpDecoder>& ArithmeticOps() {
  static const std::map<std::string, OpDecoder> ops = {
      {"add", [](Decoder& d) { AddLike<Add, AddSat>(d, 0); }},
      {"sub", [](Decoder& d) { AddLike<Sub, SubSat>(d, 4); }},
      {"addc", [](Decoder& d) { CarryOp(d, 1); }},
      {"subc", [](Decoder& d) { CarryOp(d, 5); }},
      {"mul", MulOp},
      {"mad", [](Decoder& d) { MadOp(d, false); }},
      {"madc", [](Decoder& d) { MadOp(d, true); }},
      {"fma", FmaOp},
      {"div", DivOp},
      {"rem", [](Decoder& d) { IntOp<Rem, 2>(d, Class::kDivision); }},
      {"sad", [](Decoder& d) { IntOp<Sad, 3>(d); }},
      {"min", MinMaxOp<false>},
      {"max", MinMaxOp<true>},
      {"ex2", SpecialOp<Ex2>},
      {"lg2", SpecialOp<Lg2>},
      {"rcp", SpecialOp<Rcp>},
      {"sqrt", SpecialOp<Sqrt>},
      {"rsqrt", SpecialOp<Rsqrt>},
      {"sin", SpecialOp<Sin>},
      {"cos", SpecialOp<Cos>},
      {"tanh", SpecialOp<Tanh>},
  };
  return ops;
}

}  // namespace fakecuda
