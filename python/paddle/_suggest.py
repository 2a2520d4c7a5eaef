# SPDX-License-Identifier: Apache-2.0
"""Names close to one that is unknown, for messages. Imported where an error is raised."""

import difflib
import importlib

# What PyTorch, or PaddlePaddle of old, calls by a name that spelling does not lead from.
_ATTRIBUTES = {
    'paddle.addcdiv': 'paddle.divide',
    'paddle.addcmul': 'paddle.multiply',
    'paddle.autocast_mode': 'paddle.amp',
    'paddle.autograd.Variable': 'paddle.to_tensor',
    'paddle.autograd.functional': 'paddle.incubate.autograd',
    'paddle.backends': 'paddle.device',
    'paddle.compile': 'paddle.jit.to_static',
    'paddle.create_tensor': 'paddle.to_tensor',
    'paddle.crop_tensor': 'paddle.crop',
    'paddle.disable_dygraph': 'paddle.enable_static',
    'paddle.distributed.init_process_group': 'paddle.distributed.init_parallel_env',
    'paddle.distributed.prepare_context': 'paddle.distributed.init_parallel_env',
    'paddle.distributions': 'paddle.distribution',
    'paddle.dygraph': 'paddle.base.dygraph',
    'paddle.elementwise_add': 'paddle.add',
    'paddle.elementwise_div': 'paddle.divide',
    'paddle.elementwise_floordiv': 'paddle.floor_divide',
    'paddle.elementwise_max': 'paddle.maximum',
    'paddle.elementwise_min': 'paddle.minimum',
    'paddle.elementwise_mod': 'paddle.mod',
    'paddle.elementwise_mul': 'paddle.multiply',
    'paddle.elementwise_pow': 'paddle.pow',
    'paddle.elementwise_sub': 'paddle.subtract',
    'paddle.enable_dygraph': 'paddle.disable_static',
    'paddle.fill_constant': 'paddle.full',
    'paddle.fluid': 'paddle.base',
    'paddle.frombuffer': 'paddle.to_tensor',
    'paddle.func': 'paddle.incubate.autograd',
    'paddle.hard_sigmoid': 'paddle.nn.functional.hardsigmoid',
    'paddle.hard_swish': 'paddle.nn.functional.hardswish',
    'paddle.histc': 'paddle.histogram',
    'paddle.inference_mode': 'paddle.no_grad',
    'paddle.jit.TracedLayer': 'paddle.jit.to_static',
    'paddle.jit.declarative': 'paddle.jit.to_static',
    'paddle.jit.script': 'paddle.jit.to_static',
    'paddle.jit.trace': 'paddle.jit.to_static',
    'paddle.load_dygraph': 'paddle.load',
    'paddle.nn.DataParallel': 'paddle.DataParallel',
    'paddle.nn.FC': 'paddle.nn.Linear',
    'paddle.nn.ModuleDict': 'paddle.nn.LayerDict',
    'paddle.nn.ModuleList': 'paddle.nn.LayerList',
    'paddle.nn.PiecewiseDecay': 'paddle.optimizer.lr.PiecewiseDecay',
    'paddle.nn.clip_by_norm': 'paddle.nn.ClipGradByNorm',
    'paddle.nn.functional.fc': 'paddle.nn.functional.linear',
    'paddle.nn.parallel': 'paddle.DataParallel',
    'paddle.nn.utils.rnn': 'paddle.nn.functional.sequence_mask',
    'paddle.optim': 'paddle.optimizer',
    'paddle.optim.lr_scheduler': 'paddle.optimizer.lr',
    'paddle.optimizer.PiecewiseLR': 'paddle.optimizer.lr.PiecewiseDecay',
    'paddle.optimizer.lr.CosineAnnealingLR': 'paddle.optimizer.lr.CosineAnnealingDecay',
    'paddle.optimizer.lr.ExponentialLR': 'paddle.optimizer.lr.ExponentialDecay',
    'paddle.optimizer.lr.LambdaLR': 'paddle.optimizer.lr.LambdaDecay',
    'paddle.optimizer.lr.MultiStepLR': 'paddle.optimizer.lr.MultiStepDecay',
    'paddle.optimizer.lr.MultiplicativeLR': 'paddle.optimizer.lr.MultiplicativeDecay',
    'paddle.optimizer.lr.PolynomialLR': 'paddle.optimizer.lr.PolynomialDecay',
    'paddle.optimizer.lr.ReduceLROnPlateau': 'paddle.optimizer.lr.ReduceOnPlateau',
    'paddle.optimizer.lr.StepLR': 'paddle.optimizer.lr.StepDecay',
    'paddle.optimizer.lr_scheduler': 'paddle.optimizer.lr',
    'paddle.profiler.profile': 'paddle.profiler.Profiler',
    'paddle.reduce_all': 'paddle.all',
    'paddle.reduce_any': 'paddle.any',
    'paddle.reduce_max': 'paddle.max',
    'paddle.reduce_mean': 'paddle.mean',
    'paddle.reduce_min': 'paddle.min',
    'paddle.reduce_prod': 'paddle.prod',
    'paddle.reduce_sum': 'paddle.sum',
    'paddle.save_dygraph': 'paddle.save',
    'paddle.sparse_coo_tensor': 'paddle.sparse.sparse_coo_tensor',
    'paddle.sparse_csr_tensor': 'paddle.sparse.sparse_csr_tensor',
    'paddle.sums': 'paddle.add_n',
    'paddle.to_variable': 'paddle.to_tensor',
    'paddle.utils.checkpoint': 'paddle.distributed.fleet.utils.recompute',
    'paddle.utils.data': 'paddle.io',
}
# What to write in place of methods and attributes of PyTorch's classes.
_MEMBERS = {
    'Layer': {
        'embedding_dim': 'weight.shape[1]',
        'in_features': 'weight.shape[0]',
        'num_embeddings': 'weight.shape[0]',
        'out_features': 'weight.shape[1]',
        'register_backward_hook': 'register_hook of the tensors that it gets or gives',
        'register_full_backward_hook': 'register_hook of the tensors that it gets or gives',
        'register_full_backward_pre_hook': 'register_hook of the tensors that it gives',
        'share_memory': 'nothing in its place: processes get parameters from files',
    },
    'Optimizer': {
        'add_param_group': 'a list of dicts as parameters, when the optimizer is made',
        'defaults': 'get_lr and state_dict',
        'param_groups': 'get_lr, set_lr and state_dict; groups are dicts given as parameters',
        'state': 'state_dict',
    },
    'Tensor': {
        'H': 'x.mT.conj()',
        'absolute_': 'abs_',
        'bernoulli': 'paddle.bernoulli(x)',
        'clamp_max': 'clip(max=...)',
        'clamp_min': 'clip(min=...)',
        'det': 'paddle.linalg.det(x)',
        'erfc': '1 - x.erf()',
        'fix': 'trunc',
        'fliplr': 'flip(1)',
        'flipud': 'flip(0)',
        'fmod': 'paddle.mod(x, y), which has the sign of y',
        'ger': 'outer',
        'histc': 'histogram',
        'index_copy': 'scatter',
        'index_copy_': 'scatter_',
        'logdet': 'slogdet',
        'map_': 'apply_',
        'movedim': 'moveaxis',
        'narrow_copy': 'narrow',
        'nelement': 'numel',
        'new': 'new_empty or new_zeros',
        'new_tensor': 'paddle.to_tensor(data, dtype=x.dtype)',
        'put_': 'put_along_axis_ or index_put_',
        'retain_grad': 'retain_grads',
        'select': 'index_select, or x[...] with the index',
        'share_memory_': 'nothing in its place: data loaders share what they send',
        'softmin': 'paddle.nn.functional.softmax(-x)',
        'sparse_mask': 'paddle.sparse.mask_as(x, mask)',
        'storage': 'data_ptr or numpy',
        'sum_to_size': 'reduce_as',
        'svd': 'paddle.linalg.svd(x)',
        'swapdims': 'swapaxes',
        'to_sparse': 'to_sparse_coo or to_sparse_csr',
        'untyped_storage': 'data_ptr or numpy',
        'vdot': 'dot',
    },
}
_KEYWORDS = {
    'alpha': ('negative_slope',),
    'betas': ('beta1',),
    'bias': ('bias_attr',),
    'dim': ('axis', 'perm'),
    'dims': ('axis', 'perm', 'repeat_times'),
    'device': ('place',),
    'elements': ('x',),
    'end_dim': ('stop_axis',),
    'eps': ('epsilon',),
    'input': ('x',),
    'keepdims': ('keepdim',),
    'lr': ('learning_rate',),
    'mat2': ('y',),
    'nesterov': ('use_nesterov',),
    'ord': ('p',),
    'other': ('y',),
    'params': ('parameters',),
    'requires_grad': ('stop_gradient',),
    'regularization': ('weight_decay',),
    'return_indices': ('return_mask',),
    'size': ('shape', 'num_embeddings'),
    'split_size': ('num_or_sections',),
    'start_dim': ('start_axis',),
    'target': ('label',),
    'tensors': ('x',),
    'test_elements': ('test_x',),
    'track_running_stats': ('use_global_stats',),
}
# What to do in place of a keyword that no other stands for.
_ADVICE = {
    'act': 'call the activation on the result, such as paddle.nn.functional.relu',
    'affine': 'give weight_attr=False and bias_attr=False in place of False',
    'batch_first': 'leave it out for batches first, or give time_major=True',
    'bidirectional': "give direction='bidirect'",
    'count_include_pad': 'give exclusive, its opposite',
    'device_ids': 'leave it out: each process has one device',
    'elementwise_affine': 'give weight_attr=False and bias_attr=False in place of False',
    'inplace': "leave it out, or call a function whose name ends in '_'",
    'map_location': 'leave it out: tensors are loaded to the CPU',
    'memory_format': "leave it out, or give the layer data_format='NHWC'",
    'non_blocking': 'leave it out',
    'pin_memory': 'leave it out',
}
# Where PyTorch has the name among functions of tensors, and this package elsewhere.
_ELSEWHERE = {
    'paddle': ('paddle.nn.functional', 'paddle.linalg', 'paddle.device'),
    'Tensor': ('paddle.nn.functional', 'paddle.linalg', 'paddle'),
}


