// SPDX-License-Identifier: Apache-2.0
// Folders that hold code to run: opened only when nobody but the effective user can have written what lies in them.
// Owner and mode are read from the open descriptor, and files are named relative to it, so that nothing can be
// exchanged between the check and the use.
#pragma once

#include <sys/stat.h>

#include <string>

namespace cinn {

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd = -1) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  ~FileDescriptor();
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  // Closes it now: whether that went well.
  bool Close();

 private:
  int fd_;
};

// Opens `path`. Without a descriptor, `why` says what is wrong; it stays empty when the folder does not exist (or, with
// `create`, cannot be made). A folder is refused when another user owns it or group or others may write it, when one
// above it can be renamed by everybody (others may write it and it is not sticky), and when a symbolic link on the way
// belongs neither to this user, nor to root, nor to the owner of the folder it lies in. `create` makes what is
// missing, for this user alone.
FileDescriptor OpenPrivateFolder(const std::string& path, bool create, std::string* why);

// Opens a regular file in `folder` for reading: none when it is absent, a link, another user's or writable by others.
FileDescriptor OpenPrivateFile(const FileDescriptor& folder, const std::string& name, struct stat* st);

// A new file in `folder`, for this user alone; none when it cannot be made.
FileDescriptor CreatePrivateFile(const FileDescriptor& folder, const std::string& name);

}  // namespace cinn
