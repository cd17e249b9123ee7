"""What is read of a wheel is checked, and kept for the latest few releases."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.checks.samples import Sample
from sandbox.errors import VerifierFailedError
from sandbox.host import wheel_contents
from sandbox.host.wheel_contents import contents_of, warm_examples
from sandbox.interface import Source


def test_a_wheel_is_read_once(equal_source: Source) -> None:
    first = contents_of(equal_source)
    equal_source.wheel.unlink()
    assert contents_of(equal_source) is first


def test_only_the_latest_releases_are_kept(tmp_path: Path, equal_source: Source) -> None:
    first = contents_of(equal_source)
    for number in range(wheel_contents._KEPT):
        contents_of(Sample(f"NUMBER = {number}", name=f"other{number}").source(tmp_path))
    assert contents_of(equal_source) is not first


def test_a_wheel_with_other_bytes_than_its_digest_is_refused(equal_source: Source) -> None:
    with pytest.raises(VerifierFailedError, match="fetch it again"):
        contents_of(replace(equal_source, digest="sha256:" + "0" * 64))


def test_what_is_no_wheel_is_refused(equal_source: Source) -> None:
    equal_source.wheel.write_bytes(b"no wheel")
    with pytest.raises(VerifierFailedError, match="cannot be used"):
        contents_of(replace(equal_source, digest="sha256:" + "1" * 64))


@pytest.mark.parametrize(
    ("cases", "count", "expected"),
    [(12, 3, [2, 6, 10]), (12, 1, [6]), (3, 8, [0, 1, 2]), (4, 4, [0, 1, 2, 3]), (5, 4, [0, 1, 3, 4]), (12, 0, [])],
)
def test_a_box_warms_up_on_cases_of_all_parts_of_the_file(
    tmp_path: Path, cases: int, count: int, expected: list[int]
) -> None:
    rows = [
        {"id": f"c{n}", "task": {"id": f"t{n}", "prompt": "", "answer": "1"}, "response": f"{n}", "label": "correct"}
        for n in range(cases)
    ]
    head = 'verifier = "PACKAGE:verify"\naudit = ["audit.jsonl"]'
    files = {"audit.jsonl": "".join(json.dumps(row) + "\n" for row in rows)}
    source = Sample("", head=head, files=files).source(tmp_path)
    assert [call["response"] for call in warm_examples(source, count)] == [str(n) for n in expected]
