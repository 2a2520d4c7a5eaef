# SPDX-License-Identifier: Apache-2.0
"""Rules of placements of operations that are functions here: what they are made of has rules of its
own, which distributed tensors go by. `RULES` says the same of the whole, in the notation of stanzas
(docs/design/distributed.md), where it is asked for: a text, or a function of the shapes of operands
and of the attributes that gives it.
"""

import string

_LETTERS = string.ascii_lowercase


def _row(rank, axes=(), gone=False):
    """A letter for each axis; those of `axes` are not divided, or `gone`."""
    axes = {a % rank for a in ([axes] if isinstance(axes, int) else axes)} if rank else ()
    return ''.join(_LETTERS[i] if i not in axes else '' if gone else '_' for i in range(rank))


def _reduced(shapes, axis=(), keepdim=False, divides=False):
    """Axes that go, all of them where none is named; `divides`: sums of parts make the sum."""
    rank = len(shapes[0])
    axis = [axis] if isinstance(axis, int) else list(axis or range(rank))
    left = _row(rank, axis) if keepdim else _row(rank, axis, gone=True)
    return f'{_row(rank) if divides else _row(rank, axis)}->{left}'


def _lengths(shapes, axis=-1, *rest):
    row = _row(len(shapes[0]), axis)
    return f'{row}->{row},{row}'


def _product(shapes, lead=1, behind=1, bias=False):
    """The axes before `lead` of the first, and those from `behind` on of the second."""
    x, y = len(shapes[0]), len(shapes[1])
    rows, columns = _LETTERS[:lead], _LETTERS[::-1][: y - behind]
    summed = 'm' if x - lead == 1 and behind == 1 and not bias else ''
    more = ',*' if len(shapes) > 2 else ''
    left, right = summed or '_' * (x - lead), summed or '_' * behind
    return f'{rows}{left},{right}{columns}{more}->{rows}{columns}'


def _einsum(shapes, equation=''):
    """The equation is a notation; axes that one operand names twice are not divided."""
    given, arrow, result = equation.replace(' ', '').partition('->')
    if not arrow:
        once = sorted(c for c in set(given) if c.isalpha() and given.count(c) == 1)
        result = ('...' if '...' in given else '') + ''.join(once)
    terms = given.split(',')
    twice = {c for t in (*terms, result) for c in t if c.isalpha() and t.count(c) > 1}
    names = dict.fromkeys(c for c in given if c.isalpha())
    letters = {c: '_' if c in twice else _LETTERS[i] for i, c in enumerate(names)}
    return ''.join(letters.get(c, c) for c in f'{given}->{result}')


def _channels(shapes, data_layout='AnyLayout'):
    return 'nAc,c,c->nAc' if data_layout == 'NHWC' else 'ncA,c,c->ncA'


def _pair(shapes, axis=-1, *rest):
    """Operands that meet from the right, or at an axis of the first."""
    x, y = map(len, shapes[:2])
    if axis in (-1, x - y):
        return '...,...->...'
    return f'{_row(x)},{_row(x)[axis : axis + y]}->{_row(x)}'


def _heads(shapes, *rest, **named):
    time_major = len(rest) > 1 and rest[1]
    tensor = '_bh_' if time_major else 'b_h_'
    count = sum(len(s) == 4 and s[-2] != 1 for s in shapes) or 1
    more = [('b_' if len(s) == 2 else '*') for s in shapes[count:]]
    return f'{",".join([tensor] * count + more)}->{",".join([tensor] * count)}'


def _combined(shapes):
    rows, weights, places = (*shapes, shapes[1])[:3]
    return f'_h,sk,{"sk" if list(places) == list(weights) else "ks"}->sh'


def _dispatched(shapes, *attrs):
    bias = ',_' if len(shapes) > 2 else ''
    return f'_h,__{bias}->_h,*,*,*,*'


def _gradient_of_linear(shapes, multi_precision=True, has_bias=True):
    """Sums over rows, but for what gradients are added to. That of a bias has none of x."""
    rest = ',kn,n'[: 3 if len(shapes) == 3 else 5 if len(shapes) > 3 else 0]
    kept = ('.' if rest else '') + ('k' if has_bias else '')
    return f'...k,...n{rest}->kn' + (',n' if has_bias else '') + (f';{kept}' if kept else '')


def _transposed(shapes, transpose_x=False, transpose_y=False, *rest):
    x, y = ('km' if transpose_x else '...k'), ('nk' if transpose_y else 'kn')
    return f'{x},{y},n->{"m" if transpose_x else "..."}n;k'


