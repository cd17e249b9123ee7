"""A monitor of a hub that lies: each way to change, hide or forge the past ends with a refusal, and is not written."""

import json
from pathlib import Path

import httpx
import pytest

from hub_client.client import Hub
from hub_client.errors import IntegrityError, UsageError
from hub_client.integrity.journal_copy import JournalCopy
from schemas.journal.entries import Act
from schemas.journal.merkle import EMPTY_ROOT
from tests.making.journal_hub import JournalHub, Key
from tests.making.scripted_hub import URL, problem
from tests.making.wheel import make_wheel

PAGE = 3


class PagedHub(JournalHub):
    """Gives three entries at a time, and what a test changes of them."""

    def __init__(self) -> None:
        super().__init__()
        self.change = lambda page: page
        self.on("GET", "/journal/entries", self._entries)
        self.on("GET", "/keys", lambda _: httpx.Response(200, json={"items": self.listed_keys()}))

    def _entries(self, request: httpx.Request) -> httpx.Response:
        start, size = int(request.url.params["start"]), len(self.statements)
        if start > size:
            return problem(422, "invalid_request", f"the journal has {size} entries")
        items = [{"position": n, "envelope": self.envelopes[n]} for n in range(start, min(start + PAGE, size))]
        page = {"start": start, "size": size, "items": items, "checkpoint": self.checkpoint()}
        return httpx.Response(200, json=self.change(page))

    def more(self, count: int) -> None:
        for _ in range(count):
            self.add(make_wheel(version=f"1.0.{len(self.statements)}"))


@pytest.fixture
def hub() -> PagedHub:
    made = PagedHub()
    made.more(5)
    return made


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.jsonl"


def copied(hub: PagedHub, path: Path) -> tuple[JournalCopy, int]:
    """A run of the monitor: the copy, and how many entries were new."""
    with Hub(URL, transport=httpx.MockTransport(hub)) as client:
        copy = JournalCopy(path, client.journal, client)
        return copy, len(list(copy.bring_up_to_date()))


def test_all_is_copied_once_and_the_root_is_the_hubs(hub: PagedHub, path: Path, own_folders) -> None:
    copy, fresh = copied(hub, path)
    assert (copy.size, fresh) == (5, 5)
    assert copy.root == hub.root((0, 5))
    hub.more(4)
    hub.enter(hub.releases["alice/small-sums"][0], Act.YANKED)
    copy, fresh = copied(hub, path)
    assert (copy.size, fresh, copy.root) == (10, 5, hub.root((0, 10)))
    assert copied(hub, path)[1] == 0
    lines = path.read_text().splitlines()
    assert [json.loads(line)["payload"] for line in lines] == [one["payload"] for one in hub.envelopes]


def test_a_run_that_was_killed_while_it_wrote_goes_on(hub: PagedHub, path: Path, own_folders) -> None:
    copied(hub, path)
    whole = path.read_bytes()
    for cut in (1, 17, len(whole) // 2):
        path.write_bytes(whole[:-cut])
        copy, _ = copied(hub, path)
        assert copy.size == 5
        assert path.read_bytes() == whole


def test_an_empty_journal_has_an_empty_copy(path: Path, own_folders) -> None:
    copy, fresh = copied(PagedHub(), path)
    assert (copy.size, fresh, copy.root, path.exists()) == (0, 0, EMPTY_ROOT, False)


def _forged(hub: PagedHub) -> None:
    hub.more(1)
    hub.change = lambda page: {**page, "items": [{**page["items"][0], "envelope": Key(9).seal(hub.statements[5])}]}


def _hidden(hub: PagedHub) -> None:
    hub.more(2)
    hub.change = lambda page: {**page, "items": page["items"][1:]}


def _withheld(hub: PagedHub) -> None:
    hub.more(2)
    hub.change = lambda page: {**page, "items": []}


def _rewritten(hub: PagedHub) -> None:
    hub.forge(1, sha256="0" * 64)
    hub.more(1)


def _shortened(hub: PagedHub) -> None:
    del hub.statements[3:], hub.envelopes[3:]


def _other_content(hub: PagedHub) -> None:
    """A signed entry that is not the one in the tree: the same release, yanked."""
    hub.more(1)
    other = hub.key.seal(hub.statements[0])
    hub.change = lambda page: {**page, "items": [{**one, "envelope": other} for one in page["items"]]}


def _unsigned_root(hub: PagedHub) -> None:
    hub.more(1)
    hub.key = Key(9)


@pytest.mark.parametrize("lie", [_forged, _hidden, _withheld, _rewritten, _shortened, _other_content, _unsigned_root])
def test_a_lie_is_found_and_nothing_of_it_is_written(hub: PagedHub, path: Path, own_folders, lie) -> None:
    copied(hub, path)
    before = path.read_bytes()
    lie(hub)
    with pytest.raises(IntegrityError):
        copied(hub, path)
    assert path.read_bytes() == before


def test_a_past_that_changed_before_this_machine_knew_the_hub_is_found_by_the_copy(
    hub: PagedHub, path: Path, own_folders, monkeypatch, tmp_path
) -> None:
    """The copy came from somebody else: what this machine remembers does not help."""
    copied(hub, path)
    monkeypatch.setenv("VERIHUB_CONFIG_DIR", str(tmp_path / "fresh"))
    hub.forge(4, sha256="0" * 64)
    hub.more(1)
    with pytest.raises(IntegrityError, match="not the beginning"):
        copied(hub, path)


@pytest.mark.parametrize("damage", [b"{}\n", b"x\n", b'{"payload": 1}\n', b"\n", b"\xff\n"])
def test_a_damaged_copy_is_said_to_be_damaged(hub: PagedHub, path: Path, own_folders, damage: bytes) -> None:
    copied(hub, path)
    path.write_bytes(damage + path.read_bytes())
    with pytest.raises(IntegrityError, match="line 1"):
        copied(hub, path)


def test_any_flipped_byte_of_the_copy_is_found(hub: PagedHub, path: Path, own_folders) -> None:
    """But for those of the signature, which were checked when the line was written."""
    copied(hub, path)
    whole = path.read_bytes()
    payload = json.loads(whole.splitlines()[2])["payload"].encode()
    place = whole.index(payload) if whole.count(payload) == 1 else whole.rindex(payload)
    for offset in range(0, len(payload) - 4, 41):
        flipped = bytearray(whole)
        flipped[place + offset] ^= 1
        path.write_bytes(flipped)
        with pytest.raises(IntegrityError):
            copied(hub, path)


def test_a_hub_that_brings_no_checkpoint_is_said_to_be_old(hub: PagedHub, path: Path, own_folders) -> None:
    hub.change = lambda page: {name: value for name, value in page.items() if name != "checkpoint"}
    with pytest.raises(UsageError, match="too old"):
        copied(hub, path)


def test_a_key_that_was_changed_properly_is_followed(hub: PagedHub, path: Path, own_folders) -> None:
    copied(hub, path)
    hub.rotate(Key(2))
    hub.more(2)
    assert copied(hub, path)[1] == 2
