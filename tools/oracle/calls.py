# SPDX-License-Identifier: Apache-2.0
"""The calls of the differential run: rows of all families (how to read a row: call_samples.py)."""

import call_samples
import calls_array
import calls_layers
import calls_math
import calls_nn
import calls_state
import calls_vision

TABLE = call_samples.Table()
for _module in (calls_math, calls_array, calls_nn, calls_vision, calls_state, calls_layers):
    _module.add_rows(TABLE.row)
CALLS = TABLE.calls
