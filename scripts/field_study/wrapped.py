"""``scripts/field package SUBJECT --to FOLDER``: a verifier of the field as a package of a hub, with its measured rates.

Written are a manifest, the adapter as it was measured, the labelled cases that the verifier was asked, and a README with
the records of ``results.jsonl``. The wrapped package is a dependency, pinned to the version that was measured. What it
does not need for its verdicts is left out of the lock, as in the study.
"""
# ruff: noqa: E501 -- texts of a README

import argparse
import ast
import json
import re
import sys
from pathlib import Path
from typing import Any

from schemas.evidence.cases import AuditCase, Label
from scripts.field_study import records
from scripts.field_study.environments import python_of, requirements_of
from scripts.field_study.measurement import asked_cases
from scripts.field_study.page import FAMILY_TITLES, percent
from scripts.field_study.subjects import Package, Verifier, chosen, load_subjects

ADAPTERS = Path(__file__).with_name("adapters")
MOST_CASES = 400
"""Of each family, evenly over its cases: a package's own evidence. A hub adds its suites."""
FAMILIES = frozenset({"short-number", "mathematics", "choice", "text", "instructions"})
"""Families whose suites ask what the study asked: a response as text, and the answer in ``task["answer"]``."""
OWNER = "field"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def name_of(verifier: Verifier) -> str:
    """The package's name on a hub: ``math-verify-verify`` of ``math-verify/verify``."""
    return re.sub("[^a-z0-9]+", "-", verifier.name.lower()).strip("-")


def write(verifier: Verifier, folder: Path, requires: list[str]) -> Path:
    """The project's folder, below ``folder``. ``requires``: what the wrapped package declares, by name.

    Raises:
        FileExistsError: the project is there already.

    """
    project = folder / name_of(verifier)
    module = f"{OWNER}_{name_of(verifier)}".replace("-", "_")
    source = project / "src" / module
    (source / "adapters").mkdir(parents=True)
    for name, text in adapter_files(verifier, module).items():
        (source / "adapters" / name).write_text(text, encoding="utf-8")
    cases = [line for family in verifier.families for line in _cases(verifier, family)]
    for place, text in (
        (project / "pyproject.toml", _project(verifier, module, requires)),
        (project / "README.md", _readme(verifier)),
        (source / "__init__.py", _code(verifier, module)),
        (source / "verihub.toml", _manifest(verifier, module)),
        (source / "audit.jsonl", "".join(f"{line}\n" for line in cases)),
    ):
        place.write_text(text, encoding="utf-8")
    return project


def adapter_files(verifier: Verifier, module: str) -> dict[str, str]:
    """File name to text of the adapter and of those that it imports, with their imports below the package."""
    wanted, found = [verifier.adapter.partition(":")[0]], {"__init__.py": '"""The adapter, as it was measured."""\n'}
    while wanted:
        name = wanted.pop()
        text = (ADAPTERS / f"{name}.py").read_text(encoding="utf-8")
        found[f"{name}.py"] = re.sub(r"\bfrom adapters\b", f"from {module}.adapters", text)
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("adapters."):
                other = str(node.module).partition(".")[2]
                wanted += [other] if f"{other}.py" not in found else []
    return found


def left_out(package: Package, requires: list[str]) -> list[str]:
    """What ``without`` names, and of a bare package all dependencies but those that ``needs`` names, as in the study."""
    kept = {_plain(_NAME.match(one)[0]) for one in package.needs if _NAME.match(one)}  # type: ignore[index]
    names = {_plain(found[0]) for one in requires if (found := _NAME.match(one)) and "extra ==" not in one}
    return sorted({*package.without, *(names - kept if package.bare else ())})


def _plain(name: str) -> str:
    return re.sub("[-_.]+", "-", name).lower()


def _project(verifier: Verifier, module: str, requires: list[str]) -> str:
    package, without = verifier.package, left_out(verifier.package, requires)
    text = f"""[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "{module.replace("_", "-")}"
version = "{package.version}"
description = {json.dumps(f"{verifier.what} of {package.name} {package.version}, with measured error rates", ensure_ascii=False)}
readme = "README.md"
requires-python = ">=3.11"
license = "{_licence(package)}"
authors = [{{ name = "Verihub contributors" }}]
dependencies = {json.dumps([package.requirement, *package.needs])}

[tool.hatch.build.targets.wheel]
packages = ["src/{module}"]
"""
    return text + (f"\n[tool.verihub]\nwithout = {json.dumps(without)}\n" if without else "")


def _licence(package: Package) -> str:
    """The adapter's licence, and that of the package which it calls, as one expression."""
    found = sorted({one for one in ("Apache-2.0", "MIT") if one in package.licence} | {"Apache-2.0"})
    return " AND ".join(found)


