"""The same value as LaTeX, as a percentage, or with its unit spelled out. Only when a labelled case does the same."""

import re
from collections.abc import Iterator
from fractions import Fraction
from random import Random

from sandbox.audit.probes import answers
from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Example, Material

_LATEX = re.compile(r"\$|\\\(|\\boxed|\\frac")
SPELLED = {
    "km": "kilometers", "cm": "centimeters", "mm": "millimeters", "kg": "kilograms", "mg": "milligrams",
    "min": "minutes", "hours": "hr", "minutes": "min", "seconds": "s", "meters": "m", "grams": "g",
}  # fmt: skip
_QUANTITY = re.compile(rf"(?P<number>[-+]?[\d.,/]+)\s*(?P<unit>{'|'.join(SPELLED)})")


def _as_latex(material: Material, random: Random) -> Iterator[Draft]:
    """``$3/4$`` or ``$\\frac{3}{4}$`` for 3/4 in running text."""
    shown = any(
        _LATEX.search(item.text or "") and not _LATEX.search(str(item.task.get("answer"))) for item in _right(material)
    )
    if not (material.judges_only_the_answer and shown):
        return
    for item in material.stated_and_accepted:
        place, value = item.place, item.answer.value if item.answer is not None else None
        if place is None or value is None or _LATEX.search(item.text or "") or not place.before.endswith(" "):
            continue
        plain = place.spots[-1].text
        forms = [f"${plain}$", f"\\({plain}\\)"] if "," not in plain else []
        if value.denominator != 1:
            sign = "-" if value < 0 else ""
            forms.append(f"${sign}\\frac{{{abs(value.numerator)}}}{{{value.denominator}}}$")
        if forms:
            form = random.choice(forms)
            yield item.saying(place.before + form + place.after, note=f"{plain} -> {form}")


def _as_percentage(material: Material, random: Random) -> Iterator[Draft]:
    """``75%`` for 3/4."""
    del random
    if not (material.judges_only_the_answer and any(_shows_percentage(item) for item in _right(material))):
        return
    for item, place, answer in material.numbered():
        share = answers.decimal_text(answer.value * 100) if answer.value is not None else None
        if (
            item.is_accepted
            and share is not None
            and -1 < (answer.value or Fraction(0)) < 1
            and "%" not in (item.text or "")
        ):
            yield item.saying(place.with_answer(f"{share}%"), note=f"{answer.text} -> {share}%")


def _shows_percentage(item: Example) -> bool:
    """A right response that gives an answer without a percent sign as a percentage."""
    if item.answer is None or item.answer.value is None or item.text is None or "%" not in item.text:
        return False
    if "%" in str(item.task.get("answer")):
        return False
    share = answers.decimal_text(item.answer.value * 100)
    return share is not None and re.search(rf"(?<![\d.]){re.escape(share)}\s*\\?%", item.text) is not None


def _with_unit_spelled(material: Material, random: Random) -> Iterator[Draft]:
    """``12 kilometers`` for 12 km."""
    del random
    quantities = [(item, _quantity(item)) for item in _right(material)]
    known = [(item, match) for item, match in quantities if match is not None and item.text is not None]
    shown = any(SPELLED[match["unit"]] in str(item.text) and match[0] not in str(item.text) for item, match in known)
    if not (material.judges_only_the_answer and shown):
        return
    for item, match in known:
        if item.is_accepted and str(item.text).count(match[0]) == 1:
            spelled = f"{match['number']} {SPELLED[match['unit']]}"
            yield item.saying(str(item.text).replace(match[0], spelled), note=f"{match[0]} -> {spelled}")


def _quantity(item: Example) -> re.Match[str] | None:
    return _QUANTITY.fullmatch(str(item.task.get("answer")).strip())


def _right(material: Material) -> Iterator[Example]:
    return (item for item in material.examples if item.text is not None)


FAMILIES = (
    Family(
        name="benign_latex",
        expects="correct",
        rule="a labelled case shows that a plain answer may be given in LaTeX, and these are exactly equal",
        make=_as_latex,
    ),
    Family(
        name="benign_percent",
        expects="correct",
        rule="a labelled case shows that a share may be given in percent, and these are exactly equal",
        make=_as_percentage,
    ),
    Family(
        name="benign_unit",
        expects="correct",
        rule="a labelled case shows that this unit may be spelled out",
        make=_with_unit_spelled,
    ),
)
