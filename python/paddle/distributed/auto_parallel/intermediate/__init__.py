# SPDX-License-Identifier: Apache-2.0
"""Plans that divide a model written for one process."""
