// SPDX-License-Identifier: Apache-2.0
// Some rows of a table under their numbers: the gradient of a table that few rows are read of. Such a tensor has the
// shape of its rows, no memory of its own and no history; eager/dispatch/selected_rows.h says what is done with it.
#pragma once

#include "paddle/phi/core/tensor.h"

namespace phi {

// What a tensor of kSelectedRows consists of. Numbers may repeat: such rows stand for their sum.
struct RowsParts : RefCounted {
  Tensor rows;    // int64 [n], from 0 to height - 1
  Tensor values;  // [n, ...], dense
  int64_t height = 0;
};

inline bool IsSelectedRows(const Tensor& t) {
  return t.defined() && __builtin_expect(t->kind() == ImplKind::kSelectedRows, 0);
}
inline const RowsParts& RowsOf(const Tensor& t) { return static_cast<const RowsParts&>(*t->parts()); }
Tensor MakeSelectedRows(const Tensor& rows, const Tensor& values, int64_t height);

}  // namespace phi
