import sqlite3
from pathlib import Path

import pytest

from sandbox.models.answer_store import AnswerStore
from sandbox.models.port import ModelAnswer


def test_an_answer_is_found_again_by_another_process(tmp_path: Path) -> None:
    first = AnswerStore(tmp_path, 10**6)
    first.keep("key", ModelAnswer("yes", prompt_tokens=3))
    assert AnswerStore(tmp_path, 10**6).find("key") == ModelAnswer("yes", prompt_tokens=3)
    assert first.find("other") is None


def test_the_first_answer_to_a_question_stays(tmp_path: Path) -> None:
    store = AnswerStore(tmp_path, 10**6)
    store.keep("key", ModelAnswer("yes"))
    store.keep("key", ModelAnswer("no"))
    assert store.find("key") == ModelAnswer("yes")


def test_what_was_used_least_recently_goes_first(tmp_path: Path) -> None:
    store = AnswerStore(tmp_path, 1000)
    for number in range(3):
        store.keep(str(number), ModelAnswer("x" * 200))
    assert store.find("0") is not None
    store.keep("3", ModelAnswer("x" * 200))
    assert store.find("1") is None
    assert store.find("0") is not None
    assert store.find("3") is not None


def test_the_file_stays_within_its_limit(tmp_path: Path) -> None:
    store = AnswerStore(tmp_path, 2000)
    for number in range(50):
        store.keep(str(number), ModelAnswer("x" * 100))
    kept = [number for number in range(50) if store.find(str(number)) is not None]
    assert kept
    assert kept[-1] == 49
    assert len(kept) <= 2000 // 100


def test_what_cannot_be_read_counts_as_not_there(tmp_path: Path) -> None:
    store = AnswerStore(tmp_path, 10**6)
    store.keep("key", ModelAnswer("yes"))
    with sqlite3.connect(tmp_path / "answers.sqlite3") as database:
        database.execute("UPDATE answers SET body = 'no json'")
    assert store.find("key") is None


def test_a_file_that_is_gone_keeps_nothing_and_harms_nobody(tmp_path: Path) -> None:
    store = AnswerStore(tmp_path, 10**6)
    with sqlite3.connect(tmp_path / "answers.sqlite3") as database:
        database.execute("DROP TABLE answers")
    store.keep("key", ModelAnswer("yes"))
    assert store.find("key") is None


def test_a_folder_that_is_none_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError):
        AnswerStore(tmp_path / "file", 10)
