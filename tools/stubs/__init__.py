# SPDX-License-Identifier: Apache-2.0
"""Type stubs (.pyi) of the whole package, made of what it is at run time and of the types that its
documentation gives in words. See docs/design/documentation.md.
"""
