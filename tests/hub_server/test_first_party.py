"""Publishing the collection at the start: in an order that works, in accounts that are nobody else's, once."""

import threading
from pathlib import Path

import pytest

from hub_client.commands.collection_file import read_collection
from hub_client.integrity.author_keys import AuthorKeyFile
from hub_server import cli, first_party
from hub_server.database.read_only import set_read_only, set_writable
from hub_server.first_party import FOLDER, lists, own_accounts, projects, publish_collection
from hub_server.kernel.services import Services
from schemas.kinds import PackageKind
from tests.making.hub import Api
from tests.making.listening_app import Served
from tests.making.project import make_project

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A verifier and a tool of the same owner, and one that nobody can pack."""
    collection = tmp_path / "collection"
    collection.mkdir()
    make_project(collection / "numbers", "lecture/numbers")
    make_project(collection / "roman", "lecture/roman", PackageKind.TOOL)
    return collection


def publish(services: Services, served: Served, folder: Path) -> tuple[list[str], list[str]]:
    """(what failed, what was said)."""
    said: list[str] = []
    failed = publish_collection(services, served.url, said.append, threading.Event(), folder)
    return failed, said


def ids(api: Api) -> list[str]:
    return sorted(item["id"] for item in api.get("/api/v1/packages").json()["items"])


def test_suites_come_first_and_benchmarks_last(database_url: str) -> None:
    found = projects()
    assert len(found) > 25
    kinds = [project.kind for project in found]
    assert kinds == sorted(kinds, key=lambda kind: {"suite": 0, "benchmark": 2}.get(kind, 1))
    assert {project.package.split("/")[0] for project in found} == {"lecture", "suites"}
    assert all(project.folder.parent == FOLDER for project in found)


def test_what_the_hub_lacks_is_published_once_and_the_token_ends(
    services: Services, served: Served, api: Api, folder: Path
) -> None:
    failed, said = publish(services, served, folder)
    assert (failed, ids(api)) == ([], ["lecture/numbers", "lecture/roman"])
    assert "Publishing the collection: 2 packages" in said[0]
    with services.database.reading() as session:
        rows = session.connection().exec_driver_sql("SELECT name, revoked_at IS NULL FROM tokens").fetchall()
    assert ("serve --with-collection", 0) in [tuple(row) for row in rows]
    assert ("serve --with-collection", 1) not in [tuple(row) for row in rows]
    assert publish(services, served, folder) == ([], []), "the second start has nothing to do"


def test_the_operator_s_own_key_does_not_sign_it(
    services: Services, served: Served, api: Api, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is the key of another account: the hub refuses it for ``lecture``."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    AuthorKeyFile(tmp_path / "verihub", served.url).make()
    failed, said = publish(services, served, folder)
    assert (failed, ids(api)) == ([], ["lecture/numbers", "lecture/roman"]), said


def test_who_took_a_name_of_the_collections_before_is_not_named_by_the_operator_for_it(
    services: Services, api: Api
) -> None:
    """Suites of named accounts count as the hub's own, so a stranger called `suites` would make grades."""
    api.sign_up("suites")
    for _ in range(2):
        assert own_accounts(services) == ["lecture"]


def test_a_later_start_and_a_worker_count_what_an_earlier_start_has_made(services: Services) -> None:
    """Without it every grade that a plain `verihub worker` measured lacked the collection's suites."""
    settings = services.settings.model_copy(update={"suite_owners": ["team"]})
    assert cli._with_own_accounts(settings).suite_owners == ["team"]
    own_accounts(services)
    assert cli._with_own_accounts(settings).suite_owners == ["team", "lecture", "suites"]


def test_nothing_gets_into_the_name_of_somebody_else(
    services: Services, served: Served, api: Api, folder: Path
) -> None:
    api.sign_up("lecture")
    failed, said = publish(services, served, folder)
    assert (failed, ids(api)) == (["lecture/numbers", "lecture/roman"], [])
    assert any("lecture is somebody's account" in sentence for sentence in said)


