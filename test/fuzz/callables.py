# SPDX-License-Identifier: Apache-2.0
"""The public callables, and lines of calls.py that call them: sensible arguments by parameter name,
hostile ones by kind.
"""

import ast
import importlib
import inspect

import recipes

import paddle

MODULES = '''
        paddle paddle.nn.functional paddle.nn paddle.nn.initializer paddle.nn.utils paddle.linalg
        paddle.fft paddle.signal paddle.distribution paddle.optimizer paddle.optimizer.lr
        paddle.vision.ops paddle.vision.transforms paddle.vision.models paddle.incubate
        paddle.incubate.nn paddle.incubate.nn.functional paddle.incubate.autograd
        paddle.incubate.optimizer paddle.sparse paddle.metric paddle.geometric paddle.static
        paddle.static.nn paddle.jit paddle.autograd paddle.amp paddle.amp.debugging paddle.io
        paddle.device paddle.text paddle.audio.functional paddle.audio.features paddle.regularizer
        paddle.utils paddle.framework paddle.base paddle.base.core paddle.base.framework
        paddle.distribution.transform paddle.distribution.kl paddle.utils.dlpack
        paddle.utils.unique_name paddle.flags paddle.callbacks paddle.hapi paddle.profiler
        paddle.inference paddle.vision paddle.vision.datasets paddle.audio paddle.hub
        paddle.device.cuda paddle.version paddle.sysconfig paddle.base.libpaddle paddle._C_ops
        paddle.quantization paddle.nn.quant paddle.distributed paddle.sparse.nn
        paddle.sparse.nn.functional
    '''.split()
# Not called: what waits or trains by design, opens libraries by name, starts processes, changes
# what the process imports, or is too large.
SKIP = {
    'run_check',
    'spawn',
    'launch',
    'load_plugin',
    'DataLoader',
    'hub',
    'disable_signal_handler',
    'enable_compat',
    'disable_compat',
    '_set_vectorcall',
    '_record',
    'vgg11',
    'vgg13',
    'vgg16',
    'vgg19',
    'to_bytes',
}
# Results that are what memory held, what another process would give, or told once.
UNWRITTEN = {
    'async_save',
    'clear_async_save_task_queue',
    'empty',
    'empty_like',
    'new_empty',
    'create_parameter',
    'create_global_var',
    'resize_',
    'set_',
    'data_ptr',
    '_md5sum',
    'FloatTensor',
    'DoubleTensor',
    'HalfTensor',
    'BFloat16Tensor',
    'IntTensor',
    'LongTensor',
    'ShortTensor',
    'CharTensor',
    'ByteTensor',
    'BoolTensor',
    'Tensor',
    '_share_buffer_to',
    '_unsafe_share_buffer_to',
    '_slice',
    '_clear',
    '_clear_data',
    'as_strided',
    'switch_main_program',
    'switch_startup_program',
    'load_from_file',
    'read_file',
    'async_save',
    'save',
    'switch',
    'generate',
    'uniform_',
    'KaimingUniform',
    'KaimingNormal',
    'Parameter',
    'EagerParamBase',
}

