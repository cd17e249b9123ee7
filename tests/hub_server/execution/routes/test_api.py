"""Execution over HTTP: which streams end with a summary, what one request may ask, and what a socket answers."""

import json
from typing import Any, cast

import pytest

from hub_server.errors import InvalidRequestError
from hub_server.execution.actions import LiveEpisode, session_release
from hub_server.execution.routes.api import _answer, _kind_of, _refusal
from hub_server.execution.rules import RefusedLine
from schemas.problem import ProblemCode
from schemas.verdict import ErrorKind, ScoreLine, Verdict
from tests.hub_server.execution.played import BOB, SUMS
from tests.making.action_driver import ActionDriver
from tests.making.hub import Api, lines_of, make_package

RELEASE = "/api/v1/packages/alice/small-sums/releases/1.0.0"


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (ScoreLine(id="a", verdict=Verdict(rewards={"correct": 0.0})), "judged"),
        (ScoreLine(id="a", verdict=Verdict.unjudged(["correct"], ErrorKind.HOST, "lost")), "unjudged"),
        (RefusedLine("a", 1, ProblemCode.INVALID_REQUEST, "no"), "refused"),
    ],
)
def test_a_summary_tells_a_zero_from_what_was_not_judged_and_from_what_was_refused(line, kind: str) -> None:
    assert _kind_of(line) == kind


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", '"reset"', '{"op": "reset"}', '{"id": "", "op": "reset"}', '{"id": "1", "op": "explode"}',
     '{"id": "1", "op": "state", "extra": 1}', '{"id": "1", "op": "step", "message": "hello"}', "[" * 50_000,
     '{"id": "1", "op": "reset", "seed": NaN}', '{"id": "\\ud800", "op": "state"}', '{"id": "' + "x" * 201 + '", "op": "state"}'],
)  # fmt: skip
def test_a_message_that_cannot_be_read_is_answered_and_the_episode_lives_on(playable: ActionDriver, text: str) -> None:
    episode = LiveEpisode(playable.services, playable.ask(BOB, session_release, SUMS, "1.0.0"))
    _answer(episode, '{"id": "1", "op": "reset", "task_id": "t1"}')
    refused = _answer(episode, text)
    assert refused.result is None
    assert refused.problem is not None
    assert refused.problem["code"] == "invalid_request"
    json.dumps(refused.model_dump(mode="json")).encode()
    assert _answer(episode, '{"id": "2", "op": "state"}').result == {"turns": []}
    episode.close()


def test_an_answer_belongs_to_its_request(playable: ActionDriver) -> None:
    episode = LiveEpisode(playable.services, playable.ask(BOB, session_release, SUMS, "1.0.0"))
    assert _answer(episode, '{"id": "7", "op": "state"}').id == "7"
    assert _refusal("7", InvalidRequestError("no")).problem == {"code": "invalid_request", "detail": "no"}


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
class TestOverHttp:
    """One hub, many questions."""

    def test_one_response_is_judged_by_anybody_and_a_wrong_question_is_refused(self, alice: Api, api: Api) -> None:
        alice.publish(make_package())
        judged = api.post(f"{RELEASE}/judge", json={"task_id": "t1", "response": "2"})
        assert judged.json()["rewards"] == {"correct": 1.0}
        for body, status in (
            ({"task_id": "t1"}, 422), ({"response": "2"}, 422), ({"task_id": "t9", "response": "2"}, 422),
            ({"task_id": "t1", "response": 2}, 422), ({"task_id": "t1", "response": "2", "answer": 2}, 422),
        ):  # fmt: skip
            assert api.post(f"{RELEASE}/judge", json=body).status_code == status, body
        assert api.post(f"{RELEASE[:-5]}9.9.9/judge", json={"task_id": "t1", "response": "2"}).status_code == 404

    def test_every_score_stream_ends_with_counts_that_add_up(self, alice: Api, api: Api) -> None:
        alice.publish(make_package())
        good, bad = '{"id": "a", "task_id": "t1", "response": "2"}', "{"
        for body, counts in (
            ("", (0, 0, 0)), (good, (1, 1, 0)), (f"{good}\n{bad}\n", (2, 1, 1)), (f"{good}\n{good}\n", (2, 1, 1)),
            ("\n\n", (0, 0, 0)), (f"{good}\r\n", (1, 1, 0)),
        ):  # fmt: skip
            *lines, end = lines_of(api.post(f"{RELEASE}/score", content=body.encode()))
            received, judged, refused = counts
            assert end == {"summary": {"received": received, "judged": judged, "unjudged": 0, "refused": refused}}, body
            assert len(lines) == received

    def test_a_level_of_isolation_is_one_that_there_is(self, alice: Api, api: Api) -> None:
        alice.publish(make_package())
        assert api.post(f"{RELEASE}/score?isolation=none", content=b"").status_code == 422
        assert api.get(f"{RELEASE}/tasks?limit=0").status_code == 422
        assert api.get(f"{RELEASE}/tasks?start=-1").status_code == 422
        assert api.get(f"{RELEASE}/tasks?split=none").status_code == 404
        assert list(api.get(f"{RELEASE}/rewards").json()) == ["correct"]


def test_a_refusal_before_the_first_message_ends_the_connection() -> None:
    """Its code goes into the text, because a closing reason holds 123 bytes."""
    answer = _refusal("", InvalidRequestError("x" * 5000))
    assert answer.id == ""
    assert len(answer.model_dump_json()) > 5000


@pytest.mark.parametrize("number", ["1e999", "NaN", "-Infinity"])
def test_a_message_of_an_episode_with_what_no_json_holds_is_refused_before_a_box_gets_it(number: str) -> None:
    answer = _answer(cast("Any", None), f'{{"id": "1", "action": "step", "message": {{"content": {number}}}}}')
    assert answer.problem is not None
    assert "not sound JSON" in answer.problem["detail"]
