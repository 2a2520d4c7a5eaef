// SPDX-License-Identifier: Apache-2.0
// Types and attributes as text of the JSON program format.
#pragma once

#include <cmath>
#include <complex>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "paddle/common/error.h"
#include "paddle/pir/core/attribute.h"
#include "paddle/pir/serialize/json_names.h"

namespace pir::json_format {

// Appends to `out_`.
class JsonText {
 protected:
  void Str(std::string_view s) {
    static const char* kHex = "0123456789abcdef";
    out_ += '"';
    for (char c : s) {
      switch (c) {
        case '"': out_ += "\\\""; break;
        case '\\': out_ += "\\\\"; break;
        case '\b': out_ += "\\b"; break;
        case '\f': out_ += "\\f"; break;
        case '\n': out_ += "\\n"; break;
        case '\r': out_ += "\\r"; break;
        case '\t': out_ += "\\t"; break;
        default:
          if (static_cast<unsigned char>(c) < 0x20) {
            out_ += "\\u00";
            out_ += kHex[c >> 4];
            out_ += kHex[c & 15];
          } else {
            out_ += c;
          }
      }
    }
    out_ += '"';
  }
  void Int(int64_t v) { out_ += std::to_string(v); }
  void Real(double v) {
    char buf[64];
    char* end = nlohmann::detail::to_chars(buf, buf + sizeof(buf), v);
    out_.append(buf, end);
  }
  template <class C, class F>
  void List(const C& items, F f) {
    out_ += '[';
    bool first = true;
    for (const auto& x : items) {
      if (!first) out_ += ',';
      first = false;
      f(x);
    }
    out_ += ']';
  }
  void Dims(const common::Dims& d) {
    List(d, [&](common::Dim x) { Int(x.visible()); });
  }
  void Tag(std::string_view tag) {
    out_ += "{\"#\":\"";
    out_ += tag;
    out_ += '"';
  }

  void WriteType(Type t) {
    if (!t) {
      out_ += R"({"#":"NULL"})";
      return;
    }
    const detail::TypeStorage& s = *t.storage();
    // What all types of tensors begin with.
    auto dense = [&](std::string_view tag, const common::Dims* more = nullptr) {
      Tag(tag);
      out_ += ",\"D\":[";
      WriteType(Type::Scalar(s.dtype));
      out_ += ',';
      Dims(s.dims);
      if (more) {
        out_ += ',';
        Dims(*more);
      }
      out_ += ',';
      Str(s.layout.str());
    };
    auto elements = [&] {
      for (Type e : s.elements) {
        out_ += ',';
        WriteType(e);
      }
    };
    switch (s.kind) {
      case TypeKind::kScalar: Tag(std::string("0.t_").append(DtypeId(s.dtype))); break;
      case TypeKind::kIndex: Tag("0.t_index"); break;
      case TypeKind::kUndefined: Tag("0.t_undefined"); break;
      case TypeKind::kStack: Tag("2.t_stack"); break;
      case TypeKind::kInlet: Tag("2.t_inlet"); break;
      case TypeKind::kOutlet: Tag("2.t_outlet"); break;
      case TypeKind::kVector:
        Tag("0.t_vec");
        out_ += ",\"D\":";
        List(s.elements, [&](Type e) { WriteType(e); });
        break;
      case TypeKind::kDenseTensor:
        dense("0.t_dtensor");
        out_ += ",[],0]";
        break;
      case TypeKind::kSelectedRows:
        dense("1.t_selected_rows");
        out_ += ",[],0]";
        break;
      case TypeKind::kTensorArray:
        dense("1.t_dense_tensor_array");
        out_ += ']';
        break;
      case TypeKind::kSparseCoo:
        dense("1.t_sparse_coo_tensor", &s.nnz_dims);
        elements();
        out_ += ']';
        break;
      case TypeKind::kSparseCsr:
        dense("1.t_sparse_csr_tensor");
        elements();
        out_ += ']';
        break;
      case TypeKind::kNull: break;
    }
    out_ += '}';
  }

