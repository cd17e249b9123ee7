"""Wheels on local disk: verified when they come, parsed once, and a full or damaged store says so."""

import gc
import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from hub_server.adapters import local_wheel_cache
from hub_server.adapters.local_wheel_cache import LocalWheelCache
from hub_server.errors import StorageUnavailableError
from schemas.names import digest_of
from schemas.task import Task
from schemas.wheels import package_data
from tests.making.hub import MANIFEST, make_package


class Blobs:
    """Bytes in memory that count how often they are read; ``lie`` gives others."""

    def __init__(self) -> None:
        self.bytes: dict[str, bytes] = {}
        self.reads = 0
        self.lie: bytes | None = None

    def put(self, data: bytes) -> str:
        self.bytes[digest_of(data)] = data
        return digest_of(data)

    def put_file(self, path: Path, digest: str) -> None:
        self.bytes[digest] = path.read_bytes()

    def read(self, digest: str) -> bytes:
        self.reads += 1
        return self.lie if self.lie is not None else self.bytes[digest]

    def stream(self, digest: str) -> Iterator[bytes]:
        yield self.read(digest)

    def delete(self, digest: str) -> None:
        raise NotImplementedError

    def exists(self, digest: str) -> bool:
        return digest in self.bytes

    def check(self) -> None: ...


@pytest.fixture
def blobs() -> Blobs:
    return Blobs()


def test_a_wheel_is_fetched_once_and_is_exactly_its_bytes(blobs: Blobs, tmp_path: Path) -> None:
    wheel = make_package()
    digest = blobs.put(wheel)
    cache = LocalWheelCache(blobs, tmp_path / "wheels")
    assert cache.path(digest).read_bytes() == wheel
    assert cache.path(digest) == cache.path(digest)
    assert blobs.reads == 1
    assert LocalWheelCache(blobs, tmp_path / "wheels").path(digest).exists()  # another process finds it too
    assert blobs.reads == 1


def test_bytes_that_are_not_those_are_refused_and_not_kept(blobs: Blobs, tmp_path: Path) -> None:
    digest = blobs.put(make_package())
    blobs.lie = b"other bytes"
    cache = LocalWheelCache(blobs, tmp_path / "wheels")
    with pytest.raises(StorageUnavailableError, match="restore them from a backup"):
        cache.path(digest)
    assert not (tmp_path / "wheels").exists() or list((tmp_path / "wheels").iterdir()) == []
    blobs.lie = None
    assert cache.path(digest).exists()


