"""Sphinx: pages from docs/*.md, the Python interface from its docstrings."""
import relucover

project = "relucover"
author = "the relucover authors"
release = relucover.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
source_suffix = {".md": "markdown"}
html_theme = "furo"
html_title = "relucover"
myst_heading_anchors = 3
autodoc_member_order = "bysource"
# Links to sources and headers are for those who read the repository.
suppress_warnings = ["myst.xref_missing"]
