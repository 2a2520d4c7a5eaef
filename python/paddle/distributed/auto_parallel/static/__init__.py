# SPDX-License-Identifier: Apache-2.0
"""What planning of distributed programs asks of machines and operations."""
