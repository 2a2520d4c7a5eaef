# SPDX-License-Identifier: Apache-2.0
"""Trained programs made quantised ones: ranges from samples, whole numbers as weights, and rounding
where products are computed.
"""

import os

import numpy as np

import paddle
from paddle.base.arguments import any_of, integer, only
from paddle.quantization.imperative import ptq_quantizer as ranges
from paddle.static import io
from paddle.static.rewriting import Rewriter, write

from .quant_config import ARMCPUQuantizer, BaseQuantizer, TensorRTQuantizer

__all__ = ['PostTrainingQuantization', 'PostTrainingQuantizationProgram', 'WeightQuantization']

# Operations of programs with weights, by the old names: (data, weight, axis of the weight's
# channels).
_PRODUCTS = {'matmul': ('x', 'y', -1), 'linear_v2': ('input', 'weight', -1)}
_WEIGHTED = {
    'conv2d': {'conv2d': ('input', 'filter', 0)},
    'depthwise_conv2d': {'depthwise_conv2d': ('input', 'filter', 0)},
    'conv2d_transpose': {'conv2d_transpose': ('x', 'filter', 1)},
    'mul': _PRODUCTS,
    'matmul': _PRODUCTS,
    'matmul_v2': _PRODUCTS,
}
_BACKENDS = {
    None: BaseQuantizer,
    'tensorrt': TensorRTQuantizer,
    'arm': ARMCPUQuantizer,
    'mkldnn': BaseQuantizer,
    'onednn': BaseQuantizer,
}


class _Mean(ranges.BaseQuantizer):
    """The mean of the largest magnitudes of the batches."""

    def sample_data(self, layer, tensors):
        self.abs_max_vals.append([ranges._largest(t) for t in tensors])

    def cal_thresholds(self):
        self.thresholds = np.mean(self.abs_max_vals, 0).tolist()


class _LeastError(ranges.BaseQuantizer):
    """Of 36 parts of the largest magnitude of a batch, the one whose rounding differs least from
    it: by the mean of squares, or by means and deviations. Of all batches the largest.
    """

    def __init__(self, quant_bits, by_moments):
        super().__init__(quant_bits)
        self.by_moments = by_moments

    def sample_data(self, layer, tensors):
        self._raise_to([self._best(t.astype('float32').numpy()) for t in tensors])

    def _best(self, x):
        top = float(np.abs(x).max()) if x.size else 0.0
        if top == 0:
            return 0.0
        most, least = 2 ** (self.quant_bits - 1) - 1, (np.inf, top)
        for part in np.arange(0.3, 1.01, 0.02):
            scale = part * top
            y = np.clip(np.round(x / scale * most), -most - 1, most) / most * scale
            error = (
                abs(x.mean() - y.mean()) + abs(x.std() - y.std())
                if self.by_moments
                else ((x - y) ** 2).mean()
            )
            least = min(least, (float(error), scale))
        return least[1]

    def cal_thresholds(self):
        self.thresholds = self.abs_max_vals


def _range_of(algo, bits, hist_percent):
    return {
        'KL': lambda: ranges.KLQuantizer(bits),
        'hist': lambda: ranges.HistQuantizer(bits, hist_percent=hist_percent),
        'abs_max': lambda: ranges.AbsmaxQuantizer(bits),
        'min_max': lambda: ranges.AbsmaxQuantizer(bits),
        'avg': lambda: _Mean(bits),
        'mse': lambda: _LeastError(bits, False),
        'emd': lambda: _LeastError(bits, True),
    }[algo]()


_ALGORITHMS = ('KL', 'hist', 'avg', 'mse', 'emd', 'abs_max', 'min_max')