def test_a_folder_that_cannot_be_made_is_unavailable_and_leaves_no_part(blobs: Blobs, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = LocalWheelCache(blobs, tmp_path / "file" / "wheels")
    with pytest.raises(StorageUnavailableError, match="No wheel can be kept"):
        cache.path(blobs.put(make_package()))


def test_tasks_are_found_by_id_and_an_unknown_split_is_an_error(blobs: Blobs, tmp_path: Path) -> None:
    digest = blobs.put(make_package())
    cache = LocalWheelCache(blobs, tmp_path / "wheels")
    tasks = cache.tasks_by_id(digest, "train")
    assert sorted(tasks) == ["t1", "t2"]
    assert all(task.id == name for name, task in tasks.items())
    assert cache.tasks_by_id(digest, "train") is tasks
    with pytest.raises(KeyError):
        cache.tasks_by_id(digest, "no such split")


def test_a_wheel_that_is_forgotten_is_neither_on_disk_nor_in_memory(blobs: Blobs, tmp_path: Path) -> None:
    digest = blobs.put(make_package())
    cache = LocalWheelCache(blobs, tmp_path / "wheels")
    cache.contents(digest)
    cache.forget(digest)
    cache.forget(digest)
    assert not list((tmp_path / "wheels").glob("*.whl"))
    cache.contents(digest)
    assert blobs.reads == 2


def test_only_the_latest_few_wheels_stay_in_memory(blobs: Blobs, tmp_path: Path) -> None:
    cache = LocalWheelCache(blobs, tmp_path / "wheels", keep=2)
    digests = [blobs.put(make_package(version=f"1.{number}.0")) for number in range(3)]
    first = cache.contents(digests[0])
    assert cache.contents(digests[0]) is first
    cache.contents(digests[1])
    cache.contents(digests[0])  # used again, so the other one is the oldest
    cache.contents(digests[2])
    assert cache.contents(digests[0]) is first


_HEAD = 'kind = "environment"\ntasks = { train = "tasks.jsonl" }'
SPLIT = {"tasks.jsonl": "".join(json.dumps({"id": f"t{n}", "prompt": "?" * 50, "answer": n}) + "\n" for n in range(9))}


def split_in(blobs: Blobs) -> str:
    """The digest of an environment with nine tasks in one split."""
    return blobs.put(make_package(manifest=MANIFEST.replace('kind = "verifier"', _HEAD), package_files=SPLIT))


def test_the_lines_of_a_split_are_written_once_and_are_the_tasks(
    blobs: Blobs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache, digest = LocalWheelCache(blobs, tmp_path / "wheels"), split_in(blobs)
    written: list[bool] = []
    real = package_data._plain_line

    def plain_line(row: bytes, split: str, *, with_answer: bool) -> bytes | None:
        line = real(row, split, with_answer=with_answer)
        written.extend([with_answer] * (line is not None))
        return line

    monkeypatch.setattr(package_data, "_plain_line", plain_line)
    for answers in (False, True):
        expected = [task if answers else task.public() for task in cache.contents(digest).tasks("train")]
        for _ in range(2):
            lines = list(cache.task_lines(digest, "train", answers=answers))
            assert [Task.model_validate_json(line) for line in lines] == expected
    assert written == [False] * 9 + [True] * 9
    cache.forget(digest)
    assert next(cache.task_lines(digest, "train", answers=False)).endswith(b"\n")
    assert len(written) == 19, "what was forgotten is written anew"


def test_the_rows_of_a_published_split_become_no_tasks_for_their_first_reader(
    blobs: Blobs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They were checked when the release was published; the first reader of a large split need not wait for that again."""
    cache, digest = LocalWheelCache(blobs, tmp_path / "wheels"), split_in(blobs)
    monkeypatch.setattr(Task, "model_validate", lambda row: pytest.fail(f"{row} was checked again"))
    assert len(list(cache.task_lines(digest, "train", answers=True))) == 9


def test_a_split_that_nobody_read_to_its_end_or_that_is_too_large_is_not_kept(
    blobs: Blobs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache, digest = LocalWheelCache(blobs, tmp_path / "wheels"), split_in(blobs)
    begun = cache.task_lines(digest, "train", answers=False)
    next(begun)
    begun.close()  # type: ignore[attr-defined]
    assert not cache._lines
    monkeypatch.setattr(local_wheel_cache, "_LINES_BYTES", 4 * 500)
    assert len(list(cache.task_lines(digest, "train", answers=False))) == 9
    assert not cache._lines


def test_many_slow_readers_of_a_split_make_the_hub_hold_its_lines_once(blobs: Blobs, tmp_path: Path) -> None:
    """Each would hold 16 MB until its end, which a reader can put off as long as it likes."""
    cache, digest = LocalWheelCache(blobs, tmp_path / "wheels"), split_in(blobs)

    def held(readers: list[Iterator[bytes]]) -> int:
        lines = [next(reader) for _ in range(3) for reader in readers]
        return sum(isinstance(one, list) and one is not lines for line in lines for one in gc.get_referrers(line))

    readers = [cache.task_lines(digest, "train", answers=False) for _ in range(20)]
    assert held(readers) == 3
    del readers
    assert not cache._gathered, "who goes away holds nothing"
    assert len(list(cache.task_lines(digest, "train", answers=False))) == 9
    assert len(cache._lines) == 1


@pytest.mark.parametrize("split", ["none", ""])
def test_lines_of_a_split_that_is_not_there_are_refused(blobs: Blobs, tmp_path: Path, split: str) -> None:
    cache = LocalWheelCache(blobs, tmp_path / "wheels")
    with pytest.raises(KeyError):
        list(cache.task_lines(split_in(blobs), split, answers=True))


def test_many_that_ask_at_once_get_one_value(blobs: Blobs, tmp_path: Path) -> None:
    digest = blobs.put(make_package())
    cache = LocalWheelCache(blobs, tmp_path / "wheels")
    found: list[int] = []
    ready = threading.Barrier(6)

    def read() -> None:
        ready.wait()
        found.append(id(cache.contents(digest)))

    threads = [threading.Thread(target=read) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 6
    assert len(set(found)) == 1
