// SPDX-License-Identifier: Apache-2.0
// Predictor: a saved program, optimised and planned once, shared by clones that each have inputs and outputs of their
// own.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <mutex>
#include <numeric>

#include "paddle/executor/input_dims.h"
#include "paddle/executor/parameters.h"
#include "paddle/executor/plan.h"
#include "paddle/executor/registration.h"
#include "paddle/inference/device_runs.h"
#include "paddle/inference/model_passes.h"
#include "paddle/inference/paddle_inference_api.h"
#include "paddle/phi/backends/cpu/threads.h"
#include "paddle/phi/backends/gpu/device.h"
#include "paddle/phi/core/allocator.h"
#include "paddle/phi/core/device.h"
#include "paddle/phi/core/host_lock.h"
#include "paddle/pir/dialect/pd_op.h"
#include "paddle/pir/serialize/program_json.h"

namespace paddle_infer {

using Dense = paddle::Tensor;
using Handle = Tensor;  // of this namespace

namespace {

struct TypeRow {
  DataType api;
  phi::DataType core;
};
constexpr TypeRow kTypes[] = {{DataType::FLOAT32, phi::DataType::FLOAT32},  {DataType::INT64, phi::DataType::INT64},
                              {DataType::INT32, phi::DataType::INT32},      {DataType::UINT8, phi::DataType::UINT8},
                              {DataType::INT8, phi::DataType::INT8},        {DataType::FLOAT16, phi::DataType::FLOAT16},
                              {DataType::BOOL, phi::DataType::BOOL},        {DataType::FLOAT64, phi::DataType::FLOAT64},
                              {DataType::BFLOAT16, phi::DataType::BFLOAT16}};

phi::DataType CoreType(DataType t) {
  for (const TypeRow& row : kTypes)
    if (row.api == t) return row.core;
  PD_THROW(InvalidType, "[predictor] expected a DataType, got number ", static_cast<int>(t));
}
DataType ApiType(phi::DataType t) {
  for (const TypeRow& row : kTypes)
    if (row.core == t) return row.api;
  PD_THROW(InvalidType, "[predictor] expected a dtype the inference API has, got ", phi::NameOf(t));
}

std::atomic<int> g_running{0};

// The share of the cores one run takes while it lasts.
class RunShare {
 public:
  explicit RunShare(int wanted) : limit_(Threads(wanted, g_running.fetch_add(1) + 1)) {}
  ~RunShare() { g_running.fetch_sub(1); }

 private:
  static int Threads(int wanted, int running) {
    return wanted > 0 ? wanted : std::max(1, phi::cpu::MaxThreads() / running);
  }
  phi::cpu::ThreadLimit limit_;
};

}  // namespace

namespace internal {

struct Slot {
  std::string name;
  phi::DataType dtype;
  common::Dims dims;  // as declared
  Dense tensor;
  std::vector<int64_t> pending;  // given by Reshape
  bool reshaped = false;
  std::vector<std::vector<size_t>> lod;

  void Take(Dense data) {
    pending.assign(data.dims().begin(), data.dims().end());
    reshaped = true;
    tensor = std::move(data);
  }
};

struct Slots {
  std::vector<Slot> inputs, outputs;
  phi::Place place;  // where the predictor runs
};

// An input or output `x@LOD.k` holds the offsets of level k of the sequences in the rows of x (python/paddle/static
// /lod.py): it is no input of the user's, but what `Handle::SetLoD` gave x, or will be what `Handle::lod` tells of x.
constexpr std::string_view kOffsets = "@LOD.";
struct OffsetsOf {
  std::string base;  // empty: the name is no such
  size_t level = 0;
  explicit OffsetsOf(const std::string& name) {
    const size_t at = name.rfind(kOffsets);
    if (at == std::string::npos || at == 0) return;
    const std::string digits = name.substr(at + kOffsets.size());
    if (digits.empty() || digits.size() > 2 || digits.find_first_not_of("0123456789") != std::string::npos) return;
    base = name.substr(0, at);
    level = std::stoul(digits);
  }
};
bool IsOffsets(const Slot& s) { return !OffsetsOf(s.name).base.empty(); }
Slot* Named(std::vector<Slot>& slots, const std::string& name) {
  for (Slot& s : slots)
    if (s.name == name) return &s;
  return nullptr;
}

using Extents = std::vector<common::Dims>;  // of the inputs, in order

bool Fits(const common::Dims& dims, const Dense& t) {
  bool fits = t.ndim() == static_cast<int64_t>(dims.size());
  for (int64_t i = 0; fits && i < t.ndim(); ++i) fits = !dims[i].known() || dims[i].raw() == t.dim(i);
  return fits;
}
bool Fits(const Extents& extents, const std::vector<Dense>& inputs) {
  bool fits = true;
  for (size_t i = 0; fits && i < inputs.size(); ++i) fits = Fits(extents[i], inputs[i]);
  return fits;
}

// Parameters that several programs of a model read, and what they are at its place.
using Moved = std::map<std::shared_ptr<void>, std::shared_ptr<void>>;

// A program after its passes, and its plan.
struct Planned {
  std::unique_ptr<pir::Program> program;
  std::shared_ptr<executor::Plan> plan;

