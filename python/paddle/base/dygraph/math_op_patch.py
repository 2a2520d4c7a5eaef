# SPDX-License-Identifier: Apache-2.0
"""How a pickled Tensor is made again."""


def _rebuild_tensor(data, dtype, device, requires_grad):
    """A tensor from the array a pickle holds; bfloat16 comes as uint16 bits."""
    import paddle

    tensor = paddle.to_tensor(data)
    if dtype.startswith('float8'):
        tensor = tensor.view('uint8').view(dtype)
    elif str(tensor.dtype) != 'paddle.' + dtype:
        tensor = tensor.astype(dtype)
    tensor.stop_gradient = not requires_grad
    return tensor
