// SPDX-License-Identifier: Apache-2.0
// Declarations of the part of cuDNN's C interface that this library calls: graphs of operations as descriptors with
// attributes. Types, numbers and signatures are those of the ABI of version 9; nothing of cuDNN is needed to build or
// to run.
#pragma once

#include <cstddef>
#include <cstdint>

namespace phi::gpu::dnn {

using Handle = struct HandleOf*;
using BackendDescriptor = void*;
using Stream = void*;  // of the driver

enum Status : int { kSuccess = 0 };
enum DataKind : int { kFloat = 0, kDouble = 1, kHalf = 2, kInt32 = 4, kBfloat = 9, kBoolean = 11 };
enum ValueKind : int {
  kOfHandle = 0,
  kOfDataKind = 1,
  kOfBool = 2,
  kOfInt64 = 3,
  kOfFloat = 4,
  kOfPointer = 6,
  kOfConvolutionMode = 7,
  kOfHeuristic = 8,
  kOfNote = 11,
  kOfPointwise = 14,
  kOfDescriptor = 15,
  kOfReduction = 18,
  kOfChar = 24,
  kOfNormMode = 27,
  kOfNormPhase = 28,
};
enum DescriptorKind : int {
  kPointwise = 0,
  kConvolution = 1,
  kEngine = 2,
  kEngineConfig = 3,
  kHeuristic = 4,
  kPlan = 5,
  kConvolveForward = 10,
  kConvolveFilter = 11,
  kConvolveData = 12,
  kPointwiseOp = 13,
  kGraph = 15,
  kVariantPack = 16,
  kTensor = 17,
  kMatmul = 18,
  kMatmulOp = 19,
  kReduction = 21,
  kReductionOp = 22,
  kNormForward = 29,
  kReshapeOp = 31,
  kDeviceProperties = 38,
  kAttention = 41,
};
enum Attribute : int {
  kPointwiseMode = 0,
  kPointwisePrecision = 1,
  kPointwiseAxis = 9,
  kConvolutionType = 100,
  kConvolutionMode = 101,
  kConvolutionDilations = 102,
  kConvolutionStrides = 103,
  kConvolutionPost = 104,
  kConvolutionPre = 105,
  kConvolutionAxes = 106,
  kHeuristicMode = 200,
  kHeuristicGraph = 201,
  kHeuristicResults = 202,
  kHeuristicDevice = 204,
  kConfigEngine = 300,
  kPlanHandle = 400,
  kPlanConfig = 401,
  kPlanWorkspace = 402,
  kPlanText = 405,
  kPlanDevice = 407,
  kForwardAlpha = 700,
  kForwardBeta = 701,
  kForwardConvolution = 702,
  kForwardW = 703,
  kForwardX = 704,
  kForwardY = 705,
  kDataAlpha = 706,
  kDataBeta = 707,
  kDataConvolution = 708,
  kDataW = 709,
  kDataDx = 710,
  kDataDy = 711,
  kFilterAlpha = 712,
  kFilterBeta = 713,
  kFilterConvolution = 714,
  kFilterDw = 715,
  kFilterX = 716,
  kFilterDy = 717,
  kPointwiseOf = 750,
  kPointwiseX = 751,
  kPointwiseB = 752,
  kPointwiseY = 753,
  kPointwiseT = 758,
  kGraphHandle = 800,
  kGraphOps = 801,
  kTensorAlignment = 900,
  kTensorType = 901,
  kTensorDims = 902,
  kTensorStrides = 903,
  kTensorId = 906,
  kTensorVirtual = 907,
  kTensorByValue = 908,
  kPackIds = 1000,
  kPackPointers = 1001,
  kPackWorkspace = 1003,
  kEngineNotes = 1303,
  kMatmulType = 1500,
  kMatmulA = 1520,
  kMatmulB = 1521,
  kMatmulC = 1522,
  kMatmulOf = 1523,
  kReductionOperator = 1600,
  kReductionType = 1601,
  kReductionX = 1610,
  kReductionY = 1611,
  kReductionOf = 1612,
  kNormForwardMode = 2000,
  kNormForwardPhase = 2001,
  kNormForwardX = 2002,
  kNormForwardMean = 2003,
  kNormForwardInvStd = 2004,
  kNormForwardScale = 2005,
  kNormForwardBias = 2006,
  kNormForwardEpsilon = 2007,
  kNormForwardY = 2013,
  kReshapeX = 2200,
  kReshapeY = 2201,
  kPropertiesText = 2702,
  kAttentionQ = 2800,
  kAttentionK = 2801,
  kAttentionV = 2802,
  kAttentionOut = 2803,
  kAttentionStatistics = 2804,
  kAttentionScale = 2805,
  kAttentionTableK = 2807,
  kAttentionTableV = 2808,
  kAttentionLengthQ = 2809,
  kAttentionLengthKv = 2810,
};
enum Pointwise : int {
  kAdd = 0,
  kMultiply = 1,
  kDivide = 6,
  kSubtract = 9,
  kExp = 13,
  kLog = 15,
  kLess = 304,
  kGreaterEqual = 303,
  kAnd = 400,
  kIndex = 501,
  kSelect = 601,
};
enum Reduction : int { kSum = 0, kMax = 3 };
enum ConvolutionMode : int { kCrossCorrelation = 1 };
enum HeuristicMode : int { kFallback = 2, kModeA = 3 };
// What an engine does to numbers.
enum Note : int { kTensorCores = 0, kNarrowsInputs = 1, kNarrowsSums = 2, kVaries = 4 };
enum NormMode : int { kLayerNorm = 0, kRmsNorm = 4 };
enum NormPhase : int { kInference = 0, kTraining = 1 };

// F(name, symbol, arguments): every function takes these and gives a Status.
#define PADDLE_CUDNN_FUNCTIONS(F)                                                                                     \
  F(Create, cudnnCreate, (Handle * handle))                                                                           \
  F(SetStream, cudnnSetStream, (Handle handle, Stream stream))                                                        \
  F(CreateDescriptor, cudnnBackendCreateDescriptor, (DescriptorKind kind, BackendDescriptor * descriptor))            \
  F(DestroyDescriptor, cudnnBackendDestroyDescriptor, (BackendDescriptor descriptor))                                 \
  F(SetAttribute, cudnnBackendSetAttribute,                                                                           \
    (BackendDescriptor descriptor, Attribute attribute, ValueKind kind, int64_t count, const void* values))           \
  F(GetAttribute, cudnnBackendGetAttribute,                                                                           \
    (BackendDescriptor descriptor, Attribute attribute, ValueKind kind, int64_t most, int64_t * count, void* values)) \
  F(Finalize, cudnnBackendFinalize, (BackendDescriptor descriptor))                                                   \
  F(Execute, cudnnBackendExecute, (Handle handle, BackendDescriptor plan, BackendDescriptor pack))

}  // namespace phi::gpu::dnn
