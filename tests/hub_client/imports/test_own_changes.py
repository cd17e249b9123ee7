"""What a user changed in an imported project is told from what the import wrote."""

import json

import pytest

from hub_client.errors import CheckFailedError, ConflictError
from hub_client.imports.cases import MADE
from hub_client.imports.own_changes import digests, own_changes, with_audit

TASK = {"id": "t1", "prompt": "1 + 1?", "answer": "2", "info": {}}
MADE_CASE = {"id": "c1", "task_id": "t1", "response": "2", "label": "correct", "source": MADE}
OWN_CASE = {"id": "mine", "task_id": "t1", "response": "two", "label": "correct", "source": "me"}


def project(folder, *, cases=(MADE_CASE,), readme="As imported.", version="0.1.0", recorded=True, audit=()):
    """A project as an import writes it, and then as its user left it."""

    def files(cases, readme, version, audit):
        manifest = f"format = 1\naudit = {json.dumps(['audit.jsonl', *audit])}\n"
        return {
            "README.md": readme.encode(),
            "al_sums/__init__.py": b"code\n",
            "al_sums/verihub.toml": manifest.encode(),
            "al_sums/tasks.jsonl": (json.dumps(TASK) + "\n").encode(),
            "al_sums/audit.jsonl": "".join(json.dumps(case) + "\n" for case in cases).encode(),
            "pyproject.toml": f'[project]\nname = "al-sums"\nversion = "{version}"\n[tool.verihub.imported]\n'.encode(),
        }

    known = digests(files([MADE_CASE], "As imported.", "0.1.0", ()))
    for path, data in files(cases, readme, version, audit).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    for name in audit:
        (folder / "al_sums" / name).write_text("")
    if recorded:
        with (folder / "pyproject.toml").open("a") as file:
            file.write(
                f"wrote = {{ {', '.join(f'{json.dumps(path)} = {json.dumps(digest)}' for path, digest in known.items())} }}\n"
            )
    return folder


def test_a_project_as_it_was_imported_has_no_changes_whatever_version_its_user_gave_it(tmp_path):
    found = own_changes(project(tmp_path, version="0.7.0"), "al_sums", "1.0")
    assert (found.files, found.cases, found.audit, found.kept_files()) == ({}, [], [], {})


def test_changed_files_are_kept_by_version_and_a_case_of_the_users_while_its_task_is_the_same(tmp_path):
    found = own_changes(project(tmp_path, cases=[MADE_CASE, OWN_CASE], readme="Mine."), "al_sums", "1.0")
    assert set(found.files) == {"README.md", "al_sums/audit.jsonl"}
    assert found.kept_files()["changed/1.0/README.md"] == b"Mine."
    assert found.cases_for({"test": [TASK]}) == [OWN_CASE]
    assert found.cases_for({"test": [{**TASK, "answer": "3"}]}) == []
    assert found.cases_for({"test": []}) == []


def test_without_a_record_every_file_of_the_import_counts_as_changed(tmp_path):
    found = own_changes(project(tmp_path, recorded=False), "al_sums", "1.0")
    assert {"README.md", "pyproject.toml", "al_sums/tasks.jsonl"} <= set(found.files)


def test_further_files_of_cases_stay_named(tmp_path):
    found = own_changes(project(tmp_path, audit=["more.jsonl"]), "al_sums", "1.0")
    assert found.audit == ["more.jsonl"]
    assert 'audit = ["audit.jsonl", "more.jsonl"]' in with_audit('audit = ["audit.jsonl"]\n', found.audit)


def test_a_row_that_cannot_be_read_is_said_before_it_is_lost(tmp_path):
    folder = project(tmp_path)
    (folder / "al_sums" / "audit.jsonl").write_text("{broken\n")
    with pytest.raises(CheckFailedError, match=r"audit\.jsonl, line 1, is no JSON, so an update would lose it"):
        own_changes(folder, "al_sums", "1.0")


@pytest.mark.parametrize("row", [b"[1]", b'"text"', b'{"note": NaN}', b'{"note": "\\ud800"}', b"\xff"])
def test_a_row_that_no_new_file_could_hold_is_refused_by_its_line(tmp_path, row):
    """All but the last ended in a traceback."""
    folder = project(tmp_path)
    with (folder / "al_sums" / "audit.jsonl").open("ab") as file:
        file.write(row + b"\n")
    with pytest.raises(CheckFailedError, match="line 2, is no JSON"):
        own_changes(folder, "al_sums", "1.0")


