// SPDX-License-Identifier: Apache-2.0
// Whole-file reading, and writing beside the target with a rename at the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pir {

// Throws Io when it cannot be opened or read.
std::string ReadWholeFile(const std::string& path);

// A file that is written beside `path` and takes its place by Commit(); destroyed without it, nothing has changed.
// Links are followed, a file that exists keeps its permissions (and its owner, where that is allowed). What is no
// regular file (a pipe, a device) is written directly, and so is a file in a folder that takes no new ones. Throws Io
// where open() fails: for a directory, a missing folder, a file that may not be written.
class AtomicFile {
 public:
  explicit AtomicFile(std::string path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  void Write(const void* data, size_t size);
  void Write(std::string_view s) { Write(s.data(), s.size()); }
  void Commit();

 private:
  void Check(bool ok) const;
  bool Close();
  void OpenInPlace();
  void CopyOver();
  // target_ is empty for what is no regular file, temp_ while the target itself is written.
  std::string path_, target_, temp_;
  int fd_ = -1;
};

// A view of a whole file, mapped: pages are read when they are touched. With `writable` the bytes may be written; that
// changes the view and never the file.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path, bool writable = false);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  const char* data() const { return data_; }
  // Gives back the memory of the pages that lie inside [begin, begin + size); they are read again when touched.
  void Release(const void* begin, size_t size);
  size_t size() const { return size_; }

 private:
  const char* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace pir
