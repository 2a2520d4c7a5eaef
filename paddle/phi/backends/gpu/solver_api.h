// SPDX-License-Identifier: Apache-2.0
// Declarations of the part of cuSOLVER's C interface that this library calls. Types, numbers and signatures are those
// of the ABI of versions 11 and 12; nothing of a toolkit is needed to build or to run.
#pragma once

#include <cstddef>
#include <cstdint>

namespace phi::gpu::solver {

using Handle = struct HandleOf*;
using Params = struct ParamsOf*;
using SyevjInfo = struct SyevjInfoOf*;
using GesvdjInfo = struct GesvdjInfoOf*;
using Stream = void*;  // of the driver

enum Status : int { kSuccess = 0 };
enum Type : int { kReal32 = 0, kReal64 = 1, kComplex32 = 4, kComplex64 = 5 };
enum Fill : int { kLower = 0, kUpper = 1 };
enum Operation : int { kPlain = 0, kTransposed = 1, kAdjoint = 2 };
enum Vectors : int { kNoVectors = 0, kVectors = 1 };

// What the functions of the generic interface begin and end with.
#define PADDLE_CUSOLVER_BYTES Type compute, size_t *on_device, size_t *on_host
#define PADDLE_CUSOLVER_ROOM Type compute, void *device, size_t device_bytes, void *host, size_t host_bytes, int *info
#define PADDLE_CUSOLVER_ORG_BYTES \
  (Handle handle, int m, int n, int k, const void* a, int leading, const void* tau, int* count)
#define PADDLE_CUSOLVER_ORG \
  (Handle handle, int m, int n, int k, void* a, int leading, const void* tau, void* work, int count, int* info)

#define PADDLE_CUSOLVER_POTRF_BATCHED \
  (Handle handle, Fill fill, int n, void** matrices, int leading, int* infos, int batch)
#define PADDLE_CUSOLVER_SYEVJ_BYTES                                                                         \
  (Handle handle, Vectors vectors, Fill fill, int n, const void* a, int leading, const void* w, int* count, \
   SyevjInfo how, int batch)
#define PADDLE_CUSOLVER_SYEVJ                                                                                          \
  (Handle handle, Vectors vectors, Fill fill, int n, void* a, int leading, void* w, void* work, int count, int* infos, \
   SyevjInfo how, int batch)
#define PADDLE_CUSOLVER_GESVDJ_BYTES                                                                       \
  (Handle handle, Vectors vectors, int m, int n, const void* a, int leading, const void* s, const void* u, \
   int u_leading, const void* v, int v_leading, int* count, GesvdjInfo how, int batch)
#define PADDLE_CUSOLVER_GESVDJ                                                                                   \
  (Handle handle, Vectors vectors, int m, int n, void* a, int leading, void* s, void* u, int u_leading, void* v, \
   int v_leading, void* work, int count, int* infos, GesvdjInfo how, int batch)

// F(name, symbol, arguments): every function takes these and gives a Status.
#define PADDLE_CUSOLVER_FUNCTIONS(F)                                                                                 \
  F(Create, cusolverDnCreate, (Handle * handle))                                                                     \
  F(CreateParams, cusolverDnCreateParams, (Params * params))                                                         \
  F(SetStream, cusolverDnSetStream, (Handle handle, Stream stream))                                                  \
  F(PotrfBytes, cusolverDnXpotrf_bufferSize,                                                                         \
    (Handle handle, Params params, Fill fill, int64_t n, Type type, const void* a, int64_t leading,                  \
     PADDLE_CUSOLVER_BYTES))                                                                                         \
  F(Potrf, cusolverDnXpotrf,                                                                                         \
    (Handle handle, Params params, Fill fill, int64_t n, Type type, void* a, int64_t leading, PADDLE_CUSOLVER_ROOM)) \
  F(Potrs, cusolverDnXpotrs,                                                                                         \
    (Handle handle, Params params, Fill fill, int64_t n, int64_t columns, Type type, const void* a, int64_t leading, \
     Type b_type, void* b, int64_t b_leading, int* info))                                                            \
  F(GetrfBytes, cusolverDnXgetrf_bufferSize,                                                                         \
    (Handle handle, Params params, int64_t m, int64_t n, Type type, const void* a, int64_t leading,                  \
     PADDLE_CUSOLVER_BYTES))                                                                                         \
  F(Getrf, cusolverDnXgetrf,                                                                                         \
    (Handle handle, Params params, int64_t m, int64_t n, Type type, void* a, int64_t leading, int64_t* pivots,       \
     PADDLE_CUSOLVER_ROOM))                                                                                          \
  F(Getrs, cusolverDnXgetrs,                                                                                         \
    (Handle handle, Params params, Operation operation, int64_t n, int64_t columns, Type type, const void* a,        \
     int64_t leading, const int64_t* pivots, Type b_type, void* b, int64_t b_leading, int* info))                    \
  F(GeqrfBytes, cusolverDnXgeqrf_bufferSize,                                                                         \
    (Handle handle, Params params, int64_t m, int64_t n, Type type, const void* a, int64_t leading, Type tau_type,   \
     const void* tau, PADDLE_CUSOLVER_BYTES))                                                                        \
  F(Geqrf, cusolverDnXgeqrf,                                                                                         \
    (Handle handle, Params params, int64_t m, int64_t n, Type type, void* a, int64_t leading, Type tau_type,         \
     void* tau, PADDLE_CUSOLVER_ROOM))                                                                               \
  F(OrgqrBytesS, cusolverDnSorgqr_bufferSize, PADDLE_CUSOLVER_ORG_BYTES)                                             \
  F(OrgqrBytesD, cusolverDnDorgqr_bufferSize, PADDLE_CUSOLVER_ORG_BYTES)                                             \
  F(OrgqrBytesC, cusolverDnCungqr_bufferSize, PADDLE_CUSOLVER_ORG_BYTES)                                             \
  F(OrgqrBytesZ, cusolverDnZungqr_bufferSize, PADDLE_CUSOLVER_ORG_BYTES)                                             \
  F(OrgqrS, cusolverDnSorgqr, PADDLE_CUSOLVER_ORG)                                                                   \
  F(OrgqrD, cusolverDnDorgqr, PADDLE_CUSOLVER_ORG)                                                                   \
  F(OrgqrC, cusolverDnCungqr, PADDLE_CUSOLVER_ORG)                                                                   \
  F(OrgqrZ, cusolverDnZungqr, PADDLE_CUSOLVER_ORG)                                                                   \
  F(SyevdBytes, cusolverDnXsyevd_bufferSize,                                                                         \
    (Handle handle, Params params, Vectors vectors, Fill fill, int64_t n, Type type, const void* a, int64_t leading, \
     Type w_type, const void* w, PADDLE_CUSOLVER_BYTES))                                                             \
  F(Syevd, cusolverDnXsyevd,                                                                                         \
    (Handle handle, Params params, Vectors vectors, Fill fill, int64_t n, Type type, void* a, int64_t leading,       \
     Type w_type, void* w, PADDLE_CUSOLVER_ROOM))                                                                    \
  F(GesvdBytes, cusolverDnXgesvd_bufferSize,                                                                         \
    (Handle handle, Params params, signed char job_u, signed char job_v, int64_t m, int64_t n, Type type,            \
     const void* a, int64_t leading, Type s_type, const void* s, Type u_type, const void* u, int64_t u_leading,      \
     Type v_type, const void* v, int64_t v_leading, PADDLE_CUSOLVER_BYTES))                                          \
  F(Gesvd, cusolverDnXgesvd,                                                                                         \
    (Handle handle, Params params, signed char job_u, signed char job_v, int64_t m, int64_t n, Type type, void* a,   \
     int64_t leading, Type s_type, void* s, Type u_type, void* u, int64_t u_leading, Type v_type, void* v,           \
     int64_t v_leading, PADDLE_CUSOLVER_ROOM))

// The same of functions that a version may lack: null then. Those of many matrices at once, and Xgeev, of 11.7.1.
#define PADDLE_CUSOLVER_OPTIONAL_FUNCTIONS(F)                                                                         \
  F(PotrfBatchedS, cusolverDnSpotrfBatched, PADDLE_CUSOLVER_POTRF_BATCHED)                                            \
  F(PotrfBatchedD, cusolverDnDpotrfBatched, PADDLE_CUSOLVER_POTRF_BATCHED)                                            \
  F(PotrfBatchedC, cusolverDnCpotrfBatched, PADDLE_CUSOLVER_POTRF_BATCHED)                                            \
  F(PotrfBatchedZ, cusolverDnZpotrfBatched, PADDLE_CUSOLVER_POTRF_BATCHED)                                            \
  F(CreateSyevjInfo, cusolverDnCreateSyevjInfo, (SyevjInfo * how))                                                    \
  F(SyevjBytesS, cusolverDnSsyevjBatched_bufferSize, PADDLE_CUSOLVER_SYEVJ_BYTES)                                     \
  F(SyevjBytesD, cusolverDnDsyevjBatched_bufferSize, PADDLE_CUSOLVER_SYEVJ_BYTES)                                     \
  F(SyevjBytesC, cusolverDnCheevjBatched_bufferSize, PADDLE_CUSOLVER_SYEVJ_BYTES)                                     \
  F(SyevjBytesZ, cusolverDnZheevjBatched_bufferSize, PADDLE_CUSOLVER_SYEVJ_BYTES)                                     \
  F(SyevjS, cusolverDnSsyevjBatched, PADDLE_CUSOLVER_SYEVJ)                                                           \
  F(SyevjD, cusolverDnDsyevjBatched, PADDLE_CUSOLVER_SYEVJ)                                                           \
  F(SyevjC, cusolverDnCheevjBatched, PADDLE_CUSOLVER_SYEVJ)                                                           \
  F(SyevjZ, cusolverDnZheevjBatched, PADDLE_CUSOLVER_SYEVJ)                                                           \
  F(CreateGesvdjInfo, cusolverDnCreateGesvdjInfo, (GesvdjInfo * how))                                                 \
  F(GesvdjBytesS, cusolverDnSgesvdjBatched_bufferSize, PADDLE_CUSOLVER_GESVDJ_BYTES)                                  \
  F(GesvdjBytesD, cusolverDnDgesvdjBatched_bufferSize, PADDLE_CUSOLVER_GESVDJ_BYTES)                                  \
  F(GesvdjBytesC, cusolverDnCgesvdjBatched_bufferSize, PADDLE_CUSOLVER_GESVDJ_BYTES)                                  \
  F(GesvdjBytesZ, cusolverDnZgesvdjBatched_bufferSize, PADDLE_CUSOLVER_GESVDJ_BYTES)                                  \
  F(GesvdjS, cusolverDnSgesvdjBatched, PADDLE_CUSOLVER_GESVDJ)                                                        \
  F(GesvdjD, cusolverDnDgesvdjBatched, PADDLE_CUSOLVER_GESVDJ)                                                        \
  F(GesvdjC, cusolverDnCgesvdjBatched, PADDLE_CUSOLVER_GESVDJ)                                                        \
  F(GesvdjZ, cusolverDnZgesvdjBatched, PADDLE_CUSOLVER_GESVDJ)                                                        \
  F(GeevBytes, cusolverDnXgeev_bufferSize,                                                                            \
    (Handle handle, Params params, Vectors left, Vectors right, int64_t n, Type type, const void* a, int64_t leading, \
     Type w_type, const void* w, Type l_type, const void* l, int64_t l_leading, Type r_type, const void* r,           \
     int64_t r_leading, PADDLE_CUSOLVER_BYTES))                                                                       \
  F(Geev, cusolverDnXgeev,                                                                                            \
    (Handle handle, Params params, Vectors left, Vectors right, int64_t n, Type type, void* a, int64_t leading,       \
     Type w_type, void* w, Type l_type, void* l, int64_t l_leading, Type r_type, void* r, int64_t r_leading,          \
     PADDLE_CUSOLVER_ROOM))

}  // namespace phi::gpu::solver
