"""Scripted agents, from a good one to cheats. ``python agents.py`` measures them and prints the README's table.

An agent gets the words of the board and a function that guesses; it sees what the tool tells and nothing else.
"""

import itertools
import json
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

HERE = Path(__file__).parent
DATA = HERE / "src" / "lecture_connections"
sys.path.insert(0, str(HERE / "src"))

from lecture_connections import Session, verify  # noqa: E402 -- the package lies beside
from lecture_connections.inventory import every_category  # noqa: E402
from lecture_connections.puzzles import puzzle_of, solutions  # noqa: E402

Guess = Callable[[object], str]
Agent = Callable[[list[str], Guess], None]
OVER = ("game is over", "are found")


def words_left(said: str, left: list[str]) -> list[str]:
    """The words that the tool says are left."""
    return said.rpartition("Left: ")[2].split(", ") if "Left: " in said else left


def is_over(said: str) -> bool:
    return any(words in said for words in OVER)


def expert(board: list[str], guess: Guess) -> None:
    """Knows the categories, and looks for the one way to part the whole board before the first guess."""
    for four in solutions(tuple(board), 1)[0]:
        guess(sorted(four))


def greedy(board: list[str], guess: Guess) -> None:
    """Lazy: knows the categories, and takes four words of the first that has four, whatever else they fit."""
    left, tried = list(board), set()
    while True:
        fits = [
            four
            for words in every_category().values()
            for four in itertools.combinations([word for word in left if word in words], 4)
            if four not in tried
        ]
        if not fits:
            return
        tried.add(fits[0])
        said = guess(list(fits[0]))
        left = words_left(said, left)
        if is_over(said):
            return


def by_feedback(board: list[str], guess: Guess) -> None:
    """Knows no word: guesses what the answers so far allow."""
    random, left, wrong = Random(" ".join(board)), list(board), []
    while True:
        for _ in range(2000):
            four = frozenset(random.sample(left, 4))
            if all(len(four & other) < 3 + near for other, near in wrong) and _keeps_three(four, wrong):
                break
        said = guess(sorted(four))
        if said.startswith("Wrong"):
            wrong.append((four, "three of the four" in said))
        left = words_left(said, left)
        if is_over(said):
            return


def _keeps_three(four: frozenset, wrong: list[tuple[frozenset, bool]]) -> bool:
    """Whether a guess changes one word only, where the last one had three that belong together."""
    return not wrong or not wrong[-1][1] or len(four & wrong[-1][0]) == 3


def in_order(board: list[str], guess: Guess) -> None:
    """A fixed policy: the first four of what is left, then the second four and so on."""
    _rows(board, guess)


def alphabetical(board: list[str], guess: Guess) -> None:
    """A fixed policy: words that are neighbours in the alphabet."""
    _rows(sorted(board), guess)


def by_length(board: list[str], guess: Guess) -> None:
    """A fixed policy: words of like length."""
    _rows(sorted(board, key=lambda word: (len(word), word)), guess)


def by_ending(board: list[str], guess: Guess) -> None:
    """A fixed policy: words that end alike."""
    _rows(sorted(board, key=lambda word: word[::-1]), guess)


def _rows(words: list[str], guess: Guess) -> None:
    for start in range(0, 16, 4):
        if is_over(guess(words[start : start + 4])):
            return


def all_in_each(board: list[str], guess: Guess) -> None:
    """The hack: every word in every group."""
    for _ in range(4):
        guess(board)


def many_words(board: list[str], guess: Guess) -> None:
    """Hedges: the expert's four words and four others."""
    for four in solutions(tuple(board), 1)[0]:
        guess([*four, *[word for word in board if word not in four][:4]])


def one_text(board: list[str], guess: Guess) -> None:
    """Hands in all four groups at once, as one guess."""
    guess([word for four in solutions(tuple(board), 1)[0] for word in four])


def names_only(board: list[str], guess: Guess) -> None:
    """Names the categories instead of the words."""
    guess([name for name, words in every_category().items() if len(words & set(board)) >= 4][:4])


def same_again(board: list[str], guess: Guess) -> None:
    """One guess, again and again."""
    for _ in range(12):
        guess(board[:4])


def malformed(board: list[str], guess: Guess) -> None:
    """Anything but words."""
    for words in (None, 5, {"a": 1}, [1, 2, 3, 4], [[word] for word in board[:4]]):
        guess(words)


def nothing(board: list[str], guess: Guess) -> None:
    """Guesses nothing."""


AGENTS: dict[str, Agent] = {
    "scripted expert: knows the categories, parts the whole board first": expert,
    "lazy: knows the categories, takes the first that has four": greedy,
    "knows no word, goes by the answers": by_feedback,
    "the board's rows": in_order,
    "neighbours in the alphabet": alphabetical,
    "words of like length": by_length,
    "words that end alike": by_ending,
    "every word in every group": all_in_each,
    "the right four and four others": many_words,
    "all groups in one guess": one_text,
    "the names of the groups": names_only,
    "one guess again and again": same_again,
    "malformed guesses": malformed,
    "guesses nothing": nothing,
}


def play(agent: Agent, task: dict) -> tuple[dict[str, float], list]:
    """The rewards of one episode, and all that was handed to the tool."""
    session, handed = Session(), []
    session.reset(task, 0)

    def guess(words: object) -> str:
        handed.append(words)
        function = {"name": "guess", "arguments": json.dumps({"words": words})}
        turn = session.step({"role": "assistant", "content": "", "tool_calls": [{"id": "c", "function": function}]})
        return turn["messages"][0]["content"]

    board = ", ".join(task["prompt"].splitlines()[-4:]).split(", ")
    agent(board, guess)
    return verify(task, json.loads(json.dumps(session.state()))), handed


def thin(task: dict, handed: list) -> float:
    """A thin verifier: the share of groups whose four words are all in one of the answers. It asks for no more."""
    groups = puzzle_of(**task["info"]).groups.values()
    lists = [set(words) for words in handed if isinstance(words, list) and all(isinstance(word, str) for word in words)]
    return sum(any(group <= words for words in lists) for group in groups) / 4


def measure(agent: Agent, tasks: list[dict]) -> dict[str, float]:
    """Mean reward of 1.5 (gate applied), shares, and what the thin verifier would pay."""
    played = [(task, *play(agent, task)) for task in tasks]
    earned = [(got["solved"] + 0.5 * got["few_mistakes"]) * got["format"] for _, got, _ in played]
    levels = {
        level: sum(got["solved"] * got["format"] for task, got, _ in played if level in task["tags"])
        / max(1, sum(level in task["tags"] for task in tasks))
        for level in ("easy", "medium", "hard")
    }
    return levels | {
        "format": sum(got["format"] for _, got, _ in played) / len(played),
        "thin": sum(thin(task, handed) for task, _, handed in played) / len(played),
        "earns": sum(earned) / len(earned),
    }


def table(tasks: list[dict]) -> str:
    """The README's table."""
    rows = [
        "| agent | solved: easy | medium | hard | format | earns, of 1.5 | a thin verifier pays, of 1 |",
        "|---" * 7 + "|",
    ]
    for name, agent in AGENTS.items():
        got = measure(agent, tasks)
        shares = " | ".join(f"{got[each]:.0%}".replace("%", " %") for each in ("easy", "medium", "hard", "format"))
        rows.append(f"| {name} | {shares} | {got['earns']:.2f} | {got['thin']:.2f} |")
    return "\n".join(rows)


if __name__ == "__main__":
    with (DATA / "test.jsonl").open() as lines:
        print(table([json.loads(line) for line in lines]))
