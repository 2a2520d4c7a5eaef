// SPDX-License-Identifier: Apache-2.0
#include "paddle/common/dim.h"
#include "paddle/common/op_traits.h"

#include <algorithm>

#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <tuple>

namespace common {
namespace {

struct Symbol {
  char op;  // 's' for a free symbol
  Dim a, b;
  int64_t lo, hi;
  int64_t name;
};

// One table for the process, so that a program may be used on another thread than the one that recorded it. Symbols
// stay where they are once made. Known extents never come here.
struct SymbolTable {
  std::mutex mutex;
  std::deque<Symbol> symbols;
  std::map<std::tuple<char, int64_t, int64_t>, int64_t> interned;
  int64_t free_count = 0;

  const Symbol& At(Dim d) { return symbols.at(-d.raw() - 1); }
  Dim Push(Symbol s) {
    symbols.push_back(s);
    return Dim::FromRaw(-static_cast<int64_t>(symbols.size()));
  }

  // The caller holds the mutex.
  Dim Combine(char op, Dim a, Dim b);
  Dim Interned(char op, Dim a, Dim b);
  Dim Broadcast(Dim a, Dim b);
  std::string Text(Dim d);
};

SymbolTable& Table() {
  static auto* t = new SymbolTable;
  return *t;
}

Dim SymbolTable::Interned(char op, Dim a, Dim b) {
  auto key = std::make_tuple(op, a.raw(), b.raw());
  auto it = interned.find(key);
  if (it != interned.end()) return Dim::FromRaw(it->second);
  Dim d = Push({op, a, b, 0, INT64_MAX, 0});
  interned[key] = d.raw();
  return d;
}

// One spelling for a set of extents, in whatever order and how often they meet.
Dim SymbolTable::Broadcast(Dim a, Dim b) {
  if (b.known()) std::swap(a, b);
  if (a.known()) return IsOne(a) ? b : a;
  std::set<int64_t, std::greater<>> met;
  for (Dim d : {a, b}) {
    for (; !d.known() && At(d).op == 'b'; d = At(d).a) met.insert(At(d).b.raw());
    met.insert(d.raw());
  }
  auto it = met.begin();
  Dim all = Dim::FromRaw(*it);
  while (++it != met.end()) all = Interned('b', all, Dim::FromRaw(*it));
  return all;
}

Dim SymbolTable::Combine(char op, Dim a, Dim b) {
  if (op == 'b') return Broadcast(a, b);
  if (op == '+' && a.raw() == 0) return b;
  if ((op == '+' || op == '-') && b.raw() == 0) return a;
  if (op == '-' && SameDim(a, b)) return Dim(0);
  if (op == '*' && (a.raw() == 0 || b.raw() == 0)) return Dim(0);
  if (op == '*' && a.raw() == 1) return b;
  if ((op == '*' || op == '/') && b.raw() == 1) return a;
  if (op == '/' && SameDim(a, b)) return Dim(1);
  if ((op == '+' || op == '*') && a.raw() > b.raw()) std::swap(a, b);  // commutative: one spelling
  if (op == '/' && !a.known()) {                                       // (x * b) / b is x
    const Symbol& s = At(a);
    if (s.op == '*' && SameDim(s.b, b)) return s.a;
    if (s.op == '*' && SameDim(s.a, b)) return s.b;
    if (s.op == '*' && b.known() && b.raw() > 0 && s.b.known() && s.b.raw() % b.raw() == 0) {
      const Dim rest(s.b.raw() / b.raw());
      return s.a.known() ? s.a * rest : Combine('*', s.a, rest);
    }
  }
  return Interned(op, a, b);
}

std::string SymbolTable::Text(Dim d) {
  if (d.known()) return std::to_string(d.raw());
  const Symbol& s = At(d);
  if (s.op == 's') return "S" + std::to_string(s.name);
  if (s.op == 'b') return "broadcast(" + Text(s.a) + ", " + Text(s.b) + ")";
  return "(" + Text(s.a) + s.op + Text(s.b) + ")";
}

}  // namespace

void Dim::RaiseUnknown() const {
  PD_THROW(Unimplemented, "expected an extent that is known while recording, got ", DimText(*this),
           ", which is known only when the program runs");
}

void Dim::RaiseNegative(int64_t v) { PD_THROW(InvalidArgument, "expected an extent of at least 0, got ", v); }

Dim NewSymbol(int64_t lo, int64_t hi) {
  SymbolTable& t = Table();
  std::lock_guard<std::mutex> lock(t.mutex);
  return t.Push({'s', Dim(0), Dim(0), lo, hi, t.free_count++});
}

Dim SymbolicOp(char op, Dim a, Dim b) {
  SymbolTable& t = Table();
  std::lock_guard<std::mutex> lock(t.mutex);
  return t.Combine(op, a, b);
}

void RaiseNoExtent(char op, Dim a, Dim b) {
  PD_THROW(InvalidArgument, "expected an extent from 0 to ", INT64_MAX, ", got ", DimText(a), " ", op, " ", DimText(b));
}

namespace {
[[noreturn]] void RaiseNoShape(const std::string& shape) {
  PD_THROW(InvalidArgument, "expected a shape of fewer than ", kMaxElements, " elements and at most ", kMaxRank,
           " axes, none of a negative extent, got ", shape);
}
}  // namespace

void RaiseTooLarge(const Ints& d) { RaiseNoShape(ShapeText(d)); }

Dim Product(const Dims& d) {
  ShapeWalk walk;
  bool known = true;
  for (Dim x : d) {
    known &= x.known();
    walk.Next(x.known() ? x.raw() : 1);
  }
  if (!walk.fits(d.size())) RaiseNoShape(ShapeText(d));
  if (known || walk.count() == 0) return Dim(walk.count());
  Dim p(1);
  for (Dim x : d) p = p * x;
  return p;
}

DimParts PartsOf(Dim d) {
  SymbolTable& t = Table();
  std::lock_guard<std::mutex> lock(t.mutex);
  const Symbol& s = t.At(d);
  return {s.op, s.a, s.b};
}

std::string DimText(Dim d) {
  if (d.known()) return std::to_string(d.raw());
  SymbolTable& t = Table();
  std::lock_guard<std::mutex> lock(t.mutex);
  return t.Text(d);
}

std::string ShapeText(const Dims& d) {
  std::string s = "[";
  for (int64_t i = 0; i < d.size(); ++i) s += (i ? ", " : "") + DimText(d[i]);
  return s + "]";
}
std::string ShapeText(const Ints& d) {
  std::string s = "[";
  for (int64_t i = 0; i < d.size(); ++i) s += (i ? ", " : "") + std::to_string(d[i]);
  return s + "]";
}

Dim BroadcastDim(const char* op, Dim a, Dim b, const Dims& sa, const Dims& sb) {
  if (SameDim(a, b) || IsOne(b)) return a;
  if (IsOne(a)) return b;
  PD_CHECK(!CertainlyDiffer(a, b), InvalidArgument, "[", op, "] expected shapes that broadcast, got ", ShapeText(sa),
           " and ", ShapeText(sb));
  return SymbolicOp('b', a, b);
}

Dims BroadcastDims(const char* op, const Dims& a, const Dims& b) {
  const Dims& big = a.size() >= b.size() ? a : b;
  const Dims& small = a.size() >= b.size() ? b : a;
  Dims out = big;
  int64_t shift = big.size() - small.size();
  for (int64_t i = 0; i < small.size(); ++i)
    out[i + shift] = BroadcastDim(op, a.size() >= b.size() ? big[i + shift] : small[i],
                                  a.size() >= b.size() ? small[i] : big[i + shift], a, b);
  return out;
}

void RequireEq(const char* op, const char* what, Dim a, Dim b) {
  PD_CHECK(!CertainlyDiffer(a, b), InvalidArgument, "[", op, "] expected ", what, " to be equal, got ", DimText(a),
           " and ", DimText(b));
}

int64_t UnusualAxis(const char* op, int64_t axis, int64_t rank) {
  // axis 0 of a 0-D tensor is that tensor, but not for ops that cut or join an extent
  PD_CHECK(rank > 0 || !TraitsOf(op).needs_axis, InvalidArgument, "[", op,
           "] expected a tensor of at least one axis, got a 0-D one");
  const int64_t r = rank == 0 ? 1 : rank;
  if (axis < -r || axis >= r)
    internal::Throw(TraitsOf(op).range_error ? ErrorCode::kOutOfRange : ErrorCode::kInvalidArgument, "[", op,
                    "] expected axis in [", -r, ", ", r, "), got ", axis);
  return axis < 0 ? axis + r : axis;
}

}  // namespace common
