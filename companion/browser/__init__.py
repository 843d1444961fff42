"""The files with which pages run in the browser: Python and the library."""