TENSORS = set(
    '''
        x y input other tensor q k v query key value values label labels weight bias index indices
        updates mask condition data src grad img logits target mat1 mat2 vec a b input1 input2
        input3 anchor positive negative mean variance running_mean running_var arr param moment
        moment1 moment2 velocity scale loc rate probs prob inputs outputs xs ys grad_outputs tensors
        A lengths boxes boxes_num scores sequence sorted_sequence boundaries test_x offset attn_mask
        segment_ids src_index dst_index row_ptr theta grid log_probs input_lengths label_lengths
        window total step_size prior_box target_box image im concentration concentration0
        concentration1 df low high start end batch1 batch2 tau tril repeats filter master_param
        learning_rate beta1_pow beta2_pow random_u pred correct hidden cell cum_offsets predictions
        log_input u p_target noise samples sections1 weights alpha1 values1 real imag abs angle
        out_grad dout grads params ins_tag image_shape rois vectors rot norm_weight norm_bias
        residual eigen hx h c pos neg points src_mask memory tgt
    '''.split()
)
SHAPES = set(
    '''
        shape size output_size normalized_shape s sizes repeat_times kernel_size stride padding
        dilation kernel_sizes strides paddings dilations starts ends steps axes perm dims out_shape
        output_shape image_size output_padding kernel filter_size expand_times batch_shape
        event_shape sample_shape resized_shape fc_sizes num_or_sections num_or_indices
        indices_or_sections split_size shifts pad scale_factor stride_size aspect_ratios lens
        crop_size ksize pool_size pool_stride pool_padding stacked repeat_interleave times
        in_event_shape out_event_shape input_size dim_size block_shape cutoffs milestones boundaries
    '''.split()
)
INTS = set(
    '''
        axis dim n k num offset axis1 axis2 dim1 dim2 groups num_classes start_axis stop_axis
        begin_norm_axis num_samples diagonal row col num_layers hidden_size d_model nhead
        in_channels out_channels num_features in_features out_features blank ignore_index
        padding_idx decimals seed n_fft hop_length win_length frame_length source destination
        start_idx shift upscale_factor downscale_factor bins q niter rank dim_a groups_num depth
        num_heads num_groups num_embeddings embedding_dim batch_size last_epoch step_size T_max
        warmup_steps max_iter num_filters dim_feedforward head_dim index_num nshards shard_id top_k
        topk level col_num x_num_col_dims num_flatten_dims n_mels sr repeats_num dim0 total_steps
        max_len beam_size start_axis1 num_parameters num_channels divisor_override begin_axis
        bit_length min_len num_iter power1 max_depth capacity num_workers epochs verbose nclasses
        pyramid_height num_attention_heads start_level levels
    '''.split()
)
FLOATS = set(
    '''
        p eps epsilon alpha beta gamma momentum rho lr threshold margin delta lambd slope
        negative_slope min max std rtol atol std1 value1 fill_value coeff beta1 beta2 weight_decay
        factor max_norm norm_type lower upper label_smoothing dropout drop_prob dropout_p rcond base
        total1 scale1 temperature power spatial_scale sampling_ratio reduction_ratio brightness
        contrast saturation hue min_lr decay lambda1 start_factor nan posinf neginf stdev scale_a
        scale_b tol init_loss_scaling incr_ratio decr_ratio loc1 angle1 d momentum1 f_min f_max
    '''.split()
)
DTYPES = [
    'float32',
    'float64',
    'int64',
    'int32',
    'bool',
    'float16',
    'bfloat16',
    'complex64',
    'complex128',
    'int8',
    'uint8',
    'int16',
]
STRINGS = {
    'data_format': ['NCHW', 'NHWC', 'NCL', 'NLC', 'NCDHW', 'NDHWC', 'NC', 'x', ''],
    'reduction': ['mean', 'sum', 'none', 'x'],
    'mode': [
        'reflect',
        'constant',
        'replicate',
        'circular',
        'avg',
        'min',
        'clip',
        'wrap',
        'raise',
        'nearest',
        'bilinear',
        'bicubic',
        'linear',
        'trilinear',
        'area',
        'reduced',
        'complete',
        'r',
        'fan_in',
        'x',
    ],
    'norm': ['forward', 'backward', 'ortho', 'x'],
    'reduce': ['add', 'mul', 'multiply', 'assign', 'mean', 'amax', 'amin', 'sum', 'prod', 'x'],
    'padding': ['SAME', 'VALID', 'same', 'x'],
    'padding_mode': ['zeros', 'border', 'reflection', 'reflect', 'replicate', 'circular', 'x'],
    'interpolation': [
        'linear',
        'lower',
        'higher',
        'midpoint',
        'nearest',
        'bilinear',
        'bicubic',
        'x',
    ],
    'UPLO': ['L', 'U', 'x'],
    'ord': ['fro', 'nuc', 'x'],
    'rounding_mode': ['trunc', 'floor', 'x'],
    'indexing': ['ij', 'xy', 'x'],
    'equation': ['ij,jk->ik', 'ii', '...i,i', ',', 'ij->', '->'],
    'activation': ['relu', 'gelu', 'tanh', 'x'],
    'act': ['relu', 'tanh', 'x'],
    'pool_type': ['max', 'avg', 'sum', 'x'],
    'reduce_op': ['sum', 'mean', 'max', 'min', 'x'],
    'message_op': ['add', 'sub', 'mul', 'div', 'x'],
    'compute_mode': ['use_mm_for_euclid_dist', 'donot_use_mm_for_euclid_dist', 'x'],
    'approximate': ['none', 'tanh', 'x'],
    'fill_mode': ['constant', 'x'],
    'pad_mode': ['reflect', 'constant', 'x'],
    'scale_mode': ['upscale_in_train', 'x'],
    'device': ['cpu', 'gpu', 'cpu:0', 'cpu:99', 'x'],
    'level': ['O1', 'O2', 'OD', 'x'],
    'key': ['a', 'x'],
    'name': ['a', ''],
    'direction': ['forward', 'bidirect', 'x'],
}

