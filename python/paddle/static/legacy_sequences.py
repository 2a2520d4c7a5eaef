# SPDX-License-Identifier: Apache-2.0
"""Old ops on sequences, the rows of which lie behind one another (`paddle.static.lod`): rules as in
`legacy_rules`.
"""

import math
from inspect import unwrap

import paddle
from paddle.base import libpaddle as _core
from paddle.static import lod
from paddle.static.legacy_rules import first_of, rule


def _sequences(kind, x):
    """Offsets of the innermost sequences in the rows of x."""
    return lod.required(kind, 'Input', x)[-1]


def _given(x):
    """Offsets of the innermost sequences in the rows of x, None where it has none."""
    found = lod.of(lod.program_of(x), x) if _core.pir._record_mode() else []
    return found[-1] if found else None


def _beside(x, offsets):
    """(the sequences beside one another [sequences, longest, ...], their lengths)."""
    from paddle.static.nn.recurrent_rows import Steps

    steps = Steps(x.reshape([-1, 1]) if x.ndim == 1 else x, offsets)
    return steps.given.transpose([1, 0, 2]), steps.lengths


def _labels(x, length):
    """Rows of labels and their lengths, of sequences or as they are."""
    offsets = _given(x) if length is None else None
    if offsets is None:
        return x, length
    rows, lengths = _beside(x, offsets)
    return rows.squeeze(-1), lengths


@rule('lod_reset')
def _lod_reset(inputs, attrs, append):
    (x,), other = inputs['X'], (inputs.get('Y') or [None])[0]
    if other is None:
        levels = [paddle.to_tensor(list(attrs['target_lod']), dtype='int64')]
    else:
        levels = lod.of(lod.program_of(other), other) or [other.reshape([-1]).astype('int64')]
    program = lod.program_of(x)
    lod.note(program, x, [*(lod.of(program, x) if attrs.get('append', False) else ()), *levels])
    return {'Out': paddle.assign(x)}


@rule('gru')
def _gru(inputs, attrs, append):
    from paddle.static.nn.recurrent_rows import gru_rows

    (x,), (weight,) = inputs['Input'], inputs['Weight']
    bias, h0 = ((inputs.get(name) or [None])[0] for name in ('Bias', 'H0'))
    hidden = gru_rows(
        x,
        _sequences('gru', x),
        weight,
        bias,
        h0,
        attrs.get('activation', 'tanh'),
        attrs.get('gate_activation', 'sigmoid'),
        attrs.get('is_reverse', False),
        attrs.get('origin_mode', False),
    )
    return {'Hidden': hidden}


@rule('lstm')
def _lstm(inputs, attrs, append):
    from paddle.static.nn.recurrent_rows import lstm_rows

    (x,), (weight,), (bias,) = inputs['Input'], inputs['Weight'], inputs['Bias']
    made = lstm_rows(
        x,
        _sequences('lstm', x),
        weight,
        bias,
        [(inputs.get(name) or [None])[0] for name in ('H0', 'C0')],
        [
            attrs.get('gate_activation', 'sigmoid'),
            attrs.get('cell_activation', 'tanh'),
            attrs.get('candidate_activation', 'tanh'),
        ],
        attrs.get('is_reverse', False),
        attrs.get('use_peepholes', True),
    )
    return dict(zip(('Hidden', 'Cell'), made))


@rule('crf_decoding')
def _crf_decoding(inputs, attrs, append):
    from paddle.static.nn.recurrent_rows import Steps

    x, transition, label, length = first_of(inputs, 'Emission', 'Transition', 'Label', 'Length')
    offsets = _given(x) if length is None else None
    if offsets is None:
        return {'ViterbiPath': paddle._C_ops.crf_decoding(x, transition, label, length)}
    steps = Steps(x, offsets)
    scores = steps.given.transpose([1, 0, 2])
    path = paddle._C_ops.crf_decoding(scores, transition, None, steps.lengths)
    path = steps.back(path.transpose([1, 0]), 1)
    if label is not None:
        path = (path == label.astype(path.dtype).reshape([-1, 1])).astype(path.dtype)
    return {'ViterbiPath': path}


