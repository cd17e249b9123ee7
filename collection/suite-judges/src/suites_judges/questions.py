"""Questions with one right answer, and a wrong one near to it."""

import random
from collections.abc import Callable
from dataclasses import dataclass

_FORMS = ("{}", "The answer is {}.", "{} is what you get.", "It is {}.")
_WORDS = (
    "banana letter cabbage pepper coffee balloon mississippi committee tomorrow bookkeeper assessment parallel"
    " rabbit summer yellow carrot hammer village puzzle tunnel"
).split()


@dataclass(frozen=True)
class Question:
    """A prompt, its only right answer, and another value."""

    prompt: str
    right: str
    wrong: str

    def plain(self, value: str, rng: random.Random) -> str:
        """The value in a short sentence."""
        return rng.choice(_FORMS).format(value)


def total(rng: random.Random) -> Question:
    one, two = rng.randint(12, 90), rng.randint(12, 90)
    return _near(f"What is {one} + {two}?", one + two, rng)


def product(rng: random.Random) -> Question:
    one, two = rng.randint(3, 12), rng.randint(11, 40)
    return _near(f"What is {one} times {two}?", one * two, rng)


def larger(rng: random.Random) -> Question:
    one, two = rng.sample(range(100, 1000), 2)
    return Question(f"Which number is larger, {one} or {two}?", str(max(one, two)), str(min(one, two)))


def minutes(rng: random.Random) -> Question:
    hours, rest = rng.randint(2, 9), rng.randint(1, 59)
    return _near(f"How many minutes are {hours} hours and {rest} minutes?", 60 * hours + rest, rng)


def letters(rng: random.Random) -> Question:
    word, times = rng.choice(_WORDS), rng.randint(2, 9)
    letter = rng.choice(sorted(set(word)))
    prompt = f"The word {word} is written {times} times. How many letters {letter} are written?"
    return _near(prompt, word.count(letter) * times, rng)


def _near(prompt: str, value: int, rng: random.Random) -> Question:
    step = rng.choice((-2, -1, 1, 2, 10)) if value > 2 else 1
    return Question(prompt, str(value), str(value + step))


KINDS: dict[str, Callable[[random.Random], Question]] = {
    "total": total,
    "product": product,
    "larger": larger,
    "minutes": minutes,
    "letters": letters,
}
