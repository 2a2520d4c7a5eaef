# SPDX-License-Identifier: Apache-2.0
"""What call texts of tools/oracle/calls*.py use beside the package: short functions over the public
API of either `paddle`.
"""

import copy
import itertools
import operator  # noqa: F401 - call texts use it

import numpy as np
import paddle


COUNT = itertools.count()


def into(call, like=None):
    """The call with an `out` of the result's own shape and dtype: the result and `out`."""
    plain = call(None)
    if isinstance(plain, (list, tuple)):
        out = tuple(paddle.zeros_like(p) for p in plain)
        call(out)
        return list(out)
    out = paddle.zeros_like(plain)
    out.stop_gradient = True
    result = call(out)
    return result, out


def written(result, x):
    """An in-place call's result and the tensor it wrote."""
    return result, x


def optimize(
    name, steps=5, dtype='float32', params=2, clip=None, lr=0.1, grad_none=False, **options
):
    """Parameters and state after some steps of an optimizer on a quadratic function."""
    random, run = np.random.RandomState(3), next(COUNT)
    parameters = []
    for i in range(params):
        p = paddle.create_parameter(
            [3, 4] if i else [5],
            'float32',
            name=f'p{i}_{run}',
            default_initializer=paddle.nn.initializer.Constant(0.0),
        )
        p.set_value(random.randn(*p.shape).astype('float32'))
        parameters.append(p if dtype == 'float32' else p.astype(dtype).detach())
    for p in parameters:
        p.stop_gradient = False
    if clip:
        options['grad_clip'] = getattr(paddle.nn, clip[0])(*clip[1:])
    optimizer = getattr(paddle.optimizer, name)(learning_rate=lr, parameters=parameters, **options)
    for step in range(steps):

        def closure():
            optimizer.clear_grad()
            loss = (
                sum(
                    ((p - 0.5 * step) ** 2).sum()
                    for p in (parameters[:1] if grad_none else parameters)
                )
                + (parameters[0] ** 4).sum()
            )
            loss.backward()
            return loss

        if name == 'LBFGS':
            optimizer.step(closure)
        else:
            closure()
            optimizer.step()
            if hasattr(optimizer._learning_rate, 'step'):
                optimizer._learning_rate.step()
    state = optimizer.state_dict() if name != 'LBFGS' else {}
    names = {
        k.replace(parameters[0].name, 'p0').replace(parameters[-1].name, 'p1'): v
        for k, v in state.items()
        if k != 'LR_Scheduler'
    }
    return [p.detach() for p in parameters], names


def schedule(name, *args, steps=25, metrics=None, **options):
    """The learning rates of a scheduler, its state, and the rates after a round trip of the
    state.
    """
    scheduler = getattr(paddle.optimizer.lr, name)(*args, **options)
    rates = []
    for step in range(steps):
        rates.append(float(scheduler()))
        scheduler.step(*([metrics[step % len(metrics)]] if metrics else []))
    return np.array(rates), float(
        scheduler.get_lr() if hasattr(scheduler, 'get_lr') and not metrics else scheduler()
    )


def initialize(initializer, shape, dtype='float32'):
    """A parameter made by an initializer."""
    return paddle.create_parameter(shape, dtype, default_initializer=initializer).detach()


def metric(name, updates, *args, **options):
    """A metric after some updates, each time accumulated."""
    m = getattr(paddle.metric, name)(*args, **options)
    seen = []
    for pred, label in updates:
        computed = m.compute(pred, label)
        m.update(*(computed if isinstance(computed, tuple) else (computed,)))
        seen.append(m.accumulate())
    return seen


def layer(module, *inputs, evaluate=False):
    """A layer's results, its parameters' gradients and its state afterwards (but for what recurrent
    layers of 3.3.1 keep beside it).
    """
    if evaluate:
        module.eval()
    results = module(*inputs)
    first = results
    while isinstance(first, (list, tuple)):
        first = first[0]
    gradients = []
    parameters = [
        p for n, p in module.named_parameters() if not p.stop_gradient and not n.startswith('_flat')
    ]
    if parameters and not first.stop_gradient:
        gradients = paddle.grad(
            (first * first * first).sum(), parameters, retain_graph=True, allow_unused=True
        )
    known = [
        g.flatten() for g in gradients if g is not None
    ]  # in one tensor: some are 0 but for rounding
    return (
        results,
        [p.detach() for p in parameters],
        [g is None for g in gradients],
        paddle.concat(known).detach() if known else 0,
        [b.detach() for n, b in module.named_buffers() if 'dropout' not in n],
    )


def assigned(x, index, value):
    """x after x[index] = value, on a tensor of its own."""
    y = x * 1 if not x.stop_gradient else x.clone()
    y[index] = value
    return y


def after(x, method, *args, **options):
    """A tensor of its own after a method that writes it."""
    y = x * 1 if not x.stop_gradient else copy.copy(x.clone())
    result = getattr(y, method)(*args, **options)
    return y, result


def old_program(kind, inputs, attrs, outputs, hidden=(), lod=None, inplace=False, kinds=None):
    """What a program of one old operation computes, with offsets of sequences, and gradients of its
    inputs. `outputs` has the length of each list of results, `hidden` those that are not fetched;
    with `inplace` results named after inputs are written there. `kinds` says which inputs and
    results are `coo`, sparse tensors, or `array`, arrays of tensors.
    """
    tensors = [(slot, k, t) for slot, given in inputs.items() for k, t in enumerate(given)]
    paddle.enable_static()
    try:
        with paddle.pir_utils.OldIrGuard():
            return _old_program(
                kind, tensors, attrs, outputs, hidden, lod or {}, inplace, kinds or {}
            )
    finally:
        paddle.disable_static()


