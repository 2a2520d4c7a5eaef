// SPDX-License-Identifier: Apache-2.0
// Rows reduced to the rows that an index names: messages in graphs, and segments.
#include <algorithm>
#include <limits>
#include <memory>

#include "paddle/common/dtype_error.h"
#include "paddle/phi/core/device.h"
#include "paddle/phi/core/device_forms.h"
#include "paddle/phi/core/ordered.h"
#include "paddle/phi/infer/rules.h"
#include "paddle/phi/primitives/copy.h"
#include "paddle/phi/primitives/dispatch.h"
#include "paddle/phi/primitives/elementwise.h"

namespace phi {
namespace {

enum class Reduction { kSum, kMean, kMin, kMax };

Reduction ReductionOf(const char* op, const std::string& name) {
  PD_CHECK(name == "SUM" || name == "MEAN" || name == "MIN" || name == "MAX", InvalidArgument, "[", op,
           "] expected the reduction SUM, MEAN, MIN or MAX, got ", name);
  return name == "SUM"    ? Reduction::kSum
         : name == "MEAN" ? Reduction::kMean
         : name == "MIN"  ? Reduction::kMin
                          : Reduction::kMax;
}
void CheckRows(const char* op, const Meta& x) {
  PD_CHECK(!x.dims.empty(), InvalidArgument, "[", op, "] expected rows, got a 0-D tensor");
  PD_CHECK_DTYPE(IsFloating(x.dtype) || x.dtype == DataType::INT32 || x.dtype == DataType::INT64, "[", op,
                 "] expected int32, int64 or a floating dtype, got ", NameOf(x.dtype));
}
void CheckIndex(const char* op, const char* name, const Meta& index) {
  PD_CHECK(index.dtype == DataType::INT32 || index.dtype == DataType::INT64, InvalidArgument, "[", op, "] expected ",
           name, " of int32 or int64, got ", NameOf(index.dtype));
  const bool flat =
      index.dims.size() == 1 || (index.dims.size() == 2 && !common::CertainlyDiffer(index.dims[1], Dim(1)));
  PD_CHECK(flat, InvalidArgument, "[", op, "] expected ", name, " of shape [n] or [n, 1], got ",
           common::ShapeText(index.dims));
}
std::vector<int64_t> Within(const char* op, const char* name, const Tensor& index, int64_t rows) {
  std::vector<int64_t> out = ToIntVector(index);
  for (int64_t i : out)
    PD_CHECK(0 <= i && i < rows, InvalidArgument, "[", op, "] expected ", name, " from 0 to ", rows - 1, ", got ", i);
  return out;
}

// out[to[e]] reduced with the row of edge e, which row(e, begin, end) gives: a pointer to its columns from `begin` on.
// count[r]: how many reach row r, for means. make_row(tag) makes a `row` for each thread. out contiguous and not half.
template <class MakeRow>
void ReduceRows(const char* op, Reduction how, const std::vector<int64_t>& to, const std::vector<int64_t>& count,
                const Tensor& out, MakeRow&& make_row) {
  const int64_t edges = static_cast<int64_t>(to.size()), rows = out.dim(0), width = rows ? out.numel() / rows : 0;
  cpu::Zero(out.raw_data(), out.numel() * SizeOf(out.dtype()));
  if (width == 0) return;
  cpu::DispatchReal(op, out.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (!std::is_same_v<T, bool>) {
      T* result = out.data<T>();
      // Edges share rows: each thread has columns of its own.
      const int64_t grain = std::max<int64_t>(16, cpu::kGrain / std::max<int64_t>(1, edges));
      cpu::ParallelFor(0, width, grain, [&](int64_t begin, int64_t end) {
        auto row = make_row(tag);
        std::vector<char> met(rows, 0);
        for (int64_t e = 0; e < edges; ++e) {
          const T* v = row(e, begin, end);
          T* r = result + to[e] * width + begin;
          const int64_t n = end - begin;
          if (how == Reduction::kSum || how == Reduction::kMean) {
            for (int64_t k = 0; k < n; ++k) r[k] += v[k];
          } else if (!met[to[e]]) {
            met[to[e]] = 1;
            std::copy(v, v + n, r);
          } else {
            // NaN wins.
            const bool most = how == Reduction::kMax;
            for (int64_t k = 0; k < n; ++k)
              if (r[k] == r[k] && !(most ? v[k] <= r[k] : v[k] >= r[k])) r[k] = v[k];
          }
        }
        if (how != Reduction::kMean) return;
        for (int64_t i = 0; i < rows; ++i)
          for (int64_t k = begin; count[i] > 1 && k < end; ++k) result[i * width + k] /= static_cast<T>(count[i]);
      });
    }
  });
}
// How many reach each row, for means only: there are no more rows than numbers in a result.
std::vector<int64_t> CountOf(Reduction how, const std::vector<int64_t>& to, int64_t rows) {
  if (how != Reduction::kMean) return {};
  std::vector<int64_t> count(rows, 0);
  for (int64_t r : to) ++count[r];
  return count;
}
// The dtype that rows of x are reduced in.
DataType ReducedType(DataType x) { return IsFloating(x) ? ComputeType(x) : x; }
// The rows x[from[e]], or x[e] where `from` is null.
void ReduceInto(const char* op, Reduction how, const Tensor& x, const std::vector<int64_t>* from,
                const std::vector<int64_t>& to, const std::vector<int64_t>& count, Tensor& out) {
  const Ordered wide_x(x, ReducedType(x.dtype()));
  const Tensor& source = wide_x;
  const int64_t width = x.dim(0) ? x.numel() / x.dim(0) : 0;
  const Widened widened(out, ReducedType(out.dtype()));
  const Tensor& wide = static_cast<Tensor&>(widened);
  ReduceRows(op, how, to, count, wide, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return [&, v = source.data<T>()](int64_t e, int64_t begin, int64_t) {
      return v + (from ? (*from)[e] : e) * width + begin;
    };
  });
}

