// SPDX-License-Identifier: Apache-2.0
// Reads the JSON program format. The input is not trusted: every access is checked and reported with its path.
#include <cmath>
#include <cstring>
#include <limits>
#include <unordered_map>

#include "paddle/common/error.h"
#include "paddle/pir/core/file_symbols.h"
#include "paddle/pir/core/verify.h"
#include "paddle/pir/dialect/builtin.h"
#include "paddle/pir/dialect/pd_op.h"
#include "paddle/pir/serialize/checked_json.h"
#include "paddle/pir/serialize/whole_file.h"
#include "paddle/pir/serialize/json_names.h"
#include "paddle/pir/serialize/program_json.h"

namespace pir {
namespace {

using namespace json_format;  // NOLINT: this file is the format's reader
constexpr int kMaxRank = 64;

class Reader : private CheckedJson {
 public:
  using CheckedJson::CheckedJson;

  LoadedProgram Run(std::string_view text) {
    CheckDepth(text);
    Json doc;
    try {
      doc = Json::parse(text.begin(), text.end());
    } catch (const Json::exception& e) {
      PD_THROW(InvalidArgument, "'", origin_, "': expected a JSON program, got ", e.what());
    }
    LoadedProgram r;
    r.program = std::make_unique<Program>();
    {
      At at(this, "base_code");
      const Json& base = Member(doc, "base_code");
      if (Text(Member(base, "magic")) != "pir") Fail("the magic \"pir\"");
      r.version = Int(Member(base, "version"));
      if (r.version < 0 || r.version > std::numeric_limits<int>::max()) Fail("a version number");
      if (r.version > kVersion)
        note_ = "; the file has version " + std::to_string(r.version) + ", known are those up to " +
                std::to_string(kVersion);
      auto it = base.find("trainable");
      r.trainable = it != base.end() && it->is_boolean() && it->get<bool>();
    }
    At p(this, "program"), g(this, "regions");
    const Json& regions = List(Member(Member(doc, "program"), "regions"));
    if (regions.size() != 1) Fail("one region");
    At i(this, size_t{0}), b(this, "blocks");
    const Json& blocks = List(Member(regions[0], "blocks"));
    if (blocks.size() != 1) Fail("one block");
    At bi(this, size_t{0});
    ReadBlock(blocks[0], r.program->block());
    return r;
  }

 private:
  common::Dims Dims(const Json& j) {
    if (List(j).size() > kMaxRank) Fail("at most 64 extents", &j);
    common::Dims d;
    int64_t product = 1;
    for (size_t i = 0; i < j.size(); ++i) {
      At at(this, i);
      int64_t v = Int(j[i]);
      if (v < -1) Fail("an extent of at least -1", &j[i]);
      if (v > 0 && __builtin_mul_overflow(product, v, &product)) Fail("a shape whose size fits int64", &j);
      d.push_back(v < 0 ? symbols_.Next() : common::Dim(v));
    }
    return d;
  }

  Type ReadType(const Json& j) {
    const std::string& id = Text(Member(j, "#"));
    if (id == "NULL") return {};
    DataType t;
    if (id.rfind("0.t_", 0) == 0 && DtypeFromId(std::string_view(id).substr(4), &t) && t != DataType::UNDEFINED)
      return Type::Scalar(t);
    if (id == "0.t_index") return Type::Plain(TypeKind::kIndex);
    if (id == "0.t_undefined") return Type::Plain(TypeKind::kUndefined);
    if (id == "2.t_stack") return Type::Plain(TypeKind::kStack);
    if (id == "2.t_inlet") return Type::Plain(TypeKind::kInlet);
    if (id == "2.t_outlet") return Type::Plain(TypeKind::kOutlet);
    At at(this, "D");
    if (id == "0.t_vec") {
      std::vector<Type> v;
      const Json& d = List(Member(j, "D"));
      for (size_t i = 0; i < d.size(); ++i) {
        At e(this, i);
        v.push_back(ReadType(d[i]));
      }
      return VectorType::Get(v);
    }
    static constexpr std::pair<std::string_view, TypeKind> kTensors[] = {
        {"0.t_dtensor", TypeKind::kDenseTensor},
        {"1.t_selected_rows", TypeKind::kSelectedRows},
        {"1.t_sparse_coo_tensor", TypeKind::kSparseCoo},
        {"1.t_sparse_csr_tensor", TypeKind::kSparseCsr},
        {"1.t_dense_tensor_array", TypeKind::kTensorArray},
    };
    for (auto& [name, kind] : kTensors)
      if (id == name) return TensorType(List(Member(j, "D")), kind);
    if (id == "4.t_dist" || id.rfind("4.t_", 0) == 0) Fail("a type of a program on one device", &j);
    Fail("a known type", &j);
  }

