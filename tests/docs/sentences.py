"""The sentences of a page of docs, as a reader meets them: tables, code and quoted text apart."""

import re

_FENCE = re.compile(r"^ *```.*?^ *```$", re.DOTALL | re.MULTILINE)
_NO_PROSE = re.compile(r"^ *(\||>|#|<!--|!\[)")
_ITEM = re.compile(r"^ *([-*]|\d+\.) +")
_ONE_WORD = (
    re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL),
    re.compile(r'"[^"]+"|“[^”]+”'),
    re.compile(r"\]\([^)]*\)"),
)
"""Code, quoted text, and the target of a link."""
_NAMES = re.compile(r"`code`(?:(?:,| and|, and) `code`)+")
"""A list of names in code: it counts as one word, too."""
_END = re.compile(r"""(?<=[.!?])(?:[*_)\]”"']*)\s+(?=[^a-z])""")
_SHORT = re.compile(r"\b(e\.g|i\.e|etc|vs|cf|al|Fig|No)\.")


def sentences_of(page: str) -> list[str]:
    """Each sentence of ``page``; an item of a list or a paragraph ends one, whatever stands at its end."""
    return [sentence for text in _paragraphs(page) for sentence in _END.split(_plain(text)) if sentence.strip()]


def words_in(sentence: str) -> int:
    """How many words ``sentence`` has: parts between blanks that hold a letter or a digit."""
    return sum(any(sign.isalnum() for sign in word) for word in sentence.split())


def _paragraphs(page: str) -> list[str]:
    found = [""]
    for line in _FENCE.sub("", page).splitlines():
        if not line.strip() or _NO_PROSE.match(line):
            found.append("")
        elif _ITEM.match(line):
            found.append(_ITEM.sub("", line))
        else:
            found[-1] += " " + line.strip()
    return [text for text in found if text.strip()]


def _plain(text: str) -> str:
    code, quoted, target = _ONE_WORD
    text = target.sub("]", quoted.sub("“quoted”", _NAMES.sub("`code`", code.sub("`code`", text))))
    return _SHORT.sub(r"\1", text)
