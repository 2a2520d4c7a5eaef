# SPDX-License-Identifier: Apache-2.0
"""Rows of manipulation, indexing, creation, random functions and Tensor methods."""

ALL = 'F I C B'


def manipulation(row):
    s = 'manipulation'

    def one(template, shapes='x:2,3,4; x:0,3,4; x:4,3,2/t', dtypes=ALL, torch=False, **options):
        row(s, f'paddle.{template}', shapes, dtypes, torch=torch, **options)

    one(
        'reshape(x, {[6, 4]|[-1]|[0, -1]|[2, 3, 4]|(4, 6)|[-1, 0, 2]|[5, 5]|[-1, -1]|shape=[24]})',
        forms='m',
    )
    one('reshape(x, [6, -1])', 'x:2,3,4; x:6', forms='i', dtypes='D')
    one('flatten(x{|, 1|, 0, 1|, start_axis=-2|, 1, 1|, 2, 1|, 0, 5})', forms='mi')
    one(
        'transpose(x, {[2, 0, 1]|[0, 1, 2]|[0, 2, 1]|perm=[-1, 0, 1]|[0, 1]|[0, 0, 1]})',
        'x:2,3,4; x:0,3,4',
        forms='m',
    )
    one('{moveaxis}(x, {0, 1|[0, 1], [1, 0]|-1, 0|0, 5|[0, 0], [1, 2]})')
    one('{swapaxes|swapdims}(x, {0, 1|-1, 0|0, 5})')
    one('permute(x, {(2, 0, 1)|2, 0, 1|dims=[0, 2, 1]})', 'x:2,3,4', 'f4 i4')
    one(
        'squeeze(x{|, 0|, axis=-1|, axis=[0, 2]|, 1|, axis=[0, 0]|, 7})',
        'x:1,3,1; x:1,1; x:; x:0,1',
        forms='mi',
    )
    one('unsqueeze(x, {0|axis=-1|[0, 2]|[1, 1]|5|[-1, 0]})', 'x:2,3; x:; x:0,3', forms='mi')
    one(
        'expand(x, {[2, 3]|[4, 2, 3]|[-1, 3]|[2, 2, 3]|[3, 3]|shape=[1, -1, 3]})',
        'x:2,3; x:1,3; x:2,1; x:1; x:',
        forms='m',
    )
    one('broadcast_to(x, {[2, 3]|[4, 2, 3]|[-1, 3]|[3, 3]})', 'x:2,3; x:1,3; x:1; x:')
    one('{expand_as|view_as}(x, y)', 'x:2,3 y:2,3; x:1,3 y:2,3; x:3 y:2,3')
    one('broadcast_tensors([x, y])', 'x:2,3 y:3; x:1,3 y:2,1; x: y:2; x:0,3 y:1,3; x:2 y:3')
    one('tile(x, {[2]|[2, 1]|[2, 3, 1, 1]|2|[0]|[1, 1, 1]|repeat_times=[1, 0, 2]})', forms='m')
    one(
        'repeat_interleave(x, {2|3, axis=0|2, axis=-1|0|r, axis=0|repeats=r, axis=0})',
        'x:2,3 r:2@i4~0~3; x:2,0 r:2',
    )
    one(
        '{concat|cat|concatenate}([x, y]{|, 0|, axis=-1|, 1|, axis=5})',
        'x:2,3 y:2,3; x:2,3 y:0,3; x:2,3 y:4,3; x: y:; x:3 y:2; x:2,3 y:3,2',
        forms='',
    )
    one('concat([x, y, y], axis=1)', 'x:2,3 y:2,1; x:2,0 y:2,4', 'F')
    one(
        'stack([x, y]{|, 0|, axis=-1|, axis=1|, 3|, axis=-3})',
        'x:2,3 y:2,3; x: y:; x:0 y:0; x:2 y:3',
    )
    one(
        '{hstack|vstack|dstack|column_stack|row_stack}([x, y])',
        'x:2,3 y:2,3; x: y:; x:3 y:3; x:2,0 y:2,3; x:2,2,2 y:2,2,2',
    )
    one(
        'split(x, {3|[1, 2], 1|2, axis=2|[1, -1], 1|num_or_sections=[2, 2], axis=-1|2|[1, 1], '
        '1|1})',
        'x:3,3,4; x:0,3,4; x:6',
    )
    one('chunk(x, {3|2, axis=2|1|3, -2|2|5})', 'x:3,3,4; x:6')
    one('tensor_split(x, {2|3, axis=2|[1, 2], 1|[1], axis=-1|5|[2, 1]})', 'x:3,3,4; x:7')
    one('{hsplit|vsplit|dsplit}(x, {2|[1, 3]})', 'x:4,4,4; x:4,4; x:4')
    one('{unbind|unstack}(x{|, 0|, axis=1|, axis=-1|, 5})', 'x:2,3,4; x:2; x:0,3')
    one('flip(x, {0|[0, 1]|axis=-1|[]|[0, 0]|5})', 'x:2,3; x:4; x:; x:0,3; x:4,3/t', forms='m')
    one('reverse(x, {0|[1]})', 'x:2,3', 'f4 i4')
    one(
        'roll(x, {1|2, 0|[1, 2], [0, 1]|-1, axis=-1|shifts=7|[1, 1], axis=[0, 0]|0|1, 5})',
        'x:2,3; x:4; x:; x:0,3; x:4,3/t',
    )
    one('rot90(x{|, 2|, k=-1|, k=3, axes=[1, 0]|, 1, [0, 2]|, 4|, 1, [0, 0]})', 'x:2,3,4; x:2,3')
    one('{diag}(x{|, 1|, offset=-1|, padding_value=2|, 5})', 'x:3; x:3,4; x:0; x:2,2,2; x:1')
    one('{diagflat}(x{|, 1|, offset=-2})', 'x:3; x:2,2; x:; x:0')
    one('diag_embed(x{|, 1|, offset=-1|, 0, 0, 2|, dim1=1, dim2=0|, 0, 1, 1})', 'x:2,3; x:3; x:0,3')
    one(
        'diagonal(x{|, 1|, offset=-1|, 0, 1, 2|, axis1=-1, axis2=0|, 9|, 0, 1, 1})',
        'x:3,4; x:2,3,4; x:0,3',
        forms='m',
    )
    one('diagonal_scatter(x, y{|, 0|, offset=1})', 'x:3,3 y:3; x:3,4 y:3; x:3,3 y:2')
    one(
        '{tril|triu}(x{|, 1|, -1|, diagonal=9|, diagonal=-9})',
        'x:3,4; x:2,3,3; x:0,3; x:3; x:4,3/t',
        forms='mio',
    )
    one(
        '{tril_indices|triu_indices}({3, 4|3, 3, 1|2, 4, -1|0, 3|3, 3, offset=9|3, 4, '
        'dtype="int32"})',
        '',
    )
    one('{atleast_1d|atleast_2d|atleast_3d}(x)', 'x:; x:3; x:2,3; x:2,2,2; x:1,2,1,2; x:0')
    one('{atleast_1d|atleast_2d|atleast_3d}(x, y)', 'x: y:3', 'f4')
    one('{as_real|view_as_real}(x)', 'x:2,3; x:; x:0', 'C')
    one('{as_complex|view_as_complex}(x)', 'x:2,3,2; x:2; x:0,2; x:2,3', 'D')
    one(
        'unfold(x, {0, 2, 1|1, 2, 2|-1, 3, 1|axis=0, size=1, step=1|0, 9, 1|0, 0, 1})',
        'x:4,5; x:4,5,3',
    )
    one('unflatten(x, {1, [2, 3]|1, [-1, 2]|axis=-1, shape=[3, 2]|1, [4, 2]})', 'x:2,6')
    one(
        'as_strided(x, {[2, 2], [2, 1]|[3], [1], 1|[2, 3], [1, 1]|[0], [1]|[2, 3], [0, 1]})',
        'x:2,4',
        'F I',
    )
    one(
        'slice(x, {[0], [0], [1]|[0, 1], [1, -2], [2, 9]|axes=[2], starts=[-3], '
        'ends=[-1]|[1], [2], [1]|[0, 2], [0, 1], [2, 3]})',
        'x:2,3,4; x:0,3,4; x:4,3,2/t',
    )
    one(
        'strided_slice(x, {[0], [0], [2], [1]|[1, 2], [2, 0], [-4, 4], [-1, 2]|[2], [3], [0], [-2]|'
        'axes=[2], starts=[-1], ends=[-9], strides=[-1]|[1], [0], [3], [2]})',
        'x:2,3,4; x:0,3,4',
    )
    one(
        'slice_scatter(x, y, {[1], [0], [2], [1]|[1], [1], [3], [1]|[-1], [0], [4], [2]})',
        'x:2,4 y:2,2',
        'F I',
    )
    one('select_scatter(x, y, {0, 1|0, -1|axis=0, index=0|0, 5})', 'x:2,3 y:3', 'F I')
    one('crop(x{|, [1, 2]|, shape=[2, -1], offsets=[0, 1]|, [1, 1], [1, 2]})', 'x:2,3', 'F I')
    one('meshgrid(x, y{|, indexing="xy"})', 'x:2 y:3; x: y:2; x:0 y:2')
    one('meshgrid([x, y])', 'x:2 y:3', 'f4 i8')
    one('broadcast_shape({[2, 1], [3]|[2], [3]|[], [2]|[-1, 2], [2]})', '')
    one('{shard_index}(x, 20, 2, 0{|, -1|, ignore_value=7})', 'x:4,1~0~19@i8; x:4,1@i4', 'f4')
    one('view(x, {[6]|[3, 2]|"int32"|"float32"|"uint8"|[5]|[-1]})', 'x:2,3; x:3,2/t', 'f4 i4 f8 f2')
    one('{view_as}(x, y)', 'x:2,3 y:6', 'f4')
    one('narrow(x, {0, 1, 1|1, 0, 2|-1, -2, 2|1, 2, 3})', 'x:2,3', 'f4 i8')


