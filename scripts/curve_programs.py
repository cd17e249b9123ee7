"""Demonstrations for lecture/python-functions: programs of the right form, with numbers and rules drawn by chance.

The player knows how a function of each family is written and does not read what the prompt asks for: it writes the sum
of digits in base 5 where base 7 is asked. So a model that imitates it learns to write programs, and to read the prompt
is left to be learnt.
"""

import inspect
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

PROGRAMS: Mapping[str, str] = {
    "digits_in_base": """def digit_sum(number: int):
    total = 0
    while number:
        total += number % {base}
        number //= {base}
    return total""",
    "cost_to_one": """def cost(start: int):
    total = 0
    while start > 1:
        if start % {divisor} == 0:
            start, total = start // {divisor}, total + {price}
        else:
            start, total = start - 1, total + 1
    return total""",
    "shifted_letters": """def encode(text: str):
    kept = "{unchanged}"
    return "".join(chr((ord(c) - 97 + {shift}) % 26 + 97) if c.islower() and c not in kept else c for c in text)""",
    "run_lengths": """def pack(text: str):
    done = ""
    while text:
        count = len(text) - len(text.lstrip(text[0]))
        done += {told} if count >= {least} else text[:count]
        text = text[count:]
    return done""",
    "chosen_words": """def select_words(sentence: str):
    words = {{word for word in sentence.split() if len(word) >= {length}}}
    return sorted(words, key=lambda word: (len(word), word), reverse={descending})""",
    "grouped_by_rest": """def by_rest(numbers: list[int]):
    groups = {{}}
    for number in numbers:
        groups.setdefault(str(number % {modulus}), []).append(number)
    return {{rest: {act}(group) for rest, group in groups.items()}}""",
    "windows": """def stretches(numbers: list[int]):
    found = [numbers[i : i + {size}] for i in range(len(numbers) - {size} + 1)]
    return {told}""",
    "grid_sums": """def grid_sum(grid: list[list[int]]):
    size = len(grid)
    return sum(grid[r][c] for r in range(size) for c in range(size) if {told})""",
    "votes": """def winner(ballots: list[str]):
    counts = {{name: ballots.count(name) for name in ballots}}
    most = max(counts.values(), default=0)
    if most * {share} <= len(ballots):
        return ""
    return {told}""",
    "merged_ranges": """def join_ranges(ranges: list[list[int]]):
    merged = []
    for start, end in sorted(ranges):
        if merged and start - merged[-1][1] <= {gap}:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    return {told}""",
}
"""By family. Those of ``brackets`` and ``stack_machine`` would be too long for a short answer."""

_TOLD: Mapping[str, Mapping[Any, str]] = {
    "run_lengths": {True: 'f"{count}{text[0]}"', False: 'f"{text[0]}{count}"'},
    "windows": {"sums": "[sum(w) for w in found]", "spreads": "[max(w) - min(w) for w in found]",
                "rising": "sum(w == sorted(set(w)) for w in found)"},
    "grid_sums": {"border": "r in (0, size - 1) or c in (0, size - 1)", "diagonals": "r == c or r + c == size - 1",
                  "chessboard": "(r + c) % 2 == 0"},
    "votes": {"first": "next(name for name in counts if counts[name] == most)",
              "alphabet": "min(name for name in counts if counts[name] == most)"},
    "merged_ranges": {"list": "merged", "length": "sum(end - start for start, end in merged)"},
}  # fmt: skip
"""What a family's word says, in Python."""
_WORD = {"run_lengths": "first", "votes": "tie"}
"""The name of that word in the family's code, where it is not ``what``."""


def program_of(family: str, function: Any) -> str:
    """The program that does what ``function`` of the package asks for, with its numbers and rules."""
    drawn: dict[str, Any] = dict(inspect.getclosurevars(function.value_of).nonlocals)
    if family in _TOLD:
        drawn["told"] = _TOLD[family][drawn[_WORD.get(family, "what")]]
    if "act" in drawn:
        drawn["act"] = drawn["act"].__name__
    return PROGRAMS[family].format(**drawn)


def conversations(
    generate: Callable[[str, int, int], dict[str, Any]],
    families: Mapping[str, Callable[[Random], Any]],
    count: int,
    seed: int,
) -> list[list[dict[str, str]]]:
    """``count`` tasks of the training split, each answered by a program of its family with numbers drawn by chance."""
    random, found, index = Random(seed), list[list[dict[str, str]]](), 0  # noqa: S311 -- no secret
    while len(found) < count:
        task = generate("train", seed, index)
        index += 1
        family = task["tags"][1].replace("-", "_")
        if family in PROGRAMS:
            answer = f"```python\n{program_of(family, families[family](random))}\n```"
            asked = {"role": "user", "content": task["prompt"]}
            found.append([asked, {"role": "assistant", "content": answer}])
    return found
