import pytest

from hub_client.errors import CheckFailedError, NotFoundError
from hub_client.locking import read_lock, write_lock
from schemas.lock import Lock, LockedPackage

DIGEST = "sha256:" + "a" * 64
LOCK = Lock(
    origin="http://hub.example",
    references=["alice/x"],
    package=[
        LockedPackage(id="alice/x", version="1.0.0", archive=DIGEST, size_bytes=3, requires=["bob/y@2.0.0"]),
        LockedPackage(id="bob/y", version="2.0.0", archive=DIGEST, size_bytes=4, image=DIGEST, audit=DIGEST),
    ],
)


def test_what_was_written_is_read_and_written_again_byte_for_byte(tmp_path) -> None:
    path = tmp_path / "new" / "verihub.lock"
    path.parent.mkdir()
    write_lock(LOCK, path)
    first = path.read_bytes()
    assert read_lock(path) == LOCK
    write_lock(read_lock(path), path)
    assert path.read_bytes() == first
    assert b"do not edit" in first
    assert LOCK.find("bob/y") == LOCK.package[1]
    assert LOCK.find("bob/z") is None
    assert [item.name for item in path.parent.iterdir()] == ["verihub.lock"]


@pytest.mark.parametrize(
    ("text", "kind", "word"),
    [
        (None, NotFoundError, "verihub lock"),
        ("not toml [", CheckFailedError, "not valid TOML"),
        ("lock_version = 2\n", CheckFailedError, "lock_version"),
        ('lock_version = 1\norigin = "x"\nreferences = []\n[[package]]\nid = "X"\n', CheckFailedError, "package.0.id"),
    ],
)
def test_a_lock_that_is_not_sound_says_why(tmp_path, text, kind, word) -> None:
    path = tmp_path / "verihub.lock"
    if text is not None:
        path.write_text(text)
    with pytest.raises(kind, match=word):
        read_lock(path)
