# SPDX-License-Identifier: Apache-2.0
"""Names close to one that is unknown, for messages. Imported where an error is raised."""

import difflib
import importlib

# What PyTorch calls by a name that spelling does not lead from.
_ATTRIBUTES = {
    'paddle.autocast_mode': 'paddle.amp',
    'paddle.backends': 'paddle.device',
    'paddle.compile': 'paddle.jit.to_static',
    'paddle.distributed.init_process_group': 'paddle.distributed.init_parallel_env',
    'paddle.distributions': 'paddle.distribution',
    'paddle.func': 'paddle.incubate.autograd',
    'paddle.inference_mode': 'paddle.no_grad',
    'paddle.jit.script': 'paddle.jit.to_static',
    'paddle.jit.trace': 'paddle.jit.to_static',
    'paddle.nn.ModuleDict': 'paddle.nn.LayerDict',
    'paddle.nn.ModuleList': 'paddle.nn.LayerList',
    'paddle.nn.parallel': 'paddle.DataParallel',
    'paddle.optim': 'paddle.optimizer',
    'paddle.optim.lr_scheduler': 'paddle.optimizer.lr',
    'paddle.optimizer.lr.CosineAnnealingLR': 'paddle.optimizer.lr.CosineAnnealingDecay',
    'paddle.optimizer.lr.ExponentialLR': 'paddle.optimizer.lr.ExponentialDecay',
    'paddle.optimizer.lr.LambdaLR': 'paddle.optimizer.lr.LambdaDecay',
    'paddle.optimizer.lr.MultiStepLR': 'paddle.optimizer.lr.MultiStepDecay',
    'paddle.optimizer.lr.MultiplicativeLR': 'paddle.optimizer.lr.MultiplicativeDecay',
    'paddle.optimizer.lr.PolynomialLR': 'paddle.optimizer.lr.PolynomialDecay',
    'paddle.optimizer.lr.ReduceLROnPlateau': 'paddle.optimizer.lr.ReduceOnPlateau',
    'paddle.optimizer.lr.StepLR': 'paddle.optimizer.lr.StepDecay',
    'paddle.optimizer.lr_scheduler': 'paddle.optimizer.lr',
    'paddle.utils.data': 'paddle.io',
}
_KEYWORDS = {
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
    'return_indices': ('return_mask',),
    'size': ('shape',),
    'split_size': ('num_or_sections',),
    'start_dim': ('start_axis',),
    'target': ('label',),
    'tensors': ('x',),
    'test_elements': ('test_x',),
    'track_running_stats': ('use_global_stats',),
}
# What to do in place of a keyword that no other stands for.
_ADVICE = {
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
_ELSEWHERE = {'paddle': ('paddle.nn.functional', 'paddle.linalg', 'paddle.device')}


def close(name, known):
    """The names of `known` that one may have meant, best first."""
    known = [other for other in known if isinstance(other, str)]
    if not name.startswith('_'):
        known = [other for other in known if not other.startswith('_')]
    same = [other for other in known if other.lower() == name.lower()]
    return same or difflib.get_close_matches(name, known, 2)


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
