"""Designs and audits of sampled tables, judged by the distribution of the rows.

Parameters that the figures share:

laws : iterable of str
    Names of the distributions from which tables are drawn, keys of ``LAWS``,
    ``AUDITED``, ``SHAPES`` or ``SET_LAWS``.
rows : iterable of int
    Numbers of independent rows in a table.
seeds : iterable of int
    Seeds; one table is drawn for each seed, law and number of rows.
confidence, level : float
    Confidence of designs for the population, and level of intervals; in (0, 1).
"""
