// SPDX-License-Identifier: Apache-2.0
// The messages of the TCP store: a length of 4 bytes, then a code and fields. Little-endian, as all machines we run on.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace paddle::distributed::wire {

enum class Op : uint8_t { kHello, kSet, kGet, kAdd, kWait, kCheck, kDelete, kEnded, kLeave };
enum class Status : uint8_t { kOk, kTimeout, kRefused, kInvalid, kEnded };

inline constexpr std::string_view kGreeting = "paddle-store-2";
inline constexpr uint32_t kLargest = 64u << 20;
// Before the greeting a stranger may send this much.
inline constexpr uint32_t kLargestGreeting = 4096;

class Writer {
 public:
  template <class Code>
  explicit Writer(Code code) : bytes_(4, '\0') {
    bytes_ += static_cast<char>(code);
  }
  Writer& Number(int64_t v) {
    bytes_.append(reinterpret_cast<const char*>(&v), sizeof v);
    return *this;
  }
  Writer& Numbers(const std::vector<int>& list) {
    Number(static_cast<int64_t>(list.size()));
    for (int v : list) Number(v);
    return *this;
  }
  Writer& Text(std::string_view s) {
    Number(static_cast<int64_t>(s.size()));
    bytes_ += s;
    return *this;
  }
  // The whole message.
  const std::string& Finish() {
    const auto n = static_cast<uint32_t>(bytes_.size() - 4);
    std::memcpy(bytes_.data(), &n, 4);
    return bytes_;
  }

 private:
  std::string bytes_;
};

// Reads what may come from anybody: past the end, `ok` is false and values are empty.
class Reader {
 public:
  explicit Reader(std::string_view body) : rest_(body) {}
  uint8_t Code() {
    if (!Has(1)) return 0xff;
    const auto c = static_cast<uint8_t>(rest_[0]);
    rest_.remove_prefix(1);
    return c;
  }
  int64_t Number() {
    int64_t v = 0;
    if (!Has(sizeof v)) return 0;
    std::memcpy(&v, rest_.data(), sizeof v);
    rest_.remove_prefix(sizeof v);
    return v;
  }
  std::vector<int> Numbers() {
    const int64_t n = Number();
    std::vector<int> list;
    for (int64_t i = 0; i < n && ok_; ++i) list.push_back(static_cast<int>(Number()));
    return list;
  }
  std::string Text() {
    const int64_t n = Number();
    if (n < 0 || !Has(static_cast<uint64_t>(n))) {
      ok_ = false;
      return {};
    }
    std::string s(rest_.substr(0, static_cast<size_t>(n)));
    rest_.remove_prefix(static_cast<size_t>(n));
    return s;
  }
  bool ok() const { return ok_; }
  bool done() const { return ok_ && rest_.empty(); }

 private:
  bool Has(uint64_t n) { return ok_ = ok_ && rest_.size() >= n; }
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace paddle::distributed::wire
