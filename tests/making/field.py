"""A simulated field of models on a simulated benchmark, with known truth: for tests and for looking at pages.

Nothing here was measured. Names say so, and so must every hub that shows it.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

HARNESSES = ("lecture/single-turn", "lecture/tool-loop", "lecture/search-loop")
TOPICS = ("geometry", "algebra", "counting", "probability")
NOUNS = (
    "apples",
    "marbles",
    "tickets",
    "bricks",
    "letters",
    "coins",
    "plants",
    "trains",
    "steps",
    "pages",
    "cups",
    "rows",
)
VERBS = (
    "buys",
    "sells",
    "loses",
    "counts",
    "stacks",
    "shares",
    "paints",
    "carries",
    "folds",
    "finds",
    "breaks",
    "plants",
)


@dataclass(frozen=True)
class Environment:
    """One simulated environment: its tasks by split, and labelled cases (``errors`` of them labelled against the code)."""

    name: str
    test: int
    cases: int
    errors: int

    @property
    def package(self) -> str:
        return f"simulated/{self.name}"


ENVIRONMENTS = (Environment("sums", 120, 600, 0), Environment("words", 80, 120, 8), Environment("styles", 40, 0, 0))


def prompt(random: np.random.Generator, number: int) -> str:
    """A word problem of about thirty words."""
    pick = [str(random.choice(pool)) for pool in (NOUNS, VERBS, NOUNS, VERBS, NOUNS)]
    n = random.integers(2, 99, size=5)
    return (
        f"Somebody {pick[1]} {n[0]} {pick[0]} in week {n[1]} and {pick[3]} {n[2]} {pick[2]} after {n[3]} days, while a friend "
        f"keeps {n[4]} {pick[4]} for later; what is {number} plus {number}?"
    )


def project_files(environment: Environment) -> dict[str, str]:
    """Path -> text of the environment's project. Two test prompts stand in train, three have a near-duplicate."""
    random = np.random.default_rng(len(environment.name))
    texts = [prompt(random, n) for n in range(environment.test)]
    texts[5:8] = [text.replace("Somebody", "Someone") for text in texts[:3]]
    test = [
        {"id": f"t{n:03d}", "prompt": text, "answer": 2 * n, "tags": [TOPICS[n % 4]]} for n, text in enumerate(texts)
    ]
    train = [
        {"id": f"r{n:03d}", "prompt": prompt(random, n), "answer": 2 * n, "tags": [TOPICS[n % 4]]} for n in range(60)
    ]
    train += [{"id": f"leak{n}", "prompt": texts[20 + n], "answer": 40 + 2 * n} for n in range(2)]
    cases = []
    for n in range(environment.cases):
        task, is_right = n % environment.test, n % 2 == 0
        said: int | str = 2 * task if is_right else 2 * task + 1 + n
        if n < 2 * environment.errors and is_right:
            said = f"it is {said}"  # the code takes the bare number only: a false negative, on purpose
        label = "correct" if is_right else "incorrect"
        cases.append(
            {"id": f"c{n}", "task_id": f"t{task:03d}", "response": str(said), "label": label, "tags": ["made"]}
        )
    import_name = f"simulated_{environment.name}"
    manifest = (
        f'format = 1\nid = "{environment.package}"\nkind = "environment"\nverifier = "{import_name}:verify"\n'
        'tasks = { train = "train.jsonl", test = "test.jsonl" }\ntags = ["simulated"]\n'
        + ('audit = ["audit.jsonl"]\n' if cases else "")
        + '\n[rewards.correct]\ndescription = "the number is right"\n\n[sandbox]\nisolation = "batch"\n'
    )
    code = 'def verify(task, response):\n    return {"correct": float(response.strip() == str(task["answer"]))}\n'
    files = {"verihub.toml": manifest, "__init__.py": f'"""Simulated."""\n\n\n{code}'}
    rows = {"train.jsonl": train, "test.jsonl": test} | ({"audit.jsonl": cases} if cases else {})
    return files | {name: "".join(json.dumps(row) + "\n" for row in data) for name, data in rows.items()}


def benchmark_manifest(name: str, environments: tuple[Environment, ...]) -> str:
    pinned = ", ".join(f'"{one.package}@>=1,<2"' for one in environments)
    return f'format = 1\nid = "simulated/{name}"\nkind = "benchmark"\nenvironments = [{pinned}]\nsplit = "test"\n'


def write_project(folder: Path, package: str, files: dict[str, str]) -> Path:
    """A project on disk, ready to be packed."""
    name, import_name = package.replace("/", "-"), package.replace("/", "_").replace("-", "_")
    (folder / "src" / import_name).mkdir(parents=True)
    (folder / "README.md").write_text(f"# {package}\n\nSimulated: nothing here was measured on a real model.\n")
    (folder / "pyproject.toml").write_text(
        '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n\n'
        f'[project]\nname = "{name}"\nversion = "1.0.0"\ndescription = "Simulated, to look at pages with"\n'
        'readme = "README.md"\nrequires-python = ">=3.11"\nlicense = "Apache-2.0"\n'
    )
    for path, text in ({"__init__.py": '"""Simulated."""\n'} | files).items():
        (folder / "src" / import_name / path).write_text(text)
    return folder


def results(
    environments: tuple[Environment, ...] = ENVIRONMENTS,
    models: int = 12,
    attempts: int = 4,
    harnesses: tuple[str, ...] = HARNESSES,
    seed: int = 0,
) -> list[dict[str, Any]]:
    """Bodies for ``POST …/results``: abilities -1.5 to 1.5, difficulties around 0.

    Task t003 of the first environment points the wrong way; search helps on tasks t030 to t039 and hurts on t040.
    """
    random = np.random.default_rng(seed)
    abilities = np.linspace(-1.5, 1.5, models)
    bodies = []
    for place, environment in enumerate(environments):
        difficulty = np.random.default_rng(place + 7).normal(0, 1.2, environment.test)
        slope = np.random.default_rng(place + 70).lognormal(0, 0.35, environment.test)
        slope[3] = -1.5 if place == 0 else slope[3]
        for model, ability in enumerate(abilities):
            for order, harness in enumerate(harnesses):
                shift = np.full(environment.test, 0.15 * order)
                if harness.endswith("search-loop"):
                    shift[30:40], shift[40:41] = 2.5, -3.0
                chance = 1 / (1 + np.exp(-slope * (ability + shift - difficulty)))
                solved = random.binomial(attempts, chance)
                bodies.append(
                    {
                        "environment": environment.package,
                        "environment_version": "1.0.0",
                        "model": f"simulated/model-{model + 1:02d}",
                        "harness": harness,
                        "failed": int(model == 0),
                        "outcomes": [
                            {"task_id": f"t{n:03d}", "attempts": attempts, "successes": int(k)}
                            for n, k in enumerate(solved)
                        ],
                    }
                )
    return bodies