// Messages of edges: rows of x and of y, whose axes behind the first broadcast.
bool Multiplies(const char* op, const std::string& name) {
  PD_CHECK(name == "ADD" || name == "MUL", InvalidArgument, "[", op, "] expected the message ADD or MUL, got ", name);
  return name == "MUL";
}
Dims RowOf(const Dims& d) { return Dims(d.begin() + 1, d.end()); }
Dims MessageRow(const char* op, const Meta& x, const Meta& y) {
  CheckRows(op, x);
  CheckRows(op, y);
  PD_CHECK(x.dtype == y.dtype, InvalidArgument, "[", op, "] expected x and y of one dtype, got ", NameOf(x.dtype),
           " and ", NameOf(y.dtype));
  return common::BroadcastDims(op, RowOf(x.dims), RowOf(y.dims));
}
// Which element of a row of `dims` each element of the row of `out` it is broadcast to reads; empty: the same.
std::vector<int64_t> BroadcastPlaces(const Ints& dims, const Ints& out) {
  bool same = dims.size() == out.size();
  for (int64_t i = 1; same && i < dims.size(); ++i) same = dims[i] == out[i];
  if (same) return {};
  std::vector<int64_t> places = {0};
  int64_t stride = 1;
  for (int64_t i = 1; i < dims.size(); ++i) stride *= dims[i];
  for (int64_t i = 1; i < out.size(); ++i) {
    const int64_t own = i - (out.size() - dims.size());
    const int64_t extent = own >= 1 ? dims[own] : 1;
    if (own >= 1) stride /= std::max<int64_t>(extent, 1);
    std::vector<int64_t> next;
    next.reserve(places.size() * out[i]);
    for (int64_t p : places)
      for (int64_t k = 0; k < out[i]; ++k) next.push_back(p + (extent == 1 ? 0 : k * stride));
    places = std::move(next);
  }
  return places;
}
// Messages of x and y, which have the dtype they are computed in.
class Messages {
 public:
  Messages(const Tensor& x, const Tensor& y, const std::vector<int64_t>& from, const std::vector<int64_t>* at,
           bool multiply, const Ints& out)
      : x_(x),
        y_(y),
        from_(from),
        at_(at),
        multiply_(multiply),
        x_width_(x.dim(0) ? x.numel() / x.dim(0) : 0),
        y_width_(y.dim(0) ? y.numel() / y.dim(0) : 0),
        x_places_(BroadcastPlaces(x.dims(), out)),
        y_places_(BroadcastPlaces(y.dims(), out)) {}

