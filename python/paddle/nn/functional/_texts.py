# SPDX-License-Identifier: Apache-2.0
"""What functions and layers both say of their arguments."""

# Of pooling.
WINDOW = """
    kernel_size (int or list of ints): The extents of the window.
    stride (int or list of ints, default None): From one window to the next; None for the
        extents of the window.
    padding (int, list of ints or str, default 0): What is added on each side, or `SAME` or
        `VALID`.
    ceil_mode (bool, default False): Whether the last, partial window counts.
    exclusive (bool, default True): Whether padding is left out of the mean.
    divisor_override (float, default None): What sums are divided by; None for the size of the
        window.
    return_mask (bool, default False): Whether the places of the maxima are returned too.
    output_size (int or list of ints, default None): The extents of the result; None for the
        smallest that fit.
    name (str, default None): Taken for compatibility; it has no effect.
"""

# Of adaptive pooling that finds maxima.
ADAPTIVE = """
    output_size (int or list of ints): The extents of the result; None keeps an axis as it is.
    return_mask (bool, default False): Whether the places of the maxima are returned too. Also
        `return_indices`.
    name (str, default None): Taken for compatibility; it has no effect.
"""

# Of `interpolate`.
RESIZED = """
    size (int, list of ints or Tensor, default None): The spatial extents of the result.
    scale_factor (float, list of floats or Tensor, default None): How many times as large the
        result is, where size is not given.
    mode (str, default 'nearest'): `nearest`, `linear` (3-D), `bilinear`, `bicubic` (4-D),
        `trilinear` (5-D) or `area`.
    align_corners (bool, default False): Whether the centres of the corner elements coincide,
        rather than the corners.
    align_mode (int, default 0): For bilinear resizing without align_corners: 0 counts from the
        centres of elements, 1 from their corners.
    data_format (str, default None): The order of axes; None for channels first.
    recompute_scale_factor (bool, default None): Whether the factor is computed again from the
        extents of the result.
    antialias (bool, default False): Whether values are averaged where the result is smaller.
    name (str, default None): Taken for compatibility; it has no effect.
"""
