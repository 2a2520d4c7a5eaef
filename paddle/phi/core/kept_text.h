// SPDX-License-Identifier: Apache-2.0
// Text that processes of one user keep for each other: what took long to find out, by a key that names all it depends
// on.
#pragma once

#include <optional>
#include <string>

namespace phi {

// The cache on disk of the compiler, which lies above this layer; null: nothing is kept.
struct KeptText {
  std::optional<std::string> (*get)(const std::string& key) = nullptr;
  void (*put)(const std::string& key, const std::string& text) = nullptr;
};
inline constinit KeptText g_kept_text;

}  // namespace phi
