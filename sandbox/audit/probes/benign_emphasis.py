"""Markdown emphasis around the answer."""

import re
from collections.abc import Iterator
from random import Random

from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Material


def _is_running_text(before: str) -> bool:
    """Words lead up to the answer, on the same line and without a marker that wants a bare value.

    Markers: ``####``, ``:``, ``**Answer:**``.
    """
    line = before.rsplit("\n", 1)[-1]
    is_marked = "#" in line or line.rstrip(" *_").endswith(":")
    return line.endswith(" ") and len(re.findall(r"[A-Za-z]{2,}", line)) >= 2 and not is_marked


def make(material: Material, random: Random) -> Iterator[Draft]:
    """Only where form cannot matter: one reward decides, and it is about the answer."""
    if not material.judges_only_the_answer:
        return
    for item in material.stated_and_accepted:
        place = item.place
        if place is None or not _is_running_text(place.before) or "\\" in place.before[-12:] or "$" in place.response:
            continue
        mark = random.choice(("**", "*", "__"))
        yield item.saying(place.before + mark + place.spots[-1].text + mark + place.after)


FAMILY = Family(
    name="benign_emphasis",
    expects="correct",
    rule="bold or italic type does not change a value in running text",
    make=make,
)
