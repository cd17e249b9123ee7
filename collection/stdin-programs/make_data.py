"""Writes test.jsonl, validation.jsonl and audit.jsonl: ``python make_data.py``, two minutes.

Deterministic: nothing in it depends on a clock.
"""

# ruff: noqa: E501 -- programs, and rows as they are written

import json
import random
import resource
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "src"))

from hacks import HACKS
from lecture_stdin_programs.problem import Problem
from lecture_stdin_programs.training import HIDDEN, SHOWN, SPLITS, is_enough, task_of
from mutants import changed, inputs_that_kill, is_right, outputs

DATA = Path(__file__).parent / "src" / "lecture_stdin_programs"
EACH = {"validation": 12, "test": 12}
MUTANTS, AUDITED = 3, 5
SOURCE, LICENCE = "made by rule", "Apache-2.0"

FORMS = {
    "as-main": "import sys\n\n\n@\n\ndef main():\n    print(solve(sys.stdin.read()), end='')\n\n\nif __name__ == '__main__':\n    main()",
    "with-input": "@\n\nlines = []\nwhile True:\n    try:\n        lines.append(input())\n    except EOFError:\n        break\nprint(solve('\\n'.join(lines) + '\\n'))",
    "written": "import sys\n@\n\nsys.stdout.write(solve(open(0).read()))\nsys.exit(0)",
}
TALK = {
    "fenced": "```python\n@\n```",
    "with-words": "I read everything and then work on it.\n\n```python\n@\n```\n\nFor the first example it prints:\n```\n#\n```",
    "thinking": "<think>A first try:\n```python\nprint(0)\n```\nNo.</think>\n```py\n@\n```",
    "bare": "@",
}


def tasks(split: str) -> list[tuple[dict, Problem]]:
    found, seen = [], set()
    for level, families in SPLITS[split].items():
        for family in families:
            number = 0
            while number < EACH[split]:
                rng = random.Random(f"{split}:{family.__name__}:{len(seen)}:{number}")
                problem = family(rng)
                shown = [problem.draw(rng) for _ in range(40)]
                shown = list(dict.fromkeys(shown))[:SHOWN]
                tests = [
                    *({"stdin": one, "stdout": str(out)} for one, out in zip(shown, outputs(problem.source, shown), strict=True)),
                    *inputs_that_kill(problem, rng, HIDDEN),
                ]  # fmt: skip
                seen.add(len(seen))
                if not is_enough(tests):
                    continue
                name = family.__name__.replace("_", "-")
                task = task_of(problem, tests, f"{name}-{split}-{number}")
                found.append((task | {"tags": [level, name], "split": split}, problem))
                number += 1
    return found


def cases(made: list[tuple[dict, Problem]]) -> list[dict]:
    rng, found = random.Random("cases"), []

    def add(task: dict, kind: str, response: str, label: str) -> None:
        found.append({
            "id": f"{task['id']}-{kind}", "task_id": task["id"], "response": response, "label": label,
            "tags": [kind.rstrip("0123456789-")], "source": SOURCE, "licence": LICENCE,
        })  # fmt: skip

    for number, (task, problem) in enumerate(made):
        if int(task["id"].rsplit("-", 1)[1]) >= AUDITED:
            continue
        for form, talk in zip(FORMS, rng.sample(sorted(TALK), len(FORMS)), strict=True):
            code = FORMS[form].replace("@", problem.source.rstrip())
            add(
                task,
                form,
                TALK[talk].replace("#", "1").replace("@", code),  # the code last: some programs print "#"
                "correct",
            )
        wrong = [text for text in changed(problem.source) if _fails(problem, text, task["answer"])]
        for place, text in enumerate(rng.sample(wrong, MUTANTS)):
            add(
                task,
                f"changed-{place}",
                TALK["fenced"].replace("@", FORMS["as-main"].replace("@", text.rstrip())),
                "incorrect",
            )
        by_heart = {test["stdin"]: test["stdout"] for test in task["answer"][:SHOWN]}
        add(
            task,
            "by-heart",
            TALK["fenced"].replace("@", f"import sys\nprint({by_heart!r}.get(sys.stdin.read(), '0'))"),
            "incorrect",
        )
        for name in list(HACKS)[number % 4 :: 4]:
            add(task, f"hack-{name}", TALK["fenced"].replace("@", HACKS[name]), "incorrect")
    return found


def _fails(problem: Problem, text: str, tests: list[dict]) -> bool:
    given = outputs(text, [test["stdin"] for test in tests])
    return not all(
        is_right(problem, test["stdin"], out, test["stdout"]) for test, out in zip(tests, given, strict=True)
    )


def write(name: str, rows: list[dict]) -> None:
    (DATA / name).write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    print(name, len(rows))


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))  # some changed programs double a text without end
    write("validation.jsonl", [task for task, _ in tasks("validation")])
    made = tasks("test")
    write("test.jsonl", [task for task, _ in made])
    write("audit.jsonl", cases(made))
