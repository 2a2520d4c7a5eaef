// SPDX-License-Identifier: Apache-2.0
// Python's view of programs: libpaddle.pir.Program (recording, printing, files), Operation, and Plan, the executor.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "paddle/eager/dispatch/decomposition_pass.h"
#include "paddle/eager/dispatch/op_support.h"
#include "paddle/eager/dispatch/record.h"
#include "paddle/executor/input_dims.h"
#include "paddle/executor/parameters.h"
#include "paddle/executor/plan.h"
#include "paddle/executor/registration.h"
#include "paddle/phi/core/device.h"
#include "paddle/phi/core/host_lock.h"
#include "paddle/pir/dialect/builtin.h"
#include "paddle/pir/io/printer.h"
#include "paddle/pir/pass/passes.h"
#include "paddle/pir/pass/prune.h"
#include "paddle/pir/serialize/params.h"
#include "paddle/pir/serialize/program_json.h"
#include "paddle/pir/serialize/state_inputs.h"
#include "paddle/jit/capture_state.h"
#include "paddle/pybind/object/class_texts.h"
#include "paddle/pybind/thread_state.h"
#include "paddle/pybind/member.h"
#include "paddle/pybind/module.h"
#include "paddle/pybind/operation_object.h"
#include "paddle/pir/dialect/pd_op.h"

