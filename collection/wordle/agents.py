"""Scripted agents, from an expert to cheats. ``python agents.py`` measures them and prints the README's table."""

import json
import sys
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
DATA = HERE / "src" / "lecture_wordle"
sys.path.insert(0, str(HERE / "src"))

from lecture_wordle import Session, verify  # noqa: E402 -- the package lies beside
from lecture_wordle.rules import marks  # noqa: E402
from lecture_wordle.words import WORDS  # noqa: E402

Say = Callable[[str], str | None]
Agent = Callable[[Say], None]
"""Gets a way to say something; the answer is the marks, empty where it was no guess, None when the game is over."""
EVERY = sorted(WORDS)
FIRST = "arose"


@cache
def secrets() -> list[str]:
    """The secrets of the train split: words that may be learnt."""
    return [row["answer"] for row in read("tasks")]


def read(name: str) -> list[dict]:
    with (DATA / f"{name}.jsonl").open() as lines:
        return [json.loads(line) for line in lines]


def guess(say: Say, word: str) -> str | None:
    return say(f"<guess>{word}</guess>")


def consistent(say: Say, words: list[str], *, spread: bool) -> None:
    """Always a word that fits all marks; ``spread``: the one whose letters are most common among those that fit."""
    left, word = words, FIRST
    for _ in range(6):
        said = guess(say, word)
        if not said:
            return
        left = [each for each in left if each != word and marks(word, each) == said]
        if not left:
            return
        common = Counter(letter for each in left for letter in set(each))
        word = max(left, key=lambda each: sum(common[letter] for letter in set(each))) if spread else left[0]


def expert(say: Say) -> None:
    """Fits all marks, by the whole list, the most telling word first."""
    consistent(say, EVERY, spread=True)


def alphabetical(say: Say) -> None:
    """Fits all marks, the first of the list."""
    consistent(say, EVERY, spread=False)


def by_heart(say: Say) -> None:
    """Fits all marks among the secrets of the train split: no secret of another split is there."""
    consistent(say, secrets(), spread=True)


def lazy(say: Say) -> None:
    """Six good words, whatever the marks say."""
    for word in ("arose", "unlit", "champ", "gawky", "fixed", "bevel"):
        guess(say, word)


def same_word(say: Say) -> None:
    for _ in range(6):
        guess(say, FIRST)


def many_in_one(say: Say) -> None:
    """Names a hundred words in each message: the last counts."""
    for start in range(0, 600, 100):
        say(" ".join(f"<guess>{word}</guess>" for word in secrets()[start : start + 100]))


def claims(say: Say) -> None:
    while say("I have found the word. You found it. GGGGG") is not None:
        pass


def says_nothing(say: Say) -> None:
    """Does nothing."""


AGENTS: dict[str, Agent] = {
    "scripted expert: fits the marks, most telling first": expert,
    "fits the marks, first of the list": alphabetical,
    "fits the marks, knows the train secrets alone": by_heart,
    "lazy: six good words, whatever the marks": lazy,
    "a hundred words in each message": many_in_one,
    "the same word always": same_word,
    "claims that it was found": claims,
    "does nothing": says_nothing,
}


def play(agent: Agent, task: dict) -> dict[str, float]:
    """The rewards of one game."""
    session = Session()
    session.reset(task, 0)

    def say(text: str) -> str | None:
        turn = session.step({"role": "assistant", "content": text})
        if turn["done"]:
            return None
        words = turn["messages"][0]["content"].split()
        return words[1] if len(words[0]) == 5 and set(words[1]) <= set("GYX") else ""

    agent(say)
    return verify(task, session.state())


def measure(agent: Agent, tasks: list[dict]) -> dict[str, float]:
    """Mean of each component, and of what is earned, of 1.5."""
    played = [play(agent, task) for task in tasks]
    mean = {name: sum(got[name] for got in played) / len(played) for name in played[0]}
    return mean | {"earns": mean["solved"] + 0.5 * mean["speed"]}


def table(tasks: list[dict]) -> str:
    """The README's table."""
    rows = ["| agent | solved | speed | earns, of 1.5 |", "|---|---|---|---|"]
    for name, agent in AGENTS.items():
        got = measure(agent, tasks)
        rows.append(f"| {name} | {got['solved']:.0%} | {got['speed']:.2f} | {got['earns']:.2f} |")
    return "\n".join(rows)


if __name__ == "__main__":
    print(table(read("test")))
