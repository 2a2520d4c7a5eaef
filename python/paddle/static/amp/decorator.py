# SPDX-License-Identifier: Apache-2.0
"""`decorate`: an optimizer for static mode that scales the loss, and leaves out steps whose
gradients are not finite.
"""

import inspect

import paddle
from paddle.static import gradient as _gradient
from paddle.utils import unique_name

from .amp_nn import check_finite_and_unscale, update_loss_scaling
from .fp16_lists import AutoMixedPrecisionLists, check_amp_dtype

__all__ = ['OptimizerWithMixedPrecision', 'decorate']


class OptimizerWithMixedPrecision:
    """What `decorate` gives. The scale is a variable of the program: with dynamic loss scaling it
    grows after `incr_every_n_steps` good steps, and shrinks after `decr_every_n_nan_or_inf` bad
    ones, which change nothing else."""

    def __init__(
        self,
        optimizer,
        amp_lists,
        level,
        dtype,
        init_loss_scaling,
        use_dynamic_loss_scaling,
        incr_every_n_steps,
        decr_every_n_nan_or_inf,
        incr_ratio,
        decr_ratio,
        use_amp_guard=None,
        use_master_grad=False,
        use_promote=False,
    ):
        self._optimizer, self._amp_level = optimizer, level
        self._init_loss_scaling, self._use_dynamic_loss_scaling = (
            init_loss_scaling,
            use_dynamic_loss_scaling,
        )
        self._steps = incr_every_n_steps, decr_every_n_nan_or_inf, incr_ratio, decr_ratio
        self._use_master_grad, self.use_promote = use_master_grad, use_promote
        self._loss_scaling = self._scaled_loss = None

    def get_loss_scaling(self):
        """The variable of the scale; None before `minimize`."""
        return self._loss_scaling

    def get_scaled_loss(self):
        """The loss times the scale; None before `minimize`."""
        return self._scaled_loss

    def _variable(self, name, value, dtype):
        from paddle.static.program import create_global_var

        return create_global_var(
            [1], value, dtype, persistable=True, name=unique_name.generate(name)
        )

    def backward(
        self, loss, startup_program=None, parameter_list=None, no_grad_set=None, callbacks=None
    ):
        """Append the gradients of the scaled loss; returns the (parameter, gradient) pairs."""
        if startup_program is None:
            startup_program = paddle.static.default_startup_program()
        with paddle.static.program_guard(paddle.static.default_main_program(), startup_program):
            self._loss_scaling = self._variable(
                'loss_scaling', float(self._init_loss_scaling), 'float32'
            )
            if self._use_dynamic_loss_scaling:
                self._counts = (
                    self._variable('num_good_steps', 0, 'int32'),
                    self._variable('num_bad_steps', 0, 'int32'),
                )
            scale = (
                self._loss_scaling
                if list(loss.shape) == [1]
                else paddle.reshape(self._loss_scaling, loss.shape)
            )
            self._scaled_loss = loss.astype('float32') * scale
            return _gradient.trained(self._scaled_loss, parameter_list, no_grad_set, callbacks)

    def apply_gradients(self, params_grads):
        """Append the check of the gradients of the scaled loss, the update of the scale and that of
        the parameters.
        """
        from paddle.static.optimize import apply

        with _gradient._scope(), paddle.no_grad():
            low = (paddle.float16, paddle.bfloat16) if self._use_master_grad else ()
            grads = [
                g.astype('float32') if g.dtype in low else paddle.assign(g) for _, g in params_grads
            ]
            grads, found_inf = check_finite_and_unscale(grads, self._loss_scaling)
            if self._use_dynamic_loss_scaling:
                grads = update_loss_scaling(
                    grads, found_inf, self._loss_scaling, *self._counts, *self._steps
                )
        return apply(self._optimizer, [(p, g) for (p, _), g in zip(params_grads, grads)])

    def apply_optimize(self, loss, startup_program, params_grads):
        """The same as `apply_gradients`, in the program of the loss and a startup program."""
        if startup_program is None:
            startup_program = paddle.static.default_startup_program()
        if self._scaled_loss is None:
            raise RuntimeError(
                f"[apply_optimize] expected backward(loss) before it, got the loss "
                f"{getattr(loss, 'name', loss)!r} alone"
            )
        with paddle.static.program_guard(paddle.static.default_main_program(), startup_program):
            return self.apply_gradients(params_grads)

    def minimize(self, loss, startup_program=None, parameter_list=None, no_grad_set=None):
        """`backward` and `apply_optimize`; returns ([], (parameter, gradient) pairs)."""
        chosen = parameter_list or self._optimizer._all_params() or None
        pairs = self.backward(loss, startup_program, chosen, no_grad_set)
        return self.apply_optimize(loss, startup_program, pairs), pairs

    def amp_init(
        self, place, scope=None, test_program=None, use_fp16_test=False, rewrite_master_weight=False
    ):
        """Nothing is left to cast: parameters keep the precision they were made in."""

    def __getattr__(self, name):
        if name == '_optimizer':
            raise AttributeError(name)
        return getattr(self._optimizer, name)


