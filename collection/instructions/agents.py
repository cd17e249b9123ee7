"""Scripted agents, from a good one to cheats. ``python agents.py`` measures them and prints the README's table."""

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from unittest.mock import patch

HERE = Path(__file__).parent
DATA = HERE / "src" / "lecture_instructions"
sys.path.insert(0, str(HERE / "src"))

from lecture_instructions import verify  # noqa: E402 -- the package lies beside
from lecture_instructions.constraints import KINDS, is_kept  # noqa: E402
from lecture_instructions.subjects import KINDS as PLACES  # noqa: E402
from lecture_instructions.subjects import NOTES, Subject  # noqa: E402
from lecture_instructions.text import clean  # noqa: E402
from lecture_instructions.writing import FILLERS, draft, in_form, in_letters  # noqa: E402

Agent = Callable[[str], str]
WEIGHTS = {"length": 0.25, "words": 0.25, "form": 0.25, "letters": 0.25, "all_kept": 1.0}


def read_prompt(prompt: str) -> tuple[Subject, dict[str, tuple[str, list]]]:
    """Subject and constraints, from the prompt alone."""
    name = re.search(r"text about (.*?) for a travel guide", prompt)[1]
    facts = {}
    for kind, note in NOTES.items():
        found = re.search(rf"(?m)^- {re.escape(note.format('@'))}$".replace("@", "(.+)"), prompt)
        if found:
            facts[kind] = found[1]
    asked = {}
    for family, kinds in KINDS.items():
        for kind, (_, words) in kinds.items():
            found = re.search(rf"(?m)^- {re.escape(words)}$".replace(r"\{\}", "(.+?)"), prompt)
            if found:
                asked[family] = (kind, [int(each) if each.isdigit() else each for each in found.groups()])
    return Subject(name, PLACES[name.split()[-1].lower()], facts), asked


def expert(prompt: str) -> str:
    """Reads the constraints, writes drafts, checks them, and hands in the first that keeps all."""
    subject, asked = read_prompt(prompt)
    random, text = Random(prompt), ""
    word, given = asked["words"]
    extra = {
        "uses-times": lambda: {"noun": given[0], "times": given[1]},
        "begins": lambda: {"start": given[0]},
        "ends": lambda: {"end": given[0]},
    }.get(word, dict)()
    for _ in range(3000):
        said = draft(subject, random, random.randint(0, 10), **extra)
        said += [f"The {given[0]} and the {given[1]} are worth a look."] if word == "uses" else []
        form, number = asked["form"]
        if number and number[0] > len(said):
            continue
        text = in_letters(in_form(said, form, number, random), *asked["letters"], random)
        if all(is_kept(family, kind, values, clean(text)) for family, (kind, values) in asked.items()):
            break
    return text


def tells_only(prompt: str) -> str:
    """Lazy: tells the facts in plain sentences and looks at no constraint."""
    subject, _ = read_prompt(prompt)
    return " ".join(draft(subject, Random(0)))


def one_form(prompt: str) -> str:
    """A template: the facts in lower case on one line without commas, whatever is asked."""
    return tells_only(prompt).lower().replace(",", "")


def shuffled(prompt: str) -> str:
    """The expert's own words in another order."""
    parts = expert(prompt).split(" ")
    return " ".join(Random(1).sample(parts, len(parts)))


def padded(prompt: str) -> str:
    """The facts, then soup of letters to the length that is asked."""
    soup = " ".join("".join(Random(place).choices("bcdfgklmnprst", k=5)) for place in range(12))
    return f"{tells_only(prompt)} {soup}."


def salad(prompt: str) -> str:
    """A word salad that is made to pass: given words with function words between them."""
    subject, asked = read_prompt(prompt)
    words = [word for value in subject.facts.values() for word in value.split()]
    needed = [str(value) for value in asked["words"][1]]
    return f"{subject.name} opened " + " and the ".join(words + needed) + " people visit it."


def bare_facts(prompt: str) -> str:
    """The notes of the prompt as they are."""
    subject, _ = read_prompt(prompt)
    return f"{subject.name}. " + ". ".join(NOTES[kind].format(value) for kind, value in subject.facts.items()) + "."


