// SPDX-License-Identifier: Apache-2.0
// Compiled kernels on disk, shared by the processes of one user: one file a kernel, written beside and renamed, checked
// when read. What is read here is run, so only what this user alone could write is taken.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "paddle/cinn/runtime/private_folder.h"

namespace cinn {

// A 128-bit content hash as 32 hexadecimal digits.
std::string ContentHash(const std::string& text);

class DiskCache {
 public:
  // An empty directory name switches the cache off. Created on first write, for this user alone. A directory that
  // belongs to another user or that others may write is refused: one warning, and the cache is off from then on.
  explicit DiskCache(std::string dir, int64_t max_bytes = int64_t{512} << 20);
  // $PADDLE_CINN_CACHE_DIR (empty: off), else $XDG_CACHE_HOME/paddle/cinn, else ~/.cache/paddle/cinn.
  static std::string DefaultDirectory();

  // The bytes stored under `key`; nothing when absent, damaged (the file is then removed), of another key, a link, or
  // not this user's alone to write.
  std::optional<std::string> Get(const std::string& key) const;
  // Failures to write are silent: the cache is an accelerator only. Now and then removes the least recently written
  // files.
  void Put(const std::string& key, const std::string& value);
  std::string PathOf(const std::string& key) const;

 private:
  static std::string NameOf(const std::string& key);
  FileDescriptor Open(bool create) const;
  void Prune(const FileDescriptor& folder);
  std::string dir_;
  int64_t max_bytes_;
  mutable std::atomic<bool> refused_{false};
};

// That of the default directory, for code of devices and what else is kept of them (phi/core/kept_text.h).
DiskCache& DeviceDisk();

}  // namespace cinn
