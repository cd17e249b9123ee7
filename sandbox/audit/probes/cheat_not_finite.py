"""Results that make comparisons go wrong."""

from collections.abc import Iterator
from random import Random

from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Material

_CHEATS = {
    "nan": ("", "return float('nan')"),
    "a list of nan": ("", "return [float('nan')]"),
    "infinity": ("", "return float('inf')"),
    "complex nan": ("", "return complex('nan')"),
    "itself in a list": ("", "result = []\nresult.append(result)\nreturn result"),
}


def make(material: Material, random: Random) -> Iterator[Draft]:
    """Under the names of a right program, in its wrapping."""
    del random
    for item, program in material.programs:
        for title, (preamble, body) in _CHEATS.items():
            yield Draft(item.task, program.same_names(body, preamble), note=title)


FAMILY = Family(
    name="cheat_not_finite",
    expects="incorrect",
    rule="not a number, infinity and nothing at all are not the value asked for",
    make=make,
)
