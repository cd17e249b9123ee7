"""lecture/math-answer: what it accepts and refuses, that nothing makes it hang, and that nothing is run."""

import importlib
import importlib.util
import json
import random
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

PROJECT = Path(__file__).parents[2] / "collection" / "math-answer"
Judge = Callable[..., bool]


def load(path: Path) -> ModuleType:
    """A module by its file, with its folder importable meanwhile; another project may have one of that name."""
    spec = importlib.util.spec_from_file_location(f"math_answer_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(path.parent))
    return module


@pytest.fixture(scope="module")
def accepts() -> Judge:
    """gold, response -> the verdict of the package's own verify."""
    sys.path.insert(0, str(PROJECT / "src"))
    try:
        verify = importlib.import_module("lecture_math_answer").verify
    finally:
        sys.path.remove(str(PROJECT / "src"))

    def judge(gold: str, response: str, **task: object) -> bool:
        rewards = verify({"answer": gold, **task}, response)
        assert set(rewards) == {"correct"}
        assert rewards["correct"] in (0.0, 1.0)
        return rewards["correct"] == 1.0

    return judge


def rows(name: str) -> list[dict]:
    with (PROJECT / "src" / "lecture_math_answer" / name).open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def wrong_verdicts(accepts: Judge, cases: list[dict]) -> tuple[list[str], list[str]]:
    """(accepted though incorrect, rejected though correct)."""
    found: dict[bool, list[str]] = {True: [], False: []}
    for case in cases:
        task = case["task"]
        verdict = accepts(task["answer"], case["response"], prompt=task["prompt"], info=task.get("info"))
        if verdict != (case["label"] == "correct"):
            found[verdict].append(case["id"])
    return found[True], found[False]


def test_every_constructed_case_is_judged_as_labelled(accepts):
    assert wrong_verdicts(accepts, rows("audit.jsonl")) == ([], [])


def test_no_wrong_answer_of_hardverify_is_accepted_and_most_right_ones_are(accepts):
    accepted, rejected = wrong_verdicts(accepts, rows("audit_hardverify.jsonl"))
    assert accepted == []
    assert len(rejected) <= 13  # of 138: math-verify rejects 53


def test_math_verifys_own_pairs_are_judged_as_its_authors_do_but_for_one(accepts):
    accepted, rejected = wrong_verdicts(accepts, rows("audit_math_verify.jsonl"))
    assert accepted == ["math-verify-12"]  # "Answer \( 9 \)" for 9, which its default settings do not find
    assert rejected == []


def test_every_generated_family_of_notation_is_judged_as_arithmetic_says(accepts):
    families = load(PROJECT / "make_cases.py").family_cases(draws=1)
    accepted, rejected = wrong_verdicts(accepts, list(families))
    assert accepted == []
    # Two classes of the last round are not read: measures without a relation sign, roots as an exponential over k = 0, 1, 2.
    assert [name for name in rejected if not name.startswith(("measured-things", "roots-of-unity"))] == []


def test_random_expressions_are_judged_as_sympys_values_say(capsys, monkeypatch):
    pytest.importorskip("sympy")
    monkeypatch.setattr(sys, "argv", ["audit_math_fuzz", "--count", "12", "--seed", "5"])
    load(PROJECT.parents[1] / "scripts" / "audit_math_fuzz.py").main()
    found = json.loads(capsys.readouterr().out)
    assert found["right"] > 30
    assert found["wrong"] > 20
    assert not {"math-answer rejects right", "math-answer accepts wrong"} & set(found)


def test_an_interval_of_a_root_and_a_whole_number_is_compared_and_does_not_crash(accepts):
    assert accepts("(-\\sqrt{2}, 3]", "-\\sqrt{2} < x \\le 3")
    assert not accepts("(-\\sqrt{2}, 3]", "-\\sqrt{2} < x < 3")


@pytest.mark.parametrize(
    ("gold", "response"),
    [("\\overline{abc}=198", "198"), ("A\\cap B=\\{1\\}", "\\{1\\}"), ("\\|v\\|=\\sqrt5", "\\sqrt{5}"), ("\\sum_{i=1}^{n} i", "\\sum_{k=1}^{n} k"),
     ("6.01", "6\\frac{1}{64}"), ("The value triples", "The value is multiplied by 3"), ("a=b=c=1", "(1,1,1)"), ("x_{1}=2, x_{2}=-3", "x=-3 \\text{ or } x=2")],
)  # fmt: skip
def test_names_and_turns_of_phrase_do_not_hide_an_answer(accepts, gold, response):
    assert accepts(gold, response)


@pytest.mark.parametrize(
    ("gold", "response"),
    [("|x-11|", "11-x"), ("|x-11|", "\\sqrt{x-11}"), ("\\pi r^2", "\\pi s^2"), ("12", "1 2"), ("x \\in [0,1]", "y \\in [0,1]"), ("[-9,-6]", "-9, -6"), ("-6+3i, -6-3i", "-6+3i"), ("-\\infty", "0"), ("-\\infty", "10^{100}"), ("4\\%", "\\frac{31}{7}"), ("The value triples", "The value increases by 3"), ("a=b=c=1", "a=1"), ("6.00", "6\\frac{1}{64}")],
)  # fmt: skip
def test_what_agrees_at_some_points_only_is_another_answer(accepts, gold, response):
    assert not accepts(gold, response)


@pytest.mark.parametrize(
    "response",
    ["4 or 7", "The answer is 4 or 7", "\\boxed{4} or \\boxed{7}", "4, 7", "1 2 3 4", "It is not 4.", "4 is wrong", "4 = 7", "between 3 and 4"],
)  # fmt: skip
def test_a_response_that_does_not_commit_is_refused(accepts, response):
    assert not accepts("4", response)


@pytest.mark.parametrize(
    "form", ["{}", "The answer is {}.", "Let me see.\n#### {}", "**Answer:** {}", "Thus \\boxed{{{}}}."]
)
def test_every_gold_answer_is_accepted_as_itself(accepts, form):
    golds = {case["task"]["answer"] for case in rows("audit.jsonl")}
    assert [gold for gold in sorted(golds) if not accepts(gold, form.format(gold))] == []


def test_the_last_statement_counts_and_thoughts_do_not(accepts):
    assert accepts("7", "<think>\\boxed{8}</think> So the answer is \\boxed{7}.")
    assert not accepts("8", "<think>\\boxed{8}</think> So the answer is \\boxed{7}.")
    assert accepts("9", "First I got \\boxed{8}. That was wrong, so \\boxed{9}")


@pytest.mark.parametrize(
    "response",
    ["\\boxed{\\textbf{(C) } 5}", "This gives us 5.", "There are $5$ such integers: $1,2,3,4,6$.", "~~4~~ 5", "I get 5 as the answer.", "Answer: 5 (we verify that 5 - 2 = 3)",
     "The answer is 4. Wait, I forgot one. The answer is 5.", "La respuesta es 5.", "答案是5。", "Die Antwort ist 5, nicht 4.", '{"guess": 4, "answer": "5"}', "It must be 5, since 4 is too small."],
)  # fmt: skip
def test_the_answer_is_found_where_people_put_it(accepts, response):
    assert accepts("5", response)
    assert not accepts("4", response)


def test_an_exercise_handed_back_unworked_is_refused(accepts):
    prompt = "Compute $17 \\times 23$."
    assert not accepts("391", "\\boxed{17 \\times 23}", prompt=prompt)
    assert accepts("391", "17 \\times 23 = 391", prompt=prompt)
    assert accepts("391", "\\boxed{17 \\times 23}", prompt="How many seats are there?")


def test_names_of_symbols_matter_unless_the_task_says_otherwise(accepts):
    assert not accepts("x+1", "y+1")
    assert accepts("x+1", "y+1", info={"strict": False})
    assert not accepts("x+1", "y+2", info={"strict": False})


@pytest.mark.parametrize(
    ("gold", "right", "wrong"),
    [
        (-25, ["-25%", "−25 %", "The price falls: -25%."], ["25%", "-0.25%", "-2.5%"]),
        ("-25%", ["-25", "-0.25", "-25 percent", r"-\frac{1}{4}"], ["25", "0.25", "-2.5", "-25 dollars"]),
        (-11, ["-11 degrees", "The temperature is -11 degrees.", r"-11^\circ"], ["11 degrees", "-12 degrees"]),
        (r"-30^\circ", ["-30", "-30°", r"-\frac{\pi}{6}"], [r"30^\circ", "-30 radians"]),
    ],
)
def test_a_sign_before_per_cent_or_degrees_is_one_of_the_number(accepts, gold, right, wrong):
    """Seen by a suite of a stranger: of -25 % the sign was read as one of the whole, and compared with no number."""
    assert [text for text in right if not accepts(gold, text)] == []
    assert [text for text in wrong if accepts(gold, text)] == []


@pytest.mark.parametrize("form", ["{}%", r"{} \%", "{} percent", r"{}^\circ", "{}°", "{} degrees"])
def test_signed_shares_and_angles_are_equal_as_their_numbers_are(accepts, form):
    draw = random.Random(form)
    for _ in range(20):
        number = draw.choice([draw.randint(1, 180), round(draw.uniform(1, 99), draw.randint(1, 2))])
        sign, other = draw.sample(["", draw.choice(["-", "−"])], 2)
        gold = f"{'-' if sign else ''}{number}"
        marked = form.format(f"{sign}{number}")
        assert accepts(gold, marked), (gold, marked)
        assert accepts(marked.replace("−", "-"), gold), (marked, gold)
        for wrong in (form.format(f"{other}{number}"), form.format(f"{sign}{round(number + draw.choice([1, 10]), 2)}")):
            assert not accepts(gold, wrong), (gold, wrong)


def test_rounding_is_judged_by_digits(accepts):
    assert accepts("\\sqrt{2}", "1.4142")
    assert not accepts("\\sqrt{2}", "1.4143")
    assert not accepts("\\sqrt{2}", "1.4")
    assert accepts("6.67\\%", "\\frac{1}{15}")
    assert not accepts("5", "5.0001")


@pytest.mark.parametrize(
    "response",
    ["5^5^5^5^5", "9^{9^{9^9}}", "(((9!)!)!)!", "10^{10^{10}}", "\\binom{10^9}{5\\cdot 10^8}", "\\sin(10^{10^5})", "(" * 5000 + "1" + ")" * 5000,
     "\\frac{" * 2000, "9" * 50_000, "0." + "3" * 50_000, "1e999999999", "1," * 20_000, "\\boxed{" * 3000, "<answer>" * 4000, "answer is " * 3000,
     "P(" * 300 + "x" + ")" * 300, "(" + ",".join(["\\pm 1"] * 40) + ")", "\n" * 30_000, "x^{1000000}",
     "one " * 8000, "]" * 9000, "{a \\over " * 3000, "\\begin{aligned}" * 2000, "\\sum_{k=1}^{1999}" * 300, "\\prod_{k=1}^{1999}k^k", "wait " * 6000, "[1,2[" * 3000,
     "(1,2) and permutations " * 2000, "0." + "12" * 1000 + "\\ldots", "a=b=" * 800 + "1", "remainder " * 3000, "\x00\ud800"],
)  # fmt: skip
def test_no_response_costs_much(accepts, response):
    started = time.thread_time()
    assert not accepts("42", response)
    assert time.thread_time() - started < 10


def test_powers_too_large_to_work_out_still_equal_themselves(accepts):
    assert accepts("5^{5^{5^{5^5}}}", "5^5^5^5^5")
    assert not accepts("5^{5^{5^{5^5}}}", "5^5^5^5^6")


@pytest.mark.parametrize(
    "text",
    ["__import__('os').system('true')", "chr(52)+chr(50)", "int('2a', 16)", "sum([40, 2])", "(lambda: 40 + 2)()"],
)
def test_code_is_text(accepts, text):
    assert not accepts("42", text)
    assert accepts(text, text)


def test_verdicts_are_the_same_in_another_thread(accepts):
    found: list[bool] = []
    thread = threading.Thread(target=lambda: found.extend([accepts("1/2", "0.5"), accepts("1/2", "0.51")]))
    thread.start()
    thread.join()
    assert found == [True, False]


@pytest.mark.parametrize("gold", ["", "  ", None])
def test_a_task_without_answer_is_the_packages_fault_and_not_a_wrong_answer(accepts, gold):
    with pytest.raises(ValueError, match="no answer"):
        accepts(gold, "42")


def test_the_cases_are_what_their_maker_writes():
    make_cases = load(PROJECT / "make_cases.py")
    assert list(make_cases.own_cases()) == rows("audit.jsonl")


@pytest.mark.parametrize(
    ("gold", "response"),
    [
        ("ACB", "BCA"),
        ("ACB", "ABC, ACB, BAC, BCA, CAB, CBA"),
        (r"\emptyset", r"\boxed{}"),
        ("no solution", r"\boxed{ }"),
        ("none", r"\boxed{\text{ }}"),
        ("Monday", "Monday Tuesday Wednesday"),
        ("odd", "odd even"),
        ("red", "red green blue"),
        ("Monday", "Monday is wrong"),
        ("no", "no idea"),
        ("no", "No, wait: yes"),
        ("decreased by 4 %", r"+4\%"),
        ("It decreases by 3", "3 more"),
        ("5", r"\boxed{5} is wrong"),
        ("5", r"not \boxed{5}"),
        ("5", r"\boxed{\text{not } 5}"),
        ("5", r"\boxed{5}, but it could be 6"),
        ("5", "6 versus 5"),
        ("5", "6, alternatively 5"),
        ("5", "five squared"),
        ("5", "5 factorial"),
    ],
)
def test_one_text_for_many_golds_and_what_is_taken_back_are_refused(accepts: Judge, gold: str, response: str) -> None:
    assert not accepts(gold, response)


@pytest.mark.parametrize("response", ["2" + "^2" * 500, "(" * 3000, "\\frac{" * 3000, "-" * 5000, "\\sqrt" * 3000])
def test_an_answer_nested_too_deep_is_wrong_and_never_unjudged(accepts: Judge, response: str) -> None:
    assert not accepts("5", response)


@pytest.mark.parametrize(
    ("gold", "response"),
    [
        ("ACB", "The order is ACB."),
        ("Yes", "Yes, there is no counterexample"),
        ("no", "not possible"),
        (r"\frac34", r"\nicefrac{3}{4}"),
        (r"\frac34", r"\sfrac{3}{4}"),
    ],
)
def test_right_answers_near_to_those_are_accepted(accepts: Judge, gold: str, response: str) -> None:
    assert accepts(gold, response)


def test_seven_classes_of_answer_on_which_rules_fail(accepts: Judge) -> None:
    """Before they were fixed 4 in 10 of these right answers were rejected; two still are."""
    cases = rows("audit_classes.jsonl")
    wrongly_accepted, wrongly_rejected = wrong_verdicts(accepts, cases)
    assert wrongly_accepted == []
    known = {("(a) 10 (b) 20", "a: 10, b: 20"), ("r(r-s)", "r^2-rs")}
    by_id = {case["id"]: (case["task"]["answer"], case["response"]) for case in cases}
    assert {by_id[name] for name in wrongly_rejected} == known


def test_its_own_metamorphic_pairs_are_kept(accepts: Judge) -> None:
    broken, firsts = [], set()
    for row in rows("pairs.jsonl"):
        before, after = (accepts(row["task"]["answer"], row[side]["response"]) for side in ("before", "after"))
        firsts.add((row["rewriting"], before))
        if (before == after) != (row["relation"] == "same"):
            broken.append((row["rewriting"], row["before"], row["after"]))
    assert broken == []
    assert {("dfrac", True), ("dfrac", False), ("thousands", True), ("thousands", False)} <= firsts


@pytest.mark.parametrize("zeros", [307, 400, 4000])
@pytest.mark.parametrize("sign", ["‰", "\\permil", " basis points", " per mille"])
def test_a_share_that_no_float_holds_is_wrong_and_never_unjudged(accepts: Judge, zeros: int, sign: str) -> None:
    assert not accepts("5", "4" * zeros + sign)
    assert not accepts("5%", f"\\boxed{{{'4' * zeros}{sign}}}")


@pytest.mark.parametrize("gold", ["5", "x+5"])
@pytest.mark.parametrize("term", [r"\binom{1000000}{2000}", r"\binom{-1000000}{2000}", r"\binom{100000}{2000}"])
def test_no_binomial_coefficient_costs_seconds(accepts: Judge, gold: str, term: str) -> None:
    """A hundred of these beside a symbol took 23 s, and a call that takes five is not judged."""
    began = time.thread_time()
    assert not accepts(gold, "\\boxed{" + "+".join([gold, *[term] * 100]) + "}")
    assert time.thread_time() - began < 2


def test_binomial_coefficients_are_exact(accepts: Judge) -> None:
    assert accepts(r"\binom{2020}{1010}", r"\frac{2020!}{1010!1010!}")
    assert not accepts(r"\binom{2020}{1010}", r"\frac{2020!}{1010!1010!}+1")
    assert accepts("-20", r"\binom{-4}{3}")
    assert accepts("0", r"\binom{4}{5}")


@pytest.mark.parametrize(
    "text",
    [
        "all " * 2000 + "x",
        "the set of " * 700,
        "a 1, " * 1500,
        "x is " * 1500 + "2",
        "{" * 3000,
        "\\left(" * 800 + "\\right",
        "1,2; " * 900,
        "one half of one " * 500,
        "between 1 and " * 600 + "2",
    ],
)
def test_no_text_makes_the_readers_of_words_and_lists_slow(accepts: Judge, text: str) -> None:
    began = time.thread_time()
    accepts(text, "3")
    accepts("3", text)
    assert time.thread_time() - began < 5.0


@pytest.mark.parametrize(
    "response",
    ["≠ 42", "¬42", "42 ❌", "not quite 42", "I doubt that it is 42.", "42? No.", "$\\neq 42$", "\\boxed{\\neq 42}", "\\boxed{42} ❌",
     "Answer: not quite 42", "\\lnot 42", "I don't think it's 42", "!= 42", "$\\not= 42$", "42 ✗."],
)  # fmt: skip
def test_a_value_that_is_denied_by_a_mark_or_in_doubt_is_no_answer(accepts: Judge, response: str) -> None:
    assert not accepts("42", response)


@pytest.mark.parametrize(
    ("gold", "response"),
    [("42", "42 ✓"), ("42", "Is it 42? Yes, 42."), ("42", "It is not 41 but 42."), ("x \\ne 3", "x is not 3"),
     ("x \\neq 42", "x \\neq 42"), ("(3,\\infty)", "all x greater than 3"), ("42", "No doubt: 42"), ("5!", "5!")],
)  # fmt: skip
def test_what_only_looks_like_a_denial_is_an_answer(accepts: Judge, gold: str, response: str) -> None:
    assert accepts(gold, response)


@pytest.mark.parametrize(
    "flood",
    [
        "42" + " " * 20_000 + "x",
        "42" + "\n " * 10_000 + "x",
        "42 base" + "\t" * 20_000 + "1",
        "42 (" + " " * 20_000 + "43",
    ],
)
def test_a_gap_of_any_length_costs_nothing(accepts: Judge, flood: str) -> None:
    """2,000 spaces behind a number cost 31 s: a policy could have its wrong answers time out instead of judged."""
    began = time.thread_time()
    accepts("42", flood)
    assert time.thread_time() - began < 1


@pytest.mark.parametrize(
    ("gold", "end"),
    [("37 : 18", "37 : 18"), ("x = -5, y = 3", "x = -5, y = 3"), ("800000", "8e5"), ("(2,5)", "(2, 5)"), ("1, 2, 3", "1, 2, 3")],
)  # fmt: skip
@pytest.mark.parametrize("lead", ["So after simplifying we obtain", "Both agree.", "Final result:"])
def test_a_bold_formula_alone_on_the_last_line_is_the_answer(accepts: Judge, gold: str, end: str, lead: str) -> None:
    """30 of 300 fresh right answers ended so and were refused: the line was read with the sentence before it."""
    assert accepts(gold, f"We start from the left side.\n{lead}\n\n**{end}**")
    assert not accepts(gold, f"We start from the left side.\n{lead}\n\n**{end.replace('5', '6').replace('8', '9').replace('2', '7')}**")  # fmt: skip


@pytest.mark.parametrize(
    "text",
    ["It is not\n\n**(2, 5)**", "Could it be?\n\n**(2, 5)**", "Assume it were\n\n**(2, 5)**", "The wrong value:\n\n**(2, 5)**",
     "It is more than\n\n**(2, 5)**", "We get\n\n**(2, 5) or (5, 2)**", "We get\n\n**(2, 5)**\n\nNo, that is wrong."],
)  # fmt: skip
def test_a_bold_last_line_that_is_led_away_from_is_no_answer(accepts: Judge, text: str) -> None:
    assert not accepts("(2,5)", text)
