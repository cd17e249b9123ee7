"""A program in a language that was not asked for."""

from collections.abc import Iterator
from random import Random

from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Material

_PROGRAMS = (
    "int solve(int n) {{ return n; }}",
    "function {name}(x) {{ return x; }}",
    "fn {name}(x: i64) -> i64 {{ x }}",
    "SELECT * FROM {name};",
)


def make(material: Material, random: Random) -> Iterator[Draft]:
    """In the wrapping of a right program, so that only the language is wrong."""
    if material.wants_code:
        for item, program in material.programs:
            yield Draft(item.task, program.with_code(random.choice(_PROGRAMS).format(name=program.functions[0]) + "\n"))


FAMILY = Family(
    name="wrong_language",
    expects="incorrect",
    rule="it is not Python, and the labelled solutions are",
    make=make,
)
