// SPDX-License-Identifier: Apache-2.0
// Logic, shifts, bit fields, signs, selection and moves.
#include <algorithm>

#include "device/fakecuda/decode.h"
#include "device/fakecuda/lanes.h"

namespace fakecuda {

void IntegerAbs(Decoder& d);
void IntegerNeg(Decoder& d);

namespace {

struct And {
  template <class T>
  static T Do(T a, T b) {
    return a & b;
  }
};
struct Or {
  template <class T>
  static T Do(T a, T b) {
    return a | b;
  }
};
struct Xor {
  template <class T>
  static T Do(T a, T b) {
    return a ^ b;
  }
};
struct Not {
  template <class T>
  static T Do(T a) {
    return static_cast<T>(~a);
  }
};
struct Cnot {
  template <class T>
  static T Do(T a) {
    return a == 0;
  }
};
struct Brev {
  template <class T>
  static T Do(T a) {
    T r = 0;
    for (size_t i = 0; i < 8 * sizeof(T); ++i) r = static_cast<T>((r << 1) | ((a >> i) & 1));
    return r;
  }
};
struct Copysign {
  template <class T>
  static T Do(T sign, T value) {
    return std::copysign(value, sign);
  }
};

template <class T>
void Shl(Warp& w, const Instr& i, uint32_t m) {
  const T* a = w.R<T>(i.a);
  const uint32_t* b = w.R<uint32_t>(i.b);
  T r[kLanes];
  for (int l = 0; l < kLanes; ++l)
    r[l] = b[l] >= 8 * sizeof(T) ? 0 : static_cast<T>(a[l] << (b[l] & (8 * sizeof(T) - 1)));
  Put(w.R<T>(i.d), r, m);
}

template <class T>
void Shr(Warp& w, const Instr& i, uint32_t m) {
  const T* a = w.R<T>(i.a);
  const uint32_t* b = w.R<uint32_t>(i.b);
  constexpr uint32_t kLast = 8 * sizeof(T) - 1;
  T r[kLanes];
  for (int l = 0; l < kLanes; ++l) {
    r[l] = !std::is_signed_v<T> && b[l] > kLast ? T(0) : static_cast<T>(a[l] >> std::min(b[l], kLast));
  }
  Put(w.R<T>(i.d), r, m);
}

// op bit 0: right; bit 1: clamp.
void Shf(Warp& w, const Instr& i, uint32_t m) {
  const uint32_t *a = w.R<uint32_t>(i.a), *b = w.R<uint32_t>(i.b), *c = w.R<uint32_t>(i.c);
  uint32_t r[kLanes];
  for (int l = 0; l < kLanes; ++l) {
    const uint32_t n = (i.op & 2) ? std::min(c[l], 32u) : c[l] & 31;
    const uint64_t both = static_cast<uint64_t>(b[l]) << 32 | a[l];
    r[l] = static_cast<uint32_t>((i.op & 1) ? both >> n : (both << n) >> 32);
  }
  Put(w.R<uint32_t>(i.d), r, m);
}

template <class T>
void Bfe(Warp& w, const Instr& i, uint32_t m) {
  using U = std::make_unsigned_t<T>;
  constexpr uint32_t kBits = 8 * sizeof(T);
  const T* a = w.R<T>(i.a);
  const uint32_t *b = w.R<uint32_t>(i.b), *c = w.R<uint32_t>(i.c);
  T r[kLanes];
  for (int l = 0; l < kLanes; ++l) {
    const uint32_t at = b[l] & 0xff, n = c[l] & 0xff;
    const bool sign = std::is_signed_v<T> && n && ((static_cast<U>(a[l]) >> std::min(at + n - 1, kBits - 1)) & 1);
    U v = sign ? static_cast<U>(~U(0)) : 0;
    for (uint32_t k = 0; k < std::min(n, kBits) && at + k < kBits; ++k) {
      v = (v & ~(U(1) << k)) | (((static_cast<U>(a[l]) >> (at + k)) & 1) << k);
    }
    r[l] = static_cast<T>(v);
  }
  Put(w.R<T>(i.d), r, m);
}

template <class T>
void Bfi(Warp& w, const Instr& i, uint32_t m) {
  constexpr uint32_t kBits = 8 * sizeof(T);
  const T *a = w.R<T>(i.a), *b = w.R<T>(i.b);
  const uint32_t *c = w.R<uint32_t>(i.c), *e = w.R<uint32_t>(i.e);
  T r[kLanes];
  for (int l = 0; l < kLanes; ++l) {
    const uint32_t at = c[l] & 0xff, n = std::min(e[l] & 0xff, kBits);
    const T field = at >= kBits ? 0 : static_cast<T>((n >= kBits ? ~T(0) : (T(1) << n) - 1) << at);
    r[l] = (b[l] & ~field) | (at >= kBits ? 0 : (a[l] << at) & field);
  }
  Put(w.R<T>(i.d), r, m);
}

// Results of 32 bits. op: 0 clz, 1 popc, 2 bfind, 3 bfind.shiftamt.
template <class T>
void Count(Warp& w, const Instr& i, uint32_t m) {
  const T* a = w.R<T>(i.a);
  constexpr int kBits = 8 * sizeof(T);
  using U = std::make_unsigned_t<T>;
  uint32_t r[kLanes];
  for (int l = 0; l < kLanes; ++l) {
    U u = static_cast<U>(a[l]);
    if (i.op == 1) {
      r[l] = static_cast<uint32_t>(std::popcount(u));
      continue;
    }
    if (i.op >= 2 && std::is_signed_v<T> && a[l] < 0) u = ~u;
    const int zeros = std::countl_zero(u);
    r[l] = i.op == 0        ? static_cast<uint32_t>(zeros)
           : zeros == kBits ? ~0u
                            : static_cast<uint32_t>(i.op == 2 ? kBits - 1 - zeros : zeros);
  }
  Put(w.R<uint32_t>(i.d), r, m);
}

void Lop3(Warp& w, const Instr& i, uint32_t m) {
  const uint32_t *a = w.R<uint32_t>(i.a), *b = w.R<uint32_t>(i.b), *c = w.R<uint32_t>(i.c);
  uint32_t r[kLanes] = {};
  for (int k = 0; k < 8; ++k) {
    if (!((i.imm >> k) & 1)) continue;
    for (int l = 0; l < kLanes; ++l) r[l] |= (k & 4 ? a[l] : ~a[l]) & (k & 2 ? b[l] : ~b[l]) & (k & 1 ? c[l] : ~c[l]);
  }
  Put(w.R<uint32_t>(i.d), r, m);
}

// op: 0 by selector, 1 f4e, 2 b4e, 3 rc8, 4 ecl, 5 ecr, 6 rc16.
void Prmt(Warp& w, const Instr& i, uint32_t m) {
  const uint32_t *a = w.R<uint32_t>(i.a), *b = w.R<uint32_t>(i.b), *c = w.R<uint32_t>(i.c);
  uint32_t r[kLanes];
  for (int l = 0; l < kLanes; ++l) {
    const uint64_t both = static_cast<uint64_t>(b[l]) << 32 | a[l];
    const uint32_t s = c[l] & 3;
    r[l] = 0;
    for (uint32_t k = 0; k < 4; ++k) {
      uint32_t pick = (c[l] >> (4 * k)) & 15;
      if (i.op == 1) pick = s + k;
      if (i.op == 2) pick = (s - k) & 7;
      if (i.op == 3) pick = s;
      if (i.op == 4) pick = std::max(k, s);
      if (i.op == 5) pick = std::min(k, s);
      if (i.op == 6) pick = (s & 1) * 2 + (k & 1);
      uint32_t byte = static_cast<uint32_t>(both >> (8 * (pick & 7))) & 0xff;
      if (pick & 8) byte = byte & 0x80 ? 0xff : 0;
      r[l] |= byte << (8 * k);
    }
  }
  Put(w.R<uint32_t>(i.d), r, m);
}

template <class T>
void Sign(Warp& w, const Instr& i, uint32_t m) {  // op 0: abs, 1: neg; imm: the sign bits
  const T* a = w.R<T>(i.a);
  const T sign = static_cast<T>(i.imm);
  T r[kLanes];
  for (int l = 0; l < kLanes; ++l) {
    r[l] = i.op ? a[l] ^ sign : a[l] & static_cast<T>(~sign);
    if constexpr (sizeof(T) == 4) {
      if (i.flags & kFtz) r[l] = std::bit_cast<uint32_t>(Flush(std::bit_cast<float>(r[l])));
    }
  }
  Put(w.R<T>(i.d), r, m);
}

template <class T>
void Move(Warp& w, const Instr& i, uint32_t m) {
  Put(w.R<T>(i.d), w.R<T>(i.a), m);
}

template <class T>
void Select(Warp& w, const Instr& i, uint32_t m) {
  const T *a = w.R<T>(i.a), *b = w.R<T>(i.b);
  const uint32_t p = w.P(i.c) ^ (i.op ? kAllLanes : 0);
  T r[kLanes];
  for (int l = 0; l < kLanes; ++l) r[l] = (p >> l) & 1 ? a[l] : b[l];
  Put(w.R<T>(i.d), r, m);
}

// op 0: by the sign of an s32 in c, 1: of an f32.
template <class T>
void Slct(Warp& w, const Instr& i, uint32_t m) {
  const T *a = w.R<T>(i.a), *b = w.R<T>(i.b);
  T r[kLanes];
  for (int l = 0; l < kLanes; ++l) {
    const bool first = i.op ? w.R<float>(i.c)[l] >= 0 : w.R<int32_t>(i.c)[l] >= 0;
    r[l] = first ? a[l] : b[l];
  }
  Put(w.R<T>(i.d), r, m);
}

// The handler of an untyped loop of this many bytes.
template <class F16_, class F32_, class F64_>
Handler BySize(int bytes, F16_ h, F32_ s, F64_ d) {
  return bytes == 2 ? Handler(h) : bytes == 4 ? Handler(s) : bytes == 8 ? Handler(d) : nullptr;
}

// op: 0 and, 1 or, 2 xor, 3 not, 4 mov; imm: operand's negation.
void PredicateLogic(Warp& w, const Instr& i, uint32_t m) {
  const uint32_t a = i.a == kNoSlot ? 0 : w.P(i.a), b = i.b == kNoSlot ? 0 : w.P(i.b);
  const uint32_t na = a ^ (i.imm & 1 ? kAllLanes : 0), nb = b ^ (i.imm & 2 ? kAllLanes : 0);
  w.SetP(i.d, i.op == 0 ? na & nb : i.op == 1 ? na | nb : i.op == 2 ? na ^ nb : i.op == 3 ? ~na : na, m);
}

template <class F, int kArity>
void Logic(Decoder& d, uint8_t predicate_op) {
  const Type t = d.LastType();
  Instr in;
  in.cls = Class::kInteger;
  if (t == Type::kPred) {
    in.op = predicate_op;
    in.d = d.Predicate(d.Arg(0));
    for (int k = 0; k < kArity; ++k) {
      const Operand& o = d.Arg(static_cast<size_t>(k) + 1);
      bool negated = false;
      if (o.kind == Operand::kImmediate)
        negated = o.bits != 0;
      else
        (k ? in.b : in.a) = d.Predicate(o, &negated);
      in.imm |= negated ? 1 << k : 0;
    }
    in.run = &PredicateLogic;
    return d.Emit(in);
  }
  in.d = d.Slot(size_t{0}, t);
  in.a = d.Slot(1, t);
  if constexpr (kArity == 2) {
    in.b = d.Slot(2, t);
    in.run = BySize(BytesOf(t), &Binary<F, uint16_t>, &Binary<F, uint32_t>, &Binary<F, uint64_t>);
  } else {
    in.run = BySize(BytesOf(t), &Unary<F, uint16_t>, &Unary<F, uint32_t>, &Unary<F, uint64_t>);
  }
  if (!in.run) d.Unknown();
  d.Emit(in);
}

void MoveOp(Decoder& d) {
  const Type t = d.LastType();
  if (t == Type::kPred) return Logic<Not, 1>(d, 4);
  const int bytes = BytesOf(t);
  Instr in;
  in.cls = Class::kMove;
  const Operand &to = d.Arg(0), &from = d.Arg(1);
  if (to.kind == Operand::kVector || from.kind == Operand::kVector) {  // pack or unpack
    const bool pack = from.kind == Operand::kVector;
    const Operand& vector = pack ? from : to;
    const int n = static_cast<int>(vector.parts.size()), each = n ? bytes / n : 0;
    if ((n != 2 && n != 4) || each < 2) d.Unknown();
    std::vector<uint32_t> slots;
    for (const Operand& o : vector.parts) slots.push_back(d.Slot(o, each == 2 ? Type::kU16 : Type::kU32));
    in.a = d.Slot(pack ? to : from, t);
    in.list = d.List(slots);
    in.count = static_cast<uint8_t>(n);
    in.bytes = static_cast<uint8_t>(each);
    in.op = pack;
    in.run = [](Warp& w, const Instr& i, uint32_t m) {
      uint8_t* whole = w.R<uint8_t>(i.a);
      const size_t all = size_t{i.count} * i.bytes;
      for (size_t k = 0; k < i.count; ++k) {
        uint8_t* part = w.R<uint8_t>(i.list[k]);
        for (int l = 0; l < kLanes; ++l) {
          if (!((m >> l) & 1)) continue;
          uint8_t* at = whole + static_cast<size_t>(l) * all + k * i.bytes;
          uint8_t* element = part + static_cast<size_t>(l) * i.bytes;
          std::memcpy(i.op ? at : element, i.op ? element : at, i.bytes);
        }
      }
    };
    return d.Emit(in);
  }
  in.d = d.Slot(to, t);
  in.a = d.Slot(from, t);
  in.run = BySize(bytes, &Move<uint16_t>, &Move<uint32_t>, &Move<uint64_t>);
  if (!in.run) d.Unknown();
  d.Emit(in);
}

void SignOp(Decoder& d, uint8_t op) {
  const Type t = d.LastType();
  if (!IsFloat(t)) return op ? IntegerNeg(d) : IntegerAbs(d);
  Instr in;
  in.cls = Class::kFloat;
  in.op = op;
  if (d.Has("ftz") && t == Type::kF32) in.flags = kFtz;
  in.d = d.Slot(size_t{0}, t);
  in.a = d.Slot(1, t);
  const bool pair = t == Type::kF16x2 || t == Type::kBF16x2;
  in.imm = pair ? 0x80008000 : static_cast<int64_t>(1ull << (8 * BytesOf(t) - 1));
  in.run = BySize(BytesOf(t), &Sign<uint16_t>, &Sign<uint32_t>, &Sign<uint64_t>);
  d.Emit(in);
}

template <bool kRight>
void ShiftOp(Decoder& d) {
  const Type t = d.LastType();
  Instr in;
  in.cls = Class::kInteger;
  in.d = d.Slot(size_t{0}, t);
  in.a = d.Slot(1, t);
  in.b = d.Slot(2, Type::kU32);
  if (kRight && IsSigned(t))
    in.run = BySize(BytesOf(t), &Shr<int16_t>, &Shr<int32_t>, &Shr<int64_t>);
  else if (kRight)
    in.run = BySize(BytesOf(t), &Shr<uint16_t>, &Shr<uint32_t>, &Shr<uint64_t>);
  else
    in.run = BySize(BytesOf(t), &Shl<uint16_t>, &Shl<uint32_t>, &Shl<uint64_t>);
  if (!in.run) d.Unknown();
  d.Emit(in);
}

void CountOp(Decoder& d, uint8_t op) {
  const Type t = d.LastType();
  Instr in;
  in.cls = Class::kInteger;
  in.op = op;
  in.d = d.Slot(size_t{0}, Type::kU32);
  in.a = d.Slot(1, t);
  in.run = IsSigned(t) ? BySize(BytesOf(t), nullptr, &Count<int32_t>, &Count<int64_t>)
                       : BySize(BytesOf(t), nullptr, &Count<uint32_t>, &Count<uint64_t>);
  if (!in.run) d.Unknown();
  d.Emit(in);
}

// Operands a, b, c of 32 bits, the last as given.
void Three(Decoder& d, Handler run, uint8_t op) {
  Instr in;
  in.cls = Class::kInteger;
  in.op = op;
  in.d = d.Slot(size_t{0}, Type::kU32);
  in.a = d.Slot(1, Type::kU32);
  in.b = d.Slot(2, Type::kU32);
  in.c = d.Slot(3, Type::kU32);
  in.run = run;
  if (run == &Lop3) {
    if (d.Arg(4).kind != Operand::kImmediate || d.Has("BOOL") || d.Args() != 5) d.Unknown();
    in.imm = static_cast<int64_t>(d.Arg(4).bits);
  }
  d.Emit(in);
}

void PrmtOp(Decoder& d) {
  static const char* const modes[] = {"", "f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
  uint8_t op = 0;
  for (uint8_t k = 1; k < 7; ++k) op = d.Has(modes[k]) ? k : op;
  Three(d, &Prmt, op);
}

void BfeOp(Decoder& d) {
  const Type t = d.LastType();
  Instr in;
  in.cls = Class::kInteger;
  in.d = d.Slot(size_t{0}, t);
  in.a = d.Slot(1, t);
  in.b = d.Slot(2, Type::kU32);
  in.c = d.Slot(3, Type::kU32);
  in.run = IsSigned(t) ? BySize(BytesOf(t), nullptr, &Bfe<int32_t>, &Bfe<int64_t>)
                       : BySize(BytesOf(t), nullptr, &Bfe<uint32_t>, &Bfe<uint64_t>);
  if (!in.run) d.Unknown();
  d.Emit(in);
}

void BfiOp(Decoder& d) {
  const Type t = d.LastType();
  Instr in;
  in.cls = Class::kInteger;
  in.d = d.Slot(size_t{0}, t);
  in.a = d.Slot(1, t);
  in.b = d.Slot(2, t);
  in.c = d.Slot(3, Type::kU32);
  in.e = d.Slot(4, Type::kU32);
  in.run = BySize(BytesOf(t), nullptr, &Bfi<uint32_t>, &Bfi<uint64_t>);
  if (!in.run) d.Unknown();
  d.Emit(in);
}

void SelectOp(Decoder& d) {
  const Type t = d.LastType();
  Instr in;
  in.cls = Class::kMove;
  in.d = d.Slot(size_t{0}, t);
  in.a = d.Slot(1, t);
  in.b = d.Slot(2, t);
  bool negated = false;
  in.c = d.Predicate(d.Arg(3), &negated);
  in.op = negated;
  in.run = BySize(BytesOf(t), &Select<uint16_t>, &Select<uint32_t>, &Select<uint64_t>);
  if (!in.run) d.Unknown();
  d.Emit(in);
}

void SlctOp(Decoder& d) {
  const Type t = d.TypePart(0), by = d.LastType();
  Instr in;
  in.cls = Class::kMove;
  in.d = d.Slot(size_t{0}, t);
  in.a = d.Slot(1, t);
  in.b = d.Slot(2, t);
  in.c = d.Slot(3, by);
  in.op = by == Type::kF32;
  in.run = by == Type::kF32 || by == Type::kS32 ? BySize(BytesOf(t), &Slct<uint16_t>, &Slct<uint32_t>, &Slct<uint64_t>)
                                                : nullptr;
  if (!in.run) d.Unknown();
  d.Emit(in);
}

void CopysignOp(Decoder& d) {
  const Type t = d.LastType();
  Instr in;
  in.cls = Class::kFloat;
  in.d = d.Slot(size_t{0}, t);
  in.a = d.Slot(1, t);
  in.b = d.Slot(2, t);
  in.run = t == Type::kF32 ? Handler(&Binary<Copysign, float>) : t == Type::kF64 ? &Binary<Copysign, double> : nullptr;
  if (!in.run) d.Unknown();
  d.Emit(in);
}

}  // namespace

const std::map<std::string, OpDecoder>& BitOps() {
  static const std::map<std::string, OpDecoder> ops = {
      {"and", [](Decoder& d) { Logic<And, 2>(d, 0); }},
      {"or", [](Decoder& d) { Logic<Or, 2>(d, 1); }},
      {"xor", [](Decoder& d) { Logic<Xor, 2>(d, 2); }},
      {"not", [](Decoder& d) { Logic<Not, 1>(d, 3); }},
      {"cnot", [](Decoder& d) { Logic<Cnot, 1>(d, 3); }},
      {"brev", [](Decoder& d) { Logic<Brev, 1>(d, 3); }},
      {"shl", ShiftOp<false>},
      {"shr", ShiftOp<true>},
      {"shf",
       [](Decoder& d) { Three(d, &Shf, static_cast<uint8_t>((d.Has("r") ? 1 : 0) | (d.Has("clamp") ? 2 : 0))); }},
      {"bfe", BfeOp},
      {"bfi", BfiOp},
      {"clz", [](Decoder& d) { CountOp(d, 0); }},
      {"popc", [](Decoder& d) { CountOp(d, 1); }},
      {"bfind", [](Decoder& d) { CountOp(d, d.Has("shiftamt") ? 3 : 2); }},
      {"lop3", [](Decoder& d) { Three(d, &Lop3, 0); }},
      {"prmt", PrmtOp},
      {"abs", [](Decoder& d) { SignOp(d, 0); }},
      {"neg", [](Decoder& d) { SignOp(d, 1); }},
      {"copysign", CopysignOp},
      {"selp", SelectOp},
      {"slct", SlctOp},
      {"mov", MoveOp},
  };
  return ops;
}

}  // namespace fakecuda