class _Chosen(Rewriter):
    """Finds what is quantised: weights, and the other inputs of the chosen operations."""

    def __init__(self, op, source, chosen):
        super().__init__(op, *source)
        from paddle._legacy_ops import OPS

        self.products, self.others = {}, set()
        for kind in chosen.weight_quant_operation_types:
            self.products.update(_WEIGHTED[kind])
        for kind in chosen.activation_quant_operation_types:
            self.others.update(
                _WEIGHTED[kind] if kind in _WEIGHTED else (OPS.get(kind, [kind])[0],)
            )

    def wanted(self, name, args):
        """({position: axis of channels} of weights, positions of other values to quantise)."""
        places = {a[2]: k for k, a in enumerate(args) if a[0] == 0}
        weights, values = {}, []
        if name in self.products:
            data, weight, axis = self.products[name]
            number = args[places[weight]][1]
            if number in self.names:
                if any(a[0] and a[1] and a[2] in ('transpose_y', 'transpose_weight') for a in args):
                    axis = 0
                weights[places[weight]] = axis
                values = [places[data]]
            elif name not in self.others:
                return {}, []
        if not weights and name in self.others:
            values = list(places.values())
        return weights, [k for k in values if args[k][1] not in (-1, *self.names)]

    def floating(self, value):
        return isinstance(value, paddle.Tensor) and value.dtype == paddle.float32


class _Sampler(_Chosen):
    """Runs the program on batches and shows what is quantised to the observers of ranges."""

    def __init__(self, op, source, chosen, make):
        super().__init__(op, source, chosen)
        self.make, self.observers = make, {}

    def sample(self, batch):
        """Take notice of one batch, {name: array}."""
        self.batch, self.values, self.seen = batch, {-1: None}, set()
        with paddle.no_grad():
            self.run()

    def data(self, name, declared):
        return paddle.to_tensor(np.asarray(self.batch[name]), dtype=declared.dtype)

    def operation(self, name, args):
        for k in self.wanted(name, args)[1]:
            number = args[k][1]
            value = self.values[number]
            if number in self.seen or not self.floating(value):
                continue
            self.seen.add(number)
            if number not in self.observers:
                self.observers[number] = self.make()
            self.observers[number].sample_data(None, [value])
        return super().operation(name, args)

    def thresholds(self):
        """{number of a value: threshold}."""
        found = {}
        for number, observer in self.observers.items():
            observer.cal_thresholds()
            found[number] = float(observer.thresholds[0])
        return found


def whole_weight(value, bits, axis, by_channel, corrected=False):
    """(whole numbers, scales in a shape that is broadcast to theirs) of a weight."""
    from .utils import bias_correction_w

    array = value.astype('float32').numpy()
    axis %= array.ndim
    if by_channel:
        others = tuple(k for k in range(array.ndim) if k != axis)
        scale = np.abs(array).max(others, keepdims=True)
    else:
        scale = np.abs(array).max().reshape([1] * array.ndim)
    scale = np.where(scale == 0, np.float32(1e-8), scale).astype('float32')
    most = 2 ** (bits - 1) - 1
    whole = np.clip(np.round(array / scale * most), -most - 1, most)
    if corrected:
        flat = scale.ravel().tolist()
        given = flat[0] if len(flat) == 1 else flat
        whole = np.round(bias_correction_w(array, whole.astype('float32'), given, axis, bits))
        whole = np.clip(whole, -most - 1, most)
    return whole.astype('int8' if bits <= 8 else 'int16'), scale / most


