"""A verifier that is wrong on hedges in some versions, and everybody who may have something to say about it."""

from typing import Any

from hub_server.audits import actions
from hub_server.audits.actions import ExecutedCase
from hub_server.kernel.caller import Caller
from schemas.evidence.cases import AuditCase
from schemas.evidence.counter_examples import CounterExample
from schemas.verdict import Verdict
from tests.making.action_driver import ActionDriver, caller, person

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


def publish(driver: ActionDriver, version: str = "1.0.0") -> ActionDriver:
    """alice/small-sums with a judge that hedges; its audit waits."""
    driver.executor.judge_call = judge
    if not driver.rows("SELECT id FROM accounts"):
        for name in ("alice", "bob", "carol", "moda"):
            driver.person(name)
    driver.publish(ALICE, version=version)
    return driver


def hack(identifier: str = "h1", response: str = "2 or 3", **more: Any) -> AuditCase:
    """A case that 1.0.0 gets wrong."""
    return AuditCase(**{"id": identifier, "task_id": "t1", "response": response, "label": "incorrect", **more})


def executed(driver: ActionDriver, case: AuditCase, by: Caller = BOB, version: str = "1.0.0") -> ExecutedCase:
    """A submission before it is kept."""
    prepared = driver.ask(by, actions.prepare_case, SUMS, version, case)
    return actions.execute_case(driver.services, prepared)


def submit(
    driver: ActionDriver, case: AuditCase | None = None, by: Caller = BOB, version: str = "1.0.0"
) -> CounterExample:
    """What the route does."""
    return driver.do(by, actions.submit_case, executed(driver, case or hack(), by, version))


def state_of(driver: ActionDriver, case_id: str) -> str:
    """How a case stands, hidden or not."""
    ((found,),) = driver.rows("SELECT state FROM counter_examples WHERE id = :i", i=case_id)
    return str(found)
