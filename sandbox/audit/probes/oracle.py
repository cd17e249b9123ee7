"""The reference answer, in the form in which a labelled case writes answers."""

import re
from collections.abc import Iterator
from random import Random

from sandbox.audit.probes import answers
from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Material

_LONGEST_FORM = 40
# Digits, relations (x = {}, \pi \approx {}), single letters and mathematical commands belong to one task only.
_OF_ONE_TASK = re.compile(r"[\d=<>≈≤≥~^_|√π%‰°€£¥]|\\(?!boxed|text|[()\[\]$])|(?<![A-Za-z\\])[b-zB-HJ-Z](?![A-Za-z'’])")
_WORD = re.compile(r"[^\W\d_]+")
_OF_ANY_TASK = frozenset(
    ("a", "answer", "boxed", "correct", "final", "finally", "hence", "i", "is", "it", "my", "result", "so", "solution")
) | {"text", "the", "therefore", "thus"}
"""Other words may be a unit, or name what one question asks for: 95 metres are no seconds."""


def make(material: Material, random: Random) -> Iterator[Draft]:
    """Applies each short form (``#### {}``, ``\boxed{{}}``, bare) to other tasks' answers, and adds stated oracles."""
    forms = sorted({(place.before, place.after) for place in _short_places(material)})
    for task in material.tasks:
        stated = task.get("info", {}).get("oracle") if isinstance(task.get("info"), dict) else None
        if isinstance(stated, str):
            yield material.say(task, stated, note="info.oracle")
        elif forms and (answer := answers.read(task.get("answer"))) is not None and answer.kind == "number":
            before, after = random.choice(forms)
            yield material.say(task, f"{before}{answer.text}{after}")


def _short_places(material: Material) -> Iterator[answers.StatedAnswer]:
    """Where a whole response is an answer and its marker, with nothing in it that belongs to one task.

    The last of several messages is no such place: a transcript may owe its label to the calls before it.
    """
    for item, place, _ in material.numbered():
        acted = [message for message in item.messages or () if message.get("role") in ("assistant", "tool")]
        if len(acted) > 1:
            continue
        wrapping = place.before + place.after
        if item.is_accepted and len(place.spots) == 1 and _fits_any_task(wrapping):
            yield place


def _fits_any_task(wrapping: str) -> bool:
    """Whether these words and marks around an answer say nothing of what it is the answer to."""
    if len(wrapping) > _LONGEST_FORM or _OF_ONE_TASK.search(wrapping) or wrapping.count("$") % 2:
        return False
    return {word.lower() for word in _WORD.findall(wrapping)} <= _OF_ANY_TASK


FAMILY = Family(
    name="oracle",
    expects="correct",
    rule="the task's own answer, in the form of a response that is labelled correct",
    make=make,
)
