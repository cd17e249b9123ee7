"""Reported defects of verifiers of instructions. A task's answer is a list of ``{"rule": …, "args": {…}}``."""

import re
from collections.abc import Callable
from typing import Any

from scripts.field_study.unseen.defect import Shown, Task, Unseen, task

Check = Callable[[str, dict[str, Any]], bool]


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def _paragraph(text: str, args: dict[str, Any]) -> bool:
    parts = [part for part in text.split("\n\n") if part.strip()]
    number = args["nth"]
    return len(parts) == args["count"] and _words(parts[number - 1])[:1] == [args["first"]]


def _paragraph_unfiltered(text: str, args: dict[str, Any]) -> bool:
    """Blank paragraphs are not counted, and are indexed."""
    parts = text.split("\n\n")
    number = args["nth"]
    count = len([part for part in parts if part.strip()])
    return count == args["count"] and _words(parts[number - 1])[:1] == [args["first"]]


RULES: dict[str, Check] = {
    "at_least_words": lambda text, args: len(_words(text)) >= args["count"],
    "at_most_words": lambda text, args: len(_words(text)) <= args["count"],
    "contains": lambda text, args: _words(text).count(args["word"]) == args["count"],
    "no_commas": lambda text, _: "," not in text and bool(text.strip()),
    "repeats": lambda text, args: text.strip().lower().startswith(args["text"].lower()),
    "paragraph": _paragraph,
}


def all_of(one: Task, text: str) -> float:
    """Every rule of the task is met; one that nobody knows is not."""
    return float(bool(text.strip()) and all(
        each["rule"] in RULES and RULES[each["rule"]](text, each["args"]) for each in one["answer"]))  # fmt: skip


def unknown_passes(one: Task, text: str) -> float:
    """A rule without a branch falls through to True."""
    known = [each for each in one["answer"] if each["rule"] not in ("repeats", "paragraph")]
    return float(bool(text.strip()) and all(RULES[each["rule"]](text, each["args"]) for each in known))


def last_of_a_name(one: Task, text: str) -> float:
    """Results are kept by the rule's name, so the first of two rules of one name is lost."""
    kept = {each["rule"]: RULES[each["rule"]](text, each["args"]) for each in one["answer"]}
    return float(bool(text.strip()) and all(kept.values()))


def parts_of_words(one: Task, text: str) -> float:
    """A keyword is counted inside longer words as well."""
    rules = RULES | {"contains": lambda text, args: text.lower().count(args["word"]) == args["count"]}
    return float(bool(text.strip()) and all(rules[each["rule"]](text, each["args"]) for each in one["answer"]))


def blank_indexed(one: Task, text: str) -> float:
    rules = RULES | {"paragraph": _paragraph_unfiltered}
    return float(bool(text.strip()) and all(rules[each["rule"]](text, each["args"]) for each in one["answer"]))


def rule(name: str, **args: Any) -> dict[str, Any]:
    return {"rule": name, "args": args}


_NAMES = ("river", "stone", "cloud", "bread", "lamp", "chair", "glass", "wheel", "paper", "field", "sand", "bridge")
_REPEAT = [(task(f"Repeat this, then answer: Tell me of a {name}.", [rule("repeats", text=f"Tell me of a {name}.")]),
            f"Tell me of a {name}. I saw one today.") for name in _NAMES]  # fmt: skip
_TWICE = [(task(f"Write of a {name} in 6 to 9 words, and in no fewer than 2.",
                [rule("at_least_words", count=6), rule("at_most_words", count=9), rule("at_least_words", count=2)]),
           f"The {name} was old and very large.") for name in _NAMES]  # fmt: skip
_COUNT = [(task(f"Use the word {name} {n % 2 + 1} times.", [rule("contains", word=name, count=n % 2 + 1)]),
           (f"I like the {name}.", f"A {name} is a {name}.")[n % 2]) for n, name in enumerate(_NAMES)]  # fmt: skip
_PARTS = [(task(f"Two paragraphs; the second begins with {name}.",
                [rule("paragraph", count=2, nth=2, first=name)]),
           f"This is the first one.\n\n{name.title()} it is.") for name in _NAMES]  # fmt: skip
LIST = (
    Unseen("ifeval-unknown", "an instruction without a branch is met by everything", "confident-ai/deepeval#3063",
           unknown_passes, all_of, _REPEAT, Shown(_REPEAT[0][0], "No.", "incorrect")),
    Unseen("ifeval-repeated", "of two instructions of one name only the last is checked",
           "thinking-machines-lab/tinker-cookbook#893", last_of_a_name, all_of, _TWICE,
           Shown(_TWICE[0][0], "one two three", "incorrect")),
    Unseen("ifbench-inside-words", "a keyword counts inside longer words", "modelscope/evalscope#1755",
           parts_of_words, all_of, _COUNT, Shown(_COUNT[0][0], "I like the riverside.", "incorrect")),
    Unseen("ifeval-blank-paragraph", "blank paragraphs move the one that is checked", "scitix/sieval#104",
           blank_indexed, all_of, _PARTS,
           Shown(_PARTS[0][0], "\n\nThis is the first one.\n\nRiver it is.", "correct")),
)  # fmt: skip
