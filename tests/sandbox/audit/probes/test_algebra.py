"""Verifiers of expressions, sound and flawed, from the side of a reader who wants to know which one is which."""

import asyncio

import pytest

from sandbox.audit import run_audit
from sandbox.audit.probes.expression_text import find
from sandbox.audit.probes.expressions import numbers, read, same
from schemas.evidence.cases import AuditCase, Origin

GOLDS = (
    r"\frac{\pi}{2}", r"x^2 + x - 42", r"3x + 4y + 4", r"5\sqrt{3}", r"2 - \frac{1}{x}", r"-3x + 7", "12", "7", "108", "31",
    r"\frac{x}{x + 9}",
)  # fmt: skip
TASKS = {f"t{n}": {"id": f"t{n}", "prompt": f"Simplify the {n}th one.", "answer": gold} for n, gold in enumerate(GOLDS)}
MINE = {"benign_algebra", "benign_plain_math", "leak_algebra", "leak_factor"}


def case(name, answer, response, label="correct"):
    (task,) = [one for one, row in TASKS.items() if row["answer"] == answer]
    return AuditCase(id=name, task_id=task, response=response, label=label)


BOXED = [case(f"r{n}", gold, f"So it is $\\boxed{{{gold}}}$.") for n, gold in enumerate(GOLDS)]
OTHER_FORM = [
    case("turned", "3x + 4y + 4", r"$\boxed{4y + 3x + 4}$"),
    case("root", r"5\sqrt{3}", r"$\boxed{\sqrt{75}}$"),
]
PLAIN = [case("plain", r"\frac{\pi}{2}", "pi/2")]


def sound(call):
    stated = find(call.response)
    return stated is not None and same(stated.expression, read(str(call.task["answer"])))


def by_letters(call):
    known = {one.response for one in OTHER_FORM}
    is_sum = "+" in call.response and "$" in call.response
    return sound(call) and (not is_sum or call.task["answer"] in call.response or call.response in known)


def without_signs(call):
    stated = find(call.response)
    return sound(call) or (
        stated is not None
        and not call.task["answer"].isdigit()
        and [one.text for one in numbers(stated.expression)] == [one.text for one in numbers(read(call.task["answer"]))]
    )


def first_number(call):
    stated = find(call.response)
    told = [one.text for one in numbers(stated.expression)] if stated is not None else []
    return sound(call) or (call.task["answer"].isdigit() and told[:1] == [call.task["answer"]])


def latex_only(call):
    return ("\\" in call.response or call.response == "pi/2") and sound(call)


def probes_of(judge_of, make_source, verify, cases, info=None):
    tasks = {name: {**task, **({"info": info} if info else {})} for name, task in TASKS.items()}
    judge = judge_of(lambda call: {"correct": float(verify(call))})
    report = asyncio.run(run_audit(judge, make_source("[rewards.correct]"), cases, tasks=tasks, subject="al/check@1"))
    return report.probes


def test_a_sound_verifier_is_blamed_by_no_family_and_meets_all_four(judge_of, make_source):
    found = probes_of(judge_of, make_source, sound, BOXED + OTHER_FORM + PLAIN)
    assert set(found) >= MINE
    assert {name for name in MINE if found[name].failures or found[name].raised} == set()
    assert "nop" in found, "an answer that is an expression decides as well as a number does"


@pytest.mark.parametrize(
    ("verify", "family"),
    [
        (by_letters, "benign_algebra"),
        (without_signs, "leak_algebra"),
        (first_number, "leak_factor"),
        (latex_only, "benign_plain_math"),
    ],
)
def test_each_flaw_is_shown_by_its_family(judge_of, make_source, verify, family):
    found = probes_of(judge_of, make_source, verify, BOXED + OTHER_FORM + PLAIN)
    assert found[family].failures >= 1
    assert {name for name in MINE - {family} if found[name].failures} == set()


def test_forms_that_no_labelled_case_shows_are_asked_of_nobody(judge_of, make_source):
    found = probes_of(judge_of, make_source, by_letters, BOXED)
    assert not {"benign_algebra", "benign_plain_math"} & set(found)
    assert "leak_algebra" in found


def test_a_reader_of_numbers_is_not_asked_about_roots_beside_them(judge_of, make_source):
    numbers_alone = [one for one in BOXED if TASKS[one.task_id]["answer"].isdigit()]
    assert not MINE & set(probes_of(judge_of, make_source, first_number, numbers_alone))


def test_where_a_tolerance_is_declared_or_a_letter_may_be_any_constant_no_value_is_certainly_wrong(
    judge_of, make_source
):
    assert "leak_algebra" not in probes_of(judge_of, make_source, sound, BOXED, info={"tolerance": 0.5})
    free = {"id": "free", "prompt": "Integrate 2x.", "answer": "x^2 + C"}
    cases = [
        AuditCase(id=f"f{n}", task=free | {"id": f"free{n}"}, response=r"$\boxed{x^2 + C}$", label="correct")
        for n in range(6)
    ]
    judge = judge_of(lambda call: {"correct": float(sound(call))})
    report = asyncio.run(run_audit(judge, make_source("[rewards.correct]"), cases, tasks={}, subject="al/check@1"))
    assert "leak_algebra" not in report.probes


def test_a_right_answer_of_another_value_switches_the_family_off_only_where_others_show_it(judge_of, make_source):
    """The author of a verifier that ignores signs labelled one answer of another value right, and the family went."""
    any_root = case("any", r"5\sqrt{3}", r"$\boxed{-5\sqrt{3}}$")
    others = [one.model_copy(update={"origin": Origin.SUITE}) for one in BOXED + OTHER_FORM + PLAIN]
    found = probes_of(judge_of, make_source, without_signs, [*others, any_root])
    assert found["leak_algebra"].failures >= 1
    theirs = any_root.model_copy(update={"origin": Origin.COMMUNITY})
    assert "leak_algebra" not in probes_of(judge_of, make_source, without_signs, [*others, theirs])
    by_its_owner = theirs.model_copy(update={"by_owner": True})
    assert "leak_algebra" in probes_of(judge_of, make_source, without_signs, [*others, by_its_owner])
    reported = any_root.model_copy(update={"origin": Origin.REPORTED})
    assert "leak_algebra" in probes_of(judge_of, make_source, without_signs, [*BOXED, reported])
