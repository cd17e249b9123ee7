"""A sample is a package as a hub takes it: a wheel with a true RECORD, the same bytes each time."""

import base64
import hashlib
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.checks.samples import Sample
from schemas.manifest import Isolation
from schemas.names import digest_of
from schemas.wheels.box_python import DEFAULT_PYTHON

SAMPLE = Sample(
    """
    def verify(task, response):
        return {"correct": 1.0, "short": 0.0}
    """,
    name="odd-one",
    isolation="batch",
    timeout_seconds=2.5,
    memory_mb=99,
    rewards=("correct", "short"),
    files={"tasks.jsonl": '{"id": "é"}\n'},
)


def test_the_manifest_says_what_the_sample_says(tmp_path: Path) -> None:
    source = SAMPLE.source(tmp_path)
    manifest = source.manifest
    assert (manifest.id, list(manifest.rewards)) == ("sample/odd-one", ["correct", "short"])
    assert str(manifest.verifier) == "sample_odd_one:verify", "PACKAGE is the import package"
    assert manifest.sandbox.isolation is Isolation.BATCH
    assert (manifest.sandbox.timeout_seconds, manifest.sandbox.memory_mb) == (2.5, 99)


def test_the_wheel_is_what_the_digest_names_and_its_record_is_true(tmp_path: Path) -> None:
    source = SAMPLE.source(tmp_path)
    assert source.digest == digest_of(source.wheel.read_bytes())
    with zipfile.ZipFile(source.wheel) as archive:
        record = archive.read("sample_odd_one-1.0.0.dist-info/RECORD").decode().splitlines()
        files = {name: archive.read(name) for name in archive.namelist()}
    rows = {name: (said, size) for name, said, size in (line.rsplit(",", 2) for line in record)}
    assert rows.keys() == files.keys()
    assert rows.pop("sample_odd_one-1.0.0.dist-info/RECORD") == ("", "")
    for name, row in rows.items():
        hashed = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).rstrip(b"=").decode()
        assert row == (f"sha256={hashed}", str(len(files[name]))), name
    assert files["sample_odd_one/tasks.jsonl"].decode() == '{"id": "é"}\n'
    compile(files["sample_odd_one/__init__.py"], "sample", "exec")


def test_equal_samples_are_equal_bytes_and_others_are_other_releases(tmp_path: Path) -> None:
    digests = [one.source(tmp_path).digest for one in (SAMPLE, SAMPLE, replace(SAMPLE, code="verify = None\n"))]
    assert digests[0] == digests[1] != digests[2]


@pytest.mark.parametrize(("required", "python"), [("", DEFAULT_PYTHON), ("==3.12.*", "3.12")], ids=["any", "3.12"])
def test_a_sample_may_ask_for_a_python(tmp_path: Path, required: str, python: str) -> None:
    assert replace(SAMPLE, requires_python=required).source(tmp_path).python == python
