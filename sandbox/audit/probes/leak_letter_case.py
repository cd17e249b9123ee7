"""An instruction about capital letters, no longer followed."""

import re
from collections.abc import Iterator
from random import Random

from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Material

_ALL = r"(?:all|only|entire\w*|whole|exclusively|nothing but|no other)"
_CAPITALS = re.compile(r"\b(?:capital letters|capitals|upper[- ]?case)\b", re.IGNORECASE)
_SMALL = re.compile(r"\b(?:lower[- ]?case|small letters)\b", re.IGNORECASE)
_WHOLE_TEXT = re.compile(rf"\b{_ALL}\b", re.IGNORECASE)
_PART = re.compile(r"\b(?:begin|start|first|each|every|word|words|title|name|least|most|not|no|never)\b", re.IGNORECASE)
"""Words by which a sentence may speak of a part of the text, or of what must not be."""
_SENTENCE = re.compile(r"[^.!?\n]+")
_FEWEST_WORDS = 3
_WORD = re.compile(r"[^\W\d_]{2,}")


def make(material: Material, random: Random) -> Iterator[Draft]:
    """In Title Case, where a sentence of the question asks for the whole text in capitals, or in small letters."""
    del random
    for item in material.examples:
        text, prompt = item.text, item.task.get("prompt")
        if text is None or not isinstance(prompt, str) or len(_WORD.findall(text)) < _FEWEST_WORDS:
            continue
        asked = {name for name in ("upper", "lower") if _asks_for(prompt, name)}
        if (asked == {"upper"} and text.isupper()) or (asked == {"lower"} and text.islower()):
            yield item.saying(text.title(), note="in title case")


def _asks_for(prompt: str, which: str) -> bool:
    wanted = _CAPITALS if which == "upper" else _SMALL
    sentences = _SENTENCE.findall(prompt)
    return any(wanted.search(one) and _WHOLE_TEXT.search(one) and not _PART.search(one) for one in sentences)


FAMILY = Family(
    name="leak_letter_case",
    expects="incorrect",
    rule="where a question asks for the whole text in capitals, or in small letters, Title Case does not follow it",
    make=make,
)
