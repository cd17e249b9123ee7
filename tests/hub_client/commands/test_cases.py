"""Counter-examples from a shell: nothing is sent before all is sound, and a hub's list ends."""

import io
import json
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from hub_client.commands import cases
from schemas.evidence.counter_examples import CaseState
from schemas.run import RolloutRow
from tests.hub_client.audits.test_comparison import counter
from tests.making.scripted_hub import problem
from tests.making.wheel import make_wheel

TARGET = "alice/small-sums"
PLACE = f"/packages/{TARGET}/cases"
SUBMIT = f"/packages/{TARGET}/releases/1.0.0/cases"
CASE = {"id": "a", "task_id": "t1", "response": "2", "label": "correct"}


def test_a_list_of_none_says_so_and_all_pages_are_read(verihub, scripted):
    scripted.on("GET", PLACE, {"items": []})
    assert "nobody has submitted a counter-example" in verihub("cases", "list", TARGET).out
    pages = {None: (["c1"], "next"), "next": (["c2"], None)}

    def page(request):
        names, cursor = pages[request.url.params.get("cursor")]
        items = [counter(name, CaseState.OPEN).model_dump(mode="json") for name in names]
        return httpx.Response(200, json={"items": items, "next": cursor})

    scripted.on("GET", PLACE, page)
    assert verihub("cases", "list", TARGET, "-q").out.split() == ["c1", "c2"]


def test_a_list_in_circles_is_left(verihub, scripted):
    scripted.on("GET", PLACE, {"items": [], "next": "again"})
    said = verihub("cases", "list", TARGET)
    assert (said.code, len(scripted.asked)) == (8, 2)
    assert "no end" in said.err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "give --task and --label"),
        (("--task", "t1", "--response", "x"), "give --task and --label"),
        (("--run", "r1"), "belong together"),
        (("--rollout", "7"), "belong together"),
    ],
)
def test_what_is_missing_is_said_before_the_hub_is_asked(verihub, scripted, options, words):
    said = verihub("cases", "add", TARGET, *options)
    assert (said.code, scripted.asked) == (2, [])
    assert words in said.err


def test_a_case_without_a_response_is_not_sent(verihub, scripted):
    scripted.add(make_wheel())
    said = verihub("cases", "add", TARGET, "--task", "t1", "--label", "incorrect")
    assert said.code == 2
    assert "needs response" in said.err
    assert f"POST {SUBMIT}" not in scripted.asked


@pytest.mark.parametrize(("state", "says_who"), [(CaseState.REPRODUCED, True), (CaseState.REFUTED, False)])
def test_a_reproduced_case_says_who_makes_it_count(verihub, scripted, state: CaseState, says_who: bool) -> None:
    scripted.add(make_wheel())
    scripted.on("POST", SUBMIT, counter("c", state).model_dump(mode="json"))
    said = verihub("cases", "add", TARGET, "--task", "t1", "--response", "2", "--label", "incorrect")
    assert (said.code, "once others second it" in said.out) == (0, says_who), said


def test_a_case_is_shown_with_what_other_verifiers_said_and_no_response_adds_lines_of_its_own(verihub, scripted):
    others = [
        {"package": "bob/judge", "version": "2.0.0", "agrees": False, "case": "c9"},
        {"package": "carol/judge", "version": "1.0.0", "agrees": True},
    ]
    said = counter("c1", CaseState.REPRODUCED).model_dump(mode="json") | {
        "other_verdicts": others,
        "others_agree": 3,
        "others_disagree": 1,
    }
    said["case"]["response"] = "2\n    alice/forged 1.0.0 agrees\x1b[2J"
    scripted.on("GET", f"{PLACE}/c1", said)
    shown = verihub("cases", "show", TARGET, "c1")
    assert shown.code == 0, shown
    assert shown.out.splitlines()[-4:] == [
        "  4 other verifiers judged this response, 3 as the label says:",
        "    bob/judge 2.0.0 disagrees with the label (case c9)",
        "    carol/judge 1.0.0 agrees with the label",
        "    and 2 more",
    ]
    assert not any(line.lstrip().startswith("alice/forged") for line in shown.out.splitlines())
    assert "\x1b" not in shown.out
    assert json.loads(verihub("cases", "show", TARGET, "c1", "--format", "json").out)["other_verdicts"][0] == others[0]
    assert verihub("cases", "show", TARGET, "c1", "-q").out == "c1\n"


def test_a_case_of_which_nobody_else_spoke_is_shown_without_a_word_of_others(verihub, scripted):
    scripted.on("GET", f"{PLACE}/c1", counter("c1", CaseState.FIXED).model_dump(mode="json"))
    assert "other verifier" not in verihub("cases", "show", TARGET, "c1").out
    scripted.on("GET", f"{PLACE}/c2", problem(404, "case_not_found", "it is gone"))
    assert verihub("cases", "show", TARGET, "c2").code != 0