def indexing(row):
    s = 'indexing'

    def one(template, shapes, dtypes='F I C B', torch=False, **options):
        row(s, template, shapes, dtypes, torch=torch, **options)

    gets = (
        '0|-1|1:|::2|::-1|...|None|0, 1|:, 1|..., -1|1, ...|:, None|0:0|5:|-2:|[0, 1]|[[0, '
        '1], [1, 0]]|i|:, i|i, i|i[:, None], i|m|x.astype("bool")|...,[0, 1]|[0, 1], :, [0, '
        '1]|0, :, [0, 1]|True|False|2|[5]|0, 0, 0, 0|0.5|paddle.to_tensor(1)|np.array([0, '
        '1])|[True, False]|:, [True, False, True]|(0, 1)|-1, -1, -1|slice(None, None, '
        '2)|1:0:-1|i, 1|i, :, i|(None, 0, None)|[]'
    )
    one(
        f'x[{{{gets}}}]', 'x:2,3,4 i:2@i8~0~1 m:2@b; x:3,2,5 i:3 m:3', function='Tensor.__getitem__'
    )
    sets = (
        '0|-1|1:|::2|::-1|...|0, 1|:, 1|..., -1|0:0|-2:|[0, 1]|i|:, '
        'i|m|x.astype("bool")|[0, 1], :, [0, 1]|2|None|True|slice(None, None, 2)|i, 1'
    )
    for value in ('v', '1.5', '7', 'True'):
        keys = (
            sets.replace('0, 1|:, 1|..., -1', '(0, 1)|(slice(None), 1)|(..., -1)')
            .replace('[0, 1], :, [0, 1]', '([0, 1], slice(None), [0, 1])')
            .replace('1:|::2|::-1|', 'slice(1, None)|slice(None, None, 2)|slice(None, None, -1)|')
            .replace('|0:0|-2:|', '|slice(0, 0)|slice(-2, None)|')
            .replace(':, i|', '(slice(None), i)|')
            .replace('i, 1', '(i, 1)')
        )
        one(
            f'assigned(x, {{{keys}}}, {value})',
            'x:2,3,4 i:2@i8~0~1 m:2@b v:; x:2,3,4 i:2 m:2 v:4',
            'F I C B' if value == 'v' else 'f4 i8 b bf c8',
            function='Tensor.__setitem__',
        )
    one(
        'paddle.gather(x, i{|, axis=0|, 1|, axis=-1|, axis=5})',
        'x:2,3 i:4@i8~0~1; x:2,3 i:@i8; x:2,3 i:0; x:2 i:3; x:0,3 i:0; x:3,2/t i:3',
        forms='m',
    )
    one(
        'paddle.gather(x, i)',
        'x:2,3 i:4@i4~0~1; x:2,3 i:4,1; x:2,3 i:2~5~6; x:2,3 i:2~-2~-1',
        'f4 i8',
    )
    one(
        'paddle.{index_select}(x, i{|, axis=0|, 1|, axis=-1})',
        'x:2,3 i:4@i8~0~1; x:2,3 i:0; x:2 i:3; x:2,3 i:3@i4; x:2,3 i:2~5~6',
        forms='m',
    )
    one(
        'paddle.gather_nd(x, i)',
        'x:2,3 i:4,2@i8~0~1; x:2,3 i:4,1; x:2,3 i:0,2; x:2,3 i:2; x:2,3 i:3,0; x:2,3 i:3,2@i4; '
        'x:2,3 i:3,2~-2~-1',
    )
    one(
        'paddle.{take_along_axis}(x, i, {1|0|-1|1, broadcast=False|axis=0, broadcast=False|5})',
        'x:2,3 i:2,2@i8~0~1; x:2,3 i:1,2; x:2,3 i:2,1@i4; x:3,3 i:2,2; x:2,3 i:0,2; x:2,3 '
        'i:2,2~5~6',
        forms='m',
    )
    one(
        'paddle.put_along_axis(x, i, v, {1|0|axis=-1})',
        'x:2,3 i:2,1@i8~0~1 v:2,1; x:2,3 i:1,2 v:1,2; x:2,3 i:2,2 v:; x:2,3 i:2,1@i4 v:2,1',
        'F I',
    )
    one(
        'paddle.put_along_axis(x, i, v, 1, '
        '{"add"|"multiply"|"mul"|"amin"|"amax"|"mean"|"assign"|"bad"}{|, '
        'include_self=False|, broadcast=False})',
        'x:2,3 i:2,2@i8~0~1 v:2,2; x:2,3 i:2,3 v:2,3',
        'F I',
    )
    one(
        'written(x.put_along_axis_(i, v, 1{|, "add"}), x)',
        'x:2,3 i:2,1@i8~0~1 v:2,1',
        'D',
        function='Tensor.put_along_axis_',
    )
    one(
        'paddle.scatter(x, i, v{|, overwrite=True|, False})',
        'x:4,3 i:2@i8~0~3 v:2,3; x:4 i:3@i8 v:3; x:4,3 i:2@i4 v:2,3; x:4,3 i:0 v:0,3; x:4,3 '
        'i:2~7~8 v:2,3',
        'F I',
        forms='m',
    )
    one(
        'paddle.scatter_nd_add(x, i, v)',
        'x:4,3 i:2,1@i8~0~3 v:2,3; x:4 i:3,1 v:3; x:4,3 i:2,2~0~2 v:2; x:4,3 i:2,2@i4 v:2',
        'F I',
    )
    one('paddle.scatter_nd(i, v, {[4, 3]|shape=[9, 3]})', 'i:2,1@i8~0~3 v:2,3; i:0,1 v:0,3', 'F I')
    one('paddle.scatter_add(x, {0|1|-1}, i, v)', 'x:2,3 i:2,2@i8~0~1 v:2,2', 'F I')
    one(
        'paddle.scatter_reduce(x, {0|1}, i, v, {"sum"|"prod"|"mean"|"amax"|"amin"}{|, '
        'include_self=False})',
        'x:2,3 i:2,2@i8~0~1 v:2,2; x:2,3 i:2,3 v:2,3',
        'F I',
    )
    one(
        'paddle.index_add(x, i, {0|axis=0}, v)',
        'x:4,3 i:2@i8~0~3 v:2,3; x:4 i:2 v:2; x:4,3 i:2@i4 v:2,3',
        'F I',
        forms='mi',
    )
    one('paddle.index_add(x, i, {1|-1}, v)', 'x:3,4 i:2@i8~0~3 v:3,2', 'F I')
    one(
        'paddle.index_fill(x, i, {0|1|axis=-1}, {2|1.5|v})',
        'x:4,4 i:2@i8~0~3 v:; x:4,4 i:0 v:',
        'F I B',
        forms='mi',
    )
    one(
        'paddle.index_put(x, {(i,)|(i, i)|(x > 0,)}, {v|v, True|v, accumulate=True})',
        'x:4,4 i:2@i8~0~3 v:; x:4,4 i:2 v:1',
        'F I C B',
        forms='i',
    )
    one(
        'paddle.index_sample(x, i)',
        'x:2,3 i:2,2@i8~0~2; x:2,3 i:2,0; x:2,3 i:2,2@i4; x:2,3 i:3,2',
        'F I C',
    )
    one(
        'paddle.{masked_select}(x, m)',
        'x:2,3 m:2,3@b; x:2,3 m:3; x: m:; x:0,3 m:0,3; x:3 m:2,3; x:3,2/t m:3,2',
        forms='m',
    )
    one(
        'paddle.masked_fill(x, m, {1.5|2|v|True})',
        'x:2,3 m:2,3@b v:; x:2,3 m:3 v:; x:3 m:2,3 v:; x:0,3 m:1,3 v:; x: m: v:',
        forms='mi',
    )
    one(
        'paddle.masked_scatter(x, m, v)',
        'x:2,3 m:2,3@b v:7; x:2,3 m:3 v:6; x:2,3 m:2,3 v:0',
        'F I',
        forms='mi',
    )
    one(
        'paddle.take(x, i{|, mode="wrap"|, mode="clip"|, mode="bad"})',
        'x:2,3 i:2,2@i8~-6~5; x:2,3 i:; x:2,3 i:0; x:2,3 i:3@i4',
        'F I C',
    )
    one('paddle.take(x, i{|, mode="wrap"|, mode="clip"})', 'x:2,3 i:4@i8~-20~20', 'f4 i8')
    one('F.one_hot(x{, 6|, num_classes=-1|})', 'x:3~0~4; x:; x:2,2; x:0', 'i8 i4')
    one('x.fill_diagonal_tensor(y{|, 0, 0, 1})', 'x:3,3 y:3; x:3,4 y:3; x:2,3,3 y:3,2', 'F I')
    one(
        'after(x, "fill_diagonal_", {1.5|2, 1|2.0, offset=-1|3, wrap=True})',
        'x:3,3; x:3,5; x:7,3',
        'F I',
    )


