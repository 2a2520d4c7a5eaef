# SPDX-License-Identifier: Apache-2.0
"""Windows for spectral analysis."""

import math

import numpy as np

import paddle

__all__ = ['get_window']


def _cosines(m, coefficients):
    fac = np.linspace(-math.pi, math.pi, m)
    return sum(c * np.cos(k * fac) for k, c in enumerate(coefficients))


def _general_hamming(m, alpha):
    return _cosines(m, [alpha, 1.0 - alpha])


def _triang(m):
    n = np.arange(1, (m + 1) // 2 + 1)
    if m % 2 == 0:
        half = (2 * n - 1.0) / m
        return np.concatenate([half, half[::-1]])
    half = 2 * n / (m + 1.0)
    return np.concatenate([half, half[-2::-1]])


def _bohman(m):
    fac = np.abs(np.linspace(-1, 1, m)[1:-1])
    inner = (1 - fac) * np.cos(math.pi * fac) + 1.0 / math.pi * np.sin(math.pi * fac)
    return np.concatenate([[0.0], inner, [0.0]])


def _gaussian(m, std):
    n = np.arange(m) - (m - 1.0) / 2.0
    return np.exp(-(n**2) / (2 * std * std))


def _general_gaussian(m, p, sig):
    n = np.arange(m) - (m - 1.0) / 2.0
    return np.exp(-0.5 * np.abs(n / sig) ** (2 * p))


def _exponential(m, center=None, tau=1.0):
    center = (m - 1) / 2 if center is None else center
    return np.exp(-np.abs(np.arange(m) - center) / tau)


def _tukey(m, alpha=0.5):
    if alpha <= 0:
        return np.ones(m)
    if alpha >= 1:
        return _general_hamming(m, 0.5)
    n = np.arange(m)
    width = int(math.floor(alpha * (m - 1) / 2.0))
    first, middle, last = n[: width + 1], n[width + 1 : m - width - 1], n[m - width - 1 :]
    a = 0.5 * (1 + np.cos(math.pi * (-1 + 2.0 * first / alpha / (m - 1))))
    c = 0.5 * (1 + np.cos(math.pi * (-2.0 / alpha + 1 + 2.0 * last / alpha / (m - 1))))
    return np.concatenate([a, np.ones(middle.shape), c])


def _taylor(m, nbar=4, sll=30, norm=True):
    b = 10 ** (sll / 20)
    a = np.arccosh(b) / math.pi
    s2 = nbar**2 / (a**2 + (nbar - 0.5) ** 2)
    ma = np.arange(1, nbar)
    fm = np.empty(nbar - 1)
    signs = np.empty_like(ma)
    signs[::2], signs[1::2] = 1, -1
    m2 = ma * ma
    for i in range(len(ma)):
        top = signs[i] * np.prod(1 - m2[i] / s2 / (a**2 + (ma - 0.5) ** 2))
        below = 2 * np.prod(1 - m2[i] / m2[:i]) * np.prod(1 - m2[i] / m2[i + 1 :])
        fm[i] = top / below

    def weight(n):
        return 1 + 2 * np.dot(fm, np.cos(2 * math.pi * ma[:, None] * (n - m / 2.0 + 0.5) / m))

    w = weight(np.arange(m))
    return w / weight((m - 1) / 2.0) if norm else w


_MAKERS = {
    'hamming': lambda m: _general_hamming(m, 0.54),
    'hann': lambda m: _general_hamming(m, 0.5),
    'blackman': lambda m: _cosines(m, [0.42, 0.50, 0.08]),
    'nuttall': lambda m: _cosines(m, [0.3635819, 0.4891775, 0.1365995, 0.0106411]),
    'cosine': lambda m: np.sin(math.pi / m * (np.arange(m) + 0.5)),
    'triang': _triang,
    'bohman': _bohman,
    'bartlett': lambda m: np.bartlett(m),
    'kaiser': lambda m, beta=12.0: np.kaiser(m, beta),
    'gaussian': _gaussian,
    'general_gaussian': _general_gaussian,
    'exponential': _exponential,
    'tukey': _tukey,
    'taylor': _taylor,
    'general_cosine': lambda m, a: _cosines(m, a),
    'general_hamming': _general_hamming,
}


def get_window(window, win_length, fftbins=True, dtype='float64'):
    """A window for spectral analysis.

    Args:
        window (str or tuple): The name, or (name, parameters): `hamming`, `hann`, `blackman`,
            `nuttall`, `cosine`, `triang`, `bohman`, `bartlett`, `kaiser` (beta), `gaussian` (std),
            `general_gaussian` (p, sig), `exponential` (center, tau), `tukey` (alpha), `taylor`
            (nbar, sll, norm), `general_cosine` (coefficients) or `general_hamming` (alpha).
        win_length (int): How many values it has.
        fftbins (bool, default True): Whether it is periodic, for transforms; otherwise symmetric.
        dtype (str, default 'float64'): The dtype of the result.

    Returns:
        Tensor: of shape [win_length].

    Raises:
        ValueError: An unknown name, or a name that needs parameters.

    Examples:
        >>> paddle.audio.functional.get_window("hann", 4).tolist()
        [0.0, 0.5, 1.0, 0.5]
        >>> paddle.audio.functional.get_window(("gaussian", 1.0), 3, fftbins=False).tolist()
        [0.6065306597126334, 1.0, 0.6065306597126334]
    """
    if isinstance(window, tuple):
        name, args = window[0], window[1:]
    elif isinstance(window, str):
        if window in ('gaussian', 'general_gaussian', 'general_cosine', 'general_hamming'):
            raise ValueError(
                f"[get_window] expected ({window!r}, parameters...), got the name alone"
            )
        name, args = window, ()
    else:
        raise ValueError(
            "[get_window] expected a name or a tuple of a name and parameters, got "
            f"{type(window).__name__}"
        )
    if name not in _MAKERS:
        raise ValueError(f"[get_window] expected one of {sorted(_MAKERS)}, got {name!r}")
    if win_length <= 1:
        return paddle.ones([max(win_length, 0)], dtype=dtype)
    values = _MAKERS[name](win_length + 1 if fftbins else win_length, *args)
    return paddle.to_tensor(np.ascontiguousarray(values[:-1] if fftbins else values), dtype=dtype)
