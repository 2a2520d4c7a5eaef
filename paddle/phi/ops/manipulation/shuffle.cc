// SPDX-License-Identifier: Apache-2.0
// Channels and pixels rearranged.
#include "paddle/phi/infer/rules.h"
#include "paddle/phi/ops/indexing/axis.h"
#include "paddle/phi/primitives/copy.h"
#include "paddle/phi/primitives/elementwise.h"

namespace phi {
namespace {

bool ChannelsLast(const char* op, const Meta& x, const std::string& format) {
  PD_CHECK(x.dims.size() == 4, InvalidArgument, "[", op, "] expected an input of 4 axes, got shape ",
           common::ShapeText(x.dims));
  PD_CHECK(format == "NCHW" || format == "NHWC", InvalidArgument, "[", op, "] expected data_format NCHW or NHWC, got ",
           format);
  return format == "NHWC";
}

}  // namespace

void pixel_shuffle_infer(const Meta& x, int64_t factor, const std::string& format, Meta& out) {
  bool last = ChannelsLast("pixel_shuffle", x, format);
  int64_t c = last ? 3 : 1, h = last ? 1 : 2;
  CheckWindow("pixel_shuffle", "upscale_factor", Ints{factor}, 1);
  PD_CHECK(!x.dims[c].known() || x.dims[c].raw() % (factor * factor) == 0, InvalidArgument,
           "[pixel_shuffle] expected channels divisible by the square of upscale_factor ", factor, ", got ",
           common::DimText(x.dims[c]));
  out = x;
  out.dims[c] = common::Div(x.dims[c], Dim(factor * factor));
  out.dims[h] = x.dims[h] * Dim(factor);
  out.dims[h + 1] = x.dims[h + 1] * Dim(factor);
}

void pixel_unshuffle_infer(const Meta& x, int64_t factor, const std::string& format, Meta& out) {
  bool last = ChannelsLast("pixel_unshuffle", x, format);
  CheckWindow("pixel_unshuffle", "downscale_factor", Ints{factor}, 1);
  int64_t c = last ? 3 : 1, h = last ? 1 : 2;
  for (int64_t a : {h, h + 1})
    PD_CHECK(!x.dims[a].known() || x.dims[a].raw() % factor == 0, InvalidArgument,
             "[pixel_unshuffle] expected extents divisible by downscale_factor ", factor, ", got shape ",
             common::ShapeText(x.dims));
  out = x;
  out.dims[c] = x.dims[c] * Dim(factor * factor);
  out.dims[h] = common::Div(x.dims[h], Dim(factor));
  out.dims[h + 1] = common::Div(x.dims[h + 1], Dim(factor));
}

void channel_shuffle_infer(const Meta& x, int64_t groups, const std::string& format, Meta& out) {
  int64_t c = ChannelsLast("channel_shuffle", x, format) ? 3 : 1;
  PD_CHECK(groups > 0 && (!x.dims[c].known() || x.dims[c].raw() % groups == 0), InvalidArgument,
           "[channel_shuffle] expected channels divisible by groups ", groups, ", got ", common::DimText(x.dims[c]));
  out = x;
}

}  // namespace phi
