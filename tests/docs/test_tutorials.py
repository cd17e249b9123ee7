"""Every tutorial, done step by step by a reader with an own hub and real boxes."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, ROOT
from tests.docs.reader import Reader

pytestmark = [pytest.mark.docker, pytest.mark.slow, pytest.mark.together("tutorials"), pytest.mark.timeout(900)]

TUTORIALS = ("install", "first_verifier", "first_environment", "first_training_run", "first_benchmark")
_BEFORE = {"first_benchmark": ("first_training_run",)}
"""What a tutorial says must be done first, besides installing."""


class Course:
    """One reader who does each tutorial at most once."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._done: set[str] = set()

    def do(self, name: str) -> None:
        for earlier in ("install", *_BEFORE.get(name, ()), name):
            if earlier not in self._done:
                self._reader.follow((DOCS / "tutorials" / f"{earlier}.md").read_text())
                self._done.add(earlier)


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Course]:
    reader = Reader(tmp_path_factory.mktemp("reader"))
    yield Course(reader)
    reader.stop()


@pytest.mark.parametrize("name", TUTORIALS)
def test_a_reader_can_do_it_as_it_is_written(course: Course, name: str) -> None:
    course.do(name)


def test_the_first_page_can_be_done_as_it_is_written(tmp_path: Path) -> None:
    reader = Reader(tmp_path)
    reader.start_hub()
    try:
        reader.follow((ROOT / "README.md").read_text())
    finally:
        reader.stop()


def test_every_tutorial_is_done() -> None:
    assert set(TUTORIALS) == {page.stem for page in (DOCS / "tutorials").glob("*.md")}