def close(name, known):
    """The names of `known` that one may have meant, best first."""
    known = [other for other in known if isinstance(other, str)]
    if not name.startswith('_'):
        known = [other for other in known if not other.startswith('_')]
    plain = name.lower().removesuffix('optimizer')  # as PaddlePaddle called them before 2.0
    same = [other for other in known if other.lower() in (name.lower(), plain)]
    spelt = [other for other in same if other == name.removesuffix('Optimizer')]
    return spelt or same or difflib.get_close_matches(name, known, 2)


def _asked(names):
    return f"; did you mean {' or '.join(map(repr, names))}?" if names else ''


def _elsewhere(path, name):
    """The path of the name in a module that PyTorch has not, or None."""
    for home in _ELSEWHERE.get(path, ()):
        module = importlib.import_module(home)
        if not name.startswith('_') and name in dir(module):
            return f'{home}.{name}'
    return None


class UnknownName(AttributeError):
    """No such attribute; tracebacks call it AttributeError. What the message suggests is looked for
    when the message is read: programs that only ask whether a name is there do not wait for it."""

    __module__, __qualname__ = 'builtins', 'AttributeError'

    def __init__(self, message, owner, name, path=''):
        super().__init__(message)
        self._owner, self._name, self._path = owner, name, path

    def __str__(self):
        return super().__str__() + self._suggestion()

    def _suggestion(self):
        meant = _MEMBERS.get(self._path, {}).get(self._name)
        if meant:
            return f'; write {meant}'
        known = _ATTRIBUTES.get(f'{self._path}.{self._name}') or _elsewhere(self._path, self._name)
        return _asked([known] if known else close(self._name, dir(self._owner)))

    def __reduce__(self):
        return AttributeError, (str(self),)


def advice(name):
    """What to do in place of a keyword, as the end of a message, or nothing."""
    return f'; {_ADVICE[name]}' if name in _ADVICE else ''


def unexpected(function, name, known):
    """The message of a TypeError: a function has no argument of that name."""
    known = list(known)
    meant = [other for other in _KEYWORDS.get(name, ()) if other in known] or close(name, known)
    text = f'{function}() got an unexpected keyword argument {name!r}'
    return text + (
        advice(name) or _asked(meant[:1]) or (f'; expected {", ".join(known)}' if known else '')
    )
