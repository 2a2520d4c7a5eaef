# SPDX-License-Identifier: Apache-2.0
"""Sparse tensors in coordinate (COO) and compressed row (CSR) form."""

from paddle import _lazy

_TABLE = _lazy.homes(
    {
        '.creation': 'sparse_coo_tensor sparse_csr_tensor',
        '.unary': 'sin tan asin atan sinh tanh asinh atanh sqrt square log1p abs pow pca_lowrank '
        'cast neg deg2rad rad2deg expm1 coalesce reshape isnan slice sum transpose',
        '.binary': 'mv matmul mask_as masked_matmul add subtract multiply divide is_same_shape',
        '.multiary': 'addmm',
    }
)
__all__ = list(_TABLE)

_lazy.install(globals(), 'paddle.sparse', _TABLE, ('nn', 'creation', 'unary', 'binary', 'multiary'))
