"""What a trainer sends: a run that ann has begun, points of metrics, rollouts."""

from hub_server.runs import actions
from schemas.run import MetricPoint, PinnedPackage, RolloutRow, Run, RunCreate
from tests.making.action_driver import ActionDriver, caller

ANN, BEN = caller("ann"), caller("ben")
PIN = PinnedPackage(package="alice/sums", version="1.0.0", digest="sha256:0")


def begun(driver: ActionDriver, **more) -> Run:
    return driver.do(ANN, actions.create_run, RunCreate(**{"name": "grpo", **more}))


def rollout(step: int = 1, **more) -> RolloutRow:
    return RolloutRow(**{"step": step, "task_id": "t1", "response": "2", "rewards": {"correct": 1.0}, **more})


def point(step: int, **values: float | None) -> MetricPoint:
    return MetricPoint(step=step, values=values or {"reward": 0.5})
