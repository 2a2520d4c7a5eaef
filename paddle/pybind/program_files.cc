// SPDX-License-Identifier: Apache-2.0
// Python's view of program files that are not programs yet: old descriptions as dicts, and records of `.pdiparams` as
// tensors.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>

#include "paddle/executor/parameters.h"
#include "paddle/pir/serialize/program_desc.h"
#include "paddle/pybind/module.h"
#include "paddle/pybind/object/py_tensor.h"

namespace paddle::py {

namespace {

namespace pyb = pybind11;

// Names are bytes in the file.
pyb::str Text(const std::string& s) {
  return pyb::reinterpret_steal<pyb::str>(PyUnicode_DecodeUTF8(s.data(), static_cast<Py_ssize_t>(s.size()), "replace"));
}
pyb::list Texts(const std::vector<std::string>& list) {
  pyb::list r;
  for (const std::string& s : list) r.append(Text(s));
  return r;
}
pyb::object AttrOf(const pir::OpDesc::Attr& a) {
  return std::visit(
      [](const auto& v) -> pyb::object {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, std::string>)
          return Text(v);
        else if constexpr (std::is_same_v<T, std::vector<std::string>>)
          return Texts(v);
        else
          return pyb::cast(v);
      },
      a);
}

// One dict a block: vars (name -> dict) and ops (type, inputs, outputs, attrs).
pyb::list ProgramDescOf(pyb::bytes bytes, const std::string& origin) {
  std::string_view text = bytes;
  pyb::list blocks;
  for (const pir::BlockDesc& b : pir::ReadProgramDesc(text, origin)) {
    pyb::dict block, vars;
    pyb::list ops;
    for (const pir::VarDesc& v : b.vars) {
      pyb::dict d;
      d["is_tensor"] = v.is_tensor;
      d["is_array"] = v.is_array;
      d["persistable"] = v.persistable;
      d["shape"] = v.dims;
      d["lod_level"] = v.lod_level;
      d["dtype"] = v.dtype == phi::DataType::UNDEFINED ? pyb::none() : pyb::object(pyb::str(phi::NameOf(v.dtype)));
      vars[Text(v.name)] = d;
    }
    for (const pir::OpDesc& op : b.ops) {
      pyb::dict in, out, attrs;
      for (auto& [k, names] : op.inputs) in[Text(k)] = Texts(names);
      for (auto& [k, names] : op.outputs) out[Text(k)] = Texts(names);
      for (auto& [k, a] : op.attrs) attrs[Text(k)] = AttrOf(a);
      ops.append(pyb::make_tuple(Text(op.type), in, out, attrs));
    }
    block["vars"] = vars;
    block["ops"] = ops;
    blocks.append(block);
  }
  return blocks;
}

// The tensors of a file of `count` records.
pyb::list ReadRecords(const std::string& path, size_t count) {
  pir::ParamsReader reader(path);
  pyb::list r;
  for (size_t i = 0; i < count; ++i)
    r.append(
        pyb::reinterpret_steal<pyb::object>(Own(ToPy(executor::TensorOf(reader.Next(), reader.file()))).release()));
  reader.ExpectEnd();
  return r;
}

int Init(PyObject* module) {
  return GuardedInt([&] {
    pyb::module_ m =
        pyb::reinterpret_borrow<pyb::module_>(pyb::reinterpret_borrow<pyb::module_>(module).attr("pir").ptr());
    m.def("_read_program_desc", &ProgramDescOf, pyb::arg("data"), pyb::arg("origin") = "<memory>");
    m.def("_read_records", &ReadRecords);
    // The name of the data type that has this number in old programs.
    m.def("_dtype_of_number", [](int64_t n) -> std::string {
      for (const auto& info : phi::kDataTypeInfo)
        if (info.proto == n) return std::string(info.name);
      PD_THROW(InvalidArgument, "expected the number of a data type, got ", n);
    });
  });
}

}  // namespace

PADDLE_MODULE_INIT(Init)

}  // namespace paddle::py
