"""Writes words.txt, tasks.jsonl, validation.jsonl, test.jsonl and audit.jsonl. Deterministic.

``python make_data.py WORDS COMMON`` reads two word lists of SCOWL for the words: all that may be
guessed (Debian: wamerican) and those that may be secret (Debian: scowl, the English and American lists of size 10, 20
and 35 in one file). Without arguments the committed words are kept and the rest is made from them.
"""

import json
import random
import re
import sys
from pathlib import Path

DATA = Path(__file__).parent / "src" / "lecture_wordle"
sys.path.insert(0, str(DATA.parent))
PROMPT = "Game {number}: I have a word in mind. What is your first guess?"  # numbered: equal ones look like duplicates
FIVE = re.compile(r"[a-z]{5}")
ROMAN = re.compile(r"c{0,3}(xc|xl|l?x{0,3})(ix|iv|v?i{0,3})")
PLURAL = re.compile(r".*[^s]s")  # plurals and third persons make dull secrets


def write_words(every: str, common: str) -> None:
    words = sorted({word for word in Path(every).read_text().split() if FIVE.fullmatch(word)})
    (DATA / "words.txt").write_text("\n".join(words) + "\n")
    known = set(Path(common).read_text().split())
    chosen = sorted(word for word in known & set(words) if not PLURAL.fullmatch(word) and not ROMAN.fullmatch(word))
    random.Random(20260101).shuffle(chosen)
    write_tasks("test", chosen[:200])
    write_tasks("train", chosen[200:1600])
    write_tasks("validation", chosen[1600:1700])


def write_tasks(split: str, secrets: list[str]) -> None:
    rows = [
        {"id": f"{split}-{i:04d}", "prompt": PROMPT.format(number=i + 1), "answer": word, "split": split}
        for i, word in enumerate(secrets)
    ]
    name = "tasks" if split == "train" else split
    (DATA / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def read_rows(name: str) -> list[dict]:
    with (DATA / name).open() as lines:  # splitlines() would also cut at characters that JSON strings may hold
        return [json.loads(line) for line in lines]


def wins(answer: str, others: list[str], number: int) -> list[tuple[str, dict, str]]:
    """(tag, state, note) of games that found the word."""
    tries = number % 6
    made = [("found", {"guesses": [*others[:tries], answer], "messages": tries + 1}, f"found with guess {tries + 1}")]
    if number % 2:
        slips = {"guesses": [*others[:2], answer], "messages": 3 + number % 9}
        made.append(("found-after-slips", slips, "messages without a word cost no guess"))
    return made


def losses(answer: str, others: list[str], near: str, number: int) -> list[tuple[str, dict, str]]:
    """(tag, state, note) of games that did not, and of states that no game can leave behind."""
    kinds = [
        ("not-found", {"guesses": others[:6], "messages": 6}, "six guesses, none right"),
        ("near-miss", {"guesses": [*others[:5], near], "messages": 6}, "one letter off"),
        ("seventh-guess", {"guesses": [*others[:6], answer], "messages": 7}, "the game ends after six"),
        ("gave-up", {"guesses": others[: number % 5], "messages": 12}, "never found"),
        ("claimed", {"guesses": others[:3], "messages": 3, "solved": True, "answer": answer}, "a claim, no guess"),
        ("played-on", {"guesses": [answer, others[0]], "messages": 2}, "no game goes on after the word was found"),
        ("malformed", {"guesses": answer, "messages": 1}, "guesses must be a list"),
        ("backwards", {"guesses": [answer[::-1]], "messages": 1}, "the word backwards"),
        ("malformed", {"guesses": [*others[:2], answer], "messages": 2}, "more guesses than messages"),
        ("malformed", {"guesses": [*others[:2], [answer]], "messages": 3}, "a list is no word"),
    ]
    made = [kind for kind in [kinds[number % len(kinds)]] if kind[0] != "backwards" or answer != answer[::-1]]
    if number % 3 == 0:
        made.append(("no-guess", {"guesses": [], "messages": number % 13}, "nothing was guessed"))
    return made


def expected(label: str, state: dict) -> dict[str, float]:
    """A found word counts by the number of guesses; everything else is worth nothing."""
    return (
        {"solved": 1.0, "speed": (7 - len(state["guesses"])) / 6}
        if label == "correct"
        else {"solved": 0.0, "speed": 0.0}
    )


def make_cases(split: str = "test") -> list[dict]:
    """Games on the secrets of a split whose outcome is certain by construction."""
    words = (DATA / "words.txt").read_text().split()
    rng = random.Random(7)
    cases: list[dict] = []
    for number, task in enumerate(read_rows(f"{split}.jsonl")):
        answer = task["answer"]
        others = rng.sample([word for word in words if word != answer], 8)
        near = next((word for word in words if _letters_apart(word, answer) == 1), others[0])
        for label, made in (
            ("correct", wins(answer, others, number)),
            ("incorrect", losses(answer, others, near, number)),
        ):
            for tag, state, note in made:
                cases.append({
                    "id": f"{tag}-{len(cases):04d}", "task_id": task["id"], "state": state, "label": label,
                    "expect": expected(label, state),
                    "tags": [tag], "note": note, "licence": "Apache-2.0", "source": "made by rule",
                })  # fmt: skip
    return cases


def _letters_apart(one: str, other: str) -> int:
    return sum(a != b for a, b in zip(one, other, strict=True))


if __name__ == "__main__":
    if len(sys.argv) == 3:
        write_words(sys.argv[1], sys.argv[2])
    rows = "".join(json.dumps(case) + "\n" for case in make_cases())
    (DATA / "audit.jsonl").write_text(rows)
    print(rows.count("\n"), "cases")
