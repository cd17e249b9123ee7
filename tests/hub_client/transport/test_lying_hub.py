"""A hub that says anything at all: every command ends with one of the client's own errors, and obeys no escape."""

import contextlib
import copy
import json
import os
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hub_client.audits.stored_runs import fetch_run
from hub_client.client import Hub
from hub_client.commands.main import run
from hub_client.errors import HubClientError, HubUnreachableError
from hub_client.settings import ClientSettings
from hub_client.transport.hub_address import read_answer
from hub_client.transport.requests import accounts, audits, journal, packages, runs
from schemas.run import RolloutRow
from tests.hub_client.integrity.test_journal_copy import PagedHub
from tests.making.journal_hub import JournalHub
from tests.making.scripted_hub import NOW, URL, card_of
from tests.making.wheel import make_wheel

CALLS = {
    "search": packages.search("x"), "package": packages.get_package("alice/x"), "release": packages.get_release("alice/x", "1"),
    "publish": packages.publish(b"", "sha256:0"), "proof": journal.get_release_proof("alice/x", "1"),
    "consistency": journal.get_consistency(1, 2), "keys": journal.list_keys(), "audits": audits.list_audits("alice/x", "1"),
    "whoami": accounts.whoami(), "run": runs.get_run("r"),
}  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**30), 10**30) | st.floats(allow_nan=True) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["items", "id", "releases", "card", "x"]), inner),
    max_leaves=12,
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(JSON, st.sampled_from(sorted(CALLS)))
def test_any_json_is_an_answer_or_a_refusal_of_it(data: Any, name: str) -> None:
    try:
        read_answer(URL, CALLS[name], json.dumps(data).encode())
    except HubUnreachableError:
        pass
    except Exception as error:  # noqa: BLE001 -- any other type is what this test looks for
        pytest.fail(f"{type(error).__name__}: {error}")


POISON = [
    "\x1b]0;owned\x07\x1b[2J",
    "\x9b31m",
    "[/INST]",
    "a\u202eb",
    "x" * 100_000,
    None,
    -1,
    1e300,
    [],
    {},
    True,
    "\x00",
    "2026-13-45",
    "\ud800",
]


