// SPDX-License-Identifier: Apache-2.0
#include "paddle/pir/core/op_info.h"

#include <deque>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

#include "paddle/common/error.h"

namespace pir {
namespace {

struct Registry {
  std::shared_mutex mutex;
  std::deque<OpInfo> infos;  // stable addresses
  std::unordered_map<std::string_view, OpInfo*> by_name;
};

Registry& Ops() {
  static Registry* r = new Registry;
  return *r;
}

template <class V>
int IndexOf(const V& v, std::string_view name) {
  for (size_t i = 0; i < v.size(); ++i)
    if (v[i].name == name) return static_cast<int>(i);
  return -1;
}

}  // namespace

int OpInfo::input_index(std::string_view input) const { return IndexOf(inputs, input); }
const AttrInfo* OpInfo::attr(std::string_view attr) const {
  int i = IndexOf(attrs, attr);
  return i < 0 ? nullptr : &attrs[i];
}

const OpInfo* RegisterOp(OpInfo info) {
  PD_CHECK(info.name.find('.') != std::string::npos, InvalidArgument,
           "[pir] expected an op name like dialect.op, got '", info.name, "'");
  Registry& r = Ops();
  std::unique_lock lock(r.mutex);
  auto it = r.by_name.find(info.name);
  if (it != r.by_name.end()) {
    // The name keeps its storage, which is the map's key.
    OpInfo& old = *it->second;
    if (!old.unregistered) {
      info.traits |= old.traits;
      if (!info.verify) info.verify = old.verify;
    }
    old.inputs = std::move(info.inputs);
    old.attrs = std::move(info.attrs);
    old.outputs = std::move(info.outputs);
    old.traits = info.traits;
    old.verify = info.verify;
    old.phi_op = info.phi_op;
    old.unregistered = info.unregistered;
    return &old;
  }
  r.infos.push_back(std::move(info));
  OpInfo* p = &r.infos.back();
  r.by_name.emplace(p->name, p);
  return p;
}

const OpInfo* FindOp(std::string_view name) {
  Registry& r = Ops();
  std::shared_lock lock(r.mutex);
  auto it = r.by_name.find(name);
  return it == r.by_name.end() ? nullptr : it->second;
}

const OpInfo* KnownOp(std::string_view name) {
  const OpInfo* info = FindOp(name);
  PD_ASSERT(info != nullptr);
  return info;
}

const OpInfo* GetOrCreateOp(std::string_view name) {
  if (const OpInfo* p = FindOp(name)) return p;
  OpInfo info;
  info.name = std::string(name);
  info.traits = kSideEffect | kVariadicOperands | kVariadicResults;
  info.unregistered = true;
  return RegisterOp(std::move(info));
}

std::vector<const OpInfo*> AllOps() {
  Registry& r = Ops();
  std::shared_lock lock(r.mutex);
  std::vector<const OpInfo*> v;
  for (const OpInfo& i : r.infos) v.push_back(&i);
  return v;
}

}  // namespace pir