class _Quantiser(_Chosen):
    """Records the program with rounded inputs of the chosen operations, and whole weights."""

    def __init__(self, op, source, chosen, thresholds, bits, weight_bits, by_channel, **options):
        super().__init__(op, source, chosen)
        self.thresholds, self.bits, self.weight_bits = thresholds, bits, weight_bits
        self.by_channel, self.corrected = by_channel, options.get('corrected', False)
        self.whole, self.skip = options.get('whole', True), options.get('skip', frozenset())
        self.rounded, self.weights = {}, {}
        self.least = -chosen._quant_min

    def operation(self, name, args):
        weights, values = self.wanted(name, args)
        call = [a[1] if a[0] else self.read(a[1]) for a in args]
        for k, axis in weights.items():
            if self.floating(call[k]) and self.names[args[k][1]] not in self.skip:
                call[k] = self.weight(self.names[args[k][1]], axis)
        for k in values:
            if args[k][1] in self.thresholds and self.floating(call[k]):
                call[k] = self.value(args[k][1])
        return self.called(name, call)

    def weight(self, name, axis):
        if (name, axis) not in self.weights:
            from paddle.static import program

            with program.running():
                whole, scale = whole_weight(
                    self.parameters[name], self.weight_bits, axis, self.by_channel, self.corrected
                )
                kept = [paddle.to_tensor(whole if self.whole else whole * scale)]
                kept[0].name = name + '.quantized'
                if self.whole:
                    kept.append(paddle.to_tensor(scale))
                    kept[1].name = name + '.scale'
            for tensor in kept:
                tensor.persistable = True
            self.weights[name, axis] = (
                paddle.cast(kept[0], 'float32') * kept[1] if self.whole else kept[0]
            )
        return self.weights[name, axis]

    def value(self, number):
        threshold = self.thresholds[number]
        if number not in self.rounded:
            most = 2 ** (self.bits - 1) - 1
            low = -most - (self.least > 127)
            x = self.values[number]
            self.rounded[number] = (
                paddle.clip(paddle.round(x * (most / threshold)), low, most) * (threshold / most)
                if threshold > 0
                else x
            )
        return self.rounded[number]


def _batches(loader, sample_generator, batch_generator, names, size, op):
    """Batches as {name: array}."""
    if sum(source is not None for source in (loader, sample_generator, batch_generator)) != 1:
        raise AssertionError(
            f'[{op}] expected one of data_loader, sample_generator and batch_generator, got '
            f'{sum(s is not None for s in (loader, sample_generator, batch_generator))}'
        )
    if sample_generator is not None:
        source = _gathered(sample_generator(), size)
    else:
        source = iter(loader if loader is not None else batch_generator())
    for batch in source:
        if isinstance(batch, (list, tuple)) and len(batch) == 1 and isinstance(batch[0], dict):
            batch = batch[0]
        if not isinstance(batch, dict):
            batch = dict(zip(names, batch if isinstance(batch, (list, tuple)) else [batch]))
        lost = [name for name in names if name not in batch]
        if lost:
            raise ValueError(f'[{op}] expected batches with {", ".join(names)}, got none of {lost}')
        yield batch


def _gathered(samples, size):
    rows = []
    for sample in samples:
        rows.append(sample if isinstance(sample, (list, tuple)) else [sample])
        if len(rows) == size:
            yield [np.stack(column) for column in zip(*rows)]
            rows = []
    if rows:
        yield [np.stack(column) for column in zip(*rows)]