def _require_recorded(amp_lists, dtype, **options):
    """ValueError for what would cast operations that are recorded already."""
    # Lists are made before their dtype is known, for the usual one.
    usual = [AutoMixedPrecisionLists(dtype=dtype), AutoMixedPrecisionLists()]
    given = amp_lists or usual[0]
    own = set.intersection(
        *(
            (given.white_list ^ one.white_list) | (given.black_list ^ one.black_list)
            for one in usual
        )
    )
    names = sorted(own) + sorted(given.black_varnames or ())
    for name, value in [('amp_lists', ', '.join(names))] + list(options.items()):
        if value:
            raise ValueError(
                f"[static.amp.decorate] expected {name} without effect on operations, which keep "
                "the precision that paddle.amp.auto_cast recorded them in, got "
                f"{value}"
            )


def _old(
    optimizer,
    amp_lists=None,
    init_loss_scaling=2**15,
    incr_every_n_steps=1000,
    decr_every_n_nan_or_inf=2,
    incr_ratio=2.0,
    decr_ratio=0.8,
    use_dynamic_loss_scaling=True,
    use_pure_fp16=False,
    use_fp16_guard=None,
    use_bf16=False,
    use_promote=False,
):
    dtype = 'bfloat16' if use_bf16 else 'float16'
    if use_bf16:
        init_loss_scaling, use_dynamic_loss_scaling = 1.0, False
    _require_recorded(amp_lists, dtype, use_fp16_guard=use_fp16_guard, use_promote=use_promote)
    return OptimizerWithMixedPrecision(
        optimizer,
        amp_lists or AutoMixedPrecisionLists(dtype=dtype),
        'O2' if use_pure_fp16 else 'O1',
        dtype,
        init_loss_scaling,
        use_dynamic_loss_scaling,
        incr_every_n_steps,
        decr_every_n_nan_or_inf,
        incr_ratio,
        decr_ratio,
        use_pure_fp16 if use_fp16_guard is None else use_fp16_guard,
        False,
        use_promote,
    )


def _new(
    optimizer,
    amp_lists=None,
    level='O1',
    dtype='float16',
    master_weight=None,
    master_grad=False,
    init_loss_scaling=2**16,
    incr_every_n_steps=2000,
    decr_every_n_nan_or_inf=1,
    incr_ratio=2.0,
    decr_ratio=0.5,
    use_dynamic_loss_scaling=None,
    use_amp_guard=False,
    use_promote=False,
):
    if level not in ('O0', 'OD', 'O1', 'O2'):
        raise ValueError(
            f"[static.amp.decorate] expected level 'O0', 'OD', 'O1' or 'O2', got {level!r}"
        )
    dtype = check_amp_dtype(dtype)
    _require_recorded(amp_lists, dtype, use_amp_guard=use_amp_guard, use_promote=use_promote)
    if master_weight is not None and level == 'O2':
        optimizer._multi_precision = master_weight
    dynamic = dtype == 'float16' if use_dynamic_loss_scaling is None else use_dynamic_loss_scaling
    return OptimizerWithMixedPrecision(
        optimizer,
        amp_lists or AutoMixedPrecisionLists(dtype=dtype),
        level,
        dtype,
        init_loss_scaling,
        dynamic,
        incr_every_n_steps,
        decr_every_n_nan_or_inf,
        incr_ratio,
        decr_ratio,
        use_amp_guard,
        master_grad,
        use_promote,
    )


def decorate(*args, **kwargs):
    """An optimizer around `optimizer` whose `minimize` scales the loss.

    Called as decorate(optimizer, amp_lists, level, dtype, master_weight, master_grad,
    init_loss_scaling, incr_every_n_steps, decr_every_n_nan_or_inf, incr_ratio, decr_ratio,
    use_dynamic_loss_scaling, use_amp_guard, use_promote), or as of old with init_loss_scaling third
    and use_pure_fp16, use_fp16_guard, use_bf16: what the arguments fit.

    Operations keep the precision they were recorded in, so ValueError for lists that are not the
    usual ones, for guards and for use_promote: they belong to `paddle.amp.auto_cast` around the
    recording.
    """
    for form in (_new, _old):
        try:
            bound = inspect.signature(form).bind(*args, **kwargs)
        except TypeError as error:
            refused = error
            continue
        if form is _old or isinstance(bound.arguments.get('level', 'O1'), str):
            return form(*args, **kwargs)
    raise TypeError(f"[decorate] {refused}")
