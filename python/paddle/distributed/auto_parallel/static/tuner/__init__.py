# SPDX-License-Identifier: Apache-2.0
"""Searches over settings: what may vary, and what was measured."""
