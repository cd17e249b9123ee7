"""The same value in another exact notation."""

from collections.abc import Iterator
from random import Random

from sandbox.audit.probes import answers
from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Material


def _notations(answer: answers.ReferenceAnswer) -> list[str]:
    """Exactly equal ways to write the answer."""
    value = answer.value
    if value is None:
        return []
    decimal = answers.decimal_text(value)
    if value.denominator != 1:
        return [f"{value.numerator}/{value.denominator}", *([decimal] if decimal is not None else [])]
    forms = [str(int(value))]
    if abs(value) >= 1000:
        forms.append(f"{int(value):,}")
    return forms


def make(material: Material, random: Random) -> Iterator[Draft]:
    """Decimal for fraction, thousands commas, a trailing zero; only where a labelled case does such a thing."""
    if not (material.judges_only_the_answer and material.allows_other_notation):
        return
    for item, place, answer in material.numbered():
        if not item.is_accepted:
            continue
        forms = [form for form in _notations(answer) if form != place.spots[-1].text]
        if forms:
            form = random.choice(forms)
            yield item.saying(place.with_answer(form), note=f"{answer.text} -> {form}")


FAMILY = Family(
    name="benign_notation",
    expects="correct",
    rule="a labelled case shows that notations may differ, and these are exactly equal",
    make=make,
)