def creation(row):
    s = 'creation'

    def one(template, shapes='', dtypes='f4', torch=False, **options):
        row(s, template, shapes, dtypes, torch=torch, **options)

    kinds = (
        '|, "float64"|, dtype="int32"|, "bool"|, dtype="bfloat16"|, "complex64"|, '
        'dtype="uint8"|, dtype=paddle.float16|, "bad"'
    )
    one(f'paddle.{{zeros|ones}}({{[2, 3]|[]|3|(2, 0)|shape=[1]|[-1]|"a"}}{{{kinds}}})', cross=True)
    one(f'paddle.full({{[2, 3]|[]|(2, 0)}}, {{2|1.5|True|-1|2 + 1j}}{{{kinds}}})')
    one('paddle.full([2], {float("inf")|float("nan")|2**40|1e300|"2.5"|paddle.to_tensor(3.0)})')
    one(f'paddle.{{zeros_like|ones_like}}(x{{{kinds}}})', 'x:2,3; x:; x:0,3; x:3,2/t', 'F I C B')
    one(f'paddle.full_like(x, {{2|1.5|True|-1}}{{{kinds}}})', 'x:2,3; x:', 'F I C B')
    one(
        '[paddle.empty([2, 3]{|, "int32"|, dtype="bool"}).shape, str(paddle.empty([2, 3]{|, '
        '"int64"}).dtype)]',
        function='paddle.empty',
    )
    one('paddle.{empty_like}(x).shape', 'x:2,3', ALL)
    one(
        'paddle.arange({5|2, 7|0, 1, 0.25|5, 0, -1|0, 5, dtype="float32"|1.5|start=1, '
        'end=4|0|5, 0|0, 5, 2, "int32"|0.0, 3|0, 5, 0|10, dtype="float16"|3, '
        'dtype="float64"|2**40, 2**40 + 3|-3|0, -1, -0.25})'
    )
    one(
        'paddle.linspace({0, 1, 5|1, 0, 3|0, 10, 1|0, 10, 6, "int32"|0, 1, 0|-1, 1, 4, '
        'dtype="float64"|0, 5, 3, dtype="int64"|start=0, stop=2, num=3|2.5, 3.5, 7|0, 1, -1})'
    )
    one(
        'paddle.logspace({0, 3, 4|0, 3, 4, 2.0|0, 1, 3, base=3|1, 0, 3|0, 4, 5, 2, "int32"|0, 1, 1|'
        '0, 2, 3, dtype="float64"})',
        tolerance=4,
    )
    one(
        'paddle.eye({3|2, 4|4, 2|3, dtype="int32"|0|2, dtype="complex64"|num_rows=2, '
        'num_columns=3|-1})'
    )
    one(
        'paddle.to_tensor({1|1.5|True|[1, 2]|[1.5, 2]|[[1], [2]]|[]|(1, 2)|1j|[1, 2.5, '
        'True]|[[1, 2], [3]]|np.float32(3)|np.array([1, 2], "int16")|np.ones((2, '
        '0))|"abc"|None|[True, False]|[1 + 2j, 3]|2**40|[np.float64(1), '
        '2]|[paddle.ones([2]), paddle.zeros([2])]|range(3)|np.array(["a"])|2**63|2**64}{|, '
        'dtype="float64"|, "int32"|, dtype="bool"})',
        cross=True,
    )
    one('paddle.{as_tensor|asarray}({1|[1.5, 2]|np.ones(2)|True}{|, dtype="float64"})')
    one('paddle.Tensor(np.ones({3|2}))')
    one('paddle.{complex}(x, y)', 'x:2,3 y:3; x: y:; x:0 y:1', 'D')
    one('paddle.tril_indices({3, 3, 0|2, 5, -1|4, 4, 2, dtype="int32"})')
    one(
        'paddle.{rand|randn|standard_normal}({[2, 3]|[]|[0, 2]|(3,)}{|, dtype="float64"|, '
        '"float16"})'
    )
    one(
        'paddle.randint({5|0, 10, [2, 3]|-5, 5, [4], "int32"|0, 1|3, shape=[2]|low=0, '
        'high=3, shape=[]|5, 2|0, 2**40, [4]|0, 7, [3], "float32"})'
    )
    one(
        'paddle.{randint_like}(x, {5|2, 9|0, 3, "int64"|-2, 2, dtype="float32"})',
        'x:2,3; x:',
        'f4 i4 f8 i8 b',
    )
    one('paddle.randperm({5|0|1|7, "int32"|4, dtype="float32"|100})')
    one(
        'paddle.uniform({[2, 3]|[0]|(2,)|[]}{|, min=-1.0, max=1.0|, "float64"|, '
        'dtype="float32", min=2.0, max=3.0|, seed=3})'
    )
    one('paddle.normal({0.0, 1.0, [2, 3]|1.5, 0.5, (4,)|shape=[3]|0, 0, [2]})')
    one('paddle.normal({x|x, y|0.0, y|x, 2.0})', 'x:2,3 y:2,3~0.5~1', 'D')
    one('paddle.{bernoulli}(x{|, 0.3})', 'x:2,3~0~1; x:; x:0; x:40', 'D')
    one('paddle.{poisson}(x)', 'x:2,3~0~9; x:; x:0; x:20~20~99', 'D')
    one('paddle.binomial(n, p)', 'n:2,3@i8~1~20 p:2,3~0.1~0.9; n:40@i8~50~200 p:40', 'f4')
    one('paddle.{standard_gamma}(x)', 'x:2,3~0.2~5; x:0', 'D')
    one(
        'paddle.multinomial(x{|, 3|, num_samples=5, replacement=True|, 1, False|, 9})',
        'x:4~0.1~1; x:2,4',
        'D',
    )
    one('paddle.log_normal({1.0, 2.0, [2, 3]|0.0, 0.5, [4]})', tolerance=2)
    one(
        'after(x, {"uniform_"|"normal_"|"exponential_"|"uniform_", -2.0, 3.0|"normal_", 1.0, '
        '0.5|"exponential_", 2.0|"bernoulli_"|"bernoulli_", 0.2|"cauchy_"|"geometric_", '
        '0.3|"log_normal_"|"random_"|"random_", 5|"random_", 2, 9})',
        'x:2,3; x:; x:0',
        'D',
        tolerance=4,
        function='Tensor.uniform_, normal_, exponential_, ...',
    )
    one('paddle.{rand_like|randn_like}(x)', 'x:2,3', 'D')
    one(
        'F.dropout(x{|, 0.3|, p=0.0|, p=1.0|, training=False|, 0.4, '
        'mode="downscale_in_infer"|, 0.4, training=False, mode="downscale_in_infer"|, 0.5, '
        'axis=0|, 0.5, axis=[0, 1]|, 1.5|, axis=5})',
        'x:4,5; x:; x:0,3',
        'F',
    )
    one(
        'F.{dropout2d|dropout3d|alpha_dropout|feature_alpha_dropout}(x{|, 0.3|, p=0.0|, '
        'training=False|, 1.0})',
        'x:2,3,4,4,2; x:2,3,4,4',
        'D',
    )
    one('F.rrelu(x{|, 0.2, 0.4|, training=False|, 0.3, 0.3})', 'x:3,4; x:', 'D')
    one('F.gumbel_softmax(x{|, 0.5|, hard=True|, axis=0})', 'x:3,4', 'D')


