// SPDX-License-Identifier: Apache-2.0
// Names of the C library that came after the versions of tools/glibc/stubs.py, for the libraries of the package.
// Those that newer systems do better are looked up there on first use; the rest are made of what old systems have.
// No header that declares these names is included: some give them other linker names.
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/types.h>
#include <time.h>

#include <cstddef>
#include <cstdint>

struct stat;

namespace {

constexpr int kStatVersion = 1;  // _STAT_VER and _MKNOD_VER of x86-64 are 1 and 0
constexpr int kMknodVersion = 0;

}  // namespace

// `old_name`: the version that the linker finds in the stub; `name`: what the library and the archives in it call.
// The default version of the running system has no error handling around it, which old programs need and ours do not.
#define NEWEST(name, result, declared, passed)                                   \
  namespace {                                                                    \
  result First_##name declared;                                                  \
  result(*g_##name) declared = First_##name;                                     \
  result First_##name declared {                                                 \
    auto* found = reinterpret_cast<result(*) declared>(dlsym(RTLD_NEXT, #name)); \
    __atomic_store_n(&g_##name, found, __ATOMIC_RELAXED);                        \
    return found passed;                                                         \
  }                                                                              \
  }                                                                              \
  extern "C" result name declared { return __atomic_load_n(&g_##name, __ATOMIC_RELAXED) passed; }

NEWEST(exp, double, (double x), (x))
NEWEST(exp2, double, (double x), (x))
NEWEST(log, double, (double x), (x))
NEWEST(log2, double, (double x), (x))
NEWEST(pow, double, (double x, double y), (x, y))
NEWEST(hypot, double, (double x, double y), (x, y))
NEWEST(hypotf, float, (float x, float y), (x, y))

extern "C" {

// std::shared_ptr counts without atomic operations where this is set. No old system tells that a process has one
// thread.
char __libc_single_threaded = 0;

int __xstat(int version, const char* path, struct stat* result);
int __lxstat(int version, const char* path, struct stat* result);
int __fxstat(int version, int file, struct stat* result);
int __fxstatat(int version, int folder, const char* path, struct stat* result, int flags);
int __xmknod(int version, const char* path, mode_t mode, dev_t* device);

int stat(const char* path, struct stat* result) { return __xstat(kStatVersion, path, result); }
int lstat(const char* path, struct stat* result) { return __lxstat(kStatVersion, path, result); }
int fstat(int file, struct stat* result) { return __fxstat(kStatVersion, file, result); }
int fstatat(int folder, const char* path, struct stat* result, int flags) {
  return __fxstatat(kStatVersion, folder, path, result, flags);
}
// The structures with 64-bit offsets are the same on x86-64.
int stat64(const char* path, struct stat* result) { return __xstat(kStatVersion, path, result); }
int lstat64(const char* path, struct stat* result) { return __lxstat(kStatVersion, path, result); }
int fstat64(int file, struct stat* result) { return __fxstat(kStatVersion, file, result); }
int fstatat64(int folder, const char* path, struct stat* result, int flags) {
  return __fxstatat(kStatVersion, folder, path, result, flags);
}
int mknod(const char* path, mode_t mode, dev_t device) { return __xmknod(kMknodVersion, path, mode, &device); }

// LLVM makes the names of files with it.
uint32_t arc4random() {
  ssize_t getrandom(void*, size_t, unsigned);
  uint32_t value = 0;
  if (getrandom(&value, sizeof value, 0) == sizeof value) return value;
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint32_t>(now.tv_nsec) * 2654435761u;
}

// LLVM's memory statistics; counts above 2 GiB are modulo 2^32, as mallinfo gives them.
struct mallinfo2 mallinfo2() {
  const struct mallinfo old = mallinfo();
  struct mallinfo2 result = {};
  result.arena = static_cast<unsigned>(old.arena);
  result.hblkhd = static_cast<unsigned>(old.hblkhd);
  result.uordblks = static_cast<unsigned>(old.uordblks);
  result.fordblks = static_cast<unsigned>(old.fordblks);
  return result;
}

// std::condition_variable::wait_for. Before glibc 2.30 a condition is timed by the wall clock alone.
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, const timespec* until) {
  using Wait = int (*)(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*);
  static const auto wait = reinterpret_cast<Wait>(dlsym(RTLD_NEXT, "pthread_cond_clockwait"));
  if (wait) return wait(condition, mutex, clock, until);
  timespec here, wall;
  clock_gettime(clock, &here);
  clock_gettime(CLOCK_REALTIME, &wall);
  int64_t nanoseconds = int64_t{until->tv_nsec} - here.tv_nsec + wall.tv_nsec;
  int64_t seconds = int64_t{until->tv_sec} - here.tv_sec + wall.tv_sec + nanoseconds / 1000000000;
  nanoseconds %= 1000000000;
  if (nanoseconds < 0) nanoseconds += 1000000000, --seconds;
  const timespec then = {seconds, nanoseconds};
  return pthread_cond_timedwait(condition, mutex, &then);
}

}  // extern "C"
