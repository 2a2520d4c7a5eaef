# SPDX-License-Identifier: Apache-2.0
"""Samples of old operations: `kinds | inputs | attributes | lists of results`.

Inputs are cases of call_samples.py under the names the operation declares; `X__0 X__1` are the
tensors of a list X, `@i8` and `~0~5` the dtype and range. Attributes are Python keywords. `Out=3`
says how many results a list has, `Scale` that a result that may be left out is wanted, `-Out` that
a result is not compared (random numbers), `*` that results are written where inputs of their name
are. `_lod` has lengths of sequences, `_coo` and `_array` name inputs and results that are sparse
tensors, and arrays of tensors. Indented lines go on with the row.
"""

UNARY = """
abs ceil cos cosh digamma erf exp expm1 floor log_softmax logsigmoid mish relu relu6 round selu
sigmoid sign silu sin sinh softmax softplus softshrink softsign square stanh swish tan tanh
tanh_shrink thresholded_relu trunc hard_shrink hard_sigmoid hard_swish gelu leaky_relu elu celu
brelu asinh atan isfinite_v2 isinf_v2 isnan_v2 is_empty mean squared_l2_norm l1_norm logsumexp
reciprocal scale share_data assign fill_any fill_any_like
cumsum logcumsumexp frobenius_norm p_norm pow logit exponential angle conj real
c_identity mp_allreduce_sum
reduce_sum reduce_mean reduce_max reduce_min reduce_prod reduce_amax reduce_amin
fake_quantize_abs_max
fake_quantize_dequantize_abs_max fake_channel_wise_quantize_abs_max
fake_channel_wise_quantize_dequantize_abs_max identity_loss label_smooth
"""

