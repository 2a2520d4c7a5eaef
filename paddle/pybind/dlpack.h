// SPDX-License-Identifier: Apache-2.0
// The DLPack exchange structures, as its specification lays them out (version 0.8 and the versioned 1.0 form).
#pragma once

#include <cstdint>

namespace paddle::py {

struct DlDevice {
  int32_t type;
  int32_t id;
};
struct DlDataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};
struct DlTensor {
  void* data;
  DlDevice device;
  int32_t ndim;
  DlDataType dtype;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
};
struct DlManagedTensor {
  DlTensor tensor;
  void* manager;
  void (*deleter)(DlManagedTensor*);
};
struct DlManagedTensorVersioned {
  uint32_t major, minor;
  void* manager;
  void (*deleter)(DlManagedTensorVersioned*);
  uint64_t flags;
  DlTensor tensor;
};

}  // namespace paddle::py
