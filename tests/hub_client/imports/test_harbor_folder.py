"""What strangers may put into a folder of tasks."""

import os

import pytest

from hub_client.errors import NotFoundError
from hub_client.imports import harbor_folder
from hub_client.imports.draft import ImportRefusedError
from hub_client.imports.harbor_folder import LARGEST_TASK, MOST_TASKS, read_tasks
from tests.making.altered_library import alter_library
from tests.making.harbor import TOML, make_task


def _refused(place) -> str:
    (task,) = read_tasks(place)
    assert not task.files, "nothing of it is kept"
    return task.refused


def test_a_task_and_a_folder_of_tasks(tmp_path) -> None:
    make_task(tmp_path / "b")
    make_task(tmp_path / "more" / "a")
    (tmp_path / "notes").mkdir()
    assert [task.name for task in read_tasks(tmp_path)] == ["b", "more/a"]
    (one,) = read_tasks(tmp_path / "b")
    assert (one.name, one.text("environment/words.txt")) == ("b", "pear\napple\n")
    assert set(one.below("tests")) == {"test.sh"}


def test_a_folder_without_tasks_says_what_is_looked_for(tmp_path) -> None:
    with pytest.raises(NotFoundError, match=r"no task\.toml"):
        read_tasks(tmp_path)


def test_a_link_is_refused_and_not_followed(tmp_path) -> None:
    make_task(tmp_path / "x")
    (tmp_path / "x" / "environment" / "passwd").symlink_to("/etc/passwd")
    assert _refused(tmp_path) == "it has a link: 'environment/passwd'"


def test_a_linked_folder_of_files_is_refused(tmp_path) -> None:
    make_task(tmp_path / "x")
    (tmp_path / "x" / "environment" / "etc").symlink_to("/etc")
    assert "it has a link" in _refused(tmp_path)


def test_a_linked_task_and_a_linked_table_are_not_read(tmp_path) -> None:
    make_task(tmp_path / "outside" / "x")
    inside = tmp_path / "inside"
    make_task(inside / "y", task_dot_toml=None)
    (inside / "y" / "task.toml").symlink_to(tmp_path / "outside" / "x" / "task.toml")
    (inside / "z").symlink_to(tmp_path / "outside" / "x")
    assert _refused(inside) == "it has a link: task.toml"


def test_a_pipe_does_not_hold_up_the_import(tmp_path) -> None:
    make_task(tmp_path / "x")
    os.mkfifo(tmp_path / "x" / "tests" / "pipe")
    assert _refused(tmp_path) == "it has something that is no file: 'tests/pipe'"


def test_a_huge_file_is_not_read(tmp_path, monkeypatch) -> None:
    make_task(tmp_path / "x")
    with (tmp_path / "x" / "environment" / "big").open("wb") as file:
        file.truncate(1 << 40)  # a hole: no disk
    alter_library(
        monkeypatch, harbor_folder, "os", open=lambda *given: pytest.fail("opened") if "big" in str(given) else 0
    )
    (tmp_path / "x" / "environment" / "Dockerfile").unlink()  # sorts before it
    assert "it has over 1 MB" in _refused(tmp_path)


@pytest.mark.parametrize("name", ["a\nb", "a\u2028b", "a\x1b[31mb"])
def test_names_that_cannot_be_printed_are_refused(tmp_path, name) -> None:
    make_task(tmp_path / "x")
    (tmp_path / "x" / "environment" / name).write_text("")
    assert "signs that cannot be printed" in _refused(tmp_path)


def test_a_folder_with_an_odd_name_is_refused_alone(tmp_path) -> None:
    make_task(tmp_path / "x y;rm")
    make_task(tmp_path / "good")
    assert {task.name: bool(task.refused) for task in read_tasks(tmp_path)} == {"x y;rm": True, "good": False}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("x = " + "[" * 60_000, "cannot be read"),
        ("x = " + "9" * 50_000, "cannot be read"),
        ("#" * (70 << 10), "over 64 KB"),
        ("a = 1\na = 2", "cannot be read"),
    ],
)
def test_a_table_that_is_a_bomb_is_refused(tmp_path, text, why) -> None:
    make_task(tmp_path / "x", task_dot_toml=text)
    assert why in _refused(tmp_path)


def test_deep_folders_and_many_files_are_refused(tmp_path) -> None:
    deep = make_task(tmp_path / "x") / "environment"
    for _ in range(20):
        deep /= "d"
    deep.mkdir(parents=True)
    assert "more than 12 deep" in _refused(tmp_path)


def test_more_tasks_than_a_package_takes(tmp_path) -> None:
    for number in range(MOST_TASKS + 1):
        (tmp_path / f"t{number}").mkdir()
        (tmp_path / f"t{number}" / "task.toml").write_text(TOML)
    with pytest.raises(ImportRefusedError, match="301 tasks, and a package takes 300"):
        read_tasks(tmp_path)
    assert LARGEST_TASK == 1 << 20
