"""The files that pages run with in the browser: Python, charts, the library."""