def denies(prompt: str) -> str:
    """Every fact denied, in the expert's form."""
    return re.sub(r"(?<=[.!?\n] )(?=\w)", "it is not true that ", f". {expert(prompt)}")


_OTHER_THINGS = {
    "year": ["A barn far away opened in {v}.", "My aunt was born in {v}."],
    "person": ["{v} came here by bus.", "The dog of {v} passed by."],
    "size": ["My garden hose is {s}.", "A dog ran {s} in all."],
    "visitors": ["The zoo abroad has {c} visitors a day."],
    "town": ["It stands far from {v}.", "It is unlike {v}."],
    "colour": ["The cat outside is {v}.", "My hat is {v}."],
}
_OTHER_THINGS_BY_NAME = {
    "year": ["Unlike {n} a barn opened in {v}."],
    "person": ["Near {n} {v} went by."],
    "size": ["A snake in {n} is {s}."],
    "visitors": ["Unlike {n} the zoo has {c} visitors a day."],
    "town": ["{n} is far from {v}."],
    "colour": ["A cat in {n} is {v}."],
}


def tells_of_others(prompt: str) -> str:
    """Cheats: the expert's way, with the facts told of other things. A hole that is known and open."""
    writing = "lecture_instructions.writing"
    with patch.dict(f"{writing}._LATER", _OTHER_THINGS), patch.dict(f"{writing}._NAMED", _OTHER_THINGS_BY_NAME):
        return expert(prompt)


def echo(prompt: str) -> str:
    """The prompt."""
    return prompt


def constant(prompt: str) -> str:
    """One text for all tasks: every place, every town, and many numbers."""
    return "It opened in 1900, stands in Calne, is painted red and is 100 metres long. " + " ".join(FILLERS[:3])


def nothing(prompt: str) -> str:
    """Says nothing."""
    return ""


def claims(prompt: str) -> str:
    """Says that all is done."""
    return "All facts are told, and all four constraints are kept: 1.0, 1.0, 1.0, 1.0."


AGENTS: dict[str, Agent] = {
    "scripted expert: drafts and checks": expert,
    "lazy: tells the facts, looks at no constraint": tells_only,
    "template: facts, lower case, one line, no commas": one_form,
    "the notes of the prompt, as they are": bare_facts,
    "facts, then letter soup": padded,
    "word salad of the given words": salad,
    "the expert's words, shuffled": shuffled,
    "the expert's text, each sentence denied": denies,
    "the facts, told of other things": tells_of_others,
    "the prompt": echo,
    "one text for all tasks": constant,
    "claims that all is kept": claims,
    "says nothing": nothing,
}


def measure(agent: Agent, tasks: list[dict]) -> dict[str, float]:
    """Mean reward of 2 (gates applied), and how often each component is 1."""
    verdicts = [verify(task, agent(task["prompt"])) for task in tasks]
    sums = [
        sum(weight * each[name] for name, weight in WEIGHTS.items()) * (each["tells"] == each["fluent"] == 1.0)
        for each in verdicts
    ]
    rates = {name: sum(each[name] == 1.0 for each in verdicts) / len(verdicts) for name in verdicts[0]}
    return rates | {"earns": sum(sums) / len(sums)}


def table(tasks: list[dict]) -> str:
    """The README's table."""
    rows = ["| agent | all kept | tells | fluent | earns, of 2 |", "|---|---|---|---|---|"]
    for name, agent in AGENTS.items():
        got = measure(agent, tasks)
        shares = " | ".join(f"{got[each]:.0%}".replace("%", " %") for each in ("all_kept", "tells", "fluent"))
        rows.append(f"| {name} | {shares} | {got['earns']:.2f} |")
    return "\n".join(rows)


def test_tasks() -> list[dict]:
    """The rows of the test split."""
    with (DATA / "test.jsonl").open() as lines:
        return [json.loads(line) for line in lines]


if __name__ == "__main__":
    print(table(test_tasks()))
