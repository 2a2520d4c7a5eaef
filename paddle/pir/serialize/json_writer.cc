// SPDX-License-Identifier: Apache-2.0
// Writes the JSON program format as text directly: keys in the order a sorted map would give.
#include <algorithm>
#include <unordered_map>

#include "paddle/common/error.h"
#include "paddle/pir/core/verify.h"
#include "paddle/pir/serialize/whole_file.h"
#include "paddle/pir/serialize/json_names.h"
#include "paddle/pir/serialize/json_text.h"
#include "paddle/pir/serialize/program_json.h"

namespace pir {
namespace {

using namespace json_format;  // NOLINT: this file is the format's writer

// Attributes outside an op's declaration that belong into the file.
constexpr std::string_view kExtraAttrs[] = {"struct_name", "op_role"};

class Writer : private JsonText {
 public:
  explicit Writer(const WriteJsonOptions& o) : o_(o) {}

  std::string Run(const Program& p) {
    out_ = R"({"base_code":{"magic":"pir","trainable":)";
    out_ += o_.trainable ? "true" : "false";
    out_ += ",\"version\":" + std::to_string(kVersion) + "},\"program\":{\"regions\":[";
    WriteRegion(p.module()->region(0));
    out_ += "]}}";
    return std::move(out_);
  }

 private:
  void WriteNamed(std::string_view name, Attribute a, bool* first) {
    if (!*first) out_ += ',';
    *first = false;
    out_ += "{\"AT\":";
    WriteAttr(a);
    out_ += ",\"N\":";
    Str(name);
    out_ += '}';
  }

  // A Scalar attribute stands as the plain number PaddlePaddle keeps it as.
  static Attribute Normal(const AttrInfo& decl, Attribute a) {
    auto scalar = [](Attribute x) { return Attribute::Number(x.to_scalar()); };
    switch (decl.code) {
      case AttrCode::kScalar: return scalar(a);
      case AttrCode::kScalars: {
        std::vector<Attribute> v;
        for (Attribute x : a.to_array()) v.push_back(scalar(x));
        return Attribute::Array(std::move(v));
      }
      case AttrCode::kNone:
      case AttrCode::kStr: return a;  // tensor names and layouts keep their kinds
      default: return Attribute::From(a.value(decl.code));
    }
  }

  void WriteOp(const Operation& op) {
    if (op.isa("builtin.parameter")) return WriteParameter(op);
    Tag(OpNameToId(op.name()));
    out_ += ",\"A\":[";
    bool first = true;
    const OpInfo& info = *op.info();
    if (info.unregistered) {
      for (const NamedAttribute& a : op.attrs()) WriteNamed(a.name.str(), a.value, &first);
    } else {
      for (const AttrInfo& decl : info.attrs) {
        Attribute a = op.attr(decl.name);
        if (!a && decl.def.index() != 0) a = Attribute::From(decl.def);
        PD_CHECK(a, InvalidArgument, "[", op.name(), "] expected attribute '", decl.name, "' when saving, got none");
        WriteNamed(decl.name, Normal(decl, a), &first);
      }
      for (std::string_view extra : kExtraAttrs)
        if (!info.attr(extra))
          if (Attribute a = op.attr(extra)) WriteNamed(extra, a, &first);
    }
    out_ += "],\"I\":[";
    for (int i = 0; i < op.num_operands(); ++i) {
      out_ += i ? ",{\"%\":" : "{\"%\":";
      Int(IdOf(op, i));
      out_ += '}';
    }
    out_ += "],\"O\":[";
    for (int i = 0; i < op.num_results(); ++i) {
      if (i) out_ += ',';
      WriteResult(op.result(i));
    }
    out_ += ']';
    if (o_.trainable) {
      out_ += ",\"OA\":[";
      first = true;
      WriteFlags(op, "persistable", &detail::ValueImpl::persistable, false, &first);
      WriteFlags(op, "stop_gradient", &detail::ValueImpl::stop_gradient, true, &first);
      out_ += ']';
    }
    if (op.num_regions()) {
      out_ += ",\"regions\":[";
      for (int i = 0; i < op.num_regions(); ++i) {
        if (i) out_ += ',';
        WriteRegion(op.region(i));
      }
      out_ += ']';
    }
    out_ += '}';
  }

  void WriteResult(Value v) {
    int64_t id = ++next_id_;
    ids_[v] = id;
    out_ += "{\"%\":";
    Int(id);
    out_ += ",\"TT\":";
    WriteType(v.type());
    out_ += '}';
  }

