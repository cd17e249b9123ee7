"""Answers that are words or codes: near-miss strings, parts of the answer, longer ones around it."""

import re
from collections.abc import Callable, Iterator
from random import Random

from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Example, Material

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_-]{4,}")
_FAR = "qxzwkj"


def _near_miss(answer: str, random: Random) -> str:
    """One letter in the middle is replaced by one that looks and sounds different."""
    place = random.randrange(1, len(answer) - 1)
    letter = random.choice([char for char in _FAR if char != answer[place].lower()])
    return answer[:place] + letter + answer[place + 1 :]


def _part(answer: str, random: Random) -> str:
    """The first half, or the last."""
    half = len(answer) // 2
    return random.choice((answer[:half], answer[half:]))


def _longer(answer: str, random: Random) -> str:
    """The answer's letters inside a longer word."""
    extra = "".join(random.choices(_FAR, k=3))
    return random.choice((extra + answer, answer + extra))


def turned(answer: str, random: Random) -> str:
    """The same letters in another order, turned so that most of them stand in another place."""
    letters = "".join(random.sample(answer, len(answer)))
    turns = [letters[at:] + letters[:at] for at in range(len(letters))]
    return max(turns, key=lambda one: _moved(one, answer))


def _moved(letters: str, answer: str) -> int:
    return sum(one.casefold() != other.casefold() for one, other in zip(letters, answer, strict=True))


def stated_words(material: Material) -> Iterator[tuple[Example, str]]:
    """Responses that say a one-word answer once.

    None when right responses spell it differently, because spelling is then free.
    """
    if not material.answer_decides:
        return
    found = []
    for item in material.examples:
        answer = item.task.get("answer")
        if item.text is None or item.answer is not None or not isinstance(answer, str) or not _WORD.fullmatch(answer):
            continue
        if answer.casefold() not in item.text.casefold():
            return
        if item.text.count(answer) == 1:
            found.append((item, answer))
    yield from found


def _maker(change: Callable[[str, Random], str]) -> Callable[[Material, Random], Iterator[Draft]]:
    def make(material: Material, random: Random) -> Iterator[Draft]:
        for item, answer in stated_words(material):
            wrong = change(answer, random)
            if wrong.casefold() != answer.casefold():  # all letters of a word may be one
                yield item.saying((item.text or "").replace(answer, wrong), note=f"{answer} -> {wrong}")

    return make


_TABLE = (
    ("leak_near_miss", "a word with another letter in it is another word", _near_miss),
    ("leak_substring", "half of a word is not the word", _part),
    ("leak_longer_word", "a longer word that contains the answer's letters is another word", _longer),
    ("leak_anagram", "a word with its letters in another order is another word", turned),
)
FAMILIES = tuple(
    Family(name=name, expects="incorrect", rule=rule, make=_maker(change)) for name, rule, change in _TABLE
)
