"""One hub for a process: opened at first use, closed at the end, the same object for the same name."""

import pytest

from hub_client.adapters import default_hub
from hub_client.errors import NotFoundError, UsageError
from tests.making.altered_library import alter_library


class Hub:
    def __init__(self, settings):
        made.append(self)
        self.settings = settings
        self.asked = []

    def environment(self, target):
        self.asked.append(target)
        if target == "gone":
            raise NotFoundError("gone")
        return object()

    verifier = environment

    def close(self):
        pass


made = []


@pytest.fixture
def hub(monkeypatch):
    made.clear()
    at_end = []
    monkeypatch.setattr(default_hub, "Hub", Hub)
    alter_library(monkeypatch, default_hub, "atexit", register=at_end.append)
    found = default_hub.DefaultHub()
    found.at_end = at_end
    return found


def test_nothing_is_opened_before_it_is_used(hub):
    assert (made, hub.at_end) == ([], [])


@pytest.mark.parametrize("kind", ["environment", "verifier"])
def test_the_same_name_gives_the_same_object_and_is_asked_for_once(hub, kind):
    first = getattr(hub, kind)("a/x")
    assert getattr(hub, kind)("a/x") is first
    assert getattr(hub, kind)("a/y") is not first
    assert made[0].asked == ["a/x", "a/y"]


def test_environments_and_verifiers_of_one_name_are_two_things_of_one_hub(hub):
    assert hub.environment("a/x") is not hub.verifier("a/x")
    assert len(made) == 1


def test_the_hub_is_closed_when_the_process_ends(hub):
    hub.environment("a/x")
    assert hub.at_end == [made[0].close]


def test_what_was_not_found_is_looked_for_again(hub):
    for _ in range(2):
        with pytest.raises(NotFoundError):
            hub.environment("gone")
    assert made[0].asked == ["gone", "gone"]


@pytest.fixture
def settings(monkeypatch, tmp_path):
    monkeypatch.setenv("VERIHUB_CONFIG_DIR", str(tmp_path))
    for name in ("URL", "TOKEN"):
        monkeypatch.delenv(f"VERIHUB_{name}", raising=False)
    return lambda **given: [monkeypatch.setenv(f"VERIHUB_{name.upper()}", value) for name, value in given.items()]


def url_of(found) -> str:
    found.environment("a/b")
    return made[0].settings.url


def test_a_package_names_its_hub_where_no_setting_does(monkeypatch, hub, settings):
    assert url_of(default_hub.DefaultHub("https://hub.example.org")).rstrip("/") == "https://hub.example.org"


def test_a_setting_goes_before_what_a_package_says(hub, settings):
    settings(url="https://mine.example.org", token="secret")
    assert url_of(default_hub.DefaultHub("https://hub.example.org")).rstrip("/") == "https://mine.example.org"


def test_a_package_of_a_stranger_does_not_choose_who_gets_the_token(hub, settings):
    settings(token="secret")
    with pytest.raises(UsageError, match="VERIHUB_URL"):
        default_hub.DefaultHub("https://thief.example.org").environment("a/b")
    assert not made
