"""What an imported verifier gets wrong becomes counter-examples with label, origin and licence."""

import json

from hub_client.imports.defects import MOST_DEFECTS, defects_of
from hub_client.imports.draft import Provenance
from hub_client.imports.import_draft import import_draft
from hub_client.imports.own_changes import OwnChanges
from hub_client.packaging.pack import pack
from schemas.evidence.cases import AuditCase
from schemas.verdict import Verdict
from tests.fakes.runner import FakeRunner
from tests.hub_client.imports.test_project import draft_of

FROM = Provenance("gym:maze", "1.2", "MIT")


def case(number: int, form: str = "empty", label: str = "incorrect", **more: str) -> dict:
    return {"id": f"c{number}", "task_id": "t1", "response": str(number), "label": label, "tags": [form], **more}


def test_only_what_contradicts_its_label_is_a_defect_and_says_who_labelled_it() -> None:
    judged = [
        (case(1), True),
        (case(2), False),
        (case(3), None),
        (case(4, "own-answer", "correct"), False),
        (case(5, "own-answer", "correct"), True),
        (case(6, "theirs", labelled_by="two people", licence="CC0-1.0", note="seen"), True),
    ]
    found = [AuditCase.model_validate(row) for row in defects_of(judged, FROM)]
    assert [each.id for each in found] == ["c1", "c4", "c6"]
    assert [each.licence for each in found] == ["MIT", "MIT", "CC0-1.0"]
    assert {each.source for each in found} == {"verihub import gym:maze 1.2"}
    assert [each.note for each in found] == [
        "gym:maze 1.2 accepts this wrong answer.",
        "gym:maze 1.2 rejects this right answer.",
        "seen",
    ]
    assert [each.labelled_by for each in found] == [
        "a rule: nothing was answered",
        "the source's own answer to the task",
        "two people",
    ]


def test_a_verifier_that_accepts_all_gives_a_few_cases_of_each_form() -> None:
    judged = [(case(number, form), True) for form in ("empty", "unsure", "silent", "other") for number in range(30)]
    found = defects_of(judged, FROM)
    assert len(found) == MOST_DEFECTS
    assert [row["tags"][0] for row in found].count("empty") == 8


def test_an_import_writes_them_beside_the_package_and_a_mended_version_empties_the_file(hub, cache, tmp_path) -> None:
    target = tmp_path / "maze"
    hub._runner = FakeRunner(lambda _: Verdict(rewards={"score": 1.0}))
    found = import_draft(hub, draft_of(), "alice/maze", target)
    rows = [json.loads(line) for line in (target / "defects.jsonl").read_text().splitlines()]
    assert found.defects == len(rows) == found.wrong[1] - found.wrong[0] > 0
    assert "verihub cases submit alice/maze defects.jsonl" in (target / "README.md").read_text()
    assert not any("defects" in path for path in pack(target, cache).contents.files)
    hub._runner = FakeRunner(lambda call: Verdict(rewards={"score": float(call.response == call.task["answer"])}))
    later = draft_of(provenance=Provenance("gym:maze", "1.3", "MIT"))
    assert import_draft(hub, later, "alice/maze", target, version="2.0.0", over=OwnChanges).defects == 0
    assert (target / "defects.jsonl").read_text() == ""
    assert "cases submit" not in (target / "README.md").read_text()


def test_a_verifier_that_is_right_has_no_such_file(hub, tmp_path) -> None:
    hub._runner = FakeRunner(lambda call: Verdict(rewards={"score": float(call.response == call.task["answer"])}))
    import_draft(hub, draft_of(), "alice/maze", tmp_path / "maze")
    assert not (tmp_path / "maze" / "defects.jsonl").exists()
