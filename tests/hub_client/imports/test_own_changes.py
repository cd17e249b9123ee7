"""What a user changed in an imported project is told from what the import wrote."""

import json

import pytest

from hub_client.errors import CheckFailedError
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
    with pytest.raises(CheckFailedError, match="no JSON, so an update would lose it"):
        own_changes(folder, "al_sums", "1.0")
