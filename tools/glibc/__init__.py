# SPDX-License-Identifier: Apache-2.0
"""Builds for systems older than this one: stubs of its C library for the linker."""
