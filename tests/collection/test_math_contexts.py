"""lecture/math-answer works with one context of mpmath a thread, and leaves nothing in it for the next answer."""

import importlib
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from mpmath.ctx_mp import MPContext

from tests.collection.conftest import Judge

ROOT_OF_TWO = "1.4142135623730950488016887242096980785696718753769"


def test_a_second_answer_makes_no_context_of_its_own(accepts: Judge, monkeypatch) -> None:
    made = []
    first = MPContext.__init__
    monkeypatch.setattr(MPContext, "__init__", lambda self: made.append(self) or first(self))
    assert accepts(r"\sqrt{2}", r"2/\sqrt{2}")
    before = len(made)
    assert accepts(r"\sqrt{3}", r"3/\sqrt{3}")
    assert not accepts(r"\sqrt{3}", r"4/\sqrt{3}")
    assert len(made) == before <= 2  # one of the thread, one that holds what numbers are compared by


def test_what_one_answer_leaves_in_the_context_does_not_reach_the_next(accepts: Judge) -> None:
    module = importlib.import_module("lecture_math_answer.evaluate")
    module.Evaluator().context.dps = 3
    assert accepts(r"\sqrt{2}", ROOT_OF_TWO)
    assert not accepts(r"\sqrt{2} + 10^{-20}", r"\sqrt{2}")


def test_threads_judge_beside_each_other(accepts: Judge) -> None:
    start = Barrier(4)

    def judge(number: int) -> bool:
        start.wait()
        return all(
            accepts(rf"\sqrt{{{n}}}", rf"{n}/\sqrt{{{n}}}") and not accepts(rf"\sqrt{{{n}}}", rf"{n + 1}/\sqrt{{{n}}}")
            for n in range(2 + number, 40, 4)
        )

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(judge, range(4)))
