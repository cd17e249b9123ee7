"""Answers that are expressions, in an equal form or with another value."""

from collections.abc import Iterator
from fractions import Fraction
from random import Random

from sandbox.audit.probes import expressions
from sandbox.audit.probes.answers import StatedAnswer
from sandbox.audit.probes.expression_text import StatedExpression, find, plain
from sandbox.audit.probes.expressions import Expression
from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Example, Material, has_tolerance

_FREE = frozenset("Cck")
"""Letters that may stand for any constant: with one of them, several expressions are right."""


def _stated(material: Material) -> Iterator[tuple[Example, StatedExpression, Expression]]:
    """Responses that state their task's answer as an expression, in whatever form, and that answer."""
    for item in material.examples:
        wanted = item.expression
        place = find(item.text) if wanted is not None and item.text is not None else None
        if wanted is None or place is None or has_tolerance(item.task):
            continue
        if expressions.same(wanted, place.expression):
            yield item, place, wanted


def _formulas(material: Material) -> Iterator[tuple[Example, StatedExpression]]:
    """Those that are more than a number or a fraction, and in which no letter may stand for anything."""
    for item, place, wanted in _stated(material):
        if item.answer is None and not expressions.names(wanted) & _FREE:
            yield item, place


def _equal(material: Material, random: Random) -> Iterator[Draft]:
    """The terms of a sum and the factors of a product in another order, a difference turned."""
    if not (material.judges_only_the_answer and _shows_other_forms(material)):
        return
    for item, place in _formulas(material):
        if not item.is_accepted:
            continue
        turned = _turned(place.expression, random)
        if turned != place.expression and expressions.same(turned, place.expression):
            text = place.saying(turned)
            if text != item.text:
                yield item.saying(text, note=f"{place.text} -> turned")


def _shows_other_forms(material: Material) -> bool:
    """Whether an expression that is labelled right has another form than the reference, beyond how it is typed."""
    return any(place.expression != wanted for _, place, wanted in _stated(material))


def _turned(one: Expression, random: Random) -> Expression:
    if not one.parts:
        return one
    parts = [_turned(part, random) for part in one.parts]
    if one.kind in ("sum", "product"):
        parts = [*parts[1:], parts[0]]
    return Expression(one.kind, tuple(parts), one.text)


def _in_plain_text(material: Material, random: Random) -> Iterator[Draft]:
    """``pi/2`` for ``\\frac{\\pi}{2}``, as a whole response."""
    del random
    shown = any(
        "\\" in str(item.task.get("answer")) and "\\" not in place.text and not place.is_latex
        for item, place, _ in _stated(material)
    )
    if not (material.judges_only_the_answer and shown):
        return
    for item, place in _formulas(material):
        if item.is_accepted and "\\" in place.text:
            yield material.say(item.task, plain(place.expression), note=f"{place.text} in plain text")


def _other(material: Material, random: Random) -> Iterator[Draft]:
    """Another sign of one term, or another number in it, where the value differs by a tenth at least."""
    if not material.answer_decides or _shows_other_values(material):
        return
    for item, place in _formulas(material):
        for changed in (_with_sign(place.expression, random), _with_number(place.expression, random)):
            if changed != place.expression and expressions.apart(changed, place.expression):
                yield item.saying(place.saying(changed), note=f"{place.text} -> {plain(changed)}")


def _shows_other_values(material: Material) -> bool:
    """Whether an expression that is labelled right has another value than the reference: any root of two, say."""
    for item in material.examples:
        stated = find(item.text) if item.expression is not None and item.text is not None else None
        if item.expression is not None and stated is not None and expressions.apart(stated.expression, item.expression):
            return True
    return False


def _with_sign(one: Expression, random: Random) -> Expression:
    """One term of the outermost sum with the other sign; all of it where there is no sum."""
    if one.kind != "sum":
        return one.parts[0] if one.kind == "negative" else Expression("negative", (one,))
    place = random.randrange(len(one.parts))
    return Expression("sum", (*one.parts[:place], _with_sign(one.parts[place], random), *one.parts[place + 1 :]))


def _with_number(one: Expression, random: Random) -> Expression:
    """One of its numbers is two more."""
    count = sum(1 for _ in expressions.numbers(one))
    return _replaced(one, random.randrange(count))[0] if count else one


def _replaced(one: Expression, place: int) -> tuple[Expression, int]:
    """With the number at ``place`` changed, and how many places are left to go."""
    if one.kind == "number":
        return (Expression("number", text=str(Fraction(one.text) + 2)) if place == 0 and _is_whole(one) else one), (
            place - 1
        )
    parts = []
    for part in one.parts:
        changed, place = _replaced(part, place)
        parts.append(changed)
    return Expression(one.kind, tuple(parts), one.text), place


def _is_whole(one: Expression) -> bool:
    return one.text.isdigit()


def _part_of_it(material: Material, random: Random) -> Iterator[Draft]:
    """The answer, a number, as a part of an expression with another value: times a root, as numerator, as base."""
    if next(_formulas(material), None) is None:
        return  # a reader of numbers never claimed to read what surrounds them
    for item, place, answer in material.numbered():
        if not answer.value or not answer.text.isdigit() or place.spots[-1].text != answer.text:
            continue
        forms = _LATEX_FORMS if _is_in_latex(place) else _PLAIN_FORMS
        wrong = random.choice(forms).format(answer.text)
        yield item.saying(place.with_answer(wrong), note=f"{answer.text} -> {wrong}")


def _is_in_latex(place: StatedAnswer) -> bool:
    """In a box, or alone between dollar signs: one dollar sign may be money."""
    before, after = place.before.rstrip(), place.after.lstrip()
    return before.endswith(("\\boxed{", "\\(")) or (before.endswith("$") and after.startswith("$"))


_LATEX_FORMS = ("{}\\sqrt{{2}}", "{}\\sqrt(2)", "{}\\pi", "\\frac{{{}}}{{3}}", "3 \\cdot {}")
_PLAIN_FORMS = ("{}/3", "{} * 3", "3 * {}")
"""Each is another value of any number but nought."""

BENIGN = (
    Family(
        name="benign_algebra",
        expects="correct",
        rule="labelled cases show that a right expression may have another form; sums and products have no order",
        make=_equal,
    ),
    Family(
        name="benign_plain_math",
        expects="correct",
        rule="a labelled case shows that LaTeX may be answered in plain text, and these say the same",
        make=_in_plain_text,
    ),
)
LEAKS = (
    Family(
        name="leak_algebra",
        expects="incorrect",
        rule="with another sign or number an expression has another value, a tenth away at every point tried",
        make=_other,
    ),
    Family(
        name="leak_factor",
        expects="incorrect",
        rule="where answers may be expressions, a number times a root, times three or through three is another value",
        make=_part_of_it,
    ),
)