def _places(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where every value of a document stands."""
    children = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [path, *(place for key, value in children for place in _places(value, (*path, key)))][bool(not path) :]


def _with(data: Any, path: tuple[Any, ...], value: Any) -> Any:
    changed = copy.deepcopy(data)
    holder = changed
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
    return changed


@pytest.fixture
def there(monkeypatch) -> JournalHub:
    hub = JournalHub()
    hub.add(make_wheel())
    hub.on("GET", "/packages", {"items": [card_of("alice/small-sums").model_dump(mode="json")], "next": None})
    monkeypatch.setattr("hub_client.transport.connection.DeadlineTransport", lambda _: httpx.MockTransport(hub))
    monkeypatch.setenv("VERIHUB_URL", URL)
    return hub


COMMANDS = {
    "/packages": ["search", "x"],
    "/packages/alice/small-sums": ["info", "alice/small-sums"],
    "/journal/releases/alice/small-sums/1.0.0": ["verify", "alice/small-sums"],
    "/keys": ["verify", "alice/small-sums"],
}


@pytest.mark.parametrize("path", COMMANDS)
def test_no_field_of_an_answer_breaks_a_command_or_reaches_the_terminal(
    path, there, capsys, monkeypatch, tmp_path
) -> None:
    honest = there.answers["GET", path](httpx.Request("GET", URL + path)).json()
    places = _places(honest)
    for number, place in enumerate(places):
        value = POISON[number % len(POISON)]
        monkeypatch.setenv("VERIHUB_CONFIG_DIR", str(tmp_path / f"config{number}"))
        monkeypatch.setenv("VERIHUB_CACHE_DIR", str(tmp_path / f"cache{number}"))
        there.on("GET", path, httpx.Response(200, content=json.dumps(_with(honest, place, value)).encode()))
        code = run(COMMANDS[path])
        said = capsys.readouterr()
        assert code in (0, 4, 7, 8), (place, value, code, said.err[:300])
        assert "bug in Verihub" not in said.err, (place, value)
        assert not set(said.out + said.err) & set("\x1b\x07\x9b\x00\u202e"), (place, value)


@pytest.mark.parametrize("poison", POISON[:5])
def test_a_refusal_is_shown_and_not_obeyed(poison, there, capsys) -> None:
    body = {
        "title": poison,
        "status": 404,
        "code": poison,
        "detail": poison,
        "errors": [{"pointer": poison, "message": poison}],
    }
    there.on("GET", "/packages/alice/small-sums", body, status=404)
    assert run(["info", "alice/small-sums"]) in (1, 4, 8)
    assert not set(capsys.readouterr().err) & set("\x1b\x07\x9b\u202e")


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 999), st.binary(min_size=1, max_size=3))
def test_a_wheel_with_any_bytes_changed_is_never_used(there, tmp_path_factory, place, noise) -> None:

    wheel = make_wheel()
    at = place % len(wheel)
    changed = wheel[:at] + noise + wheel[at + len(noise) :]
    there.on("GET", "/packages/alice/small-sums/releases/1.0.0/wheel", httpx.Response(200, content=changed))
    folder = tmp_path_factory.mktemp("machine")
    with Hub(settings=ClientSettings.load(url=URL, cache_dir=folder, config_dir=folder)) as hub:
        if changed == wheel:
            hub.load("alice/small-sums")
        else:
            with pytest.raises(HubClientError):
                hub.load("alice/small-sums")


REPORT = {"id": "r1", "package": "alice/small-sums", "version": "1.0.0", "reason": "malware", "text": "x",
          "reporter": "alice", "created_at": NOW.isoformat(), "state": "open"}  # fmt: skip
RUN = {"id": "r1", "name": "dapo", "owner": "alice", "kind": "training", "state": "finished", "model": "m", "recipe": "dapo",
       "rewards": {}, "config": {"seed": 1}, "summary": {}, "created_at": NOW.isoformat(), "updated_at": NOW.isoformat(),
       "packages": [{"package": "alice/small-sums", "version": "1.0.0", "digest": "sha256:" + "0" * 64}]}  # fmt: skip
ROLLOUTS = {
    "next": None,
    "items": [{"id": 1, "step": 0, "task_id": "t1", "response": "2", "rewards": {"correct": 1.0}}],
}
LIST = {
    "items": [card_of("alice/small-sums").model_dump(mode="json")],
    "next": None,
    "facets": {},
    "has_every_word": True,
}
OTHERS: dict[str, list[str]] = {
    "copy": ["copy", "alice/small-sums", "--from", "http://other.example"],
    "copy an owner": ["copy", "alice", "--from", "http://other.example"],
    "monitor": ["monitor", "journal.jsonl"],
    "report": ["report", "alice/small-sums@1.0.0", "--reason", "malware", "--text", "x"],
    "versions": ["versions", "alice/small-sums"],
    "pull": ["pull", "alice/small-sums"],
    "lock": ["lock", "alice/small-sums"],
}
_STEP = int(os.environ.get("VERIHUB_TEST_POISON_STEP", "23"))
"""Of the places of all answers, every so many is tried; 1 by hand."""


@pytest.fixture
def talkative(monkeypatch, tmp_path) -> PagedHub:
    """A hub with an answer to all that these commands ask."""
    hub = PagedHub()
    hub.add(make_wheel())
    hub.on("GET", "/packages", LIST)
    hub.on("GET", "/account", {"name": "alice", "created_at": NOW.isoformat()})
    release = hub.releases["alice/small-sums"][-1].model_dump(mode="json")
    hub.on("POST", "/packages", {"release": release, "created": True, "url": f"{URL}/x"})
    hub.on("POST", "/packages/alice/small-sums/reports", REPORT, status=201)
    hub.on("GET", "/runs/r1", RUN)
    hub.on("GET", "/runs/r1/rollouts", ROLLOUTS)
    monkeypatch.setattr("hub_client.transport.connection.DeadlineTransport", lambda _: httpx.MockTransport(hub))
    monkeypatch.setenv("VERIHUB_URL", URL)
    monkeypatch.setenv("VERIHUB_TOKEN", "verihub_secret")
    monkeypatch.chdir(tmp_path)
    return hub


def _on_a_fresh_machine(monkeypatch, folder: Path) -> None:
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("VERIHUB_CONFIG_DIR", str(folder / "config"))
    monkeypatch.setenv("VERIHUB_CACHE_DIR", str(folder / "cache"))


@pytest.mark.parametrize("name", OTHERS)
def test_no_field_of_any_answer_breaks_what_copies_watches_and_reports(
    name, talkative, capsys, monkeypatch, tmp_path
) -> None:
    """First honestly, to see what is asked; then with each place of each of these answers made wrong."""
    _on_a_fresh_machine(monkeypatch, tmp_path / "honest")
    heard: dict[tuple[str, str], tuple[httpx.Response, Any]] = {}

    def listen(request: httpx.Request) -> httpx.Response:
        answer = talkative(request)
        if answer.headers.get("content-type", "").startswith("application/json") or answer.content[:1] in b"{[":
            path = request.url.path.removeprefix("/api/v1")
            with contextlib.suppress(ValueError):
                heard[request.method, path] = (answer, answer.json())
        return answer

    monkeypatch.setattr("hub_client.transport.connection.DeadlineTransport", lambda _: httpx.MockTransport(listen))
    assert run(OTHERS[name]) == 0, capsys.readouterr().err
    monkeypatch.setattr("hub_client.transport.connection.DeadlineTransport", lambda _: httpx.MockTransport(talkative))
    capsys.readouterr()
    tries = [(where, place) for where, (_, honest) in heard.items() for place in _places(honest)]
    assert tries
    for number, (where, place) in list(enumerate(tries))[::_STEP]:
        answer, honest = heard[where]
        value = POISON[number % len(POISON)]
        _on_a_fresh_machine(monkeypatch, tmp_path / f"machine{number}")
        before = talkative.answers[where]
        talkative.on(
            *where, httpx.Response(answer.status_code, content=json.dumps(_with(honest, place, value)).encode())
        )
        code = run(OTHERS[name])
        talkative.answers[where] = before
        said = capsys.readouterr()
        assert code in (0, 1, 2, 4, 7, 8, 9), (where, place, value, code, said.err[:300])
        assert "bug in Verihub" not in said.err, (where, place, value)
        assert not set(said.out + said.err) & set("\x1b\x07\x9b\x00\u202e"), (where, place, value)
    made = {path.name for path in tmp_path.iterdir() if not path.name.startswith(("machine", "honest"))}
    assert made <= {"work", "config", "cache"}, "nothing is written outside of the machine's own folders"


@pytest.mark.parametrize("path", ["/runs/r1", "/runs/r1/rollouts"])
def test_a_run_that_is_judged_again_is_read_or_refused(path, talkative) -> None:
    assert len(_fetched(talkative)) == 1
    honest = talkative.answers["GET", path](httpx.Request("GET", URL + path)).json()
    for number, place in enumerate(_places(honest)):
        for value in (POISON[number % len(POISON)], POISON[(number + 5) % len(POISON)], "\ud800"):
            talkative.on("GET", path, httpx.Response(200, content=json.dumps(_with(honest, place, value)).encode()))
            with contextlib.suppress(HubClientError):
                for row in _fetched(talkative):
                    row.model_dump_json()  # as `--output` and `--json` do


def _fetched(_: PagedHub) -> list[RolloutRow]:
    with Hub(settings=ClientSettings.load(url=URL)) as hub:
        return fetch_run(hub, "r1").rollouts


def test_a_hub_s_cookies_are_not_kept(talkative) -> None:
    """A hub could mark its readers by them; the client has its token for that, and sends it nowhere else."""
    cookies: list[str | None] = []

    def answer(request: httpx.Request) -> httpx.Response:
        cookies.append(request.headers.get("cookie"))
        found = talkative(request)
        return httpx.Response(found.status_code, content=found.content, headers={"Set-Cookie": "mark=reader; Path=/"})

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("hub_client.transport.connection.DeadlineTransport", lambda _: httpx.MockTransport(answer))
        for _ in range(2):
            assert run(["info", "alice/small-sums"]) == 0
        with Hub(settings=ClientSettings.load(url=URL)) as hub:
            hub.send(accounts.whoami())
            hub.send(accounts.whoami())
    assert len(cookies) > 3
    assert set(cookies) == {None}