WIDE_INTS = '''
    2**31-1 2**31 -2**31 -2**31-1 2**32 2**32+1 2**62 2**63-1 -2**63 2**63 -2**63-1 2**64 2**64+1
    10**30 -1 0 -2 -7 7 100
'''.split()
WILD_FLOATS = '''
    nan inf -inf 0.0 -0.0 1e308 -1e308 5e-324 1e-320 1e39 65520.0 2.0**63 -2.0**63 1e20 0.5 -1.0 2.5
    10**400
'''.split()
WILD_SHAPES = '''
    [] [0] [-1] [2,0] [0,-1] [-1,-1] [2**31,2**31,2**31] [2**32,2**32] [2**62,4] [2**62,2]
    [0,2**62,2**62] [2**63-1] [-2**63] [2**63] [2**31] [1]*64 [1]*9 [1]*2000 [2]*70 [2,2**61] [-2,3]
    [None] [None,-1] [[2]] [2.5] [True] ['a'] [nan] [inf] (2,3) ((2,3),) 6 [6] [3,2] [2,3] [2,-1]
    [1,2**62] [2**33,2**31] [65536]*4 [0]*3 [3,-2**63] [3,2**63-1] [-2**63,2**63-1] [2**31-1]*3
    [t([],'int64','index'),2] [t([1],'int64'),-1] t([2],'int64') t([2],'int32','wild')
    t([0],'int64') t([2],'float32') t([2,2],'int64') np.array([2,3]) np.array([2.5])
    np.array([],dtype='int64') range(2,4) [1,1] [0,1] [1,0] [2,2] [2,2,2] [1,2,1,2] [0,0]
    [[0,0],[1,1]] [[0,0],[0,0],[1,1],[2,2]] [3]*3 [-3,-3] [5,5] [1]*6 [2**40]*2
'''.split()
OBJECTS = '''
    None '' 'a' '\\udc80' 'a\\0b' b'a' {} {'a':1} {1:2} [] () [[]] [None] object() type int ...
    slice(None) slice(-2**63,2**63-1,-2**63) (lambda*a:a) (lambda:1/0) 1j True loop() loop(dict)
    deep(50) deep(500) deep(100000) Raises('__len__') Raises('__len__','__getitem__')
    Raises('__index__','__int__','__float__','__bool__') Raises('__getitem__') Raises('__iter__')
    Raises('__array__') Raises('__eq__','__hash__') Raises('__getattr__') Raises('__getattribute__')
    Raises('__repr__','__str__') Raises('__torch_function__') Numeric(1) Numeric(2**63)
    Numeric(-2**63) Numeric('a') Numeric(None) Sized(3) Sized(2**62) Sized(-1) Sized(3,good=1)
    Sized(1,Sized(2**31)) Shrinks() Grows() Recurses() [Recurses()] [Shrinks()] pack('tuple')
    pack('list') pack('generator') pack('str') pack('int') pack('float')
    np.array([None,'a'],dtype=object) np.array('x') np.zeros([2,3]) np.zeros([0])
    np.zeros([2,3])[::-1,::-1] np.datetime64(0,'s') np.array(['a','b']) np.zeros(2,dtype='i4,f8')
    np.float16(2) np.int64(-2**63) np.uint64(2**64-1) np.ma.array([1,2]) np.array(2**63-1)
    np.zeros([2,3],dtype='>f4') np.zeros([0,2**40]) np.bool_(True) memoryview(b'abc') bytearray(3)
    range(3) iter([]) set() {1,2} paddle np nn.Linear nn.Linear(2,2) paddle.float16
    paddle.CPUPlace() Exception() NotImplemented float('nan') complex(nan,inf) [t([2])]
    [t([2]),None] (t([2]),t([2],'int64')) [t([2],'float16'),t([2],'float64')] [[t([2])],t([2])]
    {'x':t([2])} [1,t([2])] [t([0,3]),t([2,3])] [t([3])]*100 [object()] inspect.Parameter.empty
    cmath ParamAttr() paddle.static.InputSpec([None,2]) paddle.Tensor
'''.split()
DTYPE_ARGS = [
    "'float32'",
    "'float64'",
    "'int64'",
    "'int32'",
    "'bool'",
    "'float16'",
    "'bfloat16'",
    "'complex64'",
    "'int8'",
    "'uint8'",
    'paddle.int16',
    'paddle.complex128',
    "'float8_e4m3fn'",
    "'float8_e5m2'",
    "'uint16'",
    "'uint32'",
    "'uint64'",
    "'pstring'",
    'np.float32',
    'np.int8',
    "np.dtype('int64')",
    "'x'",
    "''",
    'float',
    'int',
    'bool',
    'complex',
    'object',
    'np.object_',
    'np.str_',
    "'float128'",
    '5',
    '-1',
    '10**30',
    'None',
    'type',
]
LAYOUTS = ['strided', 'reversed', 'transposed', 'expanded', 'overlap', 'offset']
BASES = [
    [2, 3],
    [3, 3],
    [4],
    [2, 3, 4],
    [2, 4, 6, 6],
    [1, 3, 8, 8],
    [3],
    [2, 2],
    [2, 3, 6],
    [1, 2, 4, 4, 4],
    [8],
    [1],
    [6, 6],
    [40, 9],
    [300],
]
ODD = [
    [],
    [0],
    [1],
    [0, 3],
    [3, 0],
    [0, 0, 0],
    [1, 0, 0],
    [2, 0, 3],
    [1, 1, 1, 1],
    [1] * 9,
    [7, 1],
    [0, 2, 5, 5],
    [2, 0, 5, 5],
    [2, 3, 0, 5],
    [1, 1],
    [5, 1, 1],
]


