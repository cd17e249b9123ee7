"""Any byte that changes, of what is kept here or of what the hub signs, ends in exit 7: nothing of it is used."""

from copy import deepcopy
from pathlib import Path

import httpx
import pytest

from hub_client.client import Hub
from hub_client.commands.main import run
from hub_client.errors import IntegrityError
from hub_client.lockfile import follow_journal, load_pinned, read_lock_of
from hub_client.settings import ClientSettings
from tests.making.journal_hub import JournalHub
from tests.making.scripted_hub import URL
from tests.making.wheel import make_wheel

SUMS = "alice/small-sums"
KEPT = ["cache/v1/wheels/**/*.whl", "cache/v1/proofs/**/*.json", "cache/v1/said/**/*.json", "config/known_hubs/*.txt"]


@pytest.fixture
def verihub(monkeypatch, capsys):
    def call(*arguments: str) -> tuple[int, str]:
        code = run(list(arguments))
        return code, capsys.readouterr().err

    return call


@pytest.fixture
def synced(verihub, monkeypatch, tmp_path, own_folders) -> Path:
    """A machine with a lock that was synced; the hub is gone."""
    there = JournalHub()
    there.add(make_wheel())
    there.add(make_wheel(version="2.0"))
    monkeypatch.setattr("hub_client.transport.connection.DeadlineTransport", lambda _: httpx.MockTransport(there))
    monkeypatch.setenv("VERIHUB_URL", URL)
    assert verihub("lock", SUMS, "--no-images")[0] == 0
    assert verihub("sync", "--frozen")[0] == 0
    assert verihub("--offline", "sync", "--frozen")[0] == 0
    assert verihub("verify", "--offline")[0] == 0
    return tmp_path


def places(data: bytes, count: int) -> list[int]:
    """Some places of a long file, every place of a short one."""
    step = max(1, len(data) // count)
    return [*range(0, len(data), step), len(data) - 1]


def sync_offline() -> None:
    """What `verihub sync --frozen --offline` does, without a new command line for each of a thousand bytes."""
    settings = ClientSettings.load(url=URL, offline=True)
    with Hub(settings=settings) as hub:
        lock = read_lock_of(Path("verihub.lock"), URL)
        follow_journal(hub.journal, lock, Path("verihub.lock"), needs_proof=True)
        for locked in lock.package:
            load_pinned(hub.resolver, locked, strict=True)


@pytest.mark.parametrize("pattern", [*KEPT, "work/verihub.lock"])
def test_no_flipped_bit_of_what_is_kept_here_is_used(synced, verihub, pattern) -> None:
    (path,) = sorted(synced.glob(pattern))
    whole = path.read_bytes()
    for place in places(whole, 70):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ (1, 32)[place % 2]]) + whole[place + 1 :])
        with pytest.raises(IntegrityError):
            sync_offline()
        assert path.exists(), "nothing that is damaged is deleted without a word"
    assert verihub("sync", "--frozen", "--offline")[0] == 7
    for changed in (whole[:-1], whole + b"\n", b"", whole + whole):
        path.write_bytes(changed)
        assert verihub("verify", "--offline")[0] == 7, (pattern, len(changed))
    path.write_bytes(whole)
    assert verihub("sync", "--frozen", "--offline")[0] == 0


@pytest.mark.parametrize("part", ["envelope", "signature", "checkpoint", "hashes"])
def test_no_flipped_byte_of_what_a_hub_sends_is_used(monkeypatch, verihub, own_folders, part) -> None:
    there = JournalHub()
    there.add(make_wheel())
    there.add(make_wheel(version="2.0"))
    monkeypatch.setattr("hub_client.transport.connection.DeadlineTransport", lambda _: httpx.MockTransport(there))
    monkeypatch.setenv("VERIHUB_URL", URL)
    assert verihub("pull", f"{SUMS}@2.0")[0] == 0
    path = f"/journal/releases/{SUMS}/1.0.0"
    honest = deepcopy(there.proof(path))
    text = {
        "envelope": honest["envelope"]["payload"], "signature": honest["envelope"]["signatures"][0]["sig"],
        "checkpoint": honest["checkpoint"], "hashes": honest["hashes"][0],
    }[part]  # fmt: skip
    for place in places(text.encode(), 25):
        if not text[place : place + 1]:
            continue
        other = text[:place] + ("A" if text[place] != "A" else "B") + text[place + 1 :]
        lie = deepcopy(honest)
        if part == "envelope":
            lie["envelope"]["payload"] = other
        elif part == "signature":
            lie["envelope"] = {**lie["envelope"], "signatures": [{**lie["envelope"]["signatures"][0], "sig": other}]}
        elif part == "checkpoint":
            lie["checkpoint"] = other
        else:
            lie["hashes"] = [other]
        there.on("GET", path, lie)
        code, said = verihub("pull", f"{SUMS}@1.0.0")
        assert code == 7, (place, said)
    there.on("GET", path, honest)
    assert verihub("pull", f"{SUMS}@1.0.0")[0] == 0


def test_a_damaged_wheel_is_fetched_again_where_its_hub_can_be_asked(synced, verihub) -> None:
    (path,) = sorted(synced.glob(KEPT[0]))
    path.write_bytes(b"damaged")
    assert verihub("sync")[0] == 0
    assert verihub("sync", "--frozen", "--offline")[0] == 0
