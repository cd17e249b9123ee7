"""The suites of the collection: certain labels, named sources, cases that a hub can draw anew, and who stands against them.

Where a label follows from how a case was made, a second way of working it out that shares no code has to agree.
"""

import contextlib
import importlib
import io
import json
import sqlite3
import sys
from collections import Counter
from fractions import Fraction

import pytest

from sandbox.audit.cases import call_of
from sandbox.audit.similar_cases import content_key
from schemas.evidence.cases import AuditCase, Label
from schemas.kinds import PackageKind
from tests.collection.conftest import PROJECTS

SUITES = sorted(name for name, project in PROJECTS.items() if project.manifest.kind is PackageKind.SUITE)
FEWEST_CLUSTERS = 35
"""A side of fewer cannot earn a C, however right a verifier is."""
MOST_BYTES = 2_000_000


@pytest.fixture(params=SUITES)
def suite(request):
    return PROJECTS[request.param]


def _said(case: AuditCase) -> str:
    """What a verifier is asked about, as text."""
    return case.response if case.response is not None else json.dumps([case.messages, case.state])


def drawn(suite, seed: int, count: int) -> list[AuditCase]:
    """What its generator makes, in this process: it is our own code."""
    sys.path.insert(0, str(suite.data.parent))
    try:
        module = importlib.import_module(suite.data.name)
    finally:
        sys.path.pop(0)
    return [AuditCase.model_validate(module.cases(split="held", seed=seed, index=index)) for index in range(count)]


def test_every_case_says_who_labelled_it(suite):
    said = {case.labelled_by for case in [*suite.cases, *drawn(suite, 5, 4)]}
    assert "" not in said


def test_there_is_one_for_each_family_that_the_collections_verifiers_judge():
    families = {family for project in PROJECTS.values() for family in project.manifest.judges}
    assert families <= {PROJECTS[name].manifest.family for name in SUITES}


def test_no_verifier_of_the_collection_shares_its_owner_with_a_suite():
    """A suite of a verifier's own owner is the author's, and its letter would stay hollow."""
    owners = {PROJECTS[name].manifest.id.split("/")[0] for name in SUITES}
    assert owners == {"suites"}
    assert not {p.manifest.id.split("/")[0] for name, p in PROJECTS.items() if name not in SUITES} & owners


def test_every_case_says_where_it_comes_from_and_under_which_licence(suite):
    assert [case.id for case in suite.cases if not (case.source and case.licence and case.tags and case.task)] == []
    notices = "".join(path.read_text() for path in suite.data.glob("NOTICE*"))
    others = {case.source.split(",")[0] for case in suite.cases if case.source != "made by rule"}
    assert [source for source in others if source.rsplit("/", 1)[-1].lower() not in notices.lower()] == []


def test_no_task_and_response_has_both_labels_and_ids_are_unique(suite):
    def key(case: AuditCase) -> str:
        return content_key(case, case.task, must_accept=True)

    labels = Counter(key for key, _ in {(key(case), case.label) for case in suite.cases})
    assert [name for name, count in labels.items() if count > 1] == []
    assert len({case.id for case in suite.cases}) == len(suite.cases)


@pytest.mark.parametrize("label", Label)
def test_either_side_has_enough_unlike_cases_for_a_letter(suite, label):
    side = [case for case in suite.cases if case.label is label]
    assert len({case.cluster or case.id for case in side}) >= FEWEST_CLUSTERS or suite.name == "suite-choice"
    assert len(side) >= 180


def test_a_suite_is_small_enough_to_be_read(suite):
    assert sum(path.stat().st_size for path in suite.data.glob("*.jsonl")) < MOST_BYTES


def test_a_secret_seed_gives_other_cases_each_time_and_the_same_for_the_same(suite):
    first, second, again = drawn(suite, 1, 60), drawn(suite, 2, 60), drawn(suite, 1, 60)
    assert first == again
    prompts = {json.dumps([case.task["prompt"], case.task.get("info")]) for case in first}
    shared = prompts & {json.dumps([case.task["prompt"], case.task.get("info")]) for case in second}
    # An instruction and a question for tools have few wordings; the text and what the tools say is what differs.
    assert len(shared) <= len(prompts) / 10 or suite.manifest.family in ("instructions", "transcript")
    texts = {said for case in first if len(said := _said(case)) > 40}
    # A right query has few spellings; the rows of its databases, which the prompts' check holds, are what differs.
    assert len(texts & {_said(case) for case in second}) <= len(texts) / 10 or suite.manifest.family == "sql"


