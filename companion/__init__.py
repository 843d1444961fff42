"""Sphinx extensions and build steps for a book whose pages run in the browser.

Nothing here knows what the book is about. A book lists the extensions that it uses and says in its configuration what
they need to know of it; ``companion new my-paper`` writes a whole book of two pages. The first line to write is one of
``conf.py``, or of ``_config.yml`` for Jupyter Book::

    extensions = ["myst_nb", "companion.sphinx.folding", "companion.sphinx.glossary"]

The modules, each of which imports only from those before it:

- ``errors``; ``sealing`` (answers as salted hashes);
- ``claims`` (judge a printed number); ``exercises`` (check a reader's answer) and ``solutions`` (what a notebook asks
  in a solution's place); ``outputs`` (figures as SVG with their panels and rows, tables of pandas, short numbers);
- ``parameters`` (what a book says of its chapters' parameters), ``project`` (where the project is, and its pages),
  ``sockets`` (kernels that nobody else can reach), ``chromium``, ``formatting`` (the code of chapters);
- ``executing`` (chapters side by side) and ``browser`` (what pages run with: Pyodide, Vega-Lite, a small shell);
- ``sphinx`` (the extensions) and ``pdf`` (the book on paper);
- ``course`` (slides, notebooks and graded assignments) and ``rerunning`` (a page with other parameters).

The values that a book may set are listed in ``companion.sphinx.settings``. Directives, and classes in the pages' HTML,
begin with ``lift-``, the name of the book that this was written for.
"""
