// SPDX-License-Identifier: Apache-2.0
// The C++ inference API: Config, Predictor, Tensor, PredictorPool. Needs nothing but the standard library (C++17) and
// linking with libpaddle_core.so; errors are common::Error, a std::exception whose text names the argument, what was
// expected and what was got.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#ifndef PADDLE_INFER_DECL
#define PADDLE_INFER_DECL __attribute__((visibility("default")))
#endif

namespace paddle {
class Tensor;
}

namespace paddle_infer {

enum class DataType { FLOAT32 = 0, INT64, INT32, UINT8, INT8, FLOAT16, BOOL, FLOAT64, BFLOAT16 };
enum class PlaceType { kUNK = -1, kCPU, kGPU, kXPU, kNPU, kIPU, kCUSTOM };
enum class PrecisionType { kFloat32 = 0, kInt8, kHalf, kBf16 };

PADDLE_INFER_DECL std::string GetVersion();
PADDLE_INFER_DECL int32_t GetNumBytesOfDataType(DataType dtype);

// What to load and how to run it. Copyable; a predictor keeps its own copy.
class PADDLE_INFER_DECL Config {
 public:
  Config() = default;
  // A directory that holds `inference.json` (or `__model__.json`) and `inference.pdiparams`.
  explicit Config(const std::string& model_dir) { SetModel(model_dir); }
  Config(const std::string& prog_file, const std::string& params_file) { SetModel(prog_file, params_file); }

  void SetModel(const std::string& model_dir);
  // Throws NotFound when the program does not exist. A model without parameters needs no `params_file`: saving writes
  // none, and its name may be given all the same.
  void SetModel(const std::string& prog_file, const std::string& params_file);
  void SetProgFile(const std::string& file) { prog_file_ = file; }
  void SetParamsFile(const std::string& file) { params_file_ = file; }
  // The contents of both files; copied.
  void SetModelBuffer(const char* prog, size_t prog_size, const char* params, size_t params_size);
  const std::string& model_dir() const { return model_dir_; }
  const std::string& prog_file() const { return prog_file_; }
  const std::string& params_file() const { return params_file_; }
  bool model_from_memory() const { return from_memory_; }
  const std::string& prog_buffer() const { return prog_buffer_; }
  const std::string& params_buffer() const { return params_buffer_; }

  // Runs on a GPU: parameters are copied there once, and runs on inputs of extents that came before are one call of a
  // graph. The allocator takes `memory_mb` megabytes when the predictor is made, and more as they are needed. Halves
  // come from the Python package's conversion alone. Without a GPU the CPU is used, which stderr says.
  void EnableUseGpu(uint64_t memory_mb, int device_id = 0, PrecisionType precision = PrecisionType::kFloat32);
  void DisableGpu() { use_gpu_ = false; }
  bool use_gpu() const { return use_gpu_; }
  int gpu_device_id() const { return gpu_device_id_; }
  uint64_t memory_pool_init_size_mb() const { return memory_mb_; }
  // `memory_mb` as a share of the GPU's memory; 0 on the CPU.
  float fraction_of_gpu_memory_for_pool() const;

  // Threads of one run; 0 (the default) divides the cores among the runs in progress.
  void SetCpuMathLibraryNumThreads(int n);
  int cpu_math_library_num_threads() const { return threads_; }

  // Graph optimisation: folding, merging, fused operations. With it off the program runs as it was saved.
  void SwitchIrOptim(bool on = true) { ir_optim_ = on; }
  bool ir_optim() const { return ir_optim_; }
  // Prints the program before and after each pass to stderr; `passes` restricts which (empty: all that change
  // something).
  void SwitchIrDebug(bool on = true, const std::vector<std::string>& passes = {});
  bool ir_debug() const { return ir_debug_; }
  const std::vector<std::string>& ir_debug_passes() const { return ir_debug_passes_; }
  void DeletePass(const std::string& name) { deleted_passes_.push_back(name); }
  const std::vector<std::string>& deleted_passes() const { return deleted_passes_; }
  // Passes by name, run before the others, or instead of them.
  void EnableCustomPasses(const std::vector<std::string>& passes, bool custom_pass_only = false);
  const std::vector<std::string>& custom_passes() const { return custom_passes_; }
  bool custom_passes_only() const { return custom_passes_only_; }
  // 0: none; 1: folding and merging; 2 (the default): fused operations too; 3: channels-last convolutions too.
  void SetOptimizationLevel(int level);
  int optimization_level() const { return optimization_level_; }
  // Elementwise chains and reductions become compiled kernels.
  void EnableCinn() { cinn_ = true; }
  bool cinn_enabled() const { return cinn_; }

  // Buffers are reused and given back at each run whatever this says.
  void EnableMemoryOptim(bool on = true) { memory_optim_ = on; }
  bool enable_memory_optim() const { return memory_optim_; }
  // Prints a table of time per operation to stderr when the last of the predictor and its clones goes.
  void EnableProfile() { profile_ = true; }
  bool profile_enabled() const { return profile_; }
  void DisableGlogInfo() { log_ = false; }
  bool glog_info_disabled() const { return !log_; }

