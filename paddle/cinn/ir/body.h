// SPDX-License-Identifier: Apache-2.0
// The helper names that stanza text uses beside the intrinsics, for expressions: with this header, `body` text is C++.
#pragma once

#include "paddle/cinn/ir/expr.h"

namespace cinn {

inline Expr mod_floor(const Expr& x, const Expr& y) { return mod(x, y); }
// Of real operands: complex ones are pairs (complex_body.h).
inline Expr conj(const Expr& x) { return x; }
inline Expr real(const Expr& x) { return x; }

}  // namespace cinn
