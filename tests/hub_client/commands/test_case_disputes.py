"""``verihub cases second``, ``dispute``, ``withdraw``, ``settle``, and what ``publish`` and ``info`` say of a letter."""

import json

import pytest

from tests.making.project import make_project

pytestmark = pytest.mark.together("live_hub")

LENIENT = "def verify(task, response):\n    return {'correct': float(str(task['answer']) in response)}\n"
STRICT = "def verify(task, response):\n    return {'correct': float(response.split()[-1:] == [str(task['answer'])])}\n"
TASK = '{"id": "t", "prompt": "?", "answer": 4}'


def submit(verihub, package: str, response: str, label: str = "incorrect") -> str:
    said = verihub(
        "cases", "add", package, "--task", TASK, "--response", response, "--label", label, "--format", "json"
    )
    assert said.code == 0, said.err
    return said.json["id"]


def test_a_case_is_submitted_seconded_disputed_and_withdrawn_from_the_command_line(
    verihub, at_hub, as_account, tmp_path
) -> None:
    package = f"{at_hub}/sums"
    assert verihub("publish", make_project(tmp_path / "v1", package, files={"__init__.py": LENIENT})).code == 0
    as_account("bob")
    first, second = submit(verihub, package, "Answer: 14"), submit(verihub, package, "Answer: 44")
    assert verihub("cases", "second", package, first).code != 0, "nobody seconds an own case"
    as_account(None)
    said = verihub("cases", "second", package, first)
    assert "counts by owner" in said.out, said.err
    listed = verihub("cases", "list", package).out
    assert "by owner" in listed
    assert "not yet" in listed
    said = verihub("cases", "dispute", package, first, "--reason", "14 is a typing error")
    assert "disputed" in said.out
    assert "14 is a typing error" in said.out
    said = verihub("cases", "dispute", package, "--all-not-counted", "--reason", "they are guesses")
    assert second in said.out
    assert first not in said.out
    said = verihub("cases", "settle", package, second, "--ruling", "withdrawn", "--reason", "no")
    assert said.code != 0, "only who submitted it, or a moderator, takes a case away"


def test_who_submitted_a_case_takes_it_back(verihub, at_hub, as_account, tmp_path) -> None:
    package = f"{at_hub}/sums"
    assert verihub("publish", make_project(tmp_path / "v1", package, files={"__init__.py": LENIENT})).code == 0
    as_account("cleo")
    case = submit(verihub, package, "Answer: 14")
    said = verihub("cases", "withdraw", package, case, "--reason", "misread")
    assert "counts for nothing" in said.out, said.err
    said = verihub("cases", "list", package, "--state", "refuted", "--format", "json")
    history = said.json["items"][0]["history"]
    assert [event["what"] for event in history][-1] == "withdrawn"
    assert history[-1]["reason"] == "misread"


@pytest.mark.parametrize(
    "arguments",
    [
        ("dispute", "a/b", "x"),
        ("dispute", "a/b", "--reason", "why"),
        ("dispute", "a/b", "x", "--all-not-counted", "--reason", "why"),
        ("settle", "a/b", "x"),
        ("second", "a/b"),
    ],
)
def test_what_is_missing_is_said_before_anything_is_sent(verihub, arguments) -> None:
    assert verihub("cases", *arguments).code == 2


def test_publish_and_info_say_why_a_release_is_held_back_and_what_its_letter_lacks(
    verihub, at_hub, as_account, tmp_path
) -> None:
    package = f"{at_hub}/guard"
    folder = make_project(tmp_path / "v1", package, files={"__init__.py": LENIENT})
    assert verihub("publish", folder, "--wait").code == 0
    as_account("dora")
    case = submit(verihub, package, "Answer: 14")
    as_account(None)
    assert verihub("cases", "second", package, case).code == 0
    publish_as(verihub, folder, "0.2.0", STRICT)
    said = publish_as(verihub, folder, "0.3.0", LENIENT)
    assert "not @latest: Gets 1 counter-example wrong that an earlier release got right" in said.out
    said = verihub("info", f"{package}@0.3.0")
    assert "not @latest:" in said.out
    assert "hollow: by its author's cases alone" in verihub("info", f"{package}@0.2.0").out
    assert "for a better grade:" in said.out


def publish_as(verihub, folder, version: str, code: str):
    project = folder / "pyproject.toml"
    lines = [f'version = "{version}"' if one.startswith("version") else one for one in project.read_text().split("\n")]
    project.write_text("\n".join(lines))
    next((folder / "src").glob("*/__init__.py")).write_text(code)
    said = verihub("publish", folder, "--wait")
    assert said.code == 0, said.err
    return said


def test_info_of_a_suite_says_what_it_is(verihub, at_hub, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert verihub("init", f"{at_hub}/cases", "--kind", "suite").code == 0
    assert verihub("publish", tmp_path / "cases").code == 0
    said = verihub("info", f"{at_hub}/cases")
    assert said.code == 0, said.err
    assert "short-number: 8 labelled cases" in said.out


def test_a_suite_s_owner_reports_a_label_and_it_counts_at_once(verihub, at_hub, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    verihub("init", f"{at_hub}/labels", "--kind", "suite")
    assert verihub("publish", tmp_path / "labels").code == 0
    rows = next((tmp_path / "labels").glob("src/*/cases.jsonl")).read_text().splitlines()
    case = json.loads(rows[0])["id"]
    said = verihub("cases", "report", f"{at_hub}/labels", case, "--reason", "it is a sum")
    assert said.code == 0, said.err
    assert "counts by owner" in said.out
    assert "has no case 'none'" in verihub("cases", "report", f"{at_hub}/labels", "none", "--reason", "why").err
    assert verihub("cases", "report", f"{at_hub}/labels", case).code == 2
