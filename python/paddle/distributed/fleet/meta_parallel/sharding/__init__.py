# SPDX-License-Identifier: Apache-2.0
"""Training whose optimizer state, gradients and parameters processes divide among them."""
