// SPDX-License-Identifier: Apache-2.0
// The element types of a tensor: the enum, their sizes and names, and the C++ types that store them.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace phi {

// Order is a contract: tables indexed by DataType are generated in this order.
enum class DataType : int8_t {
  UNDEFINED = -1,
  BOOL = 0,
  UINT8,
  INT8,
  INT16,
  INT32,
  INT64,
  FLOAT16,
  BFLOAT16,
  FLOAT32,
  FLOAT64,
  COMPLEX64,
  COMPLEX128,
  FLOAT8_E4M3FN,
  FLOAT8_E5M2,
};
inline constexpr int kNumDataTypes = 14;

struct DataTypeInfo {
  std::string_view name;    // "float32"
  std::string_view letter;  // pir spelling: "f32"
  int8_t size;              // bytes
  int8_t proto;             // VarType.Type number of PaddlePaddle's ProgramDesc
};

inline constexpr std::array<DataTypeInfo, kNumDataTypes> kDataTypeInfo = {{
    {"bool", "bool", 1, 0},
    {"uint8", "ui8", 1, 20},
    {"int8", "i8", 1, 21},
    {"int16", "i16", 2, 1},
    {"int32", "i32", 4, 2},
    {"int64", "i64", 8, 3},
    {"float16", "f16", 2, 4},
    {"bfloat16", "bf16", 2, 22},
    {"float32", "f32", 4, 5},
    {"float64", "f64", 8, 6},
    {"complex64", "c64", 8, 23},
    {"complex128", "c128", 16, 24},
    {"float8_e4m3fn", "f8e4m3fn", 1, 32},
    {"float8_e5m2", "f8e5m2", 1, 33},
}};

constexpr int64_t SizeOf(DataType t) { return kDataTypeInfo[static_cast<int>(t)].size; }
constexpr std::string_view NameOf(DataType t) {
  return t == DataType::UNDEFINED ? "undefined" : kDataTypeInfo[static_cast<int>(t)].name;
}
constexpr DataType DataTypeFromName(std::string_view name) {
  for (int i = 0; i < kNumDataTypes; ++i)
    if (kDataTypeInfo[i].name == name) return static_cast<DataType>(i);
  return DataType::UNDEFINED;
}

constexpr bool IsComplex(DataType t) { return t == DataType::COMPLEX64 || t == DataType::COMPLEX128; }
constexpr bool IsHalf(DataType t) { return t == DataType::FLOAT16 || t == DataType::BFLOAT16; }
constexpr bool IsFloat8(DataType t) { return t == DataType::FLOAT8_E4M3FN || t == DataType::FLOAT8_E5M2; }
constexpr bool IsFloating(DataType t) {
  return IsHalf(t) || IsFloat8(t) || t == DataType::FLOAT32 || t == DataType::FLOAT64;
}
constexpr bool IsInteger(DataType t) { return t >= DataType::UINT8 && t <= DataType::INT64; }
constexpr bool IsDifferentiable(DataType t) { return IsFloating(t) || IsComplex(t); }

// The type in which arithmetic on `t` is done: half and fp8 compute in float32, narrow integers in int32.
constexpr DataType ComputeType(DataType t) {
  if (IsHalf(t) || IsFloat8(t)) return DataType::FLOAT32;
  if (t == DataType::UINT8 || t == DataType::INT8 || t == DataType::INT16) return DataType::INT32;
  return t;
}
constexpr DataType RealOf(DataType t) {
  return t == DataType::COMPLEX64 ? DataType::FLOAT32 : t == DataType::COMPLEX128 ? DataType::FLOAT64 : t;
}
constexpr DataType ComplexOf(DataType t) {
  return t == DataType::FLOAT64 || t == DataType::COMPLEX128 ? DataType::COMPLEX128 : DataType::COMPLEX64;
}

// Storage-only 16- and 8-bit floats. Arithmetic happens in float32; see half.h for the conversions.
struct float16 {
  uint16_t x;
};
struct bfloat16 {
  uint16_t x;
};
struct float8_e4m3fn {
  uint8_t x;
};
struct float8_e5m2 {
  uint8_t x;
};
using complex64 = std::complex<float>;
using complex128 = std::complex<double>;

template <class T>
inline constexpr DataType kDataTypeOf = DataType::UNDEFINED;
template <>
inline constexpr DataType kDataTypeOf<bool> = DataType::BOOL;
template <>
inline constexpr DataType kDataTypeOf<uint8_t> = DataType::UINT8;
template <>
inline constexpr DataType kDataTypeOf<int8_t> = DataType::INT8;
template <>
inline constexpr DataType kDataTypeOf<int16_t> = DataType::INT16;
template <>
inline constexpr DataType kDataTypeOf<int32_t> = DataType::INT32;
template <>
inline constexpr DataType kDataTypeOf<int64_t> = DataType::INT64;
template <>
inline constexpr DataType kDataTypeOf<float16> = DataType::FLOAT16;
template <>
inline constexpr DataType kDataTypeOf<bfloat16> = DataType::BFLOAT16;
template <>
inline constexpr DataType kDataTypeOf<float> = DataType::FLOAT32;
template <>
inline constexpr DataType kDataTypeOf<double> = DataType::FLOAT64;
template <>
inline constexpr DataType kDataTypeOf<complex64> = DataType::COMPLEX64;
template <>
inline constexpr DataType kDataTypeOf<complex128> = DataType::COMPLEX128;
template <>
inline constexpr DataType kDataTypeOf<float8_e4m3fn> = DataType::FLOAT8_E4M3FN;
template <>
inline constexpr DataType kDataTypeOf<float8_e5m2> = DataType::FLOAT8_E5M2;

}  // namespace phi
