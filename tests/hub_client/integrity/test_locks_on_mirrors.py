"""A lock of a hub is synced and verified from a mirror of it, and from nobody who only says that he is one."""

import httpx
import pytest

from hub_client.commands.main import run
from tests.making.journal_hub import JournalHub, Key
from tests.making.scripted_hub import URL
from tests.making.wheel import make_wheel

MIRROR = "http://mirror.example"


def hub_with_sums(**more: str) -> JournalHub:
    hub = JournalHub()
    for name, value in more.items():
        setattr(hub, name, value)
    hub.add(make_wheel(**({"metadata": more["metadata"]} if "metadata" in more else {})))
    return hub


@pytest.fixture
def verihub(monkeypatch, capsys, tmp_path, own_folders):
    """A machine whose lock was made at the hub, and that can reach a mirror alone from then on."""
    hubs = {"hub.example": hub_with_sums()}
    monkeypatch.setattr(
        "hub_client.transport.connection.DeadlineTransport",
        lambda _: httpx.MockTransport(lambda request: hubs[request.url.host](request)),
    )
    monkeypatch.setenv("VERIHUB_URL", URL)
    assert run(["lock", "alice/small-sums", "--no-images"]) == 0

    def call(mirror: JournalHub, *arguments: str, fresh: bool = True) -> tuple[int, str]:
        hubs.clear()
        hubs["mirror.example"] = mirror
        monkeypatch.setenv("VERIHUB_URL", MIRROR)
        if fresh:
            for name in ("VERIHUB_CACHE_DIR", "VERIHUB_CONFIG_DIR"):
                monkeypatch.setenv(name, str(tmp_path / f"{name}-of-another-machine"))
        capsys.readouterr()
        code = run(list(arguments))
        return code, capsys.readouterr().err

    return call


def test_the_lock_of_a_hub_is_synced_and_verified_from_its_mirror(verihub) -> None:
    mirror = hub_with_sums()
    mirror.add(make_wheel(version="2.0"))  # the journal went on since
    code, said = verihub(mirror, "sync", "--frozen")
    assert code == 0, said
    assert "was made at http://hub.example" in said
    assert verihub(mirror, "verify")[0] == 0
    assert verihub(mirror, "lock", "--no-images")[0] == 0
    assert verihub(mirror, "sync", "--frozen")[0] == 0


@pytest.mark.parametrize("lie", ["another journal", "another key", "another past"])
def test_who_only_says_that_he_mirrors_it_is_refused(verihub, lie: str) -> None:
    mirror = hub_with_sums(origin="verihub/evil") if lie == "another journal" else hub_with_sums()
    if lie == "another key":
        mirror = JournalHub()
        mirror.key = Key(7)
        mirror.introductions = [(mirror.key, "")]
        mirror.add(make_wheel())
    if lie == "another past":
        mirror.forge(0, sha256="0" * 64)
    code, said = verihub(mirror, "sync")
    assert code == 7, said