namespace paddle::py {
namespace {

namespace pyb = pybind11;

pyb::object Object(const Tensor& t) { return TensorObject(t); }

// `program`: operations are recorded into it; none: they run.
void Enter(const std::shared_ptr<ProgramObject>& program) {
  egr::DispatchState& s = egr::State();
  t_state.records.Push({s.recorder, s.record, program});
  s.recorder = program ? &program->recorder() : nullptr;
  s.record = program ? egr::RecordMode::kRecord : egr::RecordMode::kRun;
}
void Leave() {
  const RecordState before = t_state.records.Pop("record");
  egr::State().recorder = before.recorder;
  egr::State().record = before.mode;
}

// A `with` block that records into a program, or runs operations where there is none. Changes nothing before __enter__,
// which is a C function (mode_scopes.cc).
struct RecordScope {
  std::shared_ptr<ProgramObject> program;
};
// A `with` block that records a function rather than a static program.
struct FunctionScope {};

// An entry of `shape` is an int, -1 for a new symbol, or an extent.
phi::Meta MetaFrom(const std::string& name, const pyb::sequence& shape, pyb::handle dtype) {
  phi::Meta m;
  m.dtype = ToDataType(dtype.ptr(), "data", "dtype");
  for (pyb::handle item : shape) {
    if (common::Dim extent; IsExtent(item.ptr(), &extent)) {
      m.dims.push_back(extent);
      continue;
    }
    const int64_t d = ToInt(item.ptr(), "data", "shape");
    PD_CHECK(d >= -1, InvalidArgument, "[data] expected extents of at least -1 in the shape of ", name, ", got ", d);
    m.dims.push_back(d < 0 ? common::NewSymbol() : common::Dim(d));
  }
  return m;
}

// Those at the top of the program.
pyb::list Operations(const std::shared_ptr<ProgramObject>& p) {
  PD_CHECK(p, InvalidType, "[program] expected a program, got None");
  pyb::list l;
  for (pir::Operation* op = p->program().block().front(); op; op = op->next()) l.append(OperationObject(p, op));
  return l;
}
uint64_t LastId(ProgramObject& p) { return p.program().num_ops() ? p.program().block().back()->id() : 0; }
// Those at its end that were made after the one of this id, the last first.
pyb::list OperationsSince(const std::shared_ptr<ProgramObject>& p, uint64_t id) {
  pyb::list l;
  for (pir::Operation* op = p->program().block().back(); op && op->id() > id; op = op->prev())
    l.append(OperationObject(p, op));
  return l;
}

std::string Text(ProgramObject& p) {
  p.recorder().SyncFlags();
  return pir::Print(p.program());
}

pyb::dict Parameters(ProgramObject& p) {
  pyb::dict d;
  for (auto& [name, held] : p.program().parameters())
    if (held) d[pyb::str(name)] = Object(*std::static_pointer_cast<Tensor>(held));
  return d;
}

void SaveParams(ProgramObject& p, const std::string& path) {
  pir::ParamsWriter writer(path);
  for (const std::string& name : pir::SortedParameterNames(p.program())) {
    auto held = std::static_pointer_cast<Tensor>(p.program().parameter(name));
    PD_CHECK(held && held->defined(), NotFound, "[save] expected parameter ", name, " to have a value, got none");
    Tensor t = phi::Contiguous(phi::ToHost(*held));
    writer.Add({t.dtype(), t.dims(), t.numel() ? t.raw_data() : nullptr,
                static_cast<size_t>(t.numel() * phi::SizeOf(t.dtype()))});
  }
  writer.Commit();
}

void LoadParams(ProgramObject& p, const std::string& path) {
  if (pir::SortedParameterNames(p.program()).empty()) {  // there need be no file
    pir::ParamsReader none(std::string_view{});
    return executor::LoadParameters(p.program(), none);
  }
  pir::ParamsReader reader(path);
  executor::LoadParameters(p.program(), reader);
}

std::shared_ptr<ProgramObject> PruneTo(ProgramObject& p, const pyb::iterable& feeds, const pyb::iterable& fetches,
                                       bool add_fetch, std::vector<std::string> feed_names) {
  p.recorder().SyncFlags();
  pir::PruneOptions options;
  options.add_fetch = add_fetch;
  options.feed_names = std::move(feed_names);
  auto f = p.ValuesOf(feeds), r = p.ValuesOf(fetches);
  return std::make_shared<ProgramObject>(pir::Prune(p.program(), f, r, options));
}

std::shared_ptr<ProgramObject> Decomposed(ProgramObject& p, std::vector<std::string> names) {
  p.recorder().SyncFlags();
  pir::IrMapping mapping;
  std::unique_ptr<pir::Program> copy = p.program().Clone(mapping);
  pir::PassManager passes;
  passes.Add(egr::CreateDecomposition(std::move(names)));
  passes.Add(pir::CreateDeadCodeElimination());
  passes.Run(*copy);
  return std::make_shared<ProgramObject>(std::move(copy));
}

struct PlanObject {
  std::shared_ptr<executor::Plan> plan;
  std::vector<pyb::object> Run(const pyb::iterable& inputs) {
    std::vector<Tensor> in, out;
    for (pyb::handle o : inputs) {
      const Tensor& t = ToTensor(o.ptr(), "executor", "input");
      PD_CHECK(!t.is_symbolic(), InvalidType, "[executor] expected inputs with data, got one that is being recorded");
      in.push_back(t);
    }
    {
      PlainGuard plain;
      out = plan->RunHeld(in, true);
    }
    std::vector<pyb::object> r;
    for (Tensor& t : out) r.push_back(Object(t));
    return r;
  }
};

// Drops what neither an effect nor a fetch needs, then inputs and parameters nobody reads.
void Trim(pir::Program& program) {
  pir::PassManager passes;
  passes.Add(pir::CreateDeadCodeElimination());
  passes.Run(program);
  for (pir::Operation* op = program.block().front(); op;) {
    pir::Operation* next = op->next();
    if ((op->isa(pir::pd::kData) || op->isa("builtin.parameter")) && op->use_empty()) op->Erase();
    op = next;
  }
}

// The inputs of the program that `others` names have other extents than they were declared with; -1 is unknown.
void SetExtents(pir::Program& program, const std::unordered_map<std::string, std::vector<int64_t>>& others) {
  std::vector<common::Dims> dims;
  for (pir::Operation& op : program.block()) {
    if (!op.isa(pir::pd::kData)) continue;
    dims.push_back(op.result_type(0).dims());
    const auto found = others.find(op.attr("name").to_str());
    if (found == others.end()) continue;
    dims.back().clear();
    for (int64_t n : found->second) dims.back().push_back(n < 0 ? common::NewSymbol() : common::Dim(n));
  }
  executor::SetInputDims(program, dims);
}

// The plan is made of a copy: forming groups reorders a block. Without `outputs` the program's own fetches are what it
// returns. Its inputs are the pd_op.data ops that are needed, in order (`input_names`).
PlanObject BuildPlan(ProgramObject& p, pyb::object outputs, bool fuse,
                     const std::unordered_map<std::string, std::vector<int64_t>>& extents) {
  pir::IrMapping mapping;
  std::shared_ptr<pir::Program> copy = p.program().Clone(mapping);
  if (!outputs.is_none()) {
    for (pir::Operation* op = copy->block().front(); op;) {
      pir::Operation* next = op->next();
      if (op->isa(pir::pd::kFetch)) op->Erase();
      op = next;
    }
    pir::Builder b(copy.get());
    int col = 0;
    for (pyb::handle o : outputs) {
      pir::BuildFetch(b, mapping.Lookup(p.ValueOf(o)), "fetch_name_" + std::to_string(col), col);
      ++col;
    }
  }
  Trim(*copy);
  if (!extents.empty()) SetExtents(*copy, extents);
  return {executor::Plan::Build(*copy, fuse)};
}

std::shared_ptr<ProgramObject> LoadJson(const std::string& path) {
  return std::make_shared<ProgramObject>(std::move(pir::ReadProgramJsonFile(path).program));
}
std::shared_ptr<ProgramObject> LoadJsonText(const std::string& text) {
  auto program = pir::ReadProgramJson(text).program;
  pir::InputsToState(*program);
  return std::make_shared<ProgramObject>(std::move(program));
}
std::string StateJson(ProgramObject& p, const std::unordered_set<std::string>& state) {
  p.recorder().SyncFlags();
  pir::IrMapping mapping;
  auto copy = p.program().Clone(mapping);
  pir::StateToInputs(*copy, state);
  return pir::WriteProgramJson(*copy, {});
}

void AddScopes(pyb::module_& m) {
  pyb::class_<RecordScope>(m, "RecordScope", "Inside, operations are recorded into a program; for None they run.")
      .def(pyb::init<std::shared_ptr<ProgramObject>>(), pyb::arg("program").none(true))
      .def("__enter__",
           [](const RecordScope& s) {
             Enter(s.program);
             return s.program;
           })
      .def("__exit__", [](RecordScope&, const pyb::args&) { Leave(); });
  pyb::class_<FunctionScope>(m, "FunctionScope", "Inside, what is recorded is a function, whose writes are part of it.")
      .def(pyb::init<>())
      .def("__enter__",
           [](FunctionScope&) {
             t_state.function_modes.Push(jit::t_capture.records_function);
             jit::t_capture.records_function = true;
           })
      .def("__exit__", [](FunctionScope&, const pyb::args&) {
        jit::t_capture.records_function = t_state.function_modes.Pop("recorded function");
      });
}

void TranslateExceptions() {
  pyb::register_exception_translator([](std::exception_ptr e) {
    try {
      if (e) std::rethrow_exception(e);
    } catch (const common::Error&) { RaiseCurrent(); } catch (const PyErrAlreadySet&) {
    } catch (const std::length_error&) {  // pybind11's, which makes room for the length that a sequence claims
      PyErr_SetString(PyExc_MemoryError, "out of memory: got a sequence of more elements than memory can hold");
    } catch (const std::runtime_error&) {  // pybind11's, of a list or text that could not be made
      if (!PyErr_Occurred() || !PyErr_ExceptionMatches(PyExc_MemoryError)) throw;
    }
  });
}

void AddProgram(pyb::module_& m) {
  pyb::class_<ProgramObject, std::shared_ptr<ProgramObject>>(m, "Program", pyb::dynamic_attr(), kProgramText)
      .def(pyb::init([] { return std::make_shared<ProgramObject>(); }))
      .def("__str__", &Text)
      .def("__repr__", &Text)
      .def("num_ops", [](ProgramObject& p) { return p.program().num_ops(); })
      .def_property_readonly("_id", [](ProgramObject& p) { return p.program().id(); })
      .def_property_readonly("_epoch", [](ProgramObject& p) { return p.program().epoch(); })
      .def("_operations", &Operations)
      .def("_last_id", &LastId)
      .def("_operations_since", &OperationsSince)
      .def("_clone",
           [](ProgramObject& p) {
             p.recorder().SyncFlags();
             pir::IrMapping mapping;
             auto copy = std::make_shared<ProgramObject>(p.program().Clone(mapping));
             copy->SetOrigin(p.shared_from_this(), CopiedValues(p.program(), mapping));
             return copy;
           })
      .def("_decomposed", &Decomposed, pyb::arg("names") = std::vector<std::string>(),
           "A copy without the operations of these names, or all that have decompositions: built of others instead.")
      .def("_parameters", &Parameters)
      .def("_set_parameter",
           [](ProgramObject& p, const std::string& name, pyb::handle t) {
             p.program().set_parameter(name, std::make_shared<Tensor>(ToTensor(t.ptr(), "set_parameter", "value")));
           })
      .def("_data", [](ProgramObject& p, const std::string& name, const pyb::sequence& shape,
                       pyb::handle dtype) { return Object(p.recorder().Data(name, MetaFrom(name, shape, dtype))); })
      .def("_value_name", [](ProgramObject& p, pyb::handle t) { return p.ValueOf(t).name(); })
      .def("_key",
           [](ProgramObject& p, pyb::handle t) {
             return reinterpret_cast<uintptr_t>(p.ValueAnywhere(ToTensor(t.ptr(), "program", "value")).impl());
           })
      .def("_append_fetch", [](ProgramObject& p, pyb::handle t, const std::string& name,
                               int col) { pir::BuildFetch(p.recorder().builder(), p.ValueOf(t), name, col); })
      .def("_prune", &PruneTo, pyb::arg("feeds"), pyb::arg("fetches"), pyb::arg("add_fetch") = true,
           pyb::arg("feed_names") = std::vector<std::string>())
      .def(
          "_to_json",
          [](ProgramObject& p, bool trainable, bool readable) {
            p.recorder().SyncFlags();
            return pir::WriteProgramJson(p.program(), {trainable, readable});
          },
          pyb::arg("trainable") = true, pyb::arg("readable") = false)
      .def(
          "_save_json",
          [](ProgramObject& p, const std::string& path, bool trainable, bool readable) {
            p.recorder().SyncFlags();
            pir::WriteProgramJsonFile(p.program(), path, {trainable, readable});
          },
          pyb::arg("path"), pyb::arg("trainable") = true, pyb::arg("readable") = false)
      .def("_state_json", &StateJson, "The program with the tensors of these names as persistable inputs.")
      .def("_save_params", &SaveParams)
      .def("_load_params", &LoadParams)
      .def("_parameter_names", [](ProgramObject& p) { return pir::SortedParameterNames(p.program()); });
}

void AddPlan(pyb::module_& m) {
  pyb::class_<PlanObject>(m, "Plan", "A program planned for running.")
      .def(pyb::init(&BuildPlan), pyb::arg("program"), pyb::arg("outputs") = pyb::none(), pyb::arg("fuse") = false,
           pyb::arg("extents") = std::unordered_map<std::string, std::vector<int64_t>>())
      .def("run", Member(&PlanObject::Run))
      .def_property_readonly("unplanned", [](PlanObject& p) { return p.plan->Unplanned(); })
      .def_property_readonly("workspace_bytes", [](PlanObject& p) { return p.plan->workspace_bytes(); })
      .def_property_readonly("least_workspace_bytes", [](PlanObject& p) { return p.plan->least_workspace_bytes(); })
      .def(
          "profile", [](PlanObject& p, bool on) { p.plan->SetProfiling(on); }, pyb::arg("on") = true,
          "Starts (from zero) or stops to measure instructions.")
      .def(
          "profile_rows",
          [](PlanObject& p) {
            pyb::list rows;
            for (auto& e : p.plan->Profile()) rows.append(pyb::make_tuple(e.name, e.calls, e.ns * 1e-3));
            return rows;
          },
          "(name, calls, total us) of each instruction; a branch or loop contains the instructions in it.")
      .def(
          "profile_table", [](PlanObject& p) { return p.plan->ProfileTable(); },
          "What was measured, summed by name, as text.")
      .def_property_readonly("order", [](PlanObject& p) { return p.plan->Order(); })
      .def_property_readonly("num_fused", [](PlanObject& p) { return p.plan->num_fused(); })
      .def_property_readonly("num_instructions", [](PlanObject& p) { return p.plan->num_instructions(); })
      .def_property_readonly("input_names", [](PlanObject& p) { return p.plan->input_names(); })
      .def_property_readonly("output_names", [](PlanObject& p) { return p.plan->output_names(); });
}

int Init(PyObject* module) {
  return GuardedInt([&] {
    static std::once_flag once;
    std::call_once(once, [] {
      executor::RegisterOps();
      TranslateExceptions();
    });
    pyb::module_ root = pyb::reinterpret_borrow<pyb::module_>(module);
    pyb::module_ m = pyb::reinterpret_borrow<pyb::module_>(root.attr("pir").ptr());
    AddScopes(m);
    AddProgram(m);
    m.def("_load_json", &LoadJson);
    m.def("_load_json_text", &LoadJsonText);
    m.def("_record_mode", [] { return static_cast<int>(egr::State().record); });
    AddPlan(m);
    // _record(program, mode): the context manager tests use; 1 records, 2 records and runs.
    root.def("_record", [](std::shared_ptr<ProgramObject> p) {
      return pyb::module_::import("paddle.static.program").attr("recording")(p);
    });
  });
}

}  // namespace

PADDLE_MODULE_INIT(Init)

}  // namespace paddle::py
