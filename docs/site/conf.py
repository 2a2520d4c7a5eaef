# SPDX-License-Identifier: Apache-2.0
"""Settings of Sphinx for the site that tools/docs.sh builds."""

project = "paddle"
author = "the authors"
extensions = ["myst_parser"]
html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_title = "paddle"
html_show_copyright = False
html_show_sphinx = False
html_copy_source = False
pygments_dark_style = "monokai"
myst_heading_anchors = 3
# Words in the texts of design that stand for places in the source are no pages.
suppress_warnings = ["myst.xref_missing"]