  // Columns [begin, end) of the message of edge e, to `to`.
  template <class T>
  void Write(int64_t e, int64_t begin, int64_t end, T* to) const {
    const T *a = x_.data<T>() + from_[e] * x_width_, *b = y_.data<T>() + (at_ ? (*at_)[e] : e) * y_width_;
    auto each = [&](auto&& x_at, auto&& y_at) {
      if (multiply_)
        for (int64_t k = begin; k < end; ++k) *to++ = Times(a[x_at(k)], b[y_at(k)]);
      else
        for (int64_t k = begin; k < end; ++k) *to++ = Plus(a[x_at(k)], b[y_at(k)]);
    };
    auto own = [](int64_t k) { return k; };
    if (x_places_.empty() && y_places_.empty())
      each(own, own);
    else
      each([&](int64_t k) { return x_places_.empty() ? k : x_places_[k]; },
           [&](int64_t k) { return y_places_.empty() ? k : y_places_[k]; });
  }

 private:
  // Integers wrap.
  template <class T>
  static T Plus(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
    else
      return a + b;
  }
  template <class T>
  static T Times(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    else
      return a * b;
  }
  const Tensor &x_, &y_;
  const std::vector<int64_t>& from_;
  const std::vector<int64_t>* at_;
  bool multiply_;
  int64_t x_width_, y_width_;
  std::vector<int64_t> x_places_, y_places_;
};

// --- On a device.
// The rows that an index names, as int64.
struct Places {
  std::shared_ptr<void> room;
  int64_t n;
  const int64_t* at() const { return static_cast<int64_t*>(room.get()); }
};
Places PlacesOn(const DeviceForms& d, const char* op, const char* name, const Tensor& index, int64_t rows) {
  Places p{d.Room(index.numel() * 8), index.numel()};
  const int64_t bad = d.Positions(index.dtype(), index.raw_data(), 1, rows, true, p.n,
                                  static_cast<int64_t*>(p.room.get()), false, true);
  PD_CHECK(bad < 0, InvalidArgument, "[", op, "] expected ", name, " from 0 to ", rows - 1, ", got ",
           d.IndexAt(index.dtype(), index.raw_data(), bad));
  return p;
}
// As ReduceRows, of the rows of edges; how many reach each row go to `count`, where that is not null.
void ReduceOn(const DeviceForms& d, Reduction how, const void* edges, const Places& to, const Tensor& out,
              int64_t* count) {
  const DataType t = out.dtype();
  const int64_t n = out.numel(), rows = out.dim(0), width = rows ? n / rows : 0;
  const bool adds = how == Reduction::kSum || how == Reduction::kMean;
  std::shared_ptr<void> room;
  if (!count && how != Reduction::kSum) {
    room = d.Room(rows * 8);
    count = static_cast<int64_t*>(room.get());
  }
  if (count) {
    d.Zero(count, rows * 8);
    d.ForEach("tally", DataType::UNDEFINED, to.n, {to.at(), count}, {to.n, rows});
  }
  if (n == 0) return;
  if (adds) {
    d.Zero(out.raw_data(), n * SizeOf(t));
  } else {
    const bool most = how == Reduction::kMax;
    const double inf = std::numeric_limits<double>::infinity();
    const int64_t low = t == DataType::INT32 ? INT32_MIN : INT64_MIN,
                  high = t == DataType::INT32 ? INT32_MAX : INT64_MAX;
    char element[16];
    StoreScalar(IsFloating(t) ? Scalar(most ? -inf : inf) : Scalar(most ? low : high), t, element);
    d.Fill(SizeOf(t), n, out.raw_data(), element);
  }
  d.Write(t, out.raw_data(), 1, rows, width, to.at(), to.n, edges,
          adds                     ? RowWrite::kAdd
          : how == Reduction::kMin ? RowWrite::kMin
                                   : RowWrite::kMax);
  if (how != Reduction::kSum) d.ForEach(adds ? "over_counts" : "unmet", t, n, {out.raw_data(), count}, {n, width});
}
// Rows of x at `from`, or x where that is null, broadcast to rows of `out`.
std::shared_ptr<void> EdgesOn(const DeviceForms& d, const Tensor& x, const Places* from, const Ints& out) {
  const int64_t size = SizeOf(x.dtype()), own = x.dim(0) ? x.numel() / x.dim(0) : 0, edges = from ? from->n : x.dim(0);
  std::shared_ptr<void> rows(x.raw_data(), [](void*) {});
  if (from) {
    rows = d.Room(edges * own * size);
    d.Read(size, x.raw_data(), 1, x.dim(0), own, from->at(), edges, rows.get());
  }
  Ints dims = out, strides(out.size(), 0), to(out.size(), 1);
  dims[0] = edges;
  int64_t step = 1;
  for (int64_t i = 1; i < x.ndim(); ++i) {
    const int64_t k = x.ndim() - i, axis = out.size() - i;
    if (k < 1 || axis < 1) break;
    strides[axis] = x.dim(k) == 1 ? 0 : step;
    step *= x.dim(k);
  }
  strides[0] = own;
  for (int64_t i = out.size() - 1; i > 0; --i) to[i - 1] = to[i] * dims[i];
  if (strides == to) return rows;
  const auto whole = d.Room(common::Product(dims) * size);
  d.Copy(size, dims, rows.get(), strides, whole.get(), to);
  return whole;
}
// Messages of n elements in all, in the rows of `out`.
std::shared_ptr<void> MessagesOn(const DeviceForms& d, const Tensor& x, const Tensor& y, const Places& from,
                                 const Places* at, bool multiply, const Ints& out) {
  const auto a = EdgesOn(d, x, &from, out), b = EdgesOn(d, y, at, out);
  const int64_t rows = common::Product(out) == 0 ? 0 : common::Product(out) / out[0], n = from.n * rows;
  auto to = d.Room(n * SizeOf(x.dtype()));
  d.ForEach("combine", x.dtype(), n, {a.get(), b.get(), to.get()}, {n, multiply});
  return to;
}
void CheckSameEdges(const char* op, const Tensor& src, const Tensor& dst) {
  PD_CHECK(src.numel() == dst.numel(), InvalidArgument, "[", op,
           "] expected a source and a destination for each edge, got ", src.numel(), " and ", dst.numel());
}
// Reduces the rows of edges to `out` and, of a mean, how many there are to `dst_count`.
void ReceiveOn(const DeviceForms& d, Reduction how, const void* edges, const Places& to, const Tensor& out,
               const Tensor& dst_count) {
  const bool mean = how == Reduction::kMean;
  const auto count = d.Room(out.dim(0) * 8);
  ReduceOn(d, how, edges, to, out, mean ? static_cast<int64_t*>(count.get()) : nullptr);
  if (mean) d.ForEach("narrow", DataType::INT32, out.dim(0), {count.get(), dst_count.raw_data()}, {out.dim(0)});
}

