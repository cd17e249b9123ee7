import pytest

from hub_client.errors import CheckFailedError, IntegrityError, NotFoundError
from hub_client.lockfile import check_pinned, read_lock, write_lock
from hub_client.releases.resolve import LoadedPackage
from schemas.lock import Lock, LockedPackage
from schemas.wheels.wheel import read_wheel
from tests.making.wheel import make_wheel

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
        ("not toml [", IntegrityError, "not valid TOML"),
        ("lock_version = 3\n", IntegrityError, "lock_version"),
        ('lock_version = 1\norigin = "x"\nreferences = []\n[[package]]\nid = "X"\n', IntegrityError, "package.0.id"),
        ('lock_version = 2\norigin = "x"\nreferences = []\npackage = []\n', IntegrityError, "was changed"),
        (
            f'lock_version = 1\ndigest = "{DIGEST}"\norigin = "x"\nreferences = []\npackage = []\n',
            IntegrityError,
            "was changed",
        ),
    ],
)
def test_a_lock_that_is_not_sound_says_why(tmp_path, text, kind, word) -> None:
    path = tmp_path / "verihub.lock"
    if text is not None:
        path.write_text(text)
    with pytest.raises(kind, match=word):
        read_lock(path)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"package": []}, "alice/x is asked for and not pinned"),
        ({"package": LOCK.package[:1]}, "bob/y@2.0.0 is needed and not pinned"),
        ({"package": [*LOCK.package, LOCK.package[0]]}, "pinned twice"),
        ({"references": ["alice/x@2.0.0"]}, "1.0.0 is pinned"),
        ({"references": ["alice/x@>=1.1"]}, "1.0.0 is pinned"),
        ({"references": ["alice/x@sha256:" + "b" * 64]}, "1.0.0 is pinned"),
    ],
)
def test_a_lock_with_a_gap_is_refused(tmp_path, change, words) -> None:
    path = tmp_path / "verihub.lock"
    write_lock(LOCK.model_copy(update=change), path)
    with pytest.raises(CheckFailedError, match=words):
        read_lock(path)


def test_a_lock_of_an_older_client_is_read(tmp_path) -> None:
    path = tmp_path / "verihub.lock"
    path.write_text('lock_version = 1\norigin = "http://hub.example"\nreferences = []\npackage = []\n')
    assert read_lock(path).checkpoint == ""


def test_ranges_and_digests_that_the_pins_fit_are_whole(tmp_path) -> None:
    path = tmp_path / "verihub.lock"
    for reference in ("alice/x@>=1,<2", f"alice/x@{DIGEST}", "alice/x@1.0.0", "alice/x@latest"):
        write_lock(LOCK.model_copy(update={"references": [reference]}), path)
        assert read_lock(path).references == [reference]


@pytest.mark.parametrize(
    ("change", "words"),
    [({"archive": DIGEST}, "tampered"), ({"size_bytes": 1}, "size"), ({"requires": ["bob/y@1.0.0"]}, "needs other"),
     ({"dependencies": DIGEST}, "dependencies"), ({}, "")],
)  # fmt: skip
def test_what_a_lock_says_of_a_release_is_compared_with_the_release(change, words, tmp_path) -> None:
    contents = read_wheel(make_wheel())
    package = LoadedPackage("alice/small-sums", "1.0.0", contents.digest, tmp_path / "x.whl", contents)
    honest = LockedPackage(
        id=package.package, version="1.0.0", archive=contents.digest, size_bytes=contents.size_bytes, requires=[]
    )
    if not change:
        check_pinned(honest, package)
        return
    with pytest.raises(IntegrityError, match=words):
        check_pinned(honest.model_copy(update=change), package)
