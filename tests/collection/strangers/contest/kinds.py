r"""The list of kinds, the two sets that they are dealt into, and what stands around an answer.

A kind returns names for the places ``<a>`` of its texts, a gold answer and its value, the right texts, and the wrong ones
with the values that they mean: a text whose value happens to be the gold answer's is right.
"""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any

from tests.collection.strangers.textbook.kinds import Case, at, same, sgn

Made = tuple[Mapping[str, Any], str, Any, list[str], list[tuple[str, Any]]]
Kind = Callable[[Random], Made]
KINDS: dict[str, Kind] = {}
SEED = 20261129
IN_THIRD_SET = 44
ROWS = {"third": 2, "fourth": 3}
"""Gold answers a kind."""
WORK = (
    "First, note that the two conditions are equivalent. Substituting back and simplifying, every other case drops out.",
    "**Step 1.** Rewrite the condition.\n\n**Step 2.** Solve it; the check $2+3=5$ is immediate.",
    "Okay, so let me think. By symmetry I may assume the first case. Then the rest is a short computation.",
)
FRAMES = (
    "{w}\n\nFinal Answer: The final answer is $\\boxed{{{m}}}$. I hope it is correct.",
    "{w}\n\n<answer>{d}</answer>",
    "{w}\n\n---\n\n### Final answer\n\n{d}",
    "{w}\n\n\\[\n\\boxed{{\n{m}\n}}\n\\]",
    "{w} So the answer is **{d}**.",
    "Therefore, \\(\\boxed{{{m}}}\\) is the answer.",
    "$$\\boxed{{\\displaystyle {m}}}$$",
    "<think>\nMaybe 3? No, that fails for 10. OK.\n</think>\n{w}\n\n**Answer:** {d}",
    "{w}\n\n∴ {d}",
    "{d}",
)

__all__ = ["KINDS", "SEED", "SETS", "Made", "at", "cases", "kind", "sgn"]


class Sets(Mapping[str, frozenset[str]]):
    """``third`` and ``fourth``: the names of their kinds."""

    def __getitem__(self, name: str) -> frozenset[str]:
        dealt = sorted(KINDS, key=lambda kind: hashlib.sha256(kind.encode()).digest())
        return frozenset({"third": dealt[:IN_THIRD_SET], "fourth": dealt[IN_THIRD_SET:]}[name])

    def __iter__(self) -> Iterator[str]:
        return iter(ROWS)

    def __len__(self) -> int:
        return len(ROWS)


SETS = Sets()


def kind(made: Kind) -> Kind:
    KINDS[made.__name__] = made
    return made


def filled(text: str, names: Mapping[str, Any]) -> str:
    return re.sub(r"<(\w+)>", lambda found: str(names[found[1]]), text)


def framed(random: Random, text: str) -> str:
    r"""The text in a frame. Text that begins with ``~`` is prose: no dollar signs, and ``\text`` in a box."""
    is_prose, text = text.startswith("~"), text.removeprefix("~")
    boxed, inline = (f"\\text{{{text}}}", text) if is_prose else (text, f"${text}$")
    return random.choice(FRAMES).format(w=random.choice(WORK), m=boxed, d=inline)


def cases(name: str, seed: int = SEED) -> Iterator[Case]:
    """``kind``, ``row``, ``answer``, ``text``, ``response`` and ``is_right`` of each case of a set."""
    for chosen in sorted(SETS[name]):
        random = Random(f"{seed}/{chosen}")
        for row in range(ROWS[name]):
            names, gold, value, right, wrong = KINDS[chosen](random)
            answers = [*((text, value) for text in right), *wrong]
            for text, meant in [(filled(text, names), meant) for text, meant in answers]:
                yield {
                    "kind": chosen, "row": row, "answer": filled(gold, names), "text": text,
                    "response": framed(random, text), "is_right": same(value, meant),
                }  # fmt: skip
