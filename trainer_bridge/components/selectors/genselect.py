"""GenSelect: a model reads numbered solutions and names the best."""

import random
import re
from collections.abc import Sequence

_JUDGEMENT = re.compile(r"Judg[e]?ment: (\d+)")
_NEW_SOLUTION = re.compile(r"<NEW_SOLUTION>(.*?)</NEW_SOLUTION>", re.DOTALL)


def selection_prompt(question: str, solutions: Sequence[str]) -> str:
    """The prompt that shows every solution with its index, 0 first."""
    shown = "\n\n".join(f"Solution {index}:\n{solution}" for index, solution in enumerate(solutions))
    return (
        f"Problem:\n{question}\n\n{shown}\n\nCompare the solutions above step by step and choose the best one. "
        'End with one line "Judgment: N", N its number.'
    )


def parse_selection(text: str, largest: int) -> int | None:
    """The last judgement's index, or None if there is none in 0..largest. Source: arXiv 2507.17797, NeMo-Skills [A]."""
    found = _JUDGEMENT.findall(text)
    return int(found[-1]) if found and int(found[-1]) <= largest else None


def parse_synthesis(text: str) -> str | None:
    """GenSynthesis: the last <NEW_SOLUTION> block."""
    found = _NEW_SOLUTION.findall(text)
    return found[-1].strip() if found else None


def select_or_guess(text: str, count: int, seed: int) -> tuple[int, bool]:
    """The judged index, or a random one flagged unsuccessful."""
    chosen = parse_selection(text, count - 1)
    if chosen is not None:
        return chosen, True
    return random.Random(seed).randrange(count), False  # noqa: S311 -- no secret


def windows(
    count: int, size: int = 8, longest: int = 16384, lengths: Sequence[int] | None = None, seed: int = 0
) -> list[list[int]]:
    """Shuffled windows of at most ``size`` solutions, empty ones and those over ``longest`` characters left out."""
    usable = [index for index in range(count) if lengths is None or 0 < lengths[index] <= longest]
    random.Random(seed).shuffle(usable)  # noqa: S311 -- no secret
    return [usable[start : start + size] for start in range(0, len(usable), size)]
