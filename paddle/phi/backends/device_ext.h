/* SPDX-License-Identifier: Apache-2.0
 * The interface between the framework and a device plugin: a shared library whose `InitPlugin` fills one struct of C
 * functions. ABI version 0.1.1. Unset pointers are null; the functions marked "required" must be set, all others have
 * working defaults or are not used. Plain C, no other header needed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
#include <array>
extern "C" {
#endif

#define PADDLE_CUSTOM_RUNTIME_MAJOR_VERSION 0
#define PADDLE_CUSTOM_RUNTIME_MINOR_VERSION 1
#define PADDLE_CUSTOM_RUNTIME_PATCH_VERSION 1

typedef enum { C_SUCCESS = 0, C_WARNING, C_FAILED, C_ERROR, C_INTERNAL_ERROR } C_Status;

typedef enum {
  UNDEFINED = 0,
  BOOL,
  UINT8,
  UINT16,
  UINT32,
  UINT64,
  INT8,
  INT16,
  INT32,
  INT64,
  FLOAT16,
  FLOAT32,
  FLOAT64,
  BFLOAT16,
  COMPLEX64,
  COMPLEX128
} C_DataType;
typedef enum { ANY = 0, NHWC, NCHW, NCDHW, NDHWC, STRIDED } C_DataLayout;
typedef enum { SUM = 0, AVG, MAX, MIN, PRODUCT } C_CCLReduceOp;
typedef enum {
  C_STREAM_CAPTURE_MODE_GLOBAL = 0,
  C_STREAM_CAPTURE_MODE_THREAD_LOCAL,
  C_STREAM_CAPTURE_MODE_RELAXED
} C_StreamCaptureMode;
typedef enum {
  C_STREAM_CAPTURE_STATUS_NONE = 0,
  C_STREAM_CAPTURE_STATUS_ACTIVE,
  C_STREAM_CAPTURE_STATUS_INVALIDATED
} C_StreamCaptureStatus;

typedef struct C_Device_st {
  int id;
} * C_Device;
typedef struct C_Stream_st* C_Stream;
typedef struct C_Event_st* C_Event;
typedef struct C_CCLComm_st* C_CCLComm;
typedef struct C_BLASHandle_st* C_BLASHandle;
typedef struct C_BLASLtHandle_st* C_BLASLtHandle;
typedef struct C_CudaGraph_st* C_CudaGraph;
typedef struct C_GraphExec_st* C_GraphExec;
typedef struct C_Profiler_st* C_Profiler;
typedef void (*C_Callback)(C_Device device, C_Stream stream, void* user_data, C_Status* status);
typedef struct {
  size_t sz;
  void* data;
} C_CCLRootId;

typedef struct C_DeviceInterface {
  size_t size; /* sizeof(C_DeviceInterface) of the plugin */

  /* --- devices, streams, events */
  C_Status (*initialize)(void);
  C_Status (*finalize)(void);
  C_Status (*init_device)(const C_Device device);
  C_Status (*set_device)(const C_Device device); /* required */
  C_Status (*get_device)(const C_Device device); /* required */
  C_Status (*deinit_device)(const C_Device device);
  C_Status (*create_stream)(const C_Device device, C_Stream* stream);
  C_Status (*destroy_stream)(const C_Device device, C_Stream stream);
  C_Status (*query_stream)(const C_Device device, C_Stream stream);
  C_Status (*stream_add_callback)(const C_Device device, C_Stream stream, C_Callback callback, void* user_data);
  C_Status (*create_event)(const C_Device device, C_Event* event);                 /* required */
  C_Status (*record_event)(const C_Device device, C_Stream stream, C_Event event); /* required */
  C_Status (*destroy_event)(const C_Device device, C_Event event);                 /* required */
  C_Status (*query_event)(const C_Device device, C_Event event);
  C_Status (*synchronize_device)(const C_Device device);
  C_Status (*synchronize_stream)(const C_Device device, C_Stream stream);
  C_Status (*synchronize_event)(const C_Device device, C_Event event); /* required */
  C_Status (*stream_wait_event)(const C_Device device, C_Stream stream, C_Event event);
  void* reserved_dev_api[8];

  /* --- memory */
  C_Status (*device_memory_allocate)(const C_Device device, void** ptr, size_t size);  /* required */
  C_Status (*device_memory_deallocate)(const C_Device device, void* ptr, size_t size); /* required */
  C_Status (*device_memory_set)(const C_Device device, void* ptr, unsigned char value, size_t size);
  C_Status (*host_memory_allocate)(const C_Device device, void** ptr, size_t size);
  C_Status (*host_memory_deallocate)(const C_Device device, void* ptr, size_t size);
  C_Status (*unified_memory_allocate)(const C_Device device, void** ptr, size_t size);
  C_Status (*unified_memory_deallocate)(const C_Device device, void* ptr, size_t size);
  C_Status (*memory_copy_h2d)(const C_Device device, void* dst, const void* src, size_t size);
  C_Status (*memory_copy_d2h)(const C_Device device, void* dst, const void* src, size_t size);
  C_Status (*memory_copy_d2d)(const C_Device device, void* dst, const void* src, size_t size);
  C_Status (*memory_copy_p2p)(const C_Device dst_device, const C_Device src_device, void* dst, const void* src,
                              size_t size);
  C_Status (*async_memory_copy_h2d)(const C_Device device, C_Stream stream, void* dst, const void* src, size_t size);
  C_Status (*async_memory_copy_d2h)(const C_Device device, C_Stream stream, void* dst, const void* src, size_t size);
  C_Status (*async_memory_copy_d2d)(const C_Device device, C_Stream stream, void* dst, const void* src, size_t size);
  C_Status (*async_memory_copy_p2p)(const C_Device dst_device, const C_Device src_device, C_Stream stream, void* dst,
                                    const void* src, size_t size);
  void* reserved_mem_api[8];

  /* --- facts about the devices */
  C_Status (*get_device_count)(size_t* count);  /* required */
  C_Status (*get_device_list)(size_t* devices); /* required */
  C_Status (*device_memory_stats)(const C_Device device, size_t* total_memory, size_t* free_memory);
  C_Status (*device_min_chunk_size)(const C_Device device, size_t* size);
  C_Status (*device_max_chunk_size)(const C_Device device, size_t* size);
  C_Status (*device_max_alloc_size)(const C_Device device, size_t* size);
  C_Status (*device_extra_padding_size)(const C_Device device, size_t* size);
  C_Status (*device_init_alloc_size)(const C_Device device, size_t* size);
  C_Status (*device_realloc_size)(const C_Device device, size_t* size);
  C_Status (*get_compute_capability)(const C_Device device, size_t* compute_capability);
  C_Status (*get_device_properties)(const C_Device device, void* device_properties);
  C_Status (*get_runtime_version)(const C_Device device, size_t* version);
  C_Status (*get_driver_version)(const C_Device device, size_t* version);
  C_Status (*get_multi_process)(const C_Device device, size_t* multi_process);
  C_Status (*get_max_threads_per_mp)(const C_Device device, size_t* threads_per_mp);
  C_Status (*get_max_threads_per_block)(const C_Device device, size_t* threads_per_block);
