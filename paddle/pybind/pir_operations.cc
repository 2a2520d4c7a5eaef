// SPDX-License-Identifier: Apache-2.0
// Python's view of what programs consist of (Operation, its blocks, members of Value), and passes by name, which change
// a program in its place.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

#include "paddle/common/source_line.h"
#include "paddle/eager/dispatch/control_flow.h"
#include "paddle/eager/dispatch/decomposition_pass.h"
#include "paddle/phi/core/op_def.h"
#include "paddle/pir/dialect/pd_op.h"
#include "paddle/pir/io/printer.h"
#include "paddle/pir/pass/passes.h"
#include "paddle/pybind/module.h"
#include "paddle/pybind/object/py_args.h"
#include "paddle/pybind/operation_object.h"

namespace paddle::py {
namespace {

namespace pyb = pybind11;

pyb::object AttrObject(pir::Attribute a) {
  switch (a.kind()) {
    case pir::AttrKind::kNull: return pyb::none();
    case pir::AttrKind::kBool: return pyb::bool_(a.to_bool());
    case pir::AttrKind::kInt32:
    case pir::AttrKind::kInt64:
    case pir::AttrKind::kIndex: return pyb::int_(a.to_int());
    case pir::AttrKind::kFloat:
    case pir::AttrKind::kDouble: return pyb::float_(a.to_double());
    case pir::AttrKind::kStr:
    case pir::AttrKind::kTensorName:
    case pir::AttrKind::kLayout: return pyb::str(a.to_str());
    case pir::AttrKind::kDataType: return pyb::reinterpret_steal<pyb::object>(Own(DtypeObject(a.to_dtype())).release());
    case pir::AttrKind::kPlace: return pyb::reinterpret_steal<pyb::object>(Own(PlaceObject(a.to_place())).release());
    case pir::AttrKind::kIntArray: return pyb::reinterpret_steal<pyb::object>(Own(IntList(a.to_ints())).release());
    case pir::AttrKind::kArray: {
      pyb::list l;
      for (pir::Attribute e : a.to_array()) l.append(AttrObject(e));
      return l;
    }
    default: return pyb::str(pir::AttributeText(a));
  }
}

// A block inside an operation.
struct BlockObject {
  OperationObject parent;
  int region, number;
  pir::Block& get() { return parent.get().region(region).block(number); }
};

// One place of an operation that a value is read at.
struct OperandObject {
  OperationObject owner;
  int index;
};

pyb::list Blocks(OperationObject& o) {
  pyb::list l;
  for (int k = 0; k < o.get().num_regions(); ++k)
    for (size_t i = 0; i < o.get().region(k).size(); ++i) l.append(BlockObject{o, k, static_cast<int>(i)});
  return l;
}

pyb::object BlockOf(const std::shared_ptr<ProgramObject>& owner, pir::Block* block) {
  pir::Operation* parent = block ? block->parent_op() : nullptr;
  for (int k = 0; parent && k < parent->num_regions(); ++k)
    for (size_t i = 0; i < parent->region(k).size(); ++i)
      if (&parent->region(k).block(i) == block && parent->block())
        return pyb::cast(BlockObject{OperationObject(owner, parent), k, static_cast<int>(i)});
  return pyb::cast(owner).attr("global_block")();
}

pyb::list Wrapped(OperationObject& o, const std::vector<pir::Value>& values) {
  pyb::list l;
  for (pir::Value v : values) l.append(o.owner->Wrap(v));
  return l;
}

// Names of operands, or of results, as the operation declares them.
std::vector<std::string> InputNames(OperationObject& o) {
  std::vector<std::string> names;
  if (const auto* def = static_cast<const phi::OpDef*>(o.get().info()->phi_op)) {
    for (const phi::ArgDef* t : def->tensors) names.emplace_back(t->name);
    for (const phi::ArgDef* a : def->attrs)
      if (a->kind == phi::ArgDef::kOperandAttr) names.emplace_back(a->name);
  }
  return names;
}
std::vector<std::string> OutputNames(OperationObject& o) {
  std::vector<std::string> names;
  if (const auto* def = static_cast<const phi::OpDef*>(o.get().info()->phi_op))
    for (const phi::OutDef& out : def->outs) names.emplace_back(out.name);
  return names;
}

pir::Attribute AttrOf(OperationObject& o, const std::string& name) {
  pir::Attribute a = o.get().attr(name);
  if (!a) throw pyb::value_error("[Operation] expected an attribute of " + o.get().name() + ", got " + name);
  return a;
}

// Keeps what tensors of Python stand for over a change of the program's operations. A value that is gone stands for
// nothing afterwards; with `hold`, everything that tensors stand for stays, and they stand for what replaced it.
class Kept {
 public:
  Kept(ProgramObject& p, bool hold) : program_(p) {
    egr::Recorder& recorder = program_.recorder();
    recorder.SyncFlags();
    recorder.grads().Clear();
    const std::vector<pir::Value>& values = recorder.values();
    std::vector<pir::Value> held;
    std::vector<pir::Type> types;
    for (size_t i = 0; i < values.size(); ++i) {
      makers_.push_back(Maker(values[i]));
      if (!hold || !makers_.back() || values[i].block() != &program_.program().block()) continue;
      held_.push_back(i);
      held.push_back(values[i]);
      types.push_back(values[i].type());
    }
    if (held.empty()) return;
    pir::Builder b(&program_.program());
    const pir::Type type = pir::VectorType::Get(types);
    holder_ = b.Create(pir::FindOp("builtin.combine"), held, {}, {&type, 1});
  }
  void Update() {
    std::vector<pir::Value>& values = program_.recorder().values();
    for (size_t k = 0; k < held_.size(); ++k) {
      values[held_[k]] = holder_->operand(static_cast<int>(k));
      makers_[held_[k]] = Maker(values[held_[k]]);
    }
    if (holder_) holder_->Erase();
    std::unordered_map<pir::Value, uint64_t> living;
    AnyOperation(program_.program().block(), [&](pir::Operation& op) {
      for (int i = 0; i < op.num_results(); ++i) living[op.result(i)] = op.id() + 1;
      for (int k = 0; k < op.num_regions(); ++k)
        for (const auto& inner : op.region(k).blocks())
          for (int i = 0; i < inner->num_args(); ++i) living[inner->arg(i)] = 0;
      return false;
    });
    for (size_t i = 0; i < values.size(); ++i)
      if (auto it = living.find(values[i]); it == living.end() || it->second != makers_[i]) values[i] = {};
  }