def methods(row):
    s = 'Tensor methods'

    def one(template, shapes='x:2,3; x:; x:0,3; x:3,2/t', dtypes='F I C B', **options):
        row(
            s,
            template,
            shapes,
            dtypes,
            torch=False,
            **{'function': 'Tensor.' + template[2:].split('(')[0].strip('{}'), **options},
        )

    for name in '''
        ndim shape size is_leaf stop_gradient element_size() dim() ndimension() numel()
        is_contiguous() tolist() numpy() cpu() contiguous() detach() clone() item(0) itemsize
    '''.split():
        one('x.' + name)
    one('x.item({|0|-1|5|0, 1|1, 2})')
    one(
        '{float(x)|int(x)|bool(x)|len(x)|complex(x)|list(x)|hash(x) == '
        'hash(x)|x.__index__()|round(x.item(), 2)|'
        'str(x.dtype)|x.is_floating_point()|x.is_complex()|x.is_integer()|iter(x).__next__()}',
        'x:; x:1; x:2,3; x:0',
        function='conversions',
    )
    one('x.{astype|type|to}({"float64"|"int32"|paddle.float16|"bool"})', cross=True)
    one('x.to({"cpu"|"float64"|dtype="int32"|paddle.CPUPlace()|y|"bad"})', 'x:2,3 y:2@f8', 'f4 i8')
    one('x.{type_as}(y)', 'x:2,3 y:2@f8', 'f4 i8')
    for name in 'byte char short int long half float double bfloat16 bool'.split():
        one(f'x.{name}()', 'x:2,3~0~5', 'f4 i8 b', function='Tensor.' + name)
    one(
        'after(x, {"fill_", 1.5|"fill_", 2|"zero_"|"set_value", np.ones((2, 3), '
        '"float32")|"scale_", 2.0|"scale_", 2.0, 1.0|"clip_", -1, 1|"add_", 1|"subtract_", '
        '2|"multiply_", 2|"divide_", 2|"pow_", 2|"remainder_", 2|"floor_divide_", 2|"copy_", '
        '2|"cast_", "int32"|"squeeze_"|"unsqueeze_", 0|"flatten_"|"reshape_", '
        '[-1]|"t_"|"transpose_", [1, 0]|"tril_"|"where_", 1|"erfinv_"|"lerp_", 1, '
        '0.5|"masked_fill_", 1, 2})',
        'x:2,3~0.2~0.9; x:0,3',
        'f4 f8 i4 bf',
        cross=True,
        function='Tensor.fill_, scale_, ...',
    )
    one(
        'after(x, {"add_"|"subtract_"|"multiply_"|"divide_"|"copy_"|"where_"|"set_value"|'
        '"lerp_"|"equal_"|"less_than_"|"logical_and_"|"floor_divide_"|"hypot_"|"sub_"|"mul_"|'
        '"div_"}, y)',
        'x:2,3~1~4 y:2,3~1~4; x:2,3 y:3; x:3 y:2,3; x:2,3 y:@f8; x:2,3 y:3@i4',
        'f4 f8 i4 bf c8 b',
        cross=True,
        function='Tensor.add_, ...',
    )
    one(
        'x.new_{zeros|ones|empty|full}({[2]|[]|[2, 3], dtype="int32"|[2], 3}).shape',
        'x:2,3',
        'f4 i8',
        function='Tensor.new_',
    )
    one('x.{repeat}({2|2, 3|[1, 2, 2]})', 'x:2,3', 'f4 i8')
    one('x.split_with_sizes([1, 2]{|, 1|, dim=-1})', 'x:3,3', 'f4 i8')
    one(
        'x.{view|reshape|expand|tile|unsqueeze|squeeze|sum|max|flatten|transpose|permute|'
        'argmax|std|unbind|cumsum|flip|roll|mean}({0|-1|1|[0]|2, 3|0, 1|6})',
        'x:2,3',
        'f4',
        cross=True,
    )
    one('x.apply(lambda t: t * 2)', dtypes='f4 i8')
    one(
        '[x.is_same_shape(x), x.inplace_version, x.name is not None, x.persistable, '
        'x.place.is_cpu_place(), x.grad is None, x.layout is not None]',
        dtypes='f4',
        function='Tensor properties',
    )
    one(
        '[x.{get_strides|is_dense|is_sparse|is_dist|is_sparse_coo|is_sparse_csr|'
        'is_selected_rows|offset|requires_grad|T|mT|data|real|imag}]',
        dtypes='f4 c8',
        function='Tensor attributes',
    )
    one(
        '{x.stride()|x.stride(0)|x.stride(-1)|x.data.shape|x.H if hasattr(x, "H") else 0}',
        'x:2,3; x:3,2/t; x:6/s',
        'f4',
    )
    one(
        '{x == None|x != None|x in [1]|x.__contains__(1)|x is x|not (x == x).all()|divmod(x, '
        '2)|x.__rdiv__(2)|x.__pow__(2)|round(x)|x.__floor__()|x @ 2|x + "a"|x + None|x + [1, '
        '2, 3]|x == "a"|x < None|x[0] + 1|x.astype(None)}',
        'x:2,3',
        'f4 i8 b',
        function='operators with odd operands',
    )