  Planned(std::unique_ptr<pir::Program> loaded, const Config& config, phi::Place place, Moved& moved)
      : program(std::move(loaded)) {
    {
      const phi::PlaceScope host(phi::Place{});
      OptimiseForInference(*program, config);
    }
    const pir::Program::Parameters parameters = program->parameters();
    for (const auto& [name, held] : parameters) {
      if (!held || !std::static_pointer_cast<Dense>(held)->defined()) continue;
      std::shared_ptr<void> own, *there = &own;
      if (const auto known = moved.find(held); known != moved.end()) there = &known->second;
      if (!*there && place.is_cpu()) *there = held;
      if (!*there) *there = std::make_shared<Dense>(phi::ToPlace(*std::static_pointer_cast<Dense>(held), place));
      // Nobody writes to them any more: kernels may keep packed forms.
      (*std::static_pointer_cast<Dense>(*there))->is_parameter = true;
      program->set_parameter(name, *there);
    }
    const phi::PlaceScope scope(place);
    plan = executor::Plan::Build(*program, config.cinn_enabled());
    if (config.profile_enabled()) plan->SetProfiling(true);
  }
};

// What clones share.
struct Model {
  Config config;
  std::shared_ptr<Planned> declared;  // for the extents that the inputs are declared with
  Slots slots;                        // without tensors

  explicit Model(const Config& c) : config(c) {
    if (config.use_gpu()) {
      const int id = config.gpu_device_id();
      slots.place = phi::gpu::PlaceOf(id, "create_predictor", std::to_string(id));
      // What is given back is kept for what follows.
      if (const auto mb = config.memory_pool_init_size_mb()) phi::AllocateOnDevice(mb << 20, slots.place);
    }
    Load();
    bool fixed = false;
    for (pir::Operation* op = program_->block().front(); op; op = op->next()) {
      if (!op->isa(pir::pd::kData)) continue;
      pir::Type t = op->result_type(0);
      slots.inputs.push_back({op->attr("name").to_str(), t.dtype(), t.dims(), {}, {}, false, {}});
      extents_.push_back(t.dims());
      for (common::Dim d : t.dims()) fixed = fixed || d.known();
    }
    if (fixed) loaded_ = program_->Clone();
    if (loaded_)
      for (const auto& [name, held] : loaded_->parameters()) moved_[held];
    declared = std::make_shared<Planned>(std::move(program_), config, slots.place, moved_);
    for (pir::Operation* op = declared->program->block().front(); op; op = op->next()) {
      const bool fetch = op->isa(pir::pd::kFetch), shadow = op->isa("builtin.shadow_output");
      if (!fetch && !shadow) continue;
      pir::Type t = op->operand(0).type();
      slots.outputs.push_back(
          {op->attr(fetch ? "name" : "output_name").to_str(), t.dtype(), t.dims(), {}, {}, false, {}});
    }
  }
  ~Model() {
    if (!config.profile_enabled()) return;
    std::cerr << declared->plan->ProfileTable() << std::flush;
    if (others_) std::cerr << others_->plan->ProfileTable() << std::flush;
  }

