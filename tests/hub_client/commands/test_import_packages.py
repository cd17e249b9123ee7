import json
from dataclasses import replace

import pytest

from hub_client.commands.import_packages import package_name, read_arguments
from hub_client.errors import UsageError
from hub_client.imports import import_draft, library
from hub_client.imports.draft import Provenance
from hub_client.imports.project import write_project
from tests.hub_client.imports.test_project import draft_of
from tests.making.importers import install, install_documented, site_in
from tests.making.library import Index, keep, plain_wheel

BROKEN = """
from reasoning_gym.factory import register_dataset


def broken(*_):
    raise RuntimeError("the new version is broken")


register_dataset("halves", broken)
"""


@pytest.fixture
def index(monkeypatch) -> Index:
    return Index(monkeypatch)


def test_sources_and_what_they_offer_are_listed(verihub, index) -> None:
    assert "reasoning-gym:NAME" in verihub("import", "--list").out
    said = verihub("import", "reasoning-gym", "--list", "--format", "json")
    assert [item["name"] for item in said.json["items"]] == ["composite", "halves", "leg_counting", "zebra"]
    assert verihub("import", "reasoning-gym", "--list", "--format", "quiet").out.split() == ["halves", "leg_counting"]


def test_the_importer_that_the_page_shows_is_listed_and_imports(verihub, own_folders, tmp_path, monkeypatch) -> None:
    def lock_alone(_name: str, cache, _python: str):
        return keep(cache, "my-puzzles", "1.0", plain_wheel("my-puzzles", "1.0", {"my_puzzles.py": ""}))

    monkeypatch.setattr(library, "lock_alone", lock_alone)
    monkeypatch.setattr(
        library, "lock_dependencies", lambda names, cache, python, without: [lock_alone("", cache, python)]
    )
    with site_in(tmp_path / "site", monkeypatch) as site:
        install_documented(site)
        assert "Puzzles of mine (from the installed verihub-mypuzzles 0.1)." in verihub("import", "--list").out
        listed = verihub("import", "mypuzzles", "--list", "--format", "json").json["items"]
        assert [(item["name"], item["refused"]) for item in listed] == [("sums", ""), ("proofs", "a person judges it")]
        said = verihub("import", "mypuzzles:sums", "alice/sums", "--format", "json")
        assert said.code == 0, said.err
        assert said.json["right"] == [24, 24]
        assert said.json["wrong"] == [48, 48]
        assert verihub("check", "sums").code == 0
        assert "nothing was changed" in verihub("import", "--update", "sums").out


def test_an_imported_package_is_checked_like_any_other_and_follows_its_source(verihub, index, own_folders) -> None:
    said = verihub("import", "reasoning-gym:leg_counting", "alice/leg-counting", "--format", "json")
    assert said.code == 0, said.err
    assert said.json["right"] == [24, 24]
    assert said.json["wrong"] == [48, 48]
    checked = verihub("check", "leg-counting", "--strict", "--format", "json")
    assert checked.code == 0, checked.out
    assert checked.json["faults"] == []

    index.version = "0.9.2"
    said = verihub("import", "--update", "leg-counting")
    assert said.code == 0, said.err
    assert "0.9.2 now, no longer 0.9.1; it is version 2.0.0" in said.out
    assert "nothing was changed" in verihub("import", "--update", "leg-counting").out


