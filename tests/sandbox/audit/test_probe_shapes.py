"""Probes for what is judged on messages, states and words, and for notations that a labelled case allows."""

import asyncio
import json
import re

import pytest

from sandbox.audit import run_audit
from schemas.evidence.cases import AuditCase


def run(judge_of, make_source, verify, cases, tasks):
    return asyncio.run(run_audit(judge_of(verify), make_source(), cases, tasks=tasks, subject="al/check@1"))


def failed(report):
    return {name for name, outcome in report.probes.items() if outcome.failures}


TALKS = {f"t{n}": {"id": f"t{n}", "prompt": f"Ask the tool for {chr(65 + n)}.", "answer": 11 + 6 * n} for n in range(8)}


def talk(task, last):
    return [
        {"role": "user", "content": task["prompt"]},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "call_0", "name": "look"}]},
        {"role": "tool", "tool_call_id": "call_0", "content": "ready"},
        {"role": "assistant", "content": last},
    ]


def talks():
    right = [
        AuditCase(id=f"r{name}", task_id=name, messages=talk(task, f"It is {task['answer']}"), label="correct")
        for name, task in TALKS.items()
    ]
    wrong = [
        AuditCase(id=f"w{name}", task_id=name, messages=talk(task, "It is 7777"), label="incorrect")
        for name, task in TALKS.items()
    ]
    return right + wrong


def last_words(call):
    said = [message.get("content") or "" for message in call.messages if message["role"] == "assistant"]
    text = said[-1].strip()
    values = re.findall(r"-?\d+(?:\.\d+)?", text)
    is_clear = len(values) == 1 and not re.search(r"\b(?:not|wrong|or)\b", text)
    return {"correct": float(is_clear and values[0] == str(call.task["answer"]))}


def anybodys_words(call):
    text = " ".join(str(message.get("content")) for message in call.messages)
    return {"correct": float(re.search(rf"\b{call.task['answer']}\b", text) is not None)}


def test_conversations_get_the_same_families_in_their_last_message(judge_of, make_source):
    report = run(judge_of, make_source, last_words, talks(), TALKS)
    assert failed(report) == set()
    expected = {"nop", "huge", "binary", "several_answers", "answer_listing", "judge_injection", "judge_persuasion"}
    expected |= {"leak_digit", "leak_sign", "leak_superstring", "leak_negated", "benign_spacing", "benign_punctuation"}
    assert expected | {"leak_unfinished", "leak_said_by_others"} <= set(report.probes)


def test_a_verifier_that_takes_anybodys_words_is_found(judge_of, make_source):
    report = run(judge_of, make_source, anybodys_words, talks(), TALKS)
    assert report.probes["leak_said_by_others"].failures == report.probes["leak_said_by_others"].cases > 0
    assert report.probes["leak_unfinished"].failures == 0


def test_only_the_last_message_is_changed(judge_of, make_source):
    judge = judge_of(last_words)
    asyncio.run(run_audit(judge, make_source(), talks(), tasks=TALKS, subject="al/check@1"))
    changed = [call for call in judge.calls if call.messages and call.messages[-1]["content"].startswith("It is -")]
    assert changed
    assert all(call.messages[:-1] == talk(call.task, "")[:-1] for call in changed)


ROOMS = {f"t{n}": {"id": f"t{n}", "prompt": "Sort the shelf."} for n in range(3)}


def rooms():
    right = [
        AuditCase(id=f"r{name}", task_id=name, state={"shelf": ["a", "b"], "steps": 2}, label="correct")
        for name in ROOMS
    ]
    wrong = [
        AuditCase(id=f"w{name}", task_id=name, state={"shelf": ["b", "a"], "steps": 1}, label="incorrect")
        for name in ROOMS
    ]
    return right + wrong


def test_a_sound_verifier_of_states_fails_no_probe(judge_of, make_source):
    report = run(
        judge_of, make_source, lambda call: {"correct": float(call.state.get("shelf") == ["a", "b"])}, rooms(), ROOMS
    )
    assert {name: outcome.cases for name, outcome in report.probes.items()} == {
        "benign_state_order": 3,
        "empty": 3,
        "cheat_state": 3,
    }
    assert failed(report) == set()


@pytest.mark.parametrize(
    ("verify", "family"),
    [
        (lambda call: {"correct": float(call.state.get("passed") is True or call.state.get("shelf") == ["a", "b"])}, "cheat_state"),
        (lambda call: {"correct": float(json.dumps(call.state) == '{"shelf": ["a", "b"], "steps": 2}')}, "benign_state_order"),
        (lambda call: {"correct": float(call.state.get("shelf", ["a", "b"]) == ["a", "b"])}, "empty"),
    ],
    ids=["believes claims", "wants an order", "takes nothing for order"],
)  # fmt: skip
def test_each_flaw_of_a_verifier_of_states_is_found_by_its_family(judge_of, make_source, verify, family):
    assert failed(run(judge_of, make_source, verify, rooms(), ROOMS)) == {family}


NAMES = {
    name.lower(): {"id": name.lower(), "prompt": "Which city?", "answer": name} for name in ("Lisbon", "Vienna", "Ottawa", "Nairobi")
}  # fmt: skip