  // Runs on inputs of the declared ranks. Passes rely on the extents that they know, so other ones have a program of
  // their own, which knows none of those that differed so far in a run that succeeded. `used` is what has run.
  std::vector<Dense> Run(const std::vector<Dense>& inputs, std::shared_ptr<const void>* used) {
    const phi::PlaceScope scope(slots.place);
    bool fits = true;
    for (size_t i = 0; fits && i < inputs.size(); ++i) fits = Fits(slots.inputs[i].dims, inputs[i]);
    if (fits) {
      *used = declared;
      return declared->plan->Run(inputs);
    }
    std::unique_lock<std::mutex> lock(mutex_);
    if (others_ && Fits(extents_, inputs)) {
      const std::shared_ptr<Planned> others = others_;
      lock.unlock();
      *used = others;
      return others->plan->Run(inputs);
    }
    Extents wider = extents_;
    for (size_t i = 0; i < inputs.size(); ++i)
      for (int64_t k = 0; k < inputs[i].ndim(); ++k)
        if (wider[i][k].known() && wider[i][k].raw() != inputs[i].dim(k)) wider[i][k] = common::NewSymbol();
    auto program = loaded_->Clone();
    executor::SetInputDims(*program, wider);
    auto others = std::make_shared<Planned>(std::move(program), config, slots.place, moved_);
    std::vector<Dense> outputs = others->plan->Run(inputs);
    *used = others_ = std::move(others);
    extents_ = std::move(wider);
    return outputs;
  }

 private:
  std::unique_ptr<pir::Program> program_;  // while it is loaded
  std::unique_ptr<pir::Program> loaded_;   // before any pass; null: its inputs take any extents
  std::mutex mutex_;
  Extents extents_;  // what `others_` is for
  Moved moved_;
  std::shared_ptr<Planned> others_;

