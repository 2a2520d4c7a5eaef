// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "device/fakecuda/decode.h"
#include "device/fakecuda/lanes.h"

namespace fakecuda {
namespace {

enum Round : uint8_t { kNearest, kZero, kDown, kUp, kIntNearest, kIntZero, kIntDown, kIntUp, kTensorFloat };
constexpr uint8_t kRelu = kNaN;

double RoundToInteger(double v, uint8_t mode) {
  switch (mode) {
    case kIntNearest: return std::nearbyint(v);
    case kIntZero: return std::trunc(v);
    case kIntDown: return std::floor(v);
    case kIntUp: return std::ceil(v);
    default: return v;
  }
}

template <class D>
D IntegerFrom(double v, bool narrow) {
  using L = std::numeric_limits<D>;
  if (v != v) return narrow && sizeof(D) < 8 ? D(0) : static_cast<D>(D(1) << (8 * sizeof(D) - 1));
  // The bounds as doubles are powers of two, exact but for the upper one of 64 bits, which is one beyond.
  if (v <= static_cast<double>(L::min())) return L::min();
  if (v >= std::ldexp(1.0, static_cast<int>(8 * sizeof(D)) - (L::is_signed ? 1 : 0))) return L::max();
  return static_cast<D>(v);
}

float RoundHalfUp(float v, uint32_t unit, uint8_t mode) {  // to a multiple of unit in the bits, other than to nearest
  uint32_t u = std::bit_cast<uint32_t>(v);
  const bool away = (mode == kUp && v > 0) || (mode == kDown && v < 0);
  const uint32_t lost = u & (unit - 1);
  u -= lost;
  if (lost && away) u += unit;
  return std::bit_cast<float>(u);
}

template <class D>
D FloatFrom(double v, uint8_t mode) {
  const float f = static_cast<float>(v);
  if constexpr (std::is_same_v<D, double>) {
    return v;
  } else if constexpr (std::is_same_v<D, BF16>) {
    if (mode == kZero && std::isfinite(f)) return D(RoundHalfUp(f, 1 << 16, mode));
    return FromFloat<D>(f);
  } else {
    if (v != v) return FromFloat<D>(f);
    D r = static_cast<D>(v);
    if (mode == kZero && std::fabs(static_cast<double>(r)) > std::fabs(v) && std::isfinite(v)) {
      r = std::bit_cast<D>(static_cast<uint16_t>(std::bit_cast<uint16_t>(r) - 1));
    }
    return r;
  }
}

template <class D, class S>
D One(S v, const Instr& i) {
  if constexpr (kFloating<S>) {
    double x;
    if constexpr (kHalf<S>)
      x = static_cast<double>(static_cast<float>(v));
    else
      x = v;
    if (std::is_same_v<S, float> && (i.flags & kFtz)) x = Flush(static_cast<float>(x));
    if constexpr (!kFloating<D>) {
      return IntegerFrom<D>(RoundToInteger(x, i.op), !std::is_same_v<S, double>);
    } else {
      x = RoundToInteger(x, i.op);
      if (i.flags & kSat) x = Saturate(x);
      if ((i.flags & kRelu) && x < 0) x = 0;
      if constexpr (std::is_same_v<D, float>) {
        float f = static_cast<float>(x);
        if (std::is_same_v<S, double> && i.op >= kZero && i.op <= kUp && std::isfinite(x)) {
          const double back = f;
          const bool down = i.op == kDown || (i.op == kZero && x > 0);
          if (down && back > x) f = std::nextafterf(f, -std::numeric_limits<float>::infinity());
          if (!down && back < x) f = std::nextafterf(f, std::numeric_limits<float>::infinity());
        }
        if (i.flags & kFtz) f = Flush(f);
        return Canonical(f);
      } else {
        return FloatFrom<D>(x, i.op);
      }
    }
  } else if constexpr (kFloating<D>) {
    if constexpr (kHalf<D>) {
      // Large integers round to odd in double first.
      double x = static_cast<double>(v);
      const auto back = static_cast<__int128>(x);
      if (back != static_cast<__int128>(v) && !(std::bit_cast<uint64_t>(x) & 1)) {
        const bool beyond = x > 0 ? back > static_cast<__int128>(v) : back < static_cast<__int128>(v);
        x = std::bit_cast<double>(beyond ? std::bit_cast<uint64_t>(x) - 1 : std::bit_cast<uint64_t>(x) | 1);
      }
      return FloatFrom<D>(x, i.op);
    } else {
      D f = static_cast<D>(v);
      if (i.op >= kZero && i.op <= kUp) {
        const auto exact = static_cast<__int128>(v), back = static_cast<__int128>(f);
        const bool down = i.op == kDown || (i.op == kZero && exact > 0);
        if (down && back > exact) f = std::nextafter(f, -std::numeric_limits<D>::infinity());
        if (!down && back < exact) f = std::nextafter(f, std::numeric_limits<D>::infinity());
      }
      return (i.flags & kSat) ? Saturate(f) : f;
    }
  } else {
    if (!(i.flags & kSat)) return static_cast<D>(v);
    const auto x = static_cast<__int128>(v);
    return static_cast<D>(std::clamp<__int128>(x, std::numeric_limits<D>::min(), std::numeric_limits<D>::max()));
  }
}

template <class To, class From>
void Resize(To* to, const uint8_t* from) {
  const From* f = reinterpret_cast<const From*>(from);
  for (int l = 0; l < kLanes; ++l) to[l] = static_cast<To>(f[l]);
}

template <class U>
using Bits_ = std::conditional_t<
    sizeof(U) == 1, uint8_t,
    std::conditional_t<sizeof(U) == 2, uint16_t, std::conditional_t<sizeof(U) == 4, uint32_t, uint64_t>>>;

// bytes and reg_bytes: the widths of the registers of destination and source.
template <class D, class S>
void Convert(Warp& w, const Instr& i, uint32_t m) {
  alignas(64) S narrow[kLanes];
  const S* a = w.R<S>(i.a);
  if (i.reg_bytes != sizeof(S)) {
    auto* bits = reinterpret_cast<Bits_<S>*>(narrow);
    if (i.reg_bytes == 2) Resize<Bits_<S>, uint16_t>(bits, w.R<uint8_t>(i.a));
    if (i.reg_bytes == 4) Resize<Bits_<S>, uint32_t>(bits, w.R<uint8_t>(i.a));
    if (i.reg_bytes == 8) Resize<Bits_<S>, uint64_t>(bits, w.R<uint8_t>(i.a));
    a = narrow;
  }
  alignas(64) D r[kLanes];
  if (!kFloating<S> && !kFloating<D> && !i.flags) {
    if constexpr (!kFloating<S> && !kFloating<D>) {
      for (int l = 0; l < kLanes; ++l) r[l] = static_cast<D>(a[l]);
    }
  } else {
    for (int l = 0; l < kLanes; ++l) r[l] = One<D, S>(a[l], i);
  }
  if (i.bytes == sizeof(D)) return Put(w.R<D>(i.d), r, m);
  using Sized = std::conditional_t<kFloating<D>, Bits_<D>, D>;
  const Sized* v = reinterpret_cast<const Sized*>(r);
  if (i.bytes == 2) {
    uint16_t wide[kLanes];
    for (int l = 0; l < kLanes; ++l) wide[l] = static_cast<uint16_t>(v[l]);
    Put(w.R<uint16_t>(i.d), wide, m);
  } else if (i.bytes == 4) {
    uint32_t wide[kLanes];
    for (int l = 0; l < kLanes; ++l) wide[l] = static_cast<uint32_t>(v[l]);
    Put(w.R<uint32_t>(i.d), wide, m);
  } else {
    uint64_t wide[kLanes];
    for (int l = 0; l < kLanes; ++l) wide[l] = static_cast<uint64_t>(v[l]);
    Put(w.R<uint64_t>(i.d), wide, m);
  }
}

template <class D>
Handler FromType(Type s) {
  switch (s) {
    case Type::kU8: return &Convert<D, uint8_t>;
    case Type::kU16: return &Convert<D, uint16_t>;
    case Type::kU32: return &Convert<D, uint32_t>;
    case Type::kU64: return &Convert<D, uint64_t>;
    case Type::kS8: return &Convert<D, int8_t>;
    case Type::kS16: return &Convert<D, int16_t>;
    case Type::kS32: return &Convert<D, int32_t>;
    case Type::kS64: return &Convert<D, int64_t>;
    case Type::kF16: return &Convert<D, F16>;
    case Type::kBF16: return &Convert<D, BF16>;
    case Type::kF32: return &Convert<D, float>;
    case Type::kF64: return &Convert<D, double>;
    default: return nullptr;
  }
}

Handler ConvertOf(Type d, Type s) {
  switch (d) {
    case Type::kU8: return FromType<uint8_t>(s);
    case Type::kU16: return FromType<uint16_t>(s);
    case Type::kU32: return FromType<uint32_t>(s);
    case Type::kU64: return FromType<uint64_t>(s);
    case Type::kS8: return FromType<int8_t>(s);
    case Type::kS16: return FromType<int16_t>(s);
    case Type::kS32: return FromType<int32_t>(s);
    case Type::kS64: return FromType<int64_t>(s);
    case Type::kF16: return FromType<F16>(s);
    case Type::kBF16: return FromType<BF16>(s);
    case Type::kF32: return FromType<float>(s);
    case Type::kF64: return FromType<double>(s);
    default: return nullptr;
  }
}

template <class T>
void ConvertPair(Warp& w, const Instr& i, uint32_t m) {
  const float *a = w.R<float>(i.a), *b = w.R<float>(i.b);
  uint32_t r[kLanes];
  for (int l = 0; l < kLanes; ++l) {
    const auto high = std::bit_cast<uint16_t>(One<T, float>(a[l], i)),
               low = std::bit_cast<uint16_t>(One<T, float>(b[l], i));
    r[l] = static_cast<uint32_t>(high) << 16 | low;
  }
  Put(w.R<uint32_t>(i.d), r, m);
}

void ConvertTensorFloat(Warp& w, const Instr& i, uint32_t m) {
  const float* a = w.R<float>(i.a);
  uint32_t r[kLanes];
  for (int l = 0; l < kLanes; ++l) {
    r[l] = a[l] != a[l]       ? 0x7fffffff
           : std::isinf(a[l]) ? std::bit_cast<uint32_t>(a[l])
                              : (std::bit_cast<uint32_t>(a[l]) + 0x1000) & ~0x1fffu;
  }
  Put(w.R<uint32_t>(i.d), r, m);
}

void ConvertOp(Decoder& d) {
  const Type to = d.TypePart(0), from = d.TypePart(1);
  Instr in;
  in.cls = Class::kConvert;
  static const std::pair<const char*, Round> rounds[] = {{"rz", kZero},        {"rm", kDown},        {"rp", kUp},
                                                         {"rni", kIntNearest}, {"rzi", kIntZero},    {"rmi", kIntDown},
                                                         {"rpi", kIntUp},      {"rna", kTensorFloat}};
  for (const auto& [name, round] : rounds) {
    if (d.Has(name)) in.op = round;
  }
  in.flags = static_cast<uint8_t>((d.Has("ftz") ? kFtz : 0) | (d.Has("sat") || d.Has("satfinite") ? kSat : 0) |
                                  (d.Has("relu") ? kRelu : 0));
  if (d.Has("satfinite")) d.Unknown();
  if (d.Has("tf32")) {
    if (in.op != kTensorFloat) d.Unknown();
    in.d = d.Slot(size_t{0}, Type::kU32);
    in.a = d.Slot(1, Type::kF32);
    in.run = &ConvertTensorFloat;
    return d.Emit(in);
  }
  if (to == Type::kF16x2 || to == Type::kBF16x2) {
    if (from != Type::kF32 || d.Args() != 3) d.Unknown();
    in.d = d.Slot(size_t{0}, Type::kU32);
    in.a = d.Slot(1, Type::kF32);
    in.b = d.Slot(2, Type::kF32);
    in.run = to == Type::kF16x2 ? &ConvertPair<F16> : &ConvertPair<BF16>;
    return d.Emit(in);
  }
  in.run = ConvertOf(to, from);
  if (!in.run || d.Args() != 2) d.Unknown();
  in.d = d.Slot(size_t{0}, to, true);
  in.a = d.Slot(1, from, true);
  const int have_d = d.RegisterBytes(d.Arg(0)), have_a = d.RegisterBytes(d.Arg(1));
  in.bytes = static_cast<uint8_t>(have_d);
  in.reg_bytes = static_cast<uint8_t>(have_a < 0 ? BytesOf(from) : have_a);
  if (have_d < BytesOf(to) || in.reg_bytes < BytesOf(from)) d.Fail("register too narrow for '" + d.at().text + "'");
  d.Emit(in);
}

// op 0: adds imm, 1: subtracts it.
void MoveWindow(Warp& w, const Instr& i, uint32_t m) {
  uint64_t r[kLanes];
  for (int l = 0; l < kLanes; ++l) {
    const uint64_t a = i.reg_bytes == 4 ? w.R<uint32_t>(i.a)[l] : w.R<uint64_t>(i.a)[l];
    r[l] = i.op ? a - static_cast<uint64_t>(i.imm) : a + static_cast<uint64_t>(i.imm);
  }
  if (i.bytes == 8) return Put(w.R<uint64_t>(i.d), r, m);
  uint32_t narrow[kLanes];
  for (int l = 0; l < kLanes; ++l) narrow[l] = static_cast<uint32_t>(r[l]);
  Put(w.R<uint32_t>(i.d), narrow, m);
}

int64_t Window(const Decoder& d) {
  if (d.Has("shared") || d.Has("shared::cta")) return static_cast<int64_t>(kSharedWindow);
  if (d.Has("local")) return static_cast<int64_t>(kLocalWindow);
  if (d.Has("param")) return static_cast<int64_t>(kParamWindow);
  return 0;
}

void CvtaOp(Decoder& d) {
  const Type t = d.LastType();
  Instr in;
  in.cls = Class::kConvert;
  in.op = d.Has("to");
  in.imm = Window(d);
  in.bytes = in.reg_bytes = static_cast<uint8_t>(BytesOf(t));
  in.d = d.Slot(size_t{0}, t);
  in.a = d.Slot(1, t);
  in.run = &MoveWindow;
  if (in.bytes < 4) d.Unknown();
  d.Emit(in);
}

void IsSpace(Warp& w, const Instr& i, uint32_t m) {
  const uint64_t* a = w.R<uint64_t>(i.a);
  w.SetP(i.d, Bits([&](int l) { return (a[l] & kWindowMask) == static_cast<uint64_t>(i.imm); }), m);
}

void IsSpaceOp(Decoder& d) {
  Instr in;
  in.cls = Class::kCompare;
  in.imm = Window(d);
  in.d = d.Predicate(d.Arg(0));
  in.a = d.Slot(1, Type::kU64);
  in.run = &IsSpace;
  d.Emit(in);
}

}  // namespace

const std::map<std::string, OpDecoder>& ConvertOps() {
  static const std::map<std::string, OpDecoder> ops = {{"cvt", ConvertOp}, {"cvta", CvtaOp}, {"isspacep", IsSpaceOp}};
  return ops;
}

}  // namespace fakecuda
