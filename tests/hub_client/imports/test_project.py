import pytest

from hub_client.errors import ConflictError, NotFoundError
from hub_client.imports.draft import Draft, ImportRefusedError, Needs, Provenance
from hub_client.imports.own_changes import own_changes
from hub_client.imports.project import read_recorded, write_project
from hub_client.packaging.pack import pack
from schemas.manifest import Manifest
from schemas.wheels.requirements import LockedRequirement

CODE = "def verify(task, response):\n    return {'score': float(response == task['answer'])}\n"
LOCK = [LockedRequirement(name="some-library", version="1.2", digests=("sha256:" + "1" * 64,))]
TASK = {"id": "t1", "prompt": "ä?", "answer": "b"}
CASE = {"id": "c1", "task_id": "t1", "response": "b", "label": "correct"}


def draft_of(**changes) -> Draft:
    standard = {
        "provenance": Provenance("gym:maze", "1.2", "MIT"),
        "summary": 'Mazes of "every" size: ä\\, 迷路',
        "code": CODE,
        "rewards": {"score": {"description": "right", "threshold": 1.0}},
        "splits": {"test": [TASK]},
        "tags": ["maze", "grid", "maze"],
    }
    return Draft(**{**standard, **changes})


def test_the_project_is_one_that_packs_and_remembers_where_it_came_from(tmp_path, cache) -> None:
    needs = Needs(["some-library==1.2"], ["heavy-thing"], LOCK)
    write_project(tmp_path / "maze", "alice/maze", draft_of(needs=needs), splits={"test": [TASK]}, cases=[CASE])
    packed = pack(tmp_path / "maze", cache)  # nothing is resolved: the lock is there
    manifest = packed.contents.manifest
    assert manifest.tags == ["maze", "grid"]
    assert (manifest.imported.source, manifest.imported.library, manifest.imported.version) == (
        "gym:maze",
        "gym",
        "1.2",
    )
    assert [item.name for item in packed.contents.lock] == ["some-library"]
    assert [task.prompt for task in packed.contents.tasks("test")] == ["ä?"]
    assert packed.contents.metadata.summary == 'Mazes of "every" size: ä\\, 迷路'
    recorded = read_recorded(tmp_path / "maze")
    assert (recorded.source, recorded.version, recorded.package, recorded.package_version) == (
        "gym:maze", "1.2", "alice/maze", "1.0.0",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "limits"),
    [
        ({"generates": True, "splits": {}, "timeout_seconds": 120.0}, (20.0, 120.0)),
        ({"generates": True, "splits": {}, "timeout_seconds": 10.0}, (10.0, 30.0)),
        ({"timeout_seconds": 120.0}, (120.0, 120.0)),
        ({"generates": True, "splits": {}, "session": True, "timeout_seconds": 120.0}, (120.0, 120.0)),
    ],
    ids=["generates", "is quick", "rows", "an episode is played again in one call"],
)
def test_drawing_tasks_may_take_long_and_a_scorer_that_hangs_is_ended_soon(tmp_path, changes, limits) -> None:
    draft = draft_of(**changes)
    write_project(tmp_path / "maze", "alice/maze", draft, splits=draft.splits)
    needs = Manifest.from_toml(next((tmp_path / "maze").rglob("verihub.toml")).read_text()).sandbox
    assert (needs.timeout_seconds, needs.generate_seconds) == limits


def test_a_folder_with_something_in_it_is_left_alone(tmp_path) -> None:
    (tmp_path / "maze").mkdir()
    (tmp_path / "maze" / "precious.txt").write_text("x")
    with pytest.raises(ConflictError, match="--folder"):
        write_project(tmp_path / "maze", "alice/maze", draft_of())
    assert [path.name for path in tmp_path.rglob("*.*")] == ["precious.txt"]


def test_a_new_version_is_written_over_the_old_and_spares_what_the_author_added(tmp_path) -> None:
    target = tmp_path / "maze"
    write_project(target, "alice/maze", draft_of())
    (target / "notes.txt").write_text("mine")
    later = draft_of(provenance=Provenance("gym:maze", "1.3", "MIT"))
    write_project(target, "alice/maze", later, version="2.0.0", over=True)
    assert (target / "notes.txt").read_text() == "mine"
    assert (read_recorded(target).version, read_recorded(target).package_version) == ("1.3", "2.0.0")
    assert [path.name for path in tmp_path.glob(".*")] == [], "nothing half-written is left"


