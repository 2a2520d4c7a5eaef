# SPDX-License-Identifier: Apache-2.0
"""Version of the package and of the libraries it was built with."""

__all__ = [
    'cuda',
    'cudnn',
    'nccl',
    'show',
    'xpu',
    'xpu_xre',
    'xpu_xccl',
    'xpu_xhpc',
    'tensorrt',
    'cuda_archs',
]

full_version = '3.3.1'
major, minor, patch = full_version.split('.')
rc = '0'
cuda_version = 'False'
cudnn_version = 'False'
hip = None
xpu_xre_version = 'False'
xpu_xccl_version = 'False'
xpu_xhpc_version = 'False'
is_tagged = True
nccl_version = '0'
xpu_version = 'False'
with_pip_cuda_libraries = 'OFF'
with_pip_tensorrt = 'OFF'
cinn_version = 'False'
tensorrt_version = 'None'
compiled_cuda_archs = []


commit = 'unknown'


def show():
    """Print the versions, and what of the package works on this machine.

    Returns:
        None.

    Examples:
        >>> import contextlib, io
        >>> with contextlib.redirect_stdout(io.StringIO()) as shown:
        ...     paddle.version.show()
        >>> paddle.version.full_version in shown.getvalue()
        True
    """
    from paddle.utils import report

    print('full_version:', full_version)
    print('major:', major)
    print('minor:', minor)
    print('patch:', patch)
    print('rc:', rc)
    print('cuda:', cuda_version)
    print('cudnn:', cudnn_version)
    print('hip:', hip)
    print('nccl:', nccl())
    print('xpu_xre:', xpu_xre_version)
    print('xpu_xccl:', xpu_xccl_version)
    print('xpu_xhpc:', xpu_xhpc_version)
    print('cinn:', cinn_version)
    print('tensorrt_version:', tensorrt_version)
    print('cuda_archs:', compiled_cuda_archs)
    print(report.text())


def cuda():
    """The CUDA version, 'False' without CUDA.

    Returns:
        str: the version.

    Examples:
        >>> isinstance(paddle.version.cuda(), str)
        True
    """
    return cuda_version


def cudnn():
    """The cuDNN version, 'False' without cuDNN.

    Returns:
        str: the version.

    Examples:
        >>> isinstance(paddle.version.cudnn(), str)
        True
    """
    return cudnn_version


def nccl():
    """The NCCL version, '0' without NCCL.

    Returns:
        str: the version.

    Examples:
        >>> isinstance(paddle.version.nccl(), str)
        True
    """
    return nccl_version


def xpu():
    """The XPU version, 'False' without XPU.

    Returns:
        str: the version.

    Examples:
        >>> paddle.version.xpu()
        'False'
    """
    return xpu_version


def xpu_xre():
    """The XRE version, 'False' without XPU.

    Returns:
        str: the version.

    Examples:
        >>> paddle.version.xpu_xre()
        'False'
    """
    return xpu_xre_version


def xpu_xccl():
    """The XCCL version, 'False' without XPU.

    Returns:
        str: the version.

    Examples:
        >>> paddle.version.xpu_xccl()
        'False'
    """
    return xpu_xccl_version


def xpu_xhpc():
    """The XHPC version, 'False' without XPU.

    Returns:
        str: the version.

    Examples:
        >>> paddle.version.xpu_xhpc()
        'False'
    """
    return xpu_xhpc_version


def tensorrt():
    """The TensorRT version, 'None' without TensorRT.

    Returns:
        str: the version.

    Examples:
        >>> paddle.version.tensorrt()
        'None'
    """
    return tensorrt_version


def cuda_archs():
    """Compute capabilities the package was compiled for.

    Returns:
        list of ints: the capabilities.

    Examples:
        >>> isinstance(paddle.version.cuda_archs(), list)
        True
    """
    return compiled_cuda_archs
