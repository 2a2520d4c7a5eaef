# SPDX-License-Identifier: Apache-2.0
"""The calls of `recipes` whose results have gradients, as functions of the tensors among their
arguments.
"""

import recipes
import recipe_table

import paddle

NAMESPACES = frozenset(
    '''
        paddle nn.functional linalg fft signal vision.ops incubate.nn.functional geometric Tensor
    '''.split()
)


def _replaced(value, tensors):
    """The nest with the next of `tensors` for each tensor in it."""
    if isinstance(value, paddle.Tensor):
        return next(tensors)
    if type(value) in (list, tuple):
        return type(value)(_replaced(v, tensors) for v in value)
    if type(value) is dict:
        return {k: _replaced(v, tensors) for k, v in value.items()}
    return value


def leaves(value, found=None):
    """The tensors of a nest, in order."""
    found = [] if found is None else found
    if isinstance(value, paddle.Tensor):
        found.append(value)
    elif isinstance(value, (list, tuple)):
        for v in value:
            leaves(v, found)
    elif isinstance(value, dict):
        for v in value.values():
            leaves(v, found)
    return found


def is_differentiable(tensor):
    return tensor.is_floating_point() or tensor.is_complex()


def nested_cases(integers=False):
    """(name, function that gives the tensors of its results, tensors) of each call that takes a
    differentiable one; with `integers`, of others, too.
    """
    for where, name, value, text in recipes.cases():
        full = f'{where}.{name}'
        if (
            where not in NAMESPACES
            or text is None
            or '->' in text
            or full in recipe_table.UNCALLED
            or full == 'Tensor.get_map_tensor'  # reads what a copy of a tensor has not
            or isinstance(value, type)
        ):
            continue
        ((args, kwargs),) = recipes.arguments(text)
        tensors = leaves((args, kwargs))
        if any(t.is_sparse() for t in tensors):
            continue
        if not integers and not any(map(is_differentiable, tensors)):
            continue

        def function(*given, value=value, args=args, kwargs=kwargs):
            args, kwargs = _replaced((args, kwargs), iter(given))
            return leaves(value(*args, **kwargs))

        yield full, function, tensors


def cases():
    """(name, function of dense tensors that gives the differentiable results, tensors) of each call
    that has both.
    """
    for name, call, tensors in nested_cases():

        def function(*given, call=call):
            return [t.to_dense() for t in call(*given) if is_differentiable(t)]

        yield name, function, tensors
