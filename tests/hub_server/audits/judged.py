"""A verifier that is wrong on hedges in some versions, and everybody who may have something to say about it."""

from typing import Any

from hub_server.audits import actions
from hub_server.audits.actions import ExecutedCase
from hub_server.kernel.caller import Caller
from schemas.evidence.cases import AuditCase
from schemas.evidence.counter_examples import CounterExample
from schemas.verdict import Verdict
from tests.making.desk import Desk, caller, person

ALICE, BOB, CAROL = caller("alice"), caller("bob"), caller("carol")
MODA = person("moda", is_moderator=True)
OWNING_MODERATOR = person("alice", is_moderator=True)
SUMS = "alice/small-sums"
HEDGED = ("1.0.0", "1.2.0")


def judge(version: str, task: dict[str, Any], response: str | None) -> Verdict:
    """Versions of ``HEDGED`` accept ``2 or 3``."""
    text, answer = (response or "").strip(), str(task.get("answer"))
    right = text == answer or (version in HEDGED and text.startswith(f"{answer} or"))
    return Verdict(rewards={"correct": float(right)})


def publish(desk: Desk, version: str = "1.0.0") -> Desk:
    """alice/small-sums with a judge that hedges; its audit waits."""
    desk.executor.judge_call = judge
    if not desk.rows("SELECT id FROM accounts"):
        for name in ("alice", "bob", "carol", "moda"):
            desk.person(name)
    desk.publish(ALICE, version=version)
    return desk


def hack(identifier: str = "h1", response: str = "2 or 3", **more: Any) -> AuditCase:
    """A case that 1.0.0 gets wrong."""
    return AuditCase(**{"id": identifier, "task_id": "t1", "response": response, "label": "incorrect", **more})


def executed(desk: Desk, case: AuditCase, by: Caller = BOB, version: str = "1.0.0") -> ExecutedCase:
    """A submission before it is kept."""
    prepared = desk.ask(by, actions.prepare_case, SUMS, version, case)
    return actions.execute_case(desk.services, prepared)


def submit(desk: Desk, case: AuditCase | None = None, by: Caller = BOB, version: str = "1.0.0") -> CounterExample:
    """What the route does."""
    return desk.do(by, actions.submit_case, executed(desk, case or hack(), by, version))


def state_of(desk: Desk, case_id: str) -> str:
    """How a case stands, hidden or not."""
    ((found,),) = desk.rows("SELECT state FROM counter_examples WHERE id = :i", i=case_id)
    return str(found)
