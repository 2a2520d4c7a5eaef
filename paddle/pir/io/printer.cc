// SPDX-License-Identifier: Apache-2.0
#include "paddle/pir/dialect/pd_op.h"
#include "paddle/pir/io/printer.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <unordered_map>

namespace pir {
namespace {

std::string Number(double v, bool exact, bool single) {
  if (std::isnan(v)) return "nan";
  if (std::isinf(v)) return v < 0 ? "-inf" : "inf";
  char buf[64];
  if (!exact) {
    std::snprintf(buf, sizeof(buf), "%g", v);
    return buf;
  }
  auto r =
      single ? std::to_chars(buf, buf + sizeof(buf), static_cast<float>(v)) : std::to_chars(buf, buf + sizeof(buf), v);
  std::string s(buf, r.ptr);
  if (s.find_first_of(".en") == std::string::npos) s += ".0";
  return s;
}

std::string Quote(const std::string& s) {
  std::string r = "\"";
  for (char c : s) {
    if (c == '"' || c == '\\')
      r.append({'\\', c});
    else if (c == '\n')
      r += "\\n";
    else
      r += c;
  }
  return r + "\"";
}

std::string AttrText(Attribute a, bool exact) {
  switch (a.kind()) {
    case AttrKind::kNull: return "<<NULL ATTRIBUTE>>";
    case AttrKind::kBool: return a.to_bool() ? "true" : "false";
    case AttrKind::kInt32:
    case AttrKind::kInt64:
    case AttrKind::kIndex: return std::to_string(a.to_int());
    case AttrKind::kFloat: return Number(a.to_double(), exact, true);
    case AttrKind::kDouble: return Number(a.to_double(), exact, false);
    case AttrKind::kComplex64:
    case AttrKind::kComplex128: {
      auto c = a.to_complex();
      return "(" + Number(c.real(), exact, false) + "," + Number(c.imag(), exact, false) + ")";
    }
    case AttrKind::kScalar: {
      phi::Scalar s = a.to_scalar();
      if (s.dtype() == DataType::BOOL) return s.to_bool() ? "1" : "0";
      if (s.is_integral()) return std::to_string(s.to_int());
      if (phi::IsComplex(s.dtype())) {
        auto c = s.to_complex();
        return "(" + Number(c.real(), exact, false) + "," + Number(c.imag(), exact, false) + ")";
      }
      return Number(s.to_double(), exact, s.dtype() == DataType::FLOAT32);
    }
    case AttrKind::kStr:
    case AttrKind::kTensorName: return Quote(a.to_str());
    case AttrKind::kArray: {
      std::string r = "[";
      for (size_t i = 0; i < a.to_array().size(); ++i) {
        if (i) r += ",";
        r += AttrText(a.to_array()[i], exact);
      }
      return r + "]";
    }
    case AttrKind::kType: return TypeText(a.to_type());
    case AttrKind::kPointer: return a.to_pointer() ? "pointer" : "nullptr";
    case AttrKind::kIntArray: {
      std::string r = "[";
      common::Ints v = a.to_ints();
      for (int64_t i = 0; i < v.size(); ++i) {
        if (i) r += ",";
        r += std::to_string(v[i]);
      }
      return r + "]";
    }
    case AttrKind::kDataType: {
      DataType t = a.to_dtype();
      return t == DataType::UNDEFINED ? "Undefined" : std::string(phi::NameOf(t));
    }
    case AttrKind::kLayout: return a.to_str();
    case AttrKind::kPlace: return phi::PlaceText(a.to_place());
  }
  return "";
}

class Printer {
 public:
  explicit Printer(const PrintOptions& o) : o_(o) {}

  std::string Take() { return std::move(out_); }

  void Lines(const Block& b, int indent) {
    for (Operation& op : b) Line(op, indent);
  }

  void Line(const Operation& op, int indent) {
    out_.append(4 * indent, ' ');
    Results(op);
    out_ += " = \"" + op.name() + "\" ";
    if (op.isa(pd::kWhile) && op.num_operands() > 0 && op.num_regions() == 1)
      While(op, indent);
    else
      Generic(op, indent);
    out_ += "\n";
  }

 private:
  const std::string& NameOf(Value v) {
    auto [it, fresh] = names_.try_emplace(v);
    if (fresh) it->second = v.is_block_arg() ? "%arg_" + std::to_string(args_++) : "%" + std::to_string(values_++);
    return it->second;
  }

  void Results(const Operation& op) {
    if (op.isa("cf.stack_create") && op.num_results() == 3) {
      std::string n = "_" + std::to_string(stacks_++);
      names_[op.result(0)] = "%stack" + n;
      names_[op.result(1)] = "%inlet" + n;
      names_[op.result(2)] = "%outlet" + n;
    }
    out_ += "(";
    for (int i = 0; i < op.num_results(); ++i) {
      if (i) out_ += ", ";
      out_ += NameOf(op.result(i));
    }
    out_ += ")";
  }