def _place(name, given):
    """The input whose place the result `name` has where an operation writes it."""
    for old in (name.removesuffix('Out'), name.removesuffix('_out'), name.replace('out_', 'in_')):
        if old != name and given.get(old) is not None:
            return given[old]
    return None


def _typed(block, name, kind):
    """A variable of a kind of `old_program`."""
    types = paddle.base.core.VarDesc.VarType
    if kind is None:
        return block.create_var(name=name)
    kind = {'coo': types.SPARSE_COO, 'array': types.LOD_TENSOR_ARRAY}[kind]
    return block.create_var(name=name, type=kind, dtype='float32')


def _as_kinds(block, given, kinds):
    """The inputs, as sparse tensors and arrays where they are such."""
    made = dict(given)
    for slot in kinds:
        values, var = given.get(slot), _typed(block, f'{slot}_made', kinds[slot])
        if values is None:
            continue
        made[slot] = [var]
        if kinds[slot] == 'coo':
            dims = {'sparse_dim': min(len(values[0].shape), 4)}
            block.append_op(
                type='sparse_to_sparse_coo', inputs={'x': values}, outputs={'out': var}, attrs=dims
            )
        for k, value in enumerate(values if kinds[slot] == 'array' else ()):
            at = block.create_var(name=f'{slot}_at_{k}', shape=[1], dtype='int64')
            number = {'shape': [1], 'dtype': 3, 'value': float(k)}
            block.append_op(type='fill_constant', outputs={'Out': at}, attrs=number)
            block.append_op(
                type='write_to_array', inputs={'X': value, 'I': at}, outputs={'Out': var}
            )
    return made


def _shown(block, slot, values, kinds):
    """What is fetched of a result: a sparse one as a dense tensor."""
    if kinds.get(slot) != 'coo':
        return values
    dense = block.create_var(name=f'{slot}_dense')
    block.append_op(type='sparse_to_dense', inputs={'x': values}, outputs={'out': dense})
    return [dense]


def _old_program(kind, tensors, attrs, outputs, hidden, lod, inplace, kinds):
    main, startup, given, feed = paddle.static.Program(), paddle.static.Program(), {}, {}
    with paddle.static.program_guard(main, startup):
        block = main.global_block()
        for slot, k, t in tensors:
            name, array = f'{slot}_{k}', t.numpy()
            if slot in lod:
                levels = lod[slot] if isinstance(lod[slot][0], list) else [lod[slot]]
                shape = [-1, *t.shape[1:]]
                var = paddle.static.data(name, shape, t.dtype, lod_level=len(levels))
                array = paddle.base.create_lod_tensor(array, levels, paddle.CPUPlace())
            else:
                var = block.create_var(name=name, shape=t.shape, dtype=t.dtype)
            var.stop_gradient = t.stop_gradient
            given.setdefault(slot, []).append(var)
            feed[name] = array
        made = {
            slot: inplace
            and _place(slot, given)
            or [_typed(block, f'made_{slot}_{k}', kinds.get(slot)) for k in range(count)]
            for slot, count in outputs.items()
        }
        block.append_op(type=kind, inputs=_as_kinds(block, given, kinds), outputs=made, attrs=attrs)
        made = {
            slot: _shown(block, slot, values, kinds)
            for slot, values in made.items()
            if slot not in hidden
        }
        fetched = [v for values in made.values() for v in values]
        executor = paddle.static.Executor()
        results = executor.run(main, feed=feed, fetch_list=fetched, return_numpy=False)
        results = [r for part in results for r in ([part] if hasattr(part, 'lod') else part)]
        results = [(np.array(r), list(r.lod())) for r in results]
        if kinds:
            return results, 'gradients', []
        targets = []
        for v in fetched:
            if str(v.dtype).endswith(('float32', 'float64')):
                targets.append(block.create_var(name=f'{v.name}_square'))
                block.append_op(type='square', inputs={'X': [v]}, outputs={'Out': targets[-1:]})
        needed = [v for values in given.values() for v in values if not v.stop_gradient]
        gradients = []
        if targets and needed and not inplace:
            try:
                found = paddle.static.gradients(targets, needed)
                held = [g for g in found if g is not None]
                numbers = executor.run(main, feed=feed, fetch_list=held) if held else []
                numbers = iter(numbers)
                gradients = [None if g is None else np.array(next(numbers)) for g in found]
            except Exception as error:  # noqa: BLE001 - that there are none is what is compared
                gradients = f'refused: {type(error).__name__}'
    return results, 'gradients', gradients


def _given(word, inputs, outputs):
    """A tensor, list, place or count of the word of a form."""
    if word in inputs:
        return inputs[word]
    if word.endswith('=') and word[:-1] in outputs:
        name, count = word[:-1], outputs[word[:-1]][0]
        listed = outputs[name][1]
        place = _place(name, inputs)
        if place is not None:
            return place
        places = [paddle.zeros([1]) for _ in range(count)]
        return places if listed else places[0]
    return outputs[word[:-1]][0] if word.endswith('#') else None


def old_call(kind, form, inputs, attrs, outputs, hidden=()):
    """What `_legacy_C_ops` gives. `form` has the arguments in order: names of inputs, results with
    `=` for a place and `#` for a number of them, and others for None.
    """
    args = [_given(word, inputs, outputs) for word in form]
    words = [word for pair in attrs.items() for word in pair]
    made = getattr(paddle._legacy_C_ops, kind)(*args, *words)
    made = made if isinstance(made, tuple) else (made,)
    return [m for m, slot in zip(made, outputs) if slot not in hidden]