def test_a_manifest_that_cannot_be_read_is_said_and_none_of_the_projects_files_is_taken_for_tasks(tmp_path):
    folder = project(tmp_path, cases=[MADE_CASE, OWN_CASE])
    (folder / "al_sums" / "notes.jsonl").write_text("{broken\n")
    (folder / "al_sums" / "more.jsonl").write_text(json.dumps({"id": "t1", "prompt": "another"}) + "\n")
    assert own_changes(folder, "al_sums", "1.0").cases_for({"test": [TASK]}) == [OWN_CASE]
    (folder / "al_sums" / "verihub.toml").write_bytes(b"audit = \xff")
    with pytest.raises(CheckFailedError, match=r"verihub\.toml cannot be read"):
        own_changes(folder, "al_sums", "1.0")


@pytest.mark.parametrize("inside", ["\u2028", "\x85", "\x0c", "\u2029"])
def test_only_a_line_feed_ends_a_row(tmp_path, inside):
    """A text with another line separator of Unicode counted as two broken rows, and the update was refused."""
    case = {**OWN_CASE, "response": f"a{inside}b"}
    task = {**TASK, "prompt": f"1 +{inside} 1?"}
    folder = project(tmp_path)
    package = folder / "al_sums"
    (package / "tasks.jsonl").write_text(json.dumps(task, ensure_ascii=False) + "\r\n", newline="")
    (package / "audit.jsonl").write_text(json.dumps(case, ensure_ascii=False) + "\r\n", newline="")
    assert own_changes(folder, "al_sums", "1.0").cases_for({"test": [task]}) == [case]


def test_a_version_that_comes_twice_has_two_folders(tmp_path):
    """The second update wrote over what the first one had kept."""
    folder = project(tmp_path, readme="Mine.")
    for name in ("1.0", "1.0-2"):
        found = own_changes(folder, "al_sums", "1.0")
        assert list(found.kept_files()) == [f"changed/{name}/README.md"]
        (folder / "changed" / name).mkdir(parents=True)


def test_a_users_file_in_whose_place_a_new_one_comes_is_kept(tmp_path):
    """It was overwritten without a word."""
    folder = project(tmp_path)
    (folder / "al_sums" / "requirements.lock").write_bytes(b"mine")
    (folder / "al_sums" / "same.py").write_bytes(b"same")
    new = {
        "al_sums/requirements.lock": b"theirs",
        "al_sums/same.py": b"same",
        "al_sums/fresh.py": b"",
        "README.md": b"",
    }
    found = own_changes(folder, "al_sums", "1.0").with_overwritten(folder, new)
    assert found.kept_files() == {"changed/1.0/al_sums/requirements.lock": b"mine"}


def test_a_link_out_of_the_project_or_to_nothing_is_neither_read_nor_lost(tmp_path):
    folder = project(tmp_path / "sums")
    readme = folder / "README.md"
    for leads_to in (tmp_path / "outside.md", tmp_path / "nothing"):
        (tmp_path / "outside.md").write_text("secret")
        readme.unlink()
        readme.symlink_to(leads_to)
        with pytest.raises(ConflictError, match=r"README\.md is a link that leads out"):
            own_changes(folder, "al_sums", "1.0")
    readme.unlink()
    (folder / "docs.md").write_text("Mine.")
    readme.symlink_to("docs.md")
    assert own_changes(folder, "al_sums", "1.0").kept_files() == {"changed/1.0/README.md": b"Mine."}


def test_what_is_deleted_renamed_or_binary_changes_only_that(tmp_path):
    folder = project(tmp_path)
    (folder / "README.md").rename(folder / "NOTES.md")
    (folder / "al_sums" / "__init__.py").write_bytes(b"\x00\xff\xfe")
    found = own_changes(folder, "al_sums", "1.0")
    assert found.kept_files() == {"changed/1.0/al_sums/__init__.py": b"\x00\xff\xfe"}
    assert set(found.untouched) == {
        "al_sums/verihub.toml",
        "al_sums/tasks.jsonl",
        "al_sums/audit.jsonl",
        "pyproject.toml",
    }