class _PostTraining:
    def _prepare(self, source, options):
        op, o = type(self).__name__, options
        only(op, 'weights are rounded to the nearest', round_type=(o['round_type'], 'round'))
        for name, served in (
            ('same_scale_tensor_list', None),
            ('scale_dict', None),
            ('optimize_model', False),
        ):
            only(op, 'ranges come from the samples', **{name: (o[name], served)})
        if o['algo'] not in _ALGORITHMS:
            raise AssertionError(f"[{op}] expected algo {any_of(_ALGORITHMS)}, got {o['algo']!r}")
        for name, allowed in (
            ('activation_quantize_type', ('range_abs_max', 'moving_average_abs_max', 'abs_max')),
            ('weight_quantize_type', ('abs_max', 'channel_wise_abs_max')),
        ):
            if o[name] not in allowed:
                raise AssertionError(f'[{op}] expected {name} {any_of(allowed)}, got {o[name]!r}')
        bits = [integer(op, name, o[name]) for name in ('activation_bits', 'weight_bits')]
        if not all(1 < one <= 16 for one in bits):
            raise AssertionError(f'[{op}] expected bits from 2 to 16, got {bits}')
        backend = o.get('deploy_backend')
        if backend not in _BACKENDS:
            raise AssertionError(
                f'[{op}] expected deploy_backend {any_of(_BACKENDS)}, got {backend!r}'
            )
        kinds = list(o['quantizable_op_type'] or [])
        quantizer = TensorRTQuantizer if o['is_full_quantize'] and not kinds else _BACKENDS[backend]
        chosen = quantizer(kinds, bits[0])
        self._source, self._options, self._bits, self._chosen = source, o, bits, chosen
        self._made = None

    def quantize(self):
        """Take the ranges from the samples and make the quantised program, which is returned."""
        op, o, (bits, weight_bits) = type(self).__name__, self._options, self._bits
        count = o['batch_nums']
        sampler = _Sampler(
            op, self._source, self._chosen, lambda: _range_of(o['algo'], bits, o['hist_percent'])
        )
        known = {*sampler.parameters, *sampler.feeds}
        skipped = frozenset(o['skip_tensor_list'] or ())
        if not skipped <= known:
            raise ValueError(
                f'[{op}] expected names of parameters and inputs in skip_tensor_list, got '
                f'{sorted(skipped - known)}'
            )
        seen = 0
        from paddle.static import program

        with program.running():
            for batch in _batches(
                o['data_loader'],
                o['sample_generator'],
                o['batch_generator'],
                sampler.feeds,
                o['batch_size'],
                op,
            ):
                sampler.sample(batch)
                seen += 1
                if count and seen >= count:
                    break
        if not seen:
            raise ValueError(f'[{op}] expected at least one batch of samples, got none')
        thresholds = sampler.thresholds()
        fed = {s[3][0]: s[1] for s in sampler.steps if s[0] == 'data'}
        thresholds = {n: t for n, t in thresholds.items() if fed.get(n) not in skipped}
        quantiser = _Quantiser(
            op,
            self._source,
            self._chosen,
            thresholds,
            bits,
            weight_bits,
            o['weight_quantize_type'] == 'channel_wise_abs_max',
            corrected=o['bias_correction'],
            whole=o['freeze_model'] or o['onnx_format'],
            skip=skipped,
        )
        self._made = quantiser.record()
        return self._made[0]

    def save_quantized_model(self, save_model_path, model_filename=None, params_filename=None):
        """Write the quantised program into a folder, as `model.json` and `model.pdiparams` unless
        names are given. RuntimeError before `quantize`.
        """
        if self._made is None:
            raise RuntimeError(
                f'[{type(self).__name__}.save_quantized_model] expected quantize() before, got none'
            )
        _write_into(self._made, save_model_path, model_filename, params_filename)


def _write_into(made, folder, model_filename, params_filename):
    stem = os.path.splitext(model_filename or 'model')[0]
    params = params_filename or stem + '.pdiparams'
    os.makedirs(folder, exist_ok=True)
    write(made, os.path.join(folder, stem + '.json'), os.path.join(folder, params))


def _loaded(model_dir, model_filename, params_filename):
    if model_filename is None and not os.path.isdir(model_dir):
        return io.load_inference_model(model_dir, None)
    if model_filename is None:
        found = sorted(n for n in os.listdir(model_dir) if n.endswith(('.json', '.pdmodel')))
        model_filename = found[0] if len(found) == 1 else '__model__'
    stem, end = os.path.splitext(model_filename)
    if end in ('.json', '.pdmodel') and params_filename in (None, stem + '.pdiparams'):
        return io.load_inference_model(os.path.join(model_dir, stem), None)
    return io.load_inference_model(
        model_dir, None, model_filename=model_filename, params_filename=params_filename
    )


