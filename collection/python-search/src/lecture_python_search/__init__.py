"""Full-text search over the docstrings of Python's standard library, ranked by BM25."""

import importlib
import inspect
import math
import re
from collections import Counter
from functools import cache

MODULES = (
    "builtins", "bisect", "collections", "datetime", "decimal", "fractions", "functools", "heapq", "itertools", "json",
    "math", "operator", "random", "re", "statistics", "string", "textwrap",
)  # fmt: skip
K1, B = 1.4, 0.6
SHOWN = 5
_WORD = re.compile(r"[a-z]+|\d+")


def search_python(query: str) -> str:
    """Search the documentation of Python's standard library, for example "most common items of a list".

    Returns the five best entries, each with its name, signature and the start of its text.
    """
    entries, frequencies, mean_length = index()
    wanted = set(words(query))
    scores = []
    for place, (_, _, counts) in enumerate(entries):
        length = sum(counts.values())
        score = 0.0
        for word in wanted & counts.keys():
            rarity = math.log(1 + (len(entries) - frequencies[word] + 0.5) / (frequencies[word] + 0.5))
            score += rarity * counts[word] * (K1 + 1) / (counts[word] + K1 * (1 - B + B * length / mean_length))
        if score > 0:
            scores.append((-score, place))
    best = [entries[place] for _, place in sorted(scores)[:SHOWN]]
    return "\n\n".join(f"{name}\n{text[:400]}" for name, text, _ in best) or "nothing found"


def words(text: str) -> list[str]:
    """Lower-case words, underscores and digits apart, a plural's s dropped."""
    return [word.removesuffix("s") if len(word) > 3 else word for word in _WORD.findall(text.lower())]


@cache
def index() -> tuple[list, Counter, float]:
    """(entries as (name, text, word counts), in how many entries a word stands, mean length)."""
    entries = [
        (name, text, Counter(words(name) * 3 + words(text))) for module in MODULES for name, text in documented(module)
    ]
    frequencies = Counter(word for _, _, counts in entries for word in counts)
    return entries, frequencies, sum(sum(counts.values()) for _, _, counts in entries) / len(entries)


def documented(module_name: str) -> list[tuple[str, str]]:
    """``(name with signature, docstring)`` of what a module offers, methods of its classes included."""
    module = importlib.import_module(module_name)
    prefix = "" if module_name == "builtins" else module_name + "."
    found = []
    for name, thing in vars(module).items():
        if (
            name.startswith("_")
            or inspect.ismodule(thing)
            or (isinstance(thing, type) and issubclass(thing, BaseException))
        ):
            continue
        members = [(prefix + name, thing)]
        if isinstance(thing, type):
            members += [
                (f"{prefix}{name}.{inner}", member)
                for inner, member in vars(thing).items()
                if not inner.startswith("_")
            ]
        for title, member in members:
            text = inspect.getdoc(member) if callable(member) else None
            if text:
                found.append((title + signature(member), text))
    return found


def signature(thing: object) -> str:
    """The parameters, where Python knows them."""
    try:
        return str(inspect.signature(thing))
    except (TypeError, ValueError):
        return ""


index()  # built once when the package is imported; calls share it
