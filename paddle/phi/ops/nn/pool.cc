// SPDX-License-Identifier: Apache-2.0
// Pooling adapters.
#include "paddle/phi/backends/cpu/pool.h"

#include "paddle/common/axis_functions.h"
#include "paddle/common/dtype_error.h"
#include "paddle/phi/core/generator.h"
#include "paddle/phi/core/by_float.h"
#include "paddle/phi/core/ordered.h"
#include "paddle/phi/core/device_forms.h"
#include "paddle/phi/infer/rules.h"
#include "paddle/phi/ops/nn/conv_paddings.h"
#include "paddle/phi/primitives/copy.h"
#include "paddle/phi/primitives/dispatch.h"
#include "paddle/phi/primitives/window_max.h"

namespace phi {
namespace {

struct PoolArgs {
  bool last, max;
  Ints kernel, strides, pads;
  Dims out;
};

PoolArgs Resolve(const char* op, const Dims& x, const Ints& kernel, const Ints& strides, const Ints& paddings,
                 bool ceil_mode, const std::string& format, const std::string& type, bool global, bool adaptive,
                 const std::string& algorithm) {
  PoolArgs p;
  p.last = common::ChannelsLast(format);
  p.max = type == "max";
  PD_CHECK(p.max || type == "avg", InvalidArgument, "[", op, "] expected pooling_type max or avg, got ", type);
  int64_t nd = x.size() - 2;
  PD_CHECK(nd >= 1 && nd <= 3, InvalidArgument, "[", op, "] expected an input of 3 to 5 axes, got shape ",
           common::ShapeText(x));
  PD_CHECK(global || kernel.size() == nd, InvalidArgument, "[", op, "] expected ", nd, " kernel sizes, got ",
           common::ShapeText(kernel));
  Ints dil(nd, 1);
  p.out = x;
  Dims kdims = {Dim(1), Dim(1)};
  for (int64_t i = 0; i < nd; ++i) {
    int64_t k = global ? x[(p.last ? 1 : 2) + i].value() : kernel[i];
    const int least = adaptive ? 0 : 1;  // of what is an extent of the result
    PD_CHECK(k >= least && k <= INT32_MAX, InvalidArgument, "[", op, "] expected ", least ? "positive" : "non-negative",
             " kernel sizes of at most ", INT32_MAX, ", got ", common::ShapeText(kernel));
    p.kernel.push_back(k);
    p.strides.push_back(i < strides.size() ? strides[i] : 1);
    PD_CHECK(adaptive || p.strides[i] > 0, InvalidArgument, "[", op, "] expected positive strides, got ",
             common::ShapeText(strides));
    kdims.push_back(Dim(k));
  }
  p.pads =
      global || adaptive ? Ints(2 * nd, 0) : ResolvePaddings(op, x, kdims, p.strides, paddings, algorithm, dil, p.last);
  for (int64_t i = 0; i < nd; ++i) {
    int64_t at = (p.last ? 1 : 2) + i;
    Dim in = x[at];
    if (global && !adaptive) {
      p.out[at] = Dim(1);
    } else if (adaptive) {
      p.out[at] = Dim(p.kernel[i]);
    } else if (in.known()) {
      p.out[at] =
          Dim(cpu::PoolOutSize(in.value(), p.kernel[i], p.strides[i], p.pads[2 * i], p.pads[2 * i + 1], ceil_mode));
      PD_CHECK(p.out[at].raw() >= 0, InvalidArgument, "[", op, "] expected the padded input to hold the window of ",
               p.kernel[i], ", got extent ", in.raw());
    } else {
      Dim room = in + Dim(p.pads[2 * i] + p.pads[2 * i + 1] + (ceil_mode ? p.strides[i] - 1 : 0));
      room = common::Sub(room, Dim(p.kernel[i]));
      p.out[at] = common::Div(room, Dim(p.strides[i])) + Dim(1);
    }
  }
  return p;
}

cpu::PoolDesc Describe(const PoolArgs& p, const Ints& x, const Ints& y, bool exclusive, bool adaptive) {
  cpu::PoolDesc d;
  d.nd = static_cast<int>(x.size() - 2);
  d.n = x[0];
  d.c = p.last ? x.back() : x[1];
  d.channels_last = p.last;
  d.adaptive = adaptive;
  d.exclusive = exclusive;
  for (int i = 0; i < d.nd; ++i) {
    int64_t at = (p.last ? 1 : 2) + i;
    d.in[i] = x[at];
    d.out[i] = y[at];
    d.k[i] = p.kernel[i];
    d.stride[i] = p.strides[i];
    d.pad_lo[i] = p.pads[2 * i];
    d.pad_hi[i] = p.pads[2 * i + 1];
  }
  return d;
}

}  // namespace

#define PD_POOL_REST                                                                                    \
  const Ints &strides, const Ints &paddings, bool ceil_mode, bool exclusive, const std::string &format, \
      const std::string &type, bool global, bool adaptive, const std::string &algorithm
#define PD_POOL_ATTRS const Ints &kernel, PD_POOL_REST

void pool_infer(const Meta& x, PD_POOL_ATTRS, Meta& out) {
  (void)exclusive;
  out = {Resolve("pool", x.dims, kernel, strides, paddings, ceil_mode, format, type, global, adaptive, algorithm).out,
         x.dtype};
}
void pool_infer(const Meta& x, const IntArray& kernel, PD_POOL_REST, Meta& out) {
  const bool known = kernel.known();
  pool_infer(x, known ? kernel.numbers() : Ints(kernel.size(), 1), strides, paddings, ceil_mode, exclusive, format,
             type, global, adaptive, algorithm, out);
  const int64_t first = common::ChannelsLast(format) ? 1 : 2;
  for (int64_t i = 0; !known && !global && i < kernel.size(); ++i)
    if (!kernel[i].known()) out.dims[first + i] = common::NewSymbol();
}
void pool_kernel(const Tensor& x, PD_POOL_ATTRS, Tensor& out) {
  if (out.numel() == 0) return;
  PoolArgs p =
      Resolve("pool", x.extents(), kernel, strides, paddings, ceil_mode, format, type, global, adaptive, algorithm);
  cpu::PoolDesc d = Describe(p, x.dims(), out.dims(), exclusive, adaptive);
  if (p.max)
    cpu::MaxPool(x.dtype(), d, x.raw_data(), out.raw_data(), DataType::INT32, nullptr);
  else
    cpu::AvgPool(x.dtype(), d, x.raw_data(), out.raw_data());
}
int64_t pool_workspace(const Meta& x, PD_POOL_ATTRS) {
  const PoolArgs p =
      Resolve("pool", x.dims, kernel, strides, paddings, ceil_mode, format, type, global, adaptive, algorithm);
  return cpu::PoolScratch(p.max ? cpu::PoolUse::kMax : cpu::PoolUse::kAverage, x.dtype,
                          Describe(p, common::ToInts(x.dims), common::ToInts(p.out), exclusive, adaptive));
}
// The paddings of the sums of lp_pool2d, which are means times the window's size: with those of ceil_mode, and with
// what a window that is cut lacks, so that every mean is one over the whole window. Not for SAME.
Ints LpPaddings(const Dims& x, const Ints& kernel, const Ints& paddings, const Ints& strides, bool ceil_mode,
                const std::string& format, const std::string& algorithm) {
  Ints pads = {0, 0, 0, 0};
  const bool valid = algorithm == "VALID", ends = paddings.size() == 4;
  if (algorithm == "SAME" || (!valid && paddings.size() < 2)) return paddings;
  if (!valid) pads = {paddings[0], paddings[ends ? 1 : 0], paddings[ends ? 2 : 1], paddings[ends ? 3 : 1]};
  if (strides.size() < 2 || kernel.size() < 2 || x.size() != 4) return pads;
  const int64_t first = common::ChannelsLast(format) ? 1 : 2;
  for (int64_t i = 0; i < 2; ++i) {
    if (ceil_mode && !valid) pads[2 * i + 1] += strides[i] - 1;
    if (!x[first + i].known()) continue;
    const int64_t lacking = kernel[i] - x[first + i].value() - pads[2 * i] - pads[2 * i + 1];
    if (lacking > 0 && lacking < strides[i]) pads[2 * i + 1] += lacking;
  }
  return pads;
}
void lp_pool2d_infer(const Meta& x, PD_POOL_ATTRS, double norm_type, Meta& out) {
  PD_CHECK(!global && !adaptive, Unimplemented,
           "[lp_pool2d] expected windows of kernel_size, got global_pooling or adaptive");
  PD_CHECK(norm_type != 0, InvalidArgument, "[lp_pool2d] expected a norm_type other than 0, got 0");
  (void)type;
  pool_infer(x, kernel, strides, LpPaddings(x.dims, kernel, paddings, strides, ceil_mode, format, algorithm), false,
             exclusive, format, "avg", false, false, algorithm == "SAME" ? algorithm : "EXPLICIT", out);
}
void pool_grad_input_infer(const Meta&, const Meta& x, const Meta&, const IntArray&, PD_POOL_REST, Meta& out) {
  (void)exclusive, (void)ceil_mode, (void)global, (void)adaptive;
  out = x;
}
void pool_grad_input_kernel(const Tensor& dy, const Tensor& x, const Tensor& y, PD_POOL_ATTRS, Tensor& out) {
  if (out.numel() == 0) return;
  PoolArgs p =
      Resolve("pool", x.extents(), kernel, strides, paddings, ceil_mode, format, type, global, adaptive, algorithm);
  cpu::PoolDesc d = Describe(p, x.dims(), dy.dims(), exclusive, adaptive);
  if (p.max) {
    cpu::MaxPoolGrad(x.dtype(), d, x.raw_data(), y.raw_data(), dy.raw_data(), out.raw_data());
  } else {  // x and y may lack memory
    cpu::AvgPoolGrad(x.dtype(), d, dy.raw_data(), out.raw_data());
  }
}
int64_t pool_grad_input_workspace(const Meta& dy, const Meta& x, const Meta&, PD_POOL_ATTRS) {
  const PoolArgs p =
      Resolve("pool", x.dims, kernel, strides, paddings, ceil_mode, format, type, global, adaptive, algorithm);
  return cpu::PoolScratch(p.max ? cpu::PoolUse::kMaxGrad : cpu::PoolUse::kAverageGrad, x.dtype,
                          Describe(p, common::ToInts(x.dims), common::ToInts(dy.dims), exclusive, adaptive));
}
int64_t pool_grad_workspace(const Meta& x, const Meta& out, const Meta& dout, PD_POOL_ATTRS) {
  return pool_grad_input_workspace(dout, x, out, kernel, strides, paddings, ceil_mode, exclusive, format, type, global,
                                   adaptive, algorithm);
}

void max_pool_with_index_infer(const Meta& x, const Ints& kernel, const Ints& strides, const Ints& paddings,
                               bool global, bool adaptive, bool ceil_mode, Meta& out, Meta& mask) {
  out = {Resolve("max_pool_with_index", x.dims, kernel, strides, paddings, ceil_mode, "NCHW", "max", global, adaptive,
                 "EXPLICIT")
             .out,
         x.dtype};
  mask = {out.dims, DataType::INT32};
}
void max_pool_with_index_kernel(const Tensor& x, const Ints& kernel, const Ints& strides, const Ints& paddings,
                                bool global, bool adaptive, bool ceil_mode, Tensor& out, Tensor& mask) {
  if (out.numel() == 0) return;
  PoolArgs p = Resolve("max_pool_with_index", x.extents(), kernel, strides, paddings, ceil_mode, "NCHW", "max", global,
                       adaptive, "EXPLICIT");
  cpu::MaxPool(x.dtype(), Describe(p, x.dims(), out.dims(), true, adaptive), x.raw_data(), out.raw_data(),
               DataType::INT32, mask.raw_data());
}
int64_t max_pool_with_index_workspace(const Meta& x, const Ints& kernel, const Ints& strides, const Ints& paddings,
                                      bool global, bool adaptive, bool ceil_mode) {
  return pool_workspace(x, kernel, strides, paddings, ceil_mode, true, "NCHW", "max", global, adaptive, "EXPLICIT");
}

namespace {
int64_t Plane(const Tensor& t) {
  int64_t p = 1;
  for (int64_t i = 2; i < t.ndim(); ++i) p *= t.dim(i);
  return p;
}
// Positions in the planes of x, one for each element of `of`.
void CheckMask(const char* op, const Tensor& of, const Tensor& mask, const Tensor& x) {
  PD_CHECK(mask.dtype() == DataType::INT32 && mask.dims() == of.dims() && x.ndim() >= 2 && mask.ndim() == x.ndim() &&
               mask.dim(0) == x.dim(0) && mask.dim(1) == x.dim(1),
           InvalidArgument, "[", op, "] expected an int32 mask of shape ", common::ShapeText(of.dims()), " for input ",
           common::ShapeText(x.dims()), ", got ", NameOf(mask.dtype()), " ", common::ShapeText(mask.dims()));
}
}  // namespace
void max_pool_scatter_infer(const Meta& dy, const Meta&, const Ints& shape, Meta& out) {
  out = {common::ToDims(shape), dy.dtype};
}
void max_pool_scatter_kernel(const Tensor& dy, const Tensor& mask, const Ints&, Tensor& out) {
  CheckMask("max_pool_grad", dy, mask, out);
  const int64_t planes = out.dim(0) * out.dim(1), n = Plane(out), k = Plane(dy);
  cpu::Zero(out.raw_data(), out.numel() * SizeOf(out.dtype()));
  auto add = [&](auto tag) {
    using T = decltype(tag);
    for (int64_t p = 0; p < planes; ++p)
      for (int64_t i = 0; i < k; ++i) {
        const int64_t at = mask.data<int32_t>()[p * k + i];  // -1: of a window without elements
        if (at >= 0 && at < n) out.data<T>()[p * n + at] += dy.data<T>()[p * k + i];
      }
  };
  ByFloat(dy.dtype(), add);
}
void max_pool_gather_infer(const Meta& x, const Meta& mask, Meta& out) { out = {mask.dims, x.dtype}; }
void max_pool_gather_kernel(const Tensor& x, const Tensor& mask, Tensor& out) {
  CheckMask("max_pool_gather", mask, mask, x);
  const int64_t planes = x.dim(0) * x.dim(1), n = Plane(x), k = Plane(mask), size = SizeOf(x.dtype());
  for (int64_t p = 0; p < planes; ++p)
    for (int64_t i = 0; i < k; ++i) {
      const int64_t at = mask.data<int32_t>()[p * k + i];
      char* to = static_cast<char*>(out.raw_data()) + (p * k + i) * size;
      if (at >= 0 && at < n)
        std::memcpy(to, static_cast<char*>(x.raw_data()) + (p * n + at) * size, size);
      else
        std::memset(to, 0, size);
    }
}

namespace {
void UnpoolInfer(const char* op, int64_t axes, const Meta& x, const Meta& indices, const IntArray& size,
                 const std::string& format, const char* wanted, Meta& out) {
  PD_CHECK_DTYPE(IsFloating(x.dtype) || x.dtype == DataType::INT32 || x.dtype == DataType::INT64, "[", op,
                 "] expected int32, int64 or a floating dtype, got ", NameOf(x.dtype));
  PD_CHECK(indices.dtype == DataType::INT32 || indices.dtype == DataType::INT64, InvalidArgument, "[", op,
           "] expected indices of int32 or int64, got ", NameOf(indices.dtype));
  PD_CHECK(format == wanted, InvalidArgument, "[", op, "] expected data_format ", wanted, ", got ", format);
  bool same = x.dims.size() == axes + 2 && indices.dims.size() == axes + 2;
  for (int64_t i = 0; same && i < axes + 2; ++i) same = !common::CertainlyDiffer(x.dims[i], indices.dims[i]);
  PD_CHECK(same && size.size() >= axes, InvalidArgument, "[", op, "] expected x and indices of one shape with ",
           axes + 2, " axes and an output_size of ", axes, " numbers, got shapes ", common::ShapeText(x.dims), " and ",
           common::ShapeText(indices.dims), " and ", common::ShapeText(size));
  out = x;
  for (int64_t i = 0; i < axes; ++i) out.dims[2 + i] = ExtentArg(op, size, size.size() - axes + i);
}
// Of several elements with one position the last stays.
void Unpool(const char* op, const Tensor& x, const Tensor& indices, Tensor& out) {
  const int64_t planes = out.dim(0) * out.dim(1), n = Plane(out), k = Plane(x);
  if (const DeviceForms* d = FormsHere()) {
    cpu::Zero(out.raw_data(), out.numel() * SizeOf(out.dtype()));
    if (x.numel() == 0) return;
    // The number of each element's plane, then where in the result it goes.
    const auto numbers = d->Room(planes * 8), at = d->Room(planes * k * 8);
    d->Steps(DataType::INT64, planes, int64_t{0}, int64_t{1}, numbers.get());
    const int64_t shape[] = {planes, k}, each[] = {1, 0}, rows[] = {k, 1};
    d->Copy(8, shape, numbers.get(), each, at.get(), rows);
    auto* to = static_cast<int64_t*>(at.get());
    const int64_t bad = d->Positions(DataType::INT64, indices.raw_data(), 1, n, false, planes * k, to, false, true);
    PD_CHECK(bad < 0, InvalidArgument, "[", op, "] expected indices in [0, ", n, "), got ",
             d->IndexAt(DataType::INT64, indices.raw_data(), bad));
    return d->Put(SizeOf(x.dtype()), out.raw_data(), 1, planes * n, 1, to, planes * k, x.raw_data(), false);
  }
  cpu::DispatchSize(SizeOf(x.dtype()), [&](auto tag) {
    using T = typename decltype(tag)::type;
    cpu::Zero(out.raw_data(), out.numel() * sizeof(T));
    cpu::ParallelFor(0, planes, std::max<int64_t>(1, cpu::kGrain / std::max<int64_t>(1, n + k)),
                     [&](int64_t begin, int64_t end) {
                       for (int64_t p = begin; p < end; ++p)
                         for (int64_t i = p * k; i < (p + 1) * k; ++i) {
                           const int64_t place = indices.data<int64_t>()[i];
                           PD_CHECK(0 <= place && place < n, InvalidArgument, "[", op, "] expected indices in [0, ", n,
                                    "), got ", place);
                           static_cast<T*>(out.raw_data())[p * n + place] = static_cast<const T*>(x.raw_data())[i];
                         }
                     });
  });
}
}  // namespace
void unpool_infer(const Meta& x, const Meta& indices, const Ints&, const Ints&, const Ints&, const IntArray& size,
                  const std::string& format, Meta& out) {
  UnpoolInfer("unpool", 2, x, indices, size, format, "NCHW", out);
}
void unpool_kernel(const Tensor& x, const Tensor& indices, const Ints&, const Ints&, const Ints&, const Ints&,
                   const std::string&, Tensor& out) {
  Unpool("unpool", x, indices, out);
}
void unpool3d_infer(const Meta& x, const Meta& indices, const Ints&, const Ints&, const Ints&, const Ints& size,
                    const std::string& format, Meta& out) {
  UnpoolInfer("unpool3d", 3, x, indices, size, format, "NCDHW", out);
}
void unpool3d_kernel(const Tensor& x, const Tensor& indices, const Ints&, const Ints&, const Ints&, const Ints&,
                     const std::string&, Tensor& out) {
  Unpool("unpool3d", x, indices, out);
}

namespace {

// First elements of the windows of an axis, and the place after their last ones.
struct Windows {
  std::vector<int64_t> first, end;

