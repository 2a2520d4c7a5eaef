// SPDX-License-Identifier: Apache-2.0
// A cuFFT for tests without a GPU: plans with memory of the caller's, in the order of a stream, by sums of products in
// float64. It refuses what plans do not allow, leaves the input of a transform to reals as no number, and says so on
// stderr. FAKECUFFT_FAILS=plan or exec lets these calls fail; calls are written to the file of FAKECUFFT_LOG, a line a
// call.
#include <algorithm>
#include <cmath>
#include <complex>
#include <fstream>
#include <limits>
#include <map>
#include <numbers>
#include <string>

#include "device/host_work.h"

namespace {

enum Status : int {
  kSuccess = 0,
  kInvalidPlan = 1,
  kInvalidType = 3,
  kInvalidValue = 4,
  kExecFailed = 6,
  kInvalidSize = 8,
  kUnaligned = 9,
  kNoWorkspace = 13,
};
constexpr int kR2C = 42, kC2R = 44, kC2C = 41, kD2Z = 106, kZ2D = 108, kZ2Z = 105;
constexpr size_t kWorkspace = 512;

struct Side {
  long long extents[3] = {1, 1, 1}, stride = 0, distance = 0;
  long long lengths[3] = {1, 1, 1};  // of what is used
  long long At(const long long (&k)[3], long long batch) const {
    return batch * distance + ((k[0] * extents[1] + k[1]) * extents[2] + k[2]) * stride;
  }
};
struct Plan {
  CUcontext context;
  bool own_memory = true, made = false;
  int kind = 0;
  long long n[3] = {1, 1, 1}, count = 0;
  Side in, out;
  CUstream stream = nullptr;
  void* area = nullptr;
};

std::mutex mutex;
std::map<int, Plan>& Plans() {
  static auto& plans = *new std::map<int, Plan>;
  return plans;
}

int Refuse(int status, const std::string& why) {
  std::fprintf(stderr, "fakecufft: %s\n", why.c_str());
  return status;
}
void Log(const std::string& line) {
  static const char* const path = std::getenv("FAKECUFFT_LOG");
  if (path) std::ofstream(path, std::ios::app) << line << "\n";
}
bool Fails(const char* call) {
  static const char* const asked = std::getenv("FAKECUFFT_FAILS");
  return asked && !std::strcmp(asked, call);
}

bool IsWide(int kind) { return kind == kD2Z || kind == kZ2D || kind == kZ2Z; }
bool FromReal(int kind) { return kind == kR2C || kind == kD2Z; }
bool ToReal(int kind) { return kind == kC2R || kind == kZ2D; }

// Positions of all elements of a batch on a side.
template <class F>
void Each(const Side& s, long long count, F f) {
  for (long long b = 0; b < count; ++b) {
    long long k[3];
    for (k[0] = 0; k[0] < s.lengths[0]; ++k[0])
      for (k[1] = 0; k[1] < s.lengths[1]; ++k[1])
        for (k[2] = 0; k[2] < s.lengths[2]; ++k[2]) f(b, k, s.At(k, b));
  }
}

using Complex = std::complex<double>;
struct Job {
  Plan plan;
  int direction;
  const char* from;
  char *to, *ruined;  // what has no meaning after
  size_t ruined_bytes;
};

// An axis at a time; where a result is real, its other half is the conjugate.
void Transform(const Job& j) {
  const Plan& p = j.plan;
  const Real type = IsWide(p.kind) ? Real::k64 : Real::k32;
  const size_t size = SizeOf(type);
  const long long all = p.n[0] * p.n[1] * p.n[2];
  const auto place = [&](const long long(&k)[3]) { return (k[0] * p.n[1] + k[1]) * p.n[2] + k[2]; };
  for (long long b = 0; b < p.count; ++b) {
    std::vector<Complex> x(static_cast<size_t>(all));
    Each(p.in, p.count, [&](long long batch, const long long(&k)[3], long long at) {
      if (batch != b) return;
      const char* e = j.from + static_cast<size_t>(at) * size * (FromReal(p.kind) ? 1 : 2);
      const Complex v(Load(type, e), FromReal(p.kind) ? 0 : Load(type, e + size));
      x[static_cast<size_t>(place(k))] = v;
    });
    if (ToReal(p.kind)) {
      long long k[3];
      for (k[0] = 0; k[0] < p.n[0]; ++k[0])
        for (k[1] = 0; k[1] < p.n[1]; ++k[1])
          for (k[2] = p.n[2] / 2 + 1; k[2] < p.n[2]; ++k[2]) {
            const long long m[3] = {(p.n[0] - k[0]) % p.n[0], (p.n[1] - k[1]) % p.n[1], p.n[2] - k[2]};
            x[static_cast<size_t>(place(k))] = std::conj(x[static_cast<size_t>(place(m))]);
          }
    }
    long long step = 1;
    for (int a = 2; a >= 0; step *= p.n[a], --a) {
      const long long n = p.n[a];
      for (long long line = 0; n > 1 && line < all / n; ++line) {
        const long long first = line / step * step * n + line % step;
        std::vector<Complex> y(static_cast<size_t>(n));
        for (long long k = 0; k < n; ++k)
          for (long long i = 0; i < n; ++i)
            y[static_cast<size_t>(k)] += x[static_cast<size_t>(first + i * step)] *
                                         std::polar(1.0, j.direction * 2 * std::numbers::pi *
                                                             static_cast<double>(k * i % n) / static_cast<double>(n));
        for (long long k = 0; k < n; ++k) x[static_cast<size_t>(first + k * step)] = y[static_cast<size_t>(k)];
      }
    }
    Each(p.out, p.count, [&](long long batch, const long long(&k)[3], long long at) {
      if (batch != b) return;
      const Complex v = x[static_cast<size_t>(place(k))];
      char* e = j.to + static_cast<size_t>(at) * size * (ToReal(p.kind) ? 1 : 2);
      Store(type, v.real(), e);
      if (!ToReal(p.kind)) Store(type, v.imag(), e + size);
    });
  }
  for (size_t e = 0; e < j.ruined_bytes / size; ++e)
    Store(type, std::numeric_limits<double>::quiet_NaN(), j.ruined + e * size);
}

long long Span(const Side& s, long long count) {
  long long last = 0;
  Each(s, count, [&](long long, const long long(&)[3], long long at) { last = std::max(last, at); });
  return last + 1;
}

int Exec(int handle, void* in, void* out, int direction, int kind) {
  std::lock_guard lock(mutex);
  const auto found = Plans().find(handle);
  if (found == Plans().end() || !found->second.made) return Refuse(kInvalidPlan, "a plan that was not made");
  const Plan& p = found->second;
  if (Fails("exec")) return kExecFailed;
  if (p.kind != kind) return Refuse(kInvalidType, "a transform of another kind than its plan");
  if (direction != -1 && direction != 1) return Refuse(kInvalidValue, "a direction that is none");
  CUcontext now = nullptr;
  DRIVER(cuCtxGetCurrent)(&now);
  if (now != p.context) return Refuse(kInvalidPlan, "a transform while another device is current");
  if (!p.area || reinterpret_cast<uintptr_t>(p.area) % 256)
    return Refuse(kNoWorkspace, "no work area, or a misaligned one");
  const size_t real = IsWide(kind) ? 8 : 4, complex = 2 * real;
  for (const void* side : {in, out})
    if (!side || reinterpret_cast<uintptr_t>(side) % complex)
      return Refuse(kUnaligned, "numbers that do not lie at multiples of complex ones");
  if (in == out && (p.in.stride != p.out.stride || p.in.distance != p.out.distance || FromReal(kind) || ToReal(kind)))
    return Refuse(kInvalidValue, "a transform in place between different layouts");
  const size_t in_size = FromReal(kind) ? real : complex, out_size = ToReal(kind) ? real : complex;
  HostWork& work = HostWork::On(p.stream);
  Job j{p, direction, nullptr, nullptr, nullptr, 0};
  const auto in_bytes = static_cast<size_t>(Span(p.in, p.count)) * in_size;
  j.from = work.Read(in, in_bytes);
  j.to = work.Room(static_cast<size_t>(Span(p.out, p.count)) * out_size);
  j.ruined_bytes = std::max(kWorkspace, in_bytes);
  j.ruined = work.Room(j.ruined_bytes);
  work.Do([j] { Transform(j); });
  // Elements that follow each other are written at once.
  std::vector<long long> places;
  Each(p.out, p.count, [&](long long, const long long(&)[3], long long at) { places.push_back(at); });
  std::sort(places.begin(), places.end());
  for (size_t b = 0; b < places.size();) {
    size_t e = b + 1;
    while (e < places.size() && places[e] == places[e - 1] + 1) ++e;
    if (e < places.size() && places[e] == places[e - 1]) return Refuse(kInvalidSize, "results that overlap");
    const size_t at = static_cast<size_t>(places[b]) * out_size;
    work.Write(static_cast<char*>(out) + at, j.to + at, (e - b) * out_size);
    b = e;
  }
  work.Write(p.area, j.ruined, kWorkspace);
  if (ToReal(kind)) work.Write(in, j.ruined, in_bytes);
  const bool ok = work.End();
  Log("exec " + std::to_string(kind) + " " + std::to_string(p.n[0]) + "x" + std::to_string(p.n[1]) + "x" +
      std::to_string(p.n[2]) + " count " + std::to_string(p.count) + " direction " + std::to_string(direction));
  return ok ? kSuccess : Refuse(kExecFailed, "memory that cannot be read or written");
}

// The plan of that number before it is made, or after.
int Change(int handle, bool made, const std::function<int(Plan&)>& how) {
  std::lock_guard lock(mutex);
  const auto found = Plans().find(handle);
  if (found == Plans().end()) return Refuse(kInvalidPlan, "a plan that is not there");
  if (found->second.made != made) return Refuse(kInvalidPlan, made ? "a plan that was not made" : "a plan made twice");
  return how(found->second);
}

}  // namespace

