// SPDX-License-Identifier: Apache-2.0
// An interned string: attribute names, layouts and value names compare and copy as one pointer.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace pir {

class Name {
 public:
  Name() = default;
  // Interns `text`; the same text always yields the same handle, for the life of the process.
  Name(std::string_view text);                                     // NOLINT: names are written as literals everywhere
  Name(const char* text) : Name(std::string_view(text)) {}         // NOLINT
  Name(const std::string& text) : Name(std::string_view(text)) {}  // NOLINT

  explicit operator bool() const { return impl_ != nullptr; }
  const std::string& str() const { return impl_ ? *impl_ : Empty(); }
  const void* key() const { return impl_; }
  friend bool operator==(Name a, Name b) { return a.impl_ == b.impl_; }

 private:
  static const std::string& Empty();
  const std::string* impl_ = nullptr;
};

}  // namespace pir

template <>
struct std::hash<pir::Name> {
  size_t operator()(pir::Name n) const noexcept { return std::hash<const void*>()(n.key()); }
};