  Type TensorType(const Json& d, TypeKind kind) {
    detail::TypeStorage s;
    s.kind = kind;
    size_t n = 0;
    auto next = [&]() -> const Json& {
      if (n >= d.size()) Fail("more parts of the tensor type", &d);
      return d[n++];
    };
    auto types = [&](int count) {
      while (count--) {
        size_t i = n;
        const Json& j = next();
        At at(this, i);
        s.elements.push_back(ReadType(j));
      }
    };
    {
      const Json& j = next();
      At at(this, size_t{0});
      Type t = ReadType(j);
      if (t.kind() != TypeKind::kScalar && t.kind() != TypeKind::kUndefined) Fail("an element type", &j);
      s.dtype = t.dtype();
    }
    {
      const Json& j = next();
      At at(this, size_t{1});
      s.dims = Dims(j);
    }
    if (kind == TypeKind::kSparseCoo) s.nnz_dims = Dims(next());
    s.layout = Name(Text(next()));
    if (kind == TypeKind::kSparseCoo) types(2);
    if (kind == TypeKind::kSparseCsr) types(3);
    return Type::Intern(std::move(s));
  }

  DataType Dtype(const Json& j) {
    const std::string& s = Text(j);
    DataType t = phi::DataTypeFromName(s);
    if (t == DataType::UNDEFINED && s.rfind("Undefined", 0) != 0 && s != "undefined" && s != "UNDEFINED")
      Fail("a data type's name", &j);
    return t;
  }

  phi::Place Place(const Json& j) {
    if (List(j).size() < 2) Fail("[kind, device, name]", &j);
    int64_t kind = Int(j[0]), id = Int(j[1]);
    if (id < -1 || id > 127) Fail("a device number", &j);
    phi::Place p;
    p.device_id = static_cast<int8_t>(id < 0 ? 0 : id);
    if (kind >= 0 && kind <= 3) {
      p.type = static_cast<phi::AllocationType>(kind);
    } else if (j.size() > 2 && !Text(j[2]).empty() && Text(j[2]).size() < 64) {
      p.type = phi::AllocationType::CUSTOM;
      p.custom = phi::CustomDeviceIndex(Text(j[2]));
    } else {
      p = {phi::AllocationType::UNDEFINED, 0, 0};
    }
    return p;
  }

  Attribute ReadScalar(const Json& j) {
    if (!j.is_array() || j.empty()) Fail("[type, value]", &j);
    DataType t = Dtype(j[0]);
    auto value = [&](size_t i) -> const Json& {
      if (i >= j.size()) Fail("a value behind the type", &j);
      return j[i];
    };
    if (t == DataType::BOOL) return Attribute::Scalar(phi::Scalar(Bool(value(1))));
    if (phi::IsInteger(t)) return Attribute::Scalar(phi::Scalar(Int(value(1))));
    if (phi::IsComplex(t)) return Attribute::Scalar(phi::Scalar(phi::complex128(Real(value(1)), Real(value(2)))));
    if (phi::IsHalf(t)) return Attribute::Scalar(phi::Scalar(HalfBits(t, Int(value(1)))));
    if (t == DataType::FLOAT32) return Attribute::Scalar(phi::Scalar(static_cast<float>(Real(value(1)))));
    return Attribute::Scalar(phi::Scalar(Real(value(1))));
  }

  static float HalfBits(DataType t, int64_t bits) {
    uint32_t x = static_cast<uint32_t>(bits & 0xffff);
    float f;
    if (t == DataType::BFLOAT16) {
      x <<= 16;
      std::memcpy(&f, &x, 4);
      return f;
    }
    int exp = static_cast<int>((x >> 10) & 31), man = static_cast<int>(x & 1023);
    if (exp == 31)
      f = man ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity();
    else
      f = exp ? std::ldexp(1024.f + static_cast<float>(man), exp - 25) : std::ldexp(static_cast<float>(man), -24);
    return x & 0x8000 ? -f : f;
  }