@rule('sequence_pool')
def _sequence_pool(inputs, attrs, append):
    from paddle.static.nn import sequence_pool

    kind, value = attrs.get('pooltype', 'AVERAGE').lower(), attrs.get('pad_value', 0.0)
    return {'Out': unwrap(sequence_pool)(inputs['X'][0], kind, pad_value=value)}


@rule('sequence_softmax')
def _sequence_softmax(inputs, attrs, append):
    from paddle.static.nn import sequence_softmax

    return {'Out': unwrap(sequence_softmax)(inputs['X'][0])}


@rule('sequence_expand')
def _sequence_expand(inputs, attrs, append):
    from paddle.static.nn import sequence_expand

    return {
        'Out': unwrap(sequence_expand)(inputs['X'][0], inputs['Y'][0], attrs.get('ref_level', -1))
    }


@rule('sequence_conv')
def _sequence_conv(inputs, attrs, append):
    from paddle.static.nn.sequence_lod import windows

    if attrs.get('paddingTrainable', False) or attrs.get('contextStride', 1) != 1:
        raise NotImplementedError(
            '[sequence_conv] expected rows of zeros around sequences and a result for each row'
        )
    (x,), (weight,), size = inputs['X'], inputs['Filter'], attrs['contextLength']
    first = attrs.get('contextStart', 0)
    if size < 1 or weight.shape[0] != size * x.shape[1]:
        raise ValueError(
            f'[sequence_conv] expected a filter of contextLength * {x.shape[1]} rows, got '
            f'{weight.shape[0]} for {size}'
        )
    return {'Out': windows(x, _sequences('sequence_conv', x), weight, size, first)}


@rule('edit_distance')
def _edit_distance(inputs, attrs, append):
    hyps, refs, *lengths = first_of(inputs, 'Hyps', 'Refs', 'HypsLength', 'RefsLength')
    (hyps, first), (refs, second) = _labels(hyps, lengths[0]), _labels(refs, lengths[1])
    made = paddle._C_ops.edit_distance(hyps, refs, first, second, attrs.get('normalized', False))
    return dict(zip(('SequenceNum', 'Out'), made))


@rule('chunk_eval')
def _chunk_eval(inputs, attrs, append):
    guessed, label, length = first_of(inputs, 'Inference', 'Label', 'SeqLength')
    label, _ = _labels(label, length)
    guessed, length = _labels(guessed, length)
    rest = [attrs[k] for k in ('num_chunk_types', 'chunk_scheme', 'excluded_chunk_types')]
    names = 'Precision Recall F1-Score NumInferChunks NumLabelChunks NumCorrectChunks'.split()
    return dict(zip(names, paddle._C_ops.chunk_eval(guessed, label, length, *rest)))


@rule('ctc_align')
def _ctc_align(inputs, attrs, append):
    from paddle.static.nn.sequence_lod import _owners, _rows

    x, length = first_of(inputs, 'Input', 'InputLength')
    offsets = _given(x) if length is None else None
    blank, merged = attrs.get('blank', 0), attrs.get('merge_repeated', True)
    if offsets is None:
        made = paddle._C_ops.ctc_align(x, length, blank, merged, attrs.get('padding_value', 0))
        return dict(zip(('Output', 'OutputLength'), made))
    rows, labels = _rows(x), x.reshape([-1])
    kept = labels != blank
    if merged:
        first = rows == paddle.gather(offsets, _owners(offsets, rows))
        before = paddle.gather(labels, paddle.clip(rows - 1, 0))
        kept = paddle.logical_and(kept, paddle.logical_or(first, before != labels))
    counts = paddle.concat([paddle.zeros([1], 'int64'), paddle.cumsum(kept.astype('int64'))])
    out = paddle.masked_select(labels, kept).reshape([-1, 1])
    lod.note(lod.program_of(x), out, [paddle.gather(counts, offsets)])
    return {'Output': out}


