"""Small sums in words, worked out with whole numbers."""

import random
from dataclasses import dataclass

PLACES = ["a shop", "a school", "a farm", "a library", "a bakery", "a harbour", "a garden", "a museum"]
THINGS = ["boxes", "pears", "books", "tickets", "chairs", "bottles", "stamps", "loaves", "lamps", "coins"]


@dataclass(frozen=True)
class Sum:
    """A question and its answer, a whole number or one with two decimals, as text without separators."""

    question: str
    answer: str
    steps: tuple[int, int, int]
    thing: str

    @property
    def is_whole(self) -> bool:
        return "." not in self.answer

    def words(self, rng: random.Random) -> dict[str, str]:
        """What the forms are filled in with. ``w`` and ``v`` differ from the answer and from each other."""
        value = int(self.answer.replace(".", ""))
        near, far = value + rng.choice([-3, -2, -1, 1, 2, 3]), value + rng.choice([-17, -11, 13, 19])
        a, b, c = self.steps
        return {
            "a": self.answer,
            "w": self._written(near),
            "v": self._written(far),
            "g": f"{int(self.answer):,}" if self.is_whole else self.answer,
            "p": str(a),
            "q": str(b),
            "r": str(c),
            "m": str(a * b),
            "t": self.thing,
        }

    def _written(self, value: int) -> str:
        return str(value) if self.is_whole else f"{value // 100}.{value % 100:02d}"


def make_sum(rng: random.Random, *, with_cents: bool) -> Sum:
    """A sum of two steps. The answer is above 20, and none of the numbers of the question."""
    while True:
        a, b, c = rng.randint(6, 97), rng.randint(3, 48), rng.randint(11, 999)
        value = a * b + c
        if not with_cents and len({a, b, c, a * b, value}) == 5:
            break
        if with_cents and value % 100 and value > 2200:
            break
    thing, place = rng.choice(THINGS), rng.choice(PLACES)
    if with_cents:
        asked = f"In {place}, {a} {thing} cost {b} cents each, and a bag {c} cents. How many dollars is that together?"
        return Sum(asked, f"{value // 100}.{value % 100:02d}", (a, b, c), thing)
    asked = f"In {place} there are {a} rows of {b} {thing}, and {c} more. How many {thing} are there?"
    return Sum(asked, str(value), (a, b, c), thing)
