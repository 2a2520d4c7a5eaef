# SPDX-License-Identifier: Apache-2.0
"""`python -m paddle`: what of the package works on this machine, and whether it does."""

from paddle.utils import run_check

run_check()
