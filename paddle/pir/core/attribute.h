// SPDX-License-Identifier: Apache-2.0
// Attributes of operations: interned and immutable like types, convertible from and to phi::AttrValue.
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "paddle/common/attr.h"
#include "paddle/pir/core/type.h"

namespace pir {

enum class AttrKind : uint8_t {
  kNull,
  kBool,
  kInt32,
  kInt64,
  kFloat,
  kDouble,
  kComplex64,
  kComplex128,
  kStr,
  kIndex,
  kArray,
  kType,
  kTensorName,
  kPointer,
  kIntArray,
  kScalar,
  kDataType,
  kLayout,
  kPlace,
};

// Which alternative of phi::AttrValue an op's attribute is declared as; values equal AttrValue's variant index.
enum class AttrCode : uint8_t {
  kNone = 0,
  kBool,
  kInt32,
  kInt64,
  kFloat,
  kDouble,
  kStr,
  kInt32s,
  kInt64s,
  kFloats,
  kDoubles,
  kBools,
  kStrs,
  kScalar,
  kScalars,
  kIntArray,
  kDataType,
  kPlace,
};
static_assert(std::variant_size_v<phi::AttrValue> == static_cast<size_t>(AttrCode::kPlace) + 1);

class Attribute;

namespace detail {
using AttrPayload = std::variant<std::monostate, bool, int64_t, double, std::complex<double>, std::string,
                                 std::vector<Attribute>, Type, void*, common::Ints, phi::Scalar, DataType, phi::Place>;
struct AttrStorage {
  AttrKind kind = AttrKind::kNull;
  size_t hash = 0;
  AttrPayload value;
};
}  // namespace detail

class Attribute {
 public:
  Attribute() = default;
  explicit Attribute(const detail::AttrStorage* impl) : impl_(impl) {}

  static Attribute Bool(bool v);
  static Attribute Int32(int32_t v);
  static Attribute Int64(int64_t v);
  static Attribute Float(float v);
  static Attribute Double(double v);
  static Attribute Complex64(std::complex<float> v);
  static Attribute Complex128(std::complex<double> v);
  static Attribute Str(std::string_view v);
  static Attribute Index(int64_t v);
  static Attribute Array(std::vector<Attribute> v);
  static Attribute TypeAttr(Type v);
  static Attribute TensorName(std::string_view v);
  static Attribute Pointer(void* v);
  static Attribute IntArray(common::Ints v);
  static Attribute Scalar(phi::Scalar v);
  // As PaddlePaddle keeps a Scalar: a double, unless it is complex or an integer that a double cannot hold.
  static Attribute Number(const phi::Scalar& v);
  static Attribute DType(DataType v);
  static Attribute Layout(std::string_view v);
  static Attribute PlaceAttr(phi::Place v);
  // monostate gives the null attribute; vectors become arrays.
  static Attribute From(const phi::AttrValue& v);

  explicit operator bool() const { return impl_ != nullptr; }
  friend bool operator==(Attribute a, Attribute b) { return a.impl_ == b.impl_; }
  const void* key() const { return impl_; }
  AttrKind kind() const { return impl_ ? impl_->kind : AttrKind::kNull; }
  const detail::AttrStorage* storage() const { return impl_; }

  // Accessors throw InvalidType when the attribute is of another kind. The numeric ones accept any numeric kind.
  bool to_bool() const;
  int64_t to_int() const;
  double to_double() const;
  std::complex<double> to_complex() const;
  const std::string& to_str() const;  // kStr, kTensorName, kLayout
  const std::vector<Attribute>& to_array() const;
  Type to_type() const;
  void* to_pointer() const;
  common::Ints to_ints() const;   // kIntArray, or an array of integers
  phi::Scalar to_scalar() const;  // kScalar or any numeric kind
  DataType to_dtype() const;
  phi::Place to_place() const;

  // The natural AttrValue: arrays by their first element's kind (an empty one gives vector<int64_t>).
  phi::AttrValue value() const;
  // As declared by an op: any numeric kind converts to any numeric kind, and so do arrays of them.
  phi::AttrValue value(AttrCode code) const;

 private:
  const detail::AttrStorage* impl_ = nullptr;
};

struct NamedAttribute {
  Name name;
  Attribute value;
};

// Attributes of one op, sorted by name text, in one small vector.
class AttributeMap {
 public:
  AttributeMap() = default;
  AttributeMap(std::initializer_list<NamedAttribute> l) {
    items_.reserve(l.size());
    for (const NamedAttribute& a : l) Set(a.name, a.value);
  }
  void reserve(size_t n) { items_.reserve(n); }
  size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }
  // The null attribute when absent. By Name is pointer comparison, by text a string comparison.
  Attribute Get(Name name) const {
    for (const NamedAttribute& a : items_)
      if (a.name == name) return a.value;
    return {};
  }
  Attribute Get(std::string_view name) const {
    for (const NamedAttribute& a : items_)
      if (a.name.str() == name) return a.value;
    return {};
  }
  Attribute Get(const char* name) const { return Get(std::string_view(name)); }
  Attribute Get(const std::string& name) const { return Get(std::string_view(name)); }
  bool Has(std::string_view name) const { return static_cast<bool>(Get(name)); }
  void Set(Name name, Attribute value);
  friend bool operator==(const AttributeMap& a, const AttributeMap& b);

 private:
  std::vector<NamedAttribute> items_;
};

// Text as in a printed program: `true`, `1e-07`, `"x"`, `[1,2]`, `Place(cpu)`, `float32`.
std::string AttributeText(Attribute a);

}  // namespace pir

template <>
struct std::hash<pir::Attribute> {
  size_t operator()(pir::Attribute a) const noexcept { return std::hash<const void*>()(a.key()); }
};
