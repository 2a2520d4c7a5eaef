# SPDX-License-Identifier: Apache-2.0
"""Runs calls in one interpreter and appends each result to a file: `call_worker.py paddle|torch
CALLS RESULTS FIRST LAST`.

Needs NumPy and the package alone, so that the published wheel's and torch's environments can run
it. A result is a dict: `error` (type, message), or `outputs` (dtype, shape, array, stop_gradient)
and `gradients` (of every floating input, for a cotangent that depends on the shape alone).
"""

import os
import pickle
import sys
import warnings
import zlib

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))


def cotangent(shape, kind):
    random = np.random.RandomState(zlib.crc32(str(list(shape)).encode()))
    array = random.uniform(-1, 1, shape)
    return np.asarray(array + 1j * random.uniform(-1, 1, shape) if kind == 'c' else array)


class Paddle:
    """The package named paddle, ours or the published one."""

    def __init__(self):
        import call_helpers
        import paddle

        paddle.disable_signal_handler()  # the wheel's returns to the faulting instruction for ever
        self.paddle, self.tensor = paddle, paddle.Tensor
        self.names = {
            **vars(call_helpers),
            'paddle': paddle,
            'F': paddle.nn.functional,
            'nn': paddle.nn,
            'np': np,
        }

    def make(self, spec, array):
        stored = array
        if spec.layout == 't':
            stored = np.ascontiguousarray(array.T)
        elif spec.layout == 's':
            stored = np.repeat(array, 2, -1)
        leaf = self.paddle.to_tensor(stored)
        if leaf.dtype != getattr(self.paddle, spec.dtype):
            leaf = leaf.astype(spec.dtype).detach()
        leaf.stop_gradient = not spec.grad
        if spec.layout == 't':
            return leaf, leaf.transpose(list(range(array.ndim))[::-1])
        return leaf, leaf[..., ::2] if spec.layout == 's' else leaf

    def seed(self):
        self.paddle.seed(7)

    def dtype(self, tensor):
        return str(tensor.dtype).replace('paddle.', '')

    def array(self, tensor):
        tensor = tensor.detach()
        narrow = self.dtype(tensor).startswith(('bfloat', 'float8'))
        return np.array((tensor.astype('float32') if narrow else tensor).numpy())

    def stopped(self, tensor):
        return bool(tensor.stop_gradient)

    def grad(self, outputs, leaves):
        cotangents = [
            self.paddle.to_tensor(
                cotangent(o.shape, self.dtype(o)[0]).astype(
                    'complex128' if self.dtype(o)[0] == 'c' else 'float64'
                )
            ).astype(o.dtype)
            for o in outputs
        ]
        return self.paddle.grad(outputs, leaves, cotangents, allow_unused=True)


class Torch(Paddle):
    def __init__(self):
        import scipy
        import scipy.special
        import torch

        torch.set_num_threads(1)
        self.torch, self.tensor = torch, torch.Tensor
        self.names = {
            'torch': torch,
            'F': torch.nn.functional,
            'nn': torch.nn,
            'np': np,
            'scipy': scipy,
        }

    def make(self, spec, array):
        leaf = self.torch.tensor(array).to(getattr(self.torch, spec.dtype))
        return (leaf.requires_grad_(True) if spec.grad else leaf,) * 2

    def seed(self):
        self.torch.manual_seed(7)

    def dtype(self, tensor):
        return str(tensor.dtype).replace('torch.', '')

    def array(self, tensor):
        tensor = tensor.detach().resolve_conj().resolve_neg()
        narrow = self.dtype(tensor).startswith(('bfloat', 'float8'))
        return np.array((tensor.to(self.torch.float32) if narrow else tensor).numpy())

    def stopped(self, tensor):
        return not tensor.requires_grad

    def grad(self, outputs, leaves):
        cotangents = [
            self.torch.tensor(cotangent(o.shape, 'c' if o.dtype.is_complex else 'f')).to(o.dtype)
            for o in outputs
        ]
        return self.torch.autograd.grad(outputs, leaves, cotangents, allow_unused=True)


def flatten(value, package, found):
    """Every tensor, array and number of nested results, in order: ('tensor', t) or (kind,
    value).
    """
    if isinstance(value, package.tensor):
        found.append(('tensor', value))
    elif isinstance(value, np.ndarray):
        found.append(('array', value))
    elif isinstance(value, np.generic):
        found.append((type(value).__name__, value.item()))
    elif value is None:
        found.append(('None', None))
    elif isinstance(value, (bool, int, float, complex, str)):
        kind = next(k for k in (bool, int, float, complex, str) if isinstance(value, k))
        found.append((kind.__name__, kind(value)))  # what is pickled belongs to no package
    elif isinstance(value, dict):
        for key in sorted(value, key=str):
            flatten(value[key], package, found)
    elif isinstance(value, (list, tuple)):
        for item in value:
            flatten(item, package, found)
    else:
        found.append(('object', type(value).__name__))
    return found


def run(package, call, text):
    try:
        package.seed()
        leaves, names = [], dict(package.names)
        for spec in call.inputs:
            leaf, names[spec.name] = package.make(spec, spec.array)
            if spec.grad:
                leaves.append(leaf)
        if '_(' in text and any(spec.grad for spec in call.inputs) and 'written(' in text:
            for spec in call.inputs:
                if spec.grad:  # an in-place call needs an input that is no leaf
                    names[spec.name] = names[spec.name] * 1
        found = flatten(eval(text, names), package, [])
        outputs = []
        for kind, value in found:
            if kind == 'tensor':
                outputs.append(
                    (
                        package.dtype(value),
                        tuple(value.shape),
                        package.array(value),
                        package.stopped(value),
                    )
                )
            elif kind == 'array':
                outputs.append((str(value.dtype), value.shape, np.array(value), None))
            else:
                outputs.append((kind, None, value, None))
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # noqa: BLE001 - the type is what is compared
        return {'error': (type(error).__qualname__, str(error)[-600:])}
    wanted = [
        v
        for k, v in found
        if k == 'tensor'
        and not package.stopped(v)
        and package.dtype(v).startswith(('float', 'bf', 'complex'))
    ]
    result = {'outputs': outputs, 'gradients': None}
    if wanted and leaves:
        try:
            gradients = package.grad(list({id(w): w for w in wanted}.values()), leaves)
            result['gradients'] = [
                None if g is None else (package.dtype(g), tuple(g.shape), package.array(g))
                for g in gradients
            ]
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # noqa: BLE001
            result['gradients'] = (type(error).__qualname__, str(error)[-300:])
    return result


def main():
    kind, calls_file, results_file, first, last = sys.argv[1:]
    warnings.simplefilter('ignore')
    with open(calls_file, 'rb') as file:
        calls = pickle.load(file)
    package = Torch() if kind == 'torch' else Paddle()
    with open(results_file, 'ab') as file:
        for call in calls[int(first) : int(last)]:
            text = call.torch if kind == 'torch' else call.text
            pickle.dump(run(package, call, text) if text else None, file)
            file.flush()


if __name__ == '__main__':
    main()
