"""Patterns of sentences: what each may become, and which of them a text is made of."""

import itertools
import re
from functools import lru_cache

from lecture_instructions.text import pieces, words

_PLACE = re.compile(r"\(([^()]*)\)|\[([^\[\]]*)\]")
_SPELLINGS = {"meters": "metres", "gray": "grey", "theater": "theatre", "harbor": "harbour"}
"""Words that count as the pattern's own: the other way to spell them."""
JOINTS = ("and", ";")


@lru_cache(maxsize=4096)
def expansions(form: str) -> tuple[str, ...]:
    """All that a form may become: of ``(a|b)`` one is taken, of ``[a|b]`` one or none."""
    parts, at = [], 0
    for found in _PLACE.finditer(form):
        parts.append((form[at : found.start()],))
        parts.append(tuple(found[1].split("|")) if found[1] is not None else ("", *found[2].split("|")))
        at = found.end()
    parts.append((form[at:],))
    return tuple(" ".join("".join(chosen).split()) for chosen in itertools.product(*parts))


def patterns_of(text: str, name: str, patterns: list[dict]) -> list[int] | None:
    """The numbers of the patterns that a text is made of, in its order; None where anything else stands in it."""
    known = {
        tuple(_tokens(made)): number
        for number, each in enumerate(patterns)
        for form in each["forms"]
        for made in expansions(form)
    }
    found: list[int] = []
    for sentence in filter(None, pieces(_untitled(_unquoted(text), name))):
        parts: list[list[str]] = [[]]
        for token in _tokens(sentence):
            if token in JOINTS:
                parts.append([])
            else:
                parts[-1].append(token)
        numbers = [known.get(tuple(part)) for part in parts]
        if None in numbers:
            return None
        found += numbers
    return found


def _tokens(sentence: str) -> list[str]:
    """Words and semicolons, without commas and the mark at the end: whatever else is there makes another word."""
    plain = re.sub(r"[.!]+$", "", sentence.strip()).replace(",", "").replace(";", " ; ").replace("’", "'").lower()
    return [_SPELLINGS.get(token, token) for token in plain.split()]


def _unquoted(text: str) -> str:
    is_quoted = len(text) > 2 and text[0] in '"“' and text[-1] in '"”'
    return text[1:-1] if is_quoted else text


def _untitled(text: str, name: str) -> str:
    """The text without a title, if that is the name of the place."""
    first, _, rest = text.partition("\n")
    is_title = first.strip().startswith("<<") and first.strip().endswith(">>") and words(first) == words(name)
    return rest if is_title else text
