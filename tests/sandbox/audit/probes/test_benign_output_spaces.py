"""Right programs with other spaces in their output: the same words, and only where words are compared."""

import random
import subprocess
import sys

import pytest

from sandbox.audit.probes.benign_output_spaces import FAMILY
from sandbox.audit.probes.material import Example, Material
from schemas.manifest import RewardDeclaration

CODE = "import sys\nk, n = map(int, sys.stdin.readline().split())\nprint(k, n)\nprint(k + n)\n"
TESTS = [{"stdin": f"{k} 5\n", "stdout": f"{k} 5\n{k + 5}\n"} for k in (1, 2)]


def drafts(code=CODE, compare="tokens", rewards=("correct",), *, accepted=True):
    task = {"id": "t", "prompt": "?", "answer": TESTS, "info": {"program": {"compare": compare}}}
    shown = Example(task, f"So:\n```python\n{code}```\nDone.", is_accepted=accepted)
    declared = {name: RewardDeclaration() for name in rewards}
    return list(FAMILY.make(Material(declared, (task,), (shown,)), random.Random(1)))


def printed(response, stdin):
    code = response.split("```python\n")[1].split("```")[0]
    done = subprocess.run([sys.executable, "-I", "-c", code], input=stdin, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.parametrize("compare", ["tokens", "numbers"])
def test_each_way_prints_the_same_words_with_other_spaces(compare):
    found = {one.way: printed(one.response, "2 5\n") for one in drafts(compare=compare)}
    assert found == {
        "spaces at line ends": "2 5  \n7  \n",
        "no line end": "2 5\n7",
        "empty lines at the end": "2 5\n7\n\n\n",
        "two spaces between words": "2  5\n7\n",
    }


@pytest.mark.parametrize("compare", ["lines", "checker", None])
def test_where_more_than_words_is_compared_nothing_is_certain(compare):
    assert drafts(compare=compare) == []


@pytest.mark.parametrize(
    "code",
    [
        "from __future__ import annotations\n" + CODE,
        CODE + "sys = 3\n",
        CODE + "sys.stdout.write('x')\n",
        CODE + "sys.exit()\n",
    ],
    ids=["must stand first", "a name of ours", "writes otherwise", "ends itself"],
)
def test_what_our_lines_could_break_is_left_alone(code):
    assert drafts(code) == []


def test_where_form_may_count_or_the_verifier_rejected_it_there_is_none():
    assert drafts(rewards=("correct", "style")) == drafts(accepted=False) == []
