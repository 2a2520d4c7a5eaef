# SPDX-License-Identifier: Apache-2.0
"""Rows of convolution and pooling, paddle.vision.ops and paddle.geometric."""


def conv_pool(row):
    s = 'conv'
    pads = (
        '{|, padding=1|, padding="SAME"|, padding="VALID"|, padding=[1, 2]|, padding=[1, '
        '0, 2, 1]|, padding=[[0, 0], [0, 0], [1, 2], [0, 1]]|, padding=-1}'
    )
    row(
        s,
        'F.conv2d(x, w{|, b}{|, stride=2|, stride=[2, 1]}'
        + pads
        + '{|, dilation=2|, dilation=[1, 2]})',
        'x:2,4,6,7 w:3,4,3,2 b:3; x:0,4,6,6 w:3,4,3,3 b:3; x:1,4,5,5 w:2,4,1,1 b:2; x:2,4,1,1 '
        'w:3,4,3,3 b:3',
        'F',
        tolerance=2,
        torch=False,
    )
    row(
        s,
        'F.conv2d(x, w{|, b}, groups=2{|, padding=1, stride=2|, groups=4})'.replace(
            '|, groups=4', ''
        ),
        'x:2,4,6,7 w:6,2,3,3 b:6',
        'D',
        tolerance=2,
        torch=False,
    )
    row(
        s,
        'F.conv2d(x, w, b, groups=4{|, padding=1, stride=2|, padding="SAME", dilation=2})',
        'x:2,4,6,7 w:4,1,3,3 b:4; x:2,4,6,7 w:8,1,3,3 b:8',
        'D',
        tolerance=2,
        torch=False,
    )
    row(
        s,
        'F.conv2d(x, w, b{|, padding=1|, stride=2|, padding=[[0, 0], [1, 2], [0, 1], [0, 0]]|'
        ', padding="SAME"}, data_format="NHWC")',
        'x:2,6,7,4 w:3,4,3,2 b:3',
        'D',
        tolerance=2,
        torch=False,
    )
    row(
        s,
        'F.conv1d(x, w{|, b}{|, stride=2}{|, padding=1|, padding="SAME"|, padding=[1]|, '
        'padding=[1, 2]|, padding="VALID"}{|, dilation=2})',
        'x:2,4,9 w:3,4,3 b:3; x:0,4,9 w:3,4,3 b:3',
        'F',
        tolerance=2,
        torch=False,
    )
    row(
        s,
        'F.conv1d(x, w, b{|, padding=1|, padding="SAME"|, stride=2}, data_format="NLC")',
        'x:2,9,4 w:3,4,3 b:3',
        'D',
        tolerance=2,
        torch=False,
    )
    row(s, 'F.conv1d(x, w, b, groups=2{|, padding=1})', 'x:2,4,9 w:6,2,3 b:6', 'D', tolerance=2)
    row(
        s,
        'F.conv3d(x, w{|, b}{|, stride=2}{|, padding=1|, padding="SAME"|, padding=[1, 0, 1]|'
        ', padding=[1, 0, 0, 1, 2, 0]}{|, dilation=2})',
        'x:1,2,5,6,5 w:3,2,2,3,2 b:3',
        'D',
        tolerance=2,
        torch=False,
    )
    row(
        s,
        'F.conv3d(x, w, b{|, padding=1}, data_format="NDHWC")',
        'x:1,4,5,4,2 w:3,2,2,3,2 b:3',
        'D',
        tolerance=2,
        torch=False,
    )
    tr = (
        '{|, b}{|, stride=2|, stride=3}{|, padding=1|, padding="SAME"|, padding="VALID"}{|, '
        'dilation=2}'
    )
    row(
        s,
        f'F.conv2d_transpose(x, w{tr}{{|, output_padding=0}})',
        'x:2,4,4,5 w:4,3,3,2 b:3; x:0,4,4,4 w:4,3,3,3 b:3',
        'D',
        tolerance=2,
        torch=False,
    )
    row(
        s,
        'F.conv2d_transpose(x, w, b, stride=2{|, output_padding=1|, output_size=[10, 11]|'
        ', padding=[1, 0], output_padding=[1, 0]|, output_size=9|, padding=[1, 0, 0, 1]})',
        'x:2,4,4,5 w:4,3,3,3 b:3',
        'D',
        tolerance=2,
        torch=False,
    )
    row(
        s,
        'F.conv2d_transpose(x, w, b, groups=2{|, stride=2}{|, padding=1})',
        'x:2,4,4,5 w:4,3,3,3 b:6',
        'D',
        tolerance=2,
        torch=False,
    )
    row(
        s,
        'F.conv2d_transpose(x, w, b{|, stride=2}{|, padding=1}, data_format="NHWC")',
        'x:2,4,5,4 w:4,3,3,3 b:3',
        'D',
        tolerance=2,
        torch=False,
    )
    row(s, f'F.conv1d_transpose(x, w{tr})', 'x:2,4,5 w:4,3,3 b:3', 'D', tolerance=2, torch=False)
    row(
        s,
        'F.conv1d_transpose(x, w, b, stride=2{|, output_padding=1|, output_size=[12]|, groups=1|, '
        'data_format="NCL"})',
        'x:2,4,5 w:4,3,3 b:3',
        'D',
        tolerance=2,
        torch=False,
    )
    row(
        s,
        'F.conv1d_transpose(x, w, b, data_format="NLC"{|, stride=2})',
        'x:2,5,4 w:4,3,3 b:3',
        'D',
        tolerance=2,
        torch=False,
    )
    row(
        s,
        f'F.conv3d_transpose(x, w{tr})',
        'x:1,2,3,4,3 w:2,3,2,3,2 b:3',
        'D',
        tolerance=2,
        torch=False,
    )
    row(
        s,
        'F.conv3d_transpose(x, w, b, stride=2{|, output_padding=1|, output_size=[7, 9, 7]|, '
        'data_format="NCDHW"})',
        'x:1,2,3,4,3 w:2,3,2,3,2 b:3',
        'D',
        tolerance=2,
        torch=False,
    )
    row(
        s,
        'paddle.vision.ops.deform_conv2d(x, o, w{|, b}{|, padding=1}{|, mask=m})'.replace(
            '{|, padding=1}', ', padding=1'
        ),
        'x:1,2,4,4 o:1,18,4,4~-1~1 w:3,2,3,3 b:3 m:1,9,4,4~0~1',
        'f4',
        tolerance=8,
        torch=False,
    )
    row(
        s,
        'F.linear(x, w{|, b})',
        'x:2,3 w:3,4 b:4; x:5,2,3 w:3,4 b:4; x:0,3 w:3,4 b:4; x:3 w:3,4 b:4; x:2,3 w:4,3 b:3',
        'F',
        tolerance=2,
        torch=False,
    )
    row(s, 'F.bilinear(x, y, w{|, b})', 'x:2,3 y:2,4 w:5,3,4 b:1,5', 'D', tolerance=2, torch=False)
    s = 'pool'
    pool = (
        '{2|3|(2, 3)}{|, stride=1|, stride=(2, 1)}{|, padding=1|, padding="SAME"|, '
        'padding="VALID"|, padding=[1, 0]|, padding=[1, 0, 0, 1]}{|, ceil_mode=True}'
    )
    row(
        s,
        f'F.max_pool2d(x, {pool}{{|, return_mask=True}})',
        'x:2,3,7,6%distinct; x:0,3,7,6',
        'F',
        torch=False,
    )
    row(
        s,
        f'F.avg_pool2d(x, {pool}{{|, exclusive=False}}{{|, divisor_override=3}})',
        'x:2,3,7,6; x:0,3,7,6',
        'F',
        torch=False,
    )
    row(
        s,
        'F.{max_pool2d|avg_pool2d}(x, 2{|, 1|, padding=1|, ceil_mode=True}, data_format="NHWC")',
        'x:2,7,6,3%distinct',
        'D',
        torch=False,
    )
    p1 = (
        '{2|3}{|, stride=1}{|, padding=1|, padding="SAME"|, padding="VALID"|, '
        'padding=[1]}{|, ceil_mode=True}'
    )
    row(s, f'F.max_pool1d(x, {p1}{{|, return_mask=True}})', 'x:2,3,7%distinct', 'F', torch=False)
    row(s, f'F.avg_pool1d(x, {p1}{{|, exclusive=False}})', 'x:2,3,7', 'F', torch=False)
    p3 = (
        '{2|(2, 3, 2)}{|, stride=1}{|, padding=1|, padding="SAME"|, padding=[1, 0, 1]}{|, '
        'ceil_mode=True}'
    )
    row(
        s, f'F.max_pool3d(x, {p3}{{|, return_mask=True}})', 'x:1,2,5,6,5%distinct', 'D', torch=False
    )
    row(
        s,
        f'F.avg_pool3d(x, {p3}{{|, exclusive=False}}{{|, divisor_override=3}})',
        'x:1,2,5,6,5',
        'D',
        torch=False,
    )
    row(
        s,
        'F.{max_pool3d|avg_pool3d}(x, 2{|, 1}, data_format="NDHWC")',
        'x:1,5,6,5,2%distinct',
        'D',
        torch=False,
    )
    row(
        s,
        'F.{adaptive_avg_pool2d|adaptive_max_pool2d}(x, {3|1|[2, 4]|[None, 3]|9})',
        'x:2,3,7,6%distinct; x:0,3,7,6; x:2,3,7,6/t',
        'F',
        torch=False,
    )
    row(
        s,
        'F.adaptive_max_pool2d(x, {3|[2, 4]}, return_mask=True)',
        'x:2,3,7,6%distinct',
        'F',
        torch=False,
    )
    row(
        s, 'F.adaptive_avg_pool2d(x, {3|[2, 4]}, data_format="NHWC")', 'x:2,7,6,3', 'D', torch=False
    )
    row(s, 'F.{adaptive_avg_pool1d|adaptive_max_pool1d}(x, {3|1|7|9})', 'x:2,3,7%distinct', 'F')
    row(s, 'F.adaptive_max_pool1d(x, 3, return_mask=True)', 'x:2,3,7%distinct', 'D', torch=False)
    row(
        s,
        'F.{adaptive_avg_pool3d|adaptive_max_pool3d}(x, {3|1|[2, 4, 3]|[None, 3, 2]})',
        'x:1,2,5,6,5%distinct',
        'D',
        torch=False,
    )
    row(
        s,
        'F.{lp_pool1d}(x, {2|3|1|float("inf")}, 2{|, stride=1}{|, padding=1}{|, ceil_mode=True})',
        'x:2,3,7~0.1~2',
        'D',
        torch=False,
    )
    row(
        s,
        'F.{lp_pool2d}(x, {2|3|1|float("inf")}, {2|[2, 3]}{|, stride=1}{|, padding=1}{|, '
        'ceil_mode=True})',
        'x:2,3,7,6~0.1~2',
        'D',
        torch=False,
    )
    row(
        s,
        'F.max_unpool2d(*F.max_pool2d(x, 2, return_mask=True), 2{|, stride=2|, output_size=[7, '
        '6]|, padding=0})',
        'x:2,3,6,6%distinct',
        'D',
        torch=False,
    )
    row(
        s,
        'F.max_unpool1d(*F.max_pool1d(x, 2, return_mask=True), 2{|, output_size=[7]})',
        'x:2,3,6%distinct',
        'D',
        torch=False,
    )
    row(
        s,
        'F.max_unpool3d(*F.max_pool3d(x, 2, return_mask=True), 2)',
        'x:1,2,4,4,4%distinct',
        'D',
        torch=False,
    )
    row(
        s,
        'F.fractional_max_pool2d(x, {3|[2, 3]}{|, kernel_size=2}, random_u=0.3{|, '
        'return_mask=True})',
        'x:1,2,7,6%distinct',
        'D',
        torch=False,
    )
    row(
        s,
        'F.fractional_max_pool3d(x, {3|[2, 3, 2]}{|, kernel_size=2}, random_u=0.3{|, '
        'return_mask=True})',
        'x:1,2,7,6,5%distinct',
        'D',
        torch=False,
    )
    s = 'interpolate, pad, fold'
    row(
        s,
        'F.{interpolate|upsample}(x, {[5, 7]|[2, 3]|size=[8, '
        '12]|scale_factor=2|scale_factor=[1.5, 0.5]|None, 2.5}{, mode="nearest"|, '
        'mode="bilinear"|, mode="bicubic"|, mode="area"}{|, align_corners=True}{|, '
        'align_mode=1})',
        'x:2,3,4,6; x:1,2,3,3',
        'D',
        tolerance=8,
        torch=False,
    )
    row(
        s,
        'F.interpolate(x, {[5, 7]|scale_factor=2}{, mode="nearest"|, mode="bilinear"|, '
        'mode="bicubic"}{|, align_corners=True}, data_format="NHWC")',
        'x:2,4,6,3',
        'f4',
        tolerance=8,
        torch=False,
    )
    row(
        s,
        'F.interpolate(x, {[7]|scale_factor=1.5|[2]}{, mode="linear"|, mode="nearest"}{|, '
        'align_corners=True}{|, align_mode=1})',
        'x:2,3,4',
        'D',
        tolerance=8,
        torch=False,
    )
    row(
        s,
        'F.interpolate(x, {[3, 5, 7]|scale_factor=2}{, mode="trilinear"|, mode="nearest"}{|, '
        'align_corners=True}{|, align_mode=1})',
        'x:1,2,2,4,6',
        'D',
        tolerance=8,
        torch=False,
    )
    row(
        s,
        'F.interpolate(x, [5, 7]{|, mode="bilinear"|, mode="bicubic"|, mode="bilinear", '
        'align_corners=True})',
        'x:2,3,4,6',
        'f2 bf i4 u1',
        tolerance=4,
        torch=False,
        cross=True,
    )
    row(
        s,
        'F.pad(x, {[1, 2]|[0, 1, 2, 0]|1|[1, 1, 0, 0, 2, 1, 0, 0]|[-1, 0]|[0, 0, 1]}{|, '
        'mode="constant", value=1.5|, mode="reflect"|, mode="replicate"|, '
        'mode="circular"}{|, pad_from_left_axis=False})',
        'x:2,3,4,5; x:0,3,4,4',
        'F I C B',
        torch=False,
    )
    row(
        s,
        'F.pad(x, {[1, 2]|[0, 1]|1}{|, value=1.5|, mode="reflect"|, mode="replicate"|, '
        'mode="circular"}{|, data_format="NLC"|, data_format="NCL"})',
        'x:2,3,4',
        'f4 i4',
        torch=False,
    )
    row(
        s,
        'F.pad(x, {[1, 2, 0, 1]|[1, 1, 1, 1]|2}{|, value=1.5|, mode="reflect"|, mode="replicate"|'
        ', mode="circular"}{|, data_format="NHWC"})',
        'x:2,4,5,4',
        'f4 i4',
        torch=False,
    )
    row(
        s,
        'F.pad(x, {[1, 2, 0, 1, 1, 1]|1}{|, value=1.5|, mode="reflect"|, mode="replicate"|, '
        'mode="circular"}{|, data_format="NDHWC"|, data_format="NCDHW"})',
        'x:1,3,4,3,3',
        'f4',
        torch=False,
    )
    row(s, 'F.pad(x, {[1, 2]|[0, 1, 2, 0]|[1]|1})', 'x:2,3; x:3; x:', 'f4 i8', torch=False)
    row(
        s,
        'F.zeropad2d(x, {[1, 2, 0, 1]|1}{|, data_format="NHWC"})',
        'x:2,3,4,5',
        'D i4',
        torch=False,
    )
    row(
        s,
        'F.unfold(x, {2|[2, 3]}{|, 2|, [1, 2]}{|, paddings=1|, paddings=[1, 0]|, '
        'paddings=[1, 0, 0, 1]}{|, dilations=2})',
        'x:2,3,6,7; x:0,3,6,7',
        'F',
        torch=False,
    )
    row(s, 'F.fold(x, [5, 6], 2{|, strides=1}{|, paddings=0})', 'x:2,12,20', 'F', torch=False)
    row(
        s,
        'F.fold(x, {[4, 4]|4}, [2, 2], 2{|, paddings=0|, dilations=1})',
        'x:2,12,4',
        'D',
        torch=False,
    )
    row(s, 'F.{pixel_shuffle}(x, 2{|, "NHWC"})', 'x:2,4,3,4; x:2,8,2,4', 'F', torch=False)
    row(s, 'F.{pixel_unshuffle}(x, 2{|, "NHWC"})', 'x:2,4,4,2; x:2,3,6,4', 'F', torch=False)
    row(s, 'F.channel_shuffle(x, 2{|, "NHWC"})', 'x:2,4,3,4', 'F', torch=False)
    row(
        s,
        'F.temporal_shift(x, 2{|, 0.5|, shift_ratio=0.1}{|, data_format="NHWC"})',
        'x:4,4,3,4',
        'F',
        torch=False,
    )
    row(s, 'F.affine_grid(t, [2, 3, 4, 5]{|, align_corners=False})', 't:2,2,3', 'D')
    row(s, 'F.affine_grid(t, [1, 2, 3, 4, 5]{|, align_corners=False})', 't:1,3,4', 'D')
    row(
        s,
        'F.grid_sample(x, g{|, mode="nearest"}{|, padding_mode="border"|, '
        'padding_mode="reflection"}{|, align_corners=False})',
        'x:2,3,5,6 g:2,4,3,2~-1.4~1.4; x:1,2,3,4,5 g:1,2,3,4,3~-1.3~1.3',
        'D',
        tolerance=4,
        torch=False,
    )


