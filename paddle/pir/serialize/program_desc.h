// SPDX-License-Identifier: Apache-2.0
// `.pdmodel`: the older program format, a protocol buffer message ProgramDesc of blocks with variables and ops. Read by
// hand: seven messages need less code than the glue to a protobuf library that would have to be position independent,
// hidden and bounded.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "paddle/common/dtype.h"

namespace pir {

struct OpDesc {
  using Names = std::vector<std::pair<std::string, std::vector<std::string>>>;
  // Block numbers and integers read as int64, half precision never occurs.
  using Attr = std::variant<bool, int64_t, double, std::string, std::vector<bool>, std::vector<int64_t>,
                            std::vector<double>, std::vector<std::string>>;
  std::string type;
  Names inputs, outputs;  // argument -> variables
  std::vector<std::pair<std::string, Attr>> attrs;
};

struct VarDesc {
  std::string name;
  bool is_tensor = false;  // a dense tensor; feed and fetch lists, scopes and readers are not
  bool is_array = false;   // tensors by number
  bool persistable = false;
  phi::DataType dtype = phi::DataType::UNDEFINED;
  std::vector<int64_t> dims;  // -1: free
  int64_t lod_level = 0;      // how many levels of sequences its rows have
};

struct BlockDesc {
  std::vector<VarDesc> vars;
  std::vector<OpDesc> ops;
};

// Throws InvalidArgument naming `origin` and the byte. Memory is bounded by a small multiple of the text's size.
std::vector<BlockDesc> ReadProgramDesc(std::string_view bytes, const std::string& origin = "<memory>");

}  // namespace pir
