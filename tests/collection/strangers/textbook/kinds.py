r"""Answers as textbooks print them, made by a seed; written before its author had read a line of the verifier (Verihub, Apache-2.0).

A kind makes a gold answer and answers to it. **Nobody typed a label**: beside each text stands the value that it means,
worked out by Python (fractions, complex numbers, functions at three points, tuples where order counts, frozensets where
it does not), and an answer is right where that value is the gold answer's.
"""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

Case = dict[str, Any]
Answer = tuple[str, Any]
Kind = Callable[[Random], tuple[Answer, list[Answer]]]
KINDS: dict[str, Kind] = {}
SEED, ROWS = 20261127, 3
POINTS = (0.37, 1.9, -2.3)


def kind(made: Kind) -> Kind:
    KINDS[made.__name__] = made
    return made


def at(function: Callable[[float], Any]) -> tuple[Any, ...]:
    """What a formula in one letter means: its values at three points."""
    return tuple(function(point) for point in POINTS)


def same(one: Any, other: Any) -> bool:
    """Equal values: numbers to twelve places, tuples by place, sets by what is in them."""
    if isinstance(one, str) or isinstance(other, str):
        return bool(one == other)
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, frozenset) and isinstance(other, frozenset):
        return len(one) == len(other) and all(any(same(a, b) for b in other) for a in one)
    if isinstance(one, (tuple, frozenset)) or isinstance(other, (tuple, frozenset)):
        return False
    return abs(complex(one) - complex(other)) < 1e-12 * max(1.0, abs(complex(one)))


def sgn(number: int) -> str:
    """A number with its sign, as a term in a sum."""
    return f"+{number}" if number >= 0 else str(number)


WORK = (
    "We set up the equation and simplify step by step.",
    "First I substitute, then I collect the terms; the check works out.",
    "Let me go through it carefully. Both conditions of the exercise are used.",
)
FRAMES = (
    "{w}\n\nTherefore, the final answer is $\\boxed{{{m}}}$.",
    "The answer is {d}.",
    "{w}\n\n**Answer:** {d}",
    "{w} So we arrive at\n\n\\[\n\\boxed{{{m}}}\n\\]",
    "{d}",
    "<think>\nHmm, 12 and 35 come to mind, but no.\n</think>\n\nFinal answer: {d}",
    "### Solution\n\n{w}\n\n### Final Answer\n\n{d}",
    "{w}\n\n\\boxed{{{m}}}\n\nLet me know if you want more detail!",
    "{w}\n\n$$\\boxed{{{m}}}$$",
    "Answer: {d}",
)


def framed(random: Random, text: str) -> str:
    r"""The text in one of the frames. Text that begins with ``~`` is prose: no dollar signs, and ``\text`` in a box."""
    is_prose = text.startswith("~")
    text = text.removeprefix("~")
    boxed, inline = (f"\\text{{{text}}}", text) if is_prose else (text, f"${text}$")
    return random.choice(FRAMES).format(w=random.choice(WORK), m=boxed, d=inline)


def cases(seed: int = SEED, rows: int = ROWS) -> Iterator[Case]:
    """``kind``, ``answer``, ``response`` and ``is_right`` of each; ``rows`` gold answers of each kind."""
    for name, made in KINDS.items():
        random = Random(f"{seed}/{name}")
        for number in range(rows):
            (gold, value), answers = made(random)
            for text, meant in answers:
                yield {
                    "kind": name, "row": number, "answer": gold, "text": text,
                    "response": framed(random, text), "is_right": same(value, meant),
                }  # fmt: skip
