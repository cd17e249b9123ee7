import threading

import pytest

from hub_client.errors import IntegrityError
from hub_client.integrity.known_hubs import KnownHub, KnownHubs
from tests.making.journal_hub import JournalHub, Key
from tests.making.wheel import make_wheel

URL = "http://hub.example:8642/x"


@pytest.fixture
def known() -> KnownHub:
    hub = JournalHub()
    hub.add(make_wheel())
    hub.rotate(Key(2))
    return KnownHub((Key(1).public(hub.origin), Key(2).public(hub.origin)), hub.checkpoint())


def test_what_was_remembered_is_found_and_each_hub_has_its_own(tmp_path, known) -> None:
    hubs = KnownHubs(tmp_path)
    assert hubs.find(URL) is None
    hubs.remember(URL, known)
    assert hubs.find(URL) == known
    assert hubs.find("https://hub.example:8642/x") is None
    assert hubs.path(URL).name.startswith("hub.example-8642-x-")
    assert (known.origin, known.checkpoint.size) == ("verihub/test", 1)


def test_every_byte_is_held_by_a_hash_or_a_signature(tmp_path, known) -> None:
    whole = str(known).encode()
    for place in range(len(whole)):
        changed = whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]
        with pytest.raises((IntegrityError, UnicodeDecodeError)):
            KnownHub.parse(changed.decode())


def test_lines_that_change_places_are_noticed(known) -> None:
    first, second, *rest = str(known).split("\n")
    with pytest.raises(IntegrityError, match="do not belong together"):
        KnownHub.parse("\n".join([second, first, *rest]))


@pytest.mark.parametrize("content", [b"", b"\xff", b"\n\n", b"x" * 100_000])
def test_a_damaged_file_says_what_to_do(tmp_path, content) -> None:
    hubs = KnownHubs(tmp_path)
    hubs.path(URL).parent.mkdir()
    hubs.path(URL).write_bytes(content)
    with pytest.raises(IntegrityError, match="delete the file"):
        hubs.find(URL)


def test_writers_at_once_leave_a_whole_file(tmp_path, known) -> None:
    hubs = KnownHubs(tmp_path)

    def write() -> None:
        with hubs.locked(URL):
            hubs.remember(URL, known)

    threads = [threading.Thread(target=write) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert hubs.find(URL) == known
