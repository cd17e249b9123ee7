"""Cases through a sandbox: order, repeats, held cases apart, the audit's time, late ones again."""

import asyncio
from typing import Any

import pytest

from sandbox.audit.judge import MOST_LATE_AGAIN, CaseRun
from schemas.evidence.cases import AuditCase
from schemas.manifest import Isolation
from schemas.verdict import ErrorKind, Verdict
from tests.sandbox.clocks import run_without_waiting

TASKS: dict[str, dict[str, Any]] = {f"t{n}": {"id": f"t{n}", "prompt": "?", "answer": str(n)} for n in range(40)}


def case(number: int, task_id: str | None = None, **more: Any) -> AuditCase:
    response = str(number)
    return AuditCase(id=f"c{number}", task_id=task_id or f"t{number}", response=response, label="correct", **more)


def equal(call: Any) -> dict[str, float]:
    return {"correct": float(call.response == call.task["answer"])}


def rewards(judgements: Any) -> list[Any]:
    return [one.verdict and one.verdict.rewards["correct"] for one in judgements]


class Late:
    """A verifier whose first ``count`` calls run into their limit."""

    def __init__(self, count: int) -> None:
        self.left = count

    def __call__(self, call: Any) -> dict[str, float]:
        self.left -= 1
        if self.left >= 0:
            raise TimeoutError
        return equal(call)


def test_judgements_come_in_the_order_of_the_cases_and_a_case_without_its_task_has_none(judge_of, make_source) -> None:
    told: list[tuple[int, int]] = []
    run = CaseRun(judge_of(equal), make_source(), progress=lambda *both: told.append(both))
    cases = [case(1), case(2, "t3"), case(3, "nowhere"), case(4)]
    judgements, flips = asyncio.run(run.judge(cases, TASKS, repeats=2))
    assert [one.case.id for one in judgements] == ["c1", "c2", "c3", "c4"]
    assert rewards(judgements) == [1.0, 0.0, None, 1.0]
    assert (judgements[2].task, judgements[2].verdict) == (None, None)
    assert flips == 0
    assert told == [(done, 6) for done in range(1, 7)]
    assert len(run.milliseconds) == 6


def test_a_case_that_changes_its_vector_is_a_flip_and_a_fault_of_the_host_is_none(judge_of, make_source) -> None:
    seen: dict[str, int] = {}

    def verify(call: Any) -> dict[str, float]:
        seen[call.response] = seen.get(call.response, 0) + 1
        return {"correct": float(call.response != "2" or seen["2"] == 3)}

    class Faulty(judge_of):  # type: ignore[misc, valid-type]
        def _verdict(self, source: Any, call: Any) -> Verdict:
            if call.id == "0/1":
                return Verdict.unjudged(["correct"], ErrorKind.HOST, "lost")
            return super()._verdict(source, call)

    judgements, flips = asyncio.run(CaseRun(Faulty(verify), make_source()).judge([case(1), case(2)], TASKS, 3))
    assert flips == 1
    assert rewards(judgements) == [1.0, 0.0], "the first of the repeats counts"


def test_each_repeat_runs_in_boxes_with_another_hash_seed_and_the_first_elsewhere(judge_of, make_source) -> None:
    class Seeds(judge_of):  # type: ignore[misc, valid-type]
        def _verdict(self, source: Any, call: Any) -> Verdict:
            seeds.add((call.id.partition("/")[2], source.hash_seed, source.is_elsewhere))
            return super()._verdict(source, call)

    seeds: set[tuple[str, int, bool]] = set()
    asyncio.run(CaseRun(Seeds(equal), make_source()).judge([case(1), case(2, origin="held")], TASKS, 3))
    assert seeds == {("0", 0, True), ("1", 1, False), ("2", 2, False)}


@pytest.mark.parametrize(
    ("wanted", "held"), [(None, Isolation.CALL), (Isolation.BATCH, Isolation.CALL), (Isolation.BOX, Isolation.BOX)]
)
def test_held_cases_share_no_process_with_those_that_are_shown(judge_of, make_source, wanted, held) -> None:
    judge = judge_of(equal)
    cases = [case(1), case(2, origin="held"), case(3)]
    asyncio.run(CaseRun(judge, make_source(), wanted).judge(cases, TASKS))
    assert judge.isolations == [wanted, held]
    assert [call.response for call in judge.calls] == ["3", "1", "2"]


def test_what_is_not_judged_when_the_time_is_used_up_says_so(judge_of, make_source) -> None:
    class Slow(judge_of):  # type: ignore[misc, valid-type]
        async def judge(self, *arguments: Any, **named: Any) -> Any:
            async for one in super().judge(*arguments, **named):
                yield one
                await asyncio.sleep(10)

    async def work() -> None:
        run = CaseRun(Slow(equal), make_source(), ends_at=asyncio.get_running_loop().time() + 15)
        judgements, _ = await run.judge([case(n) for n in range(3)], TASKS)
        assert run.is_cut
        assert (run.done, run.total) == (2, 3)
        first, *others = judgements
        assert [one.verdict.rewards for one in others if one.verdict] == [{"correct": 1.0}] * 2
        assert first.verdict is not None
        assert first.verdict.error is not None
        assert (first.verdict.rewards, first.verdict.error.kind) == ({"correct": None}, ErrorKind.TIMEOUT)
        assert "time was used up" in first.verdict.error.message
        assert run.done == 2, "there is no time to try again"

    run_without_waiting(work())