@pytest.mark.parametrize(("text", "code"), [(None, 2), ("{", 6), ('{"id": "a"}', 6), (json.dumps(CASE) + "\n[]\n", 6)])
def test_a_file_with_one_fault_sends_none_of_its_cases(verihub, scripted, own_folders, text, code):
    if text is not None:
        (own_folders / "c.jsonl").write_text(text)
    said = verihub("cases", "submit", TARGET, "c.jsonl")
    assert (said.code, scripted.asked) == (code, [])
    assert "c.jsonl" in said.err


def test_a_case_that_the_hub_judges_later_is_waited_for_if_asked(verihub, scripted, own_folders, monkeypatch):
    monkeypatch.setattr(cases, "_POLL_SECONDS", 0)
    scripted.add(make_wheel())
    (own_folders / "c.jsonl").write_text(json.dumps(CASE) + "\n")
    late = counter("c", CaseState.OPEN).model_dump(mode="json")
    scripted.on("POST", SUBMIT, late)
    said = verihub("cases", "submit", TARGET, "c.jsonl")
    assert (said.code, said.out.strip(), f"GET {PLACE}/c" in scripted.asked) == (0, "1 open", False), said.err
    answers = iter([late, late, counter("c", CaseState.REPRODUCED).model_dump(mode="json")])
    scripted.on("GET", f"{PLACE}/c", lambda _: httpx.Response(200, json=next(answers)))
    said = verihub("cases", "submit", TARGET, "c.jsonl", "--wait")
    assert (said.code, said.out.strip()) == (0, "1 reproduced"), said.err
    scripted.on("GET", f"{PLACE}/c", late)
    said = verihub("cases", "submit", TARGET, "c.jsonl", "--wait", "--wait-seconds", "0")
    assert said.code == 8
    assert "is a worker running?" in said.err


def test_a_case_that_is_open_says_that_it_will_be_judged(verihub, scripted):
    scripted.add(make_wheel())
    scripted.on("POST", SUBMIT, counter("c", CaseState.OPEN).model_dump(mode="json"))
    said = verihub("cases", "add", TARGET, "--task", "t1", "--response", "2", "--label", "incorrect")
    assert "not judged yet" in said.out


def test_known_cases_are_skipped_and_each_is_sent_with_its_whole_task(verihub, scripted, own_folders):
    scripted.add(make_wheel(), published_at=datetime.now(UTC))
    found = counter("c", CaseState.REPRODUCED).model_dump(mode="json")
    answers = iter([httpx.Response(201, json=found), problem(409, "case_exists", "known")])
    scripted.on("POST", SUBMIT, lambda _: next(answers))
    (own_folders / "c.jsonl").write_text("".join(json.dumps({**CASE, "id": name}) + "\n" for name in "ab"))
    said = verihub("cases", "submit", TARGET, "c.jsonl", "--min-age", "7")  # a case is about a release of any age
    assert (said.code, said.out.strip()) == (0, "1 reproduced, 1 were there already"), said.err
    assert json.loads(scripted.bodies[-1])["task"]["prompt"] == "1+1?"


def test_a_quota_that_is_reached_ends_it_and_is_no_known_case(verihub, scripted, own_folders):
    """The cases that the hub refused were said to have been there already."""
    scripted.add(make_wheel())
    found = counter("c", CaseState.REPRODUCED).model_dump(mode="json")
    answers = iter([httpx.Response(201, json=found), problem(409, "case_limit", "5 of your cases wait")])
    scripted.on("POST", SUBMIT, lambda _: next(answers))
    (own_folders / "c.jsonl").write_text("".join(json.dumps({**CASE, "id": name}) + "\n" for name in "abc"))
    said = verihub("cases", "submit", TARGET, "c.jsonl")
    assert said.code == 5
    assert "1 case of 3 submitted, then the hub refused: 5 of your cases wait" in said.err


@pytest.mark.parametrize(
    ("value", "answer", "label"),
    [(1.0, "y", "incorrect"), (0.0, "y", "correct"), (1.0, "n", None), (None, "y", None)],
)
def test_the_opposite_of_a_rollouts_verdict_is_asked_for_on_a_terminal(
    verihub, scripted, monkeypatch, value: float | None, answer: str, label: str | None
) -> None:
    scripted.add(make_wheel())
    row = RolloutRow(id=7, step=1, task_id="t1", response="2", rewards={"correct": value})
    scripted.on("GET", "/runs/r1/rollouts/7", row.model_dump(mode="json"))
    sent: list[dict[str, Any]] = []

    def keep(request: httpx.Request) -> httpx.Response:
        sent.append(json.loads(request.content))
        return httpx.Response(201, json=counter("c", CaseState.OPEN).model_dump(mode="json"))

    scripted.on("POST", SUBMIT, keep)
    terminal = io.StringIO(f"{answer}\n")
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr("sys.stdin", terminal)
    said = verihub("cases", "add", TARGET, "--run", "r1", "--rollout", "7")
    assert [one["label"] for one in sent] == ([label] if label else []), said
    words = "give --label" if value is None else f"Submit it as {'incorrect' if value else 'correct'}"
    assert words in said.err