#ifdef __cplusplus
  C_Status (*get_max_grid_dim_size)(const C_Device device, std::array<unsigned int, 3>* grid_dim_size);
#else
  C_Status (*get_max_grid_dim_size)(const C_Device device, void* grid_dim_size);
#endif
  C_Status (*is_float16_supported)(const C_Device device, bool* supported);
  C_Status (*is_bfloat16_supported)(const C_Device device, bool* supported);
  C_Status (*is_dnn_available)(const C_Device device, bool* available);
  C_Status (*init_eigen_device)(const void* place, void* eigen_device, void* stream, void* allocator);
  C_Status (*destroy_eigen_device)(const C_Device device, void* eigen_device);
  void* reserved_info_api[8];

  /* --- collective communication */
  C_Status (*xccl_get_comm_name)(C_CCLComm comm, char* comm_name);
  C_Status (*xccl_get_unique_id_size)(size_t* size);
  C_Status (*xccl_get_unique_id)(C_CCLRootId* unique_id);
  C_Status (*xccl_comm_init_rank)(size_t nranks, C_CCLRootId* unique_id, size_t rank, C_CCLComm* comm);
  C_Status (*xccl_destroy_comm)(C_CCLComm comm);
  C_Status (*xccl_all_reduce)(void* send_buf, void* recv_buf, size_t count, C_DataType data_type, C_CCLReduceOp op,
                              C_CCLComm comm, C_Stream stream);
  C_Status (*xccl_broadcast)(void* buf, size_t count, C_DataType data_type, size_t root, C_CCLComm comm,
                             C_Stream stream);
  C_Status (*xccl_reduce)(void* send_buf, void* recv_buf, size_t count, C_DataType data_type, C_CCLReduceOp op,
                          size_t root_id, C_CCLComm comm, C_Stream stream);
  C_Status (*xccl_all_gather)(void* send_buf, void* recv_buf, size_t count, C_DataType data_type, C_CCLComm comm,
                              C_Stream stream);
  C_Status (*xccl_reduce_scatter)(void* send_buf, void* recv_buf, size_t count, C_DataType data_type, C_CCLReduceOp op,
                                  C_CCLComm comm, C_Stream stream);
  C_Status (*xccl_group_start)(void);
  C_Status (*xccl_group_end)(void);
  C_Status (*xccl_send)(void* send_buf, size_t count, C_DataType data_type, size_t dest_rank, C_CCLComm comm,
                        C_Stream stream);
  C_Status (*xccl_recv)(void* recv_buf, size_t count, C_DataType data_type, size_t src_rank, C_CCLComm comm,
                        C_Stream stream);
  C_Status (*xccl_all_to_all)(const void** send_buf, const size_t* send_count, const C_DataType* send_dtype,
                              void** recv_buf, const size_t* recv_count, const C_DataType* recv_dtype, size_t rank,
                              size_t nranks, C_CCLComm comm, C_Stream stream);
  void* reserved_ccl_api[8];

  /* --- profiler */
  C_Status (*profiler_initialize)(C_Profiler prof, void** user_data);
  C_Status (*profiler_finalize)(C_Profiler prof, void* user_data);
  C_Status (*profiler_prepare_tracing)(C_Profiler prof, void* user_data);
  C_Status (*profiler_start_tracing)(C_Profiler prof, void* user_data);
  C_Status (*profiler_stop_tracing)(C_Profiler prof, void* user_data);
  C_Status (*profiler_collect_trace_data)(C_Profiler prof, uint64_t start_ns, void* user_data);
  void* reserved_profiler_api[8];

  /* --- library handles */
  C_Status (*init_blas_handle)(const C_Device device, C_BLASHandle* handle, C_Stream stream);
  C_Status (*blas_set_math_mode)(const C_Device device, C_BLASHandle handle, int math_mode);
  C_Status (*destroy_blas_handle)(const C_Device device, C_BLASHandle handle);
  C_Status (*init_blaslt_handle)(const C_Device device, C_BLASLtHandle* handle);
  C_Status (*destroy_blaslt_handle)(const C_Device device, C_BLASLtHandle handle);

  /* --- graph capture */
  C_Status (*cuda_stream_begin_capture)(const C_Device device, C_Stream stream, C_StreamCaptureMode mode);
  C_Status (*cuda_stream_end_capture)(const C_Device device, C_Stream stream, C_CudaGraph* graph);
  C_Status (*cuda_graph_launch)(const C_Device device, C_GraphExec exec, C_Stream stream);
  C_Status (*cuda_graph_destroy)(C_CudaGraph graph);
  C_Status (*cuda_graph_exec_destroy)(C_GraphExec exec);
  C_Status (*cuda_graph_instantiate)(C_GraphExec* exec, C_CudaGraph graph, void** error_node, char* log, size_t size);
  C_Status (*cuda_graph_get_nodes)(C_CudaGraph graph, void** nodes, size_t* count);
  C_Status (*cuda_stream_get_capture_info)(const C_Device device, C_Stream stream, C_StreamCaptureStatus* status,
                                           unsigned long long* id);
  C_Status (*cuda_thread_exchange_stream_capture_mode)(C_StreamCaptureMode* mode);
  C_Status (*cuda_graph_debug_dot_print)(C_CudaGraph graph, const char* path, unsigned int flags);
  C_Status (*get_parameter_setters)(C_CudaGraph graph, void* setters);

  /* --- others */
  C_Status (*blas_axpby)(const C_Device device, C_Stream stream, C_DataType dtype, size_t numel, float alpha, void* x,
                         float beta, void* y);
  void* reserved_other_api[7];
} C_DeviceInterface;

