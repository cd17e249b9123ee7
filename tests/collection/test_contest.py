r"""lecture/math-answer on answers as competitions print them and models write them: 71 kinds that no set before has.

The generator (``strangers/contest``) was committed before its author had read a line of the verifier or asked it, and
its kinds were dealt into two sets by a digest of their names. First look of 4.1.6 at the third set: 21 of 352 wrong
answers accepted, 144 of 352 right ones rejected. 4.1.7 was corrected on that set and asked the fourth one once: 18 of 322 accepted, 48 of 326 rejected. 4.1.8 is
corrected on both.
"""

import pytest

from tests.collection.conftest import Judge
from tests.collection.strangers import contest, exercises, textbook


@pytest.mark.parametrize("name", contest.SETS)
def test_no_kind_is_in_a_set_before_and_none_has_only_one_label(name: str) -> None:
    assert not contest.SETS[name] & (set(exercises.KINDS) | set(textbook.KINDS))
    labels: dict[tuple[str, int], set[bool]] = {}
    for case in contest.cases(name):
        labels.setdefault((case["kind"], case["row"]), set()).add(case["is_right"])
    assert {kind for kind, _ in labels} == contest.SETS[name]
    assert all(found == {True, False} for found in labels.values()), labels


def test_the_two_sets_share_no_kind_and_are_large_enough() -> None:
    assert not contest.SETS["third"] & contest.SETS["fourth"]
    assert len(contest.SETS["third"]) == 44
    assert len(contest.SETS["fourth"]) == 27
    for name in contest.SETS:
        labels = [case["is_right"] for case in contest.cases(name)]
        assert min(labels.count(True), labels.count(False)) >= 300


def test_the_third_set_is_judged_as_its_labels_say(accepts: Judge) -> None:
    """Left: a sentence about both players, where the gold answer is one about the first."""
    wrong = [
        (case["kind"], case["text"])
        for case in contest.cases("third")
        if accepts(case["answer"], case["response"]) is not case["is_right"]
    ]
    assert all(kind == "winner_by_parity" and " and " in text for kind, text in wrong), wrong
    assert len(wrong) <= 2


def test_the_fourth_set_accepts_nothing_wrong_and_rejects_four_known_kinds(accepts: Judge) -> None:
    """Left: a series from its second term on, a line rearranged, integers but two in signs; a plane in a long answer."""
    wrong = [
        (case["kind"], case["is_right"])
        for case in contest.cases("fourth")
        if accepts(case["answer"], case["response"]) is not case["is_right"]
    ]
    assert all(is_right for _, is_right in wrong), wrong
    assert {kind for kind, _ in wrong} <= {"all_but", "power_series", "two_lines", "plane_by_normal"}
    assert len(wrong) <= 10


@pytest.mark.parametrize(
    ("gold", "right", "wrong"),
    [
        (r"P(A\mid B)=\frac{2}{9}", r"$\Pr(A|B)=\frac{4}{18}$", r"$P(B\mid A)=\frac{2}{9}$"),
        ("-6", r"$\begin{vmatrix}7&5\\4&2\end{vmatrix}=-6$", r"$\det A=6$"),
        (r"\nabla\cdot\mathbf{F}=8x+5y", "div F = 5y + 8x", r"$\nabla\times\mathbf{F}=8x+5y$"),
        (r"\text{increasing on } (3,\infty)", "f is increasing for x > 3", "f is decreasing for x > 3"),
        (r"\text{the fourth quadrant}", "Quadrant IV", "Quadrant I"),
        (r"\text{diverges}", "The series does not converge.", "The series converges."),
        (r"\text{maximum } 15 \text{ at } x=2", "The maximum value is 15 when x = 2", "The maximum value is 2 when x = 15"),
        (r"\text{False, False, True}", "F, F, T", "True, False, False"),
        ("BCD", "∴ B, C and D", "∴ B and D"),
        (r"\text{Anna: } 16, \text{ Ben: } 30", "Ben has 30 and Anna has 16", "Ben has 16 and Anna has 30"),
        (r"y=C_1e^{4x}+C_2e^{-7x}", "$y=Ae^{-7x}+Be^{4x}$", "$y=Ae^{-4x}+Be^{7x}$"),
        (r"\mathbb{Z}_2\times\mathbb{Z}_4", r"$\mathbb{Z}/4\mathbb{Z}\oplus\mathbb{Z}/2\mathbb{Z}$", r"$\mathbb{Z}_8$"),
        (r"\operatorname{span}\{(7,4,6)\}", r"$\operatorname{span}\{(14,8,12)\}$", r"$\operatorname{span}\{(7,4,5)\}$"),
        (r"\binom{9}{2,3,4}", r"$\frac{9!}{2!3!4!}$", r"$\binom{9}{2}\binom{9}{3}$"),
        (r"5\cdot(2n-1)!!", r"$\frac{5(2n)!}{2^n\,n!}$", r"$\frac{5(2n)!}{2^n}$"),
        (r"\frac{2}{5}\overrightarrow{AB}+\frac{3}{5}\overrightarrow{AC}", r"$\frac15(2\overrightarrow{AB}+3\overrightarrow{AC})$", r"$\frac{2}{5}\overrightarrow{BA}+\frac{3}{5}\overrightarrow{AC}$"),
        (r"4.5\text{ kWh}", "16.2 MJ", "4.5 MJ"),
        (r"\$4.25\text{ per kg}", "425 cents per kilogram", r"\$4.25 per gram"),
        (r"65\text{ people per km}^2", "65 inhabitants per square kilometre", "65 people per square meter"),
        ("6\\text{ ft }10\\text{ in}", "6'10\"", "10'6\""),
        ("x=6", "x = 6 (a double root)", "x = −6 (a double root)"),
        (r"|z-(6+4i)|=7", r"$|z-6-4i|=7$", r"$|z-6+4i|=7$"),
        (r"|E|\le\frac{1}{384}", r"$|E|\leq\frac{1}{384}$", r"$|E|=\frac{1}{384}$"),
        (r"\triangle ABC\sim\triangle DEF", r"$\triangle BCA\sim\triangle EFD$", r"$\triangle ABC\sim\triangle DFE$"),
        (r"\vec{r}\cdot(4,2,2)=8", "$4x+2y+2z=8$", r"$\vec{r}\times(4,2,2)=8$"),
        (r"3\text{ times}", "three times", "3%"),
        (r"b_n=\frac{6(-1)^{n+1}}{n}", r"$b_n=-\frac{6(-1)^n}{n}$", r"$b_n=-\frac{6}{n}$"),
        (r"P(X=0)=\frac14, P(X=1)=\frac34", r"$P(X=1)=\frac34, P(X=0)=\frac14$", r"$P(X=1)=\frac14, P(X=2)=\frac34$"),
        (r"6\text{ kg }350\text{ g}", "6.35 kg", "635 g"),
        (r"(9,\pm 7)", r"$x=9,\ y=\pm 7$", r"$x=\pm 9,\ y=7$"),
        ("f(1)=2, f(2)=9", "f(2) = 9, f(1) = 2", "f(2) = 2, f(3) = 9"),
    ],
)  # fmt: skip
def test_classes_of_error_of_the_first_look_are_read(accepts: Judge, gold: str, right: str, wrong: str) -> None:
    assert accepts(gold, right)
    assert not accepts(gold, wrong)