ROWS = r"""
asin acos atanh erfinv | X:2,3~-0.9~0.9 |
acosh | X:2,3~1.1~3 |
log log10 log1p log2 rsqrt sqrt lgamma | X:2,3~0.2~3 |
i0 i0e i1 i1e gammaln rint | x:2,3~0.2~3 |
polygamma | x:2,3~0.2~3 | n=1
gammaincc nextafter copysign trunc_divide | x:2,3~0.5~3 y:2,3~0.5~3 |
bitwise_left_shift bitwise_right_shift | x:2,3@i4~0~9 y:2,3@i4~0~4 | is_arithmetic=True
logit | X:2,3~0.1~0.9 | eps=1e-6
imag real conj angle | X:2,3@c8 |
scale | X:2,3; X:2,3@i8 | scale=2.0, bias=1.0, bias_after_scale=False
scale | X:2,3 ScaleTensor:1 | bias=1.0
pow | X:2,3~0.5~2 | factor=2.5
pow | X:2,3~0.5~2 FactorTensor:1 |
clip | X:2,3 | min=-0.5, max=0.7
clip | X:2,3 Min:1~-1~-0.5 Max:1~0.5~1 | min=0.0, max=0.0
clip_by_norm | X:2,3 | max_norm=0.5
maxout | X:2,4,3,3 | groups=2
cumprod | X:2,3 | dim=1
cumsum | X:2,3 | axis=1, reverse=True, exclusive=True
cumsum | X:2,3 | flatten=True
logcumsumexp | X:2,3 | axis=1, reverse=True
logcumsumexp | X:2,3 | flatten=True
cummax cummin | x:2,3 | axis=1, dtype=3
cast | X:2,3 | in_dtype=5, out_dtype=6
cast | X:2,3 | in_dtype=5, out_dtype=2
elementwise_add elementwise_sub elementwise_mul elementwise_div elementwise_max elementwise_min
    grad_add | X:2,3 Y:2,3; X:2,3,4 Y:4 |
elementwise_add elementwise_sub elementwise_mul elementwise_div elementwise_max elementwise_min
    elementwise_mod | X:2,3,4 Y:3 | axis=1
elementwise_pow | X:2,3~0.5~2 Y:2,3 |
elementwise_floordiv elementwise_mod | X:2,3@i4~1~9 Y:2,3@i4~1~4 |
elementwise_mod | X:2,3 Y:2,3~0.5~1 |
elementwise_fmax elementwise_fmin elementwise_heaviside | X:2,3 Y:2,3 |
equal not_equal less_than less_equal greater_than greater_equal | X:2,3 Y:2,3; X:2,3@i4 Y:2,3@i4;
    X:2,3 Y:3 |
equal_all | X:2,3 Y:2,3 |
allclose isclose | Input:2,3 Other:2,3 | rtol='1e-5', atol='1e-8', equal_nan=False
logical_and logical_or logical_xor | X:2,3@b Y:2,3@b |
logical_not bitwise_not | X:2,3@b |
bitwise_and bitwise_or bitwise_xor | X:2,3@i4 Y:2,3@i4 |
bitwise_not | X:2,3@i4 |
atan2 | X1:2,3 X2:2,3 |
complex | X:2,3 Y:2,3 |
as_complex | X:2,3,2 |
as_real | X:2,3@c8 |
lerp | X:2,3 Y:2,3 Weight:2,3 |
addmm | Input:2,4 X:2,3 Y:3,4 | Alpha=2.0, Beta=0.5
baddbmm | Input:5,2,4 X:5,2,3 Y:5,3,4 | Alpha=2.0, Beta=0.5
bmm | X:2,3,4 Y:2,4,5 |
dot | X:4 Y:4; X:2,4 Y:2,4 |
mv | X:3,4 Vec:4 |
kron | X:2,2 Y:2,3 |
cross | X:2,3 Y:2,3 | dim=1
dist | X:2,3 Y:2,3 | p=2.0
matmul | X:2,3 Y:3,4 | alpha=2.0
matmul | X:5,2,3 Y:5,4,3 | transpose_Y=True
matmul | X:4 Y:4 |
matmul_v2 | X:2,3 Y:3,4; X:5,2,3 Y:3,4 |
matmul_v2 | X:3,2 Y:4,3 | trans_x=True, trans_y=True
mul | X:2,3,4 Y:4,5 | x_num_col_dims=2, y_num_col_dims=1
mul | X:2,12 Y:3,4,5 | y_num_col_dims=2
multi_dot | X__0:2,3 X__1:3,4 X__2:4,2 |
linear_v2 | input:2,3 weight:3,4 bias:4 | transpose_weight=False
fc | Input:2,3 W:3,4 Bias:4 | in_num_col_dims=1
fc | Input:2,3 W:3,4 | in_num_col_dims=1, activation_type='relu'
gemm_epilogue | input:2,3 w:3,4 bias:4 | in_num_col_dims=1
bilinear_tensor_product | X:2,3 Y:2,4 Weight:5,3,4 Bias:1,5 |
batch_fc | Input:2,3,4 W:2,4,5 Bias:2,5 |
reduce_sum reduce_mean reduce_max reduce_min reduce_prod reduce_amax reduce_amin frobenius_norm |
    X:2,3,4 | dim=[1], keep_dim=True
reduce_sum reduce_mean reduce_max reduce_min reduce_prod reduce_amax reduce_amin frobenius_norm |
    X:2,3,4 | dim=[0, 2]
reduce_sum reduce_mean reduce_max reduce_min reduce_prod reduce_amax reduce_amin frobenius_norm |
    X:2,3,4 | reduce_all=True
reduce_sum | X:2,3@i4 | dim=[1], out_dtype=3, in_dtype=2
reduce_all reduce_any | X:2,3@b | dim=[1], keep_dim=True
reduce_all reduce_any | X:2,3@b | reduce_all=True
logsumexp | X:2,3 | axis=[1], keepdim=True
logsumexp | X:2,3 | reduce_all=True
reduce_as | x:2,3 target:3 |
arg_max arg_min | X:2,3 | axis=1, dtype=3
arg_max arg_min | X:2,3 | axis=0, keepdims=True, dtype=2
arg_max arg_min | X:2,3 | axis=0, flatten=True, dtype=3
argsort | X:2,3 | axis=1
argsort | X:2,3 | axis=0, descending=True
top_k | X:2,5 | k=2
top_k | X:2,5 K:1@i4~3~3 |
top_k_v2 | X:2,5 | k=2
top_k_v2 | X:2,5 | k=2, axis=0, largest=False
kthvalue | X:2,5 | k=2
mode | X:2,5@f4 |
median | x:2,5 | axis=[1], mode='avg'
nanmedian | X:2,5 | axis=[1]
nansum | x:2,5 | axis=[1]
std var | x:2,5 | axis=[1], keepdim=True, unbiased=True
variance | x:2,5 | axis=[1], keepdim=True
max_with_index min_with_index | x:2,5 | dim=1
p_norm | X:2,3 | porder=3.0, axis=1
norm | X:2,3 | axis=1, epsilon=1e-5
renorm | X:2,3 | p=2.0, axis=0, max_norm=0.5
histogram | X:8@f4 | bins=4, min=-2, max=2
bincount | X:8@i8~0~5 | minlength=3
int_bincount | x:8@i4~0~5 | low=0, high=6, dtype=2
searchsorted | SortedSequence:6%sorted Values:4 |
trace diagonal | Input:3,4 | offset=1, axis1=0, axis2=1
diag_v2 | X:3; X:3,4 | offset=1, padding_value=2.0
diag_embed | Input:2,3 | offset=1, dim1=0, dim2=2
determinant | Input:3,3 |
slogdeterminant | Input:3,3 |
slogdet_v2 | x:3,3 |
inverse | Input:3,3%regular |
cholesky | X:3,3%spd | upper=True
cholesky_solve | X:3,2 Y:3,3%lower | upper=False
triangular_solve | X:3,3%lower Y:3,2 | upper=False
solve | X:3,3%regular Y:3,2 |
matrix_power | X:3,3 | n=3
matrix_rank | X:3,4 | use_default_tol=True
matrix_rank_atol_rtol | x:3,4 atol:1~0~0.001 |
svdvals | x:3,4 |
eigvals | X:3,3 |
eigvalsh | X:3,3%spd | UPLO='L' | -Eigenvectors
qr | X:4,3 | mode='reduced'
lu | X:3,3%regular | pivots=True
lstsq | X:4,3 Y:4,2 | rcond=1e-6, driver='gelsd'
fft_c2c | X:2,4@c8 | axes=[1], normalization='backward', forward=True
fft_r2c | X:2,4 | axes=[1], normalization='backward', forward=True, onesided=True
fft_c2r | X:2,4@c8 | axes=[1], normalization='backward', forward=False, last_dim_size=6
stft | X:2,16 Window:8 | n_fft=8, hop_length=4, onesided=True, normalized=False
frame | X:2,8 | frame_length=4, hop_length=2, axis=-1
overlap_add | X:2,4,3 | hop_length=2, axis=-1
reshape reshape2 | X:2,6 | shape=[3, 4]
reshape reshape2 | X:2,6 | shape=[0, -1, 2]
reshape2 | X:2,6 Shape:1@i4~-1~-1 |
transpose transpose2 | X:2,3,4 | axis=[2, 0, 1]
squeeze2 | X:2,1,3 | axes=[1]
unsqueeze2 | X:2,3 | axes=[1]
flatten2 | X:2,3,4 | axis=2
flatten_contiguous_range | X:2,3,4 | start_axis=1, stop_axis=2 | -XShape
concat | X__0:2,3 X__1:2,2 | axis=1
stack | X__0:2,3 X__1:2,3 | axis=1
unstack | X:3,2 | axis=0, num=3 | Y=3
unbind | X:3,2 | axis=0 | Out=3
split | X:2,6 | num=3, axis=1 | Out=3
split | X:2,6 | sections=[1, 2, 3], axis=1 | Out=3
slice | Input:3,4,5 | axes=[0, 2], starts=[1, 0], ends=[3, 4]
slice | Input:3,4,5 | axes=[0], starts=[1], ends=[2], decrease_axis=[0]
slice | Input:3,4,5 StartsTensor:1@i4~1~1 EndsTensor:1@i4~3~3 | axes=[1], infer_flags=[-1]
strided_slice | Input:3,4,5 | axes=[1, 2], starts=[3, 0], ends=[0, 5], strides=[-1, 2],
    infer_flags=[1, 1]
set_value | Input:3,4 ValueTensor:1,4 | axes=[0], starts=[1], ends=[2], steps=[1]
set_value | Input:3,4 | axes=[0], starts=[1], ends=[2], steps=[1], shape=[1], values=[2.0],
    dtype=5
expand | X:1,3 | expand_times=[2, 2]
expand_v2 | X:1,3 | shape=[2, 3]
expand_as_v2 | X:1,3 Y:2,3 | target_shape=[2, 3]
tile | X:1,3 | repeat_times=[2, 2]
broadcast_tensors | X__0:1,3 X__1:2,1 | | Out=2
flip | X:2,3 | axis=[1]
reverse | X:2,3 | axis=[0, 1]
roll | X:2,3 | shifts=[1], axis=[1]
pad | X:2,3 | paddings=[1, 0, 0, 2], pad_value=1.0
pad3d | X:1,2,2,3,3 | paddings=[1, 0, 0, 1, 1, 1], mode='constant', value=0.5, data_format='NCDHW'
crop | X:3,4 | offsets=[1, 1], shape=[2, 2]
crop_tensor | X:3,4 | offsets=[1, 1], shape=[2, 2]
gather | X:4,3 Index:2@i4~0~3 |
gather | X:4,3 Index:2@i8~0~2 | axis=1
gather_nd | X:4,3 Index:2,1@i4~0~3 |
gather_tree | Ids:3,2,2@i8~0~5 Parents:3,2,2@i8~0~1 |
scatter | X:4,3 Ids:2@i8~0~3%distinct Updates:2,3 | overwrite=True
scatter | X:4,3 Ids:2@i8~0~3 Updates:2,3 | overwrite=False
scatter_nd_add | X:4,3 Index:2,1@i8~0~3 Updates:2,3 |
index_select | X:4,3 Index:2@i8~0~2 | dim=1
index_sample | X:2,4 Index:2,2@i8~0~3 |
index_add | X:4,3 Index:2@i8~0~3 AddValue:2,3 | axis=0
index_put | x:4,3 indices__0:2@i8~0~3 value:2,3 | accumulate=True
index_select_strided | x:4,3 | index=1, axis=0
take_along_axis | Input:3,4 Index:3,2@i8~0~3 | Axis=1
put_along_axis | Input:3,4 Index:3,2@i8~0~3 Value:3,2 | Axis=1, Reduce='add'
masked_select | X:2,3 Mask:2,3@b |
masked_fill | x:2,3 mask:2,3@b value:1 |
where | Condition:2,3@b X:2,3 Y:2,3 |
where_index | Condition:2,3@b |
multiplex | X__0:3,2 X__1:3,2 Ids:3,1@i4~0~1 |
unique | X:6@i8~0~4 | dtype=3, is_sorted=True, return_index=True, return_inverse=True,
    return_counts=True | Indices Counts
unique | X:6@i8~0~4 | dtype=3
unique_consecutive | X:6@i8~0~2 | dtype=3, return_inverse=True, return_counts=True | Index Counts
one_hot_v2 | X:4@i8~0~3 | depth=5, dtype=5
one_hot_v2 | X:4@i8~0~3 | depth=5, dtype=5, allow_out_of_range=True
shard_index | X:4,1@i8~0~19 | index_num=20, nshards=2, shard_id=0, ignore_value=-1
repeat_interleave | X:2,3 | Repeats=2, dim=1
repeat_interleave | X:2,3 RepeatsTensor:3@i4~0~2 | dim=1
tril_triu | X:3,4 | diagonal=1, lower=True
tril_triu | X:3,4 | diagonal=-1, lower=False
tril_indices | | rows=3, cols=4, offset=1, dtype=3
triu_indices | | row=3, col=4, offset=1, dtype=3
meshgrid | X__0:2 X__1:3 | | Out=2
eye | | num_rows=3, num_columns=4, dtype=5
fill_diagonal | X:3,3 | value=2.0, offset=0, wrap=False
fill_diagonal_tensor | X:3,3 Y:3 | offset=0, dim1=0, dim2=1
fill_constant | | shape=[2, 3], dtype=5, value=1.5
fill_constant | | shape=[2, 3], dtype=3, str_value='7'
fill_constant | ShapeTensor:2@i4~2~2 | dtype=5, value=1.5
fill_constant | ValueTensor:1 | dtype=5, shape=[2, 2]
fill_constant_batch_size_like | Input:4,3 | shape=[-1, 2], dtype=5, value=1.5
fill_any_like | X:2,3 | value=2.0, dtype=-1
fill_any_like | X:2,3 | value=2.0, dtype=3
fill_any | X:2,3 | value=2.0
fill | | value=[1.0, 2.0], shape=[2], dtype=5, force_cpu=True
empty | | shape=[2, 3], dtype=5 | -Out
assign_value | | shape=[2, 2], dtype=5, values=[1.0, 2.0, 3.0, 4.0]
assign_value | | shape=[2], dtype=3, values=[1, 2]
range | Start:1~0~0 End:1~6~6 Step:1~2~2; Start:1@i4~0~0 End:1@i4~6~6 Step:1@i4~2~2 |
range_v2 | Start:1~0~0 End:1~6~6 Step:1~2~2 |
linspace | Start:1~0~0 Stop:1~6~6 Num:1@i4~4~4 | dtype=5
logspace | Start:1~0~0 Stop:1~3~3 Num:1@i4~4~4 Base:1~2~2 | dtype=5
full_int_array | | value=[1, 2], dtype=3
shape | Input:2,3 |
shape64 | input:2,3 |
size | Input:2,3 |
is_empty | X:0,3 |
sum | X__0:2,3 X__1:2,3 |
increment | X:1 | step=2.0
memcpy memcpy_d2h memcpy_h2d | X:2,3 | dst_place_type=0
view_dtype | input:2,4@f4 | dtype=2
view_shape | input:2,6 | dims=[3, 4]
view_slice | input:4,3 | begin_idx=1, end_idx=3
as_strided | input:3,4 | dims=[2, 2], stride=[4, 1], offset=8
uniform_random | | shape=[2, 3], min=-1.0, max=1.0, seed=3, dtype=5
gaussian_random | | shape=[2, 3], mean=1.0, std=2.0, seed=3, dtype=5
truncated_gaussian_random | | shape=[2, 3], mean=1.0, std=2.0, seed=3, dtype=5, a=-2.0, b=2.0
randint | | shape=[2, 3], low=0, high=9, seed=3, dtype=3
randperm | | n=6, dtype=3
uniform_random_batch_size_like | Input:4,3 | shape=[-1, 2], min=-1.0, max=1.0, seed=3, dtype=5
uniform_random_inplace | X:2,3 | min=-1.0, max=1.0, seed=3
gaussian_inplace | x:2,3 | mean=0.0, std=1.0, seed=3
exponential | X:2,3 | lambda_=1.0
bernoulli | X:2,3~0~1 |
poisson | X:2,3~0.5~4 |
multinomial | X:2,4~0.1~1 | num_samples=2, replacement=True
binomial | count:2,3~5~9 prob:2,3~0.1~0.9 | | -out
dirichlet | Alpha:2,3~0.5~2 |
standard_gamma | x:2,3~0.5~2 |
gumbel_softmax | X:2,3 | temperature=1.0, axis=-1
dropout | X:2,3 | dropout_prob=0.5, is_test=True, dropout_implementation='upscale_in_train'
dropout | X:2,3 | dropout_prob=0.5, is_test=True, dropout_implementation='downgrade_in_infer'
dropout | X:2,3 | dropout_prob=0.5, dropout_implementation='upscale_in_train', seed=3,
    fix_seed=True
rrelu | X:2,3 | lower=0.1, upper=0.3, is_test=True
random | x:2,3 | from_=0, to=9 | -out
seed | | seed=5
shuffle_batch | X:4,3 Seed:1@i8~3~3 | startup_seed=0 | -Out -ShuffleIdx -SeedOut
class_center_sample | Label:4@i8~0~9 | num_classes=20, num_samples=6, fix_seed=True, seed=2,
    rank=0, nranks=1
prelu | X:2,3,4,4 Alpha:1 | mode='all'
prelu | X:2,3,4,4 Alpha:1,3,1,1 | mode='channel', data_format='NCHW'
leaky_relu | X:2,3 | alpha=0.2
elu celu | X:2,3 | alpha=0.5
brelu | X:2,3~-30~30 | t_min=0.0, t_max=24.0
gelu | X:2,3 | approximate=True
stanh | X:2,3 | scale_a=0.67, scale_b=1.7
swiglu | x:2,4; x:2,3 y:2,3 |
softmax log_softmax | X:2,3,4 | axis=1
softplus | X:2,3 | beta=2.0, threshold=15.0
fused_softplus | X:2,3 | beta=2.0, threshold=15.0
layer_norm | X:2,3,4 Scale:12 Bias:12 | begin_norm_axis=1
layer_norm | X:2,3,4 Scale:4 Bias:4 | begin_norm_axis=2, epsilon=1e-3
rms_norm | x:2,4 scale:4 | normalized_shape=[4], epsilon=1e-5
batch_norm | X:2,3,4,4 Scale:3 Bias:3 Mean:3 Variance:3~0.5~1 | momentum=0.9, epsilon=1e-5,
    is_test=True| *
batch_norm | X:2,3,4,4 Scale:3 Bias:3 Mean:3 Variance:3~0.5~1 | momentum=0.9, epsilon=1e-5| *
instance_norm | X:2,3,4,4 Scale:3 Bias:3 |
group_norm | X:2,4,3,3 Scale:4 Bias:4 | groups=2
spectral_norm | Weight:3,4 U:3 V:4 | dim=0, power_iters=2, eps=1e-12
lrn | X:2,4,3,3 | n=3, k=1.0, alpha=1e-4, beta=0.75
affine_channel | X:2,3,4,4 Scale:3 Bias:3 | data_layout='NCHW'
skip_layernorm | X:2,3,4 Y:2,3,4 Scale:4 Bias:4 | epsilon=1e-5, begin_norm_axis=2
conv2d depthwise_conv2d | Input:2,3,5,5 Filter:3,1,3,3 | strides=[1, 1], paddings=[1, 1],
    dilations=[1, 1], groups=3
conv2d | Input:2,3,5,5 Filter:4,3,3,3 | strides=[2, 2], paddings=[1, 1],
    padding_algorithm='EXPLICIT'
conv2d | Input:2,3,5,5 Filter:4,3,3,3 | padding_algorithm='SAME'
conv2d_transpose | Input:2,3,5,5 Filter:3,4,3,3 | strides=[2, 2], paddings=[1, 1]
conv2d_transpose_bias | Input:2,3,5,5 Filter:3,4,3,3 Bias:4 | strides=[2, 2], paddings=[1, 1]
depthwise_conv2d_transpose | Input:2,3,5,5 Filter:3,1,3,3 | strides=[2, 2], paddings=[1, 1],
    groups=3
depthwise_conv2d_bias | input:2,3,5,5 filter:3,1,3,3 bias:3 | paddings=[1, 1], groups=3
conv3d | Input:1,2,4,4,4 Filter:3,2,2,2,2 | strides=[1, 1, 1], paddings=[0, 0, 0]
conv3d_transpose | Input:1,2,3,3,3 Filter:2,3,2,2,2 | strides=[1, 1, 1], paddings=[0, 0, 0]
deformable_conv | Input:1,2,4,4 Offset:1,18,4,4 Filter:3,2,3,3 Mask:1,9,4,4 | strides=[1, 1],
    paddings=[1, 1], dilations=[1, 1], groups=1, deformable_groups=1, im2col_step=1
deformable_conv_v1 | Input:1,2,4,4 Offset:1,18,4,4 Filter:3,2,3,3 | strides=[1, 1], paddings=[1,
    1], dilations=[1, 1], groups=1, deformable_groups=1, im2col_step=1
pool2d | X:2,3,6,6 | ksize=[2, 2], strides=[2, 2], paddings=[0, 0], pooling_type='max'
pool2d | X:2,3,6,6 | ksize=[3, 3], strides=[2, 2], paddings=[1, 1], pooling_type='avg',
    exclusive=False, ceil_mode=True
pool2d | X:2,3,6,6 | ksize=[2, 2], pooling_type='avg', adaptive=True
pool2d | X:2,3,6,6 | ksize=[1, 1], pooling_type='avg', global_pooling=True
pool3d | X:1,2,4,4,4 | ksize=[2, 2, 2], strides=[2, 2, 2], paddings=[0, 0, 0], pooling_type='max'
pool3d | X:1,2,4,4,4 | ksize=[2, 2, 2], strides=[2, 2, 2], paddings=[0, 0, 0], pooling_type='avg'
max_pool2d_with_index | X:2,3,6,6 | ksize=[2, 2], strides=[2, 2], paddings=[0, 0]
max_pool3d_with_index | X:1,2,4,4,4 | ksize=[2, 2, 2], strides=[2, 2, 2], paddings=[0, 0, 0]
max_pool2d_v2 | x:2,3,6,6 | kernel_size=[2, 2], strides=[2, 2], paddings=[0, 0]
lp_pool2d | x:2,3,6,6 | kernel_size=[2, 2], strides=[2, 2], paddings=[0, 0], norm_type=2.0,
    pooling_type='lp'
fractional_max_pool2d | x:2,3,7,7 | output_size=[3, 3], random_u=0.3, return_mask=True
fractional_max_pool3d | x:1,2,5,5,5 | output_size=[2, 2, 2], random_u=0.3, return_mask=True
unpool | X:1,2,2,2 Indices:1,2,2,2@i4~0~15 | ksize=[2, 2], strides=[2, 2], paddings=[0, 0],
    unpooling_type='max', output_size=[4, 4]
unpool3d | X:1,2,2,2,2 Indices:1,2,2,2,2@i4~0~63 | ksize=[2, 2, 2], strides=[2, 2, 2],
    paddings=[0, 0, 0], output_size=[4, 4, 4]
nearest_interp_v2 bilinear_interp_v2 bicubic_interp_v2 | X:1,2,4,4 | out_h=6, out_w=7,
    interp_method='nearest', align_corners=False
bilinear_interp_v2 | X:1,2,4,4 | out_h=6, out_w=7, interp_method='bilinear', align_corners=True
bilinear_interp_v2 | X:1,2,4,4 | scale=[1.5, 2.0], interp_method='bilinear', align_corners=False
bicubic_interp_v2 | X:1,2,4,4 | out_h=6, out_w=7, interp_method='bicubic', align_corners=False
linear_interp_v2 | X:1,2,4 | out_w=7, interp_method='linear', align_corners=False,
    data_layout='NCHW'
trilinear_interp_v2 | X:1,2,3,3,3 | out_d=4, out_h=5, out_w=5, interp_method='trilinear',
    align_corners=False
nearest_interp bilinear_interp | X:1,2,4,4 | out_h=6, out_w=7, interp_method='bilinear',
    align_corners=True
nearest_interp | X:1,2,4,4 | out_h=6, out_w=7, interp_method='nearest', align_corners=False
nearest_interp bilinear_interp | X:1,2,4,4 | scale=2.0, interp_method='nearest',
    align_corners=False
grid_sampler | X:1,2,4,4 Grid:1,3,3,2~-1~1 | mode='bilinear', padding_mode='zeros',
    align_corners=True
affine_grid | Theta:2,2,3 | output_shape=[2, 3, 4, 4], align_corners=True
pixel_shuffle | X:1,4,3,3 | upscale_factor=2
pixel_unshuffle | X:1,1,6,6 | downscale_factor=2
channel_shuffle | X:1,4,3,3 | groups=2
shuffle_channel | X:1,4,3,3 | group=2
temporal_shift | X:4,4,3,3 | seg_num=2, shift_ratio=0.25
unfold | X:1,2,5,5 | kernel_sizes=[2, 2], strides=[1, 1], paddings=[0, 0, 0, 0], dilations=[1, 1]
fold | X:1,8,16 | output_sizes=[5, 5], kernel_sizes=[2, 2], strides=[1, 1], paddings=[0, 0, 0, 0],
    dilations=[1, 1]
im2sequence | X:2,2,4,4 | kernels=[2, 2], strides=[1, 1], paddings=[0, 0, 0, 0]
row_conv | X:2,5,3 Filter:2,3 |
correlation | Input1:1,2,6,6 Input2:1,2,6,6 | pad_size=2, kernel_size=1, max_displacement=2,
    stride1=1, stride2=1
lookup_table | W:6,3 Ids:4,1@i8~0~5 |
lookup_table | W:6,3 Ids:4,1@i8~0~5 | padding_idx=2
lookup_table_v2 | W:6,3 Ids:4@i8~0~5 |
lookup_table_v2 | W:6,3 Ids:2,4@i8~0~5 | padding_idx=2
lookup_table_dequant | W:6,6 Ids:4,1@i8~0~5 |
c_embedding | W:6,3 Ids:2,4@i8~0~5 | start_index=0
embedding_with_scaled_gradient | x:4@i8~0~5 weight:6,3 | padding_idx=-1
hash | X:3,2@i4~0~50 | num_hash=2, mod_by=1000
softmax_with_cross_entropy | Logits:3,4 Label:3,1@i8~0~3 |
softmax_with_cross_entropy | Logits:3,4 Label:3,4%prob | soft_label=True
cross_entropy | X:3,4%prob Label:3,1@i8~0~3 |
cross_entropy | X:3,4%prob Label:3,4%prob | soft_label=True
cross_entropy2 | X:3,4%prob Label:3,1@i8~0~3 | | -XShape
bce_loss | X:3,2~0.1~0.9 Label:3,2~0~1 |
sigmoid_cross_entropy_with_logits | X:3,2 Label:3,2~0~1; X:3,2 Label:3,2~0~1 pos_weight:3,2~0.5~2
    | normalize=False, ignore_index=-100
log_loss | Predicted:3,1~0.1~0.9 Labels:3,1~0~1 | epsilon=1e-4
hinge_loss | Logits:3,1 Labels:3,1~0~1 |
huber_loss | X:3,1 Y:3,1 | delta=0.5
kldiv_loss | X:3,4 Target:3,4%prob | reduction='mean'
nll_loss | X:3,4 Label:3@i8~0~3; X:3,4 Label:3@i8~0~3 Weight:4~0.5~1 | reduction='mean',
    ignore_index=-100
margin_cross_entropy | Logits:3,4~-1~1 Label:3@i8~0~3 | margin1=1.0, margin2=0.5, margin3=0.0,
    scale=64.0, rank=0, nranks=1
c_softmax_with_cross_entropy | Logits:3,4 Label:3,1@i8~0~3 | rank=0, nranks=1, ring_id=0
hierarchical_sigmoid | X:3,4 W:4,4 Label:3,1@i8~0~4 Bias:4,1 | num_classes=5
nce | Input:3,4 Label:3,1@i8~0~4 Weight:5,4 Bias:5,1 | num_total_classes=5, num_neg_samples=2,
    seed=1, sampler=0
warpctc | Logits:5,2,4 Label:2,2@i4~1~3 LogitsLength:2@i8~5~5 LabelLength:2@i8~2~2 | blank=0
warprnnt | input:2,3,3,4 label:2,2@i4~1~3 input_lengths:2@i4~3~3 label_lengths:2@i4~2~2 | blank=0,
    fastemit_lambda=0.0
ctc_align | Input:2,6@i4~0~3 InputLength:2,1@i4~6~6 | blank=0, merge_repeated=True,
    padding_value=0 | OutputLength
edit_distance | Hyps:2,4@i8~0~3 Refs:2,5@i8~0~3 HypsLength:2@i8~4~4 RefsLength:2@i8~5~5 |
    normalized=True
accuracy | Out:4,2 Indices:4,2@i8~0~2 Label:4,1@i8~0~2 |
auc | Predict:6,2~0~1 Label:6,1@i8~0~1 StatPos:1,21@i8~0~0 StatNeg:1,21@i8~0~0 | curve='ROC',
    num_thresholds=20, slide_steps=0
auc | Predict:6,2~0~1 Label:6,1@i8~0~1 StatPos:1,43@i8~0~0 StatNeg:1,43@i8~0~0 | curve='ROC',
    num_thresholds=20, slide_steps=1
chunk_eval | Inference:1,6@i8~0~3 Label:1,6@i8~0~3 SeqLength:1@i8~6~6 | num_chunk_types=2,
    chunk_scheme='IOB'
crf_decoding | Emission:2,4,3 Transition:5,3 Length:2@i8~4~4 |
viterbi_decode | Input:2,4,3 Transition:3,3 Length:2@i8~4~4 | include_bos_eos_tag=False
rnn | Input:4,2,3 PreState__0:1,2,5 PreState__1:1,2,5 WeightList__0:20,3 WeightList__1:20,5
    WeightList__2:20 WeightList__3:20 | mode='LSTM', input_size=3, hidden_size=5, num_layers=1,
    is_bidirec=False, is_test=True, dropout_prob=0.0, seed=0 | State=2
rnn | Input:4,2,3 PreState__0:1,2,5 WeightList__0:15,3 WeightList__1:15,5 WeightList__2:15
    WeightList__3:15 | mode='GRU', input_size=3, hidden_size=5, num_layers=1, is_bidirec=False,
    is_test=True, dropout_prob=0.0, seed=0 | State=1
gru_unit | Input:2,9 HiddenPrev:2,3 Weight:3,9 Bias:1,9 | activation=2, gate_activation=1
cvm | X:3,4~0.1~2 CVM:3,2 | use_cvm=True
cvm | X:3,4~0.1~2 CVM:3,2 | use_cvm=False
add_position_encoding | X:2,3,4 | alpha=0.5, beta=2.0
sequence_mask | X:3@i8~0~4 | maxlen=5, out_dtype=3
sequence_mask | X:3@i8~1~4 | maxlen=-1, out_dtype=5
segment_pool | X:4,3 SegmentIds:4@i4~0~0 | pooltype='SUM'
segment_pool | X:4,3 SegmentIds:4@i4~0~0 | pooltype='MEAN'
graph_send_recv | X:4,3 Src_index:5@i8~0~3 Dst_index:5@i8~0~3 | reduce_op='SUM'
graph_send_ue_recv | X:4,3 Y:5,3 Src_index:5@i8~0~3 Dst_index:5@i8~0~3 | message_op='ADD',
    reduce_op='SUM'
graph_send_uv | x:4,3 y:4,3 src_index:5@i8~0~3 dst_index:5@i8~0~3 | message_op='MUL'
graph_reindex | X:2@i8~0~0 Neighbors:4@i8~1~5 Count:2@i4~2~2 |
graph_sample_neighbors | Row:6@i8~0~3 Col_Ptr:5@i8~1~6%sorted X:2@i8~0~3 | sample_size=-1,
    return_eids=False, flag_perm_buffer=False | -Out_Eids
weighted_sample_neighbors | row:6@i8~0~3 colptr:5@i8~0~6%sorted edge_weight:6~0.1~1
    input_nodes:2@i8~0~3 | sample_size=-1, return_eids=False | -out_eids
tdm_child | X:2,1@i4~1~2 TreeInfo:7,5@i4~0~2 | child_nums=2, dtype=2
box_coder | PriorBox:4,4%boxes PriorBoxVar:4,4~0.1~1 TargetBox:3,4%boxes |
    code_type='encode_center_size', box_normalized=True
box_coder | PriorBox:4,4%boxes TargetBox:3,4,4%boxes | code_type='decode_center_size',
    box_normalized=False, variance=[0.1, 0.1, 0.2, 0.2]
box_clip | Input:1,4,4%boxes ImInfo:1,3~2~5 |
prior_box | Input:1,2,3,3 Image:1,3,9,9 | min_sizes=[2.0], max_sizes=[4.0], aspect_ratios=[2.0],
    variances=[0.1, 0.1, 0.2, 0.2], flip=True, clip=True
anchor_generator | Input:1,2,3,3 | anchor_sizes=[32.0, 64.0], aspect_ratios=[0.5, 1.0],
    variances=[0.1, 0.1, 0.2, 0.2], stride=[16.0, 16.0], offset=0.5
yolo_box | X:1,14,2,2 ImgSize:1,2@i4~32~64 | anchors=[10, 13, 16, 30], class_num=2,
    conf_thresh=0.01, downsample_ratio=32
yolov3_loss | X:1,14,2,2 GTBox:1,3,4~0.1~0.9 GTLabel:1,3@i4~0~1 | anchors=[10, 13, 16, 30],
    anchor_mask=[0, 1], class_num=2, ignore_thresh=0.7, downsample_ratio=32
nms | Boxes:5,4%boxes | iou_threshold=0.3
multiclass_nms multiclass_nms3 | BBoxes:1,5,4%boxes Scores:1,2,5~0~1 | background_label=-1,
    score_threshold=0.1, nms_top_k=5, keep_top_k=4, nms_threshold=0.3, normalized=True,
    nms_eta=1.0 |
matrix_nms | BBoxes:1,5,4%boxes Scores:1,2,5~0~1 | background_label=-1, score_threshold=0.1,
    nms_top_k=5, keep_top_k=4, post_threshold=0.0 | RoisNum
bipartite_match | DistMat:3,4~0.1~1 | match_type='bipartite', dist_threshold=0.5
roi_align | X:1,2,8,8 ROIs:2,4%boxes~1~5 RoisNum:1@i4~2~2 | pooled_height=2, pooled_width=2,
    spatial_scale=1.0, sampling_ratio=2, aligned=True
roi_pool | X:1,2,8,8 ROIs:2,4%boxes~1~5 RoisNum:1@i4~2~2 | pooled_height=2, pooled_width=2,
    spatial_scale=1.0
psroi_pool | X:1,8,8,8 ROIs:2,4%boxes~1~5 RoisNum:1@i4~2~2 | pooled_height=2, pooled_width=2,
    output_channels=2, spatial_scale=1.0
generate_proposals_v2 | Scores:1,2,3,3~0~1 BboxDeltas:1,8,3,3 ImShape:1,2~32~32
    Anchors:3,3,2,4%boxes~1~20 Variances:3,3,2,4~0.5~1 | pre_nms_topN=10, post_nms_topN=5,
    nms_thresh=0.5, min_size=0.1, eta=1.0 | RpnRoisNum
generate_proposals | Scores:1,2,3,3~0~1 BboxDeltas:1,8,3,3 ImInfo:1,3~32~32
    Anchors:3,3,2,4%boxes~1~20 Variances:3,3,2,4~0.5~1 | pre_nms_topN=10, post_nms_topN=5,
    nms_thresh=0.5, min_size=0.1, eta=1.0 | RpnRoisNum
distribute_fpn_proposals | FpnRois:4,4%boxes~1~300 RoisNum:1@i4~4~4 | min_level=2, max_level=4,
    refer_level=3, refer_scale=100 | MultiFpnRois=3 MultiLevelRoIsNum=3
collect_fpn_proposals | MultiLevelRois__0:3,4%boxes MultiLevelRois__1:2,4%boxes
    MultiLevelScores__0:3,1 MultiLevelScores__1:2,1 MultiLevelRoIsNum__0:1@i4~3~3
    MultiLevelRoIsNum__1:1@i4~2~2 | post_nms_topN=4 | RoisNum
sgd | Param:2,3 LearningRate:1~0.1~0.2 Grad:2,3 |
momentum | Param:2,3 Grad:2,3 Velocity:2,3 LearningRate:1~0.1~0.2 | mu=0.9, use_nesterov=True
momentum | Param:2,3 Grad:2,3 Velocity:2,3 LearningRate:1~0.1~0.2 | mu=0.9,
    regularization_method='l2_decay', regularization_coeff=0.1
lars_momentum | Param:2,3 Grad:2,3 Velocity:2,3 LearningRate:1~0.1~0.2 | mu=0.9, lars_coeff=0.01,
    lars_weight_decay=[0.0005] | ParamOut=1 VelocityOut=1
adam | Param:2,3 Grad:2,3 LearningRate:1~0.1~0.2 Moment1:2,3 Moment2:2,3~0~1 Beta1Pow:1~0.9~0.9
    Beta2Pow:1~0.99~0.99 | beta1=0.9, beta2=0.99, epsilon=1e-8
adamw | Param:2,3 Grad:2,3 LearningRate:1~0.1~0.2 Moment1:2,3 Moment2:2,3~0~1 Beta1Pow:1~0.9~0.9
    Beta2Pow:1~0.99~0.99 | beta1=0.9, beta2=0.99, epsilon=1e-8, coeff=0.01, with_decay=True
adamax | Param:2,3 Grad:2,3 LearningRate:1~0.1~0.2 Moment:2,3 InfNorm:2,3~0~1 Beta1Pow:1~0.9~0.9 |
    beta1=0.9, beta2=0.99, epsilon=1e-8
adagrad | Param:2,3 Grad:2,3 Moment:2,3~0~1 LearningRate:1~0.1~0.2 | epsilon=1e-6
decayed_adagrad | Param:2,3 Grad:2,3 Moment:2,3~0~1 LearningRate:1~0.1~0.2 | decay=0.9,
    epsilon=1e-6
adadelta | Param:2,3 Grad:2,3 AvgSquaredGrad:2,3~0~1 AvgSquaredUpdate:2,3~0~1 LearningRate:1~1~1 |
    rho=0.9, epsilon=1e-6
rmsprop | Param:2,3 MeanSquare:2,3~0.5~1 Grad:2,3 Moment:2,3 LearningRate:1~0.1~0.2
    MeanGrad:2,3~0~0.1 | epsilon=1e-6, decay=0.9, momentum=0.1, centered=True| *
rmsprop | Param:2,3 MeanSquare:2,3~0.5~1 Grad:2,3 Moment:2,3 LearningRate:1~0.1~0.2 |
    epsilon=1e-6, decay=0.9, momentum=0.1 | -MeanGradOut *
lamb | Param:2,3 Grad:2,3 LearningRate:1~0.1~0.2 Moment1:2,3 Moment2:2,3~0~1 Beta1Pow:1~0.9~0.9
    Beta2Pow:1~0.99~0.99 | weight_decay=0.01, beta1=0.9, beta2=0.99, epsilon=1e-6 | Beta1PowOut
    Beta2PowOut
ftrl | Param:2,3 SquaredAccumulator:2,3~0.1~1 LinearAccumulator:2,3 Grad:2,3
    LearningRate:1~0.1~0.2 | l1=0.1, l2=0.2, lr_power=-0.5
dpsgd | Param:2,3 Grad:2,3 LearningRate:1~0.1~0.2 | clip=10.0, batch_size=16.0, sigma=0.0, seed=1
asgd | param:2,3 grad:2,3 learning_rate:1~0.1~0.2 d:2,3 y:2,3 n:1~2~2 || *
nadam | param:2,3 grad:2,3 learning_rate:1~0.1~0.2 momentum_decay_pow:1~0.9~0.9
    beta2_pow:1~0.99~0.99 mu_product:1~0.9~0.9 moment1:2,3 moment2:2,3~0~1 || *
radam | param:2,3 grad:2,3 learning_rate:1~0.1~0.2 beta1_pow:1~0.9~0.9 beta2_pow:1~0.99~0.99
    rho:1~1~1 moment1:2,3 moment2:2,3~0~1 || *
rprop | param:2,3 grad:2,3 prev:2,3 learning_rate:2,3~0.1~0.2 learning_rate_range:2%sorted~0.1~1
    etas:2%sorted~0.5~1.5 || *
merged_adam | Param__0:2,3 Grad__0:2,3 LearningRate__0:1~0.1~0.2 Moment1__0:2,3 Moment2__0:2,3~0~1
    Beta1Pow__0:1~0.9~0.9 Beta2Pow__0:1~0.99~0.99 | beta1=0.9, beta2=0.99, epsilon=1e-8 |
    ParamOut=1 Moment1Out=1 Moment2Out=1 Beta1PowOut=1 Beta2PowOut=1 *
merged_momentum | Param__0:2,3 Grad__0:2,3 Velocity__0:2,3 LearningRate__0:1~0.1~0.2 | mu=0.9 |
    ParamOut=1 VelocityOut=1 *
sparse_momentum | Param:4,3 Grad:2,3 Velocity:4,3 Index:2@i8~0~3 LearningRate:1~0.1~0.2 | mu=0.9,
    axis=0
average_accumulates | param:2,3 in_sum_1:2,3 in_sum_2:2,3 in_sum_3:2,3 in_num_accumulates:1@i8~3~3
    in_old_num_accumulates:1@i8~2~2 in_num_updates:1@i8~5~5 | average_window=0.5,
    max_average_window=10, min_average_window=2| *
average_accumulates | param:2,3 in_sum_1:2,3 in_sum_2:2,3 in_sum_3:2,3 in_num_accumulates:1@i8~0~0
    in_old_num_accumulates:1@i8~2~2 in_num_updates:1@i8~5~5 | average_window=0.5,
    max_average_window=10, min_average_window=4| *
check_finite_and_unscale | X__0:2,3 X__1:2 Scale:1~2~2 | | Out=2
update_loss_scaling | X__0:2,3 FoundInfinite:1@b PrevLossScaling:1~8~8 InGoodSteps:1@i4~1~1
    InBadSteps:1@i4~1~1 | incr_every_n_steps=2, decr_every_n_nan_or_inf=2, incr_ratio=2.0,
    decr_ratio=0.5 | Out=1 -Out
check_numerics | tensor:2,3 | op_type='relu', var_name='x', check_nan_inf_level=1,
    stack_height_limit=-1
accuracy_check | x:2,3~1~1 y:2,3~1~1 | fn_name='f'
coalesce_tensor | Input__0:2,3 Input__1:4 | dtype=5, copy_data=True, use_align=True | Output=2
    -FusedOutput
fake_quantize_abs_max fake_quantize_dequantize_abs_max | X:2,3 | bit_length=4, round_type=0
fake_quantize_abs_max fake_quantize_dequantize_abs_max | X:2,3 | bit_length=1
fake_channel_wise_quantize_abs_max fake_channel_wise_quantize_dequantize_abs_max | X:2,3 |
    bit_length=8, quant_axis=1
fake_channel_wise_quantize_abs_max | X:2,3 | is_test=True | -OutScale
fake_quantize_range_abs_max | X:2,3 InScale:1~0.5~1 Iter:1@i8~0~0 | window_size=4, bit_length=8 |
    OutScales -OutScales
fake_quantize_range_abs_max | X:2,3 InScale:1~0.5~1 | window_size=4, bit_length=8, is_test=True |
    -OutScale
fake_quantize_moving_average_abs_max fake_quantize_dequantize_moving_average_abs_max | X:2,3
    InScale:1~0.5~1 InAccum:1~1~2 InState:1~1~2 | moving_rate=0.9, bit_length=8 | OutState
    OutAccum
fake_quantize_moving_average_abs_max fake_quantize_dequantize_moving_average_abs_max | X:2,3
    InScale:1~0.5~1 | moving_rate=0.9, bit_length=8, is_test=True | -OutScale
moving_average_abs_max_scale | X:2,3 InAccum:1~1~2 InState:1~1~2 | moving_rate=0.9 | Out OutState
    OutAccum
fake_dequantize_max_abs | X:2,3~-9~9 Scale:1~0.5~1 | max_range=127.0
fake_channel_wise_dequantize_max_abs | X:2,3~-9~9 Scales__0:2~0.5~1 | quant_bits=[8], quant_axis=0
dequantize_abs_max | X:2,3@i1 Scale:1~0.5~1 | max_range=127.0
dequantize_log | X:2,3@i1 Dict:128 |
quantize_linear | X:2,3 Scale:1~0.5~1 ZeroPoint:1~0~0 | bit_length=8, quant_axis=-1, round_type=0,
    is_test=True, only_observer=False, qmin=-128, qmax=127
quantize_linear | X:2,3 Scale:2~0.5~1 ZeroPoint:2~0~0 | bit_length=8, quant_axis=0, round_type=0,
    is_test=True, only_observer=False, qmin=-128, qmax=127
quantize_linear | X:2,3 Scale:1~0.5~1 ZeroPoint:1~3~3 | bit_length=8, quant_axis=-1, round_type=1,
    is_test=True, qmin=-10, qmax=20
quantize_linear | X:2,3 Scale:1~0.5~1 ZeroPoint:1~0~0 InAccum:1~1~2 InState:1~1~2 | bit_length=8,
    quant_axis=-1, is_test=False | OutState OutAccum OutScale
dequantize_linear | X:2,3~-9~9 Scale:1~0.5~1 ZeroPoint:1~0~0 | bit_length=8, quant_axis=-1,
    is_test=True
dequantize_linear | X:2,3~-9~9 Scale:2~0.5~1 ZeroPoint:2~0~0 | bit_length=8, quant_axis=0,
    is_test=True
dequantize_linear | X:2,3~-9~9 Scale:1~0.5~1 ZeroPoint:1~3~3 | bit_length=8, quant_axis=-1,
    is_test=True, qmin=-10, qmax=20
partial_concat partial_sum | X__0:2,4 X__1:2,4 | start_index=1, length=2
einsum | Operands__0:2,3 Operands__1:3,4 | equation='ij,jk->ik'
fused_softmax_mask | X:1,2,4,4 Mask:1,1,4,4 |
fused_softmax_mask_upper_triangle | X:1,2,4,4 |
fused_elementwise_add fused_elementwise_sub fused_elementwise_mul fused_elementwise_div | X:2,3
    Y:2,3~0.5~1 |
fused_elemwise_activation fused_elemwise_add_activation | X:2,3 Y:2,3 |
    functor_list=['elementwise_add', 'relu']
fused_matmul | X:2,3 Y:3,4 |
fused_adam | Params__0:2,3 Grads__0:2,3 LearningRate:1~0.1~0.2 Moments1__0:2,3 Moments2__0:2,3~0~1
    Beta1Pows__0:1~0.9~0.9 Beta2Pows__0:1~0.99~0.99 | beta1=0.9, beta2=0.99, epsilon=1e-8,
    chunk_size=32768, weight_decay=0.0, use_adamw=False | ParamsOut=1 Moments1Out=1 Moments2Out=1
    Beta1PowsOut=1 Beta2PowsOut=1
fusion_repeated_fc_relu | X:2,3 W__0:3,4 W__1:4,5 Bias__0:4 Bias__1:5 | | ReluOut=1
fusion_squared_mat_sub | X:2,3 Y:3,4 | scalar=0.5
fused_embedding_eltwise_layernorm | Ids__0:1,3@i8~0~4 Ids__1:1,3@i8~0~4 Embs__0:5,4 Embs__1:5,4
    Bias:4 Scale:4 | epsilon=1e-5
fused_fc_elementwise_layernorm | X:2,3 W:3,4 Y:2,4 Bias0:4 Scale:4 Bias1:4 | x_num_col_dims=1,
    epsilon=1e-5, begin_norm_axis=1
fused_bias_dropout_residual_layer_norm | X:1,2,4 Residual:1,2,4 Bias:4 LnScale:4 LnBias:4 |
    dropout_rate=0.0, is_test=True, ln_epsilon=1e-5
fused_dropout_add | x:2,3 y:2,3 | p=0.0, is_test=True, mode='upscale_in_train', seed=0,
    fix_seed=False | -seed_offset
fused_rotary_position_embedding | q:1,4,2,8 k:1,4,2,8 | use_neox_rotary_style=True | out_k
fused_bias_act | x:2,4 bias:4 | act_method='gelu'
fused_bias_residual_layernorm | x:2,4 bias:4 residual:2,4 norm_weight:4 norm_bias:4 |
    epsilon=1e-5, residual_alpha=1.0, begin_norm_axis=1, quant_scale=-1.0, quant_round_type=0,
    quant_max_bound=0.0, quant_min_bound=0.0 | residual_out
fused_token_prune | Attn:1,2,4,4 X:1,4,3 Mask:1,2,4,4 NewMask:1,2,2,2 | keep_first_token=True
fast_ln | x:2,4 scale:4 bias:4 | epsilon=1e-5
fast_rms_norm fused_rms_norm_ext | x:2,4 scale:4 | epsilon=1e-5
multihead_matmul | Input:1,4,8 W:8,3,8 Bias:3,8 BiasQK:1,2,4,4 | head_number=2, alpha=0.5
self_dp_attention | X:1,4,3,2,4 | alpha=0.5, head_number=2
flash_attn | q:1,4,2,8 k:1,4,2,8 v:1,4,2,8 | dropout=0.0, causal=True, is_test=True | -softmax
    -softmax_lse -seed_offset
memory_efficient_attention | query:1,4,2,8 key:1,4,2,8 value:1,4,2,8 | causal=False,
    dropout_p=0.0, scale=0.3, is_test=True, max_seqlen_q=4, max_seqlen_k=4 | -logsumexp
    -seed_and_offset
variable_length_memory_efficient_attention | query:1,2,4,8 key:1,2,4,8 value:1,2,4,8
    seq_lens:1,1@i4~4~4 kv_seq_lens:1,1@i4~4~4 | scale=0.3, causal=False, pre_cache_length=0
top_p_sampling | x:2,4%prob ps:2,1~0.5~0.6 | seed=1
apply_per_channel_scale | x:2,3 scales:3 |
weight_quantize | x:64,32 | algo='weight_only_int8', arch=80, group_size=-1
number_count | numbers:6@i8~0~3 | upper_range=4
limit_by_capacity | expert_count:4@i8~0~9 capacity:2@i8~3~6 | n_worker=2
prune_gate_by_capacity | GateIdx:6@i8~0~3 ExpertCount:4@i8~1~3 | n_expert=4, n_worker=1
random_routing | Prob:4~0~1 TopK_Value:4,2~0~1 TopK_Idx:4,2@i8~0~3 |
assign_pos | X:6@i8~0~2 cum_count:3@i8~2~6%sorted eff_num_len:1@i8~6~6 |
depend | X:2,3 Dep__0:1 | | *
share_buffer | X__0:2,3 | share_dims_and_dtype=[True] | Out=1 XOut=1 -XOut
sparse_abs sparse_asin sparse_asinh sparse_atan sparse_atanh sparse_expm1 sparse_log1p sparse_relu
    sparse_relu6 sparse_sin sparse_sinh sparse_sqrt sparse_square sparse_tan sparse_tanh
    sparse_coalesce sparse_isnan | x:3,4~-0.9~0.9%sparse | _coo='x out'
sparse_acos sparse_acosh | x:3,4~0.1~0.9%sparse | _coo='x out'
sparse_leaky_relu | x:3,4%sparse | alpha=0.1, _coo='x out'
sparse_pow | x:3,4%sparse | factor=2.0, _coo='x out'
sparse_softmax | x:3,4%sparse | axis=-1, _coo='x out'
sparse_scale | x:3,4%sparse | scale=2.0, bias=1.0, bias_after_scale=True, _coo='x out'
sparse_cast | x:3,4%sparse | index_dtype=2, value_dtype=6, _coo='x out'
sparse_divide_scalar | x:3,4%sparse | scalar=2.0, _coo='x out'
sparse_full_like | x:3,4%sparse | value=2.0, dtype=-1, _coo='x out'
sparse_add sparse_subtract sparse_multiply sparse_divide | x:3,4%sparse y:3,4%sparse |
    _coo='x y out'
sparse_indices sparse_values sparse_to_dense | x:3,4%sparse | _coo='x'
sparse_to_sparse_coo | x:3,4%sparse | sparse_dim=2, _coo='out'
sparse_mask_as | x:3,4 mask:3,4%sparse | _coo='mask out'
sparse_masked_matmul | x:3,2 y:2,4 mask:3,4%sparse | _coo='mask out'
sparse_matmul | x:3,4%sparse y:4,2 | _coo='x'
sparse_mv | x:3,4%sparse vec:4 | _coo='x'
sparse_addmm | input:3,2 x:3,4%sparse y:4,2 | alpha=2.0, beta=0.5, _coo='x'
sparse_reshape | x:3,4%sparse | shape=[2, 6], _coo='x out'
sparse_transpose | x:3,4%sparse | perm=[1, 0], _coo='x out'
sparse_slice | x:3,4%sparse | axes=[0], starts=[0], ends=[2], _coo='x out'
sparse_sum | x:3,4%sparse | axis=[1], keepdim=False, _coo='x out'
sparse_sum | x:3,4%sparse | axis=[], keepdim=False, _coo='x out'
sparse_sum | x:3,4%sparse | axis=[0], keepdim=True, dtype=6, _coo='x out'
sparse_conv3d | x:1,3,3,3,2%sparse kernel:2,2,2,2,4 | paddings=[0, 0, 0], dilations=[1, 1, 1],
    strides=[1, 1, 1], groups=1, subm=False, key='', _coo='x out' | -rulebook -counter
sparse_conv3d | x:1,3,3,3,2%sparse kernel:3,3,3,2,4 | paddings=[0, 0, 0], dilations=[1, 1, 1],
    strides=[1, 1, 1], groups=1, subm=True, key='', _coo='x out' | -rulebook -counter
sparse_maxpool | x:1,4,4,4,2%sparse | kernel_sizes=[2, 2, 2], paddings=[0, 0, 0],
    dilations=[1, 1, 1], strides=[2, 2, 2], _coo='x out' | -rulebook -counter
sparse_batch_norm | x:1,3,3,3,2%sparse mean:2 variance:2~0.5~1 scale:2 bias:2 | is_test=True,
    momentum=0.9, epsilon=1e-5, data_layout='NHWC', use_global_stats=False,
    trainable_statistics=False, _coo='x out' | -mean_out -variance_out -saved_mean -saved_variance
    -reserve_space
write_to_array | X:2,3 I:1@i8~0~0 | _array='Out'
read_from_array | X__0:2,3 X__1:2,3 I:1@i8~1~1 | _array='X'
lod_array_length | X__0:2,3 X__1:2,3 | _array='X'
tensor_array_to_tensor | X__0:2,3 X__1:2,3 | axis=1, use_stack=False, _array='X' | -OutIndex
tensor_array_to_tensor | X__0:2,3 X__1:2,3 | axis=0, use_stack=True, _array='X' | -OutIndex
assign | X__0:2,3 X__1:2,3 | _array='X Out'
slice | Input__0:2,3 Input__1:2,3 | axes=[0], starts=[1], ends=[2], decrease_axis=[0],
    _array='Input'
tdm_sampler | X:2,1@i4~0~1 Travel:3,2@i4~1~2 Layer:6,1@i4~1~6 | neg_samples_num_list=[1, 1],
    output_positive=True, layer_offset=[0, 2, 6], seed=1, dtype=2 | Labels -Out
select_input | X__0:2,3 X__1:2,3 Mask:1@i4~1~1 |
npu_identity | x:2,3 | format=-1
print | In:2,3 | first_n=-1, summarize=3, message='x', print_phase='BOTH'
assert | Cond:1@b Data__0:2,3 | summarize=3
restrict_nonzero | condition:2,3@b | total_true_num=3
rank_attention | X:2,3 RankOffset:2,3@i4~0~1 RankParam:9,4 | MaxRank=1, MaxSize=2 | InputHelp
    InsRank
match_matrix_tensor | X:5,3 Y:4,3 W:3,2,3 | _lod=dict(X=[2, 3], Y=[1, 3]), dim_t=2 | -Tmp
lod_reset | X:4,3 | append=False, target_lod=[0, 2, 4]
lu_unpack | X:3,3 Pivots:3@i4~3~3 | unpack_ludata=True, unpack_pivots=True
eigh | X:3,3%spd | UPLO='L' | -Eigenvectors
svd | X:3,4 | full_matrices=False | -U -VH
eig | X:3,3 | | -Eigenvectors
transfer_layout | X:1,2,3,4 | src_layout=2, dst_layout=1
interp_antialias | x:1,2,4,4 | out_h=6, out_w=7, interp_method='bilinear', align_corners=False
depthwise_conv3d_bias | input:1,2,4,4,4 filter:2,1,2,2,2 bias:2 | groups=2
fused_conv2d | Input:1,2,4,4 Filter:3,2,3,3 | paddings=[1, 1]
fused_conv2d_add_act | Input:1,2,4,4 Filter:3,2,3,3 Bias:3 | paddings=[1, 1], activation='relu'
fused_transpose | X:2,3,4 | axis=[2, 0, 1]
quantize | Input:2,3 | Scale=10.0, Shift=0.0, output_format='NHWC'
quant_linear | x:2,3 w:3,4@i1 bias:4 | in_num_col_dims=1, scale_in=1.0, scale_weights=[1.0],
    quant_round_type=1, quant_max_bound=127.0, quant_min_bound=-127.0
cal_aux_loss | gate_prob:4,3%prob dispatch_mask:3@i8~1~2 | num_experts=3, use_group=False,
    moe_k=1, clip_min=1e-6
add_group_norm_silu | x:1,4,3,3 scale:4 bias:4 | epsilon=1e-5, groups=2, data_format='NCHW',
    activation='silu'
yolo_box_head | X:1,14,2,2 | anchors=[10, 13, 16, 30], class_num=2
gru | Input:5,9 Weight:3,9 Bias:1,9 | _lod=dict(Input=[2, 3]), activation='tanh',
    gate_activation='sigmoid'
lstm | Input:5,12 Weight:3,12 Bias:1,12 | _lod=dict(Input=[2, 3]), use_peepholes=False
lstm | Input:5,12 Weight:3,12 Bias:1,21 | _lod=dict(Input=[2, 3]), use_peepholes=True,
    is_reverse=True
sequence_pool | X:5,3 | _lod=dict(X=[2, 3]), pooltype='SUM'
sequence_pool | X:5,3 | _lod=dict(X=[2, 3]), pooltype='MAX'
sequence_softmax | X:5,1 | _lod=dict(X=[2, 3])
sequence_expand | X:2,3 Y:5,1 | _lod=dict(Y=[2, 3]), ref_level=0
sequence_conv | X:5,3 Filter:9,4 | _lod=dict(X=[2, 3]), contextLength=3, contextStart=-1,
    contextStride=1
crf_decoding | Emission:5,3 Transition:5,3 | _lod=dict(Emission=[2, 3])
chunk_eval | Inference:6,1@i8~0~3 Label:6,1@i8~0~3 | _lod=dict(Inference=[2, 4], Label=[2, 4]),
    num_chunk_types=2, chunk_scheme='IOB'
edit_distance | Hyps:5,1@i8~0~3 Refs:6,1@i8~0~3 | _lod=dict(Hyps=[2, 3], Refs=[4, 2]),
    normalized=False
ctc_align | Input:6,1@i4~0~3 | _lod=dict(Input=[2, 4]), blank=0, merge_repeated=True
row_conv | X:5,3 Filter:2,3 | _lod=dict(X=[2, 3])
im2sequence | X:2,2,4,4 | kernels=[2, 2], strides=[2, 2]
add_position_encoding | X:5,4 | _lod=dict(X=[2, 3]), alpha=0.5, beta=2.0
warpctc | Logits:6,4 Label:3,1@i4~1~3 | _lod=dict(Logits=[3, 3], Label=[1, 2]), blank=0
fusion_gru | X:5,4 WeightX:4,9 WeightH:3,9 Bias:1,9 | _lod=dict(X=[2, 3]), activation='tanh',
    gate_activation='sigmoid'
fusion_lstm | X:5,4 WeightX:4,12 WeightH:3,12 Bias:1,12 | _lod=dict(X=[2, 3]), use_peepholes=False
fusion_seqpool_concat | X__0:5,3 X__1:5,3 | _lod=dict(X=[2, 3]), pooltype='SUM', axis=1
fusion_seqpool_cvm_concat | X__0:5,4~0.1~1 X__1:5,4~0.1~1 CVM:2,2 | _lod=dict(X=[2, 3]),
    pooltype='SUM', axis=1, use_cvm=True
fused_seqpool_cvm | X__0:5,4~0.1~1 X__1:5,4~0.1~1 CVM:2,2 | _lod=dict(X=[2, 3]), pooltype='SUM',
    use_cvm=True, cvm_offset=2 | Out=2
fusion_seqconv_eltadd_relu | X:5,3 Filter:9,4 Bias:1,4 | _lod=dict(X=[2, 3]), contextLength=3,
    contextStart=-1, contextStride=1
fused_embedding_fc_lstm | Ids:5,1@i8~0~5 Embeddings:6,12 WeightH:3,12 Bias:1,12 |
    _lod=dict(Ids=[2, 3]), use_peepholes=False
attention_lstm | X:5,4 C0:2,3 AttentionWeight:7,1 LSTMWeight:7,12 LSTMBias:1,12 | _lod=dict(X=[2,
    3])
lu_solve | b:3,2 lu:3,3%regular pivots:3@i4~3~3 | trans='N'
c_concat c_split | X:2,4 | rank=0, nranks=1, ring_id=0
all_gather reduce_scatter | x:2,4 | ring_id=0, nranks=1
all_reduce broadcast reduce all_to_all | x:2,4 | ring_id=0
partial_allgather | X:2,4 | ring_id=0, nranks=1, rank=0
barrier | X:1@i4 | ring_id=0
c_scatter | X:2,4 | ring_id=0, nranks=1, use_calc_stream=True
c_wait_comm c_wait_compute | X__0:2,4 | ring_id=0 | Out=1
flash_attn_unpadded | q:4,2,8 k:4,2,8 v:4,2,8 cu_seqlens_q:2@i4~0~4%sorted
    cu_seqlens_k:2@i4~0~4%sorted | max_seqlen_q=4, max_seqlen_k=4, scale=0.3, dropout=0.0,
    causal=False, return_softmax=False, is_test=True | -softmax -softmax_lse -seed_offset
weight_dequantize | x:32,64@i1~-9~9 scale:32~0.1~1 | algo='weight_only_int8', group_size=-1
weight_only_linear | x:2,64 weight:32,64@i1~-9~9 bias:32 weight_scale:32~0.1~1 |
    weight_dtype='int8', arch=80, group_size=-1
llm_int8_linear | x:2,64 weight:32,64@i1~-9~9 bias:32 weight_scale:32~0.1~1 | threshold=6.0
dequantize | Input:2,3@i1~-9~9; Input:2,3@u1~0~9 | Scale=10.0, Shift=0.0
requantize | Input:2,3@i1~-9~9 | Scale_in=10.0, Scale_out=5.0, Shift_in=0.0, Shift_out=0.0
requantize | Input:2,3@u1~0~9 | Scale_in=10.0, Scale_out=5.0, Shift_in=1.0, Shift_out=3.0
set | x:2,3 source:6 | dims=[2, 3], stride=[3, 1], offset=0
set | x:2,2 source:9 | dims=[2, 2], stride=[2, 1], offset=4
fused_rms_norm_quant | x:2,4 norm_weight:4 norm_bias:4; x:2,4 bias:4 residual:2,4
    norm_weight:4 | epsilon=1e-5, begin_norm_axis=1,
    quant_scale=-1.0, quant_round_type=0, quant_max_bound=0.0, quant_min_bound=0.0
select_output | X:2,3 Mask:1@i4~1~1 | | Out=2
graph_khop_sampler | Row:6@i8~0~3 Col_Ptr:5@i8~0~6%sorted X:2@i8~0~3 Eids:6@i8~0~9 |
    sample_sizes=[8, 8], return_eids=True
fused_conv3d | Input:1,2,4,4,4 Filter:3,2,3,3,3 | strides=[1, 1, 1], paddings=[1, 1, 1],
    dilations=[1, 1, 1], data_format='NCDHW'
beam_search | pre_ids:5,1@i8~0~2 pre_scores:5,1 ids:5,3@i8~0~5 scores:5,3~0.1~1 |
    _lod=dict(ids=[[2, 3], [1] * 5], scores=[[2, 3], [1] * 5]), level=0, beam_size=2, end_id=0 |
    parent_idx
beam_search | pre_ids:5,1@i8~0~2 pre_scores:5,1 ids:5,3@i8~0~5 scores:5,3~0.1~1 |
    _lod=dict(ids=[[2, 3], [1] * 5], scores=[[2, 3], [1] * 5]), level=0, beam_size=3, end_id=1,
    is_accumulated=False | parent_idx
multi_gru | X:5,4 WeightX__0:4,9 WeightX__1:4,9 WeightH__0:3,9 WeightH__1:3,9 Bias__0:1,9
    Bias__1:1,9 | _lod=dict(X=[2, 3]), layers=1
fusion_transpose_flatten_concat | X__0:2,3,4,5 X__1:2,3,4,5 | trans_axis=[0, 2, 3, 1],
    flatten_axis=1, concat_axis=1
"""


def rows():
    """(kinds, cases, attributes as text, marks of results) of each row."""
    yield UNARY.split(), 'X:2,3; X:2,3@f8', '', ''
    for line in ROWS.strip().replace('\n    ', ' ').splitlines():
        parts = [part.strip() for part in line.split('|')] + ['', '', '']
        kinds, cases, attrs, marks = parts[:4]
        yield kinds.split(), cases, attrs, marks
