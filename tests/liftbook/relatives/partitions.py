"""All partitions of a few symbols, one by one: what the mergings are held against."""

from asked import partitions

import liftlib as ll


def best_by_hand(joint, notion):
    """Return the largest I(X;Y) of the partitions that keep a notion, and
    their count.
    """
    n = joint.n_public
    every = [ll.Channel.merge(one, n) for one in partitions(list(range(n)))]
    kept = (
        ll.evaluate(joint, one).mutual_information
        for one in every
        if notion.is_satisfied(joint, one)
    )
    return max(kept), len(every)
