/* SPDX-License-Identifier: Apache-2.0
 * The C kernel API: what a plugin's kernels read their arguments with and register themselves by. Functions taking a
 * PD_Status* set it when it is not null; they never throw. Handles belong to the framework unless a PD_New made them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { PD_STATUS_OK = 0, PD_STATUS_FAILED = 1 } PD_Status;

typedef enum {
  PD_DATATYPE_UNDEFINED = 0,
  PD_DATATYPE_BOOL,
  PD_DATATYPE_UINT8,
  PD_DATATYPE_UINT16,
  PD_DATATYPE_UINT32,
  PD_DATATYPE_UINT64,
  PD_DATATYPE_INT8,
  PD_DATATYPE_INT16,
  PD_DATATYPE_INT32,
  PD_DATATYPE_INT64,
  PD_DATATYPE_FLOAT16,
  PD_DATATYPE_FLOAT32,
  PD_DATATYPE_FLOAT64,
  PD_DATATYPE_BFLOAT16,
  PD_DATATYPE_COMPLEX64,
  PD_DATATYPE_COMPLEX128
} PD_DataType;

typedef enum {
  PD_LAYOUT_ANY = 0,
  PD_LAYOUT_NHWC,
  PD_LAYOUT_NCHW,
  PD_LAYOUT_NCDHW,
  PD_LAYOUT_NDHWC,
  PD_LAYOUT_STRIDED
} PD_DataLayout;

typedef enum {
  PD_ARG_TYPE_CONTEXT = 0,
  PD_ARG_TYPE_TENSOR,
  PD_ARG_TYPE_BOOL,
  PD_ARG_TYPE_BFLOAT16,
  PD_ARG_TYPE_FLOAT16,
  PD_ARG_TYPE_FLOAT32,
  PD_ARG_TYPE_FLOAT64,
  PD_ARG_TYPE_INT32,
  PD_ARG_TYPE_INT64,
  PD_ARG_TYPE_STRING,
  PD_ARG_TYPE_SCALAR,
  PD_ARG_TYPE_INT_ARRAY,
  PD_ARG_TYPE_DATA_TYPE,
  PD_ARG_TYPE_DATA_LAYOUT,
  PD_ARG_TYPE_PLACE,
  PD_ARG_TYPE_LIST_BOOL,
  PD_ARG_TYPE_LIST_INT32,
  PD_ARG_TYPE_LIST_INT64,
  PD_ARG_TYPE_LIST_BFLOAT16,
  PD_ARG_TYPE_LIST_FLOAT16,
  PD_ARG_TYPE_LIST_FLOAT32,
  PD_ARG_TYPE_LIST_FLOAT64,
  PD_ARG_TYPE_LIST_STRING,
  PD_ARG_TYPE_LIST_SCALAR,
  PD_ARG_TYPE_OPTIONAL_TENSOR,
  PD_ARG_TYPE_LIST_TENSOR,
  PD_ARG_TYPE_OPTIONAL_MULTI_TENSOR
} PD_KernelArgumentType;

typedef struct PD_Tensor PD_Tensor;
typedef struct PD_DeviceContext PD_DeviceContext;
typedef struct PD_KernelContext PD_KernelContext;
typedef struct PD_Kernel PD_Kernel;
typedef struct PD_KernelKey PD_KernelKey;
typedef struct PD_Scalar PD_Scalar;
typedef struct PD_IntArray PD_IntArray;
typedef struct PD_Place PD_Place;
/* Elements of a list argument; valid during the kernel call. */
typedef struct {
  size_t size;
  const void* data;
} PD_List;

/* --- tensors */
PD_DataType PD_TensorGetPDDataType(PD_Tensor* tensor, PD_Status* status);
PD_DataLayout PD_TensorGetDataLayout(PD_Tensor* tensor, PD_Status* status);
int64_t PD_TensorGetElementCount(PD_Tensor* tensor, PD_Status* status);
int64_t PD_TensorGetByteSize(PD_Tensor* tensor, PD_Status* status);
int64_t PD_TensorGetNumDims(PD_Tensor* tensor, PD_Status* status);
int64_t PD_TensorGetDim(PD_Tensor* tensor, size_t index, PD_Status* status);
bool PD_TensorIsInitialized(PD_Tensor* tensor, PD_Status* status);
bool PD_TensorIsValid(PD_Tensor* tensor, PD_Status* status);
/* The first element, row-major. Null for a tensor without memory. */
void* PD_TensorGetDataPointer(PD_Tensor* tensor, PD_Status* status);
void PD_TensorSetDims(PD_Tensor* tensor, int64_t ndims, const int64_t* dims, PD_Status* status);
void PD_TensorSetDataType(PD_Tensor* tensor, PD_DataType dtype, PD_Status* status);
void PD_TensorShareDataWith(PD_Tensor* dst, const PD_Tensor* src, PD_Status* status);
/* Tensors of kernels are row-major: the layout is NCHW or any, and what a Set names beside that fails. */
void PD_TensorSetDataLayout(PD_Tensor* tensor, PD_DataLayout layout, PD_Status* status);
/* In elements, of as many dimensions as PD_TensorGetNumDims says. */
int64_t PD_TensorGetStride(PD_Tensor* tensor, size_t index, PD_Status* status);
void PD_TensorSetStrides(PD_Tensor* tensor, int64_t nstrides, const int64_t* strides, PD_Status* status);
/* Of the first element in the tensor's memory; PD_TensorGetDataPointer counts it already. */
int64_t PD_TensorGetOffset(PD_Tensor* tensor, PD_Status* status);
void PD_TensorSetOffset(PD_Tensor* tensor, int64_t offset, PD_Status* status);
/* The memory, the same for tensors that share it; null without memory. */
void* PD_TensorGetHolder(PD_Tensor* tensor, PD_Status* status);
PD_Tensor* PD_NewTensor(void);
void PD_DeleteTensor(PD_Tensor* tensor);