def _code(verifier: Verifier, module: str) -> str:
    adapter, _, function = verifier.adapter.partition(":")
    return f'''"""{verifier.what} of {verifier.package.name} {verifier.package.version}, behind a hub's interface."""

import re

from {module}.adapters.{adapter} import {function} as judge

WANTS = {verifier.wants!r}
OPTIONS = {verifier.options!r}


def verify(task: dict, response: str) -> dict[str, float | None]:
    """``score`` is what the function returns; null where the response is not in the form that its documents demand."""
    if not re.search(WANTS, response):
        return {{"score": None}}
    score = judge(task, response, **OPTIONS)
    return {{"score": None if score is None else float(score)}}
'''


def _manifest(verifier: Verifier, module: str) -> str:
    judges = [family for family in verifier.families if family in FAMILIES and not verifier.tags]
    return f"""format = 1
id = "{OWNER}/{name_of(verifier)}"
kind = "verifier"
verifier = "{module}:verify"
audit = ["audit.jsonl"]
tags = ["field-study", "wrapped"]

[rewards.score]
description = {json.dumps(f"what {verifier.what} returns", ensure_ascii=False)}
range = [{-1.0 if verifier.package.name == "skyrl-gym" else 0.0}, 1.0]
role = "score"
weight = 1.0
threshold = {float(verifier.threshold)}
{"".join(f"{chr(10)}[judges.{family}]{chr(10)}" for family in judges)}
[sandbox]
isolation = "batch"
timeout_seconds = 15
memory_mb = 1024
"""


def _cases(verifier: Verifier, family: str) -> list[str]:
    """Lines of ``audit.jsonl``: the cases that the verifier was asked, at most ``MOST_CASES``, evenly over them."""
    asked, _ = asked_cases(verifier, family)
    kept = [one for label in Label for one in _evenly([case for case in asked if case.label is label], MOST_CASES // 2)]
    return [json.dumps(_row(case, family), ensure_ascii=False) for case in kept]


def _evenly(cases: list[AuditCase], most: int) -> list[AuditCase]:
    """At most so many, evenly over the list: each label by itself, because labels may take turns in a suite."""
    count = min(len(cases), most)
    return [cases[place * len(cases) // count] for place in range(count)]


def _row(case: AuditCase, family: str) -> dict[str, Any]:
    """A case by an id that no other family has."""
    found = case.model_dump(mode="json", exclude_defaults=True, exclude={"origin", "labelled_by"})
    return {**found, "id": f"{re.sub('[^a-z0-9]+', '-', family)}-{case.id}"}


def _readme(verifier: Verifier) -> str:
    package = verifier.package
    known = [one for one in records.read() if one["verifier"] == verifier.name]
    rows = [
        f"| {FAMILY_TITLES.get(one['family'], one['family'])} | {percent(one['fpr'])} | {one['wrong']} "
        f"| {percent(one['fnr'])} | {one['right']} | {one['measured']} |"
        for one in known
    ]
    table = [
        "| cases | accepts wrong | of | rejects right | of | measured |",
        "|---|---|---|---|---|---|",
        *rows,
    ]
    measured = "\n".join(table) if rows else "Nothing was measured yet."
    note = f"\n{verifier.note}\n" if verifier.note else ""
    asked = "Responses in another form than its documents demand are not judged.\n" if verifier.wants else ""
    return f"""# {OWNER}/{name_of(verifier)}

`{verifier.what}` of {package.name} {package.version} (as pip installs it), as a verifier of a hub. The function is the package's own; what is
here is the adapter that calls it. It accepts from a score of {verifier.threshold:g} on.
{note}{asked}
Licence of {package.name}: {package.licence}. Licence of the adapter and of the cases made by rule: Apache-2.0. Each case names its source and licence.

## Measured

{measured}

The intervals are 95 %, and alike cases count as fewer. The study measured the function outside a box; an audit on a hub measures this package.
"""


def main(arguments: list[str]) -> int:
    """0, or 2 where a project is there already. Prints each project's folder."""
    parser = argparse.ArgumentParser(prog="scripts/field package", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("subject", nargs="+", help="a verifier, or a package for all of its verifiers")
    parser.add_argument("--to", type=Path, required=True, metavar="FOLDER", help="each project is a folder below it")
    asked = parser.parse_args(arguments)
    for verifier in chosen(load_subjects(), asked.subject):
        requires: list[str] = []
        if verifier.package.bare:
            python = python_of(verifier.package)
            requires = requirements_of(python, verifier.package.name)
        try:
            print(write(verifier, asked.to, requires))
        except FileExistsError as error:
            print(f"there already: {error.filename}", file=sys.stderr)
            return 2
    return 0
