"""Many machines on one: a Ray cluster of three nodes that offer sandboxes, with real containers in each."""

import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pytest

from sandbox.blocking import BlockingSandbox
from sandbox.checks.conformance import run_checks
from sandbox.checks.samples import TASK, Sample
from sandbox.cluster.links.ray import RESOURCE, RayCluster, words_of
from sandbox.cluster.nodes import Node
from sandbox.cluster.sandbox import ClusterSandbox
from sandbox.cluster.settings import ClusterSettings, RaySettings
from sandbox.errors import SandboxUnavailableError, SessionClosedError
from sandbox.interface import Call, Source
from sandbox.settings import SandboxSettings
from sandbox.wiring import make_sandbox
from schemas.verdict import ErrorKind
from tests.fakes.ray_cluster import until
from tests.sandbox.cluster.link_checks import LINK_CHECKS

ray = pytest.importorskip("ray")
cluster_utils = pytest.importorskip("ray.cluster_utils")
pytestmark = [pytest.mark.docker, pytest.mark.together("ray")]

T = TypeVar("T")
STORE_BYTES = 80 << 20
SETTINGS = SandboxSettings(replay_fraction=0.0, boxes_per_package=2, max_boxes=24)
SLOW = (
    "import time\n\ndef verify(task, response):\n    time.sleep(0.01)\n    return {'correct': float(response == '2')}\n"
)

SESSION_HEAD = 'session = "PACKAGE:Session"\ntasks = { train = "PACKAGE:generate" }\n'
SESSION = """
class Session:
    def reset(self, task, seed):
        return {"messages": [], "tools": []}

    def step(self, message):
        return {"messages": [], "done": False}

    def state(self):
        return {"well": True}

def generate(split, seed, index):
    return {"prompt": "?"}
"""


@dataclass
class Machines:
    """The cluster: a head that offers no sandbox, for us to live on, and nodes that do."""

    cluster: Any
    nodes: list[Any] = field(default_factory=list)

    def add(self) -> Any:
        """One more node."""
        knobs = {"num_cpus": 0, "resources": {RESOURCE: 1}, "object_store_memory": STORE_BYTES, "wait": False}
        self.nodes.append(start(lambda: self.cluster.add_node(**knobs)))
        return self.nodes[-1]

    def kill(self, node_id: str) -> None:
        """Without a word, as when the power goes."""
        [node] = [node for node in self.nodes if node.node_id == node_id]
        self.nodes.remove(node)
        self.cluster.remove_node(node, allow_graceful=False)


def start(begin: Callable[[], T]) -> T:
    """A raylet that waits 15 s for its agents dies, and on a busy machine they may need longer: then another is begun."""
    for _ in range(4):
        try:
            return begin()
        except Exception as error:
            if "timed out during startup" not in str(error):
                raise
    return begin()


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    with pytest.MonkeyPatch.context() as patch, restored_signals():
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_AUTH_MODE", "disabled")
        patch.setenv("RAY_agent_register_timeout_ms", "240000")  # as long as a busy machine needs
        patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)  # else each of some twenty processes compiles Ray anew
        if not os.environ.get("PYTHONPYCACHEPREFIX"):  # what scripts/test keeps from run to run is compiled already
            patch.setenv("PYTHONPYCACHEPREFIX", str(tmp_path_factory.mktemp("byte-code")))
        head = {"num_cpus": 0, "include_dashboard": False, "include_log_monitor": False, "no_monitor": True}
        head["object_store_memory"] = STORE_BYTES
        made = Machines(start(lambda: cluster_utils.Cluster(initialize_head=True, head_node_args=head)))
        try:
            for _ in range(3):
                made.add()
            yield made
        finally:
            ray.shutdown()
            made.cluster.shutdown()


@contextmanager
def restored_signals() -> Iterator[None]:
    """Ray takes SIGTERM over; the other tests shall have it as it was."""
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@pytest.fixture(scope="module")
def ray_sandbox(machines: Machines) -> Iterator[BlockingSandbox]:
    # A busy machine makes every call look like much work, and nodes slow to answer: neither shall move a release here.
    patient = {"join_seconds": 120, "silence_seconds": 120, "spill_seconds": 600}
    settings = ClusterSettings(poll_seconds=0.3, wait_seconds=2, **patient)
    with BlockingSandbox(
        ClusterSandbox(RayCluster(SETTINGS, RaySettings(address=machines.cluster.address)), SETTINGS, settings)
    ) as sandbox:
        sandbox.check()
        sandbox.run(until(lambda: len(nodes_of(sandbox)) == 3))  # Ray tells of its nodes one by one
        yield sandbox


