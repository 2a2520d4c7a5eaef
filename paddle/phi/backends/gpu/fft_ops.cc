// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/backends/gpu/fft_ops.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "paddle/phi/backends/gpu/fft_api.h"
#include "paddle/phi/backends/gpu/library.h"
#include "paddle/phi/backends/gpu/made_plans.h"
#include "paddle/phi/core/device.h"
#include "paddle/phi/core/fourier_batch.h"

namespace phi::gpu {
namespace {

using namespace fft;  // NOLINT: of the list of functions

using Sizes = std::vector<int64_t>;

constexpr size_t kMostPlans = 256;
constexpr size_t kMostAxes = 3;    // of a plan
constexpr int64_t kMostCalls = 8;  // of a plan for the axes of a batch that it cannot walk; else these are copied

struct Api {
#define PADDLE_CUFFT_MEMBER(name, symbol, args) fft::Status(*name) args = nullptr;
  PADDLE_CUFFT_FUNCTIONS(PADDLE_CUFFT_MEMBER)
#undef PADDLE_CUFFT_MEMBER
  std::string why;

  Api() {
    Library library = OpenLibrary({"libcufft.so.12", "libcufft.so.11"}, "FLAGS_cufft_dir", "cufft");
#define PADDLE_CUFFT_LOOK_UP(name, symbol, args) name = reinterpret_cast<fft::Status(*) args>(library.Find(#symbol));
    PADDLE_CUFFT_FUNCTIONS(PADDLE_CUFFT_LOOK_UP)
#undef PADDLE_CUFFT_LOOK_UP
    if (why = library.Why(); !why.empty()) why = "no cuFFT: " + why;
  }
};
const Api& Cufft() {
  static const auto* api = new Api;
  return *api;
}

struct Plan {
  fft::Handle handle = 0;
  size_t workspace = 0;
  bool made = false;
  Plan() = default;
  Plan(Plan&& o) noexcept : handle(o.handle), workspace(o.workspace), made(std::exchange(o.made, false)) {}
  Plan& operator=(Plan&&) = delete;
  ~Plan() {
    if (made) Cufft().Destroy(handle);
  }
};
// Rank, extents, strides and distances of both sides, count, kind.
using Key = std::array<int64_t, 16>;
using Plans = MadePlans<Key, Plan>;

// One side of a transform: its elements are of `bytes`, and those of axis i lie strides[i] apart.
struct Side {
  char* data;
  Sizes shape, strides;
  int64_t bytes;

  Side(const void* p, Sizes extents, int64_t size)
      : data(static_cast<char*>(const_cast<void*>(p))), shape(std::move(extents)), strides(shape.size()), bytes(size) {
    int64_t step = 1;
    for (size_t a = shape.size(); a-- > 0; step *= shape[a]) strides[a] = step;
  }
  int64_t numel() const {
    int64_t n = 1;
    for (const int64_t extent : shape) n *= extent;
    return n;
  }
};

class Transformer {
 public:
  Transformer(const DeviceForms& forms, bool wide)
      : forms_(forms), place_(forms.place()), real_(wide ? 8 : 4), plans_(Plans::Of(place_)), lock_(plans_.mutex) {}

  Side Scratch(const Sizes& shape, int64_t bytes) {
    Side side(nullptr, shape, bytes);
    rooms_.push_back(forms_.Room(side.numel() * bytes));
    side.data = static_cast<char*>(rooms_.back().get());
    return side;
  }
  void Copy(const Side& from, const Side& to) const {
    forms_.Copy(from.bytes, from.shape, from.data, from.strides, to.data, to.strides);
  }

