// SPDX-License-Identifier: Apache-2.0
// Writes the JSON program format as text directly: keys in the order a sorted map would give.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include <nlohmann/json.hpp>

#include "paddle/common/error.h"
#include "paddle/pir/core/verify.h"
#include "paddle/pir/serialize/file_util.h"
#include "paddle/pir/serialize/json_names.h"
#include "paddle/pir/serialize/program_json.h"

namespace pir {
namespace {

using namespace json_format;  // NOLINT: this file is the format's writer

// Attributes outside an op's declaration that belong into the file.
constexpr std::string_view kExtraAttrs[] = {"struct_name", "op_role"};

class Writer {
 public:
  explicit Writer(const WriteJsonOptions& o) : o_(o) {}

  std::string Run(const Program& p) {
    out_ = R"({"base_code":{"magic":"pir","trainable":)";
    out_ += o_.trainable ? "true" : "false";
    out_ += ",\"version\":" + std::to_string(kVersion) + "},\"program\":{\"regions\":[";
    WriteRegion(p.module()->region(0));
    out_ += "]}}";
    return std::move(out_);
  }

 private:
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
    auto dtype = [&] { WriteType(Type::Scalar(s.dtype)); };
    auto elements = [&] {
      for (Type e : s.elements) {
        out_ += ',';
        WriteType(e);
      }
    };
    switch (s.kind) {
      case TypeKind::kScalar:
        Tag(std::string("0.t_").append(DtypeId(s.dtype)));
        break;
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
      case TypeKind::kSelectedRows:
        Tag(s.kind == TypeKind::kDenseTensor ? "0.t_dtensor" : "1.t_selected_rows");
        out_ += ",\"D\":[";
        dtype();
        out_ += ',';
        Dims(s.dims);
        out_ += ',';
        Str(s.layout.str());
        out_ += ",[],0]";
        break;
      case TypeKind::kTensorArray:
        Tag("1.t_dense_tensor_array");
        out_ += ",\"D\":[";
        dtype();
        out_ += ',';
        Dims(s.dims);
        out_ += ',';
        Str(s.layout.str());
        out_ += ']';
        break;
      case TypeKind::kSparseCoo:
        Tag("1.t_sparse_coo_tensor");
        out_ += ",\"D\":[";
        dtype();
        out_ += ',';
        Dims(s.dims);
        out_ += ',';
        Dims(s.nnz_dims);
        out_ += ',';
        Str(s.layout.str());
        elements();
        out_ += ']';
        break;
      case TypeKind::kSparseCsr:
        Tag("1.t_sparse_csr_tensor");
        out_ += ",\"D\":[";
        dtype();
        out_ += ',';
        Dims(s.dims);
        out_ += ',';
        Str(s.layout.str());
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
      case AttrKind::kPointer:
        PD_THROW(Unimplemented, "cannot write a program with a pointer attribute");
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

  void WriteNamed(std::string_view name, Attribute a, bool* first) {
    if (!*first) out_ += ',';
    *first = false;
    out_ += "{\"AT\":";
    WriteAttr(a);
    out_ += ",\"N\":";
    Str(name);
    out_ += '}';
  }

  // A Scalar attribute stands as the plain number PaddlePaddle keeps it as: a double, unless it is complex.
  static Attribute Normal(const AttrInfo& decl, Attribute a) {
    auto scalar = [](Attribute x) {
      phi::Scalar s = x.to_scalar();
      return phi::IsComplex(s.dtype()) ? Attribute::Complex128(s.to_complex()) : Attribute::Double(s.to_double());
    };
    switch (decl.code) {
      case AttrCode::kScalar: return scalar(a);
      case AttrCode::kScalars: {
        std::vector<Attribute> v;
        for (Attribute x : a.to_array()) v.push_back(scalar(x));
        return Attribute::Array(std::move(v));
      }
      case AttrCode::kNone:
      case AttrCode::kStr: return a;  // tensor names and layouts keep their kinds
      default: return Attribute::From(a.value(decl.code));
    }
  }

  void WriteOp(const Operation& op) {
    if (op.isa("builtin.parameter")) return WriteParameter(op);
    Tag(OpNameToId(op.name()));
    out_ += ",\"A\":[";
    bool first = true;
    const OpInfo& info = *op.info();
    if (info.unregistered) {
      for (const NamedAttribute& a : op.attrs()) WriteNamed(a.name.str(), a.value, &first);
    } else {
      for (const AttrInfo& decl : info.attrs) {
        Attribute a = op.attr(decl.name);
        if (!a && decl.def.index() != 0) a = Attribute::From(decl.def);
        PD_CHECK(a, InvalidArgument, "[", op.name(), "] expected attribute '", decl.name, "' when saving, got none");
        WriteNamed(decl.name, Normal(decl, a), &first);
      }
      for (std::string_view extra : kExtraAttrs)
        if (!info.attr(extra))
          if (Attribute a = op.attr(extra)) WriteNamed(extra, a, &first);
    }
    out_ += "],\"I\":[";
    for (int i = 0; i < op.num_operands(); ++i) {
      out_ += i ? ",{\"%\":" : "{\"%\":";
      Int(IdOf(op, i));
      out_ += '}';
    }
    out_ += "],\"O\":[";
    for (int i = 0; i < op.num_results(); ++i) {
      if (i) out_ += ',';
      WriteResult(op.result(i));
    }
    out_ += ']';
    if (o_.trainable) {
      out_ += ",\"OA\":[";
      first = true;
      WriteFlags(op, "persistable", &detail::ValueImpl::persistable, false, &first);
      WriteFlags(op, "stop_gradient", &detail::ValueImpl::stop_gradient, true, &first);
      out_ += ']';
    }
    if (op.num_regions()) {
      out_ += ",\"regions\":[";
      for (int i = 0; i < op.num_regions(); ++i) {
        if (i) out_ += ',';
        WriteRegion(op.region(i));
      }
      out_ += ']';
    }
    out_ += '}';
  }

  void WriteResult(Value v) {
    int64_t id = ++next_id_;
    ids_[v] = id;
    out_ += "{\"%\":";
    Int(id);
    out_ += ",\"TT\":";
    WriteType(v.type());
    out_ += '}';
  }

  void WriteFlags(const Operation& op, const char* name, int8_t detail::ValueImpl::* flag, bool unset, bool* first) {
    bool any = false;
    std::vector<Attribute> v;
    for (int i = 0; i < op.num_results(); ++i) {
      int8_t f = op.result(i).impl()->*flag;
      any = any || f >= 0;
      v.push_back(Attribute::Bool(f < 0 ? unset : f != 0));
    }
    if (any) WriteNamed(name, Attribute::Array(std::move(v)), first);
  }

  void WriteParameter(const Operation& op) {
    auto flag = [&](const char* name, bool def) {
      Attribute a = op.attr(name);
      if (!a) return def ? "1" : "0";
      if (a.kind() == AttrKind::kArray) return !a.to_array().empty() && a.to_array()[0].to_bool() ? "1" : "0";
      return a.to_bool() ? "1" : "0";
    };
    Value v = op.result(0);
    out_ += std::string("{\"#\":\"p\",\"A\":[") + flag("is_distributed", false) + "," + flag("is_parameter", true) + "," +
            flag("need_clip", true) + ",";
    Str(op.attr("parameter_name").to_str());
    out_ += "],\"DA\":[],\"O\":";
    WriteResult(v);
    if (o_.trainable)
      out_ += std::string(",\"OA\":[") + (v.has_persistable() && !v.persistable() ? "0" : "1") + "," +
              (v.has_stop_gradient() ? (v.stop_gradient() ? "1" : "0") : "0") + "," + flag("trainable", true) + "]";
    out_ += ",\"QA\":[]}";
  }

  int64_t IdOf(const Operation& op, int i) {
    Value v = op.operand(i);
    if (!v) return 0;
    auto it = ids_.find(v);
    PD_CHECK(it != ids_.end(), Unimplemented, "[", op.name(), "] cannot be written: operand ", i, " is ",
             v.defining_op() ? "a result of '" + v.defining_op()->name() + "', which is not saved or comes later"
                             : std::string("an argument of another block"));
    return it->second;
  }

  void WriteRegion(const Region& r) {
    Tag("region_" + std::to_string(region_++));
    out_ += ",\"blocks\":[";
    for (size_t i = 0; i < r.size(); ++i) {
      if (i) out_ += ',';
      WriteBlock(r.block(i));
    }
    out_ += "]}";
  }

  void WriteBlock(const Block& b) {
    Tag("block_" + std::to_string(block_++));
    out_ += ",\"args\":[";
    for (int i = 0; i < b.num_args(); ++i) {
      int64_t id = --next_arg_;
      ids_[b.arg(i)] = id;
      if (i) out_ += ',';
      out_ += "{\"#\":" + std::to_string(id) + ",\"TT\":";
      WriteType(b.arg(i).type());
      out_ += '}';
    }
    out_ += ']';
    if (!b.kwargs().empty()) {
      out_ += ",\"kwargs\":[";
      bool first = true;
      for (auto& [key, impl] : b.kwargs()) {
        int64_t id = --next_arg_;
        ids_[Value(impl.get())] = id;
        if (!first) out_ += ',';
        first = false;
        out_ += "{\"#\":" + std::to_string(id) + ",\"TT\":";
        WriteType(impl->type);
        out_ += ",\"key\":";
        Str(key);
        out_ += '}';
      }
      out_ += ']';
    }
    out_ += ",\"ops\":[";
    bool first = true;
    for (Operation& op : b) {
      if (op.isa("cf.stack_create") || op.isa("cf.tuple_push") || op.isa("cf.tuple_pop")) continue;
      if (!first) out_ += ',';
      first = false;
      WriteOp(op);
    }
    out_ += "]}";
  }

  const WriteJsonOptions& o_;
  std::string out_;
  std::unordered_map<Value, int64_t> ids_;
  int64_t next_id_ = 0, next_arg_ = 0;
  int region_ = 0, block_ = 0;
};

}  // namespace

std::string WriteProgramJson(const Program& program, const WriteJsonOptions& options) {
  std::string s = Writer(options).Run(program);
  return options.readable ? nlohmann::json::parse(s).dump(4) : s;
}

void WriteProgramJsonFile(const Program& program, const std::string& path, const WriteJsonOptions& options) {
  std::string s = WriteProgramJson(program, options);
  AtomicFile f(path);
  f.Write(s);
  f.Commit();
}

std::vector<std::string> SortedParameterNames(const Program& program) {
  std::vector<std::string> names;
  for (Operation& op : program.block())
    if (op.isa("builtin.parameter")) names.push_back(op.attr("parameter_name").to_str());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace pir
