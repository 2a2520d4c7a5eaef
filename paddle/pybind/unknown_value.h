// SPDX-License-Identifier: Apache-2.0
// The error for code that needs a number from a tensor which is being recorded.
#pragma once

namespace paddle::py {

// Sets a TypeError: `what` ("bool", "len") was asked for, at the innermost line outside the package; `advice` says what
// to write instead.
void RaiseUnknownValue(const char* what, const char* advice);

}  // namespace paddle::py
