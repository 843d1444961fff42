"""Sphinx extensions and build steps for a book whose pages run in the browser.

The package is independent of the book's subject. A book lists the extensions that it uses and sets their options in its
configuration, ``conf.py`` or, for Jupyter Book, ``_config.yml``; ``companion new my-paper`` writes a complete book of
two pages. For example::

    extensions = ["myst_nb", "companion.sphinx.folding", "companion.sphinx.glossary"]

The modules, each of which imports only from those before it:

- ``errors``; ``sealing`` (answers as salted hashes);
- ``claims`` (compare a published with a computed number); ``exercises`` (check a reader's answer) and ``solutions``
  (notebook cells that replace solutions); ``outputs`` (figures as SVG with panels and data, pandas tables, numbers);
- ``parameters`` (the declared parameters of chapters), ``project`` (the project's root and the book's pages),
  ``sockets`` (kernels with private sockets), ``chromium``, ``formatting`` (the code of chapters);
- ``executing`` (chapters in parallel) and ``browser`` (Pyodide, Vega-Lite and a small shell for running pages);
- ``sphinx`` (the extensions) and ``pdf`` (the book as a PDF);
- ``course`` (slides, notebooks and graded assignments) and ``rerunning`` (a page with other parameters).

``companion.sphinx.settings`` lists the shared configuration values. The names of directives and of CSS classes begin
with ``lift-``, after the book for which the package was written.
"""