def vision(row):
    s = 'vision.ops'
    turn = 'paddle.vision.transforms.affine('
    rest = ', {90, [0, 0], 1.0|30, [1, 0], 1.2}, [5, 10]{|, "bilinear"}{|, center=(4, 3)})'
    row('vision.transforms', turn + 'x' + rest, 'x:3,7,9~0~1/n', torch=False, tolerance=16)
    array = 'x.numpy().transpose(1, 2, 0)'
    row('vision.transforms', turn + array + rest, 'x:3,7,9~0~1/n', torch=False, tolerance=16)
    box = 'x:2,4,8,8 b:3,4%boxes~0~7/n n:2@i4~1~1'
    boxes = 'x:1,4,8,8 b:3,4%boxes~0~7/n n:1@i4~3~3'
    row(
        s,
        'paddle.vision.ops.roi_align(x, b, n, {2|[2, 3]}{|, 0.5}{|, sampling_ratio=2}{|, '
        'aligned=False})',
        boxes,
        'D',
        tolerance=4,
        torch=False,
    )
    row(
        s,
        'paddle.vision.ops.{roi_pool|psroi_pool}(x, b, n, 2{|, spatial_scale=0.5})',
        boxes,
        'D',
        torch=False,
    )
    row(s, 'paddle.vision.ops.roi_pool(x, b, n, [2, 3])', box, 'D', torch=False)
    row(
        s,
        'paddle.vision.ops.nms(b{|, 0.5|, scores=s|, 0.3, s, c, [0, 1]|, 0.3, s, c, [0, 1], 2|, '
        '0.9})',
        'b:9,4%boxes~0~5/n s:9%distinct/n c:9@i8~0~1',
        'f4',
        torch=False,
    )
    row(
        s,
        'paddle.vision.ops.matrix_nms(b, s, 0.1, {0.0|0.2}, {9|4}, {9|3}{|, use_gaussian=True}{|'
        ', background_label=-1}{|, return_index=True}{|, normalized=False})',
        'b:2,6,4%boxes~0~5/n s:2,3,6~0.05~0.9/n',
        'f4',
        torch=False,
    )
    row(
        s,
        'paddle.vision.ops.box_coder(p, v, t{|, code_type="encode_center_size"}{|, '
        'box_normalized=False})',
        'p:4,4%boxes~0~5/n v:4,4~0.1~0.3/n t:3,4%boxes~0~5/n',
        'D',
        torch=False,
    )
    row(
        s,
        'paddle.vision.ops.box_coder(p, {v|[0.1, 0.1, 0.2, 0.2]}, t, '
        'code_type="decode_center_size"{|, axis=0}{|, box_normalized=False})',
        'p:4,4%boxes~0~5/n v:4,4~0.1~0.3/n t:3,4,4/n',
        'D',
        torch=False,
    )
    row(
        s,
        'paddle.vision.ops.prior_box(x, i, [2.0, 3.0]{|, max_sizes=[4.0, 5.0]}{|, '
        'aspect_ratios=[1.0, 2.0]}{|, flip=True}{|, clip=True}{|, steps=[1.0, 2.0]}{|, '
        'offset=0.2}{|, min_max_aspect_ratios_order=True})',
        'x:1,2,3,3/n i:1,3,9,9/n',
        'f4',
        torch=False,
    )
    row(
        s,
        'paddle.vision.ops.yolo_box(x, i, [2, 3, 4, 5], 2, {0.1|0.5}, 8{|, clip_bbox=False}{|, '
        'scale_x_y=1.2})',
        'x:1,14,3,3/n i:1,2@i4~24~24',
        'D',
        tolerance=4,
        torch=False,
    )
    row(
        s,
        'paddle.vision.ops.yolo_loss(x, b, l, [2, 3, 4, 5], [0, 1], 2, 0.5, 8{|, '
        'use_label_smooth=False}{|, scale_x_y=1.2}{|, gt_score=c})',
        'x:1,14,3,3 b:1,2,4~0.2~0.6/n l:1,2@i4~0~1 c:1,2~0~1/n',
        'D',
        tolerance=8,
        torch=False,
    )
    row(
        s,
        'paddle.vision.ops.distribute_fpn_proposals(b, 2, 5, 4, {40|10}{|, pixel_offset=True}{|, '
        'rois_num=n})',
        'b:6,4%boxes~0~300/n n:2@i4~3~3',
        'f4',
        torch=False,
    )
    row(
        s,
        'paddle.vision.ops.generate_proposals(s, d, i, a, v{|, pre_nms_top_n=6, post_nms_top_n=3}{|'
        ', nms_thresh=0.9}{|, min_size=2.0}{|, pixel_offset=True}{|, return_rois_num=True})',
        's:1,2,3,3%distinct/n d:1,8,3,3~-0.3~0.3/n i:1,2~20~20/n a:3,3,2,4%boxes~0~15/n '
        'v:3,3,2,4~0.5~1/n',
        'f4',
        torch=False,
    )
    s = 'geometric'
    graph = 'x:4,3 a:6@i8~0~3 b:6@i8~0~3; x:4 a:6@i4 b:6@i4; x:4,3 a:0 b:0'
    row(
        s,
        'paddle.geometric.send_u_recv(x, a, b{|, reduce_op="mean"|, reduce_op="max"|, '
        '"min"|, out_size=6|, "sum", 2|, "bad"})',
        graph,
        'F i4 i8',
        torch=False,
    )
    row(
        s,
        'paddle.geometric.send_ue_recv(x, e, a, b{|, "mul"|, message_op="sub"|, message_op="div"}{|'
        ', reduce_op="mean"|, reduce_op="max"|, reduce_op="min"}{|, out_size=5})',
        'x:4,3 e:6,3~1~2 a:6@i8~0~3 b:6@i8~0~3; x:4,3 e:6,1 a:6@i4 b:6@i4',
        'D i4',
        torch=False,
    )
    row(
        s,
        'paddle.geometric.send_uv(x, y, a, b{|, "mul"|, message_op="sub"|, message_op="div"})',
        'x:4,3 y:4,3~1~2 a:6@i8~0~3 b:6@i8~0~3',
        'D i4',
        torch=False,
    )
    row(
        s,
        'paddle.geometric.{segment_sum|segment_mean|segment_max|segment_min}(x, i)',
        'x:5,3 i:5@i8~0~3%sorted; x:5 i:5@i4; x:0,3 i:0; x:5,3 i:5~2~2',
        'F i4 i8',
        torch=False,
    )
    row(
        s,
        'paddle.incubate.{segment_sum|segment_mean|segment_max|segment_min}(x, i)',
        'x:5,3 i:5@i8~0~3%sorted',
        'f4',
        torch=False,
    )
    row(
        s,
        'paddle.incubate.graph_send_recv(x, a, b{|, pool_type="mean"|, "max"|, "min", 5})',
        graph,
        'f4',
        torch=False,
    )
    row(
        s,
        'paddle.geometric.{reindex_graph}(x, n, c)',
        'x:3%distinct n:6~0~9 c:3@i4~2~2',
        'i8 i4',
        torch=False,
    )
    row(
        s,
        'paddle.geometric.reindex_heter_graph(x, [n, n], [c, c])',
        'x:3%distinct n:6~0~9 c:3@i4~2~2',
        'i8 i4',
        torch=False,
    )
    row(
        s,
        'paddle.geometric.sample_neighbors(r, c, i{|, sample_size=9|, return_eids=False})',
        'r:6~0~3 c:5~0~6%sorted i:2~0~3',
        'i8',
        torch=False,
    )


