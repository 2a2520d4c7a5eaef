# SPDX-License-Identifier: Apache-2.0
"""Running saved models: Config says what to load and how, create_predictor gives a Predictor."""
from paddle.base.libpaddle import (PaddleDType as DataType, PaddleInferPredictor as Predictor, PaddleInferTensor as Tensor,
                                   PaddlePlace as PlaceType, PrecisionType, PredictorPool, create_predictor,
                                   get_num_bytes_of_data_type, get_version)

from .config import Config, XpuConfig

__all__ = ['Config', 'DataType', 'PlaceType', 'PrecisionType', 'Tensor', 'Predictor', 'create_predictor', 'get_version',
           'get_trt_compile_version', 'get_trt_runtime_version', 'get_num_bytes_of_data_type', 'PredictorPool', 'XpuConfig']


def get_trt_compile_version():
    """(0, 0, 0): built without TensorRT."""
    return 0, 0, 0


def get_trt_runtime_version():
    """(0, 0, 0): TensorRT is not used."""
    return 0, 0, 0