def test_a_generators_cases_are_half_right_and_half_wrong_in_every_part(suite):
    labels = [case.label for case in drawn(suite, 3, 100)]
    assert Counter(labels) == {Label.CORRECT: 50, Label.INCORRECT: 50}
    assert labels[:50].count(Label.CORRECT) == 25


def test_short_numbers_are_worked_out_from_the_question_again():
    for case in drawn(PROJECTS["suite-short-number"], 4, 300):
        numbers = [int(word.strip(".,?")) for word in case.task["prompt"].split() if word.strip(".,?").isdigit()]
        first, second, third = numbers
        total = Fraction(first * second + third)
        assert Fraction(case.task["answer"]) == (total / 100 if "cents" in case.task["prompt"] else total)


def test_right_code_gives_the_wanted_values_and_wrong_code_does_not():
    """By plain Python in this process: the code is made by our own rule."""
    for case in drawn(PROJECTS["suite-python-code"], 5, 200):
        entry = case.task["info"]["function"]["entry"]
        code = case.response.split("```")[1].removeprefix("python")
        try:
            namespace = {}
            with contextlib.redirect_stdout(io.StringIO()):
                exec(code, namespace)
                given = [json.loads(json.dumps(namespace[entry](*test["args"]))) for test in case.task["answer"]]
        except (Exception, SystemExit):  # noqa: BLE001 -- wrong code may raise anything
            given = None
        wanted = [test["value"] for test in case.task["answer"]]
        assert (given == wanted) == (case.label is Label.CORRECT), case.id


def test_exactly_one_option_of_a_question_is_right():
    for case in drawn(PROJECTS["suite-choice"], 6, 200):
        asked, options = case.task["prompt"].split("\n")[0], case.task["info"]["choices"]
        numbers = [int(word.strip("?.")) for word in asked.split() if word.strip("?.").isdigit()]
        if "times" in asked:
            right = [str(numbers[0] * numbers[1])]
        elif "remainder" in asked:
            right = [str(numbers[0] % numbers[1])]
        elif "largest" in asked:
            right = [str(max(map(int, options)))]
        elif "first in a dictionary" in asked:
            right = [min(options)]
        else:
            right = [word for word in options if len(word) == max(map(len, options))]
        assert [option for option in options if option in right] == right
        assert options["ABCDE".index(case.task["answer"])] == right[0]