# How many steps are made or parts built, one by one: a call takes as long as it was asked to.
COUNTS = set(
    '''
        niter max_iter last_epoch device_count max_step_num
        max_iters step_each_epoch epochs num_iters max_level maxiter power_iters lbfgs_max_iter
        batch_size
    '''.split()
)


class Call:
    """path(arguments), `then` a method of what it gave: [(name or None, source)]; a source may be a
    recipe `T(...)`.
    """

    def __init__(self, path, arguments, then=None, owner=None):
        self.path, self.arguments, self.then, self.owner = path, arguments, then, owner

    def given(self, parameters):
        """Names of the parameters that the call has arguments for."""
        known = [p[0] for p in parameters]
        return [
            name or known[k] for k, (name, _) in enumerate(self.arguments) if name or k < len(known)
        ]

    def line(self, ways=''):
        recipes, texts = [], []

        def written(arguments):
            parts = []
            for name, source in arguments:
                if source.startswith('T('):
                    recipes.append(source)
                    source = 'x' + str(len(recipes) - 1)
                parts.append(f'{name}={source}' if name else source)
            return ', '.join(parts)

        if self.owner:  # a method of a tensor
            recipes.append(self.owner)
            texts.append(f'x0.{self.path}({written(self.arguments)})')
        else:
            texts.append(f'{self.path}({written(self.arguments)})')
        for method, arguments in self.then or []:
            texts.append(
                f'.{method}({written(arguments)})' if method else f'({written(arguments)})'
            )
        names = ', '.join(f'x{k}' for k in range(len(recipes)))
        parts = [
            f'lambda {names}: {"".join(texts)}' if names else f'lambda: {"".join(texts)}',
            *recipes,
        ]
        return f'check({", ".join(parts)}' + (f', ways={ways!r})' if ways else ')')


