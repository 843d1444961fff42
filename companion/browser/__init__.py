"""The files with which pages run in the browser: Python, charts and the library."""
