"""Questions over made-up people and words. One of the offered answers is right, by a rule that anybody can check."""

import random
from collections.abc import Callable
from dataclasses import dataclass

FIRST = ("Mira", "Jonas", "Petra", "Emil", "Nadia", "Oskar", "Lena", "Ruben", "Vera", "Tomas")
LAST = ("Holt", "Brandt", "Keller", "Lind", "Moreno", "Novak", "Sato", "Weber", "Okoye", "Dahl")
WORDS = (
    "amber",
    "violin",
    "harbour",
    "quarry",
    "basket",
    "needle",
    "feather",
    "valley",
    "desert",
    "ladder",
    "market",
    "pepper",
)
COLOURS = ("green", "red", "blue", "white", "black", "brown", "grey", "yellow")
THINGS = ("door", "roof", "boat", "chair", "bottle", "tower", "wagon", "mill")


@dataclass(frozen=True)
class Question:
    """A question, its answer and at least two other answers that it offers."""

    prompt: str
    right: str
    others: tuple[str, ...]
    near: str
    """Another offered answer, or a name, that resembles the right one."""

    def words(self) -> dict[str, str]:
        """What the forms of a response may name."""
        every = sorted([self.right, *self.others])
        return {
            "a": self.right, "upper": self.right.upper(), "w": self.others[0], "v": self.others[1], "near": self.near,
            "everything": ", ".join(every), "longer": f"{self.right}field", "part": self.right[: len(self.right) // 2],
        }  # fmt: skip


def oldest(rng: random.Random) -> Question:
    """One of the others has the same first name, and another differs in one letter."""
    first, last = rng.sample(FIRST, 3), rng.sample(LAST, 3)
    right, near = f"{first[0]} {last[0]}", f"{first[0]} {last[0]}{rng.choice('aeiou')}"
    others = (f"{first[1]} {last[1]}", f"{first[2]} {last[2]}", near, f"{first[0]} {last[1]}")
    ages = sorted(rng.sample(range(21, 80), 5), reverse=True)
    listed = list(zip((right, *others), ages, strict=True))
    rng.shuffle(listed)
    asked = ", ".join(f"{name} is {age}" for name, age in listed)
    return Question(f"{asked}. Who is the oldest? Give the full name.", right, others, near)


def first_word(rng: random.Random) -> Question:
    """The first in the alphabet."""
    listed = rng.sample(WORDS, 4)
    right, *others = sorted(listed)
    asked = f"Which of these words comes first in the dictionary: {', '.join(listed)}?"
    return Question(asked, right, tuple(others), f"{right[:-1]}{'z' if right[-1] != 'z' else 'y'}")


def colour(rng: random.Random) -> Question:
    """Several things, each of a colour."""
    things, colours = rng.sample(THINGS, 4), rng.sample(COLOURS, 4)
    asked = ", ".join(f"the {thing} is {one}" for thing, one in zip(things, colours, strict=True))
    right, *others = colours
    return Question(f"{asked.capitalize()}. Which colour is the {things[0]}?", right, tuple(others), f"dark {right}")


def left_of(rng: random.Random) -> Question:
    """People in a row."""
    row = rng.sample(FIRST, 5)
    place = rng.randrange(1, 5)
    right = row[place - 1]
    others = [name for name in row if name not in (right, row[place])]
    rng.shuffle(others)
    asked = f"Who stands directly to the left of {row[place]}?"
    told = f"From left to right stand {', '.join(row[:-1])} and {row[-1]}."
    return Question(f"{told} {asked}", right, tuple(others), f"{right}n")


KINDS: dict[str, Callable[[random.Random], Question]] = {
    "oldest": oldest, "first-word": first_word, "colour": colour, "left-of": left_of,
}  # fmt: skip