def test_an_update_keeps_the_users_cases_and_what_the_user_changed(verihub, index, own_folders) -> None:
    assert verihub("import", "reasoning-gym:leg_counting", "alice/leg-counting").code == 0
    project = own_folders / "leg-counting"
    package = project / "src" / "alice_leg_counting"
    cases, manifest, readme = package / "audit.jsonl", package / "verihub.toml", project / "README.md"
    made = cases.read_text()
    first = json.loads(made.splitlines()[0])
    mine = {**first, "id": "mine", "response": "none at all", "label": "incorrect", "source": "read by alice"}
    cases.write_text(made + json.dumps(mine) + "\n")
    (package / "more.jsonl").write_text(json.dumps({**mine, "id": "more"}) + "\n")
    manifest.write_text(manifest.read_text().replace('["audit.jsonl"]', '["audit.jsonl", "more.jsonl"]'))
    readme.write_text("# Mine\n")

    index.version = "0.9.2"
    said = verihub("import", "--update", "leg-counting")
    assert said.code == 0, said.err
    assert "1 case of yours kept" in said.out
    assert [row for row in map(json.loads, cases.read_text().splitlines()) if row["id"] == "mine"] == [mine]
    assert 'audit = ["audit.jsonl", "more.jsonl"]' in manifest.read_text()
    assert "Imported, as is" in readme.read_text()
    assert (project / "changed" / "1.0.0" / "README.md").read_text() == "# Mine\n"
    kept = sorted(path.name for path in (project / "changed").rglob("*") if path.is_file())
    assert kept == ["README.md", "audit.jsonl", "verihub.toml"], "pyproject.toml and the code were not changed"
    assert verihub("check", "leg-counting", "--format", "json").json["faults"] == []

    tasks = (package / "test.jsonl").read_text().splitlines()
    other = json.loads(tasks[1]) | {"prompt": "Another question"}
    (package / "test.jsonl").write_text("\n".join([tasks[0], json.dumps(other), *tasks[2:]]))
    lost = {**mine, "id": "lost", "task_id": other["id"]}
    cases.write_text(cases.read_text() + json.dumps(lost) + "\n")
    index.version = "0.9.3"
    said = verihub("import", "--update", "leg-counting")
    assert "1 case of yours kept" in said.out
    assert '"lost"' not in cases.read_text()
    assert "1 case of yours left out" in said.out
    assert '"lost"' in (project / "changed" / "2.0.0" / "src" / "alice_leg_counting" / "audit.jsonl").read_text()

    index.version = "0.9.4"
    assert "1 case of yours kept" in verihub("import", "--update", "leg-counting").out, (
        "after an update without changes"
    )


def test_a_package_that_its_user_has_renamed_is_not_written_again_under_the_old_name(
    verihub, index, own_folders
) -> None:
    """Its files were taken for those of the import and removed, and the project had two packages."""
    assert verihub("import", "reasoning-gym:halves", "alice/halves").code == 0
    project, stated = own_folders / "halves", own_folders / "halves" / "pyproject.toml"
    new = project / "src" / "alice_mine"
    (project / "src" / "alice_halves").rename(new)
    for file in (stated, new / "verihub.toml"):
        text = file.read_text().replace("alice_halves", "alice_mine").replace("alice-halves", "alice-mine")
        file.write_text(text.replace('id = "alice/halves"', 'id = "alice/mine"'))
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    index.version = "0.9.2"
    said = verihub("import", "--update", "halves")
    assert (said.code, 'package = "OWNER/NAME"' in said.err) == (5, True), said
    assert {path: path.read_bytes() for path in project.rglob("*") if path.is_file()} == before
    stated.write_text(stated.read_text().replace('package = "alice/halves"', 'package = "alice/mine"'))
    said = verihub("import", "--update", "halves")
    assert said.code == 0, said.err
    assert [path.name for path in (project / "src").iterdir()] == ["alice_mine"]
    assert verihub("check", "halves", "--format", "json").json["faults"] == []


def test_what_is_changed_while_an_update_tries_the_new_version_is_kept(
    verihub, index, own_folders, monkeypatch
) -> None:
    """The project was read before the trial, which may take minutes: what was changed meanwhile was lost."""
    assert verihub("import", "reasoning-gym:halves", "alice/halves").code == 0
    project = own_folders / "halves"
    judged = import_draft._judged

    def edited_meanwhile(*arguments):
        (project / "README.md").write_text("# Mine\n")
        return judged(*arguments)

    monkeypatch.setattr(import_draft, "_judged", edited_meanwhile)
    index.version = "0.9.2"
    said = verihub("import", "--update", "halves")
    assert "changed/1.0.0/README.md" in said.out, said.err
    assert (project / "changed" / "1.0.0" / "README.md").read_text() == "# Mine\n"
    (project / "README.md").unlink()
    (project / "README.md").symlink_to("nowhere")
    index.version = "0.9.3"
    said = verihub("import", "--update", "halves")
    assert (said.code, "is a link that leads out of the project" in said.err) == (5, True), said.err


def test_an_update_that_is_refused_changes_nothing(verihub, index, own_folders) -> None:
    assert verihub("import", "reasoning-gym:halves", "alice/halves").code == 0
    before = {path: path.read_bytes() for path in (own_folders / "halves").rglob("*") if path.is_file()}
    index.version = "0.9.2"
    index.files["reasoning_gym/arithmetic/halves.py"] = BROKEN
    said = verihub("import", "--update", "halves")
    assert said.code == 6
    assert "the new version is broken" in said.err
    assert {path: path.read_bytes() for path in (own_folders / "halves").rglob("*") if path.is_file()} == before