  void Operands(const Operation& op, int from) {
    for (int i = from; i < op.num_operands(); ++i) {
      if (i > from) out_ += ", ";
      out_ += op.operand(i) ? NameOf(op.operand(i)) : "<<NULL VALUE>>";
    }
  }

  // Value flags read as attributes of the op: one bool for each result.
  static Attribute Flags(const Operation& op, int8_t detail::ValueImpl::*flag, bool unset) {
    bool any = false;
    std::vector<Attribute> v;
    for (int i = 0; i < op.num_results(); ++i) {
      int8_t f = op.result(i).impl()->*flag;
      any = any || f >= 0;
      v.push_back(Attribute::Bool(f < 0 ? unset : f != 0));
    }
    return any ? Attribute::Array(std::move(v)) : Attribute();
  }

  void Attributes(const Operation& op) {
    AttributeMap all = op.attrs();
    if (Attribute a = Flags(op, &detail::ValueImpl::stop_gradient, true)) all.Set("stop_gradient", a);
    if (Attribute a = Flags(op, &detail::ValueImpl::persistable, false)) all.Set("persistable", a);
    out_ += "{";
    bool first = true;
    for (const NamedAttribute& a : all) {
      if (!first) out_ += ",";
      first = false;
      out_ += a.name.str() + ":" + AttrText(a.value, o_.exact_numbers);
    }
    out_ += "}";
  }

  void Types(const Operation& op) {
    for (int i = 0; i < op.num_results(); ++i) {
      if (i) out_ += ", ";
      out_ += TypeText(op.result_type(i));
    }
  }

  void Generic(const Operation& op, int indent) {
    bool is_if = op.isa(pd::kIf) && op.num_regions() == 2;
    out_ += "(";
    Operands(op, 0);
    out_ += ") ";
    Attributes(op);
    if (!is_if) {
      out_ += " : (";
      for (int i = 0; i < op.num_operands(); ++i) {
        if (i) out_ += ", ";
        out_ += TypeText(op.operand_type(i));
      }
      out_ += ")";
    }
    out_ += " -> ";
    Types(op);
    if (o_.symbolic_dims && op.num_regions() == 0) Symbols(op);
    for (int i = 0; i < op.num_regions(); ++i) {
      out_ += i == 0 ? " {\n" : is_if ? " else {\n" : " {\n";
      RegionBody(op.region(i), indent, true);
    }
  }

  void While(const Operation& op, int indent) {
    out_ += "(cond=" + (op.operand(0) ? NameOf(op.operand(0)) : "<<NULL VALUE>>") + ", inputs=";
    Operands(op, 1);
    out_ += ") { \n";
    RegionBody(op.region(0), indent, false);
  }

  static const char* FlagText(int8_t f) { return f != 0 ? "true" : "false"; }

  void ArgLine(const Block& b, int indent, bool with_types) {
    out_.append(4 * indent, ' ');
    out_ += "^";
    for (int i = 0; i < b.num_args(); ++i) {
      if (i) out_ += ", ";
      const detail::ValueImpl& v = *b.arg(i).impl();
      out_ += NameOf(b.arg(i)) + " {";
      if (v.persistable >= 0) out_ += std::string("persistable:") + FlagText(v.persistable);
      if (v.stop_gradient >= 0)
        out_ += std::string(v.persistable >= 0 ? "," : "") + "stop_gradient:" + FlagText(v.stop_gradient);
      out_ += "}";
      if (with_types) out_ += " : " + TypeText(v.type);
    }
    out_ += "\n";
  }

  void RegionBody(const Region& r, int indent, bool with_types) {
    bool first = true;
    for (auto& b : r.blocks()) {
      if (!first || b->num_args() || !with_types) ArgLine(*b, indent, with_types);
      first = false;
      Lines(*b, indent + 1);
    }
    out_.append(4 * indent, ' ');
    out_ += "}";
  }

  void Symbols(const Operation& op) {
    std::string s;
    for (int i = 0; i < op.num_results(); ++i) {
      Type t = op.result_type(i);
      if (t.is_tensor_like()) s += (s.empty() ? "" : ", ") + common::ShapeText(t.dims());
    }
    if (!s.empty()) out_ += " // " + s;
  }

  const PrintOptions& o_;
  std::string out_;
  std::unordered_map<Value, std::string> names_;
  int64_t values_ = 0, args_ = 0, stacks_ = 0;
};

}  // namespace

std::string AttributeText(Attribute a) { return AttrText(a, false); }

std::string Print(const Program& program, const PrintOptions& options) {
  Printer p(options);
  p.Lines(program.block(), 1);
  return "{\n" + p.Take() + "}\n";
}

std::string Print(const Block& block, const PrintOptions& options) {
  Printer p(options);
  p.Lines(block, 1);
  return "{\n" + p.Take() + "}\n";
}

std::string Print(const Operation& op, const PrintOptions& options) {
  Printer p(options);
  p.Line(op, 0);
  return p.Take();
}

}  // namespace pir
