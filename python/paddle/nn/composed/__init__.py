# SPDX-License-Identifier: Apache-2.0
"""Ops written with other ops, argument for argument like the ops they stand for; differentiable to
any order.
"""
