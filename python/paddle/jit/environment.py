# SPDX-License-Identifier: Apache-2.0
"""Environment variables that say how functions marked with `to_static` are compiled."""

from paddle.utils.environments import BooleanEnvironmentVariable, IntegerEnvironmentVariable

# Read when a function is marked: regions rather than whole graphs; how much is logged.
FALL_BACK = BooleanEnvironmentVariable('ENABLE_FALL_BACK', True)
LOG_LEVELS = tuple(
    IntegerEnvironmentVariable(name, 0) for name in ('TRANSLATOR_VERBOSITY', 'SOT_LOG_LEVEL')
)
# Read when a function is converted.
CODE_LEVEL = IntegerEnvironmentVariable('TRANSLATOR_CODE_LEVEL', -1)
# Read when a call is recorded: whether what varies is left free.
DYNAMIC_SHAPE = BooleanEnvironmentVariable('SOT_ALLOW_DYNAMIC_SHAPE', True)
# Read once: operations that make a region; whether functions that are left as they are raise.
MIN_GRAPH_SIZE = IntegerEnvironmentVariable('MIN_GRAPH_SIZE', 4)
STRICT_MODE = BooleanEnvironmentVariable('STRICT_MODE', False)