  // Over rising axes; where one side is real, the last of them is the halved one. What it reads may be anything after.
  void Run(Sizes axes, const Side& in, const Side& out, fft::Direction direction) {
    if (in.bytes == out.bytes && axes.size() > kMostAxes) {
      Run({axes.end() - kMostAxes, axes.end()}, in, out, direction);
      axes.resize(axes.size() - kMostAxes);
      return Run(axes, out, out, direction);
    }
    const FourierBatch batch(in.shape, in.strides, out.strides, axes);
    bool aligned = true;  // reals at the multiples of complex numbers
    for (const Side* side : {&in, &out}) aligned &= reinterpret_cast<uintptr_t>(side->data) % (2 * real_) == 0;
    for (const FourierAxis& b : batch.others)
      aligned &= b.in * in.bytes % (2 * real_) == 0 && b.out * out.bytes % (2 * real_) == 0;
    if (!aligned || batch.calls() > kMostCalls) return RunInOrder(axes, in, out, direction);

    const Plan& plan = Find(axes, in, out, batch.own);
    batch.Each([&](int64_t from, int64_t to) {
      Call(plan, in.data + from * in.bytes, in.bytes, out.data + to * out.bytes, out.bytes, direction);
    });
  }

 private:
  // By way of memory where the axes of the transform are the last.
  void RunInOrder(const Sizes& axes, const Side& in, const Side& out, fft::Direction direction) {
    Sizes order, last(axes.size());
    for (size_t a = 0; a < in.shape.size(); ++a)
      if (std::find(axes.begin(), axes.end(), static_cast<int64_t>(a)) == axes.end())
        order.push_back(static_cast<int64_t>(a));
    for (size_t i = 0; i < axes.size(); ++i) last[i] = static_cast<int64_t>(order.size() + i);
    order.insert(order.end(), axes.begin(), axes.end());
    const auto ordered = [&](const Side& s) {
      Side view = s;
      for (size_t i = 0; i < order.size(); ++i) {
        view.shape[i] = s.shape[static_cast<size_t>(order[i])];
        view.strides[i] = s.strides[static_cast<size_t>(order[i])];
      }
      return view;
    };
    const Side from = ordered(in), to = ordered(out);
    const Side read = Scratch(from.shape, in.bytes), written = Scratch(to.shape, out.bytes);
    Copy(from, read);
    Run(last, read, written, direction);
    Copy(written, to);
  }

  // Strides nest: those of an axis are multiples of those inside of it.
  const Plan& Find(const Sizes& axes, const Side& in, const Side& out, const FourierAxis& batch) {
    long long n[kMostAxes] = {}, in_extents[kMostAxes] = {}, out_extents[kMostAxes] = {};
    const size_t rank = axes.size();
    const Side& real = in.bytes < out.bytes ? in : out;
    for (size_t i = 0; i < rank; ++i) {
      const auto a = static_cast<size_t>(axes[i]), outside = static_cast<size_t>(axes[i ? i - 1 : 0]);
      n[i] = real.shape[a];
      in_extents[i] = i ? in.strides[outside] / in.strides[a] : in.shape[a];
      out_extents[i] = i ? out.strides[outside] / out.strides[a] : out.shape[a];
    }
    const auto inner = static_cast<size_t>(axes.back());
    const bool wide = real_ == 8;
    const fft::Kind kind = in.bytes == out.bytes  ? wide ? fft::kZ2Z : fft::kC2C
                           : in.bytes < out.bytes ? wide ? fft::kD2Z : fft::kR2C
                           : wide                 ? fft::kZ2D
                                                  : fft::kC2R;
    Key key = {static_cast<int64_t>(rank), kind, batch.n, in.strides[inner], out.strides[inner], batch.in, batch.out};
    for (size_t i = 0; i < kMostAxes; ++i) key[7 + i] = n[i], key[10 + i] = in_extents[i], key[13 + i] = out_extents[i];
    if (const Plan* plan = plans_.Find(key, place_)) return Usable(*plan);
    if (IsCapturing(place_)) throw NoDeviceForm{"no plan of cuFFT was made before the graph"};
    StreamForCall(place_, {});
    Plan made;
    if (Cufft().Create(&made.handle) == fft::kSuccess) {
      made.made = true;
      if (Cufft().SetAutoAllocation(made.handle, 0) != fft::kSuccess ||
          Cufft().MakePlanMany(made.handle, static_cast<int>(rank), n, in_extents, in.strides[inner], batch.in,
                               out_extents, out.strides[inner], batch.out, kind, batch.n,
                               &made.workspace) != fft::kSuccess) {
        Cufft().Destroy(made.handle);
        made.made = false;
      }
    }
    return Usable(plans_.Add(key, std::move(made), place_, kMostPlans));
  }
  static const Plan& Usable(const Plan& plan) {
    if (!plan.made) throw NoDeviceForm{"cuFFT makes no plan for it"};
    return plan;
  }

