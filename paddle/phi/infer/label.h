// SPDX-License-Identifier: Apache-2.0
// Losses whose labels have the shape of the input: nothing broadcasts.
#pragma once

#include "paddle/common/dim.h"

namespace phi {

inline void CheckLabel(const char* op, const common::Dims& input, const common::Dims& label) {
  bool same = input.size() == label.size();
  for (int64_t i = 0; same && i < input.size(); ++i) same = !common::CertainlyDiffer(input[i], label[i]);
  PD_CHECK(same, InvalidArgument, "[", op, "] expected a label of the input's shape ", common::ShapeText(input),
           ", got shape ", common::ShapeText(label));
}

}  // namespace phi
