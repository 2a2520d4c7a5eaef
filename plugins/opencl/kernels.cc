// SPDX-License-Identifier: Apache-2.0
// Kernels: OpenCL C compiled at run time, and the launch of one over the framework's addresses.
#include <mutex>

#include "opencl.h"

namespace opencl {
namespace {

// A kernel's arguments are part of it: two threads may not set them at once.
std::mutex g_launch;

}  // namespace

C_Status Compile(const C_Device device, const char* text, size_t size, const char* name, C_Kernel* kernel, char* log,
                 size_t log_size) {
  const Device& d = Of(device->id);
  cl_int code = CL_SUCCESS;
  cl_program program = clCreateProgramWithSource(d.context, 1, &text, &size, &code);
  if (!program) return C_FAILED;
  cl_device_fp_config floats = 0;
  clGetDeviceInfo(d.id, CL_DEVICE_SINGLE_FP_CONFIG, sizeof(floats), &floats, nullptr);
  const bool exact = (floats & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
  code = clBuildProgram(program, 1, &d.id, exact ? "-cl-fp32-correctly-rounded-divide-sqrt" : "", nullptr, nullptr);
  if (code != CL_SUCCESS) clGetProgramBuildInfo(program, d.id, CL_PROGRAM_BUILD_LOG, log_size - 1, log, nullptr);
  cl_kernel made = code == CL_SUCCESS ? clCreateKernel(program, name, &code) : nullptr;
  clReleaseProgram(program);  // the kernel keeps it
  *kernel = reinterpret_cast<C_Kernel>(made);
  return made ? C_SUCCESS : C_FAILED;
}

C_Status Launch(const C_Device device, C_Stream stream, C_Kernel kernel, size_t blocks, size_t threads,
                void* const* addresses, size_t naddresses, const int64_t* numbers, size_t nnumbers) {
  cl_kernel k = reinterpret_cast<cl_kernel>(kernel);
  std::lock_guard<std::mutex> lock(g_launch);
  cl_uint at = 0;
  bool done = true;
  for (size_t i = 0; i < naddresses; ++i) {
    cl_mem memory;
    size_t offset;
    if (!Find(addresses[i], &memory, &offset)) return C_FAILED;
    const cl_ulong from = offset;
    done = clSetKernelArg(k, at++, sizeof(memory), &memory) == CL_SUCCESS && done;
    done = clSetKernelArg(k, at++, sizeof(from), &from) == CL_SUCCESS && done;
  }
  for (size_t i = 0; i < nnumbers; ++i)
    done = clSetKernelArg(k, at++, sizeof(cl_ulong), numbers + i) == CL_SUCCESS && done;
  const size_t all = blocks * threads;
  cl_command_queue queue = QueueOf(device, stream);
  if (!done || clEnqueueNDRangeKernel(queue, k, 1, nullptr, &all, &threads, 0, nullptr, nullptr) != CL_SUCCESS)
    return C_FAILED;
  return clFlush(queue) == CL_SUCCESS ? C_SUCCESS : C_FAILED;
}

}  // namespace opencl