 private:
  static uint64_t Maker(pir::Value v) { return v && v.defining_op() ? v.defining_op()->id() + 1 : 0; }
  ProgramObject& program_;
  std::vector<uint64_t> makers_;
  std::vector<size_t> held_;
  pir::Operation* holder_ = nullptr;
};

// Has operations recorded at the end again: what they went before may go.
void LeaveInsertionPoint(ProgramObject& p) {
  if (pir::Builder& b = p.recorder().builder(); b.before()) b.SetToEnd(b.block());
}

bool RunPasses(ProgramObject& p, pir::PassManager& passes, bool hold) {
  Kept kept(p, hold);
  LeaveInsertionPoint(p);
  const bool changed = passes.Run(p.program());
  kept.Update();
  return changed;
}

// Passes by name, run in order on a program, which they change.
struct PassManagerObject {
  std::vector<std::string> names;
  bool print_programs = false, print_counts = false;

  void Run(ProgramObject& p) {
    for (const std::string& name : names) {
      pir::PassOptions options;
      if (print_programs)
        options.dump = [](pir::DumpAt at, const std::string& pass, const std::string& text) {
          pyb::print(at == pir::DumpAt::kBefore ? "before" : "after", pass + ":\n" + text);
        };
      pir::PassManager passes(std::move(options));
      passes.Add(name);
      const size_t before = p.program().num_ops();
      RunPasses(p, passes, false);
      if (print_counts) pyb::print(name + ":", before, "operations, then", p.program().num_ops());
    }
  }
};

// Whether an operation, or one of its regions, reads a result of another one.
bool Reads(pir::Operation& reader, const pir::Operation& maker) {
  for (int i = 0; i < reader.num_operands(); ++i)
    if (reader.operand(i) && reader.operand(i).defining_op() == &maker) return true;
  for (int k = 0; k < reader.num_regions(); ++k)
    for (const auto& inner : reader.region(k).blocks())
      if (AnyOperation(*inner, [&](pir::Operation& op) { return Reads(op, maker); })) return true;
  return false;
}

// Moves an operation before another one; refused where it would be behind one that reads it, or before one that it
// reads.
void MoveBefore(OperationObject& moved, OperationObject& place) {
  pir::Operation &op = moved.get(), &before = place.get();
  PD_CHECK(moved.owner == place.owner && op.block() == before.block(), InvalidArgument,
           "[Operation.move_before] expected an operation of the same block, got another one");
  if (&op == &before) return;
  const bool back = before.IsBefore(&op);
  for (pir::Operation* other = back ? &before : op.next(); other != (back ? &op : &before); other = other->next())
    PD_CHECK(back ? !Reads(op, *other) : !Reads(*other, op), InvalidArgument,
             "[Operation.move_before] expected a place where ", op.name(), " stays ",
             back ? "behind what it reads, got one before " : "before what reads it, got one behind ", other->name());
  op.MoveBefore(&before);
}

using O = OperationObject;

void DefineBlock(pyb::module_& m) {
  pyb::class_<BlockObject>(m, "RegionBlock", "A block inside an operation, such as the body of a loop.")
      .def_property_readonly("ops",
                             [](BlockObject& b) {
                               pyb::list l;
                               for (pir::Operation& op : b.get()) l.append(OperationObject(b.parent.owner, &op));
                               return l;
                             })
      .def("num_ops", [](BlockObject& b) { return b.get().size(); })
      .def_property_readonly("parent_op", [](BlockObject& b) { return b.parent; })
      .def_property_readonly("program", [](BlockObject& b) { return b.parent.owner; })
      .def("args", [](BlockObject& b) {
        pyb::list l;
        for (int i = 0; i < b.get().num_args(); ++i) l.append(b.parent.owner->Wrap(b.get().arg(i)));
        return l;
      });
}

void DefineOperand(pyb::module_& m) {
  pyb::class_<OperandObject>(m, "OpOperand", "A place of an operation that a value is read at.")
      .def("source", [](OperandObject& p) { return p.owner.owner->Wrap(p.owner.get().operand(p.index)); })
      .def("set_source",
           [](OperandObject& p, pyb::handle value) {
             pir::Operation& reader = p.owner.get();
             const pir::Value v = p.owner.owner->ValueOf(value);
             const pir::Operation* maker = v.defining_op();
             PD_CHECK(egr::IsVisible(v, reader.block()) &&
                          (!maker || maker->block() != reader.block() || maker->IsBefore(&reader)),
                      InvalidArgument, "[OpOperand.set_source] expected a value that is made before ", reader.name(),
                      " reads it, got one that is made after it");
             reader.set_operand(p.index, v);
           })
      .def("owner", [](OperandObject& p) { return p.owner; })
      .def("index", [](OperandObject& p) { return p.index; });
}

void DefineAttributes(pyb::class_<O>& operation) {
  operation
      .def("attrs",
           [](O& o) {
             pyb::dict d;
             for (auto& a : o.get().attrs()) d[pyb::str(a.name.str())] = AttrObject(a.value);
             return d;
           })
      .def("has_attr", [](O& o, const std::string& name) { return static_cast<bool>(o.get().attr(name)); })
      .def("get_attr_names",
           [](O& o) {
             std::vector<std::string> names;
             for (auto& a : o.get().attrs()) names.emplace_back(a.name.str());
             return names;
           })
      .def("str_attr", [](O& o, const std::string& name) { return std::string(AttrOf(o, name).to_str()); })
      .def("int_attr", [](O& o, const std::string& name) { return AttrOf(o, name).to_int(); })
      .def("set_bool_attr",
           [](O& o, const std::string& name, bool v) { o.get().set_attr(pir::Name(name), pir::Attribute::Bool(v)); })
      .def("set_int_attr", [](O& o, const std::string& name,
                              int32_t v) { o.get().set_attr(pir::Name(name), pir::Attribute::Int32(v)); })
      .def("set_float_attr",
           [](O& o, const std::string& name, float v) { o.get().set_attr(pir::Name(name), pir::Attribute::Float(v)); })
      .def("set_str_attr", [](O& o, const std::string& name, const std::string& v) {
        o.get().set_attr(pir::Name(name), pir::Attribute::Str(v));
      });
}

void DefineChanges(pyb::class_<O>& operation) {
  operation.def("move_before", &MoveBefore)
      .def("replace_all_uses_with",
           [](O& o, const pyb::iterable& values) {
             const std::vector<pir::Value> others = o.owner->ValuesOf(values);
             PD_CHECK(static_cast<int>(others.size()) == o.get().num_results(), InvalidArgument,
                      "[replace_all_uses_with] expected ", o.get().num_results(), " values, got ", others.size());
             o.get().ReplaceAllUsesWith(others);
           })
      .def("erase", [](O& o) {
        PD_CHECK(o.get().use_empty(), PreconditionNotMet,
                 "[Operation.erase] expected an operation whose results nobody reads, got ", o.get().name());
        Kept kept(*o.owner, false);
        if (pir::Builder& b = o.owner->recorder().builder(); b.before() == &o.get()) b.SetAfter(&o.get());
        o.get().Erase();
        kept.Update();
      });
}

void DefineOperation(pyb::module_& m) {
  DefineBlock(m);
  DefineOperand(m);
  auto index = [](const char* what, int i, int n) {
    if (i < 0 || i >= n)
      throw pyb::index_error("[Operation." + std::string(what) + "] expected a number below " + std::to_string(n) +
                             ", got " + std::to_string(i));
  };
  pyb::class_<O> operation(m, "Operation", "One operation of a program.");
  operation.def("name", [](O& o) { return o.get().name(); })
      .def("id", [](O& o) { return o.get().id(); })
      .def("num_operands", [](O& o) { return o.get().num_operands(); })
      .def("num_results", [](O& o) { return o.get().num_results(); })
      .def("num_regions", [](O& o) { return o.get().num_regions(); })
      .def("operand",
           [index](O& o, int i) {
             index("operand", i, o.get().num_operands());
             return OperandObject{o, i};
           })
      .def("operand_source",
           [index](O& o, int i) {
             index("operand_source", i, o.get().num_operands());
             return o.owner->Wrap(o.get().operand(i));
           })
      .def("operands_source", [](O& o) { return Wrapped(o, o.get().operands()); })
      .def("result",
           [index](O& o, int i) {
             index("result", i, o.get().num_results());
             return o.owner->Wrap(o.get().result(i));
           })
      .def("results", [](O& o) { return Wrapped(o, o.get().results_vec()); })
      .def("get_input_names", &InputNames)
      .def("get_output_names", &OutputNames)
      .def("get_parent_block", [](O& o) { return BlockOf(o.owner, o.get().block()); })
      .def("blocks", &Blocks)
      .def_property_readonly("callstack",
                             [](O& o) {
                               pyb::list l;
                               if (const common::SourceLine* at = common::FindSource(o.get().source()))
                                 l.append("File \"" + at->file + "\", line " + std::to_string(at->line));
                               return l;
                             })
      .def_property_readonly("_program", [](O& o) { return o.owner; })
      .def("__eq__", [](O& a, const pyb::object& b) { return pyb::isinstance<O>(b) && b.cast<O&>().id == a.id; })
      .def("__hash__", [](O& o) { return o.id; });
  DefineAttributes(operation);
  DefineChanges(operation);
}

// The program of a value: the youngest that knows it.
std::shared_ptr<ProgramObject> ProgramOf(const pyb::handle& value) {
  const Tensor& t = ToTensor(value.ptr(), "Value", "self");
  std::shared_ptr<ProgramObject> found = ProgramObject::Owner(t);
  PD_CHECK(found, PreconditionNotMet, "[Value] expected a value of a program that lives, got another one");
  return found;
}

// (program, operation, how many of its kind there are before, number among the results) of a value at the top of a
// program; None of others. Forms that write in place are of the same kind, what passes put in counts for none.
pyb::object PositionOf(const pyb::object& self) {
  const Tensor& t = ToTensor(self.ptr(), "Value", "self");
  auto program = ProgramObject::Owner(t);
  const pir::Value v = program ? program->ValueAnywhere(t) : pir::Value();
  pir::Operation* op = v ? v.defining_op() : nullptr;
  if (!op || op->block() != &program->program().block()) return pyb::none();
  auto kind = [](pir::Operation* o) {
    std::string_view name = o->name();
    while (!name.empty() && name.back() == '_') name.remove_suffix(1);
    return name;
  };
  int64_t before = 0;
  for (pir::Operation* o = op->prev(); o; o = o->prev()) before += kind(o) == kind(op) && !o->attr("quantized_name");
  return pyb::make_tuple(program, OperationObject(program, op), before, v.index());
}

template <class F>
void Method(pyb::module_& m, const char* name, F f) {
  pyb::object value = m.attr("Value");
  value.attr(name) = pyb::cpp_function(f, pyb::name(name), pyb::is_method(value));
}

void DefineValueMembers(pyb::module_& m) {
  using H = const pyb::object&;
  Method(m, "get_defining_op", [](H self) -> pyb::object {
    auto program = ProgramOf(self);
    pir::Operation* op = program->ValueOf(self).defining_op();
    return op ? pyb::cast(OperationObject(program, op)) : pyb::none();
  });
  Method(m, "_position", &PositionOf);
  Method(m, "is_same", [](H self, H other) {
    return ProgramOf(self) == ProgramOf(other) && ProgramOf(self)->ValueOf(self) == ProgramOf(self)->ValueOf(other);
  });
  Method(m, "hash", [](H self) { return reinterpret_cast<uintptr_t>(ProgramOf(self)->ValueOf(self).impl()); });
  Method(m, "use_empty", [](H self) { return ProgramOf(self)->ValueOf(self).use_empty(); });
  Method(m, "has_one_use", [](H self) { return ProgramOf(self)->ValueOf(self).has_one_use(); });
  Method(m, "all_used_ops", [](H self) {
    auto program = ProgramOf(self);
    pyb::list l;
    program->ValueOf(self).ForEachUse([&](pir::OpOperand& use) { l.append(OperationObject(program, use.owner())); });
    return l;
  });
  Method(m, "replace_all_uses_with", [](H self, H other) {
    auto program = ProgramOf(self);
    program->ValueOf(self).ReplaceAllUsesWith(program->ValueOf(other));
  });
  pyb::object property = pyb::module_::import("builtins").attr("property");
  m.attr("Value").attr("id") = property(pyb::cpp_function(
      [](H self) {
        pir::Value v = ProgramOf(self)->ValueOf(self);
        std::ostringstream text;
        text << "0x" << std::hex << reinterpret_cast<uintptr_t>(v.impl());
        return text.str();
      },
      pyb::name("id"), pyb::is_method(m.attr("Value"))));
}

// Where operations are recorded: not at the end of the program, until it is put back there.
void DefineInsertionPoints(pyb::module_& m) {
  m.def("_set_insertion_point", [](OperationObject& o, bool behind) {
    pir::Builder& b = o.owner->recorder().builder();
    behind ? b.SetAfter(&o.get()) : b.SetBefore(&o.get());
  });
  m.def("_reset_insertion_point", [](ProgramObject& p, bool start) {
    pir::Builder& b = p.recorder().builder();
    start ? b.SetToStart(&p.program().block()) : b.SetToEnd(&p.program().block());
  });
}

void DefinePasses(pyb::module_& m) {
  using P = PassManagerObject;
  pyb::class_<P>(m, "PassManager", "Passes by name, run in order on a program, which they change.")
      .def(pyb::init([](int) { return P{}; }), pyb::arg("opt_level") = 2)
      .def(
          "add_pass",
          [](P& p, const std::string& name, const pyb::dict& attrs) {
            PD_CHECK(attrs.empty(), InvalidArgument, "[add_pass] expected no attributes of ", name, ", got ",
                     attrs.size());
            pir::CreatePass(name);
            p.names.push_back(name);
          },
          pyb::arg("name"), pyb::arg("attrs") = pyb::dict())
      .def("passes", [](P& p) { return p.names; })
      .def("clear", [](P& p) { p.names.clear(); })
      .def("empty", [](P& p) { return p.names.empty(); })
      .def("enable_ir_printing", [](P& p) { p.print_programs = true; })
      .def("enable_print_statistics", [](P& p) { p.print_counts = true; })
      .def("run", &P::Run);
  m.def(
      "apply_cse_pass",
      [](const std::shared_ptr<ProgramObject>& p) {
        pir::PassManager passes;
        passes.Add(pir::CreateCommonSubexpressionElimination());
        RunPasses(*p, passes, true);
        return p;
      },
      "Operations equal to earlier ones go; the program.");
  m.def(
      "_erase_unread",
      [](ProgramObject& p, std::vector<OperationObject> ops) {
        Kept kept(p, false);
        LeaveInsertionPoint(p);
        for (OperationObject& o : ops)
          if (pir::Operation& op = o.get(); op.use_empty()) op.Erase();
        kept.Update();
      },
      "Erases those of the operations, one after another, whose results nobody reads.");
  m.def("_has_pass", [](const std::string& name) { return pir::HasPass(name); });
  m.def(
      "_decompose",
      [](ProgramObject& p, std::vector<std::string> names) {
        pir::PassManager passes;
        passes.Add(egr::CreateDecomposition(std::move(names)));
        return RunPasses(p, passes, true);
      },
      "Takes operations of these names apart, all of them where there are none, in the program itself.");
}

int Init(PyObject* module) {
  return GuardedInt([&] {
    pyb::module_ m =
        pyb::reinterpret_borrow<pyb::module_>(pyb::reinterpret_borrow<pyb::module_>(module).attr("pir").ptr());
    DefineOperation(m);
    DefineValueMembers(m);
    DefineInsertionPoints(m);
    DefinePasses(m);
  });
}

PADDLE_MODULE_INIT(Init)

}  // namespace
}  // namespace paddle::py