typedef struct {
  size_t major, minor, patch;
} CustomRuntimeVersion;

typedef struct {
  size_t size;                  /* sizeof(CustomRuntimeParams) of the framework */
  C_DeviceInterface* interface; /* zeroed; its `size` is the framework's */
  CustomRuntimeVersion version; /* out: the version the plugin was built with */
  char* device_type;            /* out: at most 64 characters, such as "custom_cpu" */
  char* sub_device_type;        /* out: at most 64 characters */
  void* pir_default_passes;     /* unused, null */
  char reserved[32];
} CustomRuntimeParams;

/* The plugin's entry point. */
void InitPlugin(CustomRuntimeParams* params);

/* --- beside 0.1.1: a plugin that has any of these also exports InitPluginExtension, which is called once InitPlugin is
 * accepted. All are optional. */
typedef struct C_Kernel_st* C_Kernel;
typedef enum {
  C_KERNEL_TEXT_NONE = 0,
  C_KERNEL_TEXT_PTX,   /* assembly for NVIDIA GPUs */
  C_KERNEL_TEXT_OPENCL /* OpenCL C 1.2 with double precision; each address is two parameters: a __global pointer to the
                        * start of a buffer, then the ulong number of bytes from there */
} C_KernelText;

typedef struct C_DeviceExtension {
  size_t size; /* of the framework's struct; a plugin sets only what lies within */

  /* Generated kernels: the text that the device compiles, a kernel `name` made of a text, and its launch on a stream
   * over one-dimensional blocks of threads. Its parameters are the addresses, then numbers of 64 bits. `log` receives
   * what the compiler says of a text that it refuses. Kernels live as long as the process. */
  C_KernelText kernel_text;
  C_Status (*kernel_compile)(const C_Device device, const char* text, size_t text_size, const char* name,
                             C_Kernel* kernel, char* log, size_t log_size);
  C_Status (*kernel_launch)(const C_Device device, C_Stream stream, C_Kernel kernel, size_t blocks, size_t threads,
                            void* const* addresses, size_t naddresses, const int64_t* numbers, size_t nnumbers);

  /* Milliseconds between two recorded events that have been reached. */
  C_Status (*event_elapsed_time)(const C_Device device, C_Event start, C_Event end, float* milliseconds);
} C_DeviceExtension;

void InitPluginExtension(C_DeviceExtension* extension);

/* First statement of InitPlugin. A framework with larger structs is accepted: the rest stays zero. */
#define PADDLE_CUSTOM_RUNTIME_CHECK_VERSION(params)                                                                    \
  do {                                                                                                                 \
    (params)->version.major = PADDLE_CUSTOM_RUNTIME_MAJOR_VERSION;                                                     \
    (params)->version.minor = PADDLE_CUSTOM_RUNTIME_MINOR_VERSION;                                                     \
    (params)->version.patch = PADDLE_CUSTOM_RUNTIME_PATCH_VERSION;                                                     \
    if ((params)->size < sizeof(CustomRuntimeParams) && (params)->interface->size < sizeof(C_DeviceInterface)) return; \
    (params)->interface->size = sizeof(C_DeviceInterface);                                                             \
  } while (0)

#ifdef __cplusplus
} /* extern "C" */
#endif
