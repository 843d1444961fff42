"""Minimum-cost mixtures over a polytope, with proven optimality gaps.

A mixture is a set of points of a polytope {v >= 0, sum v = 1, G v >= 0} whose weighted
mean is a given target; its cost is the mean entropy of the points.
:func:`mixproof.search.cheapest_mixture` finds one by column generation and bounds all
others by branch and bound. The file ``liftlib/exact.py`` checks the resulting proof
without a solver. This package is independent of privacy.

The modules in import order (each imports only from earlier ones): ``errors``,
``numerics``, ``checks``, ``limits``; ``lp`` (linear programs with certificates),
``proof``, ``polytope`` (vertices); ``constraints``,
``extension``, ``problem``; ``simplex``, ``sparse_vertices``, ``open_nodes``;
``restricted_master``, ``branch_and_bound`` and ``local``; ``search``.
"""