void CheckEdges(const char* op, const Meta& src, const Meta& dst) {
  CheckIndex(op, "src_index", src);
  CheckIndex(op, "dst_index", dst);
  PD_CHECK(!common::CertainlyDiffer(src.dims[0], dst.dims[0]), InvalidArgument, "[", op,
           "] expected a source and a destination for each edge, got shapes ", common::ShapeText(src.dims), " and ",
           common::ShapeText(dst.dims));
}
// The rows that messages are reduced to: as many as `rows` where the size is not positive.
Dim ReducedRows(const IntArray& size, Dim rows) {
  if (size.empty()) return rows;
  if (!size[0].known()) return common::NewSymbol();
  return size[0].value() > 0 ? Dim(size[0].value()) : rows;
}

}  // namespace

void send_u_recv_infer(const Meta& x, const Meta& src, const Meta& dst, const std::string& how, const IntArray& size,
                       Meta& out, Meta& count) {
  CheckRows("send_u_recv", x);
  CheckEdges("send_u_recv", src, dst);
  const bool mean = ReductionOf("send_u_recv", how) == Reduction::kMean;
  out = x;
  out.dims[0] = ReducedRows(size, x.dims[0]);
  count = {Dims{mean ? out.dims[0] : Dim(0)}, DataType::INT32};
}
void send_u_recv_kernel(const Tensor& x, const Tensor& src, const Tensor& dst, const std::string& how, const Ints&,
                        Tensor& out, Tensor& dst_count) {
  const Reduction reduction = ReductionOf("send_u_recv", how);
  if (const DeviceForms* d = FormsHere()) {
    CheckSameEdges("send_u_recv", src, dst);
    const Places from = PlacesOn(*d, "send_u_recv", "src_index", src, x.dim(0)),
                 to = PlacesOn(*d, "send_u_recv", "dst_index", dst, out.dim(0));
    const auto edges = EdgesOn(*d, x, &from, x.dims());
    return ReceiveOn(*d, reduction, edges.get(), to, out, dst_count);
  }
  const std::vector<int64_t> from = Within("send_u_recv", "src_index", src, x.dim(0)),
                             to = Within("send_u_recv", "dst_index", dst, out.dim(0)),
                             count = CountOf(reduction, to, out.dim(0));
  PD_CHECK(from.size() == to.size(), InvalidArgument,
           "[send_u_recv] expected a source and a destination for each edge, got ", from.size(), " and ", to.size());
  ReduceInto("send_u_recv", reduction, x, &from, to, count, out);
  std::copy(count.begin(), count.end(), dst_count.data<int32_t>());
}

