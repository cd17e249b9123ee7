"""Probes against verifiers whose errors are known: a sound one fails none, each flawed one fails what it should."""

import asyncio
import json
import re
from fractions import Fraction

import pytest

from sandbox.audit import run_audit
from sandbox.audit.probes import answers
from sandbox.audit.probes.registry import FAMILIES
from schemas.evidence.cases import AuditCase
from tests.sandbox.audit.conftest import with_text

GOLDS = [7, 12, -5, 42, 108, 144, 3, 29, 1000, 16, 81, 250]
TASKS = {f"t{n}": {"id": f"t{n}", "prompt": f"Question {chr(65 + n)}?", "answer": gold} for n, gold in enumerate(GOLDS)}
FORMS = (
    "{}",
    "#### {}",
    "The answer is {}",
    "First we add some things up and then we see that the total is {}",
    "\\boxed{{{}}}",
)


def numeric_suite():
    right = [
        AuditCase(id=f"r{n}{i}", task_id=f"t{n}", response=form.format(gold), label="correct")
        for n, gold in enumerate(GOLDS)
        for i, form in enumerate(FORMS)
    ]
    right.append(AuditCase(id="comma", task_id="t8", response="#### 1,000", label="correct"))
    wrong = [
        AuditCase(id=f"w{n}", task_id=f"t{n}", response="The answer is 77777", label="incorrect") for n in range(12)
    ]
    return right + wrong


def tail_values(text):
    """What a careful reader takes as final answers: the numbers of the last line."""
    lines = [line for line in text.strip().splitlines() if line.strip()]
    tail = lines[-1] if lines else ""
    return tail, [Fraction(found.replace(",", "")) for found in re.findall(r"[-+]?\d[\d,]*(?:\.\d+)?", tail)]


def sound(call):
    tail, values = tail_values(call.response)
    commits = len(values) == 1 and not re.search(r"\b(?:not|wrong|or)\b", tail)
    return {"correct": float(commits and values[0] == call.task["answer"])}


def substring(call):
    return {"correct": float(str(call.task["answer"]) in call.response)}


def any_number(call):
    return {"correct": float(str(call.task["answer"]) in re.findall(r"-?\d+", call.response))}


def absolute(call):
    _, values = tail_values(call.response)
    return {"correct": float(bool(values) and abs(values[-1]) == abs(call.task["answer"]))}


def bare_only(call):
    return {
        "correct": float(
            re.fullmatch(r"(?:.*[ {])?(-?[\d,]+)\}?", call.response) is not None and sound(call)["correct"] == 1.0
        )
    }


def empty_passes(call):
    return {"correct": 1.0 if not call.response.strip() else sound(call)["correct"]}


def injectable(call):
    return {"correct": 1.0 if "correct" in call.response.lower() else sound(call)["correct"]}


def any_gold(call):
    """Every number that answers some task is right for each."""
    _, values = tail_values(call.response)
    return {"correct": float(len(values) == 1 and values[0] in GOLDS and "not" not in call.response)}


def brackets_pass(call):
    return {
        "correct": 1.0
        if call.response.startswith(("[[[", "(((", "{{{", '{"q":{', "\\frac{\\frac"))
        else sound(call)["correct"]
    }


def json_passes(call):
    try:
        return {"correct": float(isinstance(json.loads(call.response), list | dict) or sound(call)["correct"])}
    except (ValueError, RecursionError):
        return sound(call)


def run(judge_of, make_source, verify, cases, tasks, rewards="[rewards.correct]"):
    source = make_source(rewards)
    return asyncio.run(run_audit(judge_of(with_text(verify)), source, cases, tasks=tasks, subject="al/check@1"))


def failed(report):
    return {name for name, outcome in report.probes.items() if outcome.failures}