  void WriteFlags(const Operation& op, const char* name, int8_t detail::ValueImpl::*flag, bool unset, bool* first) {
    bool any = false;
    std::vector<Attribute> v;
    for (int i = 0; i < op.num_results(); ++i) {
      int8_t f = op.result(i).impl()->*flag;
      any = any || f >= 0;
      v.push_back(Attribute::Bool(f < 0 ? unset : f != 0));
    }
    if (any) WriteNamed(name, Attribute::Array(std::move(v)), first);
  }

  void WriteParameter(const Operation& op) {
    auto flag = [&](const char* name, bool def) {
      Attribute a = op.attr(name);
      if (!a) return def ? "1" : "0";
      if (a.kind() == AttrKind::kArray) return !a.to_array().empty() && a.to_array()[0].to_bool() ? "1" : "0";
      return a.to_bool() ? "1" : "0";
    };
    Value v = op.result(0);
    out_ += std::string("{\"#\":\"p\",\"A\":[") + flag("is_distributed", false) + "," + flag("is_parameter", true) +
            "," + flag("need_clip", true) + ",";
    Str(op.attr("parameter_name").to_str());
    out_ += "],\"DA\":[],\"O\":";
    WriteResult(v);
    if (o_.trainable)
      out_ += std::string(",\"OA\":[") + (v.has_persistable() && !v.persistable() ? "0" : "1") + "," +
              (v.has_stop_gradient() ? (v.stop_gradient() ? "1" : "0") : "0") + "," + flag("trainable", true) + "]";
    out_ += ",\"QA\":[]}";
  }

  int64_t IdOf(const Operation& op, int i) {
    Value v = op.operand(i);
    if (!v) return 0;
    auto it = ids_.find(v);
    PD_CHECK(it != ids_.end(), Unimplemented, "[", op.name(), "] cannot be written: operand ", i, " is ",
             v.defining_op() ? "a result of '" + v.defining_op()->name() + "', which is not saved or comes later"
                             : std::string("an argument of another block"));
    return it->second;
  }

  void WriteRegion(const Region& r) {
    Tag("region_" + std::to_string(region_++));
    out_ += ",\"blocks\":[";
    for (size_t i = 0; i < r.size(); ++i) {
      if (i) out_ += ',';
      WriteBlock(r.block(i));
    }
    out_ += "]}";
  }

  void WriteBlock(const Block& b) {
    Tag("block_" + std::to_string(block_++));
    out_ += ",\"args\":[";
    for (int i = 0; i < b.num_args(); ++i) {
      int64_t id = --next_arg_;
      ids_[b.arg(i)] = id;
      if (i) out_ += ',';
      out_ += "{\"#\":" + std::to_string(id) + ",\"TT\":";
      WriteType(b.arg(i).type());
      out_ += '}';
    }
    out_ += ']';
    if (!b.kwargs().empty()) {
      out_ += ",\"kwargs\":[";
      bool first = true;
      for (auto& [key, impl] : b.kwargs()) {
        int64_t id = --next_arg_;
        ids_[Value(impl.get())] = id;
        if (!first) out_ += ',';
        first = false;
        out_ += "{\"#\":" + std::to_string(id) + ",\"TT\":";
        WriteType(impl->type);
        out_ += ",\"key\":";
        Str(key);
        out_ += '}';
      }
      out_ += ']';
    }
    out_ += ",\"ops\":[";
    bool first = true;
    for (Operation& op : b) {
      if (op.isa("cf.stack_create") || op.isa("cf.tuple_push") || op.isa("cf.tuple_pop")) continue;
      if (!first) out_ += ',';
      first = false;
      WriteOp(op);
    }
    out_ += "]}";
  }

  const WriteJsonOptions& o_;
  std::unordered_map<Value, int64_t> ids_;
  int64_t next_id_ = 0, next_arg_ = 0;
  int region_ = 0, block_ = 0;
};

}  // namespace

std::string WriteProgramJson(const Program& program, const WriteJsonOptions& options) {
  std::string s = Writer(options).Run(program);
  return options.readable ? nlohmann::json::parse(s).dump(4) : s;
}

void WriteProgramJsonFile(const Program& program, const std::string& path, const WriteJsonOptions& options) {
  std::string s = WriteProgramJson(program, options);
  AtomicFile f(path);
  f.Write(s);
  f.Commit();
}

std::vector<std::string> SortedParameterNames(const Program& program) {
  std::vector<std::string> names;
  for (Operation& op : program.block())
    if (op.isa("builtin.parameter") && (!op.result(0).has_persistable() || op.result(0).persistable()))
      names.push_back(op.attr("parameter_name").to_str());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace pir