  // The options as a table.
  std::string Summary() const;

 private:
  std::string model_dir_, prog_file_, params_file_, prog_buffer_, params_buffer_;
  std::vector<std::string> deleted_passes_, custom_passes_, ir_debug_passes_;
  int threads_ = 0, optimization_level_ = 2;
  bool from_memory_ = false, ir_optim_ = true, ir_debug_ = false, custom_passes_only_ = false, cinn_ = false;
  bool memory_optim_ = false, profile_ = false, log_ = true, use_gpu_ = false;
  int gpu_device_id_ = 0;
  uint64_t memory_mb_ = 100;
};

namespace internal {
struct Slots;
}

// One input or output of a predictor. Valid as long as it lives, also without the predictor.
class PADDLE_INFER_DECL Tensor {
 public:
  Tensor(std::shared_ptr<internal::Slots> slots, size_t index, bool input)
      : slots_(std::move(slots)), index_(index), input_(input) {}

  // The shape of the data that CopyFromCpu and mutable_data are to take. Inputs only. The place of data is the
  // predictor's, or the CPU.
  void Reshape(const std::vector<int>& shape);
  // Copies `data`, of the shape given to Reshape, to where the predictor runs; T is the type of the input.
  template <class T>
  void CopyFromCpu(const T* data);
  // The input reads `data` itself: it must stay and not change until the run is over.
  template <class T>
  void ShareExternalData(const T* data, const std::vector<int>& shape, PlaceType place = PlaceType::kCPU);
  // Memory for Reshape's shape, to be written by the caller.
  template <class T>
  T* mutable_data(PlaceType place = PlaceType::kCPU);
  // The data, with its place and number of elements.
  template <class T>
  T* data(PlaceType* place, int* size) const;
  // Copies all elements out, in order.
  template <class T>
  void CopyToCpu(T* data) const;

  std::vector<int> shape() const;
  DataType type() const;
  PlaceType place() const;
  const std::string& name() const;
  void SetLoD(const std::vector<std::vector<size_t>>& lod);
  std::vector<std::vector<size_t>> lod() const;

  // For bindings in this library.
  paddle::Tensor& tensor() const;
  // The input becomes `data`; with `copy` it is brought to where the predictor runs now, else at each run.
  void Give(paddle::Tensor data, bool copy);

 private:
  std::shared_ptr<internal::Slots> slots_;
  size_t index_;
  bool input_;
};

class PADDLE_INFER_DECL Predictor {
 public:
  explicit Predictor(const Config& config);
  ~Predictor();
  Predictor(const Predictor&) = delete;
  Predictor& operator=(const Predictor&) = delete;

  std::vector<std::string> GetInputNames() const;
  std::map<std::string, DataType> GetInputTypes() const;
  std::map<std::string, std::vector<int64_t>> GetInputTensorShape() const;  // -1 where any extent is taken
  std::vector<std::string> GetOutputNames() const;
  // NotFound for an unknown name, listing the known ones.
  std::unique_ptr<Tensor> GetInputHandle(const std::string& name);
  std::unique_ptr<Tensor> GetOutputHandle(const std::string& name);

  // Runs on what the input handles hold.
  bool Run();
  bool Run(const std::vector<paddle::Tensor>& inputs, std::vector<paddle::Tensor>* outputs);

  // Another predictor of the same program and parameters (shared, not copied), with inputs and outputs of its own. Each
  // may run in its own thread.
  std::unique_ptr<Predictor> Clone() const;
  // Releases the inputs and outputs, and the memory between runs; the second returns bytes given back to the
  // system.
  void ClearIntermediateTensor();
  uint64_t TryShrinkMemory();

  // Called with (operation type, value name, tensor) for each input or output at each run.
  using Hook = std::function<void(const std::string&, const std::string&, const Tensor&)>;
  void RegisterInputHook(const Hook& hook);
  void RegisterOutputHook(const Hook& hook);

  const Config& config() const;
  // Operations of the program as it runs, after optimisation.
  size_t num_instructions() const;
  // Graphs of a GPU that runs of this predictor go by, one for the extents of inputs that came again.
  size_t num_graphs() const;

 private:
  struct Impl;
  explicit Predictor(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

PADDLE_INFER_DECL std::shared_ptr<Predictor> CreatePredictor(const Config& config);

namespace services {
// One predictor and clones of it.
class PADDLE_INFER_DECL PredictorPool {
 public:
  PredictorPool(const Config& config, size_t size = 1);
  // OutOfRange for an index not below the size.
  Predictor* Retrieve(size_t index) const;
  size_t size() const { return predictors_.size(); }

 private:
  std::vector<std::unique_ptr<Predictor>> predictors_;
};
}  // namespace services

}  // namespace paddle_infer
