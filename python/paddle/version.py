# SPDX-License-Identifier: Apache-2.0
"""The version of this package and of the API it follows."""
full_version = '3.3.1'
major, minor, patch, rc = '3', '3', '1', '0'
cuda_version = cudnn_version = xpu_version = nccl_version = 'False'
commit = ''
with_pip_cuda_libraries = 'OFF'
is_tagged = True

__all__ = ['cuda', 'cudnn', 'nccl', 'show', 'xpu', 'xpu_xccl', 'xpu_xhpc']


def cuda():
    """'False': this build has no CUDA."""
    return cuda_version


def cudnn():
    """'False': this build has no cuDNN."""
    return cudnn_version


def nccl():
    """'False': this build has no NCCL."""
    return nccl_version


def xpu():
    """'False': this build has no XPU support."""
    return xpu_version


xpu_xccl = xpu_xhpc = xpu


def show():
    """Print the version."""
    print('full_version:', full_version)
    for name in ('major', 'minor', 'patch', 'rc'):
        print(f'{name}:', globals()[name])
    print('cuda:', cuda_version)