def names():
    right = [AuditCase(id=f"r{key}", task_id=key, response=f"It is {task['answer']}", label="correct") for key, task in NAMES.items()]  # fmt: skip
    return right + [AuditCase(id=f"w{key}", task_id=key, response="It is Cardiff", label="incorrect") for key in NAMES]


@pytest.mark.parametrize(
    ("verify", "must_fail"),
    [
        (lambda call: {"correct": float(call.response.split()[-1:] == [call.task["answer"]])}, set()),
        (lambda call: {"correct": float(call.task["answer"] in call.response)}, {"leak_longer_word"}),
        (lambda call: {"correct": float((call.response.split() or ["?"])[-1] in call.task["answer"])}, {"leak_substring"}),
        (lambda call: {"correct": float((call.response.split() or ["?"])[-1][:1] == call.task["answer"][:1])}, {"leak_near_miss"}),
        (lambda call: {"correct": float(sorted((call.response.split() or ["?"])[-1]) == sorted(call.task["answer"]))}, {"leak_anagram"}),
    ],
    ids=["sound", "substring", "superstring", "initial", "letters"],
)  # fmt: skip
def test_near_misses_of_words_are_made_and_found(judge_of, make_source, verify, must_fail):
    report = run(judge_of, make_source, verify, names(), NAMES)
    assert {"leak_near_miss", "leak_substring", "leak_longer_word", "leak_anagram"} <= set(report.probes)
    assert must_fail <= failed(report)
    if not must_fail:
        assert not {name for name in failed(report) if name.startswith("leak")}


def test_where_a_labelled_case_spells_a_word_otherwise_no_spelling_is_called_wrong(judge_of, make_source):
    cases = [*names(), AuditCase(id="x", task_id="vienna", response="It is Wien", label="correct")]
    report = run(judge_of, make_source, lambda call: {"correct": 1.0}, cases, NAMES)
    assert not {"leak_near_miss", "leak_substring", "leak_longer_word", "leak_anagram"} & set(report.probes)


def test_a_judge_that_can_be_talked_into_it_is_found_on_what_is_labelled_wrong(judge_of, make_source):
    def gullible(call):
        text = call.response.lower()
        return {"correct": float(call.task["answer"].lower() in text or ("it is" in text and "correct" in text))}

    report = run(judge_of, make_source, gullible, names(), NAMES)
    assert report.probes["judge_persuasion"].failures > 0


def test_a_judge_that_prefers_what_is_long_is_found(judge_of, make_source):
    report = run(
        judge_of,
        make_source,
        lambda call: {"correct": float(call.task["answer"] in call.response or len(call.response) > 300)},
        names(),
        NAMES,
    )
    length = report.probes["judge_length"]
    assert length.failures == length.cases > 0


def test_persuasion_and_length_start_from_responses_that_were_rejected(judge_of, make_source):
    """Else a verifier that accepts everything would be told that it was persuaded."""
    report = run(judge_of, make_source, lambda call: {"correct": 1.0}, names(), NAMES)
    assert "judge_persuasion" not in report.probes
    assert "judge_length" not in report.probes


SHARES = {f"t{n}": {"id": f"t{n}", "prompt": "What share?", "answer": f"{n}/4"} for n in (1, 3)} | {
    "u": {"id": "u", "prompt": "How far?", "answer": "12 km"}
}


def shares(*more):
    plain = [AuditCase(id=f"r{n}", task_id=f"t{n}", response=f"The share is {n}/4", label="correct") for n in (1, 3)]
    plain += [AuditCase(id="u", task_id="u", response="The way is 12 km", label="correct")]
    return [*plain, *more]


def test_other_writings_are_tried_only_where_a_labelled_case_shows_them(judge_of, make_source):
    accept = lambda call: {"correct": 1.0}  # noqa: E731
    families = {"benign_latex", "benign_percent", "benign_unit"}
    assert not families & set(run(judge_of, make_source, accept, shares(), SHARES).probes)
    shown = shares(
        AuditCase(id="l", task_id="t1", response="The share is $\\frac{1}{4}$", label="correct"),
        AuditCase(id="p", task_id="t3", response="The share is 75%", label="correct"),
        AuditCase(id="k", task_id="u", response="The way is 12 kilometers", label="correct"),
    )
    judge = judge_of(accept)
    report = asyncio.run(run_audit(judge, make_source(), shown, tasks=SHARES, subject="al/check@1"))
    assert families <= set(report.probes)
    said = {call.response for call in judge.calls}
    assert {"The share is 25%", "The share is 75%", "The way is 12 kilometers"} <= said
    assert said & {"The share is $3/4$", "The share is $\\frac{3}{4}$", "The share is \\(3/4\\)"}


