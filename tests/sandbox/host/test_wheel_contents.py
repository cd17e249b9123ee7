"""What is read of a wheel is checked, and kept for the latest few releases."""

from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.checks.samples import Sample
from sandbox.errors import VerifierFailedError
from sandbox.host import wheel_contents
from sandbox.host.wheel_contents import contents_of
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