  void Load() {
    executor::RegisterOps();
    if (config.model_from_memory()) {
      program_ = pir::ReadProgramJson(config.prog_buffer(), "the program buffer").program;
      if (config.params_buffer().empty()) return CheckNoParameters("the model buffer");
      pir::ParamsReader reader(config.params_buffer(), "the parameter buffer");
      return executor::LoadParameters(*program_, reader);
    }
    PD_CHECK(
        !config.prog_file().empty(), InvalidArgument, "[create_predictor] expected a Config with a model, got none: ",
        config.model_dir().empty() ? "set_model(prog_file, params_file)" : "no program file in " + config.model_dir());
    PD_CHECK(!config.prog_file().ends_with(".pdmodel"), Unimplemented,
             "[create_predictor] expected a .json program, got the older ", config.prog_file(),
             ": paddle.static's load_inference_model and save_inference_model convert it");
    program_ = pir::ReadProgramJsonFile(config.prog_file()).program;
    if (config.params_file().empty()) return CheckNoParameters(config.prog_file());
    std::error_code ignored;
    if (!std::filesystem::exists(config.params_file(), ignored)) {
      const auto names = pir::SortedParameterNames(*program_);
      PD_CHECK(names.empty(), NotFound, "[create_predictor] expected a file of the ", names.size(), " parameters of ",
               config.prog_file(), ", got a name that cannot be opened: ", config.params_file());
      return;
    }
    pir::ParamsReader reader(config.params_file());
    executor::LoadParameters(*program_, reader);
  }
  void CheckNoParameters(const std::string& where) {
    const auto names = pir::SortedParameterNames(*program_);
    PD_CHECK(names.empty(), InvalidArgument, "[create_predictor] expected a parameter file: ", where, " has ",
             names.size(), " parameters, the first is ", names.front());
  }
};

}  // namespace internal

// --- handles ---------------------------------------------------------------------------------------------------------
namespace {

template <class T>
constexpr phi::DataType TypeFor() {
  if constexpr (std::is_same_v<T, float>) return phi::DataType::FLOAT32;
  if constexpr (std::is_same_v<T, double>) return phi::DataType::FLOAT64;
  if constexpr (std::is_same_v<T, int64_t>) return phi::DataType::INT64;
  if constexpr (std::is_same_v<T, int32_t>) return phi::DataType::INT32;
  if constexpr (std::is_same_v<T, uint8_t>) return phi::DataType::UINT8;
  if constexpr (std::is_same_v<T, int8_t>) return phi::DataType::INT8;
  if constexpr (std::is_same_v<T, bool>) return phi::DataType::BOOL;
  return phi::DataType::UNDEFINED;
}

phi::Place PlaceFor(PlaceType place, const internal::Slots& slots, const char* what) {
  if (place == PlaceType::kCPU) return {};
  PD_CHECK(place == PlaceType::kGPU && !slots.place.is_cpu(), Unimplemented, "[", what, "] expected the CPU",
           slots.place.is_cpu() ? "" : " or the predictor's GPU", " as place, got place ", static_cast<int>(place));
  return slots.place;
}
PlaceType TypeOf(phi::Place place) { return place.is_cpu() ? PlaceType::kCPU : PlaceType::kGPU; }

}  // namespace

static internal::Slot& At(internal::Slots& s, size_t index, bool input) {
  return input ? s.inputs[index] : s.outputs[index];
}

void Handle::Reshape(const std::vector<int>& shape) {
  PD_CHECK(input_, InvalidArgument, "[Tensor.reshape] expected an input, got output '", name(), "'");
  internal::Slot& s = At(*slots_, index_, input_);
  for (int n : shape)
    PD_CHECK(n >= 0, InvalidArgument, "[Tensor.reshape] expected extents of at least 0 for '", s.name, "', got ", n);
  s.pending.assign(shape.begin(), shape.end());
  s.reshaped = true;
}

paddle::Tensor& Handle::tensor() const { return At(*slots_, index_, input_).tensor; }

template <class T>
T* Handle::mutable_data(PlaceType place) {
  internal::Slot& s = At(*slots_, index_, input_);
  PD_CHECK(s.reshaped, PreconditionNotMet, "[Tensor.mutable_data] expected Reshape() of '", s.name,
           "' before, got none");
  s.tensor = phi::Empty(common::Ints(s.pending.begin(), s.pending.end()), TypeFor<T>(),
                        PlaceFor(place, *slots_, "Tensor.mutable_data"));
  return static_cast<T*>(s.tensor.raw_data());
}

template <class T>
void Handle::CopyFromCpu(const T* data) {
  internal::Slot& s = At(*slots_, index_, input_);
  PD_CHECK(input_, InvalidArgument, "[Tensor.copy_from_cpu] expected an input, got output '", s.name, "'");
  PD_CHECK(s.reshaped, PreconditionNotMet, "[Tensor.copy_from_cpu] expected Reshape() of '", s.name,
           "' before, got none");
  T* to = mutable_data<T>(TypeOf(slots_->place));
  if (s.tensor.numel())
    phi::CopyBytes(to, slots_->place, data, phi::Place{}, static_cast<size_t>(s.tensor.numel()) * sizeof(T));
}

void Handle::Give(paddle::Tensor data, bool copy) {
  PD_CHECK(input_, InvalidArgument, "[Tensor.", copy ? "copy_from_cpu" : "share_external_data",
           "] expected an input, got output '", name(), "'");
  At(*slots_, index_, input_).Take(copy ? phi::ToPlace(data, slots_->place) : std::move(data));
}

template <class T>
void Handle::ShareExternalData(const T* data, const std::vector<int>& shape, PlaceType place) {
  const phi::Place at = PlaceFor(place, *slots_, "Tensor.share_external_data");
  Reshape(shape);
  internal::Slot& s = At(*slots_, index_, input_);
  const common::Ints dims(s.pending.begin(), s.pending.end());
  const size_t bytes = static_cast<size_t>(common::Product(dims)) * sizeof(T);
  s.tensor = paddle::Tensor(phi::TensorState::Dense(
      dims, TypeFor<T>(), phi::Storage::Wrap(const_cast<T*>(data), bytes, at, nullptr, [](void*) {})));
}

template <class T>
T* Handle::data(PlaceType* place, int* size) const {
  internal::Slot& s = At(*slots_, index_, input_);
  PD_CHECK(s.tensor.defined(), PreconditionNotMet, "[Tensor.data] expected '", s.name,
           "' to hold data, got none: run the predictor first");
  PD_CHECK(s.tensor.dtype() == TypeFor<T>(), InvalidType, "[Tensor.data] expected dtype ",
           phi::NameOf(s.tensor.dtype()), " of '", s.name, "', got ", phi::NameOf(TypeFor<T>()));
  s.tensor = phi::Contiguous(s.tensor);
  if (place) *place = TypeOf(s.tensor.place());
  if (size) *size = static_cast<int>(s.tensor.numel());
  return static_cast<T*>(s.tensor.raw_data());
}

template <class T>
void Handle::CopyToCpu(T* to) const {
  const T* from = data<T>(nullptr, nullptr);
  const paddle::Tensor& t = At(*slots_, index_, input_).tensor;
  if (t.numel()) phi::CopyBytes(to, phi::Place{}, from, t.place(), static_cast<size_t>(t.numel()) * sizeof(T));
}

#define PADDLE_INFER_TYPE(T)                                                                                  \
  template PADDLE_INFER_DECL void Handle::CopyFromCpu<T>(const T*);                                           \
  template PADDLE_INFER_DECL void Handle::ShareExternalData<T>(const T*, const std::vector<int>&, PlaceType); \
  template PADDLE_INFER_DECL T* Handle::mutable_data<T>(PlaceType);                                           \
  template PADDLE_INFER_DECL T* Handle::data<T>(PlaceType*, int*) const;                                      \
  template PADDLE_INFER_DECL void Handle::CopyToCpu<T>(T*) const;
PADDLE_INFER_TYPE(float)
PADDLE_INFER_TYPE(double)
PADDLE_INFER_TYPE(int64_t)
PADDLE_INFER_TYPE(int32_t)
PADDLE_INFER_TYPE(uint8_t)
PADDLE_INFER_TYPE(int8_t)
PADDLE_INFER_TYPE(bool)
#undef PADDLE_INFER_TYPE

std::vector<int> Handle::shape() const {
  const internal::Slot& s = At(*slots_, index_, input_);
  std::vector<int> out;
  if (s.tensor.defined())
    for (int64_t n : s.tensor.dims()) out.push_back(static_cast<int>(n));
  else if (s.reshaped)
    out.assign(s.pending.begin(), s.pending.end());
  else
    for (common::Dim d : s.dims) out.push_back(static_cast<int>(d.visible()));
  return out;
}
PlaceType Handle::place() const {
  const internal::Slot& s = At(*slots_, index_, input_);
  return TypeOf(s.tensor.defined() ? s.tensor.place() : slots_->place);
}
DataType Handle::type() const {
  const internal::Slot& s = At(*slots_, index_, input_);
  return ApiType(s.tensor.defined() ? s.tensor.dtype() : s.dtype);
}
const std::string& Handle::name() const { return At(*slots_, index_, input_).name; }
void Handle::SetLoD(const std::vector<std::vector<size_t>>& lod) { At(*slots_, index_, input_).lod = lod; }
std::vector<std::vector<size_t>> Handle::lod() const { return At(*slots_, index_, input_).lod; }

// --- predictor -------------------------------------------------------------------------------------------------------
struct Predictor::Impl {
  std::shared_ptr<internal::Model> model;
  std::shared_ptr<internal::Slots> slots;
  std::vector<Hook> input_hooks, output_hooks;
  DeviceRuns runs;

