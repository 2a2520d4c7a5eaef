// SPDX-License-Identifier: Apache-2.0
// The spellings of types, attributes and dialects in the JSON program format, shared by reader and writer.
#pragma once

#include <string>
#include <string_view>

#include "paddle/common/dtype.h"

namespace pir::json_format {

inline constexpr int kVersion = 4;

struct DialectId {
  std::string_view id, name;
};
inline constexpr DialectId kDialects[] = {
    {"0", "builtin"}, {"1", "pd_op"}, {"2", "cf"}, {"3", "custom_op"}, {"4", "dist"}};

// "1.tanh" -> "pd_op.tanh"; a dialect without a number stands in full.
inline std::string OpNameFromId(std::string_view s) {
  size_t dot = s.find('.');
  for (const DialectId& d : kDialects)
    if (dot != std::string_view::npos && s.substr(0, dot) == d.id) return std::string(d.name).append(s.substr(dot));
  return std::string(s);
}
inline std::string OpNameToId(std::string_view s) {
  size_t dot = s.find('.');
  for (const DialectId& d : kDialects)
    if (dot != std::string_view::npos && s.substr(0, dot) == d.name) return std::string(d.id).append(s.substr(dot));
  return std::string(s);
}

// Behind "0.t_"; empty when t has none.
inline std::string_view DtypeId(phi::DataType t) {
  return t == phi::DataType::UNDEFINED ? std::string_view("undefined") : phi::kDataTypeInfo[static_cast<int>(t)].letter;
}
inline bool DtypeFromId(std::string_view s, phi::DataType* t) {
  for (int i = 0; i < phi::kNumDataTypes; ++i)
    if (phi::kDataTypeInfo[i].letter == s) {
      *t = static_cast<phi::DataType>(i);
      return true;
    }
  *t = phi::DataType::UNDEFINED;
  return s == "undefined";
}

inline constexpr std::string_view kUndefinedDtype = "Undefined(ALL_DTYPE)";

}  // namespace pir::json_format