extern "C" {
#define FAKECUFFT_API __attribute__((visibility("default")))
FAKECUFFT_API int cufftCreate(int* handle) {
  CUcontext now = nullptr;
  DRIVER(cuCtxGetCurrent)(&now);
  if (!now) return Refuse(kInvalidPlan, "cufftCreate without a current device");
  static int last = 100;
  std::lock_guard lock(mutex);
  *handle = ++last;
  Plans()[*handle].context = now;
  return kSuccess;
}
FAKECUFFT_API int cufftDestroy(int handle) {
  std::lock_guard lock(mutex);
  return Plans().erase(handle) ? kSuccess : Refuse(kInvalidPlan, "a plan that is not there");
}
FAKECUFFT_API int cufftSetAutoAllocation(int handle, int yes) {
  return Change(handle, false, [&](Plan& p) {
    p.own_memory = yes != 0;
    return kSuccess;
  });
}
FAKECUFFT_API int cufftMakePlanMany64(int handle, int rank, long long* n, long long* in_extents, long long in_stride,
                                      long long in_distance, long long* out_extents, long long out_stride,
                                      long long out_distance, int kind, long long count, size_t* workspace) {
  return Change(handle, false, [&](Plan& p) {
    if (Fails("plan")) return static_cast<int>(kInvalidSize);
    if (p.own_memory) return Refuse(kInvalidValue, "a plan that takes memory of its own");
    if (rank < 1 || rank > 3 || !n || !in_extents || !out_extents || !workspace || count < 1)
      return Refuse(kInvalidValue, "a plan without axes, extents or transforms");
    if (!FromReal(kind) && !ToReal(kind) && kind != kC2C && kind != kZ2Z)
      return Refuse(kInvalidType, "an unknown kind of transform " + std::to_string(kind));
    p.kind = kind, p.count = count;
    p.in = {{1, 1, 1}, in_stride, in_distance, {1, 1, 1}}, p.out = {{1, 1, 1}, out_stride, out_distance, {1, 1, 1}};
    for (int a = 0; a < rank; ++a) {
      const int to = 3 - rank + a;
      if (n[a] < 1) return Refuse(kInvalidSize, "an axis without elements");
      const long long half = a == rank - 1 ? n[a] / 2 + 1 : n[a];
      p.n[to] = n[a];
      p.in.lengths[to] = ToReal(kind) ? half : n[a], p.out.lengths[to] = FromReal(kind) ? half : n[a];
      p.in.extents[to] = in_extents[a], p.out.extents[to] = out_extents[a];
      if (in_extents[a] < p.in.lengths[to] || out_extents[a] < p.out.lengths[to])
        return Refuse(kInvalidSize, "extents in memory below those of the transform");
    }
    if (in_stride < 1 || out_stride < 1 || (count > 1 && (in_distance < 1 || out_distance < 1)))
      return Refuse(kInvalidSize, "strides below one element");
    *workspace = kWorkspace;
    p.made = true;
    Log("plan");
    return static_cast<int>(kSuccess);
  });
}
FAKECUFFT_API int cufftSetStream(int handle, CUstream stream) {
  return Change(handle, true, [&](Plan& p) {
    p.stream = stream;
    return kSuccess;
  });
}
FAKECUFFT_API int cufftSetWorkArea(int handle, void* area) {
  return Change(handle, true, [&](Plan& p) {
    p.area = area;
    return kSuccess;
  });
}
FAKECUFFT_API int cufftExecC2C(int p, void* in, void* out, int direction) { return Exec(p, in, out, direction, kC2C); }
FAKECUFFT_API int cufftExecZ2Z(int p, void* in, void* out, int direction) { return Exec(p, in, out, direction, kZ2Z); }
FAKECUFFT_API int cufftExecR2C(int p, void* in, void* out) { return Exec(p, in, out, -1, kR2C); }
FAKECUFFT_API int cufftExecD2Z(int p, void* in, void* out) { return Exec(p, in, out, -1, kD2Z); }
FAKECUFFT_API int cufftExecC2R(int p, void* in, void* out) { return Exec(p, in, out, 1, kC2R); }
FAKECUFFT_API int cufftExecZ2D(int p, void* in, void* out) { return Exec(p, in, out, 1, kZ2D); }
}