class PostTrainingQuantization(_PostTraining):
    """A trained program of a file, quantised by what it computes for samples.

    `quantize()` makes the program: the inputs of the chosen operations are rounded to whole numbers
    of a step, their weights are whole numbers with a scale. `save_quantized_model(folder)` writes
    it, for the predictor.

    Args:
        executor (Executor): Taken for compatibility; it has no effect.
        model_dir (str): The folder of the program, or its path without the ends.
        scope (Scope, default None): Taken for compatibility; it has no effect.
        model_filename (str, default None): The file of the program in the folder.
        params_filename (str, default None): The file of its parameters.
        batch_generator (callable, default None): Gives an iterator of batches.
        sample_generator (callable, default None): Gives an iterator of samples.
        data_loader (iterable, default None): Batches: lists in the order of the inputs, or dicts.
        batch_size (int, default 10): How many samples of sample_generator are a batch.
        batch_nums (int, default None): How many batches are used; None for all.
        algo (str, default 'KL'): How ranges follow from samples: `KL`, `hist`, `avg`, `mse`, `emd`,
            `abs_max` or `min_max`.
        hist_percent (float, default 0.99999): The part of elements within the range, for `hist`.
        quantizable_op_type (list of strs, default []): Old names of operations; none for all
            products with weights.
        round_type (str, default 'round'): Only `round`.
        learning_rate (float, default 0.001): Taken for compatibility; it has no effect.
        is_full_quantize (bool, default False): Whether other operations are quantised, too.
        bias_correction (bool, default False): Whether weights keep their mean and deviation.
        activation_bits (int, default 8): Width of inputs.
        weight_bits (int, default 8): Width of weights.
        activation_quantize_type (str, default 'range_abs_max'): `range_abs_max`,
            `moving_average_abs_max` or `abs_max`, which are alike here.
        weight_quantize_type (str, default 'channel_wise_abs_max'): A scale for each channel, or
            `abs_max`: one.
        onnx_format (bool, default False): Taken for compatibility; programs have one form here.
        freeze_model (bool, default True): Whether weights are kept as whole numbers; otherwise as
            the numbers these stand for.
        optimize_model (bool, default False): Only False.
        is_use_cache_file (bool, default False): Taken for compatibility; it has no effect.
        skip_tensor_list (list of strs, default None): Parameters and inputs that stay as they are.
        same_scale_tensor_list (list, default None): Only None.
        cache_dir (str, default None): Taken for compatibility; it has no effect.
        scale_dict (dict, default None): Only None.
        return_graph (bool, default False): Only False.
        deploy_backend (str, default None): Whose operations are chosen: None, `tensorrt`, `arm`,
            `mkldnn` or `onednn`.

    Raises:
        AssertionError: Another algo, type, width or backend, or not one source of samples.

    Examples:
        >>> import numpy as np
        >>> net = paddle.nn.Linear(4, 2)
        >>> paddle.jit.save(net, "net/model", [paddle.static.InputSpec([None, 4])])
        >>> paddle.enable_static()
        >>> exe = paddle.static.Executor()
        >>> batches = [[np.ones([2, 4], "float32")] for _ in range(4)]
        >>> quantizer = paddle.static.quantization.PostTrainingQuantization(
        ...     exe, "net", data_loader=batches, algo="abs_max")
        >>> program = quantizer.quantize()
        >>> quantizer.save_quantized_model("whole")
        >>> import os
        >>> sorted(os.listdir("whole"))
        ['model.json', 'model.pdiparams']
    """

    def __init__(
        self,
        executor,
        model_dir,
        scope=None,
        model_filename=None,
        params_filename=None,
        batch_generator=None,
        sample_generator=None,
        data_loader=None,
        batch_size=10,
        batch_nums=None,
        algo='KL',
        hist_percent=0.99999,
        quantizable_op_type=[],
        round_type='round',
        learning_rate=0.001,
        is_full_quantize=False,
        bias_correction=False,
        activation_bits=8,
        weight_bits=8,
        activation_quantize_type='range_abs_max',
        weight_quantize_type='channel_wise_abs_max',
        onnx_format=False,
        freeze_model=True,
        optimize_model=False,
        is_use_cache_file=False,
        skip_tensor_list=None,
        same_scale_tensor_list=None,
        cache_dir=None,
        scale_dict=None,
        return_graph=False,
        deploy_backend=None,
    ):
        options = dict(locals())
        only('PostTrainingQuantization', 'a program is made', return_graph=(return_graph, False))
        self._prepare(_loaded(model_dir, model_filename, params_filename), options)