def nodes_of(sandbox: BlockingSandbox) -> list[Node]:
    assert isinstance(sandbox.inner, ClusterSandbox)
    return sandbox.inner.nodes.alive


def sample(folder: Path, name: str, code: str = SLOW) -> Source:
    return Sample(code, name=name, isolation="batch").source(folder)


def calls(count: int) -> list[Call]:
    return [Call(str(number), TASK, response="2" if number % 3 else "9") for number in range(count)]


def expect_right(verdicts: list[tuple[str, Any]], count: int) -> None:
    assert max(Counter(ident for ident, _ in verdicts).values()) == 1
    assert {ident: verdict.rewards for ident, verdict in verdicts} == {
        str(number): {"correct": float(number % 3 > 0)} for number in range(count)
    }


@pytest.mark.parametrize("name", LINK_CHECKS)
def test_a_cluster_passes_the_conformance_check(ray_sandbox: BlockingSandbox, name: str) -> None:
    async def run() -> list[str]:
        return [outcome.problem async for outcome in run_checks(ray_sandbox.inner, name)]

    assert ray_sandbox.run(run()) == [""]


def test_each_releases_boxes_are_opened_on_one_node_only(ray_sandbox: BlockingSandbox, tmp_path: Path) -> None:
    quick = "def verify(task, response):\n    return {'correct': float(response == '2')}\n"
    names = [f"one{number}" for number in range(4)]
    for name in names:
        source = sample(tmp_path, name, quick)
        for _ in range(2):
            expect_right(list(ray_sandbox.score(source, calls(200))), 200)

    def opened(node: Node) -> dict[str, int]:
        rows = [line for line in node.report.metrics.splitlines() if "boxes_opened_total" in line]
        return {name: int(float(row.split()[-1])) for name in names for row in rows if f'"sample/{name}"' in row}

    async def reported() -> list[dict[str, int]]:
        """After the second report from now on: it was asked for when all of the above was over."""
        for _ in range(2):
            before = {node: node.report for node in nodes_of(ray_sandbox)}
            await until(lambda: all(node.report is not old for node, old in before.items()))  # noqa: B023
        return [opened(node) for node in nodes_of(ray_sandbox)]

    by_node = ray_sandbox.run(reported())
    homes = Counter(name for boxes in by_node for name in boxes)
    assert homes == dict.fromkeys(names, 1)
    assert all(1 <= count <= 2 for boxes in by_node for count in boxes.values())


def test_wheels_reach_a_node_through_the_object_store(ray_sandbox: BlockingSandbox, tmp_path: Path) -> None:
    source = sample(tmp_path, "shipped")
    assert ray_sandbox.warm(source).image_digest == ray_sandbox.image_digest(source)
    source.wheel.unlink()
    expect_right(list(ray_sandbox.score(source, calls(3))), 3)


def test_a_ray_program_uses_its_own_cluster_from_inside_an_actor(ray_sandbox: BlockingSandbox, tmp_path: Path) -> None:
    source = sample(tmp_path, "inside")

    @ray.remote(num_cpus=0)
    class Rewards:  # as a trainer's reward worker
        def of(self, source: Source, calls: list[Call]) -> list[tuple[str, Any]]:
            with BlockingSandbox(make_sandbox("ray")) as sandbox:
                return list(sandbox.score(source, calls))

        def node_count(self) -> int:
            return len(ray.nodes())

    worker = Rewards.remote()
    expect_right(ray.get(worker.of.remote(source, calls(30)), timeout=60), 30)
    assert ray.get(worker.node_count.remote(), timeout=60) == 4  # closing has left the program's own cluster alone
    ray.kill(worker)


def test_a_node_that_dies_amid_500_calls_costs_no_verdict_and_its_boxes_go(
    machines: Machines, ray_sandbox: BlockingSandbox, tmp_path: Path
) -> None:
    source = sample(tmp_path, "dying")
    ray_sandbox.warm(source)
    home = home_of(ray_sandbox, source)
    is_dead = threading.Event()

    def before_and_after() -> Iterator[Call]:
        for number, call in enumerate(calls(500)):
            if number == 450:
                assert is_dead.wait(60)
            yield call

    verdicts = []
    for answer in ray_sandbox.score(source, before_and_after()):
        verdicts.append(answer)
        if len(verdicts) == 50:
            assert boxes_of(source)
            machines.kill(home.ident)
            is_dead.set()
    expect_right(verdicts, 500)
    ray_sandbox.run(until(lambda: home not in nodes_of(ray_sandbox)))
    assert f'verihub_sandbox_node_lost_total{{node="{home.name}"}} 1' in ray_sandbox.inner.render_metrics()

    machines.add()  # a machine that joins is taken in
    ray_sandbox.run(until(lambda: len(nodes_of(ray_sandbox)) == 3))
    expect_right(list(ray_sandbox.score(source, calls(20))), 20)
    machines_left = {node.ident for node in nodes_of(ray_sandbox)}
    assert home.ident not in machines_left
    ray_sandbox.run(until(lambda: len(boxes_of(source)) <= 3 * SETTINGS.boxes_per_package))


