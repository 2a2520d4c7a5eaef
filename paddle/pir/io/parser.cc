// SPDX-License-Identifier: Apache-2.0
#include "paddle/pir/io/parser.h"

#include <cctype>
#include <charconv>
#include <cstring>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "paddle/common/error.h"
#include "paddle/pir/core/file_symbols.h"
#include "paddle/pir/dialect/pd_op.h"

namespace pir {
namespace {

constexpr int kMaxDepth = 200;

// Characters and positions; the grammar sits in Parser.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : s_(text) {}

  [[noreturn]] void Fail(const std::string& want) {
    size_t line = 1, col = 1;
    for (size_t i = 0; i < p_ && i < s_.size(); ++i) {
      ++col;
      if (s_[i] == '\n') ++line, col = 1;
    }
    std::string got = p_ < s_.size() ? std::string(s_.substr(p_, 20)) : "the end of the text";
    PD_THROW(InvalidArgument, "[pir] line ", line, ", column ", col, ": expected ", want, ", got ", got);
  }

  void Space() {
    for (;;) {
      while (p_ < s_.size() && std::isspace(static_cast<unsigned char>(s_[p_]))) ++p_;
      if (p_ + 1 < s_.size() && s_[p_] == '/' && s_[p_ + 1] == '/')
        while (p_ < s_.size() && s_[p_] != '\n') ++p_;
      else
        return;
    }
  }
  bool AtEnd() {
    Space();
    return p_ >= s_.size();
  }
  char Peek() {
    Space();
    return p_ < s_.size() ? s_[p_] : '\0';
  }
  bool LooksAt(std::string_view t) {
    Space();
    return s_.substr(p_, t.size()) == t;
  }
  bool Accept(std::string_view t) {
    if (!LooksAt(t)) return false;
    p_ += t.size();
    return true;
  }
  void Expect(std::string_view t) {
    if (!Accept(t)) Fail("'" + std::string(t) + "'");
  }
  std::string_view Word() {
    Space();
    size_t b = p_;
    while (p_ < s_.size() && (std::isalnum(static_cast<unsigned char>(s_[p_])) || s_[p_] == '_' || s_[p_] == '.' ||
                              s_[p_] == '@' || s_[p_] == '-'))
      ++p_;
    if (b == p_) Fail("a name");
    return s_.substr(b, p_ - b);
  }
  std::string String() {
    Expect("\"");
    std::string r;
    while (p_ < s_.size() && s_[p_] != '"') {
      char c = s_[p_++];
      if (c == '\\' && p_ < s_.size()) {
        c = s_[p_++];
        if (c == 'n') c = '\n';
      }
      r += c;
    }
    if (p_ >= s_.size()) Fail("'\"'");
    ++p_;
    return r;
  }
  // The number at the cursor, if there is one; sets is_int when it has neither dot nor exponent and fits int64.
  bool Number(double* d, int64_t* i, bool* is_int) {
    Space();
    const char *b = s_.data() + p_, *e = s_.data() + s_.size();
    auto ri = std::from_chars(b, e, *i);
    if (ri.ec == std::errc() && (ri.ptr == e || !std::strchr(".eE", *ri.ptr))) {
      *is_int = true;
      *d = static_cast<double>(*i);
      p_ = ri.ptr - s_.data();
      return true;
    }
    auto rd = std::from_chars(b, e, *d);
    if (rd.ptr == b) return false;
    if (rd.ec == std::errc::result_out_of_range) *d = 0;
    *is_int = false;
    p_ = rd.ptr - s_.data();
    return true;
  }
  size_t pos() const { return p_; }
  void set_pos(size_t p) { p_ = p; }

