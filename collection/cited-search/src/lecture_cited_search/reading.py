"""Which value an answer states. Beside it stand words of the question, words that tell such a value, and no others."""

import re

from lecture_cited_search.model import World

LONGEST = 200
_PLAIN = frozenset(
    "a an and answer are article at built by called captain designer from founded has have home in is it its lies live "
    "long mayor meters metres name named of on people inhabitants person port river since so that the there they town "
    "was were which who year".split()
)
_OTHER_MARK = re.compile(r"""[^\w\s.,:;'"“”‘’()\[\]*`#-]|--""")
"""Any mark but those that stand around a value: it may deny or change it (``≠ 1762``, ``1762 ❌``)."""
_NUMBER = re.compile(r"(?<![\w.,-])(?:\d{1,3}(?:[,\u202f' ]\d{3})+|\d+)(?:\.0+)?(?![\w]|[.,]\d)")


def stated_value(world: World, text: object) -> str | None:
    """The one value that ``text`` states, as articles write it; None where it states none, several or doubts."""
    if not isinstance(text, str) or len(text) > LONGEST or _OTHER_MARK.search(text):
        return None
    plain = " ".join(re.sub(r"[*_`\"“”]", " ", text).split())
    numbers = {re.sub(r"\D", "", re.sub(r"\.0+\Z", "", found)) for found in _NUMBER.findall(plain)}
    rest, named = _names_in(world, _NUMBER.sub(" ", plain))
    if world.kind != "name":
        asked = _names_in(world, world.prompt)[1]
        named = {name for name in named if name not in asked} or named
    allowed = _PLAIN | _words(world.prompt) | _words(world.wording)
    if _words(rest) - allowed or re.search(r"\d", rest):
        return None
    found = numbers if world.kind in ("year", "number") else named
    if len(found) != 1 or (world.kind not in ("year", "number") and numbers):
        return None
    [value] = found
    return f"{int(value):,}" if world.kind == "number" else value


def _names_in(world: World, text: str) -> tuple[str, set[str]]:
    """The text without the names, and the names; of a person the last name is enough, of a bridge the first."""
    known = {name.casefold(): name for name in world.names}
    for name in world.names:
        first, _, last = name.rpartition(" ")
        known.setdefault((first if last == "Bridge" else last).casefold(), name)
    pattern = "|".join(sorted(map(re.escape, known), key=len, reverse=True))
    found: set[str] = set()

    def taken(match: re.Match[str]) -> str:
        found.add(known[match.group().casefold()])
        return " "

    return re.sub(rf"\b(?:{pattern})\b", taken, text, flags=re.IGNORECASE), found


def _words(text: str) -> set[str]:
    return set(re.findall(r"[^\W\d_]+", text.casefold()))