def test_a_timeout_that_is_not_the_audits_is_an_error(judge_of, make_source) -> None:
    class Broken(judge_of):  # type: ignore[misc, valid-type]
        async def judge(self, *_: Any, **__: Any) -> Any:
            raise TimeoutError("of the engine")
            yield

    run = CaseRun(Broken(equal), make_source())
    with pytest.raises(TimeoutError, match="engine"):
        asyncio.run(run.judge([case(1)], TASKS))
    assert not run.is_cut


@pytest.mark.parametrize("late", [3, 40])
def test_cases_that_a_busy_machine_made_late_are_judged_again_one_at_a_time(judge_of, make_source, late: int) -> None:
    async def work() -> None:
        judge = judge_of(Late(late))
        run = CaseRun(judge, make_source())
        judgements, flips = await run.judge([case(n) for n in range(40)], TASKS)
        assert rewards(judgements) == [1.0] * 40
        assert flips == 0
        assert len(judge.calls) == run.done == run.total == 40 + late
        assert len(judge.isolations) == 1 + late, "each in a stream of its own"
        assert len(run.milliseconds) == 40

    asyncio.run(work())


def test_the_timeouts_of_a_slow_verifier_are_believed_after_a_few(judge_of, make_source) -> None:
    async def work() -> None:
        judge = judge_of(Late(1000))
        run = CaseRun(judge, make_source())
        judgements, _ = await run.judge([case(n) for n in range(40)], TASKS)
        assert rewards(judgements) == [None] * 40
        assert len(judge.calls) == 40 + MOST_LATE_AGAIN
        drawn = [call.task["id"] for call in judge.calls[40:]]
        assert len({task[1] for task in drawn if len(task) == 3}) > 1, "not the first of the cases"
        await run.judge([case(1)], TASKS)
        assert len(judge.calls) == 40 + MOST_LATE_AGAIN + 1, "what was found holds for the whole audit"

    asyncio.run(work())


def test_a_verifier_that_is_slow_on_some_tasks_keeps_the_verdicts_of_the_others(judge_of, make_source) -> None:
    seen: set[str] = set()

    def verify(call: Any) -> dict[str, float]:
        number = int(call.response)
        if number % 4 == 0 or (number not in seen and not seen.add(number)):
            raise TimeoutError
        return equal(call)

    judgements, _ = asyncio.run(CaseRun(judge_of(verify), make_source()).judge([case(n) for n in range(40)], TASKS))
    assert rewards(judgements) == [None if n % 4 == 0 else 1.0 for n in range(40)]


def test_a_verdict_that_comes_late_and_differs_is_a_flip(judge_of, make_source) -> None:
    calls: list[str] = []

    def verify(call: Any) -> dict[str, float]:
        calls.append(call.response)
        if len(calls) == 1:
            raise TimeoutError
        return {"correct": float(len(calls) != 3)}

    judgements, flips = asyncio.run(CaseRun(judge_of(verify), make_source()).judge([case(1)], TASKS, repeats=2))
    assert flips == 1
    assert judgements[0].is_unsteady


def test_a_held_case_that_was_late_is_held_again(judge_of, make_source) -> None:
    judge = judge_of(Late(1))
    judgements, _ = asyncio.run(CaseRun(judge, make_source()).judge([case(1, origin="held")], TASKS))
    assert rewards(judgements) == [1.0]
    assert judge.isolations == [Isolation.CALL] * 2


def test_repeats_run_in_another_order_and_a_fork_a_call(judge_of, make_source) -> None:
    judge = judge_of(equal)
    asyncio.run(CaseRun(judge, make_source()).judge([case(n) for n in range(20)], TASKS, repeats=2))
    assert judge.isolations == [None, Isolation.CALL]
    first, second = [one.response for one in judge.calls[:20]], [one.response for one in judge.calls[20:]]
    assert sorted(first) == sorted(second)
    assert first != second


def test_a_verifier_that_goes_by_the_place_of_a_call_flips(judge_of, make_source) -> None:
    calls: list[str] = []

    def by_place(call: Any) -> dict[str, float]:
        calls.append(call.response)
        return {"correct": float(len(calls) % 20 < 10)}

    _, flips = asyncio.run(CaseRun(judge_of(by_place), make_source()).judge([case(n) for n in range(20)], TASKS, 2))
    assert flips > 0


def test_another_order_gives_the_same_judgements_in_the_same_places(judge_of, make_source) -> None:
    cases = [case(n, f"t{n % 7}") for n in range(30)]
    found = [
        asyncio.run(CaseRun(judge_of(equal), make_source(), order=order).judge(cases, TASKS))[0]
        for order in (None, "one", "two")
    ]
    assert rewards(found[0]) == rewards(found[1]) == rewards(found[2])
    assert [one.case.id for one in found[1]] == [one.id for one in cases]


def test_a_repeat_that_a_busy_machine_made_late_is_no_flip(judge_of, make_source) -> None:
    judgements, flips = asyncio.run(CaseRun(judge_of(Late(3)), make_source()).judge([case(1), case(2)], TASKS, 3))
    assert len(judgements) == 2
    assert flips == 0
