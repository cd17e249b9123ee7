"""Right responses with another number in place of the answer, wherever they state it. One table of ways to be wrong."""

import re
from collections.abc import Callable, Iterator
from random import Random

from sandbox.audit.probes import wrong_numbers
from sandbox.audit.probes.answers import ReferenceAnswer, StatedAnswer, parse_number
from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Material

_PERCENT = re.compile(r"[\s$}]*(?:\\?%|per ?cent)", re.IGNORECASE)
Mutation = Callable[[ReferenceAnswer, Random], Iterator[str]]

_TABLE: tuple[tuple[str, str, Mutation], ...] = (
    ("leak_digit", "another leading digit is another number, beyond any tolerance", wrong_numbers.changed_digit),
    ("leak_sign", "the negative of a number that is not zero is another number", wrong_numbers.turned_sign),
    (
        "leak_off_by_one",
        "a whole number of at most 50 and its neighbour are different answers",
        wrong_numbers.off_by_one,
    ),
    ("leak_truncated", "a number that lost its last digits is another number", wrong_numbers.truncated),
    ("leak_superstring", "a number that contains the answer's digits is not the answer", wrong_numbers.superstring),
    ("leak_mixed", "a mixed number is neither its whole part nor its numerator", wrong_numbers.mixed),
    ("leak_unit_scale", "ten, a hundred or a thousand times the answer is another number", wrong_numbers.wrong_scale),
)


def _maker(mutate: Mutation) -> Callable[[Material, Random], Iterator[Draft]]:
    def make(material: Material, random: Random) -> Iterator[Draft]:
        for item, place, answer in material.numbered():
            for wrong in mutate(answer, random):
                if not _is_same_in_percent(place, answer, wrong):
                    yield item.saying(place.with_answer(wrong), note=f"{answer.text} -> {wrong}")

    return make


def _is_same_in_percent(place: StatedAnswer, answer: ReferenceAnswer, wrong: str) -> bool:
    """5000 % is 50."""
    value = parse_number(wrong)
    is_share = any(_PERCENT.match(place.response, spot.end) for spot in place.spots)
    return is_share and value is not None and answer.value is not None and value == 100 * answer.value


FAMILIES = tuple(
    Family(name=name, expects="incorrect", rule=rule, make=_maker(mutate)) for name, rule, mutate in _TABLE
)
