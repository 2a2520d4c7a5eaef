// SPDX-License-Identifier: Apache-2.0
#include "paddle/pir/core/context.h"

#include <array>
#include <bit>
#include <deque>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace pir {
namespace {

size_t Mix(size_t h, uint64_t v) {
  h ^= v + 0x9e3779b97f4a7c15ULL + (h << 12) + (h >> 4);
  return h * 0xff51afd7ed558ccdULL;
}
uint64_t Bits(double v) { return std::bit_cast<uint64_t>(v); }

size_t HashDims(size_t h, const common::Dims& d) {
  h = Mix(h, static_cast<uint64_t>(d.size()));
  for (common::Dim x : d) h = Mix(h, static_cast<uint64_t>(x.raw()));
  return h;
}

size_t HashType(const detail::TypeStorage& t) {
  size_t h = Mix(static_cast<size_t>(t.kind), static_cast<uint64_t>(static_cast<int64_t>(t.dtype)));
  h = Mix(h, reinterpret_cast<uintptr_t>(t.layout.key()));
  h = HashDims(h, t.dims);
  if (t.nnz_dims.size()) h = HashDims(h, t.nnz_dims);
  for (Type e : t.elements) h = Mix(h, reinterpret_cast<uintptr_t>(e.key()));
  return h;
}
bool EqualType(const detail::TypeStorage& a, const detail::TypeStorage& b) {
  return a.kind == b.kind && a.dtype == b.dtype && a.layout == b.layout && common::SameDims(a.dims, b.dims) &&
         common::SameDims(a.nnz_dims, b.nnz_dims) && a.elements == b.elements;
}

// Numbers are hashed and compared by their bits: NaN is equal to itself, 0.0 and -0.0 differ.
struct PayloadHash {
  size_t operator()(std::monostate) const { return 0; }
  size_t operator()(bool v) const { return v; }
  size_t operator()(int64_t v) const { return static_cast<size_t>(v); }
  size_t operator()(double v) const { return Bits(v); }
  size_t operator()(std::complex<double> v) const { return Mix(Bits(v.real()), Bits(v.imag())); }
  size_t operator()(const std::string& v) const { return std::hash<std::string>()(v); }
  size_t operator()(const std::vector<Attribute>& v) const {
    size_t h = v.size();
    for (Attribute a : v) h = Mix(h, reinterpret_cast<uintptr_t>(a.key()));
    return h;
  }
  size_t operator()(Type v) const { return reinterpret_cast<uintptr_t>(v.key()); }
  size_t operator()(void* v) const { return reinterpret_cast<uintptr_t>(v); }
  size_t operator()(const common::Ints& v) const {
    size_t h = static_cast<size_t>(v.size());
    for (int64_t x : v) h = Mix(h, static_cast<uint64_t>(x));
    return h;
  }
  size_t operator()(const phi::Scalar& v) const {
    size_t h = Mix(static_cast<size_t>(v.dtype()), static_cast<uint64_t>(v.is_integral() ? v.to_int() : 0));
    auto c = v.to_complex();
    return Mix(Mix(h, Bits(c.real())), Bits(c.imag()));
  }
  size_t operator()(DataType v) const { return static_cast<size_t>(v); }
  size_t operator()(const phi::Place& v) const {
    return Mix(Mix(static_cast<size_t>(v.type), static_cast<uint64_t>(v.device_id)), static_cast<uint64_t>(v.custom));
  }
};

struct PayloadEqual {
  template <class T>
  bool operator()(const T& a, const T& b) const {
    if constexpr (std::is_same_v<T, double>) {
      return Bits(a) == Bits(b);
    } else if constexpr (std::is_same_v<T, std::complex<double>>) {
      return Bits(a.real()) == Bits(b.real()) && Bits(a.imag()) == Bits(b.imag());
    } else if constexpr (std::is_same_v<T, phi::Scalar>) {
      if (a.dtype() != b.dtype()) return false;
      if (a.is_integral()) return a.to_int() == b.to_int();
      return (*this)(a.to_complex(), b.to_complex());
    } else {
      return a == b;
    }
  }
  template <class T, class U>
  bool operator()(const T&, const U&) const {
    return false;
  }
};

// A hash set of immutable T split over locks, so that threads recording different programs seldom meet.
template <class T>
class InternTable {
 public:
  template <class Equal, class Make>
  const T* Find(size_t hash, const Equal& equal, const Make& make) {
    Shard& s = shards_[(hash >> 7) % kShards];
    std::lock_guard<std::mutex> lock(s.mutex);
    auto [b, e] = s.map.equal_range(hash);
    for (; b != e; ++b)
      if (equal(*b->second)) return b->second;
    const T* p = make();
    s.map.emplace(hash, p);
    return p;
  }
  size_t size() {
    size_t n = 0;
    for (Shard& s : shards_) {
      std::lock_guard<std::mutex> lock(s.mutex);
      n += s.map.size();
    }
    return n;
  }

 private:
  static constexpr size_t kShards = 16;
  struct Shard {
    std::mutex mutex;
    std::unordered_multimap<size_t, const T*> map;
  };
  std::array<Shard, kShards> shards_;
};

}  // namespace

struct IrContext::Impl {
  InternTable<detail::TypeStorage> types;
  InternTable<detail::AttrStorage> attrs;
  InternTable<std::string> names;
};

IrContext::IrContext() : impl_(new Impl) {}

IrContext& IrContext::Instance() {
  static IrContext* ctx = new IrContext;
  return *ctx;
}

const detail::TypeStorage* IrContext::InternType(detail::TypeStorage&& parts) {
  parts.hash = HashType(parts);
  return impl_->types.Find(
      parts.hash, [&](const detail::TypeStorage& t) { return EqualType(t, parts); },
      [&] { return new detail::TypeStorage(std::move(parts)); });
}

const detail::AttrStorage* IrContext::InternAttr(AttrKind kind, detail::AttrPayload&& value) {
  size_t hash = Mix(static_cast<size_t>(kind) * 31 + value.index(), std::visit(PayloadHash{}, value));
  return impl_->attrs.Find(
      hash, [&](const detail::AttrStorage& a) { return a.kind == kind && std::visit(PayloadEqual{}, a.value, value); },
      [&] {
        return new detail::AttrStorage{kind, hash, std::move(value)};
      });
}

const std::string* IrContext::InternName(std::string_view text) {
  return impl_->names.Find(
      std::hash<std::string_view>()(text), [&](const std::string& s) { return s == text; },
      [&] { return new std::string(text); });
}

IrContext::Stats IrContext::stats() const { return {impl_->types.size(), impl_->attrs.size(), impl_->names.size()}; }

Name::Name(std::string_view text) : impl_(text.empty() ? nullptr : IrContext::Instance().InternName(text)) {}

const std::string& Name::Empty() {
  static const std::string* empty = new std::string;
  return *empty;
}

}  // namespace pir