  explicit Impl(std::shared_ptr<internal::Model> m)
      : model(std::move(m)),
        slots(std::make_shared<internal::Slots>(model->slots)),
        runs(slots->place, model->config.ir_optim() && !model->config.profile_enabled()) {}

  size_t Find(const std::vector<internal::Slot>& list, const char* kind, const std::string& name) const {
    for (size_t i = 0; i < list.size(); ++i)
      if (list[i].name == name) return i;
    std::string known;
    for (const internal::Slot& s : list) known += (known.empty() ? "" : ", ") + s.name;
    PD_THROW(NotFound, "[predictor] expected the name of an ", kind, ", one of [", known, "], got '", name, "'");
  }

  void CheckInput(const internal::Slot& s, const Dense& t) const {
    PD_CHECK(t.defined(), PreconditionNotMet, "[predictor] expected input '", s.name,
             "' to be given before run, got nothing");
    PD_CHECK(t.dtype() == s.dtype, InvalidType, "[predictor] expected dtype ", phi::NameOf(s.dtype), " for input '",
             s.name, "', got ", phi::NameOf(t.dtype()));
    PD_CHECK(t.ndim() == static_cast<int64_t>(s.dims.size()), InvalidArgument, "[predictor] expected shape ",
             common::ShapeText(s.dims), " for input '", s.name, "', got ", common::ShapeText(t.dims()));
  }

