import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.errors import HostFaultError, VerifierFailedError
from sandbox.guest import frames
from sandbox.host.guest_messages import json_of, load_failure, read_ready, split_part


def test_a_ready_report_keeps_what_else_it_says() -> None:
    report = read_ready(b'{"python": "3.11", "import_seconds": 1, "threads": 2}')
    assert (report.python, report.import_seconds, report.warmed_calls) == ("3.11", 1.0, 0)
    assert report.model_dump()["threads"] == 2


def test_a_failure_is_told_and_never_blamed_on_the_host() -> None:
    assert "no module" in str(load_failure(b'{"kind": "verifier_failed", "message": "no module"}'))
    claimed = load_failure(b'{"kind": "host", "message": "x"}')
    assert isinstance(claimed, VerifierFailedError)
    assert len(str(load_failure(json.dumps({"kind": "memory", "message": "x" * 10**5}).encode()))) < 5000


@given(st.binary(max_size=200) | st.text(max_size=100).map(str.encode) | st.from_regex(rb'\{"(kind|python)": .*\}'))
def test_any_bytes_at_all_are_a_report_or_the_packages_fault(said: bytes) -> None:
    with contextlib.suppress(VerifierFailedError):  # any other error fails the test
        read_ready(said)
    assert not isinstance(load_failure(said), HostFaultError)


@pytest.mark.parametrize("said", [b"NaN", b"[1e999]", b"[1e", b"[" * 1000 + b"]" * 1000, b'"\\ud800"', b"1" * 200])
def test_what_is_not_plain_json_of_some_depth_and_length_is_refused(said: bytes) -> None:
    with pytest.raises(ValueError):
        json_of(said, 150 if said.startswith(b"1") else 10_000)


def test_parts_are_told_apart_by_their_first_byte() -> None:
    assert split_part(b"\x00ab") == (False, b"ab")
    assert split_part(b"\x01") == (True, b"")
    for broken in (b"", b"\x02"):
        with pytest.raises(frames.ProtocolError):
            split_part(broken)
