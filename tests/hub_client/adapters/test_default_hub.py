"""One hub for a process: opened at first use, closed at the end, the same object for the same name."""

import pytest

from hub_client.adapters import default_hub
from hub_client.errors import NotFoundError


class Hub:
    def __init__(self):
        made.append(self)
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
    monkeypatch.setattr(default_hub.atexit, "register", at_end.append)
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