def test_all_takes_what_can_be_had_and_says_why_the_rest_is_not(verihub, index, own_folders) -> None:
    said = verihub("import", "reasoning-gym", "alice", "--all", "--folder", "gym", "--format", "json")
    assert said.code == 0, said.err
    rows = {row["item"]: row for row in said.json["items"]}
    assert sorted(path.name for path in (own_folders / "gym").iterdir()) == [
        "reasoning-gym-halves",
        "reasoning-gym-leg-counting",
    ]
    assert rows["zebra"]["said"].startswith("refused: c-parser 2.1 has C extensions")
    # Its scorer calls int("not sure"): that is no verdict, and no case.
    why = "ValueError: invalid literal for int() with base 10: "
    assert rows["halves"]["unjudged"] == {f"{why}'{said}'": 8 for said in ("", "not sure", "I do not know.")}
    readme = (own_folders / "gym" / "reasoning-gym-halves" / "README.md").read_text()
    assert "invalid literal for int() with base 10: 'not sure'" in readme
    audit = own_folders / "gym" / "reasoning-gym-halves" / "src" / "alice_reasoning_gym_halves" / "audit.jsonl"
    assert {json.loads(line)["tags"][0] for line in audit.read_text().splitlines()} == {
        "own-answer",
        "other-tasks-answer",
    }


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ([], 2, "--list"),
        (["reasoning-gym"], 2, "name one item of reasoning-gym"),
        (["reasoning-gym:zebra", "alice/zebra"], 6, "C extensions"),
        (["reasoning-gym:leg", "alice/leg"], 4, "leg_counting"),
        (["reasoning-gym:halves"], 2, "OWNER/reasoning-gym-halves"),
        (["reasoning-jim:halves", "alice/x"], 4, "reasoning-gym"),
        (["reasoning-gym:halves", "alice", "--all"], 2, "a whole source"),
        (["reasoning-gym:halves", "alice/x", "--update", "x"], 2, "--update takes a folder"),
        (["--update", "x", "--arg", "count=3"], 2, "and its arguments"),
        (["--update", "x"], 4, "no project that `verihub import` wrote"),
    ],
)
def test_a_mistake_is_answered_with_what_to_do(verihub, index, own_folders, words, code: int, said: str) -> None:
    answer = verihub("import", *words)
    assert answer.code == code, answer.err
    assert said in answer.err
    assert list(own_folders.iterdir()) == []


@pytest.mark.parametrize(
    ("source", "item", "name"),
    [
        ("gem", "game:Nim-v0", "gem-game-nim-v0"),
        ("textarena", "Nim-v0", "textarena-nim-v0"),
        ("arc", "arc-agi-1", "arc-agi-1"),
        ("rows", "data/Leg_Counting.jsonl", "leg-counting"),
        ("rows", "data/", "data"),
    ],
)
def test_two_sources_never_give_one_name(source: str, item: str, name: str) -> None:
    assert package_name(source, item) == name


def test_arguments_are_json_and_otherwise_texts() -> None:
    given = ["count=3", "kind=easy", 'names=["a"]', "rate=0.5", "empty=", "sum=1=1"]
    read = {"count": 3, "kind": "easy", "names": ["a"], "rate": 0.5, "empty": "", "sum": "1=1"}
    assert read_arguments(given) == read


@pytest.mark.parametrize("wrong", [["count"], ["=3"], ["a b=3"], ["n=1", "n=2"], ["__import__('os')=1"]])
def test_an_argument_has_a_name_and_is_given_once(wrong) -> None:
    with pytest.raises(UsageError, match="write NAME=VALUE"):
        read_arguments(wrong)


def test_an_update_reads_a_place_on_this_machine_only_where_the_user_names_it(verihub, own_folders) -> None:
    """Whoever wrote the project may have named any place; what lies there would be published with it."""
    secret = own_folders / "secret.jsonl"
    secret.write_text("".join(json.dumps({"question": f"secret {n}?", "answer": n}) + "\n" for n in range(30)))
    origin = f"rows:{secret}"
    got = own_folders / "got"
    write_project(got, "alice/got", replace(draft_of(), provenance=Provenance(origin, "sha256-0", "MIT")))
    before = {path: path.read_bytes() for path in got.rglob("*") if path.is_file()}
    said = verihub("import", "--update", "got")
    assert (said.code, f"verihub import {origin} --update got" in said.err) == (2, True), said.err
    assert verihub("import", "rows:other.jsonl", "--update", "got").code == 2
    assert {path: path.read_bytes() for path in got.rglob("*") if path.is_file()} == before
    assert verihub("import", origin, "--update", "got").code == 0
    assert "secret" in (got / "src" / "alice_got" / "train.jsonl").read_text()


