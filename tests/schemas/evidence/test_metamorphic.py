import json

import pytest
from pydantic import ValidationError

from schemas.evidence.metamorphic import MetamorphicPair
from schemas.manifest import Manifest
from schemas.wheels.package_data import check_data_files, check_relations
from schemas.wheels.wheel_error import ProblemList

ROW = {
    "rewriting": "full_stop",
    "relation": "same",
    "task": {"id": "t", "prompt": "1 + 1?", "answer": "2"},
    "before": {"response": "2"},
    "after": {"response": "2."},
}
MANIFEST = """
format = 1
id = "al/check"
kind = "verifier"
verifier = "al_check:verify"
[rewards.correct]
[probes]
pairs = "pairs.jsonl"
"""


@pytest.mark.parametrize(
    "changed",
    [
        {"relation": "better"},
        {"rewriting": "Full Stop"},
        {"before": {}},
        {"task": None},
        {"after": {"answer": "2."}},
    ],
)
def test_a_row_that_says_too_little_is_refused(changed):
    with pytest.raises(ValidationError):
        MetamorphicPair.model_validate(ROW | changed)


def test_each_side_may_bring_a_task_of_its_own():
    pair = MetamorphicPair.model_validate(
        ROW
        | {
            "task": None,
            "before": {"task": ROW["task"], "response": "2"},
            "after": {"task": ROW["task"] | {"prompt": "2 - 0?"}, "response": "2"},
        }
    )
    assert pair.after.task["prompt"] == "2 - 0?"


def test_a_rewriting_has_one_relation():
    pairs = [MetamorphicPair.model_validate(row) for row in (ROW, ROW, ROW | {"relation": "different"})]
    assert list(check_relations(pairs)) == [
        "rewriting 'full_stop' is same in an earlier pair and different here: use two names"
    ]


def faults(*rows, files=None):
    data = "".join(json.dumps(row) + "\n" for row in rows).encode()
    problems = ProblemList()
    check_data_files({"al_check/pairs.jsonl": data} if files is None else files, Manifest.from_toml(MANIFEST), problems)
    return [str(part) for part in problems.parts]


def test_a_file_of_pairs_is_checked_when_it_is_packed():
    assert faults(ROW, ROW) == []
    [missing] = faults(files={})
    assert "is named in verihub.toml and missing" in missing
    [unknown] = faults(ROW | {"respones": "x"})
    assert "pairs.jsonl:1" in unknown
    [two] = faults(ROW, ROW | {"relation": "different"})
    assert "pairs.jsonl:2" in two
    [lost] = faults(ROW | {"task": None, "task_id": "nowhere"})
    assert "nowhere" in lost