@rule('warpctc')
def _warpctc(inputs, attrs, append):
    logits, label, *lengths = first_of(inputs, 'Logits', 'Label', 'LogitsLength', 'LabelLength')
    if lengths[0] is None and _given(logits) is not None:
        (logits, lengths[0]), (label, lengths[1]) = (
            _beside(logits, _given(logits)),
            _labels(label, None),
        )
        logits = logits.transpose([1, 0, 2])
    rest = attrs.get('blank', 0), attrs.get('norm_by_times', False)
    return {'Loss': paddle._C_ops.warpctc(logits, label, *lengths, *rest)}


@rule('add_position_encoding')
def _add_position_encoding(inputs, attrs, append):
    from paddle._sequence_ops import waves
    from paddle.static.nn.sequence_lod import _owners, _rows

    (x,) = inputs['X']
    numbers = attrs.get('alpha', 1.0), attrs.get('beta', 1.0)
    if x.ndim != 2:
        return {'Out': paddle._C_ops.add_position_encoding(x, *numbers)}
    offsets, rows = _sequences('add_position_encoding', x), _rows(x)
    place = rows - paddle.gather(offsets, _owners(offsets, rows))
    return {'Out': x * numbers[0] + waves(place, x.shape[1], x.dtype) * numbers[1]}


@rule('row_conv')
def _row_conv(inputs, attrs, append):
    from paddle.static.nn.sequence_lod import _owners, _rows

    (x,), (weight,) = inputs['X'], inputs['Filter']
    size = weight.shape[0]
    if x.ndim == 3:
        wide = paddle.nn.functional.pad(x, [0, 0, 0, size - 1, 0, 0])
        parts = [wide[:, k : (k - size + 1) or None] * weight[k] for k in range(size)]
        return {'Out': paddle.add_n(parts)}
    offsets, rows = _sequences('row_conv', x), _rows(x)
    end = paddle.gather(offsets[1:], _owners(offsets, rows))
    parts = []
    for k in range(size):
        inside = rows + k < end
        row = paddle.gather(x, paddle.where(inside, rows + k, rows))
        parts.append(row * inside.astype(x.dtype).unsqueeze(1) * weight[k])
    return {'Out': paddle.add_n(parts)}


@rule('im2sequence')
def _im2sequence(inputs, attrs, append):
    (x,) = inputs['X']
    words = [list(attrs[k]) for k in ('kernels', 'strides', 'paddings', 'out_stride')]
    out = paddle._C_ops.im2sequence(x, *first_of(inputs, 'Y'), *words)
    if _core.pir._record_mode():
        images = paddle.shape(x)[0].astype('int64')
        each = paddle.shape(out)[0].astype('int64') // images
        lod.note(lod.program_of(x), out, [paddle.arange(images + 1, dtype='int64') * each])
    return {'Out': out}


def _counted(out, counts):
    """`out`, the rows of which are sequences of so many each."""
    if _core.pir._record_mode():
        counts = counts.astype('int64').reshape([-1])
        offsets = paddle.concat([paddle.zeros([1], 'int64'), paddle.cumsum(counts)])
        lod.note(lod.program_of(out), out, [offsets])
    return out


@rule('multiclass_nms')
def _multiclass_nms(inputs, attrs, append):
    made = append('multiclass_nms3', inputs, attrs, {'Out': 1, 'Index': 1, 'NmsRoisNum': 1})
    return {'Out': _counted(made['Out'][0], made['NmsRoisNum'][0])}


