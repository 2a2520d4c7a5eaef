// SPDX-License-Identifier: Apache-2.0
// Memory of the host that other processes open by its name. Uses are counted in it: of processes, and of messages that
// carry its name. The last to leave removes it.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace phi {

class SharedFile : public std::enable_shared_from_this<SharedFile> {
 public:
  // `op` is named in errors. Both hold one use for this process, until it ends or is forked: a child holds none. With
  // `owned` the file is removed when its maker leaves, whoever else uses it.
  static std::shared_ptr<SharedFile> Create(size_t bytes, const char* op, bool owned = false);
  static std::shared_ptr<SharedFile> Open(const std::string& name, const char* op);
  // That of this process with this name or these data; null where there is none.
  static std::shared_ptr<SharedFile> Named(const std::string& name);
  static std::shared_ptr<SharedFile> Of(const void* data);
  ~SharedFile();
  SharedFile(const SharedFile&) = delete;

  const std::string& name() const { return name_; }
  void* data() const;
  size_t bytes() const { return bytes_; }
  int64_t uses() const;
  void Add(int64_t uses);  // of messages: 1 for one that leaves, -1 for one that has come

  // The process is about to end without destructors: its uses end.
  static void LeaveAll();

 private:
  SharedFile() = default;
  template <class F>
  static std::shared_ptr<SharedFile> Find(const F& is);
  void Map(int descriptor, const char* op);
  void Leave();

  std::string name_;
  void* base_ = nullptr;
  size_t bytes_ = 0;
  bool owned_ = false;
  pid_t owner_ = 0;  // the process that holds the use
};

}  // namespace phi
