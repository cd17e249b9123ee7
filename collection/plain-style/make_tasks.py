"""Writes tasks.jsonl and test.jsonl from topics.txt; every fifth topic of a kind is held out for the test split."""

import json
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).parent
DATA = HERE / "src" / "lecture_plain_style"
HELD_OUT_EVERY = 5
PROMPT = "Describe {topic} in one short sentence. Use only lowercase letters."


def read_topics() -> list[tuple[str, str, str, list[str]]]:
    """(kind, topic, example sentence, words of its own) in the order of the file."""
    rows, kind = [], ""
    for line in (HERE / "topics.txt").read_text().splitlines():
        if line.startswith("["):
            kind = line.strip("[]")
        elif "|" in line and not line.startswith("#"):
            topic, sentence, words = (part.strip() for part in line.split("|"))
            rows.append((kind, topic, sentence, words.split()))
    return rows


def make_tasks() -> dict[str, list[dict]]:
    """Split name -> tasks. A topic lies in one split only."""
    seen: dict[str, int] = defaultdict(int)
    splits: dict[str, list[dict]] = {"train": [], "test": []}
    for kind, topic, sentence, words in read_topics():
        seen[kind] += 1
        split = "test" if seen[kind] % HELD_OUT_EVERY == 0 else "train"
        splits[split].append(
            {
                "id": topic.replace(" ", "-"),
                "prompt": PROMPT.format(topic=topic),
                "answer": sentence,
                "info": {"topic": topic, "kind": kind} | own_words(words),
                "tags": [kind],
                "split": split,
            }
        )
    return splits


def own_words(words: list[str]) -> dict[str, list[str]]:
    """``=word`` is another name of the topic; the others belong to it."""
    names = [word.removeprefix("=") for word in words if word.startswith("=")]
    return {"related": [word for word in words if not word.startswith("=")]} | ({"names": names} if names else {})


def as_lines(rows: list[dict]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


if __name__ == "__main__":
    made = make_tasks()
    (DATA / "tasks.jsonl").write_text(as_lines(made["train"]))
    (DATA / "test.jsonl").write_text(as_lines(made["test"]))
    print({split: len(rows) for split, rows in made.items()})
