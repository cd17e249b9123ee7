"""A wrong answer without the form that the package wants around answers of suites."""

from collections.abc import Iterator
from random import Random

from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Example, Material

_PLACE = "{response}"


def make(material: Material, random: Random) -> Iterator[Draft]:
    """Wrong answers as their suite has them, before the adapter put its form around them.

    Only an audit writes that form by itself. A verifier that is careful where it sees the form, and careless elsewhere,
    would be graded by what no model writes.
    """
    del random
    for item in material.wrong:
        bare = _without_form(item, material.forms)
        if bare is not None:
            yield item.saying(bare)


def _without_form(item: Example, forms: tuple[str, ...]) -> str | None:
    text = item.text
    for form in forms:
        before, _, after = form.partition(_PLACE)
        if text is not None and before + after and text.startswith(before) and text.endswith(after):
            return text[len(before) : len(text) - len(after)]
    return None


FAMILY = Family(
    name="leak_unwrapped",
    expects="incorrect",
    rule="a wrong answer does not become right without the form that the package puts around answers of suites",
    make=make,
    most=60,
)