def same_json(one: object, other: object) -> bool:
    """Equality of JSON values, by their types as well: in Python True is 1."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same_json(one[name], other[name]) for name in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same_json, one, other))
    return one == other


def test_a_record_is_right_where_it_is_the_same_value():
    for case in drawn(PROJECTS["suite-json"], 7, 400):
        text = case.response.strip().removeprefix("```json").removesuffix("```")
        try:
            given = json.loads(text)
        except ValueError:
            given = None
        assert same_json(given, case.task["answer"]) == (case.label is Label.CORRECT), case.id


def test_questions_in_words_are_answered_again_from_their_text():
    for case in drawn(PROJECTS["suite-text"], 8, 300):
        prompt, answer = case.task["prompt"], case.task["answer"]
        if "oldest" in prompt:
            ages = [one.rsplit(" is ", 1) for one in prompt.split(". Who")[0].split(", ")]
            assert max(ages, key=lambda one: int(one[1]))[0] == answer
        elif "dictionary" in prompt:
            assert min(prompt.split(": ")[1].rstrip("?").split(", ")) == answer
        elif "colour" in prompt:
            told, asked = prompt.lower().split(". which colour is ")
            assert f"{asked.rstrip('?')} is {answer}" in told
        else:
            row = prompt.split(" stand ")[1].split(". Who")[0].replace(" and ", ", ").split(", ")
            assert row[row.index(prompt.rsplit(" ", 1)[1].rstrip("?")) - 1] == answer
        assert (case.response == answer) <= (case.label is Label.CORRECT)


def test_what_tools_say_gives_the_answer_of_a_conversation():
    for case in drawn(PROJECTS["suite-transcripts"], 9, 480):
        told = [
            json.loads(one["content"]) for one in case.messages if one["role"] == "tool" and one.get("tool_call_id")
        ]
        asked, answer = case.task["prompt"], case.task["answer"]
        if len(told) == 1 and "longest" in asked:
            assert max(row["km"] for row in told[0]) == answer
        elif len(told) == 2 and "boxes" in asked:
            assert told[1] == answer == int(asked.split()[2]) * told[0]["euros"]
        elif len(told) == 2 and "left" in asked:
            assert told[0]["euros"] - told[1]["due"] == answer
        elif len(told) == 2:
            assert sum(row["pieces"] for row in told) == answer
        last = case.messages[-1]
        ends_well = last["role"] == "assistant" and str(answer) in last["content"] and "tool_calls" not in last
        assert ends_well or case.label is Label.INCORRECT, case.id


def test_queries_are_right_or_wrong_by_the_rows_that_they_give():
    def rows(info, tables, query):
        base = sqlite3.connect(":memory:")
        base.executescript(info["schema"])
        for name, held in tables.items():
            for row in held:
                base.execute(f"INSERT INTO {name} VALUES ({','.join('?' * len(row))})", row)
        try:
            found = [[float(v) if isinstance(v, int) else v for v in row] for row in base.execute(query.rstrip("; "))]
        except sqlite3.Error:
            return None
        return found if info["ordered"] else sorted(map(repr, found))

    for case in drawn(PROJECTS["suite-sql"], 10, 300):
        info = case.task["info"]
        pairs = [
            (rows(info, one, case.state["answer"]), rows(info, one, case.task["answer"])) for one in info["databases"]
        ]
        assert all(found == wanted for found, wanted in pairs) == (case.label is Label.CORRECT), case.id


def test_a_state_is_right_where_it_holds_the_wanted_rows_and_no_other():
    def rows(tables):
        return sorted((name, json.dumps(row, sort_keys=True)) for name, held in tables.items() for row in held)

    for case in drawn(PROJECTS["suite-states"], 11, 480):
        tables, wanted, start = case.state.get("tables"), case.task["answer"], case.task["info"]["start"]
        same = isinstance(tables, dict) and tables.keys() == wanted.keys() and rows(tables) == rows(wanted)
        assert same == (case.label is Label.CORRECT), case.id
        assert rows(start) != rows(wanted)


# verifier -> (suite, wrongly accepted, wrongly rejected): what its README says, on the public cases.
STANDINGS = {
    ("gsm8k", "suite-short-number"): (0, 0),
    ("exact-match", "suite-short-number"): (0, 507),
    ("exact-match", "suite-choice"): (0, 230),
    ("substring-rule", "suite-short-number"): (8, 503),
    ("substring-rule", "suite-choice"): (0, 210),
    ("json-shape", "suite-json"): (0, 0),
    ("sql-questions", "suite-sql"): (0, 0),
    ("gsm8k", "suite-transcripts"): (0, 0),
    ("exact-match", "suite-transcripts"): (0, 275),
    ("exact-match", "suite-text"): (0, 278),
    ("substring-rule", "suite-text"): (24, 201),
    ("final-state", "suite-states"): (0, 0),
}


@pytest.mark.parametrize(("verifier", "suite_name"), STANDINGS)
def test_verifiers_stand_on_a_suite_as_is_said(verifier, suite_name, packed, local_sandbox):
    project, cases = PROJECTS[verifier], PROJECTS[suite_name].cases
    assert PROJECTS[suite_name].manifest.family in project.manifest.judges
    calls = [call_of(case, case.task, case.id) for case in cases]
    labels = {case.id: case.label for case in cases}
    wrong = Counter(
        labels[case_id]
        for case_id, verdict in local_sandbox.score(packed.source(verifier), calls)
        if verdict.accepts(project.manifest.rewards) is not (labels[case_id] is Label.CORRECT)
    )
    assert (wrong[Label.INCORRECT], wrong[Label.CORRECT]) == STANDINGS[verifier, suite_name]
