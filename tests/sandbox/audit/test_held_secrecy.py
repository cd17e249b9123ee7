"""What a verifier that has read held cases can carry out of an audit: nothing that its author could read."""

import asyncio
from collections.abc import AsyncIterator, Iterable

from sandbox.audit import run_audit
from sandbox.interface import Call, Source
from schemas.evidence.cases import AuditCase, Origin
from schemas.manifest import Isolation
from tests.sandbox.audit.conftest import FunctionJudge, Judged, source_of

SECRET = "the held answer"


class OneProcess(FunctionJudge):
    """A box in which calls share what the code remembers, unless each gets a fork: as ``worker`` and ``batch`` do."""

    def __init__(self) -> None:
        super().__init__(lambda call: {"correct": 0.0})
        self.remembered: list[str] = []

    async def judge(
        self, source: Source, calls: Iterable[Call], *, isolation: Isolation | None = None
    ) -> AsyncIterator[Judged]:
        level = source.manifest.sandbox.isolation.raised_to(isolation)
        before = list(self.remembered)
        self.verify = self.telling
        async for judged in super().judge(source, calls, isolation=isolation):
            yield judged
        if level.strength >= Isolation.CALL.strength:
            self.remembered = before

    def telling(self, call: Call) -> dict[str, float | None]:
        self.remembered.append(call.response or "")
        raise RuntimeError(" ".join(self.remembered))

    async def generate(self, source, entry, *, split, count, start=0, seed=0):
        rows = [
            {"id": f"p{n}", "task": {"id": "p"}, "response": one, "label": "correct"}
            for n, one in enumerate(self.remembered)
        ]
        return rows[start : start + count]


def case(name: str, response: str, origin: Origin) -> AuditCase:
    return AuditCase(id=name, task={"id": name, "answer": 1}, response=response, label="correct", origin=origin)


def test_code_that_remembers_tells_held_cases_neither_in_errors_of_others_nor_in_its_probes():
    """At ``worker`` a verifier kept every held case and published them all as probes of its own on which it failed."""
    cases = [case("a", "mine", Origin.AUTHOR), case("h", SECRET, Origin.HELD), case("b", "theirs", Origin.SUITE)]
    for level in ("worker", "batch", "call"):
        source = source_of(extra=f'[sandbox]\nisolation = "{level}"\n[probes]\nregister = "al_check:probes"')
        judge = OneProcess()
        report = asyncio.run(run_audit(judge, source, cases, tasks={}, subject="al/check@1.0.0"))
        assert len([one for one in report.failures if one.origin is Origin.HELD]) == 1
        assert SECRET not in report.model_dump_json()


def test_a_late_held_case_is_judged_again_in_a_fork_of_its_own():
    def late(call: Call) -> dict[str, float | None]:
        raise TimeoutError

    judge = FunctionJudge(late)
    source = source_of(extra='[sandbox]\nisolation = "worker"')
    asyncio.run(run_audit(judge, source, [case("h", SECRET, Origin.HELD)], tasks={}, subject="al/check@1.0.0"))
    assert [level for level in judge.isolations if level is not None] == [Isolation.CALL] * 2


def test_an_operator_who_wants_more_isolation_gets_it_for_held_cases_too():
    judge = FunctionJudge(lambda call: {"correct": 1.0})
    held = [case("h", SECRET, Origin.HELD)]
    asyncio.run(run_audit(judge, source_of(), held, tasks={}, subject="al/check@1.0.0", isolation=Isolation.BOX))
    assert set(judge.isolations) == {Isolation.BOX}