@rule('distribute_fpn_proposals')
def _distribute_proposals(inputs, attrs, append):
    count = attrs['max_level'] - attrs['min_level'] + 1
    names = {'MultiFpnRois': count, 'MultiLevelRoIsNum': count, 'RestoreIndex': 1}
    made = append('distribute_fpn_proposals', inputs, attrs, names)
    numbers = made.get('MultiLevelRoIsNum') or []
    for rois, number in zip(made['MultiFpnRois'], numbers):
        if number is not None:
            _counted(rois, number)
    return made


@rule('collect_fpn_proposals')
def _collect_proposals(inputs, attrs, append):
    made = append('collect_fpn_proposals', inputs, attrs, {'FpnRois': 1, 'RoisNum': 1})
    if made.get('RoisNum') and made['RoisNum'][0] is not None:
        _counted(made['FpnRois'][0], made['RoisNum'][0])
    return made


def _without_small(deltas, anchors, variances, info, least):
    """Deltas of boxes where those narrower or lower than `least`, in units of the picture before it
    was scaled, have no size. `info` has height, width and scale of each picture.
    """
    places = anchors.shape[:3]
    given = deltas.transpose([0, 2, 3, 1]).reshape([-1, *places, 4])
    info = info.reshape([-1, 1, 1, 1, 3])
    size = anchors[..., 2:] - anchors[..., :2] + 1
    centre = anchors[..., :2] + size / 2
    wide = info[..., 1::-1]  # width and height
    half = paddle.exp(paddle.clip(variances[..., 2:] * given[..., 2:], max=math.log(1000 / 16)))
    half = half * size / 2
    middle = variances[..., :2] * given[..., :2] * size + centre
    first, last = middle - half, middle + half - 1
    zero = paddle.zeros_like(first)
    spans = [paddle.minimum(paddle.maximum(at, zero), wide - 1) for at in (first, last)]
    small = ((spans[1] - spans[0]) / info[..., 2:] + 1 < least).any(-1, keepdim=True)
    # In the middle of the picture, so that no border keeps them.
    inside = paddle.concat(
        [(wide / 2 - centre) / (size * variances[..., :2]), paddle.full_like(zero, -1e4)], -1
    )
    return paddle.where(small, inside, given).flatten(3).transpose([0, 3, 1, 2])


@rule('generate_proposals')
def _generate_proposals(inputs, attrs, append):
    (info,) = inputs['ImInfo']
    names = ('Scores', 'BboxDeltas', 'Anchors', 'Variances')
    scores, deltas, anchors, variances = first_of(inputs, *names)
    deltas = _without_small(deltas, anchors, variances, info, max(attrs['min_size'], 1.0))
    before, after, share, eta = (
        attrs[w] for w in 'pre_nms_topN post_nms_topN nms_thresh eta'.split()
    )
    made = paddle._C_ops.generate_proposals(
        scores, deltas, info[:, :2], anchors, variances, before, after, share, 1.0, eta, True
    )
    made = [_counted(made[0], made[2]), _counted(made[1], made[2]), made[2]]
    return dict(zip(('RpnRois', 'RpnRoiProbs', 'RpnRoisNum'), made))


@rule('fusion_gru')
def _fusion_gru(inputs, attrs, append):
    from paddle.static.nn.recurrent_rows import gru_rows

    x, wide, weight, bias, h0 = first_of(inputs, 'X', 'WeightX', 'WeightH', 'Bias', 'H0')
    offsets, words = _sequences('fusion_gru', x), ('activation', 'gate_activation', 'is_reverse')
    rest = [attrs[w] for w in words]
    return {'Hidden': gru_rows(x @ wide, offsets, weight, bias, h0, *rest, attrs['origin_mode'])}


