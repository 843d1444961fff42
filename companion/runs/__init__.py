"""Run any page of any book: once, over a grid, and compare what comes of it.

- ``kernel``: a page in a kernel of its own, and every way in which that can end;
- ``digests``: what ran, and whether it is what the book has published;
- ``book``: a book's pages and settings; ``layout``: a run as a page of the book;
- ``results``, ``folders``, ``record``: what a run leaves behind;
- ``running``: one run; ``workers``, ``grids``, ``sweeping``: many;
- ``collecting``, ``comparing``, ``reporting``: their rows in one frame, two side by
  side, all on one page;
- ``commands``: the same for the command line.
"""
