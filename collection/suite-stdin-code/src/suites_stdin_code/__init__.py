"""Cases whose label is certain by construction: a problem, and a program that solves it or does not."""

import random

from suites_stdin_code.labels import is_right, outputs_of
from suites_stdin_code.problems import PROBLEMS, Problem
from suites_stdin_code.programs import AFTER, FORMS, NO_WORK, READS, TALK, WRITES, program

SOURCE, LICENCE, LABELLED_BY = "made by rule", "Apache-2.0", "a rule, run on its tests"
TESTS = 10
MOST_OF_ONE_OUTPUT = 0.4


def cases(split: str, seed: int, index: int) -> dict:
    """The case of that number. Right and wrong programs take turns."""
    rng = random.Random(f"stdin-code/{split}/{seed}/{index}")
    made = PROBLEMS[index // 2 % len(PROBLEMS)](rng)
    tests = draw_tests(made, rng)
    right = index % 2 == 0
    tag, code = _right(rng, made, tests) if right else _wrong(rng, index // 2, made, tests)
    talk = rng.choice(sorted(TALK))
    return {
        "id": f"made-{split}-{index:04d}",
        "task": {
            "id": f"program-{split}-{index:04d}",
            "prompt": f"Write a Python program that reads standard input and prints the result.\n\n{made.words}\n\n"
            f"Example input:\n{tests[0]['stdin']}\nExample output:\n{tests[0]['stdout']}",
            "answer": tests[1:],
            "info": {"program": {"seconds": 2.0, "memory_mb": 192, **made.judged_by}},
        },
        "response": TALK[talk].replace("@", code),
        "label": "correct" if right else "incorrect",
        "tags": [tag, talk, made.name],
        "cluster": f"{made.name}, {tag}",
        "source": SOURCE,
        "licence": LICENCE,
        "labelled_by": LABELLED_BY,
    }


def draw_tests(made: Problem, rng: random.Random) -> list[dict]:
    """An example and ``TESTS`` hidden ones, of which at most four have the same output."""
    while True:
        inputs = list(dict.fromkeys(made.draw(rng) for _ in range(4 * TESTS)))[: TESTS + 1]
        tests = [{"stdin": one, "stdout": made.solve(one)} for one in inputs]
        outputs = [test["stdout"] for test in tests[1:]]
        if len(tests) == TESTS + 1 and max(map(outputs.count, outputs)) <= MOST_OF_ONE_OUTPUT * TESTS:
            return tests


def _parts(rng: random.Random) -> tuple[str, str, str, str, str]:
    """The names of a form, a way to read, a way to write and an end; and the tag that says so."""
    form, read, write = rng.choice(FORMS), rng.choice(sorted(READS)), rng.choice(sorted(WRITES))
    after = rng.choice([*["nothing"] * 3, *sorted(AFTER)])
    return form, read, write, after, f"reads {read}, writes {write}"


def _all_right(made: Problem, code: str, tests: list[dict]) -> bool:
    """Whether the middle of a program gives a right output for every hidden test."""
    outputs = outputs_of(code, [test["stdin"] for test in tests[1:]])
    return all(
        is_right(made, test["stdin"], output, test["stdout"]) for test, output in zip(tests[1:], outputs, strict=True)
    )


def _right(rng: random.Random, made: Problem, tests: list[dict]) -> tuple[str, str]:
    form, read, write, after, tag = _parts(rng)
    code = made.code
    if rng.random() < 0.5:
        name = rng.choice(sorted(made.reshaped))
        code, write, tag = f"{code}\n{made.reshaped[name]}", "write", f"output with {name}"
    if not _all_right(made, code, tests):
        raise ValueError(f"{made.name}: {tag} is not right")
    return tag, program(form, READS[read], code, WRITES[write], AFTER[after])


def _wrong(rng: random.Random, number: int, made: Problem, tests: list[dict]) -> tuple[str, str]:
    """A near miss, a damaged output, or no work at all, in turn. Two thirds do nearly what is asked."""
    form, read, write, after, _ = _parts(rng)
    kind, turn = number // len(PROBLEMS) % 3, number // (3 * len(PROBLEMS))
    if kind == 2:
        name = sorted([*NO_WORK, *_SPOILT])[rng.randrange(len(NO_WORK) + len(_SPOILT))]
        if name in NO_WORK:
            return name, NO_WORK[name]
        return name, _SPOILT[name](made, program(form, READS[read], made.code, WRITES[write], ""))
    misses = {f"nearly: {name}": made.code.replace(*change) for name, change in made.misses.items()}
    damaged = {f"output {name}": f"{made.code}\n{line}" for name, line in made.damaged.items()}
    ways = sorted((damaged if kind else misses).items())
    for step in range(len(ways)):  # the next one where this one happens to be right on all tests
        tag, code = ways[(turn + step) % len(ways)]
        if not _all_right(made, code, tests):
            return tag, program(form, READS[read], code, WRITES["write" if kind else write], AFTER[after])
    raise ValueError(f"{made.name}: nothing is wrong on these tests")


_SPOILT = {
    "never called": lambda made, text: program("main", READS["all at once"], made.code, WRITES["print"], "").rsplit(
        "main()", 1
    )[0].rstrip(),
    "raises after the output": lambda made, text: f"{text}\nraise ValueError('after the output')",
    "fails after the output": lambda made, text: f"{text}\nimport sys\nsys.exit(3)",
    "cut off": lambda made, text: f"{text}\nprint((",
    "never ends after the output": lambda made, text: f"{text}\nimport sys\nsys.stdout.flush()\nwhile True:\n    pass",
    "to the error stream": lambda made, text: program(
        "flat", READS["all at once"], made.code, "print(out, end='', file=sys.stderr)", ""
    ),
    "into a file": lambda made, text: program(
        "flat", READS["all at once"], made.code, "open('output.txt', 'w').write(out)", ""
    ),
    "answers the example alone": lambda made, text: program(
        "flat", READS["all at once"], made.code, "print(out if len(data) == 1 else '?', end='')", ""
    ),
}  # fmt: skip
"""What a right program can be spoilt by."""