def test_a_sound_verifier_fails_no_probe(judge_of, make_source):
    report = run(judge_of, make_source, sound, numeric_suite(), TASKS)
    assert failed(report) == set()
    expected = {
        "oracle",
        "benign_spacing",
        "benign_punctuation",
        "benign_emphasis",
        "benign_preamble",
        "benign_notation",
        "nop",
        "empty",
        "huge",
        "binary",
        "several_answers",
        "answer_listing",
        "judge_one_token",
        "judge_injection",
    }
    expected |= {"leak_digit", "leak_sign", "leak_off_by_one", "leak_truncated", "leak_superstring", "leak_negated"}
    assert expected <= set(report.probes)
    most = {family.name: family.most for family in FAMILIES}
    assert all(0 < outcome.cases <= most[name] for name, outcome in report.probes.items())


@pytest.mark.parametrize(
    ("verify", "must_fail"),
    [
        (substring, {"leak_superstring", "leak_negated", "several_answers", "answer_listing", "leak_unit_scale"}),
        (any_number, {"several_answers", "answer_listing", "leak_negated"}),
        (absolute, {"leak_sign"}),
        (bare_only, {"benign_spacing", "benign_punctuation", "benign_emphasis"}),
        (empty_passes, {"empty"}),
        (injectable, {"judge_injection"}),
        (any_gold, {"swap"}),
        (brackets_pass, {"fuzz_nesting"}),
        (json_passes, {"fuzz_json"}),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_each_flaw_is_found_by_its_family(judge_of, make_source, verify, must_fail):
    report = run(judge_of, make_source, verify, numeric_suite(), TASKS)
    assert must_fail <= failed(report)


def test_the_right_and_only_the_right_families_fail_for_a_sign_error(judge_of, make_source):
    report = run(judge_of, make_source, absolute, numeric_suite(), TASKS)
    numbers = {"leak_sign", "leak_mixed", "leak_other_values"}
    assert failed(report) <= numbers | {"leak_negated", "several_answers", "answer_listing"}


def test_where_instructions_are_judged_only_emptiness_is_certainly_wrong(judge_of, make_source):
    """A task without an answer: "write without commas" is met by noise, by refusals and by rewrites."""
    tasks = {f"t{n}": {"id": f"t{n}", "prompt": "Write a line without commas."} for n in range(4)}
    cases = [
        AuditCase(id=f"r{n}", task_id=f"t{n}", response=f"Line number {n} has none", label="correct") for n in range(4)
    ]
    cases += [AuditCase(id=f"w{n}", task_id=f"t{n}", response="a, b", label="incorrect") for n in range(4)]
    report = run(judge_of, make_source, lambda call: {"correct": float("," not in call.response)}, cases, tasks)
    assert set(report.probes) == {"empty"}
    assert report.probes["empty"].failures == report.probes["empty"].cases


def test_form_is_left_alone_where_a_second_reward_judges_it(judge_of, make_source):
    rewards = "[rewards.correct]\n[rewards.form]"
    report = run(judge_of, make_source, lambda call: sound(call) | {"form": 1.0}, numeric_suite(), TASKS, rewards)
    assert not any(name.startswith("benign") for name in report.probes)
    assert "leak_digit" in report.probes


def test_a_tolerance_switches_numeric_mutations_off(judge_of, make_source):
    tasks = {name: task | {"info": {"tolerance": 0.5}} for name, task in TASKS.items()}
    report = run(judge_of, make_source, sound, numeric_suite(), tasks)
    # what a person called wrong, elsewhere:
    labelled = {
        "leak_thinking",
        "leak_last_turn",
        "leak_setting",
        "leak_together",
        "leak_manner",
        "leak_own_word",
        "leak_task_id",
        "leak_task_form",
    }
    labelled |= {"leak_no_answer", "leak_digest"}  # no number at all
    assert not any(name.startswith("leak") for name in set(report.probes) - labelled)


def test_choices_and_truths_are_turned(judge_of, make_source):
    tasks = {f"t{n}": {"id": f"t{n}", "prompt": "Which?", "answer": letter} for n, letter in enumerate("ABCD")}
    tasks |= {f"y{n}": {"id": f"y{n}", "prompt": "Is it?", "answer": word} for n, word in enumerate(("yes", "no"))}
    cases = [
        AuditCase(id=name, task_id=name, response=f"My pick: {task['answer']}", label="correct")
        for name, task in tasks.items()
    ]
    report = run(
        judge_of,
        make_source,
        lambda call: {
            "correct": float(
                call.response.strip(" \t\r\n*_.").rstrip("*_").split(" ")[-1].strip("*_") == call.task["answer"]
            )
        },
        cases,
        tasks,
    )
    assert report.probes["leak_choice"].cases == 6
    assert failed(report) == set()


def test_units_sets_and_keys(judge_of, make_source):
    tasks = {
        "u": {"id": "u", "prompt": "How far?", "answer": "12 km"},
        "s": {"id": "s", "prompt": "Solve.", "answer": "\\{1, 2, 3\\}"},
    }
    cases = [
        AuditCase(id="u", task_id="u", response="It is 12 km", label="correct"),
        AuditCase(id="s", task_id="s", response="so \\{1, 2, 3\\}", label="correct"),
    ]

    def literal(call):
        return {"correct": float(call.task["answer"] in call.response)}

    report = run(judge_of, make_source, literal, cases, tasks)
    assert report.probes["leak_unit"].cases == 1
    assert report.probes["leak_unit"].failures == 0
    assert report.probes["benign_set_order"].failures == 1


def test_json_may_be_reordered_and_may_not_be_cut(judge_of, make_source):
    tasks = {f"t{n}": {"id": f"t{n}", "prompt": "JSON"} for n in range(3)}
    cases = [
        AuditCase(id=f"r{n}", task_id=f"t{n}", response=json.dumps({"a": n, "b": 2, "c": [1]}), label="correct")
        for n in range(3)
    ]

    def lenient(call):
        return {"correct": float('"a"' in call.response)}

    def sound_json(call):
        try:
            return {"correct": float(set(json.loads(call.response)) == {"a", "b", "c"})}
        except ValueError:
            return {"correct": 0.0}

    assert "format_damage" in failed(run(judge_of, make_source, lenient, cases, tasks))
    report = run(judge_of, make_source, sound_json, cases, tasks)
    assert failed(report) == set()
    assert report.probes["benign_key_order"].cases == 3


SOLUTION = "```python\ndef double(x):\n    return 2 * x\n```"


def exec_in_process(call):
    """The naive grader: the model's code in the grader's own process."""
    code = call.response.removeprefix("```python\n").removesuffix("```")
    expected = 6
    space = {}
    try:
        exec(code, space)
        return {"correct": float(space["double"](3) == expected)}
    except Exception:  # noqa: BLE001 -- the naive grader that is meant to be fooled
        return {"correct": 0.0}
    except SystemExit as ending:
        return {"correct": float(ending.code in (0, None))}


def test_cheats_are_made_for_programs_and_fool_a_naive_grader(judge_of, make_source):
    tasks = {"t": {"id": "t", "prompt": "Double it."}}
    cases = [AuditCase(id="r", task_id="t", response=SOLUTION, label="correct")]

    def guarded(call):
        # Programs that would end or change this process are judged by a child in the sandbox; here they count as refused.
        dangerous = {"_exit", "fork", "while True", "setattr", "atexit", "json.dumps", "TestCase", "gc.", "open("}
        return {"correct": 0.0} if any(word in call.response for word in dangerous) else exec_in_process(call)

    report = run(judge_of, make_source, guarded, cases, tasks)
    assert {"cheat_exit", "cheat_equality", "cheat_frames"} <= failed(report)
    assert {"wrong_language", "cheat_daemon", "cheat_forged_result", "cheat_overwritten_tests"} <= set(report.probes)


def test_every_cheat_is_a_program_that_compiles(judge_of, make_source):
    tasks = {"t": {"id": "t", "prompt": "Double it."}}
    judge = judge_of(lambda call: {"correct": float(call.response == SOLUTION)})
    cases = [AuditCase(id="r", task_id="t", response=SOLUTION, label="correct")]
    asyncio.run(run_audit(judge, make_source(), cases, tasks=tasks, subject="al/check@1"))
    cheats = [call.response for call in judge.calls if "arguments, **keywords" in call.response]
    assert len(cheats) > 15
    for response in cheats:
        code = response.removeprefix("```python\n").removesuffix("```")
        compile(code, "cheat", "exec")
        assert "def double(" in code


def test_where_one_labelled_word_ignores_case_plain_words_are_tried_and_formulas_are_not(judge_of, make_source):
    answers_by_task = {"a": "Paris", "b": "Rome", "c": "\\text{Oslo}", "d": "xY"}
    tasks = {name: {"id": name, "prompt": "?", "answer": answer} for name, answer in answers_by_task.items()}
    cases = [
        AuditCase(id=name, task_id=name, response=answer, label="correct") for name, answer in answers_by_task.items()
    ]
    cases.append(AuditCase(id="e", task_id="a", response="PARIS", label="correct"))
    judge = judge_of(
        lambda call: {"correct": float(call.response.strip().casefold() == call.task["answer"].casefold())}
    )
    report = asyncio.run(run_audit(judge, make_source(), cases, tasks=tasks, subject="al/check@1"))
    assert report.probes["benign_case"].failures == 0
    tried = {call.task["id"] for call in judge.calls if call.response not in {case.response for case in cases}}
    assert {"a", "b"} & tried
    assert not {call.response for call in judge.calls} & {"\\TEXT{OSLO}", "XY", "xy"}


def test_an_assistant_that_says_nothing_has_solved_nothing(judge_of, make_source):
    tasks = {"t": {"id": "t", "prompt": "Use the tool."}}
    messages = [{"role": "user", "content": "go"}, {"role": "assistant", "content": "42"}]
    cases = [AuditCase(id="r", task_id="t", messages=messages, label="correct")]
    naive = judge_of(lambda call: {"correct": float(call.messages[0]["content"] == "go")})
    report = asyncio.run(run_audit(naive, make_source(), cases, tasks=tasks, subject="al/check@1"))
    assert failed(report) == {"empty"}
    silent = [{"role": "user", "content": "go"}, {"role": "assistant", "content": ""}]
    assert silent in [call.messages for call in naive.calls]


def test_a_label_is_never_contradicted(judge_of, make_source):
    """An author who says that an empty response is right gets no probe that says otherwise."""
    tasks = {"t": {"id": "t", "prompt": "Say nothing."}}
    cases = [AuditCase(id="r", task_id="t", response="", label="correct")]
    report = run(judge_of, make_source, lambda call: {"correct": float(not call.response)}, cases, tasks)
    assert report.probes == {}


def test_a_rewriting_that_a_person_calls_wrong_is_not_called_right(judge_of, make_source):
    """The task wants no full stop: then no probe adds one, on this task."""
    tasks = {"t": {"id": "t", "prompt": "Count, without a full stop.", "answer": 7}}
    right = [
        AuditCase(id=f"r{n}", task_id="t", response=text, label="correct")
        for n, text in enumerate(["It is 7", "7", "So: 7"])
    ]
    wrong = [
        AuditCase(id=f"w{n}", task_id="t", response=f"{case.response}.", label="incorrect")
        for n, case in enumerate(right)
    ]
    report = run(
        judge_of,
        make_source,
        lambda call: {"correct": float(call.response.strip().endswith("7"))},
        right + wrong,
        tasks,
    )
    assert "benign_punctuation" not in report.probes
    assert "benign_spacing" in report.probes


def test_forged_files_take_the_place_of_work(judge_of, make_source):
    tasks = {"t": {"id": "t", "prompt": "Write the file."}}
    cases = [AuditCase(id="r", task_id="t", files={"out.txt": "done"}, label="correct")]
    naive = lambda call: {"correct": float(call.files.get("reward.txt") == "1" or call.files["out.txt"] == "done")}  # noqa: E731
    assert failed(run(judge_of, make_source, naive, cases, tasks)) == {"cheat_files"}


def test_every_family_has_a_name_of_its_own_and_says_why_its_label_is_certain():
    names = [family.name for family in FAMILIES]
    assert len(set(names)) == len(names) > 35
    assert all(len(family.rule) > 20 for family in FAMILIES)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("42", 42),
        ("-7,425,000", -7425000),
        ("3/4", Fraction(3, 4)),
        ("0.5", Fraction(1, 2)),
        ("\\frac{1}{2}", Fraction(1, 2)),
    ],
)
def test_numbers_are_read_as_people_write_them(text, value):
    assert answers.parse_number(text) == value


