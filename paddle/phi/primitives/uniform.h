// SPDX-License-Identifier: Apache-2.0
// Uniform and normal numbers, many at a time: those that the standard library's distributions draw from the engine one
// after another.
#pragma once

#include "paddle/phi/core/mersenne.h"

namespace phi::cpu {

// As std::uniform_real_distribution<T>(0, 1).
void DrawUniform(Mersenne64& engine, float* out, int64_t n);
void DrawUniform(Mersenne64& engine, double* out, int64_t n);
// Where numbers of [0, 1) are at least p: what dropout keeps.
void DrawKept(Mersenne64& engine, float p, uint8_t* kept, int64_t n);
// As one std::normal_distribution<T>(mean, std): the second number of the last pair is not kept.
void DrawNormal(Mersenne64& engine, float mean, float std, float* out, int64_t n);
void DrawNormal(Mersenne64& engine, double mean, double std, double* out, int64_t n);

}  // namespace phi::cpu
