"""Boards: four groups of four words that can be told apart in one way only, proved by a search over all ways."""

import itertools
from dataclasses import dataclass
from functools import lru_cache
from random import Random

from lecture_connections.inventory import categories, every_category

LEVELS = ("easy", "medium", "hard")
HERRINGS = {"easy": (0, 0), "medium": (1, 2), "hard": (3, 9)}
"""By level: fewest and most words that also fit another group of the board."""
Group = frozenset[str]


@dataclass(frozen=True)
class Puzzle:
    """The words in the order of the board, and category -> its four words."""

    level: str
    board: tuple[str, ...]
    groups: dict[str, Group]


@lru_cache(maxsize=512)
def puzzle_of(split: str, seed: int, index: int) -> Puzzle:
    """Puzzle ``index`` of ``split``: the same for the same arguments."""
    random, level = Random(f"connections:{split}:{seed}:{index}"), LEVELS[index % len(LEVELS)]
    fewest, most = HERRINGS[level]
    while True:
        groups = _drawn(split, level, random)
        if groups is None or not fewest <= len(herrings(groups)) <= most:
            continue
        board = sorted(word for words in groups.values() for word in words)
        if len(solutions(tuple(board), 2)) == 1:
            random.shuffle(board)
            return Puzzle(level, tuple(board), groups)


def _drawn(split: str, level: str, random: Random) -> dict[str, Group] | None:
    """Four categories and four words of each; for red herrings, categories that share words with the first."""
    pool = {name: sorted(words) for name, words in categories()[split].items()}
    names = [random.choice(list(pool))]
    while len(names) < 4:
        near = [name for name in pool if name not in names and any(set(pool[name]) & set(pool[each]) for each in names)]
        rest = [name for name in pool if name not in names]
        names.append(random.choice(near if near and level != "easy" else rest))
    groups: dict[str, Group] = {}
    for name in names:
        free = [word for word in pool[name] if not any(word in words for words in groups.values())]
        if len(free) < 4:
            return None
        groups[name] = frozenset(random.sample(free, 4))
    return groups


def herrings(groups: dict[str, Group]) -> set[str]:
    """The words of a board that also belong to another of its categories."""
    known = every_category()
    return {
        word
        for name, words in groups.items()
        for word in words
        if any(word in known[other] for other in groups if other != name)
    }


def solutions(board: tuple[str, ...], most: int) -> list[tuple[Group, ...]]:
    """The ways to part a board into fours that each fit a category of the whole inventory, at most so many."""
    fits = {
        frozenset(four)
        for words in every_category().values()
        for four in itertools.combinations(sorted(words & set(board)), 4)
    }
    found: list[tuple[Group, ...]] = []
    line: list[tuple[tuple[Group, ...], frozenset[str]]] = [((), frozenset(board))]
    while line and len(found) < most:
        groups, left = line.pop()
        if not left:
            found.append(groups)
            continue
        first = min(left)
        line += [((*groups, four), left - four) for four in sorted(fits, key=sorted) if first in four and four <= left]
    return found