  // What SetLoD gave an input, as the tensor of one level.
  Dense Offsets(const internal::OffsetsOf& of) const {
    const internal::Slot* base = internal::Named(slots->inputs, of.base);
    PD_CHECK(base && base->tensor.defined() && of.level < base->lod.size(), PreconditionNotMet,
             "[predictor] expected input '", of.base, "' with ", of.level + 1,
             " or more levels of sequences (set_lod), ", "got ", base ? base->lod.size() : 0);
    const std::vector<size_t>& row = base->lod[of.level];
    const size_t end =
        of.level + 1 < base->lod.size() ? base->lod[of.level + 1].size() - 1 : static_cast<size_t>(base->tensor.dim(0));
    PD_CHECK(!row.empty() && row.front() == 0 && row.back() == end && std::is_sorted(row.begin(), row.end()),
             InvalidArgument, "[predictor] expected offsets of '", of.base, "' that rise from 0 to ", end, ", got ",
             row.size(), " up to ", row.empty() ? 0 : row.back());
    Dense t = phi::Empty({static_cast<int64_t>(row.size())}, phi::DataType::INT64);
    std::copy(row.begin(), row.end(), t.data<int64_t>());
    return t;
  }
  void TakeOffsets() {
    for (const internal::Slot& s : slots->outputs) {
      const internal::OffsetsOf of(s.name);
      internal::Slot* base = of.base.empty() ? nullptr : internal::Named(slots->outputs, of.base);
      if (!base) continue;
      base->lod.resize(std::max(base->lod.size(), of.level + 1));
      const std::vector<int64_t> row = phi::ToIntVector(s.tensor);
      base->lod[of.level].assign(row.begin(), row.end());
    }
  }

  std::vector<Dense> Execute(const std::vector<Dense>& inputs) {
    for (size_t i = 0; i < inputs.size(); ++i) CheckInput(slots->inputs[i], inputs[i]);
    RunShare share(model->config.cpu_math_library_num_threads());
    const auto run = [&](const std::vector<Dense>& given, std::shared_ptr<const void>* used) {
      return model->Run(given, used);
    };
    if (!slots->place.is_cpu()) return runs.Run(inputs, run);
    const phi::WithoutHostLock unlocked;
    std::shared_ptr<const void> used;
    return run(inputs, &used);
  }

