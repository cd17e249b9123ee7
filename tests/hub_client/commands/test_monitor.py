"""The monitor from the shell: what is new, the root, and exit 7 for a changed past."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from schemas.journal.entries import Act
from tests.hub_client.integrity.test_journal_copy import PagedHub
from tests.making.scripted_hub import URL
from tests.making.small_disk import mounted_disk


@pytest.fixture
def there(monkeypatch, verihub):
    hub = PagedHub()
    hub.more(4)
    monkeypatch.setattr("hub_client.transport.connection.DeadlineTransport", lambda _: httpx.MockTransport(hub))
    monkeypatch.setenv("VERIHUB_URL", URL)
    return hub


def test_new_entries_are_printed_once_with_the_root(verihub, there, tmp_path) -> None:
    file = str(tmp_path / "journal.jsonl")
    said = verihub("monitor", file)
    assert said.code == 0
    assert "1  2026-11-25 00:00  publish  alice/small-sums 1.0.0" in said.out
    assert f"4 entries, 4 new, root {there.root((0, 4)).hex()}" in said.out
    again = verihub("monitor", file, "--format", "json").json
    assert (again["items"], again["size"]) == ([], 4)
    there.forge(0, sha256="0" * 64)
    there.more(1)
    changed = verihub("monitor", file)
    assert (changed.code, "changed its past" in changed.err) == (7, True)


def test_an_entry_about_a_package_names_no_version(verihub, there, tmp_path) -> None:
    there.forge(3, act=Act.TRANSFER, version=None)
    said = verihub("monitor", str(tmp_path / "journal.jsonl"))
    assert said.out.splitlines()[-2].endswith("transfer  alice/small-sums")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Twelve kilobytes, of which the copy has eight."""
    with mounted_disk(tmp_path / "disk", "12k") as folder:
        (folder / "other").write_bytes(os.urandom(4096))
        yield folder


def test_a_full_disk_keeps_whole_pages_and_shows_each_entry_once(verihub, there, small_disk) -> None:
    there.more(20)
    file = small_disk / "journal.jsonl"
    full = verihub("monitor", str(file))
    assert (full.code, "No space left" in full.err, "journal.jsonl" in full.err) == (1, True, True)
    assert "Traceback" not in full.err
    kept = file.read_text()
    assert 0 < kept.count("\n") < 24
    assert kept.endswith("}\n"), "no half of an entry"
    assert f"{kept.count(chr(10))} entries, {kept.count(chr(10))} new, root" in full.out
    (small_disk / "other").unlink()
    subprocess.run(["mount", "-o", "remount,size=1m", str(small_disk)], check=True)
    rest = verihub("monitor", str(file))
    assert rest.code == 0
    assert f"24 entries, {24 - kept.count(chr(10))} new, root {there.root((0, 24)).hex()}" in rest.out
    assert file.read_text().startswith(kept)