  // Sets *skip for an attribute this library has no use for.
  Attribute ReadAttr(const Json& j, bool* skip) {
    const std::string& id = Text(Member(j, "#"));
    if (id == "NULL") return {};
    if (id.rfind("4.", 0) == 0) {
      *skip = true;
      return {};
    }
    if (id == "0.a_f32") return Attribute::Float(static_cast<float>(RealOf(j)));
    if (id == "0.a_f64") return Attribute::Double(RealOf(j));
    if (id == "0.a_pointer") {
      *skip = true;
      return {};
    }
    At at(this, "D");
    const Json& d = Member(j, "D");
    if (id == "0.a_bool") return Attribute::Bool(Bool(d));
    if (id == "0.a_i32") return Attribute::Int32(Int32(d));
    if (id == "0.a_i64") return Attribute::Int64(Int(d));
    if (id == "0.a_index") return Attribute::Index(Int(d));
    if (id == "0.a_c64" || id == "0.a_c128") {
      if (List(d).size() != 2) Fail("two numbers", &d);
      std::complex<double> c(Real(d[0]), Real(d[1]));
      return id == "0.a_c64" ? Attribute::Complex64(std::complex<float>(c)) : Attribute::Complex128(c);
    }
    if (id == "0.a_str") return Attribute::Str(Text(d));
    if (id == "0.a_tensorname") return Attribute::TensorName(Text(d));
    if (id == "0.a_type") return Attribute::TypeAttr(ReadType(d));
    if (id == "1.a_layout") return Attribute::Layout(Text(d));
    if (id == "1.a_dtype") return Attribute::DType(Dtype(d));
    if (id == "1.a_place") return Attribute::PlaceAttr(Place(d));
    if (id == "1.a_scalar") return ReadScalar(d);
    if (id == "1.a_intarray") {
      common::Ints v;
      for (const Json& x : List(d)) v.push_back(Int(x));
      return Attribute::IntArray(std::move(v));
    }
    if (id == "0.a_array") {
      std::vector<Attribute> v;
      v.reserve(List(d).size());
      for (size_t i = 0; i < d.size(); ++i) {
        At e(this, i);
        v.push_back(ReadAttr(d[i], skip));
      }
      return Attribute::Array(std::move(v));
    }
    Fail("a known attribute kind", &j);
  }

  template <class F>
  void ReadAttrs(const Json& op, const char* key, F f) {
    auto it = op.find(key);
    if (it == op.end()) return;
    At at(this, key);
    const Json& list = List(*it);
    for (size_t i = 0; i < list.size(); ++i) {
      At e(this, i);
      const std::string& name = Text(Member(list[i], "N"));
      if (name.empty()) Fail("an attribute name", &list[i]);
      At a(this, "AT");
      bool skip = false;
      Attribute v = ReadAttr(Member(list[i], "AT"), &skip);
      if (!skip && v) f(name, v);
    }
  }

  void Define(const Json& id, Value v) {
    if (!values_.emplace(Int(id), v).second) Fail("an id that was not used before", &id);
  }
  Type TypeOfResult(const Json& o) {
    At at(this, "TT");
    return ReadType(Member(o, "TT"));
  }

  void ReadParameter(const Json& j, Block& b) {
    const Json& a = List(Member(j, "A"));
    if (a.size() < 4) Fail("[is_distributed, is_parameter, need_clip, name]", &a);
    const std::string& name = Text(a[3]);
    auto bits = [&](size_t i) { return Attribute::Array({Attribute::Bool(Bool(a[i]))}); };
    const Json& o = Member(j, "O");
    Type type = [&] {
      At at(this, "O");
      return TypeOfResult(o);
    }();
    AttributeMap attrs{{"is_distributed", bits(0)},
                       {"is_parameter", bits(1)},
                       {"need_clip", bits(2)},
                       {"parameter_name", Attribute::Str(name)}};
    Operation* op =
        Operation::Create(GetOrCreateOp("builtin.parameter"), {}, std::move(attrs), std::span<const Type>(&type, 1));
    b.push_back(op);
    Value v = op->result(0);
    v.set_name(name);
    v.set_persistable(true);
    bool trainable = true;
    if (auto it = j.find("OA"); it != j.end()) {
      At at(this, "OA");
      if (List(*it).size() >= 2) {
        v.set_persistable(Bool((*it)[0]));
        v.set_stop_gradient(Bool((*it)[1]));
      }
      if (it->size() >= 3) trainable = Bool((*it)[2]);
    }
    op->set_attr("trainable", Attribute::Array({Attribute::Bool(trainable)}));
    Define(Member(o, "%"), v);
  }