  void Call(const Plan& plan, void* from, int64_t in_bytes, void* to, int64_t out_bytes, fft::Direction direction) {
    const Api& api = Cufft();
    const auto area = plan.workspace ? forms_.Room(static_cast<int64_t>(plan.workspace)) : nullptr;
    const auto run = [&](auto both, auto to_complex, auto to_real) {
      return in_bytes == out_bytes  ? both(plan.handle, from, to, direction)
             : in_bytes < out_bytes ? to_complex(plan.handle, from, to)
                                    : to_real(plan.handle, from, to);
    };
    if (api.SetStream(plan.handle, StreamForCall(place_, {from, to})) != fft::kSuccess ||
        (area && api.SetWorkArea(plan.handle, area.get()) != fft::kSuccess) ||
        (real_ == 8 ? run(api.ExecZ2Z, api.ExecD2Z, api.ExecZ2D) : run(api.ExecC2C, api.ExecR2C, api.ExecC2R)) !=
            fft::kSuccess)
      throw NoDeviceForm{"cuFFT did not run it"};
  }

  const DeviceForms& forms_;
  const Place place_;
  const int64_t real_;  // bytes
  Plans& plans_;
  const std::lock_guard<std::mutex> lock_;
  std::vector<std::shared_ptr<void>> rooms_;
};

}  // namespace

void FftTransform(const DeviceForms& forms, const Fourier& f, const void* x, void* out) {
  if (!Cufft().why.empty()) throw NoDeviceForm{Cufft().why.c_str()};
  const bool wide = f.real == DataType::FLOAT64;
  const int64_t real = wide ? 8 : 4, complex = 2 * real;
  const Sizes in_shape(f.in.begin(), f.in.end()), out_shape(f.out.begin(), f.out.end());
  Sizes axes(f.axes.begin(), f.axes.end());
  const int64_t last = axes.back();
  const fft::Direction direction = f.forward ? fft::kForward : fft::kInverse;
  Transformer t(forms, wide);
  const Side to(out, out_shape, f.kind == FourierKind::kToReal ? real : complex);
  const auto scale = [&](const Side& side, double imaginary) {
    if (f.scale != 1 || imaginary != 1) forms.Scale(f.real, side.numel() * 2, f.scale, imaginary, side.data, side.data);
  };
  // The other axes, in the order of memory.
  const auto others = [&] {
    axes.pop_back();
    std::sort(axes.begin(), axes.end());
    return axes;
  };
  switch (f.kind) {
    case FourierKind::kComplex:
      std::sort(axes.begin(), axes.end());
      t.Run(axes, Side(x, in_shape, complex), to, direction);
      return scale(to, f.scale);
    case FourierKind::kToComplex: {
      const Side from(x, in_shape, real);
      if (f.whole) {  // complex numbers without an imaginary part.
        forms.Zero(out, to.numel() * complex);
        Side parts = to;
        parts.bytes = real;
        for (int64_t& step : parts.strides) step *= 2;
        t.Copy(from, parts);
        std::sort(axes.begin(), axes.end());
        t.Run(axes, to, to, direction);
        return scale(to, f.scale);
      }
      t.Run({last}, from, to, fft::kForward);
      if (axes.size() > 1) t.Run(others(), to, to, fft::kForward);
      // Of reals the backward transform is the conjugate of the forward one.
      return scale(to, f.forward ? f.scale : -f.scale);
    }
    case FourierKind::kToReal: {
      const Side from(x, in_shape, complex);
      const Side kept = t.Scratch(in_shape, complex);  // what is read is not left as it is
      if (axes.size() > 1)
        t.Run(others(), from, kept, direction);
      else
        t.Copy(from, kept);
      scale(kept, f.forward ? -f.scale : f.scale);
      t.Run({last}, kept, to, fft::kInverse);
    }
  }
}

}  // namespace phi::gpu
