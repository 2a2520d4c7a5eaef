// SPDX-License-Identifier: Apache-2.0
// A device of the double for one test: context, memory, modules and launches, and what went wrong.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "device/fakecuda/cuda_api.h"

namespace fakecuda::testing {

inline std::string Text(CUresult result) {
  const char* text = nullptr;
  cuGetErrorString(result, &text);
  return text ? text : "";
}

inline const std::string kHead = ".version 8.0\n.target sm_80\n.address_size 64\n";

class DeviceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
    ASSERT_EQ(cuDevicePrimaryCtxRetain(&context_, 0), CUDA_SUCCESS);
    cuCtxSetCurrent(context_);
    fakecuda_take_find();
    fakecuda_reset_counters();
  }
  void TearDown() override {
    fakecuda_take_find();
    for (const CUdeviceptr p : allocated_) cuMemFree_v2(p);
    EXPECT_STREQ(fakecuda_take_find(), "");
  }

  CUdeviceptr Alloc(size_t bytes) {
    CUdeviceptr p = 0;
    EXPECT_EQ(cuMemAlloc_v2(&p, bytes), CUDA_SUCCESS);
    allocated_.push_back(p);
    return p;
  }
  void Release(CUdeviceptr p) {
    std::erase(allocated_, p);
    EXPECT_EQ(cuMemFree_v2(p), CUDA_SUCCESS);
  }
  template <class T>
  CUdeviceptr Upload(const std::vector<T>& v) {
    const CUdeviceptr p = Alloc(v.size() * sizeof(T));
    EXPECT_EQ(cuMemcpyHtoD_v2(p, v.data(), v.size() * sizeof(T)), CUDA_SUCCESS);
    return p;
  }
  template <class T>
  std::vector<T> Download(CUdeviceptr p, size_t n) {
    std::vector<T> v(n);
    const CUresult result = cuMemcpyDtoH_v2(v.data(), p, n * sizeof(T));
    EXPECT_EQ(result, CUDA_SUCCESS) << Text(result);
    return v;
  }

  // The function `k` of a text; the module stays loaded.
  CUfunction Load(const std::string& text, const char* name = "k") {
    char log[512] = "";
    int options[] = {5, 6};
    void* values[] = {log, reinterpret_cast<void*>(sizeof(log))};
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    EXPECT_EQ(cuModuleLoadDataEx(&module, text.c_str(), 2, options, values), CUDA_SUCCESS) << log << "\n" << text;
    if (module) { EXPECT_EQ(cuModuleGetFunction(&function, module, name), CUDA_SUCCESS); }
    return function;
  }
  // What the log says of a text that must not load.
  std::string Refusal(const std::string& text) {
    char log[512] = "";
    int options[] = {5, 6};
    void* values[] = {log, reinterpret_cast<void*>(sizeof(log))};
    CUmodule module = nullptr;
    EXPECT_EQ(cuModuleLoadDataEx(&module, text.c_str(), 2, options, values), CUDA_ERROR_INVALID_PTX);
    return log;
  }
  template <class... A>
  CUresult Launch(CUfunction f, unsigned blocks, unsigned threads, CUstream stream, A... args) {
    void* params[] = {&args..., nullptr};
    return cuLaunchKernel(f, blocks, 1, 1, threads, 1, 1, 0, stream, params, nullptr);
  }
  // The find that the work so far leads to.
  std::string Found() {
    cuCtxSynchronize();
    return fakecuda_take_find();
  }

  CUcontext context_ = nullptr;
  std::vector<CUdeviceptr> allocated_;
};

// A kernel k(out, a, b, c) of one thread an element: loads of a, b, c as `bits`-wide registers, the body from %a, %b,
// %c to %d, a store of `out_bits`. Predicates %p, %q and 32-bit %x, %y are free.
inline std::string Elementwise(const std::string& body, int bits = 32, int out_bits = 32) {
  const auto load = [&](const std::string& name, int i) {
    return "  ld.param.u64 %at, [k_" + std::to_string(i) + "];\n  mad.wide.u32 %at, %t, " + std::to_string(bits / 8) +
           ", %at;\n  ld.global.b" + std::to_string(bits) + " " + name + ", [%at];\n";
  };
  const std::string b = std::to_string(bits), o = std::to_string(out_bits);
  return kHead + ".visible .entry k(.param .u64 k_0, .param .u64 k_1, .param .u64 k_2, .param .u64 k_3) {\n  .reg .b" +
         b + " %a, %b, %c;\n  .reg .b" + o +
         " %d;\n  .reg .pred %p, %q;\n  .reg .b32 %t, %n, %m, %x, %y;\n  .reg .b16 %h, %g;\n  .reg .b64 %at, %z;\n" +
         "  mov.u32 %t, %tid.x;\n  mov.u32 %n, %ctaid.x;\n  mov.u32 %m, %ntid.x;\n  mad.lo.u32 %t, %n, %m, %t;\n" +
         load("%a", 1) + load("%b", 2) + load("%c", 3) + body +
         "\n  ld.param.u64 %at, [k_0];\n  mad.wide.u32 %at, %t, " + std::to_string(out_bits / 8) +
         ", %at;\n  st.global.b" + o + " [%at], %d;\n  ret;\n}\n";
}

}  // namespace fakecuda::testing