class PostTrainingQuantizationProgram(_PostTraining):
    """As `PostTrainingQuantization`, of a program that is at hand.

    Args:
        executor (Executor): Taken for compatibility; it has no effect.
        program (Program): The program.
        feed_list (list of Tensors or of strs, default None): Its inputs; None for all.
        fetch_list (list of Tensors, default None): What it computes; None for what it fetches.
        scope (Scope, default None): Taken for compatibility; it has no effect.
        batch_generator (callable, default None): Gives an iterator of batches.
        sample_generator (callable, default None): Gives an iterator of samples.
        data_loader (iterable, default None): Batches: lists in the order of the inputs, or dicts.
        batch_size (int, default 10): How many samples of sample_generator are a batch.
        batch_nums (int, default None): How many batches are used; None for all.
        algo (str, default 'KL'): As for `PostTrainingQuantization`, with all that follow.
        hist_percent (float, default 0.99999): The part of elements within the range, for `hist`.
        quantizable_op_type (list of strs, default ['conv2d', 'depthwise_conv2d', 'mul']): Old names
            of operations.
        round_type (str, default 'round'): Only `round`.
        learning_rate (float, default 0.001): Taken for compatibility; it has no effect.
        is_full_quantize (bool, default False): Whether other operations are quantised, too.
        bias_correction (bool, default False): Whether weights keep their mean and deviation.
        activation_bits (int, default 8): Width of inputs.
        weight_bits (int, default 8): Width of weights.
        activation_quantize_type (str, default 'range_abs_max'): Alike here, whichever it is.
        weight_quantize_type (str, default 'channel_wise_abs_max'): Or `abs_max`.
        onnx_format (bool, default False): Taken for compatibility; programs have one form here.
        freeze_model (bool, default True): Whether weights are kept as whole numbers.
        optimize_model (bool, default False): Only False.
        is_use_cache_file (bool, default False): Taken for compatibility; it has no effect.
        skip_tensor_list (list of strs, default None): Parameters and inputs that stay as they are.
        same_scale_tensor_list (list, default None): Only None.
        cache_dir (str, default None): Taken for compatibility; it has no effect.
        scale_dict (dict, default None): Only None.
        return_graph (bool, default True): Whether `quantize` gives an `IrGraph`, not the program.

    Examples:
        >>> import numpy as np
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main, paddle.static.Program()):
        ...     x = paddle.static.data("x", [None, 4])
        ...     y = paddle.static.nn.fc(x, 2)
        >>> quantizer = paddle.static.quantization.PostTrainingQuantizationProgram(
        ...     paddle.static.Executor(), main, ["x"], [y], algo="avg",
        ...     data_loader=[[np.ones([2, 4], "float32")]], return_graph=False)
        >>> quantizer.quantize().num_ops() > main.num_ops()
        True
    """

    def __init__(
        self,
        executor,
        program,
        feed_list=None,
        fetch_list=None,
        scope=None,
        batch_generator=None,
        sample_generator=None,
        data_loader=None,
        batch_size=10,
        batch_nums=None,
        algo='KL',
        hist_percent=0.99999,
        quantizable_op_type=['conv2d', 'depthwise_conv2d', 'mul'],
        round_type='round',
        learning_rate=0.001,
        is_full_quantize=False,
        bias_correction=False,
        activation_bits=8,
        weight_bits=8,
        activation_quantize_type='range_abs_max',
        weight_quantize_type='channel_wise_abs_max',
        onnx_format=False,
        freeze_model=True,
        optimize_model=False,
        is_use_cache_file=False,
        skip_tensor_list=None,
        same_scale_tensor_list=None,
        cache_dir=None,
        scale_dict=None,
        return_graph=True,
    ):
        options = dict(locals())
        program, names, results = io._interface(program)
        feeds = names if feed_list is None else [getattr(f, 'name', f) for f in feed_list]
        self._prepare((program, feeds, results if fetch_list is None else fetch_list), options)

    def quantize(self):
        """Take the ranges from the samples and make the quantised program, which is returned, in an
        `IrGraph` if that was asked for."""
        program = super().quantize()
        if not self._options['return_graph']:
            return program
        from paddle.base.ir_graph import Graph, IrGraph

        return IrGraph(Graph(program.desc), for_test=True)


