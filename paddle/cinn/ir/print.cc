// SPDX-License-Identifier: Apache-2.0
// Text of expressions, for tests, cache keys and explanations. Equal text means an equal expression.
#include <charconv>
#include <cmath>
#include <unordered_map>

#include "paddle/cinn/ir/expr.h"

namespace cinn {
namespace {

const char* Infix(Op op) {
  switch (op) {
    case Op::k_add: return " + ";
    case Op::k_sub: return " - ";
    case Op::k_mul: return " * ";
    case Op::k_div: return " / ";
    case Op::k_bitwise_and:
    case Op::k_logical_and: return " & ";
    case Op::k_bitwise_or:
    case Op::k_logical_or: return " | ";
    case Op::k_bitwise_xor:
    case Op::k_logical_xor: return " ^ ";
    case Op::k_equal: return " == ";
    case Op::k_not_equal: return " != ";
    case Op::k_less_than: return " < ";
    case Op::k_less_equal: return " <= ";
    case Op::k_greater_than: return " > ";
    case Op::k_greater_equal: return " >= ";
    default: return nullptr;
  }
}

std::string Number(double v) {
  if (std::isnan(v)) return std::signbit(v) ? "-nan" : "nan";
  if (std::isinf(v)) return v < 0 ? "-inf" : "inf";
  char buf[40];
  auto r = std::to_chars(buf, buf + sizeof(buf), v);
  std::string s(buf, r.ptr);
  if (s.find_first_of(".e") == std::string::npos) s += ".0";
  return s;
}

void Print(const Expr& e, bool nested, std::string& out) {
  const ExprNode& n = *e.node();
  switch (n.op) {
    case Op::kInput:
      out += "%" + std::to_string(n.index) + ":" + std::string(phi::kDataTypeInfo[static_cast<int>(n.storage)].letter);
      return;
    case Op::kReduced: out += "$" + std::to_string(n.index); return;
    case Op::kIndex: out += "@" + std::to_string(n.index); return;
    case Op::kExtent: out += "#" + std::to_string(n.index); return;
    case Op::kConst:
      if (n.dtype == DataType::BOOL)
        out += n.i ? "true" : "false";
      else if (phi::IsFloating(n.dtype))
        out += Number(n.f);
      else
        out += std::to_string(n.i);
      if (!n.weak && (n.dtype == DataType::FLOAT64 || n.dtype == DataType::INT32))
        out += ":" + std::string(phi::kDataTypeInfo[static_cast<int>(n.dtype)].letter);
      return;
    case Op::kLogicalNot:
    case Op::kBitwiseNot:
      out += "~";
      Print(n.args[0], true, out);
      return;
    case Op::k_neg:
      out += "-";
      Print(n.args[0], true, out);
      return;
    case Op::kCast:
      out += std::string(phi::kDataTypeInfo[static_cast<int>(n.storage)].letter) + "(";
      Print(n.args[0], false, out);
      out += ")";
      return;
    default: break;
  }
  if (const char* s = Infix(n.op)) {
    if (nested) out += "(";
    Print(n.args[0], true, out);
    out += s;
    Print(n.args[1], true, out);
    if (nested) out += ")";
    return;
  }
  out += OpName(n.op);
  out += "(";
  for (int k = 0; k < n.nargs; ++k) {
    if (k) out += ", ";
    Print(n.args[k], false, out);
  }
  out += ")";
}

}  // namespace

std::string ToString(const Expr& e) {
  std::string out;
  if (e.defined()) Print(e, false, out);
  return out;
}

void AppendKey(const Expr& e, std::unordered_map<const ExprNode*, int>& seen, std::string& out) {
  auto it = seen.find(e.node());
  if (it != seen.end()) {
    out += "t" + std::to_string(it->second);
    return;
  }
  const ExprNode& n = *e.node();
  if (n.nargs == 0) {
    Print(e, false, out);
  } else {
    out += OpName(n.op);
    out += "<" + std::to_string(static_cast<int>(n.dtype)) + "," + std::to_string(static_cast<int>(n.storage)) + ">(";
    for (int k = 0; k < n.nargs; ++k) {
      if (k) out += ",";
      AppendKey(n.args[k], seen, out);
    }
    out += ")";
  }
  // Numbers count finished nodes: taken before its parts, a node's number would be that of its first part as well.
  const int id = static_cast<int>(seen.size());
  seen.emplace(e.node(), id);
}

}  // namespace cinn