 private:
  std::string_view s_;
  size_t p_ = 0;
};

DataType DtypeFromLetter(std::string_view w) {
  if (w == "b") return DataType::BOOL;
  if (w == "u8") return DataType::UINT8;
  for (int i = 0; i < phi::kNumDataTypes; ++i)
    if (phi::kDataTypeInfo[i].letter == w) return static_cast<DataType>(i);
  return DataType::UNDEFINED;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : c_(text) {}

  std::unique_ptr<Program> Run() {
    auto program = std::make_unique<Program>();
    c_.Expect("{");
    Ops(program->block());
    c_.Expect("}");
    if (!c_.AtEnd()) c_.Fail("the end of the text");
    return program;
  }

  Type OneType() {
    Type t = ParseTypeAt(0);
    if (!c_.AtEnd()) c_.Fail("the end of the text");
    return t;
  }

 private:
  struct Depth {
    explicit Depth(Parser* p) : p_(p) {
      if (++p_->depth_ > kMaxDepth) p_->c_.Fail("at most 200 nested regions");
    }
    ~Depth() { --p_->depth_; }
    Parser* p_;
  };

  Type ParseTypeAt(int depth) {
    if (depth > kMaxDepth) c_.Fail("at most 200 nested types");
    if (c_.Accept("<<NULL TYPE>>")) return {};
    if (c_.Accept("vec[")) {
      std::vector<Type> v;
      if (!c_.Accept("]")) {
        do v.push_back(ParseTypeAt(depth + 1));
        while (c_.Accept(","));
        c_.Expect("]");
      }
      return VectorType::Get(v);
    }
    static constexpr std::pair<std::string_view, TypeKind> kTensors[] = {
        {"tensor<", TypeKind::kDenseTensor},
        {"pd_op.tensor<", TypeKind::kDenseTensor},
        {"pd_op.selectedrows<", TypeKind::kSelectedRows},
        {"pd_op.sparse_coo_tensor<", TypeKind::kSparseCoo},
        {"pd_op.sparse_csr_tensor<", TypeKind::kSparseCsr},
        {"pd_op.tensor_array<", TypeKind::kTensorArray},
    };
    for (auto& [text, kind] : kTensors)
      if (c_.Accept(text)) return TensorBody(kind);
    if (c_.Accept("cf.stack")) return Type::Plain(TypeKind::kStack);
    if (c_.Accept("cf.inlet")) return Type::Plain(TypeKind::kInlet);
    if (c_.Accept("cf.outlet")) return Type::Plain(TypeKind::kOutlet);
    if (c_.Accept("index")) return Type::Plain(TypeKind::kIndex);
    if (c_.Accept("undefined")) return Type::Plain(TypeKind::kUndefined);
    size_t at = c_.pos();
    DataType t = DtypeFromLetter(c_.Word());
    if (t == DataType::UNDEFINED) {
      c_.set_pos(at);
      c_.Fail("a type");
    }
    return Type::Scalar(t);
  }

  Type TensorBody(TypeKind kind) {
    common::Dims dims;
    double d;
    int64_t v;
    bool is_int;
    while (c_.Peek() == '-' || std::isdigit(static_cast<unsigned char>(c_.Peek()))) {
      if (!c_.Number(&d, &v, &is_int) || !is_int || v < -1) c_.Fail("an extent");
      dims.push_back(v < 0 ? symbols_.Next() : common::Dim(v));
      c_.Expect("x");
    }
    std::string_view w = c_.Word();
    DataType t = DtypeFromLetter(w);
    if (t == DataType::UNDEFINED && w != "undefined") c_.Fail("an element type before this");
    c_.Expect(">");
    return Type::TensorLike(kind, t, dims);
  }

  Value Use() {
    if (c_.Accept("<<NULL VALUE>>")) return {};
    c_.Expect("%");
    std::string name(c_.Word());
    auto it = values_.find(name);
    if (it == values_.end()) c_.Fail("a value defined before (unknown %" + name + ")");
    return it->second;
  }

  std::vector<std::string> Names() {
    std::vector<std::string> v;
    c_.Expect("(");
    if (c_.Accept(")")) return v;
    do {
      c_.Expect("%");
      v.emplace_back(c_.Word());
    } while (c_.Accept(","));
    c_.Expect(")");
    return v;
  }

  void Ops(Block& b) {
    while (c_.Peek() == '(') Op(b);
  }

  void Op(Block& b) {
    std::vector<std::string> names = Names();
    c_.Expect("=");
    std::string op_name = c_.String();
    if (op_name.find('.') == std::string::npos) c_.Fail("an op name like dialect.op before this");
    const OpInfo* info = GetOrCreateOp(op_name);
    if (op_name == pd::kWhile) return While(b, info, names);
    std::vector<Value> operands;
    c_.Expect("(");
    if (!c_.Accept(")")) {
      do operands.push_back(Use());
      while (c_.Accept(","));
      c_.Expect(")");
    }
    AttributeMap attrs;
    Attributes(*info, &attrs);
    if (c_.Accept(":")) {
      c_.Expect("(");
      size_t n = 0;
      if (!c_.Accept(")")) {
        do ParseTypeAt(0), ++n;
        while (c_.Accept(","));
        c_.Expect(")");
      }
      if (n != operands.size()) c_.Fail("as many operand types as operands before this");
    }
    c_.Expect("->");
    std::vector<Type> types;
    if (!names.empty()) {
      do types.push_back(ParseTypeAt(0));
      while (c_.Accept(","));
    }
    if (types.size() != names.size()) c_.Fail("as many result types as results before this");
    Operation* op = Operation::Create(info, operands, {}, types);
    b.push_back(op);
    SetAttributes(op, attrs);
    Define(op, names);
    while (c_.Accept("{") || c_.Accept("else {")) RegionBody(op->AddRegion(), nullptr);
  }

  void While(Block& b, const OpInfo* info, const std::vector<std::string>& names) {
    std::vector<Value> operands;
    std::vector<Type> types;
    c_.Expect("(");
    c_.Expect("cond=");
    operands.push_back(Use());
    c_.Expect(",");
    c_.Expect("inputs=");
    if (!c_.Accept(")")) {
      do {
        operands.push_back(Use());
        types.push_back(operands.back().type());
      } while (c_.Accept(","));
      c_.Expect(")");
    }
    if (types.size() != names.size()) c_.Fail("as many inputs as results before this");
    Operation* op = Operation::Create(info, operands, {}, types);
    b.push_back(op);
    Define(op, names);
    c_.Expect("{");
    RegionBody(op->AddRegion(), &types);
  }

  void Define(Operation* op, const std::vector<std::string>& names) {
    for (size_t i = 0; i < names.size(); ++i) {
      if (!values_.emplace(names[i], op->result(static_cast<int>(i))).second)
        c_.Fail("a new name instead of %" + names[i]);
    }
  }

  // `types`: those of a first block's arguments written without types.
  void RegionBody(Region& r, const std::vector<Type>* types) {
    Depth d(this);
    bool first = true;
    while (first || c_.Peek() == '^') {
      Block& b = r.AddBlock();
      if (c_.Accept("^")) Args(b, first ? types : nullptr);
      first = false;
      Ops(b);
    }
    c_.Expect("}");
  }

  void Args(Block& b, const std::vector<Type>* types) {
    size_t n = 0;
    if (c_.Peek() == '%') {
      do {
        c_.Expect("%");
        std::string name(c_.Word());
        int8_t persistable = -1, stop = -1;
        c_.Expect("{");
        while (!c_.Accept("}")) {
          bool is_stop = c_.Accept("stop_gradient:");
          if (!is_stop) c_.Expect("persistable:");
          bool v = c_.Accept("true");
          if (!v) c_.Expect("false");
          (is_stop ? stop : persistable) = v;
          c_.Accept(",");
        }
        Type t;
        if (c_.Accept(":"))
          t = ParseTypeAt(0);
        else if (types && n < types->size())
          t = (*types)[n];
        else
          c_.Fail("a type for the block argument");
        ++n;
        Value v = b.AddArg(t);
        v.impl()->stop_gradient = stop;
        v.impl()->persistable = persistable;
        if (!values_.emplace(name, v).second) c_.Fail("a new name instead of %" + name);
      } while (c_.Accept(","));
    }
    if (types && n != types->size()) c_.Fail("as many block arguments as inputs before this");
  }

  void Attributes(const OpInfo& info, AttributeMap* out) {
    c_.Expect("{");
    if (c_.Accept("}")) return;
    do {
      std::string name(c_.Word());
      c_.Expect(":");
      const AttrInfo* decl = info.attr(name);
      size_t at = c_.pos();
      Attribute a = Attr(0);
      if (decl) a = Declared(a, decl->code, at);
      out->Set(name, a);
    } while (c_.Accept(","));
    c_.Expect("}");
  }

  Attribute Declared(Attribute a, AttrCode code, size_t at) {
    if (a.kind() == AttrKind::kStr && code != AttrCode::kStr) return a;  // layouts and names keep their own kinds
    if (a.kind() == AttrKind::kArray && code == AttrCode::kStr) return a;
    try {
      return Attribute::From(a.value(code));
    } catch (const common::Error&) {
      c_.set_pos(at);
      c_.Fail("a value of the attribute's declared kind");
    }
  }

  Attribute Attr(int depth) {
    if (depth > kMaxDepth) c_.Fail("at most 200 nested arrays");
    char ch = c_.Peek();
    if (ch == '"') return Attribute::Str(c_.String());
    if (c_.Accept("[")) {
      std::vector<Attribute> v;
      if (!c_.Accept("]")) {
        do v.push_back(Attr(depth + 1));
        while (c_.Accept(","));
        c_.Expect("]");
      }
      return Attribute::Array(std::move(v));
    }
    if (c_.Accept("(")) {
      double re = ToDouble(Attr(depth + 1));
      c_.Expect(",");
      double im = ToDouble(Attr(depth + 1));
      c_.Expect(")");
      return Attribute::Complex128({re, im});
    }
    if (c_.Accept("<<NULL ATTRIBUTE>>")) return {};
    if (c_.Accept("Place(")) return ParsePlace();
    constexpr double inf = std::numeric_limits<double>::infinity();
    if (c_.Accept("-inf")) return Attribute::Double(-inf);
    double d = 0;
    int64_t i = 0;
    bool is_int = false;
    if (std::isdigit(static_cast<unsigned char>(ch)) || ch == '-') {
      if (!c_.Number(&d, &i, &is_int)) c_.Fail("a number");
      if (!is_int) return Attribute::Double(d);
      return i >= INT32_MIN && i <= INT32_MAX ? Attribute::Int32(static_cast<int32_t>(i)) : Attribute::Int64(i);
    }
    for (std::string_view t : {"tensor<", "vec[", "pd_op.", "cf."})
      if (c_.LooksAt(t)) return Attribute::TypeAttr(ParseTypeAt(0));
    size_t at = c_.pos();
    std::string_view w = c_.Word();
    if (w == "true" || w == "false") return Attribute::Bool(w == "true");
    if (w == "inf") return Attribute::Double(inf);
    if (w == "nan") return Attribute::Double(std::numeric_limits<double>::quiet_NaN());
    if (w == "Undefined") return Attribute::DType(DataType::UNDEFINED);
    if (w == "nullptr" || w == "pointer") return Attribute::Pointer(nullptr);
    if (DataType t = phi::DataTypeFromName(w); t != DataType::UNDEFINED) return Attribute::DType(t);
    if (w == "NCHW" || w == "NHWC" || w == "NCDHW" || w == "NDHWC") return Attribute::Layout(w);
    c_.set_pos(at);
    c_.Fail("an attribute value");
  }

  double ToDouble(Attribute a) {
    try {
      return a.to_double();
    } catch (const common::Error&) { c_.Fail("a number before this"); }
  }

  Attribute ParsePlace() {
    std::string_view w = c_.Word();
    phi::Place p;
    if (w == "cpu") {
      p.type = phi::AllocationType::CPU;
    } else if (w == "undefined") {
      p.type = phi::AllocationType::UNDEFINED;
    } else if (w == "gpu") {
      p.type = phi::AllocationType::GPU;
    } else if (w == "gpu_pinned") {
      p.type = phi::AllocationType::GPUPINNED;
    } else {
      p.type = phi::AllocationType::CUSTOM;
      p.custom = phi::CustomDeviceIndex(std::string(w));
    }
    if (c_.Accept(":")) {
      double d;
      int64_t i;
      bool is_int;
      if (!c_.Number(&d, &i, &is_int) || !is_int || i < -128 || i > 127) c_.Fail("a device number");
      p.device_id = static_cast<int8_t>(i);
    }
    c_.Expect(")");
    return Attribute::PlaceAttr(p);
  }

  // Takes stop_gradient and persistable out of the attributes when they have one bool for each result.
  void SetAttributes(Operation* op, AttributeMap& attrs) {
    for (const NamedAttribute& a : attrs) {
      bool stop = a.name.str() == "stop_gradient", persist = a.name.str() == "persistable";
      if ((stop || persist) && a.value.kind() == AttrKind::kArray &&
          static_cast<int>(a.value.to_array().size()) == op->num_results() && op->num_results() > 0) {
        for (int i = 0; i < op->num_results(); ++i) {
          Attribute f = a.value.to_array()[i];
          if (f.kind() != AttrKind::kBool) c_.Fail("bools in stop_gradient or persistable before this");
          auto* impl = op->result(i).impl();
          (stop ? impl->stop_gradient : impl->persistable) = f.to_bool();
        }
      } else {
        op->set_attr(a.name, a.value);
      }
    }
  }

  Cursor c_;
  FileSymbols symbols_;
  std::unordered_map<std::string, Value> values_;
  int depth_ = 0;
};

}  // namespace

std::unique_ptr<Program> ParseProgram(std::string_view text) { return Parser(text).Run(); }
Type ParseType(std::string_view text) { return Parser(text).OneType(); }

}  // namespace pir
