"""One test of many small things."""


def each(things, name):
    """Return a decorator that runs a test over many things and names those
    that fail.
    """

    def decorate(test):
        def of_all():
            faults = {}
            for thing in things:
                try:
                    test(thing)
                except Exception as fault:  # noqa: BLE001
                    faults[name(thing)] = f"{type(fault).__name__}: {fault}"
            assert things
            assert not faults, "\n".join(
                f"{named}: {fault}" for named, fault in faults.items()
            )

        of_all.__name__, of_all.__doc__, of_all.__module__ = (
            test.__name__,
            test.__doc__,
            test.__module__,
        )
        return of_all

    return decorate
