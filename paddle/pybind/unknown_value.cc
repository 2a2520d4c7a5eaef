// SPDX-License-Identifier: Apache-2.0
#include "paddle/pybind/unknown_value.h"

#include <string>

#include "paddle/pybind/object/user_line.h"

namespace paddle::py {

void RaiseUnknownValue(const char* what, const char* advice) {
  const common::SourceLine at = UserLine();
  const std::string where = at.file.empty() ? "" : ", at " + at.file + ", line " + std::to_string(at.line);
  PyErr_Format(PyExc_TypeError,
               "%s() of a tensor that is being recorded%s: it is not known before the program runs; %s", what,
               where.c_str(), advice);
}

}  // namespace paddle::py