def test_a_session_whose_node_dies_says_so_and_another_can_be_opened(
    ray_sandbox: BlockingSandbox, tmp_path: Path
) -> None:
    source = Sample(SESSION, name="pinned", kind="environment", head=SESSION_HEAD, rewards=()).source(tmp_path)

    async def work() -> None:
        inner = ray_sandbox.inner
        session = await inner.sessions.open(source, TASK)
        await session.reset()
        os.kill(home_of(ray_sandbox, source).facts.pid, signal.SIGKILL)
        with pytest.raises(SessionClosedError, match="node was lost"):
            await session.state()
        async with inner.session(source, TASK) as other:
            await other.reset()
            assert await other.state() == {"well": True}
        await until(lambda: len(nodes_of(ray_sandbox)) == 3)  # the machine lives: its sandbox is started anew

    ray_sandbox.run(work())


def test_without_any_node_calls_are_masked_and_it_says_why(
    machines: Machines, ray_sandbox: BlockingSandbox, tmp_path: Path
) -> None:
    source = sample(tmp_path, "lonely")
    expect_right(list(ray_sandbox.score(source, calls(5))), 5)
    for node in list(machines.nodes):
        machines.kill(node.node_id)
    ray_sandbox.run(until(lambda: not nodes_of(ray_sandbox)))
    nodes = ray_sandbox.inner.nodes
    nodes._settings = nodes._settings.model_copy(update={"wait_seconds": 0.3})  # nobody is coming
    verdicts = [verdict for _, verdict in ray_sandbox.score(source, calls(5))]
    assert [verdict.rewards for verdict in verdicts] == [{"correct": None}] * 5
    assert {verdict.error.kind for verdict in verdicts if verdict.error} == {ErrorKind.HOST}
    with pytest.raises(SandboxUnavailableError, match=r"no node (of the Ray cluster|can run a sandbox)"):
        ray_sandbox.warm(source)
    ray_sandbox.run(until(lambda: boxes_of(source) == []))


@pytest.mark.parametrize(
    ("address", "reason"),
    [("127.0.0.1:1", "Connection refused"), ("ray://127.0.0.1:10001", "ray:// is for Ray Client")],
)
def test_a_cluster_that_is_not_there_is_named_with_what_to_do(address: str, reason: str) -> None:
    command = [sys.executable, "-m", "sandbox", "conformance", "--backend", "ray"]
    own = {**os.environ, "VERIHUB_SANDBOX_RAY_ADDRESS": address}
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False, env=own)
    assert done.returncode == 8
    assert f"no Ray cluster at '{address}'" in done.stderr
    assert reason in done.stderr
    assert "ray start --head" in done.stderr


def test_what_a_node_raised_is_told_on_one_line() -> None:
    told = (
        "The actor died because of an error raised in its creation task, \x1b[36mray::SandboxNode.__init__()\x1b[39m (pid=1)\n"
        '  File "node.py", line 1, in __init__\n'
        "ModuleNotFoundError: No module named 'sandbox'\n"
    )
    assert words_of(RuntimeError(told)) == (
        "The actor died because of an error raised in its creation task: ModuleNotFoundError: No module named 'sandbox'"
    )
    assert words_of(RuntimeError("The actor died.\n  pid: 7\n")) == "The actor died."
    assert words_of(RuntimeError()) == "RuntimeError"


def home_of(sandbox: BlockingSandbox, source: Source) -> Node:
    """The only node that has the release."""
    [home] = [node for node in nodes_of(sandbox) if source.digest in node.held]
    return home


def boxes_of(source: Source) -> list[str]:
    """Containers of a release on this machine's engine."""
    listed = subprocess.run(
        ["docker", "ps", "-q", "--filter", f"label=verihub.sandbox.package={source.digest}"],
        capture_output=True,
        text=True,
        check=True,
    )
    return listed.stdout.split()
