"""Tasks and answers as text: none of these functions raises, whatever JSON a stranger wrote."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hub_server.site.rendering.texts import (
    answer_text,
    both_ends,
    browser_name,
    case_words,
    expected_text,
    host_of,
    prompt_text,
    setting_text,
    with_breaks,
)
from schemas.evidence.cases import AuditCase

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
KEYS = st.sampled_from(["prompt", "messages", "answer", "content", "role"])


@given(st.dictionaries(KEYS, JSON, max_size=3) | JSON)
@settings(max_examples=80)
def test_any_json_at_all_becomes_text(value: object) -> None:
    for show in (prompt_text, expected_text, setting_text):
        assert isinstance(show(value), str)


def test_the_systems_message_is_left_out_and_the_others_stay() -> None:
    messages = [{"role": "system", "content": "You add."}, {"role": "user", "content": "1 + 1?"}]
    assert prompt_text({"prompt": messages}) == "1 + 1?"
    assert prompt_text({"prompt": "2 + 2?"}) == "2 + 2?"


def case(**what: object) -> AuditCase:
    return AuditCase.model_validate({"id": "a", "label": "correct", "task": {"prompt": "p", "answer": 2}, **what})


@pytest.mark.parametrize(
    ("what", "text"),
    [
        ({"response": "two"}, "two"),
        ({"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "two"}]}, "two"),
    ],
)
def test_what_the_model_did_is_its_last_word(what, text) -> None:
    assert answer_text(case(**what)) == text


@pytest.mark.parametrize(("answer", "text"), [(2, "2"), ("two", "two")])
def test_the_answer_of_a_task_is_shown_as_it_is(answer, text) -> None:
    assert expected_text({"prompt": "p", "answer": answer}) == text
    assert expected_text({"prompt": "p"}) == expected_text("no task at all")


def test_settings_are_one_line_each_and_even_what_is_no_json_is_shown() -> None:
    assert setting_text("plain text") == "plain text"
    assert json.loads(setting_text({"lr": 1e-6, "names": ["é"]})) == {"lr": 1e-6, "names": ["é"]}
    assert "object" in setting_text({"x": object()})
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    assert isinstance(setting_text(deep), str)


def test_a_long_answer_is_shown_with_its_end_where_the_verdict_is_decided() -> None:
    text = "First I add. " * 60 + "A: 12"
    shown = both_ends(text)
    assert shown.startswith("First I add.")
    assert shown.endswith("A: 12")
    assert len(shown) < 250
    assert both_ends("short") == "short"


@pytest.mark.parametrize(
    ("response", "shown"),
    [
        ("5\n4", "5↵ 4"),
        ("\t856\n\n", "⇥ 856↵ ↵ "),
        ("856\r\n", "856␍↵ "),
        ("  8 56 ", "␣␣8 56␣"),
        ("   ", "␣␣␣"),
        ("", ""),
        ("plain words", "plain words"),
    ],
)
def test_what_a_page_swallows_of_a_response_has_a_mark(response: str, shown: str) -> None:
    """A failed case read "expected 856, answered 856"."""
    assert with_breaks(response) == shown


@pytest.mark.parametrize(
    ("user_agent", "name"),
    [
        ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"),
        (
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0",
            "Edge on Windows",
        ),
        (
            "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36",
            "Chrome on Android",
        ),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile Safari/604.1",
            "Safari on an iPhone",
        ),
        (
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.0 Safari/605.1.15",
            "Safari on macOS",
        ),
        ("curl/8.5", "curl/8.5"),
        ("", "an unknown browser"),
    ],
)
def test_a_browser_is_named_as_its_owner_would(user_agent: str, name: str) -> None:
    assert browser_name(user_agent) == name


def test_a_case_is_named_by_its_words_on_one_line() -> None:
    asked = case(task={"id": "t", "prompt": "1+1\n= ?"}, response="word " * 40)
    assert case_words(asked, 20) == "1+1 = ? → word word word word…"
    assert case_words(case(task=None, task_id="t9", response=" ")) == "task t9 → (empty)"


def test_a_links_host_is_named_and_a_broken_link_has_none() -> None:
    assert host_of("https://Example.org:8000/a") == "example.org"
    assert host_of("https://[::1") == host_of("nonsense") == ""