  void CallHooks(const std::vector<Hook>& hooks, bool input) {
    const size_t n = input ? slots->inputs.size() : slots->outputs.size();
    for (const Hook& hook : hooks)
      for (size_t i = 0; i < n; ++i) {
        if (internal::IsOffsets(input ? slots->inputs[i] : slots->outputs[i])) continue;
        Handle handle(slots, i, input);
        hook(input ? "data" : "fetch", handle.name(), handle);
      }
  }
};

Predictor::Predictor(const Config& config) : impl_(std::make_unique<Impl>(std::make_shared<internal::Model>(config))) {}
Predictor::Predictor(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Predictor::~Predictor() = default;

std::vector<std::string> Predictor::GetInputNames() const {
  std::vector<std::string> names;
  for (const internal::Slot& s : impl_->slots->inputs)
    if (!internal::IsOffsets(s)) names.push_back(s.name);
  return names;
}
std::vector<std::string> Predictor::GetOutputNames() const {
  std::vector<std::string> names;
  for (const internal::Slot& s : impl_->slots->outputs)
    if (!internal::IsOffsets(s)) names.push_back(s.name);
  return names;
}
std::map<std::string, DataType> Predictor::GetInputTypes() const {
  std::map<std::string, DataType> types;
  for (const internal::Slot& s : impl_->slots->inputs)
    if (!internal::IsOffsets(s)) types[s.name] = ApiType(s.dtype);
  return types;
}
std::map<std::string, std::vector<int64_t>> Predictor::GetInputTensorShape() const {
  std::map<std::string, std::vector<int64_t>> shapes;
  for (const internal::Slot& s : impl_->slots->inputs)
    if (!internal::IsOffsets(s))
      for (shapes[s.name]; common::Dim d : s.dims) shapes[s.name].push_back(d.visible());
  return shapes;
}
std::unique_ptr<Handle> Predictor::GetInputHandle(const std::string& name) {
  return std::make_unique<Handle>(impl_->slots, impl_->Find(impl_->slots->inputs, "input", name), true);
}
std::unique_ptr<Handle> Predictor::GetOutputHandle(const std::string& name) {
  return std::make_unique<Handle>(impl_->slots, impl_->Find(impl_->slots->outputs, "output", name), false);
}

bool Predictor::Run() {
  std::vector<Dense> inputs, outputs;
  impl_->CallHooks(impl_->input_hooks, true);
  for (const internal::Slot& s : impl_->slots->inputs) {
    const internal::OffsetsOf of(s.name);
    inputs.push_back(of.base.empty() ? s.tensor : impl_->Offsets(of));
  }
  outputs = impl_->Execute(inputs);
  for (size_t i = 0; i < outputs.size(); ++i) impl_->slots->outputs[i].tensor = std::move(outputs[i]);
  impl_->TakeOffsets();
  impl_->CallHooks(impl_->output_hooks, false);
  return true;
}

bool Predictor::Run(const std::vector<Dense>& inputs, std::vector<Dense>* outputs) {
  auto& slots = impl_->slots->inputs;
  PD_CHECK(std::none_of(slots.begin(), slots.end(), internal::IsOffsets), PreconditionNotMet,
           "[predictor.run] expected inputs without sequences, got some that have them: give them by handles");
  PD_CHECK(inputs.size() == slots.size(), InvalidArgument, "[predictor.run] expected ", slots.size(), " inputs, got ",
           inputs.size());
  for (size_t i = 0; i < slots.size(); ++i) {
    impl_->CheckInput(slots[i], inputs[i]);
    slots[i].Take(inputs[i]);
  }
  Run();
  outputs->clear();
  for (const internal::Slot& s : impl_->slots->outputs) outputs->push_back(s.tensor);
  return true;
}

std::unique_ptr<Predictor> Predictor::Clone() const {
  return std::unique_ptr<Predictor>(new Predictor(std::make_unique<Impl>(impl_->model)));
}

void Predictor::ClearIntermediateTensor() {
  for (internal::Slot& s : impl_->slots->inputs) s.tensor = {};
  for (internal::Slot& s : impl_->slots->outputs) s.tensor = {};
  impl_->runs.Clear();
}

uint64_t Predictor::TryShrinkMemory() {
  const phi::Place place = impl_->slots->place;
  const auto reserved = [&] {
    return (place.is_cpu() ? phi::CpuMemoryStats() : phi::DeviceMemoryStats(place)).reserved;
  };
  impl_->runs.Clear();
  const uint64_t before = reserved();
  place.is_cpu() ? phi::ReleaseCpuCache() : phi::ReleaseDeviceCaches();
  const uint64_t after = reserved();
  return before > after ? before - after : 0;
}

void Predictor::RegisterInputHook(const Hook& hook) { impl_->input_hooks.push_back(hook); }
void Predictor::RegisterOutputHook(const Hook& hook) { impl_->output_hooks.push_back(hook); }
const Config& Predictor::config() const { return impl_->model->config; }
size_t Predictor::num_graphs() const { return impl_->runs.num_graphs(); }
size_t Predictor::num_instructions() const { return impl_->model->declared->plan->num_instructions(); }

std::shared_ptr<Predictor> CreatePredictor(const Config& config) { return std::make_shared<Predictor>(config); }

int32_t GetNumBytesOfDataType(DataType dtype) { return static_cast<int32_t>(phi::SizeOf(CoreType(dtype))); }

namespace services {

PredictorPool::PredictorPool(const Config& config, size_t size) {
  constexpr size_t kMost = 1 << 16;
  PD_CHECK(size >= 1 && size <= kMost, InvalidArgument, "[PredictorPool] expected a size from 1 to ", kMost, ", got ",
           size);
  predictors_.push_back(std::make_unique<Predictor>(config));
  while (predictors_.size() < size) predictors_.push_back(predictors_.front()->Clone());
}

Predictor* PredictorPool::Retrieve(size_t index) const {
  PD_CHECK(index < predictors_.size(), OutOfRange, "[PredictorPool.retrieve] expected an index below ",
           predictors_.size(), ", got ", index);
  return predictors_[index].get();
}

}  // namespace services
}  // namespace paddle_infer
