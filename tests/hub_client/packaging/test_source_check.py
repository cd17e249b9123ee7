"""Which Python an author's source is read with."""

import sys
from pathlib import Path

import pytest

from hub_client.packaging.source_check import source_faults, source_remarks
from sandbox.checks.samples import Sample
from schemas.wheels.wheel import read_wheel

NEWER = "type Pair[T] = tuple[T, T]\n\ndef verify(task, response):\n    return {'correct': 1.0}\n"


def faults(code: str, requires_python: str, folder: Path) -> list[str]:
    source = Sample(code, requires_python=requires_python).source(folder)
    return source_faults(read_wheel(source.wheel.read_bytes()))


def test_newer_syntax_is_a_fault_where_the_metadata_allows_an_older_python(tmp_path: Path) -> None:
    [fault] = faults(NEWER, ">=3.11", tmp_path)
    assert "is not valid Python 3.11" in fault


@pytest.mark.parametrize("requires_python", [">=3.13", ">=3.12"])
def test_newer_syntax_is_no_fault_where_the_box_has_that_python(tmp_path: Path, requires_python: str) -> None:
    assert faults(NEWER, requires_python, tmp_path) == []


def test_what_no_python_reads_is_left_to_the_box_only_where_this_one_is_older(tmp_path: Path) -> None:
    found = faults("def verify(:\n", ">=3.13", tmp_path)
    assert bool(found) == (sys.version_info[:2] >= (3, 13))


@pytest.mark.parametrize(
    "code",
    [
        "from os.path import *\n",
        "def __getattr__(name):\n    return print\n",
        "verify, other = print, print\n",
        "try:\n    verify = missing\nexcept NameError:\n    def verify(task, response): ...\n",
        "match 1:\n    case 1:\n        verify = print\n",
        "for _ in [1]:\n    verify = print\n",
    ],
)
def test_a_name_that_may_be_there_is_no_fault(tmp_path: Path, code: str) -> None:
    assert faults(code, ">=3.11", tmp_path) == []


def test_a_name_inside_a_function_is_not_the_modules(tmp_path: Path) -> None:
    [fault] = faults("def judge(task):\n    verify = print\n", ">=3.11", tmp_path)
    assert fault.endswith("defines no verify")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("exec(response, {})", ["__init__.py:4 calls exec."]),
        ("subprocess.run(['python', '-c', response])", ["__init__.py:4 calls subprocess.run."]),
        ("eval(response); os.system(response)", ["__init__.py:4 calls eval (and 1 more)."]),
        ("re.compile(response); response.exec(); evaluate(response)", []),
        ("exec(response); run_solution(code=response)", []),
        ("exec(", []),
    ],
)
def test_a_verifier_that_runs_code_in_its_own_box_is_told_of_the_other(
    tmp_path: Path, line: str, said: list[str]
) -> None:
    """A newcomer's verifier of programs called exec(), and no word led it to run_solution."""
    code = f"import os, re, subprocess\n\ndef verify(task, response):\n    {line}\n    return {{'correct': 1.0}}\n"
    source = Sample(code, requires_python=">=3.11").source(tmp_path)
    found = source_remarks(read_wheel(source.wheel.read_bytes()))
    assert len(found) == len(said)
    for remark, words in zip(found, said, strict=True):
        assert words in remark
        assert "`run_solution`" in remark
