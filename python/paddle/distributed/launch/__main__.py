# SPDX-License-Identifier: Apache-2.0
from .main import launch

launch()