@rule('multi_gru')
def _multi_gru(inputs, attrs, append):
    from paddle.static.nn.recurrent_rows import gru_rows

    (x,) = inputs['X']
    offsets, bias = _sequences('multi_gru', x), inputs.get('Bias') or []
    for layer in range(attrs.get('layers', 1)):
        x = paddle.concat(
            [
                gru_rows(
                    x @ inputs['WeightX'][k],
                    offsets,
                    inputs['WeightH'][k],
                    bias[k] if bias else None,
                    None,
                    attrs['activation'],
                    attrs['gate_activation'],
                    k % 2 == 1,
                    attrs['origin_mode'],
                )
                for k in (2 * layer, 2 * layer + 1)
            ],
            1,
        )
    return {'Hidden': x}


def _fused_lstm(rows, offsets, inputs, attrs):
    from paddle.static.nn.recurrent_rows import lstm_rows

    weight, bias = first_of(inputs, 'WeightH', 'Bias')
    kinds = [attrs[f'{w}_activation'] for w in ('gate', 'cell', 'candidate')]
    rest = attrs['is_reverse'], attrs['use_peepholes']
    made = lstm_rows(rows, offsets, weight, bias, first_of(inputs, 'H0', 'C0'), kinds, *rest)
    return dict(zip(('Hidden', 'Cell'), made))


@rule('fusion_lstm')
def _fusion_lstm(inputs, attrs, append):
    x, wide = first_of(inputs, 'X', 'WeightX')
    return _fused_lstm(x @ wide, _sequences('fusion_lstm', x), inputs, attrs)


@rule('fused_embedding_fc_lstm')
def _embedding_lstm(inputs, attrs, append):
    ids, table, bias = first_of(inputs, 'Ids', 'Embeddings', 'Bias')
    rows = paddle.gather(table, ids.reshape([-1]))  # which hold the bias of gates
    looks = paddle.concat(
        [paddle.zeros([1, table.shape[1]], bias.dtype), bias[:, table.shape[1] :]], 1
    )
    offsets = _sequences('fused_embedding_fc_lstm', ids)
    return _fused_lstm(rows, offsets, {**inputs, 'Bias': [looks]}, attrs)


@rule('attention_lstm')
def _attention_lstm(inputs, attrs, append):
    from paddle._sequence_ops import _activation
    from paddle.static.nn.recurrent_rows import Steps

    x, cell, hidden = first_of(inputs, 'X', 'C0', 'H0')
    weight, bias, scalar, shift = first_of(
        inputs, 'AttentionWeight', 'AttentionBias', 'AttentionScalar', 'AttentionScalarBias'
    )
    lstm, of_gates = first_of(inputs, 'LSTMWeight', 'LSTMBias')
    gate, of_cell, of_candidate = (
        _activation(attrs[f'{w}_activation']) for w in ('gate', 'cell', 'candidate')
    )
    width, size = x.shape[1], cell.shape[1]
    offsets = _sequences('attention_lstm', x)
    steps = Steps(x, offsets)
    seen = _beside(x, offsets)[0]
    first = paddle.matmul(seen, weight[:width]).squeeze(-1)
    first = first if bias is None else first + bias.reshape([])
    inside = paddle.arange(steps.count, dtype='int64').unsqueeze(0) < steps.lengths.unsqueeze(1)
    relu = paddle.nn.functional.relu

    def body(step, hidden, cell, outputs, cells):
        score = relu(first + cell @ weight[width:])
        if scalar is not None:
            score = score * scalar.reshape([])
            score = relu(score if shift is None else score + shift.reshape([]))
        score = paddle.where(inside, score, paddle.full_like(score, -1e30))
        share = paddle.nn.functional.softmax(score, -1)
        now = paddle.matmul(share.unsqueeze(1), seen).squeeze(1)
        gates = hidden @ lstm[:size] + now @ lstm[size:] + of_gates.reshape([-1])
        stays, enters, leaves, candidate = (gates[:, k * size : (k + 1) * size] for k in range(4))
        after = gate(stays) * cell + gate(enters) * of_candidate(candidate)
        there = steps.inside(step)
        hidden = paddle.where(there, gate(leaves) * of_cell(after), hidden)
        cell = paddle.where(there, after, cell)
        return hidden, cell, steps.put(outputs, step, hidden), steps.put(cells, step, cell)

    hidden = steps.zeros(size, x.dtype) if hidden is None else hidden
    empty = [steps.outputs(size, x.dtype) for _ in range(2)]
    made = steps.loop(body, hidden, cell, *empty)
    return {'Hidden': steps.back(made[2], size), 'Cell': steps.back(made[3], size)}


