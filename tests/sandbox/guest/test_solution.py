"""run_solution, from the verifier's side: what failed is data, and what cannot be judged is no data at all."""

import inspect
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sandbox.guest
from sandbox.guest import solution
from sandbox.guest.solution import SolutionFaultError, SolutionResult, SolutionUnavailableError, run_solution
from sandbox.guest.solution_request import check_request
from sandbox.host.solution_request import SolutionRequest

plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


class Host:
    """Answers every request alike, and keeps the last one."""

    def __init__(self) -> None:
        self.reply: Any = {}
        self.raw: bytes | None = None
        self.request = b""

    def __call__(self, request: bytes) -> bytes:
        self.request = request
        return self.raw if self.raw is not None else json.dumps(self.reply).encode()


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    before = solution._ask[:]
    host = Host()
    solution.connect(host)
    yield host
    solution._ask[:] = before


@pytest.fixture(autouse=True)
def _fresh(host: Host) -> None:
    host.reply, host.raw = {}, None


# -- the request -----------------------------------------------------------------------------------------------------


@given(
    st.tuples(st.text(), st.dictionaries(st.text(), st.text(), max_size=3), st.text()),
    st.lists(st.lists(plain, max_size=3), max_size=3),
    st.floats(0.001, 1e6),
    st.integers(1, 10**6),
)
def test_both_ends_take_whatever_plain_request_a_verifier_makes(
    host: Host, texts: tuple[str, dict[str, str], str], calls: list[list[Any]], seconds: float, memory: int
) -> None:
    code, files, stdin = texts
    run_solution(code, None, files, stdin, "f", calls=calls, timeout_seconds=seconds, memory_mb=memory)
    taken = check_request(host.request)
    assert taken["calls"] == calls
    assert (taken["code"], taken["files"], taken["stdin"]) == (code, files, stdin)
    assert SolutionRequest.model_validate_json(host.request).model_dump() == dict(taken)


@pytest.mark.parametrize(
    "half", [{"code": "\ud800"}, {"code": "1", "stdin": "\udfff"}, {"code": "1", "files": {"a": "\ud800"}}]
)
def test_half_a_surrogate_pair_in_a_response_is_the_programs_failure(host: Host, half: dict[str, Any]) -> None:
    """A model that writes one must be judged wrong, and not have its verdict taken back."""
    run_solution(**half)
    with pytest.raises(ValueError, match="surrogate"):
        check_request(host.request)


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"code": "1", "argv": ["true"]},
        {"code": "1", "args": []},
        {"code": "1", "calls": []},
        {"code": "1", "timeout_seconds": float("nan")},
        {"code": "1", "timeout_seconds": float("inf")},
        {"code": "1", "entry": "f", "args": [float("nan")]},
        {"code": "1", "timeout_seconds": "soon"},
    ],
)
def test_a_mistake_of_the_verifier_is_an_exception_of_the_verifier(host: Host, arguments: dict[str, Any]) -> None:
    host.request = b""
    with pytest.raises(ValueError):
        run_solution(**arguments)
    assert host.request == b"", "and nothing was asked"


def test_one_call_without_arguments_is_a_call(host: Host) -> None:
    run_solution("x", entry="f")
    assert json.loads(host.request)["calls"] == [[]]
    run_solution("x")
    assert json.loads(host.request)["calls"] is None
    run_solution("x", entry="f", calls=[])
    assert json.loads(host.request)["calls"] == []


# -- the reply -------------------------------------------------------------------------------------------------------


def test_the_only_call_is_the_result(host: Host) -> None:
    host.reply = {"exit_status": 0, "stdout": "out", "results": [{"value": [1, None]}], "files": {"a": "b"}}
    assert run_solution("x", entry="f") == SolutionResult(
        0, "out", "", [1, None], [{"value": [1, None]}], {"a": "b"}, timed_out=False, error=""
    )


def test_an_error_of_the_only_call_is_the_error(host: Host) -> None:
    host.reply = {"exit_status": 0, "results": [{"error": "ValueError: no"}]}
    result = run_solution("x", entry="f", args=[1])
    assert (result.result, result.error) == (None, "ValueError: no")
    host.reply["error"] = "it was killed"
    assert run_solution("x", entry="f", args=[1]).error == "it was killed"


def test_of_several_calls_none_is_the_result(host: Host) -> None:
    host.reply = {"results": [{"value": 1}, {"error": "no"}]}
    result = run_solution("x", entry="f", calls=[[1], [2]])
    assert (result.result, result.error, result.results) == (None, "", host.reply["results"])


@pytest.mark.parametrize("reply", [{}, {"error": None, "results": None}, {"error": "the box may not ask"}])
def test_an_answer_without_results_is_a_result_without_value(host: Host, reply: dict[str, Any]) -> None:
    host.reply = reply
    result = run_solution("x", entry="f")
    assert (result.result, result.results, result.exit_status, result.timed_out) == (None, [], None, False)
    assert result.error == (reply.get("error") or "")


def test_a_result_that_is_too_deep_for_the_verifiers_stack_is_a_failure_of_the_program(host: Host) -> None:
    """Else a model could have its verdict taken back by nesting a value."""
    host.raw = b'{"results": [{"value": ' + b"[" * 100_000
    assert "nested too deep" in run_solution("x", entry="f").error


def test_a_number_that_is_none_never_reaches_a_comparison(host: Host) -> None:
    host.raw = b'{"results": [{"value": NaN}]}'
    with pytest.raises(ValueError, match="NaN is not JSON"):
        run_solution("x", entry="f")


@pytest.mark.parametrize("kind", ["host", "output"])
def test_an_authors_except_makes_no_zero_of_what_cannot_be_judged(host: Host, kind: str) -> None:
    host.reply = {f"{kind}_fault": "why", "results": [{"value": 1}]}

    def verify() -> float:
        try:
            return float(run_solution("x", entry="f").result == 1)
        except Exception:  # noqa: BLE001 -- as authors do
            return 0.0

    with pytest.raises(SolutionFaultError, match="why") as raised:
        verify()
    assert raised.value.kind == kind


@pytest.mark.parametrize("error", [BrokenPipeError(32, "broken pipe"), OSError(105, "no buffer space")])
def test_a_line_that_breaks_makes_no_zero_either(monkeypatch: pytest.MonkeyPatch, error: OSError) -> None:
    def broken(_: bytes) -> bytes:
        raise error

    monkeypatch.setattr(solution, "_ask", [broken])
    with pytest.raises(SolutionFaultError, match="could not be asked") as raised:
        run_solution("x")
    assert raised.value.kind == "host"
    assert not isinstance(raised.value, Exception), "an author's except would make a zero of it"


def test_an_authors_own_alarm_stays_the_authors(monkeypatch: pytest.MonkeyPatch) -> None:
    def alarm(_: bytes) -> bytes:
        raise TimeoutError("the author's")

    monkeypatch.setattr(solution, "_ask", [alarm])
    with pytest.raises(TimeoutError, match="the author's"):
        run_solution("x")


def test_without_a_host_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solution, "_ask", [])
    with pytest.raises(SolutionUnavailableError, match="while a package is imported"):
        run_solution("x")


def test_authors_import_it_from_the_package() -> None:
    assert sandbox.guest.run_solution is run_solution
    assert list(inspect.signature(run_solution).parameters)[:2] == ["code", "argv"]
