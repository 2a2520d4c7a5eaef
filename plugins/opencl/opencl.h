// SPDX-License-Identifier: Apache-2.0
// What the parts of the plugin share.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "paddle/phi/backends/device_ext.h"

namespace opencl {

struct Device {
  cl_device_id id;
  cl_context context;
  cl_command_queue queue;  // the default stream
};
// The device of that number; without a queue where there is none.
Device& Of(int id);
cl_command_queue NewQueue(const Device& d);
cl_command_queue QueueOf(C_Device device, C_Stream stream);
// The buffer that an address lies in, and where; false for addresses of others. Null is no buffer.
bool Find(const void* address, cl_mem* memory, size_t* offset);

// Kernels of text that the framework writes.
C_Status Compile(const C_Device device, const char* text, size_t size, const char* name, C_Kernel* kernel, char* log,
                 size_t log_size);
C_Status Launch(const C_Device device, C_Stream stream, C_Kernel kernel, size_t blocks, size_t threads,
                void* const* addresses, size_t naddresses, const int64_t* numbers, size_t nnumbers);

}  // namespace opencl
