// SPDX-License-Identifier: Apache-2.0
#include "paddle/pybind/attr_from.h"

#include "paddle/pir/core/attribute.h"
#include "paddle/pybind/object/py_args.h"

namespace paddle::py {

phi::AttrValue AttrFrom(const phi::ArgDef& a, PyObject* o, const char* op) {
  switch (static_cast<pir::AttrCode>(a.attr_index)) {
    case pir::AttrCode::kBool: return ToBool(o, op, a.name);
    case pir::AttrCode::kInt32: return static_cast<int32_t>(ToInt32(o, op, a.name));
    case pir::AttrCode::kInt64: return ToInt(o, op, a.name);
    case pir::AttrCode::kFloat: return static_cast<float>(ToDouble(o, op, a.name));
    case pir::AttrCode::kDouble: return ToDouble(o, op, a.name);
    case pir::AttrCode::kStr: return ToStr(o, op, a.name);
    case pir::AttrCode::kInt32s: {
      const auto values = ToInts32(o, op, a.name);
      return std::vector<int32_t>(values.begin(), values.end());
    }
    case pir::AttrCode::kInt64s: {
      const auto values = ToInts(o, op, a.name);
      return std::vector<int64_t>(values.begin(), values.end());
    }
    case pir::AttrCode::kFloats: {
      const std::vector<double> values = ToDoubles(o, op, a.name);
      return std::vector<float>(values.begin(), values.end());
    }
    case pir::AttrCode::kDoubles: return ToDoubles(o, op, a.name);
    case pir::AttrCode::kStrs: return ToStrs(o, op, a.name);
    case pir::AttrCode::kScalar: return ToScalar(o, op, a.name);
    case pir::AttrCode::kScalars: return ToScalars(o, op, a.name);
    case pir::AttrCode::kIntArray: return ToIntArray(o, op, a.name);
    case pir::AttrCode::kDataType: return ToDataType(o, op, a.name);
    case pir::AttrCode::kPlace: return ToPlace(o, op, a.name);
    default: PD_THROW(Unimplemented, "[", op, "] expected ", a.name, " of a kind that Python has, got another");
  }
}

}  // namespace paddle::py
