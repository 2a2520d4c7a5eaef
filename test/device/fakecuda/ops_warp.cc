// SPDX-License-Identifier: Apache-2.0
// What lanes do together: shuffles, votes, reductions, barriers and fences.
#include <algorithm>
#include <bit>

#include "device/fakecuda/cuda_api.h"
#include "device/fakecuda/decode.h"
#include "device/fakecuda/lanes.h"
#include "device/fakecuda/launch.h"

namespace fakecuda {
namespace {

// shfl.sync: op 0 up, 1 down, 2 bfly, 3 idx; d and predicate e, value a, lane b, clamp c; member its mask of lanes.
void Shuffle(Warp& w, const Instr& in, uint32_t m) {
  const uint32_t *a = w.R<uint32_t>(in.a), *b = w.R<uint32_t>(in.b), *c = w.R<uint32_t>(in.c);
  uint32_t r[kLanes] = {}, p = 0;
  for (uint32_t rest = m; rest; rest &= rest - 1) {
    const int l = std::countr_zero(rest);
    const int clamp = static_cast<int>(c[l] & 31), segment = static_cast<int>((c[l] >> 8) & 31),
              n = static_cast<int>(b[l] & 31);
    const int last = (l & segment) | (clamp & ~segment), first = l & segment;
    int j = l;
    bool inside = false;
    if (in.op == 0) j = l - n, inside = j >= last;
    if (in.op == 1) j = l + n, inside = j <= last;
    if (in.op == 2) j = l ^ n, inside = j <= last;
    if (in.op == 3) j = first | (n & ~segment), inside = j <= last;
    if (!inside) j = l;
    if (!((m >> j) & 1))
      w.Fail(CUDA_ERROR_LAUNCH_FAILED, l, "shuffle reads lane " + std::to_string(j) + ", which does not take part");
    r[l] = a[j];
    p |= inside ? 1u << l : 0;
  }
  Put(w.R<uint32_t>(in.d), r, m);
  if (in.e != kNoSlot) w.SetP(in.e, p, m);
}

void ShuffleOp(Decoder& d) {
  Instr in;
  in.kind = Instr::kConverge;
  in.cls = Class::kWarp;
  in.op = d.Has("up") ? 0 : d.Has("down") ? 1 : d.Has("bfly") ? 2 : d.Has("idx") ? 3 : 255;
  if (in.op == 255 || !d.Has("sync")) d.Unknown();
  const Operand& to = d.Arg(0);
  const bool pair = to.kind == Operand::kVector;
  in.d = d.Slot(pair ? to.parts[0] : to, Type::kU32);
  if (pair) in.e = d.Predicate(to.parts[1]);
  in.a = d.Slot(1, Type::kU32);
  in.b = d.Slot(2, Type::kU32);
  in.c = d.Slot(3, Type::kU32);
  in.member = d.Slot(4, Type::kU32);
  in.run = &Shuffle;
  d.Emit(in);
}

// op 0 all, 1 any, 2 uni, 3 ballot; a predicate, imm its negation.
void Vote(Warp& w, const Instr& in, uint32_t m) {
  const uint32_t p = (w.P(in.a) ^ (in.imm ? kAllLanes : 0)) & m;
  if (in.op == 3) {
    uint32_t r[kLanes];
    std::fill_n(r, kLanes, p);
    return Put(w.R<uint32_t>(in.d), r, m);
  }
  const bool value = in.op == 0 ? p == m : in.op == 1 ? p != 0 : p == 0 || p == m;
  w.SetP(in.d, value ? kAllLanes : 0, m);
}

void VoteOp(Decoder& d) {
  Instr in;
  in.kind = Instr::kConverge;
  in.cls = Class::kWarp;
  in.op = d.Has("all") ? 0 : d.Has("any") ? 1 : d.Has("uni") ? 2 : d.Has("ballot") ? 3 : 255;
  if (in.op == 255 || !d.Has("sync")) d.Unknown();
  in.d = in.op == 3 ? d.Slot(size_t{0}, Type::kU32) : d.Predicate(d.Arg(0));
  bool negated = false;
  const Operand& p = d.Arg(1);
  if (p.kind == Operand::kImmediate) d.Unknown();
  in.a = d.Predicate(p, &negated);
  in.imm = negated;
  in.member = d.Slot(2, Type::kU32);
  in.run = &Vote;
  d.Emit(in);
}

// op 0 any, 1 all; d mask, e predicate.
template <class T>
void Match(Warp& w, const Instr& in, uint32_t m) {
  const T* a = w.R<T>(in.a);
  uint32_t r[kLanes] = {}, p = 0;
  for (uint32_t rest = m; rest; rest &= rest - 1) {
    const int l = std::countr_zero(rest);
    for (uint32_t others = m; others; others &= others - 1) {
      const int k = std::countr_zero(others);
      if (a[k] == a[l]) r[l] |= 1u << k;
    }
    if (r[l] == m) p |= 1u << l;
    if (in.op == 1 && r[l] != m) r[l] = 0;
  }
  Put(w.R<uint32_t>(in.d), r, m);
  if (in.e != kNoSlot) w.SetP(in.e, p, m);
}

void MatchOp(Decoder& d) {
  const Type t = d.LastType();
  Instr in;
  in.kind = Instr::kConverge;
  in.cls = Class::kWarp;
  in.op = d.Has("all");
  const Operand& to = d.Arg(0);
  const bool pair = to.kind == Operand::kVector;
  in.d = d.Slot(pair ? to.parts[0] : to, Type::kU32);
  if (pair) in.e = d.Predicate(to.parts[1]);
  in.a = d.Slot(1, t);
  in.member = d.Slot(2, Type::kU32);
  in.run = BytesOf(t) == 4 ? &Match<uint32_t> : &Match<uint64_t>;
  d.Emit(in);
}

// op 0 add, 1 min, 2 max, 3 and, 4 or, 5 xor.
template <class T>
void Redux(Warp& w, const Instr& in, uint32_t m) {
  const T* a = w.R<T>(in.a);
  T v = a[std::countr_zero(m)];
  for (uint32_t rest = m & (m - 1); rest; rest &= rest - 1) {
    const T x = a[std::countr_zero(rest)];
    switch (in.op) {
      case 0: v = static_cast<T>(static_cast<uint32_t>(v) + static_cast<uint32_t>(x)); break;
      case 1: v = std::min(v, x); break;
      case 2: v = std::max(v, x); break;
      case 3: v &= x; break;
      case 4: v |= x; break;
      default: v ^= x;
    }
  }
  T r[kLanes];
  std::fill_n(r, kLanes, v);
  Put(w.R<T>(in.d), r, m);
}

void ReduxOp(Decoder& d) {
  static const char* const names[] = {"add", "min", "max", "and", "or", "xor"};
  const Type t = d.LastType();
  Instr in;
  in.kind = Instr::kConverge;
  in.cls = Class::kWarp;
  in.op = 255;
  for (uint8_t k = 0; k < 6; ++k) in.op = d.Has(names[k]) ? k : in.op;
  if (in.op == 255 || (t != Type::kU32 && t != Type::kS32)) d.Unknown();
  in.d = d.Slot(size_t{0}, t);
  in.a = d.Slot(1, t);
  in.member = d.Slot(2, Type::kU32);
  in.run = t == Type::kU32 ? &Redux<uint32_t> : &Redux<int32_t>;
  d.Emit(in);
}

void ActiveMaskOp(Decoder& d) {
  Instr in;
  in.cls = Class::kWarp;
  in.d = d.Slot(size_t{0}, Type::kU32);
  in.run = [](Warp& w, const Instr& i, uint32_t m) {
    uint32_t r[kLanes];
    std::fill_n(r, kLanes, m);
    Put(w.R<uint32_t>(i.d), r, m);
  };
  d.Emit(in);
}

// bar and barrier. op: 0 sync, 1 arrive, 2 red.popc, 3 red.and, 4 red.or; a: the barrier's number, b: its count of
// threads, c: the predicate of a reduction, d: its result.
void BarrierOp(Decoder& d) {
  Instr in;
  in.cls = Class::kBarrier;
  if (d.Has("cluster")) d.Unknown();
  if (d.Has("warp")) {
    in.kind = Instr::kConverge;
    in.cls = Class::kWarp;
    in.member = d.Slot(size_t{0}, Type::kU32);
    in.run = [](Warp&, const Instr&, uint32_t) {};
    return d.Emit(in);
  }
  in.kind = Instr::kBarrier;
  in.op = d.Has("sync") ? 0 : d.Has("arrive") ? 1 : d.Has("popc") ? 2 : d.Has("and") ? 3 : d.Has("or") ? 4 : 255;
  if (in.op == 255) d.Unknown();
  if (d.at().op[0] == "bar" || d.Has("aligned")) in.flags = kAligned;  // all threads of a warp arrive together
  size_t at = 0;
  if (in.op == 2) in.d = d.Slot(at++, Type::kU32);
  if (in.op > 2) in.d = d.Predicate(d.Arg(at++));
  in.a = d.Slot(at++, Type::kU32);
  const size_t rest = d.Args() - at;
  if (rest > (in.op > 1 ? 1u : 0u)) in.b = d.Slot(at++, Type::kU32);
  if (in.op > 1) {
    bool negated = false;
    in.c = d.Predicate(d.Arg(at), &negated);
    in.imm = negated;
  }
  d.Emit(in);
}

void FenceOp(Decoder& d) {
  Instr in;
  in.cls = Class::kBarrier;
  in.op = !(d.Has("cta"));
  in.run = [](Warp& w, const Instr& i, uint32_t) { w.block->fenced |= i.op != 0; };
  d.Emit(in);
}

void Nothing(Decoder&) {}

void TrapOp(Decoder& d) {
  Instr in;
  in.cls = Class::kBranch;
  in.run = [](Warp& w, const Instr&, uint32_t m) { w.Fail(CUDA_ERROR_LAUNCH_FAILED, std::countr_zero(m), "trap"); };
  d.Emit(in);
}

}  // namespace

const std::map<std::string, OpDecoder>& WarpOps() {
  static const std::map<std::string, OpDecoder> ops = {{"shfl", ShuffleOp},
                                                       {"vote", VoteOp},
                                                       {"match", MatchOp},
                                                       {"redux", ReduxOp},
                                                       {"activemask", ActiveMaskOp},
                                                       {"bar", BarrierOp},
                                                       {"barrier", BarrierOp},
                                                       {"membar", FenceOp},
                                                       {"fence", FenceOp}};
  return ops;
}

const std::map<std::string, OpDecoder>& ControlOps() {
  static const std::map<std::string, OpDecoder> ops = [] {
    std::map<std::string, OpDecoder> all = {
        {"trap", TrapOp}, {"nanosleep", Nothing}, {"pmevent", Nothing}, {"griddepcontrol", Nothing}};
    all.insert(TensorOps().begin(), TensorOps().end());
    return all;
  }();
  return ops;
}

}  // namespace fakecuda
