"""The same value in another exact notation."""

from collections.abc import Iterator
from random import Random

from sandbox.audit.probes import answers
from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Material

_MONEY = ("$", "€", "£")


def _notations(answer: answers.ReferenceAnswer) -> list[str]:
    """Exactly equal ways to write the answer."""
    value = answer.value
    if value is None:
        return []
    decimal = answers.decimal_text(value)
    if value.denominator != 1:
        return [f"{value.numerator}/{value.denominator}", *([decimal] if decimal is not None else [])]
    forms = [str(int(value)), f"{int(value)}.0"]
    if abs(value) >= 1000:
        forms.append(f"{int(value):,}")
    return forms


def _is_shown(form: str, answer: answers.ReferenceAnswer, shown: frozenset[frozenset[str]]) -> bool:
    """Whether this is the reference's own text, or a labelled case writes such a reference in such a notation."""
    return form == answer.text or frozenset((answers.notation(answer.text), answers.notation(form))) in shown


def _is_money(place: answers.StatedAnswer) -> bool:
    """Whether a sign of money stands beside the value: nobody writes $97/4, and it may be LaTeX that is not closed."""
    before, after = place.before.rstrip(), place.after.lstrip()
    if before.endswith("$") and after.startswith("$"):
        return False
    return before.endswith(_MONEY) or after.startswith(_MONEY)


def make(material: Material, random: Random) -> Iterator[Draft]:
    """Decimal for fraction, thousands commas, a trailing zero; each only where a labelled case does the same."""
    if not (material.judges_only_the_answer and material.shown_notations):
        return
    for item, place, answer in material.numbered():
        if not item.is_accepted:
            continue
        forms = [
            form
            for form in _notations(answer)
            if form != place.spots[-1].text and _is_shown(form, answer, material.shown_notations)
            if "/" not in form or not _is_money(place)
        ]
        if forms:
            form = random.choice(forms)
            yield item.saying(place.with_answer(form), note=f"{answer.text} -> {form}")


FAMILY = Family(
    name="benign_notation",
    expects="correct",
    rule="a labelled case shows that these two notations may stand for each other, and the values are exactly equal",
    make=make,
)
