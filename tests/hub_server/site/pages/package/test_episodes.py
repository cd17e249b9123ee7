"""Episodes on a package's page: readable, bounded, escaped, and no odd message breaks the page."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hub_server.audits.actions import EpisodeExample
from hub_server.kernel.services import Services
from hub_server.site.pages.package.episodes import MOST_TURNS, ShownTurn, view_of_episode
from schemas.evidence.audit import Failure
from schemas.evidence.cases import AuditCase, Label
from schemas.manifest import RewardDeclaration
from tests.hub_server.site.conftest import Browser
from tests.making.hub import Api, make_package, run_jobs
from tests.making.wheel import MANIFEST

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
KEYS = st.sampled_from(["role", "content", "tool_calls", "name", "calls", "arguments", "call", "function"])


def example(
    failure: Failure | None = None, *, prompt: object = "Play.", measured: bool = True, **more: Any
) -> EpisodeExample:
    case = AuditCase.model_construct(**{"id": "c", "task_id": "t", "label": Label.CORRECT, "note": "", **more})
    return EpisodeExample(case, prompt, failure, measured)


def test_messages_and_calls_are_turns_of_their_own() -> None:
    call = {"id": "1", "type": "function", "function": {"name": "search", "arguments": '{"words": "rent"}'}}
    messages = [
        {"role": "user", "content": "How much?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "name": "search", "content": "9 euros"},
        {"role": "assistant", "content": [{"type": "text", "text": "9"}, {"type": "image_url"}]},
    ]
    view = view_of_episode(example(messages=messages))
    assert view.is_transcript
    assert view.turns == [
        ShownTurn("environment", "How much?"),
        ShownTurn("model", "", ("search(words=rent)",)),
        ShownTurn("tool search", "9 euros"),
        ShownTurn("model", "9 [image_url]"),
    ]


def test_an_end_state_shows_what_the_model_did_after_what_was_asked() -> None:
    events = [{"say": "Who are you?"}, {"call": "find", "arguments": {"name": "Ann"}}]
    view = view_of_episode(example(state={"events": events, "solved": True}))
    assert not view.is_transcript
    assert view.turns == [
        ShownTurn("task", "Play."),
        ShownTurn("model", "Who are you?"),
        ShownTurn("model", "", ("find(name=Ann)",)),
        ShownTurn("end: solved", "true"),
    ]


def test_a_failure_shows_what_the_verifier_gave_and_a_label_what_it_names() -> None:
    declared = {"solved": RewardDeclaration(), "speed": RewardDeclaration()}
    agreed = view_of_episode(example(state={"a": ["b"]}, expect={"solved": 1.0}))
    assert (agreed.is_wrong, list(agreed.declared(declared))) == (False, ["solved"])
    assert "accepted, as labelled" in agreed.verdict
    failed = Failure(case="c", expected={"solved": 1.0}, got={"solved": 0.0, "speed": 0.5}, origin="author", kind="fn")
    wrong = view_of_episode(example(failed, state={"a": ["b"]}, expect={"solved": 1.0}))
    assert (wrong.is_wrong, wrong.rewards) == (True, {"solved": 0.0, "speed": 0.5})
    lost = failed.model_copy(update={"kind": "unscored", "got": {}})
    assert "could not be judged" in view_of_episode(example(lost, state={"a": ["b"]})).verdict
    assert "Not measured yet" in view_of_episode(example(state={"a": ["b"]}, measured=False)).verdict


def test_many_and_long_turns_are_cut_and_counted() -> None:
    view = view_of_episode(example(prompt=None, state={"a": ["x" * 5000] * 100}, note="n" * 5000))
    assert (len(view.turns), view.left_out) == (MOST_TURNS, 100 - MOST_TURNS)
    assert max(len(turn.text) for turn in view.turns) < 500
    assert len(view.note) < 500


@settings(max_examples=150, deadline=None)
@given(st.lists(st.dictionaries(KEYS, JSON, max_size=4), max_size=4), JSON)
def test_no_json_is_a_fault_of_the_view(messages: list[dict[str, Any]], prompt: Any) -> None:
    view_of_episode(example(prompt=prompt, messages=messages))
    view_of_episode(example(prompt=prompt, state={"x": messages, "y": prompt}))


EVIL = "</p><script>alert(1)</script>"


def episodes(split: str) -> str:
    rows = [
        f'{{"id": "a{number}", "task": {{"id": "e{number}", "prompt": "Add. {EVIL}", "split": "{split}"}}, "label": "{label}",'
        f' "note": "{EVIL}", "messages": [{{"role": "{EVIL}", "content": "{EVIL}"}},'
        f' {{"role": "assistant", "tool_calls": [{{"function": {{"name": "{EVIL}", "arguments": "{{"}}}}]}}]}}'
        for number, label in enumerate(("correct", "incorrect"))
    ]
    return "\n".join(rows) + "\n"


def published(catalogue: Api, version: str, audit: str, *, session: bool = True) -> str:
    manifest = MANIFEST.replace("audit = ", 'session = "alice_small_sums:Session"\naudit = ') if session else MANIFEST
    code = "class Session:\n    pass\n\n\ndef verify(task, state, messages):\n    return {'correct': 1.0}\n"
    wheel = make_package(version=version, manifest=manifest, code=code, package_files={"audit.jsonl": audit})
    answer = catalogue.publish(wheel)
    assert answer.status_code == 201, answer.text
    return f"/packages/alice/small-sums/releases/{version}"


def test_the_page_of_an_environment_shows_both_and_no_markup_of_strangers(reader: Browser, catalogue: Api) -> None:
    page = reader.get(published(catalogue, "2.0.0", episodes("validation")))
    assert "What an episode looks like" in page.text
    assert "Right: must be accepted" in page.text
    assert "Wrong: must be rejected" in page.text
    assert "Not measured yet" in page.text
    assert "<script>alert(1)" not in page.html


def test_after_the_audit_the_page_says_what_the_verifier_gave(
    reader: Browser, catalogue: Api, services: Services
) -> None:
    address = published(catalogue, "2.4.0", episodes("validation-measured"))
    run_jobs(services)
    shown = reader.get(address).text.partition("What an episode looks like")[2]
    right, _, wrong = shown.partition("Wrong: must be rejected")
    assert "Rewards of this episode correct score 0 The audit: the verifier is wrong here" in right
    assert "The audit: rejected, as labelled. task" in wrong, "a label without single rewards promises none"
    assert "Rewards of this episode" not in wrong


@pytest.mark.parametrize("split", ["test", "test-hard"])
def test_an_episode_of_a_held_out_split_is_not_shown(reader: Browser, catalogue: Api, split: str) -> None:
    assert "What an episode looks like" not in reader.get(published(catalogue, "2.1.0", episodes(split))).text


def test_without_a_session_there_are_no_episodes(reader: Browser, catalogue: Api) -> None:
    page = reader.get(published(catalogue, "2.2.0", episodes("train"), session=False))
    assert "What an episode looks like" not in page.text


def test_a_wheel_that_cannot_be_read_costs_the_page_its_examples_alone(
    reader: Browser, catalogue: Api, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = published(catalogue, "2.3.0", episodes("train-more"))

    def broken(digest: str) -> None:
        raise OSError("gone")

    monkeypatch.setattr(services.wheels, "contents", broken)
    page = reader.get(address)
    assert "Sums of small numbers" in page.text
    assert "What an episode looks like" not in page.text
