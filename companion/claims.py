"""Compare a published number with a computed one."""


def verdict(printed: str, computed: float) -> str:
    """Return "agrees" if ``computed`` rounds to ``printed``, else "differs".

    Parameters
    ----------
    printed : str
        The number as published; its last digit determines the rounding unit.
    computed : float
        The number to compare.

    Examples
    --------
    >>> verdict("0.55", 0.5463), verdict("0.55", 0.5437), verdict("1e-3", 0.0014)
    ('agrees', 'differs', 'agrees')
    """
    mantissa, _, exponent = printed.lower().partition("e")
    digits = len(mantissa.partition(".")[2]) - int(exponent or 0)
    unit = 10.0**-digits
    return "agrees" if abs(computed - float(printed)) <= unit / 2 * (1 + 1e-9) else "differs"
