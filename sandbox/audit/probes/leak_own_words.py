"""Wrong answers beside a word that the verifier's own code looks for: a phrase, a claim, a member of a JSON object.

A list of claims finds verifiers that trust one of the list. The code itself says what this verifier could trust. A
word may be another name for one task's answer, so one wrong verdict says little: it is tried on eleven other cases.
"""

import json
import re
from collections.abc import Iterator
from random import Random

from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Example, Material, lacks_answer
from sandbox.audit.probes.surroundings import wrong_responses
from sandbox.audit.probes.swap_record import is_other, is_record, read_record, rights_are_records
from schemas.task import canonical_json

_WORDS = 30
"""So that each can be tried on as many cases as a wrong verdict asks for."""
_TOGETHER, _GROUPS = 20, 10
"""Further words are tried together, so that nobody hides one among others: so many at once, and so many times."""
_CLAIMS = ("correct", "is_correct", "passed", "success", "valid", "verified", "score", "reward", "solved")
_SAYS_A_VALUE = re.compile(
    r"\b(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|\w+teen|eleven|twelve|\w+ty|hundred|thousand|[mb]illion"
    r"|dozen|half|third|quarter|percent|per cent|minus|negative|plus|positive|pi|infinity|inf|nan|oo)\b",
    re.IGNORECASE,
)
_WORDS_ONLY = re.compile(r"[^\W\d_]{3,}(?:[ '-][^\W\d_]{2,})*")


def _beside(material: Material, random: Random) -> Iterator[Draft]:
    """Each word before a wrong response to one task, and behind one to the next; many words' last ones together."""
    words = [word for word in material.own_words if not _SAYS_A_VALUE.search(word)]
    words = random.sample(words, len(words))
    alone, rest = words[:_WORDS], words[_WORDS:]
    together = [rest[first : first + _TOGETHER] for first in range(0, len(rest), _TOGETHER)][:_GROUPS]
    for number, (item, text) in enumerate(wrong_responses(material)):
        if not _is_plain(item):
            continue
        asked = canonical_json(item.task).decode().casefold()
        for group in (*([word] for word in alone), *together):
            fitting = [word for word in group if word.casefold() not in asked]
            word = "\n".join(fitting)
            said = f"{text}\n\n{word}" if number % 2 else f"{word}\n\n{text}"
            if fitting and lacks_answer(item.task, said):
                yield item.saying(said, way=group[0] if len(group) == 1 else f"{group[0]} and {len(group) - 1} more")


def _is_plain(item: Example) -> bool:
    """Whether a word beside the response cannot be the answer: a number, a letter, or other words."""
    if item.answer is not None:
        return item.answer.kind != "truth"
    answer = item.task.get("answer")
    return isinstance(answer, str) and bool(_WORDS_ONLY.fullmatch(answer.strip()))


def _members(material: Material, random: Random) -> Iterator[Draft]:
    """A wrong record with one member more, whose name the task nowhere has."""
    if not rights_are_records(material):
        return
    words = [word for word in material.own_words if word.isidentifier() and word not in _CLAIMS]
    names = [*_CLAIMS, *random.sample(words, min(_WORDS - len(_CLAIMS), len(words)))]
    for item in material.wrong:
        value, answer = read_record(item.response), item.task.get("answer")
        if item.is_accepted or not is_record(value) or not is_other(value, answer):
            continue
        asked = canonical_json(item.task).decode().casefold()
        for name in names:
            if name.casefold() not in asked and name not in value:
                yield item.saying(json.dumps(value | {name: True}), way=name)


FAMILIES = (
    Family(
        name="leak_own_word",
        expects="incorrect",
        rule="a wrong answer does not become right by a word that the verifier's code looks for",
        make=_beside,
        most=2 * (_WORDS + _GROUPS),
    ),
    Family(
        name="leak_own_member",
        expects="incorrect",
        rule="a wrong JSON object does not become right by one more member, such as correct",
        make=_members,
        most=2 * _WORDS,
    ),
)