@rule('fusion_seqconv_eltadd_relu')
def _seqconv_relu(inputs, attrs, append):
    made = _sequence_conv(inputs, attrs, append)['Out'] + inputs['Bias'][0].reshape([-1])
    return {'Out': paddle.nn.functional.relu(made)}


def _pooled(inputs, attrs):
    from paddle.static.nn import sequence_pool

    return [unwrap(sequence_pool)(x, attrs.get('pooltype', 'SUM').lower()) for x in inputs['X']]


@rule('fusion_seqpool_concat')
def _seqpool_concat(inputs, attrs, append):
    out = paddle.concat(_pooled(inputs, attrs), attrs.get('axis', 1))
    return {'Out': _counted(out, paddle.ones_like(out[:, 0], 'int64'))}


@rule('fusion_seqpool_cvm_concat')
def _seqpool_cvm_concat(inputs, attrs, append):
    (cvm,) = inputs['CVM']
    made = [paddle._C_ops.cvm(x, cvm, attrs.get('use_cvm', True)) for x in _pooled(inputs, attrs)]
    out = paddle.concat(made, attrs.get('axis', 1))
    return {'Out': _counted(out, paddle.ones_like(out[:, 0], 'int64'))}


@rule('match_matrix_tensor')
def _match_matrix(inputs, attrs, append):
    x, y, w = first_of(inputs, 'X', 'Y', 'W')
    kinds = attrs.get('dim_t', 1)
    starts = [_sequences('match_matrix_tensor', v) for v in (x, y)]
    lengths = [s[1:] - s[:-1] for s in starts]
    left = paddle.matmul(x, w.reshape([w.shape[0], -1])).reshape([-1, kinds, w.shape[2]])
    counts = lengths[0] * lengths[1] * kinds
    offsets = paddle.concat([paddle.zeros([1], 'int64'), paddle.cumsum(counts)])
    owner = paddle.repeat_interleave(paddle.arange(paddle.shape(counts)[0], dtype='int64'), counts)
    at = paddle.arange(paddle.shape(owner)[0], dtype='int64') - paddle.gather(offsets, owner)
    (rows, columns), (first, second) = (
        [paddle.gather(v, owner) for v in lengths],
        [paddle.gather(s, owner) for s in starts],
    )
    kind, place = at // (rows * columns), at % (rows * columns)
    mine = paddle.gather_nd(left, paddle.stack([first + place // columns, kind], 1))
    out = (mine * paddle.gather(y, second + place % columns)).sum(-1, keepdim=True)
    lod.note(lod.program_of(x), out, [offsets])
    return {'Out': out, 'Tmp': left.reshape([-1, kinds * w.shape[2]])}


@rule('box_clip')
def _box_clip(inputs, attrs, append):
    boxes, sizes = first_of(inputs, 'Input', 'ImInfo')
    starts = _sequences('box_clip', boxes)
    images = paddle.arange(paddle.shape(starts)[0] - 1, dtype='int64')
    owner = paddle.repeat_interleave(images, starts[1:] - starts[:-1])
    high, wide = (paddle.round(sizes[:, k] / sizes[:, 2]) - 1 for k in (0, 1))
    most = paddle.gather(paddle.stack([wide, high, wide, high], 1), owner)
    kept = paddle.reshape(boxes, [-1, 4])
    return {'Output': paddle.maximum(paddle.minimum(kept, most), paddle.zeros_like(kept))}
