"""One test of many small things: to deal a test for each takes longer than the tests do."""


def each(things, name):
    """Return a decorator of a test of one thing, which makes it a test of all that names those that fail, and why."""

    def decorate(test):
        def of_all():
            faults = {}
            for thing in things:
                try:
                    test(thing)
                except Exception as fault:  # noqa: BLE001 - whatever it is, it is told with its thing's name
                    faults[name(thing)] = f"{type(fault).__name__}: {fault}"
            assert things
            assert not faults, "\n".join(f"{named}: {fault}" for named, fault in faults.items())

        of_all.__name__, of_all.__doc__, of_all.__module__ = test.__name__, test.__doc__, test.__module__
        return of_all

    return decorate
