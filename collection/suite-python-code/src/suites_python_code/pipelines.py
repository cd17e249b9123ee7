"""Functions that take a list of whole numbers through a few steps, and what each gives."""

import random
from collections.abc import Callable
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Step:
    """One step: what it is called, its number, its words, its expression over ``items``, and what it does."""

    name: str
    number: int
    words: str
    code: str
    apply: Callable[[list[int]], list[int]]


@dataclass(frozen=True)
class End:
    """What is returned of the list."""

    name: str
    words: str
    code: str
    apply: Callable[[list[int]], object]


@dataclass(frozen=True)
class Pipeline:
    """A function: its name, its steps in order, and its end."""

    entry: str
    steps: tuple[Step, ...]
    end: End

    @property
    def prompt(self) -> str:
        lines = [f"    {number}. {step.words}" for number, step in enumerate(self.steps, 1)]
        words = "\n".join([*lines, f"    {len(lines) + 1}. {self.end.words}"])
        return f'def {self.entry}(items: list[int]):\n    """Take the list through these steps.\n\n{words}\n    """\n'

    def value_of(self, numbers: list[int]) -> object:
        """What the function must return."""
        items = list(numbers)
        for step in self.steps:
            items = step.apply(items)
        return self.end.apply(items)

    def inputs(self, rng: random.Random) -> list[list[int]]:
        """Fourteen lists: none, one number, and longer ones. More than half have values that differ."""
        while True:
            found = [[], [rng.randint(-9, 9)], *(_numbers(rng) for _ in range(12))]
            if len({str(self.value_of(numbers)) for numbers in found}) > len(found) / 2:
                return found

    def changed(self, rng: random.Random, inputs: list[list[int]]) -> tuple[str, "Pipeline"]:
        """The same with one thing changed, which gives another value for some of the inputs; and what was changed."""
        ways: list[tuple[str, Pipeline]] = []
        for place, step in enumerate(self.steps):
            before, after = self.steps[:place], self.steps[place + 1 :]
            ways.append(("step left out", replace(self, steps=(*before, *after))))
            ways.append(("other number", replace(self, steps=(*before, _step(step.name, step.number + 1), *after))))
            if after:
                ways.append(("order", replace(self, steps=(*before, after[0], step, *after[1:]))))
        ways += [("other end", replace(self, end=end)) for end in ENDS.values() if end.name != self.end.name]
        rng.shuffle(ways)
        right = [self.value_of(numbers) for numbers in inputs]
        return next(way for way in ways if [way[1].value_of(numbers) for numbers in inputs] != right)


def make_pipeline(rng: random.Random) -> Pipeline:
    """Two to four steps; at least one number comes through on some lists (``inputs`` sees to that)."""
    while True:
        steps = tuple(_step(name, rng.randint(2, 5)) for name in rng.sample(sorted(STEPS), rng.randint(2, 4)))
        made = Pipeline(f"{rng.choice(VERBS)}_{rng.choice(NOUNS)}", steps, rng.choice(list(ENDS.values())))
        lists = [_numbers(rng) for _ in range(40)]
        if len({str(made.value_of(numbers)) for numbers in lists}) > 30:
            return made


def _numbers(rng: random.Random) -> list[int]:
    return [rng.randint(-20, 40) for _ in range(rng.randint(4, 12))]


def _unique(items: list[int]) -> list[int]:
    return list(dict.fromkeys(items))


def _step(name: str, k: int) -> Step:
    words, code, apply = STEPS[name]
    return Step(name, k, words.replace("@", str(k)), code.replace("@", str(k)), lambda items: apply(items, k))


STEPS: dict[str, tuple[str, str, Callable[[list[int], int], list[int]]]] = {
    "multiples": ("Keep the multiples of @.", "[x for x in items if x % @ == 0]",
                  lambda items, k: [x for x in items if x % k == 0]),
    "no multiples": ("Drop the multiples of @.", "[x for x in items if x % @ != 0]",
                     lambda items, k: [x for x in items if x % k != 0]),
    "above": ("Keep the numbers above @.", "[x for x in items if x > @]", lambda items, k: [x for x in items if x > k]),
    "add": ("Add @ to each number.", "[x + @ for x in items]", lambda items, k: [x + k for x in items]),
    "multiply": ("Multiply each number by @.", "[x * @ for x in items]", lambda items, k: [x * k for x in items]),
    "power": ("Take each number modulo 1@.", "[x % 1@ for x in items]", lambda items, k: [x % (10 + k) for x in items]),
    "drop first": ("Drop the first @ numbers.", "items[@:]", lambda items, k: items[k:]),
    "drop last": ("Drop the last @ numbers.", "items[:-@]", lambda items, k: items[:-k]),
    "every": ("Keep every number whose position, counted from 0, is a multiple of @.", "items[::@]",
              lambda items, k: items[::k]),
    "unique": ("Keep each value only where it comes first.", "list(dict.fromkeys(items))",
               lambda items, _: _unique(items)),
    "sort": ("Sort the numbers, the smallest first.", "sorted(items)", lambda items, _: sorted(items)),
    "absolute": ("Take the absolute value of each number.", "[abs(x) for x in items]",
                 lambda items, _: [abs(x) for x in items]),
}  # fmt: skip
ENDS = {
    end.name: end
    for end in (
        End("list", "Return the list.", "items", list),
        End("reversed", "Return the list, the last number first.", "items[::-1]", lambda items: items[::-1]),
        End("sum", "Return the sum of the numbers, 0 without any.", "sum(items)", sum),
        End("text", "Return the numbers as text, with a comma and no space between them.",
            "','.join(str(x) for x in items)", lambda items: ",".join(str(x) for x in items)),
        End("spread", "Return the largest number less the smallest, 0 without any.",
            "max(items) - min(items) if items else 0", lambda items: max(items) - min(items) if items else 0),
    )
}  # fmt: skip
VERBS = ["collect", "select", "prepare", "reduce", "arrange", "process"]
NOUNS = ["numbers", "values", "readings", "scores", "amounts", "counts"]
