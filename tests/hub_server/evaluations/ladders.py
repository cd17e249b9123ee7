"""A benchmark over two environments, and results to send to it."""

from typing import Any

from hub_server.evaluations.actions import submit_results
from hub_server.kernel.caller import Caller
from schemas.benchmark import ResultsCreate, TaskOutcome
from tests.making.action_driver import ActionDriver, caller

ALICE, BOB = caller("alice"), caller("bob")
SUMS, BENCH = "alice/small-sums", "alice/bench"
TASKS = tuple(f"t{number}" for number in range(1, 7))


def benchmark(name: str = BENCH, environments: tuple[str, ...] = (f"{SUMS}@>=1,<2",), split: str = "test") -> str:
    """The manifest of a benchmark."""
    pinned = ", ".join(f'"{one}"' for one in environments)
    return f'format = 1\nid = "{name}"\nkind = "benchmark"\nenvironments = [{pinned}]\nsplit = "{split}"\n'


def environment(name: str = SUMS, splits: str = 'test = "tasks.jsonl"') -> str:
    """The manifest of an environment that can be tested on."""
    module = name.replace("/", "_").replace("-", "_")
    return (
        f'format = 1\nid = "{name}"\nkind = "environment"\nverifier = "{module}:verify"\ntasks = {{ {splits} }}\n'
        '[rewards.correct]\ndescription = "right"\n'
    )


def lines(texts: dict[str, str]) -> str:
    """A file of tasks."""
    return "".join(f'{{"id": "{name}", "prompt": "{text}", "answer": 1}}\n' for name, text in texts.items())


PROMPTS = {name: f"what is {place} plus {place * 7} take away the {place}th prime?" for place, name in enumerate(TASKS)}


def publish_bench(driver: ActionDriver) -> ActionDriver:
    """alice/small-sums with six tasks to test on, and alice/bench over it."""
    driver.person("alice")
    driver.person("bob")
    files = {"tasks.jsonl": lines(PROMPTS), "audit.jsonl": ""}
    driver.publish(ALICE, manifest=environment(), package_files=files)
    driver.publish(ALICE, BENCH, manifest=benchmark())
    return driver


def results(model: str = "m", solved: int = 3, **more: Any) -> ResultsCreate:
    """``solved`` of the six tasks, four tries each."""
    outcomes = [TaskOutcome(task_id=task, attempts=4, successes=4 * (n < solved)) for n, task in enumerate(TASKS)]
    fields: dict[str, Any] = {"environment": SUMS, "environment_version": "1.0.0", "model": model, "outcomes": outcomes}
    return ResultsCreate(**{**fields, **more})


def send(driver: ActionDriver, body: ResultsCreate, by: Caller = BOB, package: str = BENCH) -> Any:
    """What a client's ``eval`` sends."""
    return driver.do(by, submit_results, package, "1.0.0", body)