class WeightQuantization:
    """A trained program of a file whose weights are made smaller.

    Args:
        model_dir (str): The folder of the program, or its path without the ends.
        model_filename (str, default None): The file of the program in the folder.
        params_filename (str, default None): The file of its parameters.

    Examples:
        >>> net = paddle.nn.Linear(64, 64)
        >>> paddle.jit.save(net, "wide/model", [paddle.static.InputSpec([None, 64])])
        >>> quantizer = paddle.static.quantization.WeightQuantization("wide")
        >>> quantizer.quantize_weight_to_int("small", quantizable_op_type=["mul"])
        >>> import os
        >>> 2 * os.path.getsize("small/quantized_model/model.pdiparams") < os.path.getsize(
        ...     "wide/model.pdiparams")
        True
    """

    def __init__(self, model_dir, model_filename=None, params_filename=None):
        self._model = model_dir, model_filename, params_filename

    def quantize_weight_to_int(
        self,
        save_model_dir,
        save_model_filename=None,
        save_params_filename=None,
        quantizable_op_type=['conv2d', 'mul'],
        weight_bits=8,
        weight_quantize_type='channel_wise_abs_max',
        generate_test_model=False,
        threshold_rate=0.0,
    ):
        """Write the program with weights as whole numbers of 8 or 16 bits, into `quantized_model`
        in the folder; and into `test_model` one with the numbers they stand for, if asked for.

        `threshold_rate` is only 0: no weight is cut. AssertionError for other widths or types.
        """
        op = 'WeightQuantization.quantize_weight_to_int'
        only(op, 'no weight is cut', threshold_rate=(float(threshold_rate), 0.0))
        if weight_bits not in (8, 16):
            raise AssertionError(f'[{op}] expected weight_bits 8 or 16, got {weight_bits!r}')
        types = ('abs_max', 'channel_wise_abs_max')
        if weight_quantize_type not in types:
            raise AssertionError(
                f'[{op}] expected weight_quantize_type {any_of(types)}, got '
                f'{weight_quantize_type!r}'
            )
        unknown = [kind for kind in quantizable_op_type if kind not in _WEIGHTED]
        if unknown:
            raise AssertionError(
                f'[{op}] expected quantizable_op_type of {any_of(_WEIGHTED)}, got {unknown}'
            )
        for folder, whole in [('quantized_model', True)] + [('test_model', False)] * bool(
            generate_test_model
        ):
            quantiser = _Quantiser(
                op,
                _loaded(*self._model),
                BaseQuantizer(list(quantizable_op_type)),
                {},
                8,
                weight_bits,
                weight_quantize_type == 'channel_wise_abs_max',
                whole=whole,
            )
            _write_into(
                quantiser.record(),
                os.path.join(save_model_dir, folder),
                save_model_filename,
                save_params_filename,
            )

    def convert_weight_to_fp16(self, save_model_dir):
        """Write the program with weights of half precision, which it computes with as float32, into
        the folder."""

        class Halved(Rewriter):
            def parameter(self, name):
                from paddle.static import program

                value = self.parameters[name]
                if value.dtype != paddle.float32:
                    return value
                if name not in self.halves:
                    with program.running():
                        half = value.astype('float16')
                    half.name, half.persistable = name, True
                    self.halves[name] = paddle.cast(half, 'float32')
                return self.halves[name]

        halved = Halved('WeightQuantization.convert_weight_to_fp16', *_loaded(*self._model))
        halved.halves = {}
        _write_into(halved.record(), save_model_dir, self._model[1], self._model[2])
