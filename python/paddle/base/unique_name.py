# SPDX-License-Identifier: Apache-2.0
"""`paddle.base.unique_name` is `paddle.utils.unique_name`."""

import sys

from paddle.utils import unique_name

sys.modules[__name__] = unique_name