def test_one_that_cannot_be_packed_keeps_no_other_away(
    services: Services, served: Served, api: Api, folder: Path
) -> None:
    next(folder.glob("numbers/src/*/verihub.toml")).write_text(
        'format = 99\nid = "lecture/numbers"\nkind = "verifier"\n'
    )
    failed, said = publish(services, served, folder)
    assert (failed, ids(api)) == (["lecture/numbers"], ["lecture/roman"])
    assert any(sentence.startswith("lecture/numbers was not published: ") for sentence in said)


def test_what_asks_a_model_is_left_out_where_there_is_none(
    services: Services, served: Served, api: Api, folder: Path
) -> None:
    manifest = next(folder.glob("numbers/src/*/verihub.toml"))
    manifest.write_text(manifest.read_text() + "\n[model]\n")
    assert [project.asks_model for project in projects(folder)] == [True, False]
    failed, _ = publish(services, served, folder)
    assert (failed, ids(api)) == ([], ["lecture/roman"])


def test_a_hub_that_stops_does_not_wait_for_it(services: Services, served: Served, api: Api, folder: Path) -> None:
    stopped = threading.Event()
    stopped.set()
    assert publish_collection(services, served.url, lambda _: None, stopped, folder) == []
    assert ids(api) == []


LIST = """id = "lecture/all"
title = "All of it"
[[entries]]
package = "lecture/numbers"
note = "Begin here."
"""


def test_lists_follow_their_packages_once_and_again_with_a_new_one(
    services: Services, served: Served, api: Api, folder: Path
) -> None:
    (folder / "lists").mkdir()
    (folder / "lists" / "all.toml").write_text(LIST)
    failed, said = publish(services, served, folder)
    assert (failed, said[-1]) == ([], "The collection is published (3 of 3, lists included); audits go on.")
    read = api.get("/api/v1/collections/lecture/all").json()
    assert (read["revision"], [one["note"] for one in read["entries"]]) == (1, ["Begin here."])
    assert publish(services, served, folder) == ([], []), "the second start has nothing to do"
    make_project(folder / "more", "lecture/more")
    assert publish(services, served, folder)[0] == []
    assert api.get("/api/v1/collections/lecture/all").json()["revision"] == 2


def test_while_the_hub_is_read_only_it_waits_and_then_sends_again(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The operator stops all writing between two packages, and under the second."""
    sent: list[str] = []

    def switch(*, on: bool) -> None:
        with services.database.writing(even_if_read_only=True) as session:
            set_read_only(session, services.clock.now(), "It moves.") if on else set_writable(session)

    def send(one: first_party.FirstParty, *_: object) -> str:
        sent.append(one.id)
        if len(sent) == 1:
            switch(on=True)
            return "This hub is read-only for now"
        return ""

    class Pause(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            switch(on=False)
            return False

    monkeypatch.setattr(first_party, "_publish", send)
    one = first_party.FirstParty("lecture/numbers", ("publish", "x"))
    assert first_party._publish_when_writable(services, one, "http://hub.test", "token", Pause()) == ""
    assert sent == ["lecture/numbers"] * 2


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("", "no reason was given"),
        ("note: x\nverihub: there is no a/b\n  did you mean a/c?\n", "there is no a/b; did you mean a/c?"),
        ("killed\n", "killed"),
    ],
)
def test_the_reason_is_the_commands_sentence_with_its_advice(database_url: str, said: str, reason: str) -> None:
    assert first_party._reason_in(said) == reason


def test_a_list_of_packages_that_are_not_there_keeps_nothing_else_away(
    services: Services, served: Served, api: Api, folder: Path
) -> None:
    (folder / "lists").mkdir()
    (folder / "lists" / "all.toml").write_text(LIST.replace("lecture/numbers", "lecture/none"))
    failed, said = publish(services, served, folder)
    assert (failed, ids(api)) == (["lecture/all"], ["lecture/numbers", "lecture/roman"])
    assert any(sentence.startswith("lecture/all was not published: ") for sentence in said)


def test_the_lists_name_packages_that_every_hub_has(database_url: str) -> None:
    known = {project.package for project in projects() if not project.asks_model}
    found = lists()
    assert len(found) >= 3
    for one in found:
        collection_id, body = read_collection(Path(one.command[-1]))
        assert collection_id == one.id
        assert {entry.package for entry in body.entries} <= known
        assert all(entry.note for entry in body.entries)
        assert body.text.count("`") % 2 == 0