@pytest.mark.parametrize("text", ["4x", "x4", "1,2,3", "4/0", "", "four", "1.2.3"])
def test_what_is_not_one_number_is_not_read_as_one(text):
    assert answers.parse_number(text) is None


def test_an_answer_that_is_not_the_last_word_has_no_certain_place():
    answer = answers.read(12)
    assert answers.find("12 apples, and so 13", answer) is None
    assert answers.find("so it is 12.", answer).with_answer("13") == "so it is 13."
    assert answers.find("12" + " words" * 30, answer) is None


def test_a_line_of_other_work_before_the_answer_changes_nothing(judge_of, make_source):
    """Only where labelled cases work with numbers before their answer."""
    worked = [
        AuditCase(
            id=f"k{n}", task_id=f"t{n}", response=f"We add 4 and 5 to see the 9.\nThe total is {gold}", label="correct"
        )
        for n, gold in enumerate(GOLDS)
    ]

    def first_number(call):
        values = re.findall(r"[-+]?\d[\d,]*", call.response)
        return (
            {"correct": float(sound(call)["correct"] == 1.0 and not call.response.startswith("First, "))}
            if values
            else {"correct": 0.0}
        )

    assert "benign_worked" not in run(judge_of, make_source, sound, numeric_suite(), TASKS).probes
    assert "benign_worked" not in failed(run(judge_of, make_source, sound, numeric_suite() + worked, TASKS))
    assert "benign_worked" in failed(run(judge_of, make_source, first_number, numeric_suite() + worked, TASKS))


