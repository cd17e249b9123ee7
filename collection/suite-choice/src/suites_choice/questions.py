"""Questions with four or five options, of which exactly one is right by arithmetic or by the alphabet."""

import random
from collections.abc import Callable
from dataclasses import dataclass

LETTERS = "ABCDE"
WORDS = (
    "amber anchor basket beacon candle canyon cellar cherry copper cotton desert dragon engine falcon feather forest "
    "garden glacier hammer harbour island jacket kettle ladder lantern magnet meadow mirror needle orchard paddle "
    "pebble pepper pillow planet pocket quarry ribbon river saddle shadow silver spiral summit tunnel valley velvet "
    "violin wagon window winter"
).split()


@dataclass(frozen=True)
class Question:
    """A question, its options in order, and the letter of the right one."""

    asked: str
    options: list[str]
    right: int

    @property
    def letter(self) -> str:
        return LETTERS[self.right]

    @property
    def prompt(self) -> str:
        lines = [f"{letter}) {option}" for letter, option in zip(LETTERS, self.options, strict=False)]
        return "\n".join([self.asked, *lines, "Answer with the letter of the right option."])

    def words(self, rng: random.Random) -> dict[str, str]:
        """What the forms are filled in with: ``a`` and ``x`` right, ``w y`` and ``v z`` two wrong options."""
        wrong, other = rng.sample([place for place in range(len(self.options)) if place != self.right], 2)
        return {
            "a": self.letter, "x": self.options[self.right], "l": self.letter.lower(),
            "w": LETTERS[wrong], "y": self.options[wrong], "v": LETTERS[other], "z": self.options[other],
        }  # fmt: skip


def make_question(rng: random.Random) -> Question:
    """One of several kinds."""
    asked, right, wrong = rng.choice(KINDS)(rng)
    options = [right, *rng.sample(wrong, rng.choice([3, 4]))]
    rng.shuffle(options)
    return Question(asked, options, options.index(right))


def _product(rng: random.Random) -> tuple[str, str, list[str]]:
    a, b = rng.randint(6, 29), rng.randint(6, 29)
    wrong = {a * b + step for step in (-10, -1, 1, 10, a, -b)} - {a * b}
    return f"What is {a} times {b}?", str(a * b), [str(one) for one in sorted(wrong)]


def _largest(rng: random.Random) -> tuple[str, str, list[str]]:
    numbers = sorted(rng.sample(range(100, 1000), 5))
    return "Which of these numbers is the largest?", str(numbers[-1]), [str(one) for one in numbers[:-1]]


def _first_word(rng: random.Random) -> tuple[str, str, list[str]]:
    words = sorted(rng.sample(WORDS, 5))
    return "Which of these words comes first in a dictionary?", words[0], words[1:]


def _remainder(rng: random.Random) -> tuple[str, str, list[str]]:
    divisor, number = rng.randint(7, 13), rng.randint(100, 999)
    right = number % divisor
    wrong = [str(one) for one in range(divisor) if one != right]
    return f"What is the remainder of {number} divided by {divisor}?", str(right), wrong


def _longest_word(rng: random.Random) -> tuple[str, str, list[str]]:
    while True:
        words = sorted(rng.sample(WORDS, 5), key=len)
        if len(words[-1]) > len(words[-2]):
            return "Which of these words has the most letters?", words[-1], words[:-1]


Kind = Callable[[random.Random], tuple[str, str, list[str]]]
KINDS: list[Kind] = [_product, _largest, _first_word, _remainder, _longest_word]
