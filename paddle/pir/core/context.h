// SPDX-License-Identifier: Apache-2.0
// The interning tables behind Type, Attribute and Name: one per process, thread-safe, never freed.
#pragma once

#include <cstddef>

#include "paddle/pir/core/attribute.h"
#include "paddle/pir/core/name.h"
#include "paddle/pir/core/type.h"

namespace pir {

class IrContext {
 public:
  static IrContext& Instance();

  const detail::TypeStorage* InternType(detail::TypeStorage&& parts);
  const detail::AttrStorage* InternAttr(AttrKind kind, detail::AttrPayload&& value);
  const std::string* InternName(std::string_view text);

  struct Stats {
    size_t types, attrs, names;
  };
  Stats stats() const;

 private:
  IrContext();
  ~IrContext() = delete;
  struct Impl;
  Impl* impl_;
};

}  // namespace pir
