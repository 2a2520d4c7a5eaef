// SPDX-License-Identifier: Apache-2.0
// paddle.inference for Python: the classes of the C++ inference API, with tensors and arrays at the border.
#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "paddle/phi/core/host_lock.h"
#include "paddle/pybind/object/gil.h"
#include "paddle/pybind/object/class_texts.h"
#include "paddle/eager/dispatch/op_support.h"
#include "paddle/inference/model_passes.h"
#include "paddle/inference/paddle_inference_api.h"
#include "paddle/pybind/member.h"
#include "paddle/pybind/module.h"
#include "paddle/pybind/object/py_args.h"
#include "paddle/pybind/object/py_tensor.h"

namespace paddle::py {
namespace {

namespace pyb = pybind11;
using paddle_infer::Config;
using paddle_infer::Predictor;
using Handle = paddle_infer::Tensor;

pyb::object Object(const Tensor& t) { return pyb::reinterpret_steal<pyb::object>(Own(ToPy(t)).release()); }

// A copy, so that the caller may change `data` at once.
void CopyFromCpu(Handle& handle, pyb::handle data) { handle.Give(FromBuffer(data.ptr(), true), true); }

void ShareExternalData(Handle& handle, pyb::handle data) {
  if (PyObject_HasAttrString(data.ptr(), "__array_interface__") && !IsTensor(data.ptr()))
    return handle.Give(FromBuffer(data.ptr(), false), false);
  const Tensor& t = ToTensor(data.ptr(), "share_external_data", "data");
  PD_CHECK(!t.is_symbolic(), InvalidType,
           "[share_external_data] expected a tensor with data, got one that is being recorded");
  handle.Give(phi::Contiguous(t), false);
}

pyb::object CopyToCpu(Handle& handle) {
  const Tensor& t = handle.tensor();
  PD_CHECK(t.defined(), PreconditionNotMet, "[copy_to_cpu] expected '", handle.name(),
           "' to hold data, got none: run the predictor first");
  return pyb::reinterpret_steal<pyb::object>(ToNumpy(t, nullptr));
}

pyb::object Run(Predictor& p, const pyb::object& inputs) {
  std::vector<Tensor> in, out;
  const bool direct = !inputs.is_none();
  if (direct)
    for (pyb::handle o : inputs) in.push_back(phi::Held(ToTensor(o.ptr(), "predictor.run", "inputs")));
  {
    PlainGuard plain;
    direct ? p.Run(in, &out) : p.Run();
  }
  if (!direct) return pyb::none();
  pyb::list results;
  for (const Tensor& t : out) results.append(Object(t));
  return results;
}

Predictor::Hook HookOf(pyb::function f) {
  return [f = std::move(f)](const std::string& op, const std::string& name, const Handle& handle) {
    const GilHeld gil;
    f(op, name, Object(handle.tensor()));
  };
}

void AddConfig(pyb::module_& m) {
  pyb::class_<Config> c(m, "AnalysisConfig", "What a predictor loads and how it runs.");
  c.def(pyb::init<>())
      .def(pyb::init<const Config&>())
      .def(pyb::init<const std::string&>())
      .def(pyb::init<const std::string&, const std::string&>())
      .def("set_model", Member(pyb::overload_cast<const std::string&>(&Config::SetModel)))
      .def("set_model", Member(pyb::overload_cast<const std::string&, const std::string&>(&Config::SetModel)))
      .def("set_prog_file", Member(&Config::SetProgFile))
      .def("set_params_file", Member(&Config::SetParamsFile))
      .def("set_model_buffer",
           [](Config& self, pyb::bytes prog, size_t prog_size, pyb::bytes params, size_t params_size) {
             const std::string_view a = prog, b = params;
             PD_CHECK(prog_size <= a.size() && params_size <= b.size(), InvalidArgument,
                      "[set_model_buffer] expected sizes of at most ", a.size(), " and ", b.size(), ", got ", prog_size,
                      " and ", params_size);
             self.SetModelBuffer(a.data(), prog_size, b.data(), params_size);
           })
      .def("model_dir", Member(&Config::model_dir))
      .def("prog_file", Member(&Config::prog_file))
      .def("params_file", Member(&Config::params_file))
      .def("model_from_memory", Member(&Config::model_from_memory))
      .def("enable_use_gpu", Member(&Config::EnableUseGpu), pyb::arg("memory_pool_init_size_mb"),
           pyb::arg("device_id") = 0, pyb::arg("precision_mode") = paddle_infer::PrecisionType::kFloat32)
      .def("disable_gpu", Member(&Config::DisableGpu))
      .def("use_gpu", Member(&Config::use_gpu))
      .def("gpu_device_id", Member(&Config::gpu_device_id))
      .def("memory_pool_init_size_mb", Member(&Config::memory_pool_init_size_mb))
      .def("fraction_of_gpu_memory_for_pool", Member(&Config::fraction_of_gpu_memory_for_pool))
      .def("set_cpu_math_library_num_threads", Member(&Config::SetCpuMathLibraryNumThreads))
      .def("cpu_math_library_num_threads", Member(&Config::cpu_math_library_num_threads))
      .def("switch_ir_optim", Member(&Config::SwitchIrOptim), pyb::arg("x") = true)
      .def("ir_optim", Member(&Config::ir_optim))
      .def("switch_ir_debug", Member(&Config::SwitchIrDebug), pyb::arg("x") = true,
           pyb::arg("passes") = std::vector<std::string>{})
      .def("delete_pass", Member(&Config::DeletePass))
      .def("enable_custom_passes", Member(&Config::EnableCustomPasses), pyb::arg("passes") = std::vector<std::string>{},
           pyb::arg("custom_pass_only") = false)
      .def("set_optimization_level", Member(&Config::SetOptimizationLevel), pyb::arg("opt_level") = 2)
      .def("enable_cinn", Member(&Config::EnableCinn))
      .def("enable_memory_optim", Member(&Config::EnableMemoryOptim), pyb::arg("x") = true)
      .def("enable_profile", Member(&Config::EnableProfile))
      .def("disable_glog_info", Member(&Config::DisableGlogInfo))
      .def("glog_info_disabled", Member(&Config::glog_info_disabled))
      .def("summary", Member(&Config::Summary))
      .def("_buffers",
           [](const Config& c) { return pyb::make_tuple(pyb::bytes(c.prog_buffer()), pyb::bytes(c.params_buffer())); })
      .def("_passes", &paddle_infer::ModelPasses);
}

int Init(PyObject* module) {
  return GuardedInt([&] {
    pyb::module_ m = pyb::reinterpret_borrow<pyb::module_>(module);
    namespace pi = paddle_infer;
    pyb::enum_<pi::DataType>(m, "PaddleDType", kInferDataTypeText)
        .value("FLOAT32", pi::DataType::FLOAT32)
        .value("INT64", pi::DataType::INT64)
        .value("INT32", pi::DataType::INT32)
        .value("UINT8", pi::DataType::UINT8)
        .value("INT8", pi::DataType::INT8)
        .value("FLOAT16", pi::DataType::FLOAT16)
        .value("BOOL", pi::DataType::BOOL)
        .value("FLOAT64", pi::DataType::FLOAT64)
        .value("BFLOAT16", pi::DataType::BFLOAT16);
    pyb::enum_<pi::PlaceType>(m, "PaddlePlace", kInferPlaceTypeText)
        .value("UNK", pi::PlaceType::kUNK)
        .value("CPU", pi::PlaceType::kCPU)
        .value("GPU", pi::PlaceType::kGPU)
        .value("XPU", pi::PlaceType::kXPU)
        .value("CUSTOM", pi::PlaceType::kCUSTOM);
    pyb::enum_<pi::PrecisionType>(m, "PrecisionType", kInferPrecisionText)
        .value("Float32", pi::PrecisionType::kFloat32)
        .value("Int8", pi::PrecisionType::kInt8)
        .value("Half", pi::PrecisionType::kHalf)
        .value("Bfloat16", pi::PrecisionType::kBf16);
    AddConfig(m);
    pyb::class_<Handle>(m, "PaddleInferTensor", kInferTensorText)
        .def("reshape", Member(&Handle::Reshape))
        .def("copy_from_cpu", &CopyFromCpu, pyb::arg("data"))
        .def("share_external_data", &ShareExternalData, pyb::arg("data"))
        .def("copy_to_cpu", &CopyToCpu)
        .def("shape", Member(&Handle::shape))
        .def("type", Member(&Handle::type))
        .def("name", Member(&Handle::name))
        .def("lod", Member(&Handle::lod))
        .def("set_lod", Member(&Handle::SetLoD));
    pyb::class_<Predictor, std::shared_ptr<Predictor>>(m, "PaddleInferPredictor", kPredictorText)
        .def("get_input_names", Member(&Predictor::GetInputNames))
        .def("get_output_names", Member(&Predictor::GetOutputNames))
        .def("get_input_handle", Member(&Predictor::GetInputHandle))
        .def("get_output_handle", Member(&Predictor::GetOutputHandle))
        .def("run", &Run, pyb::arg("inputs") = pyb::none())
        .def("clone", [](const Predictor& p) { return std::shared_ptr<Predictor>(p.Clone()); })
        .def("clear_intermediate_tensor", Member(&Predictor::ClearIntermediateTensor))
        .def("try_shrink_memory", Member(&Predictor::TryShrinkMemory))
        .def("register_input_hook", [](Predictor& p, pyb::function f) { p.RegisterInputHook(HookOf(std::move(f))); })
        .def("register_output_hook", [](Predictor& p, pyb::function f) { p.RegisterOutputHook(HookOf(std::move(f))); })
        .def_property_readonly("_num_graphs", Member(&Predictor::num_graphs))
        .def_property_readonly("_num_instructions", Member(&Predictor::num_instructions));
    pyb::class_<pi::services::PredictorPool>(m, "PredictorPool", "A predictor and clones of it, one for each thread.")
        .def(pyb::init<const Config&, size_t>(), pyb::arg("config"), pyb::arg("size") = 1)
        .def("retrieve", &pi::services::PredictorPool::Retrieve, pyb::return_value_policy::reference_internal);
    m.def(
        "create_predictor",
        [](const Config& config) {
          PlainGuard plain;
          return pi::CreatePredictor(config);
        },
        pyb::arg("config"), "Loads, optimises and plans the model of `config`.");
    m.def("get_num_bytes_of_data_type", &pi::GetNumBytesOfDataType, pyb::arg("dtype"), kBytesOfDataTypeText);
    m.def("get_version", &pi::GetVersion, kInferVersionText);
    return 0;
  });
}

}  // namespace

PADDLE_MODULE_INIT(Init)

}  // namespace paddle::py
