import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.guest.solution_request import SolutionRequest, check_request

GOOD: dict[str, Any] = {
    "code": "def f(x): return x",
    "argv": None,
    "files": {"a.txt": "b"},
    "stdin": "",
    "entry": "f",
    "calls": [[1], [2]],
    "timeout_seconds": 2.0,
    "memory_mb": 256,
}
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def test_what_run_solution_sends_is_taken_as_it_is() -> None:
    assert check_request(json.dumps(GOOD).encode()) == GOOD


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"timeout_seconds": float("nan")}, "NaN"),
        ({"timeout_seconds": float("inf")}, "Infinity"),
        ({"timeout_seconds": True}, "timeout_seconds"),
        ({"timeout_seconds": 0}, "timeout_seconds"),
        ({"timeout_seconds": "2"}, "timeout_seconds"),
        ({"memory_mb": 1e300}, "memory_mb"),
        ({"memory_mb": -1}, "memory_mb"),
        ({"code": None}, "code or argv"),
        ({"argv": ["ls"]}, "code or argv"),
        ({"code": None, "argv": []}, "argv"),
        ({"code": None, "argv": [1], "entry": None, "calls": None}, "argv"),
        ({"code": None, "argv": ["ls"]}, "entry"),
        ({"entry": None}, "entry"),
        ({"calls": None}, "entry"),
        ({"calls": [1]}, "calls"),
        ({"calls": {"0": []}}, "calls"),
        ({"files": {"a": 1}}, "files"),
        ({"files": []}, "files"),
        ({"stdin": None}, "stdin"),
        ({"code": "\ud800"}, "surrogate"),
    ],
)
def test_what_is_not_a_request_is_refused_by_name(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        check_request(json.dumps({**GOOD, **changes}).encode())


@pytest.mark.parametrize("data", [b"{}", b"[]", b"null", b"1e999", b"", b"{" * 100_000, b'{"code": 1e999}'])
def test_other_json_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError):
        check_request(data)


def test_arguments_that_are_too_deep_are_refused() -> None:
    deep = "[" * 300 + "]" * 300
    data = json.dumps(GOOD).replace("[[1], [2]]", f"[[{deep}]]")
    with pytest.raises(ValueError, match="deep"):
        check_request(data.encode())


@given(st.dictionaries(st.sampled_from(sorted(GOOD)), anything))
def test_any_mix_is_a_whole_request_or_refused(changes: dict[str, Any]) -> None:
    try:
        request = check_request(json.dumps({**GOOD, **changes}).encode())
    except ValueError:
        return
    assert request.keys() == SolutionRequest.__annotations__.keys()
    assert (request["code"] is None) != (request["argv"] is None)
    assert 0 < request["timeout_seconds"] < 1e9
    assert isinstance(request["memory_mb"], int)
    assert all(isinstance(arguments, list) for arguments in request["calls"] or [])