def _identity_loss(shapes, reduction=1):
    return '...->...' if reduction in (2, 'none') else '...->'


_ROWS = '...->...'
_STEP = '...,...,...,*->...,...'
RULES = {
    'add_position_encoding': 'n__->n__',
    'affine_channel': _channels,
    'baddbmm': 'bmn,bmk,bkn->bmn;k',
    'batch_fc': 'sbi,sio,so->sbo;i',
    'c_softmax_with_cross_entropy': '...c,..._->...c,..._',
    'c_softmax_with_multi_label_cross_entropy': '...c,..._,..._->...c,..._',
    'conv2d_transpose_bias': 'n___,*,*->n___',
    'decayed_adagrad': _STEP,
    'depthwise_conv2d_transpose': 'n___,*->n___',
    'einsum': _einsum,
    'empty_like': _ROWS,
    'fc': lambda shapes, lead=1, *rest: _product(shapes, lead, 1, bias=True),
    'ftrl': '...,...,...,...,*->...,...,...',
    'fused_bias_act': '..._,_->..._',
    'fused_dropout_add': '...,...,_->...,*',
    'fused_elementwise_add': _pair,
    'fused_elementwise_div': _pair,
    'fused_elementwise_mul': _pair,
    'fused_elementwise_sub': _pair,
    'fused_gemm_epilogue': _transposed,
    'fused_linear_param_grad_add': _gradient_of_linear,
    'fused_rotary_position_embedding': _heads,
    'fused_softmax_mask': 'bhq_,b_q_->bhq_',
    'fused_softmax_mask_upper_triangle': 'bh__->bh__',
    'hinge_loss': '...,...->...',
    'identity_loss': _identity_loss,
    'index_select_strided': lambda shapes, index=0, axis=0: _reduced(shapes, axis),
    'l1_norm': '...->',
    'matmul_with_flatten': _product,
    'moe_combine': _combined,
    'moe_gate_dispatch': _dispatched,
    'nansum': lambda shapes, axis=(), dtype=None, keepdim=False: _reduced(
        shapes, axis, keepdim, divides=True
    ),
    'norm': _lengths,
    'ones_like': _ROWS,
    'rint': _ROWS,
    'sequence_mask': '...->..._',
    'shard_index': _ROWS,
    'share_data': _ROWS,
    'shuffle_channel': 'n___->n___',
    'std': lambda shapes, axis=(), keepdim=False, *rest: _reduced(shapes, axis, keepdim),
    'trunc_divide': '...,...->...',
    'variance': lambda shapes, axis=(), keepdim=False: _reduced(shapes, axis, keepdim),
    'view_slice': '_A->_A',
    'zeros_like': _ROWS,
}
# Operations that add up what processes have, themselves: results are not partial.
WHOLE = {'c_softmax_with_cross_entropy', 'c_softmax_with_multi_label_cross_entropy'}
# Names of operations of which another one's rule is that.
ALIKE = {'view_shape': 'reshape', 'tril_triu': 'tril'}


def text_of(name, shapes, attrs):
    """The notation of a function for operands of these shapes."""
    rule = RULES[name]
    return rule if isinstance(rule, str) else rule(shapes, *attrs)


def results_of(text, shapes):
    """The shapes of the results: extents that operands do not tell are 1."""
    terms = text.partition(';')[0]
    given, results = (part.split(',') for part in terms.split('->'))
    extents, runs, lead = {}, {}, []
    for term, shape in zip(given, shapes):
        if term == '*':
            continue
        letters = term.removeprefix('...')
        names = [c for c in letters if not c.isupper()]
        run = next((c for c in letters if c.isupper()), None)
        at = letters.index(run) if run else len(letters)
        extra = len(shape) - len(names)
        if run:
            runs[run] = [*shape[at : at + extra]]
        elif term.startswith('...') and extra > 0:
            first = list(shape[:extra])
            longer, shorter = (first, lead) if len(first) >= len(lead) else (lead, first)
            met = [max(p) for p in zip(longer[len(longer) - len(shorter) :], shorter)]
            lead = longer[: len(longer) - len(shorter)] + met
        inner = [*shape[:at], *shape[at + extra :]] if run else shape[max(extra, 0) :]
        for c, n in zip(names, inner):
            extents[c] = max(extents.get(c, 1), n) if c != '_' else 1
    found = []
    for term in results:
        shape = list(lead) if term.startswith('...') else []
        for c in term.removeprefix('...'):
            shape += runs[c] if c in runs else [extents.get(c, 1)]
        found.append(shape)
    return found
