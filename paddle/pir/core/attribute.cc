// SPDX-License-Identifier: Apache-2.0
#include "paddle/pir/core/attribute.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "paddle/common/error.h"
#include "paddle/pir/core/context.h"

namespace pir {
namespace {

Attribute Make(AttrKind kind, detail::AttrPayload v) {
  return Attribute(IrContext::Instance().InternAttr(kind, std::move(v)));
}

template <class V, class F>
Attribute MakeArray(const V& v, F one) {
  std::vector<Attribute> a;
  a.reserve(v.size());
  for (const auto& x : v) a.push_back(one(x));
  return Attribute::Array(std::move(a));
}

[[noreturn]] void WrongKind(const Attribute& a, const char* want) {
  PD_THROW(InvalidType, "[pir] expected an attribute of kind ", want, ", got ", AttributeText(a));
}

// Saturating, and 0 for NaN: a file may hold any double.
int64_t ToInt64(double d) {
  if (std::isnan(d)) return 0;
  if (d >= 9223372036854775807.0) return std::numeric_limits<int64_t>::max();
  if (d <= -9223372036854775808.0) return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(d);
}

}  // namespace

Attribute Attribute::Bool(bool v) {
  static const Attribute t = Make(AttrKind::kBool, true), f = Make(AttrKind::kBool, false);
  return v ? t : f;
}
Attribute Attribute::Int32(int32_t v) { return Make(AttrKind::kInt32, static_cast<int64_t>(v)); }
Attribute Attribute::Int64(int64_t v) { return Make(AttrKind::kInt64, v); }
Attribute Attribute::Float(float v) { return Make(AttrKind::kFloat, static_cast<double>(v)); }
Attribute Attribute::Double(double v) { return Make(AttrKind::kDouble, v); }
Attribute Attribute::Complex64(std::complex<float> v) { return Make(AttrKind::kComplex64, std::complex<double>(v)); }
Attribute Attribute::Complex128(std::complex<double> v) { return Make(AttrKind::kComplex128, v); }
Attribute Attribute::Str(std::string_view v) { return Make(AttrKind::kStr, std::string(v)); }
Attribute Attribute::Index(int64_t v) { return Make(AttrKind::kIndex, v); }
Attribute Attribute::Array(std::vector<Attribute> v) { return Make(AttrKind::kArray, std::move(v)); }
Attribute Attribute::TypeAttr(Type v) { return Make(AttrKind::kType, v); }
Attribute Attribute::TensorName(std::string_view v) { return Make(AttrKind::kTensorName, std::string(v)); }
Attribute Attribute::Pointer(void* v) { return Make(AttrKind::kPointer, v); }
Attribute Attribute::IntArray(common::Ints v) { return Make(AttrKind::kIntArray, std::move(v)); }
Attribute Attribute::Scalar(phi::Scalar v) { return Make(AttrKind::kScalar, v); }
Attribute Attribute::Number(const phi::Scalar& v) {
  if (phi::IsComplex(v.dtype())) return Complex128(v.to_complex());
  const double d = v.to_double();
  const bool exact = !v.is_integral() || (d < 0x1p63 && static_cast<int64_t>(d) == v.to_int());
  return exact ? Double(d) : Int64(v.to_int());
}
Attribute Attribute::DType(DataType v) { return Make(AttrKind::kDataType, v); }
Attribute Attribute::Layout(std::string_view v) { return Make(AttrKind::kLayout, std::string(v)); }
Attribute Attribute::PlaceAttr(phi::Place v) { return Make(AttrKind::kPlace, v); }

Attribute Attribute::From(const phi::AttrValue& v) {
  switch (static_cast<AttrCode>(v.index())) {
    case AttrCode::kNone: return {};
    case AttrCode::kBool: return Bool(std::get<bool>(v));
    case AttrCode::kInt32: return Int32(std::get<int32_t>(v));
    case AttrCode::kInt64: return Int64(std::get<int64_t>(v));
    case AttrCode::kFloat: return Float(std::get<float>(v));
    case AttrCode::kDouble: return Double(std::get<double>(v));
    case AttrCode::kStr: return Str(std::get<std::string>(v));
    case AttrCode::kInt32s: return MakeArray(std::get<std::vector<int32_t>>(v), Int32);
    case AttrCode::kInt64s: return MakeArray(std::get<std::vector<int64_t>>(v), Int64);
    case AttrCode::kFloats: return MakeArray(std::get<std::vector<float>>(v), Float);
    case AttrCode::kDoubles: return MakeArray(std::get<std::vector<double>>(v), Double);
    case AttrCode::kBools: return MakeArray(std::get<std::vector<bool>>(v), [](bool b) { return Bool(b); });
    case AttrCode::kStrs: return MakeArray(std::get<std::vector<std::string>>(v), Str);
    case AttrCode::kScalar: return Scalar(std::get<phi::Scalar>(v));
    case AttrCode::kScalars: return MakeArray(std::get<std::vector<phi::Scalar>>(v), Scalar);
    case AttrCode::kIntArray: return IntArray(std::get<phi::IntArray>(v).numbers());
    case AttrCode::kDataType: return DType(std::get<DataType>(v));
    case AttrCode::kPlace: return PlaceAttr(std::get<phi::Place>(v));
  }
  return {};
}

bool Attribute::to_bool() const {
  if (kind() == AttrKind::kBool) return std::get<bool>(impl_->value);
  return to_double() != 0;
}
int64_t Attribute::to_int() const {
  switch (kind()) {
    case AttrKind::kBool: return std::get<bool>(impl_->value);
    case AttrKind::kInt32:
    case AttrKind::kInt64:
    case AttrKind::kIndex: return std::get<int64_t>(impl_->value);
    case AttrKind::kScalar: {
      const auto& s = std::get<phi::Scalar>(impl_->value);
      return s.is_integral() ? s.to_int() : ToInt64(s.to_double());
    }
    default: return ToInt64(to_double());
  }
}
double Attribute::to_double() const {
  switch (kind()) {
    case AttrKind::kBool:
    case AttrKind::kInt32:
    case AttrKind::kInt64:
    case AttrKind::kIndex: return static_cast<double>(to_int());
    case AttrKind::kFloat:
    case AttrKind::kDouble: return std::get<double>(impl_->value);
    case AttrKind::kComplex64:
    case AttrKind::kComplex128: return std::get<std::complex<double>>(impl_->value).real();
    case AttrKind::kScalar: return std::get<phi::Scalar>(impl_->value).to_double();
    default: WrongKind(*this, "number");
  }
}
std::complex<double> Attribute::to_complex() const {
  if (kind() == AttrKind::kComplex64 || kind() == AttrKind::kComplex128)
    return std::get<std::complex<double>>(impl_->value);
  if (kind() == AttrKind::kScalar) return std::get<phi::Scalar>(impl_->value).to_complex();
  return to_double();
}
const std::string& Attribute::to_str() const {
  if (kind() != AttrKind::kStr && kind() != AttrKind::kTensorName && kind() != AttrKind::kLayout)
    WrongKind(*this, "string");
  return std::get<std::string>(impl_->value);
}
const std::vector<Attribute>& Attribute::to_array() const {
  if (kind() != AttrKind::kArray) WrongKind(*this, "array");
  return std::get<std::vector<Attribute>>(impl_->value);
}
Type Attribute::to_type() const {
  if (kind() != AttrKind::kType) WrongKind(*this, "type");
  return std::get<Type>(impl_->value);
}
void* Attribute::to_pointer() const {
  if (kind() != AttrKind::kPointer) WrongKind(*this, "pointer");
  return std::get<void*>(impl_->value);
}
common::Ints Attribute::to_ints() const {
  if (kind() == AttrKind::kIntArray) return std::get<common::Ints>(impl_->value);
  common::Ints r;
  for (Attribute a : to_array()) r.push_back(a.to_int());
  return r;
}
phi::Scalar Attribute::to_scalar() const {
  switch (kind()) {
    case AttrKind::kScalar: return std::get<phi::Scalar>(impl_->value);
    case AttrKind::kBool: return phi::Scalar(to_bool());
    case AttrKind::kInt32:
    case AttrKind::kInt64:
    case AttrKind::kIndex: return phi::Scalar(to_int());
    case AttrKind::kFloat: return phi::Scalar(static_cast<float>(to_double()));
    case AttrKind::kComplex64:
    case AttrKind::kComplex128: return phi::Scalar(to_complex());
    default: return phi::Scalar(to_double());
  }
}
DataType Attribute::to_dtype() const {
  if (kind() != AttrKind::kDataType) WrongKind(*this, "dtype");
  return std::get<DataType>(impl_->value);
}
phi::Place Attribute::to_place() const {
  if (kind() != AttrKind::kPlace) WrongKind(*this, "place");
  return std::get<phi::Place>(impl_->value);
}

phi::AttrValue Attribute::value() const {
  switch (kind()) {
    case AttrKind::kNull: return {};
    case AttrKind::kBool: return value(AttrCode::kBool);
    case AttrKind::kInt32: return value(AttrCode::kInt32);
    case AttrKind::kInt64:
    case AttrKind::kIndex: return value(AttrCode::kInt64);
    case AttrKind::kFloat: return value(AttrCode::kFloat);
    case AttrKind::kDouble: return value(AttrCode::kDouble);
    case AttrKind::kComplex64:
    case AttrKind::kComplex128:
    case AttrKind::kScalar: return value(AttrCode::kScalar);
    case AttrKind::kStr:
    case AttrKind::kTensorName:
    case AttrKind::kLayout: return value(AttrCode::kStr);
    case AttrKind::kIntArray: return value(AttrCode::kIntArray);
    case AttrKind::kDataType: return value(AttrCode::kDataType);
    case AttrKind::kPlace: return value(AttrCode::kPlace);
    case AttrKind::kArray: {
      const auto& a = to_array();
      if (a.empty()) return std::vector<int64_t>{};
      switch (a[0].kind()) {
        case AttrKind::kBool: return value(AttrCode::kBools);
        case AttrKind::kInt32: return value(AttrCode::kInt32s);
        case AttrKind::kInt64:
        case AttrKind::kIndex: return value(AttrCode::kInt64s);
        case AttrKind::kFloat: return value(AttrCode::kFloats);
        case AttrKind::kDouble: return value(AttrCode::kDoubles);
        case AttrKind::kStr: return value(AttrCode::kStrs);
        case AttrKind::kComplex64:
        case AttrKind::kComplex128:
        case AttrKind::kScalar: return value(AttrCode::kScalars);
        default: WrongKind(*this, "array of plain values");
      }
    }
    case AttrKind::kType:
    case AttrKind::kPointer: break;
  }
  WrongKind(*this, "plain value");
}

namespace {
int32_t ToInt32(Attribute a) {
  int64_t v = a.to_int();
  PD_CHECK(v >= INT32_MIN && v <= INT32_MAX, OutOfRange, "[pir] expected an attribute that fits int32, got ", v);
  return static_cast<int32_t>(v);
}

template <class T, class F>
std::vector<T> ToVector(Attribute a, F one) {
  std::vector<T> r;
  if (a.kind() == AttrKind::kIntArray) {
    for (int64_t x : a.to_ints()) r.push_back(one(Attribute::Int64(x)));
    return r;
  }
  const auto& v = a.to_array();
  r.reserve(v.size());
  for (Attribute x : v) r.push_back(one(x));
  return r;
}
}  // namespace

phi::AttrValue Attribute::value(AttrCode code) const {
  switch (code) {
    case AttrCode::kNone: return value();
    case AttrCode::kBool: return to_bool();
    case AttrCode::kInt32: return ToInt32(*this);
    case AttrCode::kInt64: return to_int();
    case AttrCode::kFloat: return static_cast<float>(to_double());
    case AttrCode::kDouble: return to_double();
    case AttrCode::kStr: return to_str();
    case AttrCode::kInt32s: return ToVector<int32_t>(*this, ToInt32);
    case AttrCode::kInt64s: return ToVector<int64_t>(*this, [](Attribute a) { return a.to_int(); });
    case AttrCode::kFloats:
      return ToVector<float>(*this, [](Attribute a) { return static_cast<float>(a.to_double()); });
    case AttrCode::kDoubles: return ToVector<double>(*this, [](Attribute a) { return a.to_double(); });
    case AttrCode::kBools: return ToVector<bool>(*this, [](Attribute a) { return a.to_bool(); });
    case AttrCode::kStrs: return ToVector<std::string>(*this, [](Attribute a) { return a.to_str(); });
    case AttrCode::kScalar: return to_scalar();
    case AttrCode::kScalars: return ToVector<phi::Scalar>(*this, [](Attribute a) { return a.to_scalar(); });
    case AttrCode::kIntArray: return phi::IntArray(to_ints());
    case AttrCode::kDataType: return to_dtype();
    case AttrCode::kPlace: return to_place();
  }
  return {};
}

void AttributeMap::Set(Name name, Attribute value) {
  auto it = std::lower_bound(items_.begin(), items_.end(), name,
                             [](const NamedAttribute& a, Name n) { return a.name.str() < n.str(); });
  if (it != items_.end() && it->name == name)
    it->value = value;
  else
    items_.insert(it, {name, value});
}

bool operator==(const AttributeMap& a, const AttributeMap& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const NamedAttribute& x, const NamedAttribute& y) {
    return x.name == y.name && x.value == y.value;
  });
}

}  // namespace pir