def test_what_an_older_version_brought_goes_unless_its_user_changed_it(tmp_path) -> None:
    """A lock or a module that the new version has no more stayed, and was packed with it."""
    target = tmp_path / "maze"
    package = target / "src" / "alice_maze"
    write_project(target, "alice/maze", draft_of(files={"old.py": b"old", "own.py": b"old"}))
    (package / "own.py").write_bytes(b"mine")
    (package / "new.py").write_bytes(b"mine, before theirs")
    own = own_changes(target, "src/alice_maze", "1.0.0")
    kept = write_project(
        target, "alice/maze", draft_of(files={"new.py": b"theirs"}), version="2.0.0", over=True, own=own
    )
    assert {path.name: path.read_bytes() for path in package.glob("*.py") if path.name != "__init__.py"} == {
        "own.py": b"mine",
        "new.py": b"theirs",
    }
    assert sorted(kept) == ["changed/1.0.0/src/alice_maze/new.py", "changed/1.0.0/src/alice_maze/own.py"]
    assert (target / "changed/1.0.0/src/alice_maze/new.py").read_bytes() == b"mine, before theirs"


def test_a_project_that_was_not_imported_says_so(tmp_path) -> None:
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    with pytest.raises(NotFoundError, match="no project that `verihub import` wrote"):
        read_recorded(tmp_path)


@pytest.mark.parametrize(
    "wrong",
    [
        ('source = "gym:maze"', "source = 5"),
        ('version = "1.2"', "version = 3"),
        ('licence = "MIT"', "licence = { a = 1 }"),
        ('package = "alice/maze"', 'package = "alice/../../maze"'),
        ('version = "1.0.0"', 'version = "soon"'),
        ('version = "1.0.0"', 'version = "1.0.0"\nx = ' + "[" * 5000),
    ],
    ids=lambda pair: pair[1][:20],
)
def test_a_project_whose_record_has_other_types_was_not_written_by_an_import(tmp_path, wrong: tuple[str, str]) -> None:
    write_project(tmp_path / "maze", "alice/maze", draft_of())
    path = tmp_path / "maze" / "pyproject.toml"
    text = path.read_text()
    assert wrong[0] in text, text
    path.write_text(text.replace(*wrong))
    with pytest.raises(NotFoundError, match="no project that `verihub import` wrote"):
        read_recorded(tmp_path / "maze")


def test_rows_that_a_strangers_project_names_by_a_link_do_not_come_along(tmp_path) -> None:
    """Else an update would copy files of the user's into a project that is then published."""
    target, home = tmp_path / "maze", tmp_path / "home"
    write_project(target, "alice/maze", draft_of())
    home.mkdir()
    (home / "secret.jsonl").write_text("{}\n")
    rows = target / "src" / "alice_maze" / "rows"
    rows.symlink_to(home)
    assert read_recorded(target).rows is None
    rows.unlink()
    rows.mkdir()
    assert read_recorded(target).rows == rows


def test_files_beside_the_code_are_written_with_it(tmp_path) -> None:
    draft = draft_of(files={"inner/data.bin": b"\xff\x00"})
    write_project(tmp_path / "maze", "alice/maze", draft)
    assert (tmp_path / "maze" / "src" / "alice_maze" / "inner" / "data.bin").read_bytes() == b"\xff\x00"


@pytest.mark.parametrize("over", [False, True])
@pytest.mark.parametrize("name", ["../../evil", "/evil", "a/../../../evil", "a//b", "..\\evil", ""])
def test_no_split_and_no_file_of_a_source_lies_outside_of_the_package(tmp_path, name: str, over: bool) -> None:
    target = tmp_path / "maze"
    if over:
        write_project(target, "alice/maze", draft_of())
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    draft = draft_of(files={f"{name}/x.py": b"evil"} if name else {"": b"evil"})
    for made, splits in ((draft, None), (draft_of(), {f"{name}/x" if name else "../x": [TASK]})):
        with pytest.raises(ImportRefusedError, match="inside the package"):
            write_project(target, "alice/maze", made, splits=splits, over=over)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
