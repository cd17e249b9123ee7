"""Tasks with other reference answers, on which comparers of formulas are known to fail: made, with certain labels.

A verifier that compares formulas is used with references that none of the audited tasks may have. What such comparers
get wrong lies in the pair: two numbers that are both nearly nothing, a power beside which nothing else seems to count,
a letter that is a constant, dots. So these families bring both sides. The question stays: whoever judges by it rejects
the response as well, since it is not the right answer to that question either.
"""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from sandbox.audit.probes.expression_text import boxed
from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Example, Material, lacks_answer

_FEWEST = 3
_KEYS = frozenset({"id", "prompt", "answer", "info", "metadata"})
_PAIRS = tuple[tuple[str, str], ...]
"""(reference, response)."""
_Framed = tuple[Example, str, str]
"""A response, and what stands before and after its answer."""


def _small_values(random: Random) -> _PAIRS:
    """Different values that are the same number in few digits."""
    small, power, factorial = random.randint(2, 9), random.randint(80, 140), random.randint(40, 90)
    return (
        (rf"\frac{{1}}{{2^{{{power}}}}}", rf"\frac{{1}}{{2^{{{power + 1}}}}}"),
        (rf"\frac{{1}}{{{factorial}!}}", rf"\frac{{1}}{{{factorial + 2}!}}"),
        (rf"{small} \cdot 10^{{-{power}}}", rf"{small} \cdot 10^{{-{power + 1}}}"),
    )


def _powers(random: Random) -> _PAIRS:
    """A sum in which one power is large, and the value without that power."""
    power, small = random.randint(100, 400), random.randint(2, 9)
    return (
        (rf"\frac{{2^{{{power}}}+1}}{{3 \cdot 2^{{{power + 1}}}}}", rf"\frac{{1}}{{3 \cdot 2^{{{power + 1}}}}}"),
        (rf"\frac{{3^{{{power}}}+{small}}}{{3^{{{power + 1}}}}}", rf"\frac{{{small}}}{{3^{{{power + 1}}}}}"),
    )


def _signs(random: Random) -> _PAIRS:
    """Another sign before an upright constant."""
    first, second = random.sample(range(1, 10), 2)
    return tuple(
        (rf"{number} - \frac{{1}}{{\mathrm{{e}}}}", rf"{number} + \frac{{1}}{{\mathrm{{e}}}}")
        for number in (first, second)
    )


def _dots(random: Random) -> _PAIRS:
    """Two sequences that begin alike and end in dots: the reference, and a wrong answer."""
    step = random.randint(2, 9)
    return (
        (r"1, 2, \ldots, n", r"1, 3, 5, \ldots, 2n-1"),
        (rf"{step}, {2 * step}, \ldots, {step}n", rf"{step}, {3 * step}, {5 * step}, \ldots, {step}(2n-1)"),
    )


def _ratios(random: Random) -> _PAIRS:
    """As :func:`_dots`, for ratios of several numbers."""
    step = random.randint(2, 9)
    return (
        (r"1:2:3:\ldots", r"1:4:9:\ldots"),
        (rf"{step}:{2 * step}:{3 * step}:\ldots", rf"{step}:{4 * step}:{9 * step}:\ldots"),
    )


def _factors(random: Random) -> _PAIRS:
    """The reference times a root: as LaTeX, and written as people mistype it."""
    return tuple(
        (f"{number}", rf"{number}\sqrt{root}") for number in random.sample(range(3, 60), 2) for root in ("(2)", "{2}")
    )


def _maker(pairs_of: Callable[[Random], _PAIRS]) -> Callable[[Material, Random], Iterator[Draft]]:
    def make(material: Material, random: Random) -> Iterator[Draft]:
        """Each pair as task and response, in the box of an accepted response and between dollar signs."""
        ways = [way for way in _ways(material) if way]
        for reference, text in pairs_of(random) if ways else ():
            for way in ways:
                item, before, after = random.choice(way)
                if lacks_answer(item.task, text):
                    said = f"{before}{text}{after}"
                    yield material.say({**item.task, "answer": reference}, said, note=f"{reference} and {text}")

    return make


def _ways(material: Material) -> tuple[list[_Framed], list[_Framed]]:
    """What stands around the answer: of accepted responses that end in a box; and dollar signs, for the same tasks.

    A wrong answer is wrong in either, whether or not a right one would be read there.
    """
    framed = boxes(material)
    return framed, [(item, "$", "$") for item, _, _ in framed]


def boxes(material: Material) -> list[_Framed]:
    """Accepted responses that end in a box, and what stands before and after its inside.

    Empty where formulas in LaTeX are not the references or do not decide alone, or where a task has something beside
    its question and answer, since that might decide too.
    """
    found: list[_Framed] = []
    answers = [item.task["answer"] for item in material.examples if isinstance(item.task.get("answer"), str)]
    formulas = sum("\\frac" in answer or "\\sqrt" in answer for answer in answers)
    if not material.judges_only_the_answer or material.is_conversation or formulas < _FEWEST:
        return []
    for item in material.accepted:
        text = item.text or ""
        place = boxed(text)
        if place is not None and _is_plain(item.task) and text.count("\\boxed{") == 1:
            found.append((item, place[0], place[2]))
    return found


def _is_plain(task: dict[str, Any]) -> bool:
    return set(task) <= _KEYS and not task.get("info")


FAMILIES = (
    Family(
        name="leak_small_values",
        expects="incorrect",
        rule="two different numbers are different, however small both are",
        make=_maker(_small_values),
    ),
    Family(
        name="leak_powers",
        expects="incorrect",
        rule="a sum is not what is left of it without its largest term",
        make=_maker(_powers),
    ),
    Family(
        name="leak_constants",
        expects="incorrect",
        rule="another sign before a constant is another number",
        make=_maker(_signs),
    ),
    Family(
        name="leak_dots",
        expects="incorrect",
        rule="a sequence with other terms is another one, though both go on",
        make=_maker(_dots),
    ),
    Family(
        name="leak_ratios",
        expects="incorrect",
        rule="a ratio with other terms is another one, though both go on",
        make=_maker(_ratios),
    ),
    Family(
        name="leak_factors",
        expects="incorrect",
        rule="a number times a root of two is another number",
        make=_maker(_factors),
    ),
)