  void ReadOp(const Json& j, Block& b) {
    const std::string& id = Text(Member(j, "#"));
    if (id == "p") return ReadParameter(j, b);
    std::string name = OpNameFromId(id);
    if (name.find('.') == std::string::npos || name.size() > 256 || name == "builtin.module")
      Fail("an op's name", &j["#"]);
    AttributeMap attrs;
    ReadAttrs(j, "A", [&](const std::string& n, Attribute a) { attrs.Set(n, a); });
    std::vector<Value> operands;
    {
      At at(this, "I");
      auto it = j.find("I");
      if (it != j.end())
        for (size_t i = 0; i < List(*it).size(); ++i) {
          At e(this, i);
          const Json& vid = Member((*it)[i], "%");
          int64_t n = Int(vid);
          auto v = values_.find(n);
          if (n != 0 && v == values_.end()) Fail("the id of a value defined before", &vid);
          operands.push_back(n == 0 ? Value() : v->second);
        }
    }
    std::vector<Type> types;
    auto o = j.find("O");
    if (o != j.end()) {
      At at(this, "O");
      for (size_t i = 0; i < List(*o).size(); ++i) {
        At e(this, i);
        types.push_back(TypeOfResult((*o)[i]));
      }
    }
    Operation* op = Operation::Create(GetOrCreateOp(name), operands, std::move(attrs), types);
    b.push_back(op);
    ReadAttrs(j, "OA", [&](const std::string& n, Attribute a) { SetResultAttr(op, n, a); });
    if (auto it = j.find("regions"); it != j.end()) {
      At at(this, "regions");
      for (size_t i = 0; i < List(*it).size(); ++i) {
        At e(this, i), bl(this, "blocks");
        const Json& blocks = List(Member((*it)[i], "blocks"));
        Region& r = op->AddRegion();
        for (size_t k = 0; k < blocks.size(); ++k) {
          At be(this, k);
          ReadBlock(blocks[k], r.AddBlock());
        }
      }
    }
    // After the regions: a body cannot see its own op's results.
    for (size_t i = 0; i < types.size(); ++i) {
      At at(this, "O"), e(this, i);
      Define(Member((*o)[i], "%"), op->result(static_cast<int>(i)));
    }
    if (name == pd::kData)
      if (Attribute n = op->attr("name"); n && n.kind() == AttrKind::kStr && op->num_results() == 1)
        op->result(0).set_name(n.to_str());
  }

  void SetResultAttr(Operation* op, const std::string& name, Attribute a) {
    bool stop = name == "stop_gradient", persist = name == "persistable";
    if (!stop && !persist) return op->set_attr(name, a);
    if (a.kind() != AttrKind::kArray) Fail("a list of bools for " + name);
    const auto& v = a.to_array();
    for (size_t i = 0; i < v.size() && i < static_cast<size_t>(op->num_results()); ++i) {
      if (v[i].kind() != AttrKind::kBool) Fail("a list of bools for " + name);
      auto* impl = op->result(static_cast<int>(i)).impl();
      (stop ? impl->stop_gradient : impl->persistable) = v[i].to_bool();
    }
  }

  void ReadBlock(const Json& j, Block& b) {
    std::vector<int64_t> own_args;
    for (const char* key : {"args", "kwargs"}) {
      auto it = j.find(key);
      if (it == j.end()) continue;
      At at(this, key);
      for (size_t i = 0; i < List(*it).size(); ++i) {
        At e(this, i);
        const Json& a = (*it)[i];
        const Json& id = Member(a, "#");
        // PaddlePaddle repeats the arguments under kwargs, without a key.
        bool keyed = a.find("key") != a.end();
        if (key[0] == 'k' && !keyed) continue;
        Type t = TypeOfResult(a);
        Define(id, keyed ? b.AddKwarg(Text(a["key"]), t) : b.AddArg(t));
        own_args.push_back(Int(id));
      }
    }
    {
      At at(this, "ops");
      const Json& ops = List(Member(j, "ops"));
      for (size_t i = 0; i < ops.size(); ++i) {
        At e(this, i);
        ReadOp(ops[i], b);
      }
    }
    for (int64_t id : own_args) values_.erase(id);
  }

  std::unordered_map<int64_t, Value> values_;
  FileSymbols symbols_;
};

}  // namespace

LoadedProgram ReadProgramJson(std::string_view text, const std::string& origin) {
  LoadedProgram r = Reader(origin).Run(text);
  try {
    Verify(*r.program);
  } catch (const common::Error& e) { PD_THROW(InvalidArgument, "'", origin, "': ", e.what()); }
  return r;
}

LoadedProgram ReadProgramJsonFile(const std::string& path) { return ReadProgramJson(ReadWholeFile(path), path); }

}  // namespace pir