class Target:
    """A callable: its path, its parameters, whether it is a method of tensors or a class (with its
    methods).
    """

    def __init__(self, path, thing, method=False):
        self.path, self.method, self.name = path, method, path.split('.')[-1]
        self.parameters = parameters_of(thing)
        self.methods = []
        self.good = []  # calls that succeeded
        self.recipe = None  # the sensible call of test/recipes.py
        if inspect.isclass(thing) and not issubclass(thing, BaseException):
            for name in dir(thing):
                member = getattr(thing, name, None)
                if (
                    (not name.startswith('_') or name == '__call__')
                    and inspect.isroutine(member)
                    and name not in SKIP
                ):
                    found = parameters_of(member)
                    bound = inspect.ismethod(member) or isinstance(
                        inspect.getattr_static(thing, name, None), staticmethod
                    )
                    self.methods.append((name, found if bound else found[1:]))
            own = [m for m in self.methods if m[0] in vars(thing) or m[0] == 'forward']
            self.methods = own * 4 + self.methods

    def unwritten(self):
        return self.name in UNWRITTEN


def spelled(node):
    """An argument of a recipe; a tensor made of extents alone becomes a T(...), which calls change
    part by part.
    """
    makes = {
        't': "'float32', 'unit'",
        'p': "'float32', 'unit'",
        'i': "'int64', 'index'",
        'b': "'bool'",
        'c': "'complex64', 'unit'",
    }
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in makes:
        known = all(isinstance(a, ast.Constant) for a in node.args) and all(
            k.arg in ('low', 'high') for k in node.keywords
        )
        if known:
            return f"T([{', '.join(str(a.value) for a in node.args)}], {makes[node.func.id]})"
    return ast.unparse(node)


def written(path, text, method):
    """The Call of a recipe's text."""
    parts = []
    for part in recipes._CALLS.split(text):
        node = ast.parse(f'_({part})', mode='eval').body
        parts.append(
            [(None, spelled(a)) for a in node.args]
            + [(k.arg, spelled(k.value)) for k in node.keywords]
        )
    owner = None
    if method:
        if not parts[0] or not parts[0][0][1].startswith('T('):
            return None
        owner = parts[0].pop(0)[1]
    return Call(path, parts[0], [('__call__', arguments) for arguments in parts[1:]], owner)


def parameters_of(thing):
    """[(name, default, kind)]; what has no signature takes up to three of anything."""
    try:
        return [(p.name, p.default, p.kind) for p in inspect.signature(thing).parameters.values()]
    except (ValueError, TypeError, SyntaxError):
        return [(name, None, inspect.Parameter.POSITIONAL_ONLY) for name in ('x', 'y', 'axis')]


def targets():
    """Every public callable once, sorted by path."""
    found, seen = [], set()
    texts = {
        name if namespace == 'Tensor' else id(value): text
        for namespace, name, value, text in recipes.cases()
        if text is not None and namespace not in recipes.IN_PROGRAMS
    }
    for name in MODULES:
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        for attribute in sorted(dir(module)):
            thing = getattr(module, attribute, None)
            if (
                attribute.startswith('_')
                or attribute in SKIP
                or not callable(thing)
                or id(thing) in seen
            ):
                continue
            if not str(getattr(thing, '__module__', None) or 'paddle').startswith('paddle'):
                continue
            seen.add(id(thing))
            found.append(Target(f'{name}.{attribute}', thing))
            if id(thing) in texts:
                found[-1].recipe = written(found[-1].path, texts[id(thing)], False)
    for attribute in sorted(dir(paddle.Tensor)):
        thing = getattr(paddle.Tensor, attribute, None)
        if (
            attribute in SKIP
            or not callable(thing)
            or attribute
            in ('__class__', '__init_subclass__', '__subclasshook__', '__new__', '__getattribute__')
        ):
            continue
        target = Target(attribute, thing, method=True)
        target.parameters = target.parameters[1:]
        if attribute in texts or id(thing) in texts:
            target.recipe = written(attribute, texts.get(attribute, texts.get(id(thing))), True)
        found.append(target)
    return found


