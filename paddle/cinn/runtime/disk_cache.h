// SPDX-License-Identifier: Apache-2.0
// Compiled kernels on disk, shared by processes: one file a kernel, written beside and renamed, checked when read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace cinn {

// A 128-bit content hash as 32 hexadecimal digits.
std::string ContentHash(const std::string& text);

class DiskCache {
 public:
  // An empty directory name switches the cache off. Created on first write.
  explicit DiskCache(std::string dir, int64_t max_bytes = int64_t{512} << 20);
  // $PADDLE_CINN_CACHE_DIR (empty: off), else $XDG_CACHE_HOME/paddle/cinn, else ~/.cache/paddle/cinn.
  static std::string DefaultDirectory();

  // The bytes stored under `key`; nothing when absent, damaged (the file is then removed) or of another key.
  std::optional<std::string> Get(const std::string& key) const;
  // Failures to write are silent: the cache is an accelerator only. Now and then removes the least recently written
  // files.
  void Put(const std::string& key, const std::string& value);
  std::string PathOf(const std::string& key) const;

 private:
  void Prune();
  std::string dir_;
  int64_t max_bytes_;
};

}  // namespace cinn