void send_uv_infer(const Meta& x, const Meta& y, const Meta& src, const Meta& dst, const std::string& message,
                   Meta& out) {
  Multiplies("send_uv", message);
  CheckEdges("send_uv", src, dst);
  const Dims row = MessageRow("send_uv", x, y);
  out = {Dims{src.dims[0]}, x.dtype};
  for (const Dim& d : row) out.dims.push_back(d);
}
void send_uv_kernel(const Tensor& x, const Tensor& y, const Tensor& src, const Tensor& dst, const std::string& message,
                    Tensor& out) {
  if (const DeviceForms* d = FormsHere()) {
    CheckSameEdges("send_uv", src, dst);
    const Places from = PlacesOn(*d, "send_uv", "src_index", src, x.dim(0)),
                 to = PlacesOn(*d, "send_uv", "dst_index", dst, y.dim(0));
    const auto edges = MessagesOn(*d, x, y, from, &to, Multiplies("send_uv", message), out.dims());
    const int64_t n[] = {out.numel()}, one[] = {1};
    return d->Copy(SizeOf(out.dtype()), n, edges.get(), one, out.raw_data(), one);
  }
  const std::vector<int64_t> from = Within("send_uv", "src_index", src, x.dim(0)),
                             to = Within("send_uv", "dst_index", dst, y.dim(0));
  PD_CHECK(from.size() == to.size(), InvalidArgument,
           "[send_uv] expected a source and a destination for each edge, got ", from.size(), " and ", to.size());
  const Messages messages(x, y, from, &to, Multiplies("send_uv", message), out.dims());
  const int64_t edges = out.dim(0), width = edges ? out.numel() / edges : 0;
  cpu::DispatchReal("send_uv", out.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (!std::is_same_v<T, bool>) {
      const int64_t grain = std::max<int64_t>(1, cpu::kGrain / std::max<int64_t>(1, width));
      cpu::ParallelFor(0, edges, grain, [&](int64_t begin, int64_t end) {
        for (int64_t e = begin; e < end; ++e) messages.Write(e, 0, width, out.data<T>() + e * width);
      });
    }
  });
}
void send_ue_recv_infer(const Meta& x, const Meta& y, const Meta& src, const Meta& dst, const std::string& message,
                        const std::string& how, const IntArray& size, Meta& out, Meta& count) {
  Multiplies("send_ue_recv", message);
  CheckEdges("send_ue_recv", src, dst);
  const Dims row = MessageRow("send_ue_recv", x, y);
  PD_CHECK(!common::CertainlyDiffer(y.dims[0], src.dims[0]), InvalidArgument,
           "[send_ue_recv] expected a row of y for each of ", common::DimText(src.dims[0]), " edges, got shape ",
           common::ShapeText(y.dims));
  const bool mean = ReductionOf("send_ue_recv", how) == Reduction::kMean;
  out = {Dims{ReducedRows(size, x.dims[0])}, x.dtype};
  for (const Dim& d : row) out.dims.push_back(d);
  count = {Dims{mean ? out.dims[0] : Dim(0)}, DataType::INT32};
}
void send_ue_recv_kernel(const Tensor& x, const Tensor& y, const Tensor& src, const Tensor& dst,
                         const std::string& message, const std::string& how, const Ints&, Tensor& out,
                         Tensor& dst_count) {
  const Reduction reduction = ReductionOf("send_ue_recv", how);
  if (const DeviceForms* d = FormsHere()) {
    CheckSameEdges("send_ue_recv", src, dst);
    PD_CHECK(src.numel() == y.dim(0), InvalidArgument, "[send_ue_recv] expected a row of y for each of ", src.numel(),
             " edges, got ", y.dim(0));
    const Places from = PlacesOn(*d, "send_ue_recv", "src_index", src, x.dim(0)),
                 to = PlacesOn(*d, "send_ue_recv", "dst_index", dst, out.dim(0));
    const auto edges = MessagesOn(*d, x, y, from, nullptr, Multiplies("send_ue_recv", message), out.dims());
    return ReceiveOn(*d, reduction, edges.get(), to, out, dst_count);
  }
  const std::vector<int64_t> from = Within("send_ue_recv", "src_index", src, x.dim(0)),
                             to = Within("send_ue_recv", "dst_index", dst, out.dim(0)),
                             count = CountOf(reduction, to, out.dim(0));
  PD_CHECK(from.size() == to.size() && static_cast<int64_t>(from.size()) == y.dim(0), InvalidArgument,
           "[send_ue_recv] expected a source, a destination and a row of y for each edge, got ", from.size(), ", ",
           to.size(), " and ", y.dim(0));
  const Messages messages(x, y, from, nullptr, Multiplies("send_ue_recv", message), out.dims());
  ReduceRows("send_ue_recv", reduction, to, count, out, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return [&, row = std::vector<T>()](int64_t e, int64_t begin, int64_t end) mutable {
      row.resize(end - begin);
      messages.Write(e, begin, end, row.data());
      return static_cast<const T*>(row.data());
    };
  });
  std::copy(count.begin(), count.end(), dst_count.data<int32_t>());
}