class Maker:
    """Makes calls of targets, one after another, from a random number generator."""

    def __init__(self, choose):
        self.choose = choose

    # --- tensors

    def tensor(self, wild, name='', base=None):
        r = self.choose
        shape = list(base or r.choice(BASES))
        dtype, fill, layout, grad = 'float32', '', '', True
        roll = r.random()
        if (
            name
            in (
                'index',
                'indices',
                'label',
                'labels',
                'src_index',
                'dst_index',
                'segment_ids',
                'lengths',
                'boxes_num',
                'repeats',
                'input_lengths',
                'label_lengths',
                'target',
            )
            and roll < 0.8
        ):
            dtype, fill = r.choice(['int64', 'int64', 'int32']), r.choice(['index', 'index', ''])
            if r.random() < 0.6:
                shape = r.choice([shape[:1], [2], shape[:-1], shape, [3], [1]])
        elif name in ('mask', 'condition') and roll < 0.8:
            dtype = 'bool'
        elif (
            name in ('weight', 'bias', 'running_mean', 'running_var', 'mean', 'variance', 'scale')
            and roll < 0.6
        ):
            shape = [r.choice(shape or [1])] if roll < 0.4 else shape
        elif roll < 0.1:
            dtype = r.choice(DTYPES)
        elif roll < 0.2:
            fill = r.choice(['unit', 'index', 'zero'])
        elif roll < 0.3 and shape:
            shape[r.randrange(len(shape))] = r.choice([1, 2, 3, 5])
        if r.random() < 0.1:
            layout = r.choice(LAYOUTS)
        if wild:
            kind = r.randrange(7)
            if kind == 0:
                shape = list(r.choice(ODD))
            elif kind == 1:
                dtype = r.choice(DTYPES)
            elif kind == 2:
                fill = r.choice(['wild', 'wild', 'zero'])
            elif kind == 3:
                layout = r.choice(LAYOUTS)
            elif kind == 4 and shape:
                shape[r.randrange(len(shape))] = 0
            elif kind == 5:
                shape = r.choice(
                    [shape[:-1], shape[1:], shape + [1], [1] + shape, shape[::-1], shape + [2]]
                )
            else:
                dtype, layout, fill, shape = (
                    r.choice(DTYPES),
                    r.choice(LAYOUTS),
                    r.choice(['', 'wild', 'index']),
                    list(r.choice(BASES + ODD)),
                )
        if r.random() < 0.3:
            grad = False
        return recipe(shape, dtype, fill, layout, grad)

    # --- one argument

    def sensible(self, name, default, base):
        r = self.choose
        if default is not inspect.Parameter.empty and r.random() < 0.5:
            return None
        if isinstance(default, bool):
            return r.choice(['True', 'False'])
        if name in STRINGS and (isinstance(default, str) or default is None or r.random() < 0.3):
            return repr(r.choice(STRINGS[name]))
        if name in ('dtype', 'out_dtype', 'index_dtype'):
            return r.choice(DTYPE_ARGS[:12])
        if name in ('parameters', 'params'):
            return r.choice(
                ['[paddle.base.framework.EagerParamBase([2, 3])]', 'nn.Linear(2, 3).parameters()']
            )
        if name in ('axis', 'dim') or name.endswith(('_axis', '_dim')):
            return r.choice(['0', '1', '-1', '-1', '0', '2', '[0]', '[0, 1]', 'None'])
        if name in SHAPES or isinstance(default, (list, tuple)):
            return r.choice(
                [
                    '1',
                    '2',
                    '3',
                    '[2, 3]',
                    '[3, 2]',
                    '[1, 1]',
                    '[2]',
                    '[1]',
                    '[0, 1]',
                    '[1, 0]',
                    '[-1]',
                    '[2, 2]',
                    '[1, 2, 3]',
                    '[3]',
                    '[2, 4, 6, 6]',
                    '[6]',
                    '[1, 1, 1, 1]',
                    '[0]',
                    '[0, 0]',
                    str(base),
                    '0',
                ]
            )
        if name in INTS or (isinstance(default, int) and name not in TENSORS):
            return r.choice(['0', '1', '2', '3', '4', '-1', '1', '2', '8'])
        if name in FLOATS or isinstance(default, float):
            return r.choice(
                ['0.5', '1.0', '0.1', '2.0', '0.0', '0.9', '1', '2', '1e-3', 'nan', 'None', '-1.0']
            )
        if name in TENSORS:
            if (
                name in ('inputs', 'tensors', 'input', 'x', 'xs', 'ys', 'outputs')
                and r.random() < 0.1
            ):
                return r.choice(
                    ['[t([2, 3]), t([2, 3])]', '[t([2, 3])]', '[t([3, 3]), t([3, 3]), t([3, 3])]']
                )
            if (
                name
                in (
                    'y',
                    'other',
                    'value',
                    'start',
                    'end',
                    'low',
                    'high',
                    'probs',
                    'loc',
                    'scale',
                    'rate',
                    'learning_rate',
                )
                and r.random() < 0.3
            ):
                return r.choice(['2', '0.5', '1', '1.0', '3'])
            return self.tensor(False, name, base)
        if default is None or isinstance(default, str):
            return (
                None
                if r.random() < 0.8
                else r.choice(['None', '1', "'mean'", self.tensor(False, name, base)])
            )
        return r.choice(
            [
                '1',
                '2',
                '0.5',
                '[1, 2]',
                'None',
                "'a'",
                'nn.Linear(3, 3)',
                '(lambda *a: a[0] if a else 1)',
                self.tensor(False, name, base),
                self.tensor(False, name, base),
                self.tensor(False, name, base),
            ]
        )

    def hostile(self, name, base):
        """An argument of any kind; more often of the kind of the name."""
        r = self.choose
        roll = r.random()
        if roll < 0.4 and name in COUNTS:
            return r.choice(WILD_FLOATS[:3])
        if roll < 0.2:
            return r.choice(OBJECTS)
        if roll < 0.3:
            return self.tensor(True, name, base)
        if roll < 0.4:
            pool = r.choice([WIDE_INTS, WILD_FLOATS, WILD_SHAPES, DTYPE_ARGS, OBJECTS])
            return r.choice(pool)
        if name in ('axis', 'dim') or name.endswith(('_axis', '_dim')) or name.startswith('axis'):
            return r.choice(WIDE_INTS) if r.random() < 0.7 else r.choice(WILD_SHAPES)
        if name in STRINGS:
            return r.choice([repr(r.choice(STRINGS[name])), r.choice(OBJECTS)])
        if name in COUNTS:
            return r.choice(['0', '-1', '1', '7', 'None', "'a'", '1.5'])
        if 'dtype' in name:
            return r.choice(DTYPE_ARGS)
        if name in SHAPES:
            return r.choice(WILD_SHAPES) if r.random() < 0.7 else r.choice(WIDE_INTS)
        if name in INTS:
            return r.choice(WIDE_INTS)
        if name in FLOATS:
            return r.choice(WILD_FLOATS)
        if name in TENSORS:
            return (
                self.tensor(True, name, base)
                if r.random() < 0.7
                else r.choice(OBJECTS + WIDE_INTS + WILD_FLOATS)
            )
        return r.choice(r.choice([OBJECTS, WIDE_INTS, WILD_FLOATS, WILD_SHAPES]))

    def arguments(self, parameters, wild):
        """[(name or None, source)] for parameters, each hostile with the probability `wild`."""
        r, base, made, named = self.choose, self.choose.choice(BASES), [], False
        for name, default, kind in parameters:
            if kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
                if kind == inspect.Parameter.VAR_POSITIONAL and not named:
                    made += [
                        (
                            None,
                            self.hostile('', base)
                            if r.random() < wild
                            else self.tensor(False, 'x', base),
                        )
                        for _ in range(r.randrange(3))
                    ]
                named = True
                continue
            source = (
                self.hostile(name, base)
                if r.random() < wild
                else self.sensible(name, default, base)
            )
            if source is None or (default is not inspect.Parameter.empty and r.random() < 0.1):
                named = True
                if default is not inspect.Parameter.empty:
                    continue
                source = self.tensor(False, name, base)
            if kind == inspect.Parameter.KEYWORD_ONLY or (
                named and kind != inspect.Parameter.POSITIONAL_ONLY
            ):
                made.append((name, source))
                named = True
            elif not named:
                made.append((None, source))
        return made

    # --- calls

    def call(self, target):
        """A call of the target: sensible with one hostile argument, all sensible, all hostile, or a
        good one changed.
        """
        r = self.choose
        if target.recipe and r.random() < 0.4:
            return self.changed(target.recipe, target)
        if target.good and r.random() < 0.75:
            return self.changed(r.choice(target.good), target)
        wild = r.choice([0, 0, 0.15, 0.15, 0.5]) if target.good else r.choice([0, 0, 0, 0.1, 0.3])
        made = Call(target.path, self.arguments(target.parameters, wild))
        if target.method:
            made.owner = self.tensor(r.random() < 0.3)
        elif target.methods and r.random() < 0.8:
            for _ in range(r.choice([1, 1, 1, 2])):
                method, parameters = r.choice(target.methods)
                made.then = (made.then or []) + [
                    (method, self.arguments(parameters, r.choice([0, wild])))
                ]
                if r.random() < 0.5:
                    break
        return made

    def changed(self, good, target):
        """A call that succeeded, with one or two arguments replaced, dropped or added."""
        r = self.choose
        names = {None: [p[0] for p in target.parameters]}
        names.update((m, [p[0] for p in parameters]) for m, parameters in target.methods)
        lists = [(names[None], list(good.arguments))] + [
            (names.get(m, []), list(a)) for m, a in good.then or []
        ]
        made = Call(
            good.path,
            lists[0][1],
            [(m, lists[k + 1][1]) for k, (m, _) in enumerate(good.then or [])],
            good.owner,
        )
        for _ in range(r.choice([1, 1, 2])):
            known, arguments = r.choice(lists)
            given = {
                n if n else (known[k] if k < len(known) else '')
                for k, (n, _) in enumerate(arguments)
            }
            missing = [n for n in known if n not in given]
            if made.owner and r.random() < 0.25:
                made.owner = self.altered(made.owner)
            elif missing and (not arguments or r.random() < 0.3):
                name = r.choice(missing)
                arguments.append((name, self.hostile(name, None)))
            elif arguments:
                k = r.randrange(len(arguments))
                name, source = arguments[k]
                known_name = name or (known[k] if k < len(known) else '')
                if source.startswith('T(') and r.random() < 0.6:
                    arguments[k] = (name, self.altered(source))
                else:
                    arguments[k] = (name, self.hostile(known_name, None))
        return made

    def altered(self, source):
        """A tensor's recipe with one part changed."""
        r = self.choose
        from hostile import T

        old = eval(source, {'T': T})
        shape, dtype, fill, layout, grad = (
            list(old.shape),
            old.dtype,
            old.fill,
            old.layout,
            old.grad,
        )
        kind = r.randrange(6)
        if kind == 0:
            dtype = r.choice(DTYPES)
        elif kind == 1:
            layout = r.choice(LAYOUTS)
        elif kind == 2:
            fill = r.choice(['wild', 'wild', 'zero', 'index', 'unit', ''])
        elif kind == 3 and shape:
            shape[r.randrange(len(shape))] = r.choice([0, 0, 1, 2, 7])
        elif kind == 4:
            shape = r.choice([shape[:-1], shape[1:], shape + [1], [1] + shape, shape[::-1]])
        else:
            shape = list(r.choice(ODD))
        return recipe(shape, dtype, fill, layout, grad)


def recipe(shape, dtype, fill, layout, grad):
    parts = [repr(shape), repr(dtype), repr(fill), repr(layout), repr(grad)]
    for plain in ('True', "''", "''", "'float32'"):
        if parts[-1] != plain:
            break
        parts.pop()
    return f"T({', '.join(parts)})"