  // Numbers JSON cannot hold stand under "VD" as text.
  void RealValue(const char* tag, double v) {
    Tag(tag);
    if (std::isfinite(v)) {
      out_ += ",\"D\":";
      Real(v);
    } else {
      out_ += ",\"VD\":";
      Str(std::isnan(v) ? "NaN" : v < 0 ? "-INF" : "INF");
    }
    out_ += '}';
  }
  void IntValue(const char* tag, int64_t v) {
    Tag(tag);
    out_ += ",\"D\":";
    Int(v);
    out_ += '}';
  }
  void StrValue(const char* tag, std::string_view v) {
    Tag(tag);
    out_ += ",\"D\":";
    Str(v);
    out_ += '}';
  }
  void ComplexValue(const char* tag, std::complex<double> c) {
    PD_CHECK(std::isfinite(c.real()) && std::isfinite(c.imag()), Unimplemented,
             "cannot write a program with a complex attribute that is not finite");
    Tag(tag);
    out_ += ",\"D\":[";
    Real(c.real());
    out_ += ',';
    Real(c.imag());
    out_ += "]}";
  }

  void WriteScalar(const phi::Scalar& s) {
    switch (s.dtype()) {
      case DataType::BOOL: return WriteAttr(Attribute::Bool(s.to_bool()));
      case DataType::INT64: return IntValue("0.a_i64", s.to_int());
      case DataType::FLOAT32: return RealValue("0.a_f32", s.to_double());
      case DataType::COMPLEX128: return ComplexValue("0.a_c128", s.to_complex());
      default: return RealValue("0.a_f64", s.to_double());
    }
  }

  void WriteAttr(Attribute a) {
    switch (a.kind()) {
      case AttrKind::kNull: out_ += R"({"#":"NULL"})"; return;
      case AttrKind::kBool:
        Tag("0.a_bool");
        out_ += a.to_bool() ? ",\"D\":true}" : ",\"D\":false}";
        return;
      case AttrKind::kInt32: return IntValue("0.a_i32", a.to_int());
      case AttrKind::kInt64: return IntValue("0.a_i64", a.to_int());
      case AttrKind::kIndex: return IntValue("0.a_index", a.to_int());
      case AttrKind::kFloat: return RealValue("0.a_f32", a.to_double());
      case AttrKind::kDouble: return RealValue("0.a_f64", a.to_double());
      case AttrKind::kComplex64: return ComplexValue("0.a_c64", a.to_complex());
      case AttrKind::kComplex128: return ComplexValue("0.a_c128", a.to_complex());
      case AttrKind::kStr: return StrValue("0.a_str", a.to_str());
      case AttrKind::kTensorName: return StrValue("0.a_tensorname", a.to_str());
      case AttrKind::kLayout: return StrValue("1.a_layout", a.to_str());
      case AttrKind::kArray:
        Tag("0.a_array");
        out_ += ",\"D\":";
        List(a.to_array(), [&](Attribute x) { WriteAttr(x); });
        out_ += '}';
        return;
      case AttrKind::kType:
        Tag("0.a_type");
        out_ += ",\"D\":";
        WriteType(a.to_type());
        out_ += '}';
        return;
      case AttrKind::kPointer: PD_THROW(Unimplemented, "cannot write a program with a pointer attribute");
      case AttrKind::kIntArray:
        Tag("1.a_intarray");
        out_ += ",\"D\":";
        List(a.to_ints(), [&](int64_t x) { Int(x); });
        out_ += '}';
        return;
      case AttrKind::kScalar: return WriteScalar(a.to_scalar());
      case AttrKind::kDataType: {
        DataType t = a.to_dtype();
        return StrValue("1.a_dtype", t == DataType::UNDEFINED ? kUndefinedDtype : phi::NameOf(t));
      }
      case AttrKind::kPlace: {
        phi::Place p = a.to_place();
        Tag("1.a_place");
        out_ += ",\"D\":[" + std::to_string(static_cast<int>(p.type)) + "," + std::to_string(p.device_id) + ",";
        Str(p.custom ? phi::CustomDeviceName(p.custom) : "");
        out_ += "]}";
        return;
      }
    }
  }

  std::string out_;
};

}  // namespace pir::json_format
