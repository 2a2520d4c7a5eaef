// SPDX-License-Identifier: Apache-2.0
// What an attention kernel is asked for; plain data that both the callers and the loops of each instruction set read.
#pragma once

#include <stdint.h>

namespace phi::cpu {

// [batch, rows, heads, dim] at element strides; elements of the last axis follow each other.
struct AttentionRows {
  const void* p;
  int64_t batch, row, head;
};

struct AttentionArgs {
  int type;  // DataType of q, k, v and the results: f32 f64 f16 bf16. Half types are computed in float.
  int64_t batch, heads, kv_heads, nq, nk, dim, vdim;
  double scale;
  bool causal;
  int64_t offset;  // causal: row i sees keys up to i + offset
  AttentionRows q, k, v;
  // Added to the scaled scores, or bool (false hides). Null: none. Strides of batch, head, row, key; 0 repeats.
  const void* mask;
  int mask_type;
  int64_t mask_strides[4];
  // Dropout of the probabilities: [batch, heads, nq, nk] bytes, those of 0 drop, others are multiplied. Null: none.
  const uint8_t* keep;
  double keep_scale;
};

// What the gradient reads besides, and writes: dq [batch, nq, heads, dim], dk, dv like it, contiguous.
struct AttentionGradArgs {
  AttentionArgs a;
  AttentionRows out, dout;
  const double* lse;
  void *dq, *dk, *dv;
};

}  // namespace phi::cpu