/* --- device context */
/* Memory for the tensor's dims as `dtype`; `size` is a lower bound in bytes, 0 for what dims need. */
void* PD_DeviceContextAllocateTensor(const PD_DeviceContext* ctx, PD_Tensor* tensor, size_t size, PD_DataType dtype,
                                     PD_Status* status);
void* PD_DeviceContextHostAllocateTensor(const PD_DeviceContext* ctx, PD_Tensor* tensor, size_t size, PD_DataType dtype,
                                         PD_Status* status);
void* PD_DeviceContextGetStream(const PD_DeviceContext* ctx, PD_Status* status);

/* --- a kernel's arguments, by position among its inputs, attributes or outputs */
PD_DeviceContext* PD_KernelContextGetDeviceContext(PD_KernelContext* ctx);
/* Null for an optional tensor that is absent. */
PD_Tensor* PD_KernelContextInputAt(PD_KernelContext* ctx, size_t index);
PD_List PD_KernelContextMultiInputAt(PD_KernelContext* ctx, size_t index); /* PD_Tensor* const[] */
/* Null for an output nobody wants. Its dims and dtype are set, its memory may not be. */
PD_Tensor* PD_KernelContextOutputAt(PD_KernelContext* ctx, size_t index);
PD_List PD_KernelContextMultiOutputAt(PD_KernelContext* ctx, size_t index);
bool PD_KernelContextBoolAttrAt(PD_KernelContext* ctx, size_t index);
int32_t PD_KernelContextInt32AttrAt(PD_KernelContext* ctx, size_t index);
int64_t PD_KernelContextInt64AttrAt(PD_KernelContext* ctx, size_t index);
float PD_KernelContextFloatAttrAt(PD_KernelContext* ctx, size_t index);
double PD_KernelContextDoubleAttrAt(PD_KernelContext* ctx, size_t index);
const char* PD_KernelContextStringAttrAt(PD_KernelContext* ctx, size_t index);
PD_DataType PD_KernelContextDataTypeAttrAt(PD_KernelContext* ctx, size_t index);
PD_Scalar* PD_KernelContextScalarAttrAt(PD_KernelContext* ctx, size_t index);
PD_IntArray* PD_KernelContextIntArrayAttrAt(PD_KernelContext* ctx, size_t index);
PD_List PD_KernelContextListInt32AttrAt(PD_KernelContext* ctx, size_t index);
PD_List PD_KernelContextListInt64AttrAt(PD_KernelContext* ctx, size_t index);
PD_List PD_KernelContextListFloatAttrAt(PD_KernelContext* ctx, size_t index);
PD_List PD_KernelContextListDoubleAttrAt(PD_KernelContext* ctx, size_t index);
PD_List PD_KernelContextListScalarAttrAt(PD_KernelContext* ctx, size_t index); /* PD_Scalar* const[] */
PD_List PD_KernelContextListBoolAttrAt(PD_KernelContext* ctx, size_t index);   /* uint8_t[] */
PD_List PD_KernelContextListStringAttrAt(PD_KernelContext* ctx, size_t index); /* const char* const[] */
PD_Place* PD_KernelContextPlaceAttrAt(PD_KernelContext* ctx, size_t index);

bool PD_PlaceIsHost(PD_Place* place);
int8_t PD_PlaceGetDeviceId(PD_Place* place);

bool PD_ScalarGetBoolData(PD_Scalar* scalar);
int64_t PD_ScalarGetInt64Data(PD_Scalar* scalar);
double PD_ScalarGetFloat64Data(PD_Scalar* scalar);
void PD_ScalarGetComplex128Data(PD_Scalar* scalar, double parts[2]); /* real, imaginary */
PD_DataType PD_ScalarGetDataType(PD_Scalar* scalar);
size_t PD_IntArrayGetElementCount(PD_IntArray* array);
int64_t PD_IntArrayGetElement(PD_IntArray* array, size_t index);

/* Reports a failure of the running kernel: the op raises RuntimeError with this text after the kernel returned. */
void PD_KernelContextSetError(PD_KernelContext* ctx, const char* message);

/* --- registration: `fn` serves the op `kernel_name` for tensors of `dtype` on `backend` ("CPU" or a plugin's device
 * type). A name that only an op in place has, written with a last `_`, may leave that out ("sgd" is sgd_), and so may
 * the arguments the op's place. Refused, with a reason that the loader reports, when there is no such op, its arguments
 * are of other kinds, or the layout is one that no tensor has here: not any and not NCHW. */
void PD_RegisterPhiKernel(const char* kernel_name, const char* backend, PD_DataType dtype, PD_DataLayout layout,
                          size_t in_nargs, PD_KernelArgumentType* in_args_type, size_t attr_nargs,
                          PD_KernelArgumentType* attr_args_type, size_t out_nargs, PD_KernelArgumentType* out_args_type,
                          void (*args_def_fn)(const PD_KernelKey*, PD_Kernel*), void (*fn)(PD_KernelContext*),
                          void* variadic_kernel_fn);

#ifdef __cplusplus
} /* extern "C" */
#endif
