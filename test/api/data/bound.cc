// SPDX-License-Identifier: Apache-2.0
// A module that test_cpp_extension.py builds: functions and a class bound by pybind11, an operator beside them, and the
// names of PaddlePaddle that operators of users are written with.
#include <sstream>
#include <vector>

#include "paddle/extension.h"

class Power {
 public:
  Power(int rows, int columns) : base_(paddle::full({rows, columns}, 2.0, paddle::DataType::FLOAT32)) {}
  explicit Power(paddle::Tensor x) : base_(x) {}
  paddle::Tensor Forward() const { return paddle::multiply(base_, base_); }

 private:
  paddle::Tensor base_;
};

paddle::Tensor SumOfExp(const paddle::Tensor& x, const paddle::Tensor& y) { return paddle::exp(x) + paddle::exp(y); }
std::vector<paddle::Tensor> PlusOne(const std::vector<paddle::Tensor>& xs) {
  std::vector<paddle::Tensor> made;
  for (const auto& x : xs) made.push_back(phi::Scalar(1.0) + x);
  return made;
}
paddle::Tensor Ones(bool none, phi::DataType dtype, const phi::Place& place) {
  return none ? paddle::Tensor() : paddle::ones({2}, dtype, place);
}
paddle::optional<paddle::Tensor> Twice(const paddle::optional<paddle::Tensor>& x) {
  if (!x) return paddle::none;
  return paddle::make_optional(*x + *x);
}
// Of text, extents, places, memory that others own, and arguments that may be absent.
std::string Names(const paddle::Tensor& x) {
  static int freed = 0;
  std::ostringstream text;
  const phi::DDim dims = phi::make_ddim({2, 3});
  text << dims << "; " << phi::product(dims) << "; " << phi::vectorize<int>(x.dims()).size() << "; " << x.place()
       << "; " << x.dtype() << "; " << phi::DataTypeToString(x.dtype()) << "; " << paddle::GPUPlace(1) << "; ";
  {
    static float memory[] = {1, 2, 3, 4, 5, 6};
    const auto blob = paddle::from_blob(memory, {2, 3}, paddle::DataType::FLOAT32, phi::DataLayout::NCHW,
                                        phi::CPUPlace(), [](void*) { ++freed; });
    const auto total = paddle::sum(blob, {}, paddle::DataType::FLOAT32, false);
    const auto normal =
        std::get<0>(paddle::layer_norm(blob, paddle::none, paddle::optional<paddle::Tensor>(), 1e-5, 1));
    text << total.data<float>()[0] << "; " << (normal.data<float>()[1] == 0) << "; ";
  }
  const auto one = paddle::full({1}, 1, paddle::DataType::INT64);
  const auto range = paddle::arange(one, paddle::full({1}, 4), one, paddle::DataType::INT64, phi::CPUPlace());
  text << freed << "; " << range.numel() << "; " << (one ^ one).data<int64_t>()[0] << "; "
       << phi::is_cpu_place(x.place()) << "; " << static_cast<float>(phi::dtype::float16(0.5f));
  return text.str();
}

std::vector<paddle::Tensor> Doubled(const paddle::Tensor& x) { return {paddle::add(x, x)}; }
PD_BUILD_OP(bound_doubled).Inputs({"X"}).Outputs({"Out"}).SetKernelFn(PD_KERNEL(Doubled));

PYBIND11_MODULE(bound, m) {
  m.def("sum_of_exp", &SumOfExp, "exp(x) + exp(y)");
  m.def("plus_one", &PlusOne);
  m.def("ones", &Ones, py::arg("none") = false, py::arg("dtype"), py::arg("place"));
  m.def("twice", &Twice, py::arg("x") = py::none());
  m.def("names", &Names);
  py::class_<Power>(m, "Power")
      .def(py::init<int, int>())
      .def(py::init<paddle::Tensor>())
      .def("forward", &Power::Forward);
}