LOOKING = """
from hub_client.errors import UsageError


class Looking:
    def __init__(self, request):
        pass

    def items(self):
        return []

    def draft(self, item):
        raise UsageError(f"asked for {item}")
"""


def test_an_installed_importer_is_asked_for_a_place_on_this_machine_only_where_the_user_names_it(
    verihub, own_folders, tmp_path, monkeypatch
) -> None:
    secret = own_folders / "secret.jsonl"
    secret.write_text("{}")
    with site_in(tmp_path / "site", monkeypatch) as site:
        install(site, "a-package", "looking = looking_one:Looking", {"looking_one/__init__.py": LOOKING})
        for number, item in enumerate((str(secret), "secret.jsonl", "../" + own_folders.name + "/secret.jsonl")):
            folder = f"got{number}"
            origin = Provenance(f"looking:{item}", "1", "MIT")
            write_project(own_folders / folder, "alice/got", replace(draft_of(), provenance=origin))
            assert "comes from this machine" in verihub("import", "--update", folder).err
            assert f"asked for {item}" in verihub("import", f"looking:{item}", "--update", folder).err
        long = "x" * 5000
        write_project(
            own_folders / "long", "alice/got", replace(draft_of(), provenance=Provenance(f"looking:{long}", "1", "MIT"))
        )
        assert "asked for xxx" in verihub("import", "--update", "long").err, "longer than any file's name"
        origin = Provenance("looking:sums", "1", "MIT")
        write_project(own_folders / "sums", "alice/sums", replace(draft_of(), provenance=origin))
        assert "asked for sums" in verihub("import", "--update", "sums").err, "a project may be called after its item"


def test_an_update_whose_importer_is_gone_or_renamed_changes_nothing_and_says_what_to_do(
    verihub, own_folders, tmp_path, monkeypatch
) -> None:
    origin = Provenance("looking:sums", "1", "MIT")
    write_project(own_folders / "sums", "alice/sums", replace(draft_of(), provenance=origin))
    before = {path: path.read_bytes() for path in (own_folders / "sums").rglob("*") if path.is_file()}
    with site_in(tmp_path / "site", monkeypatch) as site:
        said = verihub("import", "--update", "sums")
        assert (said.code, "Install the package that brings it" in said.err) == (4, True), said
        install(site, "a-package", "looked = looking_one:Looking", {"looking_one/__init__.py": LOOKING})
        said = verihub("import", "--update", "sums")
        assert "looked" in said.err
        said = verihub("import", "looked:sums", "--update", "sums")
        assert (said.code, "comes from looking:sums" in said.err) == (2, True), said
    assert {path: path.read_bytes() for path in (own_folders / "sums").rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("source", ["verifiers", "openenv"])
def test_a_folder_is_such_a_place_also_where_it_could_be_a_package_of_the_index(
    verihub, own_folders, source: str
) -> None:
    (own_folders / "mine").mkdir()
    origin = Provenance(f"{source}:mine", "1", "MIT")
    write_project(own_folders / "got", "alice/got", replace(draft_of(), provenance=origin))
    assert "comes from this machine" in verihub("import", "--update", "got").err


def test_all_of_a_folder_takes_each_folder_in_it(verihub, own_folders) -> None:
    for name in ("sums", "odd", "和"):
        (own_folders / "sets" / name).mkdir(parents=True)
    rows = "".join(json.dumps({"question": f"{n}+{n}?", "answer": 2 * n}) + "\n" for n in range(30))
    (own_folders / "sets" / "sums" / "train.jsonl").write_text(rows)
    (own_folders / "sets" / "odd" / "train.jsonl").write_text('{"text": 1}\n')
    said = verihub("import", "rows:sets", "alice", "--all", "--licence", "MIT", "--folder", "out", "--format", "json")
    assert said.code == 0, said.err
    found = {row["item"]: row["said"] for row in said.json["items"]}
    assert found["sets/odd"].startswith("refused: its columns (text) are none of")
    assert "right answers accepted" in found["sets/sums"]
    assert "gives no name for a package" in found["sets/和"], "one odd name does not end the others"
    assert [path.name for path in (own_folders / "out").iterdir()] == ["sums"]


def test_all_of_no_folder_says_what_it_takes(verihub) -> None:
    assert "verihub import harbor:FOLDER OWNER --all" in verihub("import", "harbor", "alice", "--all").err
