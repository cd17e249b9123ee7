"""The shapes in which models give code, and what a response commits to."""

import importlib.util
from pathlib import Path

import pytest

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
