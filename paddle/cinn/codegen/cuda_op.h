// SPDX-License-Identifier: Apache-2.0
// CUDA C++ text of single operations; operands are names or literals.
#pragma once

#include <string>

#include "paddle/cinn/ir/group.h"

namespace cinn {

const char* CudaType(DataType compute_type);
const char* CudaStorage(DataType storage);  // element type in memory
std::string CudaLiteral(const ExprNode& constant);
std::string CudaOp(const ExprNode& node, const std::string* args);
std::string CudaConvert(const std::string& v, DataType from, DataType to);  // both compute types
std::string CudaFromStorage(const std::string& v, DataType storage);
std::string CudaToStorage(const std::string& v, DataType storage);  // of its compute type

const char* CudaKind(ReduceKind k);  // the functions of the prelude that combine over a block
std::string CudaIdentity(ReduceKind k, DataType t);
std::string CudaCombine(ReduceKind k, DataType t, const std::string& a, const std::string& b);

}  // namespace cinn
