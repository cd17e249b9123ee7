import json

import pytest

from sandbox.errors import MemoryLimitError, OutputLimitError, TimeLimitError, VerifierFailedError
from sandbox.host.call_groups import CallError
from sandbox.host.verdict_codec import encode_call, value_of, verdict_of
from sandbox.interface import Call
from schemas.verdict import ErrorKind

DECLARED = {"correct": (0.0, 1.0)}


def test_a_sound_reply_is_a_verdict() -> None:
    verdict = verdict_of(b'{"rewards":{"correct":1},"info":{"n":2}}', DECLARED)
    assert verdict.rewards == {"correct": 1.0}
    assert verdict.info == {"n": 2}
    assert verdict.error is None


@pytest.mark.parametrize(
    "reply",
    [
        b"",
        b"nonsense",
        b"[]",
        b"null",
        b'{"rewards": {"correct": NaN}}',
        b'{"rewards": {"correct": Infinity}}',
        b'{"rewards": {"correct": 1e999}}',
        b'{"rewards": {"correct": 2}}',
        b'{"rewards": {"correct": true}}',
        b'{"rewards": {}}',
        b'{"rewards": {"correct": 1, "more": 1}}',
        b'{"rewards": [1]}',
        b'{"info": {}}',
        b'{"rewards": {"correct": 1}, "info": []}',
        b'{"error": {"kind": "mine", "message": ""}}',
        b'{"error": "no"}',
        b'{"rewards": {"correct": ' + b"1" * 9999 + b"}}",
        b"[" * 100_000,
        b'\xff\xfe{"rewards": {"correct": 1}}',
    ],
    ids=lambda reply: reply[:44].decode("latin-1") or "empty",
)
def test_whatever_else_a_guest_sends_is_null_and_its_own_fault(reply: bytes) -> None:
    verdict = verdict_of(reply, DECLARED)
    assert verdict.rewards == {"correct": None}
    assert verdict.error is not None
    assert verdict.error.kind is ErrorKind.VERIFIER_FAILED


@pytest.mark.parametrize("claimed", ["host", "timeout"])
def test_a_guest_cannot_claim_a_fault_that_is_not_its_own(claimed: str) -> None:
    verdict = verdict_of(json.dumps({"error": {"kind": claimed, "message": "x"}}).encode(), DECLARED)
    assert verdict.error is not None
    assert verdict.error.kind is ErrorKind.VERIFIER_FAILED


def test_trouble_is_a_null_verdict_of_its_kind() -> None:
    verdict = verdict_of(CallError(ErrorKind.MEMORY, "too much"), DECLARED)
    assert verdict.rewards == {"correct": None}
    assert verdict.error is not None
    assert (verdict.error.kind, verdict.error.message) == (ErrorKind.MEMORY, "too much")


def test_a_value_comes_back_or_its_trouble_is_raised() -> None:
    assert value_of(b'{"value": [1, null]}') == [1, None]
    with pytest.raises(TimeLimitError, match="late"):
        value_of(CallError(ErrorKind.TIMEOUT, "late"))
    with pytest.raises(MemoryLimitError):
        value_of(CallError(ErrorKind.MEMORY, "big"))
    with pytest.raises(VerifierFailedError, match="broken"):
        value_of(b'{"error": {"kind": "verifier_failed", "message": "broken"}}')
    with pytest.raises(VerifierFailedError, match="JSON"):
        value_of(b"{")
    with pytest.raises(OutputLimitError):
        value_of(b'{"error": {"kind": "output", "message": "too large"}}')
    with pytest.raises(VerifierFailedError, match="JSON"):
        value_of(b'{"value": [1e999]}')
    for forged in (b'{"error": {"kind": "host", "message": "x"}}', b'{"error": 1}', b'{"error": {"kind": "mine"}}'):
        with pytest.raises(VerifierFailedError):
            value_of(forged)


def test_a_call_carries_only_what_it_has() -> None:
    assert json.loads(encode_call(Call("1", {"id": "t"}, response="é"))) == {"task": {"id": "t"}, "response": "é"}
    full = Call("1", {}, messages=[], state={}, files={"a": "b"})
    assert set(json.loads(encode_call(full))) == {"task", "messages", "state", "files"}


def test_a_lone_surrogate_from_a_tokenizer_does_not_stop_the_stream() -> None:
    assert encode_call(Call("1", {}, response="\ud83d"))


def test_text_that_speaks_of_nan_is_only_text() -> None:
    assert json.loads(encode_call(Call("1", {"id": "NaN"}, response="Infinity")))["response"] == "Infinity"


def test_nan_in_a_task_is_the_callers_error() -> None:
    with pytest.raises(ValueError, match="JSON"):
        encode_call(Call("1", {"x": float("nan")}))


def test_info_that_no_json_reader_takes_is_made_fit_and_costs_no_rewards() -> None:
    half = verdict_of(b'{"rewards": {"correct": 1}, "info": {"text": "\\ud800"}}', DECLARED)
    assert half.rewards == {"correct": 1.0}
    assert half.info == {"text": "?"}
    deep = b"[" * 500 + b"]" * 500
    nested = verdict_of(b'{"rewards": {"correct": 1}, "info": {"x": ' + deep + b"}}", DECLARED)
    assert nested.rewards == {"correct": 1.0}
    for verdict in (half, nested):
        assert verdict.model_dump_json()


def test_a_message_with_half_a_pair_can_be_written() -> None:
    verdict = verdict_of(b'{"error": {"kind": "verifier_failed", "message": "\\ud800"}}', DECLARED)
    assert verdict.model_dump_json()


@pytest.mark.parametrize(
    "number", ["NaN", "1e999", "-1E+999", "9" * 309 + ".5", "9" * 250 + "e99"], ids=lambda it: it[:7]
)
def test_a_forged_number_in_info_that_no_float_is_is_no_verdict(number: str) -> None:
    reply = b'{"rewards": {"correct": 1}, "info": {"x": [%s]}}' % number.encode()
    assert verdict_of(reply, DECLARED).rewards == {"correct": None}


def test_the_largest_numbers_and_texts_about_others_stay_in_info() -> None:
    large = verdict_of(b'{"rewards": {"correct": 1}, "info": {"x": [1.7e308, 1e100, "1e999"]}}', DECLARED)
    assert large.info == {"x": [1.7e308, 1e100, "1e999"]}
    assert verdict_of(b'{"rewards": {"correct": 1}, "info": {"x": "NaN"}}', DECLARED).info == {"x": "NaN"}
