"""More hidden inputs for a task: drawn within what its own tests show to be allowed.

Inputs outside of a function's domain would refuse right programs, so each draw keeps what holds in all of the task's
own tests: ranges of numbers, lengths, letters, sorted or distinct lists, equal lengths of two lists, one number below
another or below a list's length. Strings of some structure (brackets, dates) are only joined, never made up.
"""

import itertools
import json
import random
import string
from collections.abc import Callable, Iterator
from typing import Any

TRIES, OBSERVED = 5000, 0.3
Rule = Callable[[list[Any]], bool]


def draw_arguments(tests: list[dict], rng: random.Random, count: int) -> list[list[Any]]:
    """Up to ``count`` argument lists, none of them among ``tests``; fewer where the domain is small."""
    observed = [test["args"] for test in tests]
    columns = list(zip(*observed, strict=True)) if len({len(args) for args in observed}) == 1 else []
    rules = list(_rules(observed)) if columns else []
    seen = {json.dumps(args) for args in observed}
    drawn: list[list[Any]] = []
    for _ in range(TRIES):
        if len(drawn) >= count or not columns:
            break
        args = [_draw(list(column), rng) for column in columns]
        key = json.dumps(args)
        if key not in seen and all(rule(args) for rule in rules):
            seen.add(key)
            drawn.append(args)
    return drawn


def _rules(observed: list[list[Any]]) -> Iterator[Rule]:
    """What holds between two arguments in every test."""
    for a, b in itertools.permutations(range(len(observed[0])), 2):
        candidates: list[Rule] = [
            lambda args, a=a, b=b: _number(args[a]) and _number(args[b]) and args[a] <= args[b],
            lambda args, a=a, b=b: _number(args[a]) and _sized(args[b]) and args[a] <= len(args[b]),
            lambda args, a=a, b=b: _sized(args[a]) and _sized(args[b]) and len(args[a]) == len(args[b]),
            lambda args, a=a, b=b: _sized(args[a]) and _sized(args[b]) and len(args[a]) == len(args[b]) + 1,
            lambda args, a=a, b=b: isinstance(args[b], list) and args[a] in args[b],
        ]
        yield from (rule for rule in candidates if all(rule(args) for args in observed))


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _sized(value: object) -> bool:
    return isinstance(value, list | str)


def _draw(values: list[Any], rng: random.Random) -> Any:
    """A value like ``values``."""
    if all(isinstance(value, bool) for value in values) or not all(type(v) is type(values[0]) for v in values):
        return rng.choice(values)
    if rng.random() < OBSERVED and not isinstance(values[0], list):
        return rng.choice(values)  # equal numbers and repeated words are where programs differ
    if isinstance(values[0], int):
        return rng.randint(min(values), max(values))
    if isinstance(values[0], float):
        places = max(len(repr(value).partition(".")[2]) for value in values)
        return round(rng.uniform(min(values), max(values)), min(places, 6))
    if isinstance(values[0], str):
        return _draw_text(values, rng)
    if isinstance(values[0], list):
        return _draw_list(values, rng)
    return rng.choice(values)


def _draw_text(values: list[str], rng: random.Random) -> str:
    lengths, letters = [len(value) for value in values], sorted(set("".join(values)))
    if set(letters) <= set(string.ascii_letters):
        return "".join(rng.choice(letters) for _ in range(rng.randint(min(lengths), max(lengths)))) if letters else ""
    if set(letters) <= set(string.ascii_letters + " "):
        words = [word for value in values for word in value.split(" ") if word]
        counts = [len(value.split()) for value in values]
        if not words:
            return rng.choice(values)
        return " ".join(rng.choice(words) for _ in range(rng.randint(min(counts), max(counts))))
    return rng.choice(values)


def _draw_list(values: list[list[Any]], rng: random.Random) -> list[Any]:
    elements = [element for value in values for element in value]
    lengths = [len(value) for value in values]
    if not elements:
        return []
    if any(isinstance(element, list | dict) for element in elements):
        return rng.choice(values)  # a grid has a shape that its rows do not show
    drawn = [_draw(elements, rng) for _ in range(rng.randint(min(lengths), max(lengths)))]
    plain = all(isinstance(element, int | float | str) for element in elements)
    if plain and all(len(set(value)) == len(value) for value in values):
        drawn = list(dict.fromkeys(drawn))
    if plain and len({type(element) for element in elements}) == 1:
        if all(value == sorted(value) for value in values):
            drawn.sort()
        elif all(value == sorted(value, reverse=True) for value in values):
            drawn.sort(reverse=True)
    return drawn
