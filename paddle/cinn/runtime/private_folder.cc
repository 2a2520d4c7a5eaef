// SPDX-License-Identifier: Apache-2.0
#include "paddle/cinn/runtime/private_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <deque>

namespace cinn {
namespace {

constexpr int kMaxLinks = 40;
constexpr mode_t kOthersWrite = S_IWGRP | S_IWOTH;

void AddParts(const std::string& path, std::deque<std::string>* parts) {
  auto at = parts->begin();
  for (size_t begin = 0; begin < path.size();) {
    size_t end = path.find('/', begin);
    if (end == std::string::npos) end = path.size();
    if (end > begin) at = parts->insert(at, path.substr(begin, end - begin)) + 1;
    begin = end + 1;
  }
}

std::string User(uid_t id) { return "user " + std::to_string(id); }

}  // namespace

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}
FileDescriptor::~FileDescriptor() {
  if (fd_ >= 0) ::close(fd_);
}
bool FileDescriptor::Close() {
  const int fd = fd_;
  fd_ = -1;
  return ::close(fd) == 0;
}

FileDescriptor OpenPrivateFolder(const std::string& path, bool create, std::string* why) {
  why->clear();
  const uid_t me = ::geteuid();
  const bool absolute = !path.empty() && path[0] == '/';
  FileDescriptor at(::open(absolute ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  struct stat st;
  if (!at || ::fstat(at.get(), &st) != 0) return FileDescriptor();
  std::deque<std::string> parts;
  AddParts(path, &parts);
  std::string name = absolute ? "" : ".";  // what `at` is, for messages
  int links = 0;
  while (!parts.empty()) {
    const struct stat folder = st;
    if ((folder.st_mode & S_IWOTH) && !(folder.st_mode & S_ISVTX)) {
      *why = "everybody may rename what lies in " + (name.empty() ? "/" : name);
      return FileDescriptor();
    }
    const std::string part = parts.front();
    parts.pop_front();
    const int flags = O_PATH | O_NOFOLLOW | O_CLOEXEC;
    FileDescriptor next(::openat(at.get(), part.c_str(), flags));
    if (!next && errno == ENOENT && create) {
      ::mkdirat(at.get(), part.c_str(), S_IRWXU);  // it may also have appeared meanwhile: what counts is what is opened
      next = FileDescriptor(::openat(at.get(), part.c_str(), flags));
    }
    if (!next || ::fstat(next.get(), &st) != 0) return FileDescriptor();
    if (S_ISLNK(st.st_mode)) {
      char target[PATH_MAX];
      const ssize_t size = ::readlinkat(next.get(), "", target, sizeof target);
      if (size <= 0 || size == static_cast<ssize_t>(sizeof target) || ++links > kMaxLinks) return FileDescriptor();
      if (st.st_uid != me && st.st_uid != 0 && st.st_uid != folder.st_uid) {
        *why = "the link " + name + "/" + part + " belongs to " + User(st.st_uid);
        return FileDescriptor();
      }
      st = folder;
      if (target[0] == '/') {
        at = FileDescriptor(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
        name.clear();
        if (!at || ::fstat(at.get(), &st) != 0) return FileDescriptor();
      }
      AddParts(std::string(target, static_cast<size_t>(size)), &parts);
      continue;
    }
    if (!S_ISDIR(st.st_mode)) {
      *why = name + "/" + part + " is not a directory";
      return FileDescriptor();
    }
    at = std::move(next);
    name += "/" + part;
  }
  // The walk holds a path only: the folder itself is opened through it, and asked again.
  FileDescriptor folder(::openat(at.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (::fstat(folder ? folder.get() : at.get(), &st) != 0) return FileDescriptor();
  if (st.st_uid != me) {
    *why = "it belongs to " + User(st.st_uid) + ", not to " + User(me);
  } else if (st.st_mode & kOthersWrite) {
    *why = std::string(st.st_mode & S_IWOTH ? "others" : "its group") + " may write it";
  }
  return why->empty() ? std::move(folder) : FileDescriptor();
}

FileDescriptor OpenPrivateFile(const FileDescriptor& folder, const std::string& name, struct stat* st) {
  FileDescriptor file(::openat(folder.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file || ::fstat(file.get(), st) != 0 || !S_ISREG(st->st_mode) || st->st_uid != ::geteuid() ||
      (st->st_mode & kOthersWrite))
    return FileDescriptor();
  return file;
}

FileDescriptor CreatePrivateFile(const FileDescriptor& folder, const std::string& name) {
  return FileDescriptor(
      ::openat(folder.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
}

}  // namespace cinn
