import os
import threading

import pytest

from hub_client.errors import IntegrityError
from hub_client.releases.cache import Cache
from schemas.names import digest_of

DATA = b"the bytes of a wheel"
DIGEST = digest_of(DATA)


def everything_in(folder):
    return [path for path in folder.rglob("*") if path.is_file() and "locks" not in path.parts]


def test_what_was_added_is_found_with_its_name(tmp_path) -> None:
    cache = Cache(tmp_path)
    assert cache.find_wheel(DIGEST) is None
    path = cache.add_wheel(DIGEST, "a-1.0-py3-none-any.whl", [DATA[:5], DATA[5:]])
    assert cache.find_wheel(DIGEST) == path
    assert (path.name, path.read_bytes()) == ("a-1.0-py3-none-any.whl", DATA)


def test_other_bytes_than_promised_leave_nothing_behind(tmp_path) -> None:
    cache = Cache(tmp_path)
    with pytest.raises(IntegrityError, match="nothing was kept"):
        cache.add_wheel(DIGEST, "a.whl", [DATA, b"!"])
    assert everything_in(tmp_path) == []


def test_a_download_that_breaks_off_leaves_nothing_behind(tmp_path) -> None:
    def broken():
        yield DATA[:3]
        raise OSError("the line is dead")

    with pytest.raises(OSError, match="dead"):
        Cache(tmp_path).add_wheel(DIGEST, "a.whl", broken())
    assert everything_in(tmp_path) == []


def test_a_file_that_rotted_is_not_served(tmp_path) -> None:
    cache = Cache(tmp_path)
    path = cache.add_wheel(DIGEST, "a.whl", [DATA])
    path.write_bytes(DATA[:-1] + b"X")
    assert cache.damaged() == [path]
    assert cache.find_wheel(DIGEST) is None
    assert not path.exists()


def test_what_a_hub_said_is_kept_apart_from_other_hubs(tmp_path) -> None:
    cache = Cache(tmp_path)
    cache.write_index("http://one", "alice/x", {"a": 1})
    assert cache.read_index("http://one", "alice/x") == {"a": 1}
    assert cache.read_index("http://two", "alice/x") is None


def test_one_at_a_time_under_a_lock(tmp_path) -> None:
    inside, seen = [], []

    def work():
        with Cache(tmp_path).locked("thing"):
            inside.append(1)
            seen.append(len(inside))
            inside.pop()

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [1] * 8


@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
def test_what_is_no_file_in_a_wheel_s_place_is_removed_and_not_read(kind, tmp_path) -> None:
    cache = Cache(tmp_path)
    path = cache.add_wheel(DIGEST, "a.whl", [DATA])
    path.unlink()
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        path.mkdir()
    assert cache.damaged() == [path]
    assert cache.find_wheel(DIGEST) is None
    assert cache.add_wheel(DIGEST, "a.whl", [DATA]).read_bytes() == DATA


def test_a_scratch_folder_of_a_killed_command_is_gone_after_a_day(tmp_path) -> None:
    cache = Cache(tmp_path)
    with cache.scratch() as running:
        left = running.parent / "left"
        left.mkdir()
        (left / "file").touch()
        os.utime(left, (0, 0))
        with cache.scratch():
            pass
        assert (running.exists(), left.exists()) == (True, False)
