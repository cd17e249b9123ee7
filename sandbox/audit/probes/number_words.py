"""A whole number in English words."""

_SMALL = (  # noqa: SIM905 -- a table of words
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
_TENS = "_ _ twenty thirty forty fifty sixty seventy eighty ninety".split()  # noqa: SIM905
_MOST = 1_000_000


def in_words(value: int) -> str | None:
    """``forty-seven`` for 47; None for a million and more."""
    if value < 0:
        words = in_words(-value)
        return words and f"minus {words}"
    if value >= _MOST:
        return None
    for unit, name in ((1000, "thousand"), (100, "hundred")):
        if value >= unit:
            rest = in_words(value % unit) if value % unit else ""
            return f"{in_words(value // unit)} {name} {rest}".strip()
    if value < len(_SMALL):
        return _SMALL[value]
    tens, ones = divmod(value, 10)
    return f"{_TENS[tens]}-{_SMALL[ones]}" if ones else _TENS[tens]
