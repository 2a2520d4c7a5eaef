// SPDX-License-Identifier: Apache-2.0
// Checked access to a parsed JSON document that is not trusted: every error names the document and the path inside it.
#pragma once

#include <cctype>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "paddle/common/error.h"

namespace pir::json_format {

using Json = nlohmann::json;

inline constexpr int kMaxJsonDepth = 512;  // a region costs 6

class CheckedJson {
 public:
  explicit CheckedJson(const std::string& origin) : origin_(origin) {}

 protected:
  // Before parsing, since the parsed document is walked and freed recursively.
  void CheckDepth(std::string_view text) const {
    int depth = 0;
    bool quoted = false;
    for (size_t i = 0; i < text.size(); ++i) {
      char c = text[i];
      if (quoted) {
        if (c == '\\')
          ++i;
        else if (c == '"')
          quoted = false;
      } else if (c == '"') {
        quoted = true;
      } else if (c == '[' || c == '{') {
        PD_CHECK(++depth <= kMaxJsonDepth, InvalidArgument, "'", origin_, "' at byte ", i, ": expected at most ",
                 kMaxJsonDepth, " nested levels of JSON, got more");
      } else if (c == ']' || c == '}') {
        --depth;
      }
    }
  }

  // The path to the element being read.
  struct At {
    At(CheckedJson* r, const char* key) : r_(r) { r_->path_.push_back({key, 0}); }
    At(CheckedJson* r, size_t index) : r_(r) { r_->path_.push_back({nullptr, index}); }
    ~At() { r_->path_.pop_back(); }
    CheckedJson* r_;
  };

  [[noreturn]] void Fail(const std::string& want, const Json* got = nullptr) {
    std::string path;
    for (auto& [key, index] : path_) {
      if (key)
        path += (path.empty() ? "" : ".") + std::string(key);
      else
        path += "[" + std::to_string(index) + "]";
    }
    std::string text = got ? got->dump(-1, ' ', false, Json::error_handler_t::replace) : "";
    if (text.size() > 60) text = text.substr(0, 60) + "...";
    PD_THROW(InvalidArgument, "'", origin_, "' at ", path, ": expected ", want, got ? ", got " : "", text, note_);
  }

  const Json& Member(const Json& j, const char* key) {
    if (!j.is_object()) Fail("an object", &j);
    auto it = j.find(key);
    if (it == j.end()) Fail(std::string("a member \"") + key + "\"", &j);
    return *it;
  }
  const Json& List(const Json& j) {
    if (!j.is_array()) Fail("a list", &j);
    return j;
  }
  const std::string& Text(const Json& j) {
    if (!j.is_string()) Fail("a string", &j);
    return j.get_ref<const std::string&>();
  }
  int64_t Int(const Json& j) {
    if (j.is_number_unsigned() && j.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX))
      Fail("an integer that fits int64", &j);
    if (j.is_number_integer()) return j.get<int64_t>();
    if (j.is_boolean()) return j.get<bool>();
    if (j.is_number_float()) {
      double d = j.get<double>();
      if (d >= -9.2e18 && d <= 9.2e18 && d == static_cast<double>(static_cast<int64_t>(d)))
        return static_cast<int64_t>(d);
    }
    Fail("an integer", &j);
  }
  int32_t Int32(const Json& j) {
    int64_t v = Int(j);
    if (v < INT32_MIN || v > INT32_MAX) Fail("an integer that fits int32", &j);
    return static_cast<int32_t>(v);
  }
  bool Bool(const Json& j) {
    if (j.is_boolean()) return j.get<bool>();
    if (j.is_number_integer()) return Int(j) != 0;
    Fail("a bool", &j);
  }
  double Real(const Json& j) {
    if (j.is_number()) return j.get<double>();
    if (j.is_boolean()) return j.get<bool>();
    if (j.is_null()) return std::numeric_limits<double>::quiet_NaN();
    if (j.is_string()) return Special(j);
    Fail("a number", &j);
  }
  double Special(const Json& j) {
    std::string s;
    for (char c : Text(j)) s += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    if (s == "NAN" || s == "-NAN") return std::numeric_limits<double>::quiet_NaN();
    if (s == "INF" || s == "+INF" || s == "INFINITY") return std::numeric_limits<double>::infinity();
    if (s == "-INF" || s == "-INFINITY") return -std::numeric_limits<double>::infinity();
    Fail("INF, -INF or NaN", &j);
  }
  double RealOf(const Json& at) {
    auto it = at.find("VD");
    return it != at.end() ? Special(*it) : Real(Member(at, "D"));
  }

  struct Step {
    const char* key;
    size_t index;
  };
  const std::string& origin_;
  std::vector<Step> path_;
  std::string note_;  // ends every message
};

}  // namespace pir::json_format