void segment_pool_infer(const Meta& x, const Meta& ids, const std::string& how, Meta& out, Meta& counts) {
  CheckRows("segment_pool", x);
  CheckIndex("segment_pool", "segment_ids", ids);
  const Reduction reduction = ReductionOf("segment_pool", how);
  PD_CHECK(!common::CertainlyDiffer(ids.dims[0], x.dims[0]), InvalidArgument,
           "[segment_pool] expected a segment number for each of ", common::DimText(x.dims[0]), " rows, got shape ",
           common::ShapeText(ids.dims));
  out = x;
  out.dims[0] = common::NewSymbol();
  counts = {reduction == Reduction::kMean ? Dims{out.dims[0], Dim(1)} : Dims{Dim(0)}, x.dtype};
}
void segment_pool_kernel(const Tensor& x, const Tensor& ids, const std::string& how, Tensor& out, Tensor& counts) {
  const std::vector<int64_t> all = ToIntVector(ids);
  PD_CHECK(static_cast<int64_t>(all.size()) == x.dim(0), InvalidArgument,
           "[segment_pool] expected a segment number for each of ", x.dim(0), " rows, got ", all.size());
  PD_CHECK(all.empty() || (all.back() >= 0 && all.back() < INT64_MAX), InvalidArgument,
           "[segment_pool] expected segment numbers from 0 to ", INT64_MAX - 1, ", got ", all.back());
  const int64_t rows = all.empty() ? 0 : all.back() + 1;
  const DeviceForms* const d = FormsHere();
  const std::vector<int64_t> to = Within("segment_pool", "segment numbers", ids, rows);
  const Reduction reduction = ReductionOf("segment_pool", how);
  Ints dims = x.dims();
  dims[0] = rows;
  EnsureOut(out, dims, x.dtype());
  const bool mean = reduction == Reduction::kMean;
  EnsureOut(counts, mean ? Ints{rows, 1} : Ints{0}, x.dtype());
  if (d) {
    const ScratchTensor count({rows, 1}, DataType::INT64);
    const Ordered wide_x(x, ReducedType(x.dtype()));
    const Widened wide(out, ReducedType(out.dtype()));
    ReduceOn(*d, reduction, static_cast<const Tensor&>(wide_x).raw_data(),
             PlacesOn(*d, "segment_pool", "segment numbers", ids, rows), static_cast<Tensor&>(wide),
             mean ? count.tensor.data<int64_t>() : nullptr);
    if (mean) CopyInto(Ordered(count.tensor, counts.dtype()), counts);
    return;
  }
  const std::vector<int64_t> count = CountOf(reduction, to, rows);
  ReduceInto("segment_pool", reduction, x, nullptr, to, count, out);
  if (!mean) return;
  Convert(DataType::INT64, count.data(), 1, counts.dtype(), counts.raw_data(), 1, rows);
}

}  // namespace phi
