"""Try it for an environment with a session: an episode played by hand, by plain forms, without anything kept."""

import json

import pytest

from hub_server.site.pages.try_it.episode import MOST_SAID, _read
from tests.fakes.executor import FakeExecutor
from tests.hub_server.site.conftest import Browser, Page
from tests.making.catalogue import VECTOR_MANIFEST
from tests.making.hub import PASSWORD, Api, make_package

TRY = "/packages/alice/game/releases/1.0.0/try"


@pytest.fixture
def player(reader: Browser, catalogue: Api) -> Browser:
    """alice, signed in, at a hub with alice/game, whose episodes are over at the third message."""
    manifest = VECTOR_MANIFEST.replace('tags = ["math"]', 'session = "alice_small_sums:Session"\ntags = ["math"]')
    assert catalogue.publish(make_package("alice/game", manifest=manifest)).status_code == 201
    reader.post("/login", {"name": "alice", "password": PASSWORD})
    return reader


def hidden(page: Page) -> dict[str, str]:
    """What the form that says the next message carries along."""
    fields = {one["name"]: one.get("value", "") for one in page.all("input", type="hidden") if one.get("name")}
    return {name: fields[name] for name in ("split", "task_id", "task", "said")}


def test_an_episode_is_played_to_its_end_and_judged(player: Browser) -> None:
    page = player.get(f"{TRY}?split=train&task_id=t2")
    assert "Begin" in page.text
    page = player.post(TRY, hidden(page))
    assert "2+3?" in page.text, "the opening message of the environment"
    for number, words in enumerate(("one", "<b>two</b>", "three"), start=1):
        page = player.post(TRY, {**hidden(page), "message": words})
        assert page.status == 200
        assert (
            json.loads(hidden(page)["said"] if number < 3 else json.dumps(["one", "<b>two</b>", "three"]))[-1] == words
        )
    assert "The episode is over" in page.text
    assert "would count as rejected" in page.text
    assert "<b>two</b>" not in page.html
    assert "This verdict is wrong" not in page.text, "a counter-example needs more than a last message"


def test_it_can_be_judged_as_it_stands_and_then_go_on(player: Browser) -> None:
    start = {"split": "train", "task_id": "t2", "said": '["one"]'}
    page = player.post(TRY, {**start, "message": "not said", "step": "judge"})
    assert "would count as rejected" in page.text
    assert json.loads(hidden(page)["said"]) == ["one"]
    assert "Send" in page.text


def test_a_stranger_sees_the_task_and_is_asked_to_sign_in(app, player: Browser) -> None:
    stranger = Browser(app)
    page = stranger.get(f"{TRY}?split=train&task_id=t2")
    assert page.status == 200
    assert "playing needs an account" in page.text
    assert "2+3?" in page.text
    refused = stranger.post(TRY, {"split": "train", "task_id": "t2", "said": "[]"})
    assert refused.status == 401


@pytest.mark.parametrize("said", ["no json", "{}", "[1, 2]", ""])
def test_a_form_that_somebody_changed_begins_anew(player: Browser, said: str) -> None:
    page = player.post(TRY, {"split": "train", "task_id": "t2", "said": said})
    assert page.status == 200
    assert json.loads(hidden(page)["said"]) == []


def test_a_message_that_is_too_long_is_refused_and_not_cut(player: Browser) -> None:
    """The rest was left out without a word, and the environment answered to what nobody had said."""
    start = {"split": "train", "task_id": "t2", "said": '["one"]'}
    page = player.post(TRY, {**start, "message": "5".rjust(MOST_SAID)})
    assert [len(one) for one in json.loads(hidden(page)["said"])] == [3, MOST_SAID]
    page = player.post(TRY, {**start, "message": "5".rjust(MOST_SAID + 1)})
    assert f"A message has at most {MOST_SAID:,} characters here." in page.text
    assert json.loads(hidden(page)["said"]) == ["one"]
    assert [one["maxlength"] for one in page.all("textarea", name="message")] == [str(MOST_SAID)]


def test_what_cannot_be_said_is_kept_in_the_form(player: Browser, executor: FakeExecutor) -> None:
    executor.reason = "no Docker engine answers: start it"
    page = player.post(TRY, {"split": "train", "task_id": "t2", "said": '["one"]', "message": "keep me"})
    assert page.status == 503
    assert "no Docker engine answers" in page.text
    assert "keep me</textarea>" in page.html
    assert json.loads(hidden(page)["said"]) == ["one"]


def test_an_endless_conversation_and_an_unknown_task_are_refused(player: Browser) -> None:
    many = player.post(TRY, {"split": "train", "task_id": "t2", "said": json.dumps(["x"] * 40), "message": "more"})
    assert many.status == 422
    assert "start a new one" in many.text
    assert player.post(TRY, {"split": "train", "task_id": "none"}).status == 404


@pytest.mark.parametrize("said", ["", "{", "7", "null", '{"a": 1}', "[1, null]", "[" * 100_000])
def test_a_hidden_field_that_no_form_of_ours_sent_counts_as_nothing_said(said: str) -> None:
    """The last was a fault of the hub: JSON nested too deeply is no ``ValueError``."""
    assert _read(said) == []


def test_a_package_without_a_session_keeps_its_plain_form(reader: Browser, catalogue: Api) -> None:
    page = reader.get("/packages/alice/small-sums/releases/1.1.0/try")
    assert "Judge this response" in page.text
    assert "Begin" not in page.text