def rare_arguments(row):
    """Rows beside those above: argument kinds, dtypes and forms that few programs use."""

    row(
        'interpolate, pad, fold',
        'F.interpolate(x, {[3, 3]|[7, 9]|scale_factor=2}, '
        'mode={"bilinear"|"nearest"|"area"|"bicubic"}{|, align_mode=1})',
        'x:1,2,4,5',
        'u1 i4 i8 f4',
        cross=True,
        torch=False,
        tolerance=8,
    )
    row(
        'interpolate, pad, fold',
        'F.interpolate(x, {[5]|[9]}, mode="linear", data_format="NCW"{|, align_corners=True})',
        'x:1,2,7',
        'u1 f4',
        cross=True,
        torch=False,
        tolerance=8,
    )
    for n, shape in ((1, '2,3,7'), (2, '2,3,7,6'), (3, '1,2,5,6,7')):
        row(
            'pool',
            f'F.{{max_pool{n}d|avg_pool{n}d}}(x, {{2|3}}, {{2|1|3}}, '
            f'padding={{"SAME"|"VALID"}}{{|, ceil_mode=True}})',
            f'x:{shape}%distinct',
            torch=False,
            tolerance=2,
        )
        row(
            'pool',
            f'F.max_pool{n}d(x, {{2|3}}, {{2|1|3}}, padding={{"SAME"|"VALID"}}, return_mask=True)',
            f'x:{shape}%distinct',
            torch=False,
        )
        row(
            'interpolate, pad, fold',
            f'F.pad(x, {[1, 0] * n}, value={{7|2 ** 62 + 1|-2 ** 63}})',
            f'x:{shape}@i8',
            torch=False,
        )


def add_rows(row):
    for rows in (conv_pool, vision, rare_arguments):
        rows(row)
