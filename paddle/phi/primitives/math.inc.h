// SPDX-License-Identifier: Apache-2.0
// The functions a generated loop may call, for float, double, integers, bool and cplx, in namespace phi::PD_ISA. Plain
// C++17 with no header but <stdint.h>: the same text is compiled for AVX2, for AVX-512 and to LLVM bitcode, and with
// -ffp-contract=off all give the same bits. All functions are internal to the including file.
#pragma once

#include "paddle/phi/primitives/math_base.inc.h"
#include "paddle/phi/primitives/math_real.inc.h"
#include "paddle/phi/primitives/math_cplx.inc.h"
#include "paddle/phi/primitives/math_special.inc.h"