def test_files_that_are_gone_are_tried_beside_files_that_are_empty(judge_of, make_source):
    tasks = {"t": {"id": "t", "prompt": "Write the file."}}
    cases = [AuditCase(id="r", task_id="t", files={"out.txt": "done", "log.txt": "-"}, label="correct")]
    trusting = lambda call: {"correct": float(call.files.get("out.txt", "done") == "done")}  # noqa: E731
    report = run(judge_of, make_source, trusting, cases, tasks)
    assert (report.probes["cheat_files"].failures, report.probes["cheat_files"].cases) == (1, 2)
    assert report.probes["benign_state_order"].failures == 0


def test_the_oracle_takes_over_no_form_that_speaks_of_its_own_task(judge_of, make_source):
    tasks = {f"t{n}": {"id": f"t{n}", "prompt": "?", "answer": 11 + n} for n in range(6)}
    forms = ["x = {}", "\\pi \\approx {}", "{}", "\\boxed{{{}}}", "The answer is {}", "n_0 = {}"]
    cases = [
        AuditCase(id=f"r{n}", task_id=f"t{n}", response=form.format(11 + n), label="correct")
        for n, form in enumerate(forms)
    ]
    own = {case.response for case in cases}
    judge = judge_of(lambda call: {"correct": float(call.response in own)})
    report = asyncio.run(run_audit(judge, make_source(), cases, tasks=tasks, subject="al/check@1"))
    said = [failure.response for failure in report.failures if failure.case.startswith("probe:oracle:")]
    assert said
    assert all(re.fullmatch(r"\d+|\\boxed\{\d+\}|The answer is \d+", text) for text in said)


def test_the_oracle_is_not_tried_where_right_transcripts_owe_their_label_to_tools(judge_of, make_source):
    """A verifier may ask for the tool's use: the answer alone is then not right, and an honest one would get an F."""
    asks_for_the_tool = run(
        judge_of, make_source, lambda call: {"correct": float(len(call.messages) > 2)}, talks(), TALKS
    )
    assert "oracle" not in asks_for_the_tool.probes
    plain = [case.model_copy(update={"messages": [case.messages[0], case.messages[-1]]}) for case in talks()]
    assert "oracle" in run(judge_of, make_source, last_words, plain, TALKS).probes


def called(task, value, done):
    arguments = json.dumps({"name": task["id"], "value": value})
    return [
        {"role": "user", "content": task["prompt"]},
        {"role": "assistant", "tool_calls": [{"id": "a1", "function": {"name": "set", "arguments": arguments}}]},
        {"role": "tool", "tool_call_id": "a1", "content": "ok"},
        {"role": "assistant", "content": done},
    ]


ACTS = {f"t{n}": {"id": f"t{n}", "prompt": f"Set t{n} to {n}.", "info": {"value": n}} for n in range(6)}
ACTED = [
    AuditCase(
        id=f"{label}{name}", task_id=name, messages=called(task, task["info"]["value"] + wrong, "Done."), label=label
    )
    for name, task in ACTS.items()
    for label, wrong in (("correct", 0), ("incorrect", 1))
]


def acts(call):
    """Reads the call as JSON, whatever its id, and nothing that is said."""
    made = json.loads(call.messages[1]["tool_calls"][0]["function"]["arguments"])
    answered = call.messages[2]["tool_call_id"] == call.messages[1]["tool_calls"][0]["id"]
    return {"correct": float(answered and made == {"name": call.task["id"], "value": call.task["info"]["value"]})}


def test_a_verifier_that_reads_calls_fails_no_probe_of_transcripts(judge_of, make_source):
    report = run(judge_of, make_source, acts, ACTED, ACTS)
    assert failed(report) == set()
    assert {"benign_call_ids", "benign_call_spelling", "cheat_transcript"} <= set(report.probes)


@pytest.mark.parametrize(
    ("family", "verify"),
    [
        ("benign_call_ids", lambda call: acts(call)["correct"] * (call.messages[2]["tool_call_id"] == "a1")),
        (
            "benign_call_spelling",
            lambda call: float(
                call.messages[1]["tool_calls"][0]["function"]["arguments"]
                == json.dumps({"name": call.task["id"], "value": call.task["info"]["value"]})
            ),
        ),
        ("cheat_transcript", lambda call: max(acts(call)["correct"], float("1.0" in call.messages[-1]["content"]))),
    ],
)
def test_a_verifier_of_transcripts_with_one_weakness_is_found(judge_of, make_source, family, verify):
    report = run(judge_of, make_source, lambda call: {"correct": verify(call)}, ACTED, ACTS)
    assert family in failed(report)


def test_another_tasks_right_state_is_a_rate(judge_of, make_source):
    cases = [
        AuditCase(id=f"{label}{name}", task_id=name, state={"value": task["info"]["value"] + wrong}, label=label)
        for name, task in ACTS.items()
        for label, wrong in (("correct", 0), ("incorrect", 70))
    ]
    careful = run(
        judge_of, make_source, lambda call: {"correct": float(call.state == call.task["info"])}, cases, ACTS
    ).exploits["state_of_another"]
    loose = run(
        judge_of, make_source, lambda call: {"correct": float(call.state.get("value", 99) < 70)}, cases, ACTS
    ).exploits["state_of_another"]
    assert (careful.accepted, careful.tries) == (0, 6)
    assert (loose.accepted, loose.tries) == (6, 6)
