// SPDX-License-Identifier: Apache-2.0
// The least CUDA driver that memory, copies, streams and events can be tested on: two devices in host memory, every
// call done at once. HOST_DRIVER_BYTES bounds a device's memory. Kernels are refused; with HOST_DRIVER_PTX their text
// is written to files of that folder, and a launch does nothing. HOST_DRIVER_CAPABILITY is 86 where it is not given.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

namespace {
constexpr int kOk = 0, kInvalid = 1, kOutOfMemory = 2;
int g_current = -1;
size_t g_limit = 1 << 26, g_used[2];
std::map<unsigned long long, std::pair<int, size_t>> g_blocks;
double g_clock = 0;
struct Event {
  double at = -1;
};
// Whether [p, p + n) lies in one live block.
bool Inside(unsigned long long p, size_t n) {
  auto it = g_blocks.upper_bound(p);
  if (it == g_blocks.begin()) return false;
  --it;
  return p + n <= it->first + it->second.second;
}
int Copy(void* to, const void* from, size_t n) {
  std::memmove(to, from, n);
  return kOk;
}
void* At(unsigned long long p) { return reinterpret_cast<void*>(p); }
}  // namespace

#define DRIVER extern "C" __attribute__((visibility("default"))) int

DRIVER cuInit(unsigned) { return kOk; }
DRIVER cuDriverGetVersion(int* v) {
  const char* given = std::getenv("HOST_DRIVER_VERSION");
  *v = given ? std::atoi(given) : 12040;
  return kOk;
}
DRIVER cuGetErrorName(int e, const char** s) {
  *s = e == kInvalid       ? "CUDA_ERROR_INVALID_VALUE"
       : e == kOutOfMemory ? "CUDA_ERROR_OUT_OF_MEMORY"
                           : "CUDA_ERROR_UNKNOWN";
  return kOk;
}
DRIVER cuGetErrorString(int e, const char** s) {
  *s = e == kInvalid ? "invalid argument" : "no text";
  return kOk;
}
DRIVER cuDeviceGetCount(int* n) {
  if (const char* bytes = std::getenv("HOST_DRIVER_BYTES")) g_limit = std::strtoull(bytes, nullptr, 10);
  const char* given = std::getenv("HOST_DRIVER_DEVICES");
  *n = given ? std::atoi(given) : 2;
  return kOk;
}
DRIVER cuDeviceGet(int* d, int n) {
  *d = n;
  return n < 2 ? kOk : kInvalid;
}
DRIVER cuDeviceGetName(char* s, int n, int) {
  std::strncpy(s, "host", static_cast<size_t>(n));
  return kOk;
}
DRIVER cuDeviceTotalMem_v2(size_t* n, int) {
  *n = g_limit;
  return kOk;
}
DRIVER cuDeviceGetAttribute(int* v, int a, int) {
  const char* given = std::getenv("HOST_DRIVER_CAPABILITY");
  const int capability = given ? std::atoi(given) : 86;
  *v = a == 75 ? capability / 10 : a == 76 ? capability % 10 : a == 10 ? 32 : a;
  return kOk;
}
DRIVER cuDevicePrimaryCtxRetain(void** c, int d) {
  *c = At(static_cast<unsigned long long>(d) + 1);
  return kOk;
}
DRIVER cuCtxSetCurrent(void* c) {
  g_current = static_cast<int>(reinterpret_cast<size_t>(c)) - 1;
  return kOk;
}
DRIVER cuCtxSynchronize() { return kOk; }
DRIVER cuMemAlloc_v2(unsigned long long* p, size_t n) {
  if (g_current < 0 || n == 0) return kInvalid;
  if (g_used[g_current] + n > g_limit) return kOutOfMemory;
  g_used[g_current] += n;
  *p = reinterpret_cast<unsigned long long>(std::calloc(1, n));  // what kernels would write, indices among it, is 0
  g_blocks[*p] = {g_current, n};
  return kOk;
}
DRIVER cuMemFree_v2(unsigned long long p) {
  auto it = g_blocks.find(p);
  if (it == g_blocks.end()) return kInvalid;
  g_used[it->second.first] -= it->second.second;
  g_blocks.erase(it);
  std::free(At(p));
  return kOk;
}
DRIVER cuMemHostAlloc(void** p, size_t n, unsigned) {
  *p = std::malloc(n);
  return kOk;
}
DRIVER cuMemFreeHost(void* p) {
  std::free(p);
  return kOk;
}
DRIVER cuMemGetInfo_v2(size_t* free, size_t* total) {
  *total = g_limit;
  *free = g_limit - g_used[g_current];
  return kOk;
}
DRIVER cuMemcpyHtoDAsync_v2(unsigned long long to, const void* from, size_t n, void*) {
  return Inside(to, n) ? Copy(At(to), from, n) : kInvalid;
}
DRIVER cuMemcpyDtoHAsync_v2(void* to, unsigned long long from, size_t n, void*) {
  return Inside(from, n) ? Copy(to, At(from), n) : kInvalid;
}
DRIVER cuMemcpyDtoDAsync_v2(unsigned long long to, unsigned long long from, size_t n, void*) {
  return Inside(to, n) && Inside(from, n) ? Copy(At(to), At(from), n) : kInvalid;
}
DRIVER cuMemcpyPeerAsync(unsigned long long to, void*, unsigned long long from, void*, size_t n, void*) {
  return cuMemcpyDtoDAsync_v2(to, from, n, nullptr);
}
DRIVER cuMemsetD8Async(unsigned long long to, unsigned char v, size_t n, void*) {
  std::memset(At(to), v, n);
  return kOk;
}
DRIVER cuStreamCreate(void** s, unsigned) {
  *s = std::malloc(1);
  return kOk;
}
DRIVER cuStreamDestroy_v2(void* s) {
  std::free(s);
  return kOk;
}
DRIVER cuStreamQuery(void*) { return kOk; }
DRIVER cuStreamSynchronize(void*) { return kOk; }
DRIVER cuStreamWaitEvent(void*, void*, unsigned) { return kOk; }
DRIVER cuStreamBeginCapture_v2(void*, int) { return kInvalid; }
DRIVER cuThreadExchangeStreamCaptureMode(int*) { return kOk; }
DRIVER cuStreamEndCapture(void*, void**) { return kInvalid; }
DRIVER cuStreamIsCapturing(void*, int* status) {
  *status = 0;
  return kOk;
}
DRIVER cuGraphInstantiateWithFlags(void**, void*, unsigned long long) { return kInvalid; }
DRIVER cuGraphLaunch(void*, void*) { return kInvalid; }
DRIVER cuGraphDestroy(void*) { return kInvalid; }
DRIVER cuGraphExecDestroy(void*) { return kInvalid; }
DRIVER cuGraphDebugDotPrint(void*, const char*, unsigned) { return kInvalid; }
DRIVER cuEventCreate(void** e, unsigned) {
  *e = new Event;
  return kOk;
}
DRIVER cuEventDestroy_v2(void* e) {
  delete static_cast<Event*>(e);
  return kOk;
}
DRIVER cuEventRecord(void* e, void*) {
  static_cast<Event*>(e)->at = ++g_clock;
  return kOk;
}
DRIVER cuEventQuery(void*) { return kOk; }
DRIVER cuEventSynchronize(void*) { return kOk; }
DRIVER cuEventElapsedTime(float* ms, void* a, void* b) {
  *ms = static_cast<float>(static_cast<Event*>(b)->at - static_cast<Event*>(a)->at);
  return kOk;
}
DRIVER cuModuleLoadDataEx(void** module, const void* text, unsigned, int*, void**) {
  const char* folder = std::getenv("HOST_DRIVER_PTX");
  if (!folder) return kInvalid;
  static int count = 0;
  std::FILE* file = std::fopen((std::string(folder) + "/" + std::to_string(++count) + ".ptx").c_str(), "w");
  if (!file) return kInvalid;
  std::fputs(static_cast<const char*>(text), file);
  std::fclose(file);
  *module = At(1);
  return kOk;
}
DRIVER cuModuleUnload(void*) { return kInvalid; }
DRIVER cuModuleGetFunction(void** function, void*, const char*) {
  *function = At(1);
  return kOk;
}
DRIVER cuLaunchKernel(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**,
                      void**) {
  return kOk;
}