def rare_arguments(row):
    """Rows beside those above: argument kinds, dtypes and forms that few programs use."""

    row('manipulation', 'paddle.{ravel}(x)', 'x:2,3; x:; x:0,3; x:4,3/t', 'F I C B', forms='m')
    row(
        'manipulation',
        'paddle.broadcast_shapes({[2, 1], [3]|[0, 3], [1, 1]|[], [2]|[2], [3]})',
        torch=False,
    )
    row(
        'indexing',
        'paddle.take_along_dim(x, i, {0|1|-1|dim=1})',
        'x:3,4 i:3,4@i8~0~2; x:0,4 i:0,4@i8~0~2',
        'F I',
        torch=False,
    )
    row('creation', 'paddle.range({1|0|2}, {5|7.5}{|, 2|, 0.5})', torch=False)
    row(
        'creation',
        'paddle.from_numpy({np.arange(6).reshape(2, 3)|np.ones((0, 3), "float32")})',
        torch=False,
    )
    row(
        'creation',
        'paddle.from_dlpack(paddle.to_dlpack(x){|, device="cpu"|, copy=True|, '
        'device=paddle.CPUPlace(), copy=False})',
        'x:2,3; x:; x:4,3/t',
        'f4 i8',
        torch=False,
    )


def in_place_by_name(row):
    def one(text, shapes, dtypes='D', tolerance=4):
        row('Tensor methods', f'after(x, {text})', shapes, dtypes, torch=False, tolerance=tolerance)

    one('"addmm_", y, z', 'x:2,4 y:2,3 z:3,4')
    one('"baddbmm_", y, z', 'x:5,2,4 y:5,2,3 z:5,3,4')
    one(
        '{"i0_"|"sigmoid_"|"zero_"|"detach_"|"polygamma_", 1|"multigammaln_", 2|"t_"|"clamp_", '
        '0.0, 1.0|"renorm_", 2.0, 0, 1.0}',
        'x:3,4~2~4; x:3,4/t',
    )
    one(
        '{"gammainc_"|"gammaincc_"|"logaddexp_"|"less_"|"mul_"|"div_"|"sub_"}, y',
        'x:2,3~0.5~3 y:2,3~0.5~3',
    )
    one('"scatter_", i, y', 'x:4,3 i:2@i8~0~3 y:2,3', 'F I')
    one('"scatter_add_", 0, i, y', 'x:4,3 i:2,3@i8~0~3 y:2,3', 'D I')
    one('"transpose_", [1, 0]', 'x:3,4', 'F I')
    one('"cast_", {"float64"|"int32"|"bool"}', 'x:3,4', 'f4 i8')
    one('"fill_", {1.5|2|True|-1|300}', 'x:3,4; x:; x:0,3; x:6/s', 'F I B')
    one('"fill_diagonal_tensor_", y', 'x:4,3 y:3', 'F I')
    one('"resize_", {[2, 2]|[12]|[3, 4]}', 'x:3,4')
    one(
        '{"random_"|"random_", 5|"random_", 2, 9|"random_", 0, 2 ** 33|"random_", -3, '
        '3|"random_", 5, 5|"random_", 9, 2}',
        'x:2,3; x:0; x:6/s',
        'D i4 i8',
    )
    one(
        '{"normal_"|"cauchy_"|"geometric_", '
        '0.3|"log_normal_"|"exponential_"|"uniform_"|"bernoulli_"}',
        'x:2,3; x:6/s; x:4,3/t',
        'D',
    )
    one('"set_value", x.numpy() * 0 + 1', 'x:3,4; x:; x:0,3', 'F I')
    one('"copy_", y, {True|False}', 'x:3,4 y:3,4; x:3,4/n y:4/n', 'F I')
    row(
        'Tensor methods',
        'x.{strides|is_dense|element_size|ndim|size|itemsize}',
        'x:3,4; x:; x:0,3',
        'F I C B',
        torch=False,
    )
    row(
        'Tensor methods',
        'x.{cdouble|cfloat|int8|int16|int32|uint8|long|half|double|bool}()',
        'x:2,3~0~5',
        'f4 i8',
        torch=False,
    )


def add_rows(row):
    for rows in (manipulation, indexing, creation, methods, rare_arguments, in_place_by_name):
        rows(row)