  // As many windows as `count` over `size` elements, of `kernel` elements or, where that is 0, meeting each other.
  Windows(int64_t size, int64_t count, int64_t kernel, float u) {
    float step = static_cast<float>(size - kernel) / static_cast<float>(count - (kernel > 0 ? 1 : 0));
    if (kernel == 0) {
      const float base = static_cast<float>(size / count);
      u *=
          std::min((base + 2) / step - 1, (static_cast<float>(size) + 1 - base) / step - static_cast<float>(count - 1));
    } else if (count == 1) {
      step = 0;
    }
    auto at = [&](int64_t i) {
      return static_cast<int64_t>((static_cast<float>(i) + u) * step) - static_cast<int64_t>(u * step);
    };
    for (int64_t i = 0; i < count; ++i) {
      first.push_back(std::clamp<int64_t>(at(i), 0, size - std::max<int64_t>(kernel, 1)));
      end.push_back(kernel > 0 ? first[i] + kernel : std::clamp<int64_t>(at(i + 1), first[i] + 1, size));
    }
  }
};

void FractionalInfer(const char* op, int64_t axes, const Meta& x, const Ints& size, const Ints& kernel, double u,
                     Meta& out, Meta& mask) {
  PD_CHECK_DTYPE(IsFloating(x.dtype), "[", op, "] expected a floating dtype, got ", NameOf(x.dtype));
  PD_CHECK(x.dims.size() == axes + 2 && size.size() == axes && kernel.size() == axes, InvalidArgument, "[", op,
           "] expected x of ", axes + 2, " axes, ", axes, " output sizes and ", axes, " kernel sizes, got shape ",
           common::ShapeText(x.dims), ", ", common::ShapeText(size), " and ", common::ShapeText(kernel));
  PD_CHECK(u >= 0 && u < 1, InvalidArgument, "[", op, "] expected random_u of at least 0 and below 1, got ", u);
  out = x;
  for (int64_t i = 0; i < axes; ++i) {
    const Dim have = x.dims[i + 2];
    PD_CHECK(kernel[i] >= 0 && size[i] >= 1 &&
                 (!have.known() || size[i] <= have.raw() + 1 - std::max<int64_t>(kernel[i], 1)),
             InvalidArgument, "[", op, "] expected an output_size from 1 to the extents ", common::ShapeText(x.dims),
             " less the windows ", common::ShapeText(kernel), " plus 1, got ", common::ShapeText(size));
    out.dims[i + 2] = Dim(size[i]);
  }
  mask = {out.dims, DataType::INT32};
}

// `in`: depth, height and width of the volume x.
template <class T>
void FractionalPool(const T* x, const Ints& in, const Windows& depth, const Windows& rows, const Windows& columns,
                    cpu::ColumnMaxima<T>& maxima, T* out, int32_t* mask) {
  const int64_t height = in[1], width = in[2];
  for (size_t a = 0; a < depth.first.size(); ++a)
    for (size_t b = 0; b < rows.first.size(); ++b) {
      const int64_t first = rows.first[b], count = rows.end[b] - first;
      maxima.Reset(x, depth.first[a] * height + first, count, width, 0, width);
      for (int64_t i = depth.first[a] + 1; i < depth.end[a]; ++i)
        maxima.Add(x + (i * height + first) * width, i * height + first, count, width, 0, width);
      for (size_t c = 0; c < columns.first.size(); ++c) {
        const int64_t best = maxima.Best(columns.first[c], columns.end[c]);
        *out++ = maxima.value(best);
        *mask++ = static_cast<int32_t>(maxima.row(best) * width + best);
      }
    }
}

void FractionalKernel(const KernelContext& context, const Tensor& x, const Ints& size, const Ints& kernel, double given,
                      Tensor& out, Tensor& mask) {
  float u = static_cast<float>(given);
  if (u == 0) {
    EngineFor e(context, 0);
    u = std::uniform_real_distribution<float>(0, 1)(*e);
  }
  if (out.numel() == 0) return;
  // A plane is a volume of one layer.
  Ints in = {1}, to = {1}, window = {0};
  if (size.size() == 3) in.clear(), to.clear(), window.clear();
  for (int64_t i = 0; i < size.size(); ++i) {
    in.push_back(x.dim(i + 2)), to.push_back(size[i]), window.push_back(kernel[i]);
  }
  const Windows depth(in[0], to[0], window[0], u), rows(in[1], to[1], window[1], u),
      columns(in[2], to[2], window[2], u);
  const int64_t plane = in[0] * in[1] * in[2], results = to[0] * to[1] * to[2];
  auto run = [&](auto tag) {
    using T = decltype(tag);
    cpu::ParallelFor(0, x.dim(0) * x.dim(1), std::max<int64_t>(1, cpu::kGrain / plane), [&](int64_t b, int64_t e) {
      cpu::ColumnMaxima<T> maxima(in[2]);
      for (int64_t p = b; p < e; ++p)
        FractionalPool(x.data<T>() + p * plane, in, depth, rows, columns, maxima, out.data<T>() + p * results,
                       mask.data<int32_t>() + p * results);
    });
  };
  ByFloat(x.dtype(), run);
}

}  // namespace

void fractional_max_pool2d_infer(const Meta& x, const Ints& size, const Ints& kernel, double u, bool, Meta& out,
                                 Meta& mask) {
  FractionalInfer("fractional_max_pool2d", 2, x, size, kernel, u, out, mask);
}
void fractional_max_pool2d_kernel(const KernelContext& context, const Tensor& x, const Ints& size, const Ints& kernel,
                                  double u, bool, Tensor& out, Tensor& mask) {
  FractionalKernel(context, x, size, kernel, u, out, mask);
}
void fractional_max_pool3d_infer(const Meta& x, const Ints& size, const Ints& kernel, double u, bool, Meta& out,
                                 Meta& mask) {
  FractionalInfer("fractional_max_pool3d", 3, x, size, kernel, u, out, mask);
}
void fractional_max_pool3d_kernel(const KernelContext& context, const Tensor& x, const Ints& size, const Ints& kernel,
                                  double u, bool, Tensor& out, Tensor& mask) {
  FractionalKernel(context, x, size, kernel, u, out, mask);
}

}  // namespace phi
