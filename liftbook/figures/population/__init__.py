"""Designs and audits of sampled tables, judged by the distribution of the rows.

Parameters that the figures share:

laws : iterable of str
    Names of distributions that tables are drawn from, keys of ``LAWS``, ``AUDITED``, ``SHAPES`` or ``SET_LAWS``.
rows : iterable of int
    Numbers of independent rows of a table.
seeds : iterable of int
    One table for each seed, law and number of rows.
confidence, level : float
    Of designs for the population, and of intervals; in (0, 1).
"""
