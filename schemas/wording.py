"""Small pieces of messages that all parts use: a number with its noun, and suggestions for mistyped names."""

import difflib
from collections.abc import Iterable

_REORDERING = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)])


def without_reordering(text: str) -> str:
    """``text`` without the characters that turn the direction of what follows them.

    For one line of a stranger's words inside somebody else's: in a link's preview or a feed reader they would turn
    the words around them too. Letters that are written from right to left need none of them. Markup stays markup.
    """
    return text.translate(_REORDERING)


def noun(count: int, one: str, many: str | None = None) -> str:
    """``one`` for 1, else the plural: ``many``, or ``one`` with an s (a final y after a consonant becomes ies)."""
    if count == 1:
        return one
    if many is None:
        many = f"{one[:-1]}ies" if one.endswith("y") and one[-2:-1] not in "aeiou" else f"{one}s"
    return many


def counted(count: int, one: str, many: str | None = None) -> str:
    """``1 case``, ``2 cases``, ``3 dependencies``."""
    return f"{count} {noun(count, one, many)}"


def uncapitalised(sentence: str) -> str:
    """The sentence as it stands after a colon: its first letter small, unless the first word is all capitals."""
    first = sentence.partition(" ")[0]
    return sentence if len(first) > 1 and first.isupper() else sentence[:1].lower() + sentence[1:]


def suggestion(name: str, known: Iterable[str]) -> str:
    """``did you mean 'X'?``; empty when no name is similar to ``name``."""
    close = difflib.get_close_matches(name, list(known), n=1)
    return f"did you mean {close[0]!r}?" if close else ""


def nearest(name: str, known: Iterable[str], *, what: str = "there are") -> str:
    """The :func:`suggestion`, or the list of all names when none is similar to ``name``."""
    names = list(known)
    return suggestion(name, names) or f"{what} {', '.join(names) or 'none'}"
