"""The shapes in which models give code, and what a response commits to."""

import importlib
import importlib.util
import json
import re
import sys
from pathlib import Path

import pytest

from sandbox.interface import Call

PROMPT = 'def add(a: int, b: int) -> int:\n    """Add."""\n'
PROGRAM = PROMPT + "    return a + b\n"
CODE = Path(__file__).parents[2] / "collection/python-functions/src/lecture_python_functions/code.py"


@pytest.fixture(scope="module")
def find_program():
    spec = importlib.util.spec_from_file_location("code_of_python_functions", CODE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.find_program


def in_list(text: str, mark: str) -> str:
    return "\n".join(mark + line for line in text.split("\n"))


FENCED = f"```python\n{PROGRAM}```"


@pytest.mark.parametrize(
    "response",
    [
        FENCED,
        FENCED.replace("\n", "\r\n"),
        f"```python3.11\n{PROGRAM}```",
        f'```python title="a.py"\n{PROGRAM}```',
        f"~~~python\n{PROGRAM}~~~",
        "```python def add(a, b): return a + b```",
        "1. Here:\n\n" + in_list(FENCED, "   "),
        in_list(FENCED, "> "),
        "\ufeff" + PROGRAM,
        PROGRAM.replace("    ", "\u00a0" * 4),
        "Here is my solution:\n\n" + PROGRAM,
        PROGRAM + "\nThis adds both numbers, and it's fast.",
        "```python\nfrom __future__ import annotations\ndef add(a, b):\n    return a + b\n```",
        "return a + b",
        "```python\nreturn a + b\n```",
        "```python\nimport math\n```\nthen\n```python\ndef add(a, b): return a + b\n```",
        f"{FENCED}\nUse:\n```\n>>> add(1, 2)\n3\n```",
        f"{FENCED}\n```text\nadd gives 3\n```",
        "```python\ndef add(a, b): return a - b\n```\nNo:\n```python\ndef add(a, b): return a + b\n```",
        f"```python\n{PROGRAM}",
        f"```python\n{PROGRAM}\nimport sys\nsys.exit(0)\n```",
        f"<think>```python\ndef add(a, b): return helper(a\n```</think>\n{FENCED}",
        f"```python\n{PROGRAM}\nassert add(1, 1) == 3\nprint(add(float(input()), 1))\n```",
        f"```python\n{PROGRAM}\nif __name__ == '__main__':\n    import unittest\n    unittest.main()\n```",
    ],
)
def test_right_code_is_found_in_the_usual_shapes(find_program, response):
    namespace: dict = {}
    exec(find_program(response, PROMPT, "add"), namespace)
    assert namespace["add"](1, 2) == 3


@pytest.mark.parametrize(
    "response",
    [
        f"<think>{FENCED}</think>I do not know.",
        f"{FENCED}\nActually the right code is:\n```python\ndef add(a, b:\n  return\n```",
        "I would add a and b.",
        "",
        "add",
        "```\n" * 5000,
        "~~~" * 9000,
        "import a\nx y\n" * 5000,
    ],
)
def test_what_holds_no_program_is_told_and_not_guessed(find_program, response):
    assert find_program(response, PROMPT, "add") is None


# -- the tasks to train on --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def package(projects):
    """The package, from its folder."""
    source = str(projects["python-functions"].folder / "src")
    sys.path.insert(0, source)
    yield importlib.import_module("lecture_python_functions")
    sys.path.remove(source)
    for name in [name for name in sys.modules if name.partition(".")[0] == "lecture_python_functions"]:
        del sys.modules[name]


@pytest.fixture(scope="module")
def drawn(package):
    return [package.generate("train", 5, index) for index in range(240)]


def test_the_same_task_is_drawn_for_the_same_place(package, drawn):
    assert [package.generate("train", 5, index) for index in (0, 7, 239)] == [drawn[0], drawn[7], drawn[239]]
    assert package.generate("train", 6, 0) != drawn[0]


def test_every_family_and_level_is_drawn_and_prompts_differ(drawn):
    assert len({tuple(task["tags"]) for task in drawn}) == 12
    assert {task["tags"][0] for task in drawn} == {"easy", "medium", "hard"}
    assert len({task["prompt"] for task in drawn}) > 235


def test_what_is_shown_is_not_what_decides_and_values_survive_json(drawn):
    for task in drawn:
        prompt, entry = task["info"]["function"]["prompt"], task["info"]["function"]["entry"]
        for test in task["answer"]:
            assert f">>> {entry}({', '.join(map(repr, test['args']))})\n" not in prompt
            assert json.loads(json.dumps(test)) == test


def test_no_answer_by_heart_passes(drawn):
    for task in drawn:
        values = [json.dumps(test["value"], sort_keys=True) for test in task["answer"]]
        assert max(map(values.count, values)) <= len(values) / 2, task["id"]


@pytest.fixture(scope="module")
def held(projects):
    return projects["python-functions"].rows("validation.jsonl")


def test_validation_shares_no_family_no_name_and_no_words_with_the_other_splits(projects, drawn, held):
    assert len(held) == len({task["prompt"] for task in held}) == 120
    assert {task["split"] for task in held} == {"validation"}
    assert len({tuple(task["tags"]) for task in held}) == 6
    others = [*drawn, *projects["python-functions"].rows("tasks.jsonl")]
    entries = {task["info"]["function"]["entry"] for task in held}
    assert not entries & {task["info"]["function"]["entry"] for task in others}
    told = {
        line.strip() for task in others for line in task["info"]["function"]["prompt"].splitlines() if len(line) > 40
    }
    assert not [
        line for task in held for line in task["info"]["function"]["prompt"].splitlines() if line.strip() in told
    ]


def test_no_answer_by_heart_passes_in_validation(held):
    for task in held:
        values = [json.dumps(test["value"], sort_keys=True) for test in task["answer"]]
        assert max(map(values.count, values)) <= len(values) / 2, task["id"]


def drive(prompt: str):
    """Written from the prompt's words alone."""
    size, wraps = int(re.search(r"field with (\d+) by", prompt)[1]), "comes in again" in prompt

    def solution(commands):
        place, ahead = 0j, 1j
        for command in commands:
            ahead *= {"L": 1j, "R": -1j, "B": -1}.get(command, 1)
            if command == "F":
                to = place + ahead
                if wraps:
                    place = complex(to.real % size, to.imag % size)
                elif 0 <= to.real < size and 0 <= to.imag < size:
                    place = to
        return [int(place.real), int(place.imag)]

    return solution


def read_columns(prompt: str):
    width, up = int(re.search(r"rows of (\d+) letters", prompt)[1]), "from the bottom" in prompt

    def solution(text):
        rows = [text[at : at + width] for at in range(0, len(text), width)]
        order = rows[::-1] if up else rows
        return "".join(row[column] for column in range(width) for row in order if column < len(row))

    return solution


def thin_out(prompt: str):
    pause, any_event = int(re.search(r"at least (\d+) have passed", prompt)[1]), "kept or not" in prompt

    def solution(events):
        kept = []
        for at, (time, name) in enumerate(events):
            before = [t for t, n in (events[:at] if any_event else kept) if n == name]
            if not before or time - before[-1] >= pause:
                kept.append([time, name])
        return kept

    return solution


@pytest.mark.parametrize("write", [drive, read_columns, thin_out], ids=lambda write: write.__name__)
def test_who_reads_a_prompt_of_validation_finds_the_right_values(held, write):
    tasks = [task for task in held if task["info"]["function"]["entry"] == write.__name__]
    assert len(tasks) == 20
    for task in tasks:
        solution = write(" ".join(task["prompt"].split()))
        assert [solution(*test["args"]) for test in task["answer"]] == [test["value"] for test in task["answer"]]


def digit_sum(prompt: str):
    base = int(re.search(r"in base (\d+)", prompt)[1])

    def solution(number):
        return 0 if number == 0 else number % base + solution(number // base)

    return solution


def encode(prompt: str):
    shift = int(re.search(r"the one (\d+)\s+places", prompt)[1])
    stay = "aeiou" if "Vowels" in prompt else ""
    letters = "abcdefghijklmnopqrstuvwxyz"
    table = {letter: letters[(place + shift) % 26] for place, letter in enumerate(letters) if letter not in stay}
    return lambda text: "".join(table.get(letter, letter) for letter in text)


def grid_sum(prompt: str):
    def solution(grid):
        total = 0
        for row, numbers in enumerate(grid):
            for column, number in enumerate(numbers):
                last = len(grid) - 1
                border = row in (0, last) or column in (0, last)
                diagonal = column in (row, last - row)
                inside = (
                    border if "first or" in prompt else diagonal if "diagonals" in prompt else (row - column) % 2 == 0
                )
                total += number if inside else 0
        return total

    return solution


@pytest.mark.parametrize("write", [digit_sum, encode, grid_sum], ids=lambda write: write.__name__)
def test_who_reads_the_prompt_and_knows_nothing_else_finds_the_right_values(drawn, write):
    tasks = [task for task in drawn if task["info"]["function"]["entry"] == write.__name__]
    assert len(tasks) >= 10
    for task in tasks:
        solution = write(" ".join(task["prompt"].split()))
        assert [solution(*test["args"]) for test in task["answer"]] == [test["value"] for test in task["answer"]]


@pytest.mark.docker
def test_a_drawn_task_is_judged_in_boxes(projects, packed, docker_sandbox, drawn):
    """A right program passes; one that knows only the shown calls does not."""
    task = next(task for task in drawn if task["info"]["function"]["entry"] == "digit_sum")
    base = re.search(r"in base (\d+)", task["prompt"])[1]
    right = f"def digit_sum(n):\n    return 0 if n == 0 else n % {base} + digit_sum(n // {base})\n"
    shown = dict(re.findall(r">>> digit_sum\((\d+)\)\s+(\d+)", task["prompt"]))
    by_heart = f"def digit_sum(n):\n    return {{{', '.join(f'{k}: {v}' for k, v in shown.items())}}}.get(n, 0)\n"
    calls = [Call("right", task, right), Call("by heart", task, by_heart)]
    verdicts = dict(docker_sandbox.score(packed.source("python-functions"), calls))
    assert verdicts["right"].rewards["passes"] == 1.0
    assert verdicts["by heart"].rewards["passes"] == 0.0
