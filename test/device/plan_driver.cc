// SPDX-License-Identifier: Apache-2.0
// A proxy of the CUDA driver where cuDNN makes plans without a device: code is loaded, and nothing runs.
#define ANSWER(name, ...) extern "C" __attribute__((visibility("default"))) int name(__VA_ARGS__)
#define NOTHING(name) \
  ANSWER(name, ...) { return 801; }

ANSWER(cuInit, unsigned) { return 100; }  // there is no device
ANSWER(cuDriverGetVersion, int* version) {
  *version = 13000;
  return 0;
}
ANSWER(cuDeviceGetCount, int* count) {
  *count = 0;
  return 100;
}
ANSWER(cuGetErrorString, int, const char** text) {
  *text = "no device";
  return 0;
}
ANSWER(cuGetErrorName, int, const char** text) {
  *text = "CUDA_ERROR";
  return 0;
}
ANSWER(cuLibraryLoadData, void** library, const void* code, void*, void*, unsigned, void*, void*, unsigned) {
  *library = const_cast<void*>(code);
  return code ? 0 : 1;
}
ANSWER(cuLibraryUnload, void*) { return 0; }
ANSWER(cuLibraryGetKernel, void** kernel, void* library, const char*) {
  *kernel = library;
  return library ? 0 : 1;
}
ANSWER(cuKernelGetFunction, void** function, void* kernel) {
  *function = kernel;
  return 0;
}
ANSWER(cuLibraryGetModule, void** module, void* library) {
  *module = library;
  return 0;
}
ANSWER(cuModuleGetFunction, void** function, void* module, const char*) {
  *function = module;
  return 0;
}
ANSWER(cuFuncSetAttribute, void*, int, int) { return 0; }
ANSWER(cuKernelSetAttribute, int, int, void*, int) { return 0; }
ANSWER(cuFuncGetAttribute, int* value, int, void*) {
  *value = 0;
  return 0;
}
ANSWER(cuKernelGetAttribute, int* value, int, void*, int) {
  *value = 0;
  return 0;
}
NOTHING(cuCtxGetCurrent)
NOTHING(cuCtxGetLimit)
NOTHING(cuCtxPopCurrent)
NOTHING(cuCtxPushCurrent)
NOTHING(cuDeviceGet)
NOTHING(cuLaunchCooperativeKernel)
NOTHING(cuLaunchKernel)
NOTHING(cuLaunchKernelEx)
NOTHING(cuLibraryLoadFromFile)
NOTHING(cuLinkAddData)
NOTHING(cuLinkComplete)
NOTHING(cuLinkCreate)
NOTHING(cuLinkDestroy)
NOTHING(cuOccupancyMaxPotentialClusterSize)
NOTHING(cuStreamGetCtx)