def test_a_text_answer_alone_is_right_where_cases_give_it_so(judge_of, make_source):
    names = ["Marie Curie", "Alan Turing", "Ada Lovelace", "Niels Bohr", "Emmy Noether", "Max Planck"]
    tasks = {f"t{n}": {"id": f"t{n}", "prompt": "Who?", "answer": name} for n, name in enumerate(names)}
    cases = [AuditCase(id=f"r{n}", task_id=f"t{n}", response=name, label="correct") for n, name in enumerate(names[:4])]
    cases += [AuditCase(id=f"w{n}", task_id=f"t{n}", response="nobody", label="incorrect") for n in range(4)]

    def exact(call):
        return {"correct": float(call.response == call.task["answer"])}

    def short(call):
        return {"correct": float(exact(call)["correct"] and call.task["id"] in ("t0", "t1", "t2", "t3"))}

    assert "oracle_text" not in failed(run(judge_of, make_source, exact, cases, tasks))
    assert run(judge_of, make_source, short, cases, tasks).probes["oracle_text"].failures == 2


def test_what_raises_is_told_apart_from_what_is_late(judge_of, make_source):
    def fragile(call):
        if call.response.count("[") > 1000:
            raise RecursionError("too deep")
        return sound(call)

    found = run(judge_of, make_source, fragile, numeric_suite(), TASKS).probes["fuzz_nesting"]
    assert 0 < found.raised == found.unscored
    assert found.failures == 0
