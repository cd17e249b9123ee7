"""Boxes that are killed, frozen, orphaned or broken from the start."""

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
import time
import uuid
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import sandbox.backends.docker.backend as docker_module
from sandbox.backends.docker.backend import DockerBackend
from sandbox.backends.docker.owners import folder_id
from sandbox.backends.docker.reaper import EXPIRES, LABEL, OWNER, FoundBox
from sandbox.blocking import BlockingSandbox
from sandbox.checks.harm.left import descriptors
from sandbox.checks.samples import TASK, Sample
from sandbox.errors import GuestFaultError, TimeLimitError, VerifierFailedError
from sandbox.interface import Call, Source
from sandbox.settings import SandboxSettings
from schemas.manifest import Isolation
from schemas.verdict import ErrorKind, Verdict
from tests.sandbox.guest.forked import in_interpreter
from tests.sandbox.held_calls import HELD, each_call_harmed, harmed_amid_a_call, is_holding, is_soon

pytestmark = pytest.mark.docker

SLOW = Sample(
    HELD + "\ndef verify(task, response):\n    held(float(response))\n    return {'correct': 1.0}\n",
    name="slow",
    timeout_seconds=60.0,
)


class Watched:
    """A sandbox of its own whose boxes a test may harm."""

    def __init__(self, **knobs: object) -> None:
        self.settings = SandboxSettings(boxes_per_package=1, replay_fraction=0.0, **knobs)  # type: ignore[arg-type]
        self.backend = DockerBackend(self.settings)
        self.sandbox = BlockingSandbox(self.backend, self.settings)

    def boxes(self, state: str = "running") -> list[FoundBox]:
        owner = str(self.backend._claim().lock_path)
        return [box for box in self.backend.found_boxes() if box.labels[OWNER] == owner and box.state == state]

    def boxes_are_gone(self) -> bool:
        """Waits for the engine, which removes a box that has ended when it comes to it."""
        return is_soon(lambda: not self.boxes())

    def zygotes(self) -> list[int]:
        """As this machine numbers them."""
        return [self.backend.engine.api.inspect_container(box.ident)["State"]["Pid"] for box in self.boxes()]

    def harm(self, how: str) -> None:
        for box in self.boxes():
            getattr(self.backend.engine.api, how)(box.ident)

    def judge(self, source: Source, *responses: str) -> dict[str, Verdict]:
        return dict(self.sandbox.score(source, [Call(text, TASK, response=text) for text in responses]))


@pytest.fixture
def watched() -> Iterator[Watched]:
    watched = Watched()
    with watched.sandbox:
        yield watched


@pytest.mark.parametrize("how", ["kill", "stop_now", "pause"])
def test_a_box_lost_in_mid_call_costs_no_verdict(watched: Watched, tmp_path: Path, how: str) -> None:
    # Only the host's clock tells of a frozen box: its calls have less time.
    source = (replace(SLOW, name="frozen", timeout_seconds=8.0) if how == "pause" else SLOW).source(tmp_path)
    watched.sandbox.warm(source)

    def harm() -> None:
        if how == "stop_now":
            for box in watched.boxes():
                watched.backend.engine.remove_container(box.ident)
        else:
            watched.harm(how)

    with harmed_amid_a_call(watched.zygotes, harm):
        verdicts = watched.judge(source, "30", "0.01")
    assert {text: verdict.rewards for text, verdict in verdicts.items()} == {
        "30": {"correct": 1.0},
        "0.01": {"correct": 1.0},
    }
    assert watched.sandbox.inner.metrics.total("boxes_lost") > 0


def test_boxes_that_die_every_time_end_in_null_and_host(watched: Watched, tmp_path: Path) -> None:
    source = SLOW.source(tmp_path)
    watched.sandbox.warm(source)
    with each_call_harmed(watched.zygotes, lambda: watched.harm("kill")):
        verdict = watched.judge(source, "50")["50"]
    assert verdict.rewards == {"correct": None}
    assert verdict.error is not None
    assert verdict.error.kind is ErrorKind.HOST


def test_an_image_that_vanished_is_made_again(watched: Watched, tmp_path: Path) -> None:
    own = f"# {uuid.uuid4()}\n"  # an image of its own: the same bytes would be an image that other tests run boxes of
    source = replace(SLOW, code=own + SLOW.code).source(tmp_path)
    digest = watched.sandbox.image_digest(source)
    image = watched.backend._images[source.digest].image_id
    watched.backend.engine.api.remove_image(image, force=True)
    assert watched.judge(source, "0.01")["0.01"].rewards == {"correct": 1.0}
    assert watched.sandbox.image_digest(source) == digest


def test_closing_leaves_no_box(tmp_path: Path) -> None:
    watched = Watched()
    with watched.sandbox:
        watched.sandbox.warm(SLOW.source(tmp_path))
        assert len(watched.boxes()) == 1
        lock = str(watched.backend._claim().lock_path)
    again = Watched()
    with again.sandbox:
        assert [b for b in again.backend.found_boxes() if b.labels[OWNER] == lock and b.state == "running"] == []


OWNER_PROGRAM = """
import sys
from pathlib import Path
from sandbox.backends import make_backend
from sandbox.blocking import BlockingSandbox
from sandbox.checks.samples import Sample
from sandbox.settings import SandboxSettings
settings = SandboxSettings(boxes_per_package=2)
sandbox = BlockingSandbox(make_backend("docker", settings), settings)
code = "def verify(task, response):\\n    return {'correct': 1.0}\\n"
sandbox.warm(Sample(code, name="orphaned").source(Path(sys.argv[1])), 2)
print(sandbox.inner.backend._claim().lock_path, flush=True)
sys.stdin.read()
"""


def test_a_killed_owner_leaves_no_container(watched: Watched, tmp_path: Path) -> None:
    command = [sys.executable, "-c", textwrap.dedent(OWNER_PROGRAM), str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        lock = owner.stdout.readline().strip()

        def left() -> list[str]:
            return [box.ident for box in watched.backend.found_boxes() if box.labels[OWNER] == lock]

        assert len(left()) == 2
        os.kill(owner.pid, signal.SIGKILL)
        assert is_soon(lambda: left() == [])


def test_what_a_dead_owner_created_and_never_started_is_reaped(tmp_path: Path) -> None:
    """In a folder of its own: who shares one, such as another test, may reap it first."""
    watched = Watched(state_folder=tmp_path / "state")
    with watched.sandbox:
        source = SLOW.source(tmp_path)
        watched.sandbox.warm(source)
        image = watched.backend._images[source.digest].image_id
        labels = {
            LABEL: "1",
            OWNER: str(tmp_path / "nobody.lock"),
            **watched.backend._place(folder_id(watched.backend._settings.state_folder)).labels(),
            EXPIRES: str(int(time.time() + 1000)),
        }
        config = {"Image": image, "Cmd": ["true"], "Labels": labels, "NetworkDisabled": True}
        created = watched.backend.engine.api.create_container_from_config(config)["Id"]
        assert watched.sandbox.run(watched.backend.reap()) >= 1
        assert created not in [box.ident for box in watched.backend.found_boxes()]
        assert len(watched.boxes()) == 1, "a living owner's box was reaped"


@pytest.mark.parametrize(
    ("code", "fault", "words"),
    [
        ("raise RuntimeError('broken at import')", VerifierFailedError, "broken at import"),
        ("def verify(task, answer_key):\n    return {}", VerifierFailedError, "answer_key"),
        ("import os\nos._exit(0)", VerifierFailedError, "ended while the package was imported"),
        ("while True:\n    pass", TimeLimitError, "importing the package took longer"),
        ("import time\ntime.sleep(60)", TimeLimitError, "importing the package took longer"),
        ("blocks = [bytearray(8 << 20) for _ in range(200)]", GuestFaultError, "."),
        ("import os\nwhile True:\n    os.fork()", GuestFaultError, "."),
    ],
    ids=["raises", "unknown argument", "exits", "spins", "sleeps", "eats memory", "forks"],
)
def test_a_package_that_cannot_be_loaded_is_its_own_fault(
    tmp_path: Path, code: str, fault: type[Exception], words: str
) -> None:
    # The clock runs from the start of the box: only what shall run into it is given a short one.
    watched = Watched(start_timeout_seconds=2.0 if fault is TimeLimitError else 60.0)
    text = code if "def verify" in code else f"{code}\ndef verify(task, response):\n    return {{'correct': 1.0}}\n"
    source = Sample(text, name="unloadable", memory_mb=64).source(tmp_path)
    with watched.sandbox:
        with pytest.raises(fault, match=words):
            watched.sandbox.warm(source)
        verdict = watched.judge(source, "x")["x"]
        assert verdict.rewards == {"correct": None}
        assert verdict.error is not None
        assert verdict.error.kind is not ErrorKind.HOST
        assert watched.boxes_are_gone()


def test_a_print_at_import_does_not_reach_the_protocol(watched: Watched, tmp_path: Path) -> None:
    code = "print('x' * 5000, flush=True)\ndef verify(task, response):\n    print('y' * 5000)\n    return {'correct': 1.0}\n"
    source = Sample(code, name="chatty").source(tmp_path)
    assert watched.judge(source, "a")["a"].rewards == {"correct": 1.0}


def test_nothing_is_copied_into_running_boxes() -> None:
    text = Path(docker_module.__file__).read_text()
    assert "put_archive" not in text
    assert "get_archive" not in text
    assert "exec_create" not in text


def thousands_of_calls(folder: str) -> list[bool]:
    """Whether each box that is there in the end is the first one. What it leaves open is counted on the way."""
    code = "import os\ndef verify(task, response, info):\n    open('f', 'w').write('x')\n    return {'correct': 1.0}\n"
    source = Sample(code, name="flat", isolation="worker").source(Path(folder))
    watched = Watched()
    with watched.sandbox:
        watched.sandbox.warm(source)
        [box] = watched.boxes()

        def processes() -> int:
            return len(watched.backend.engine.api.top(box.ident)["Processes"])

        def score(level: str, count: int) -> None:
            calls = [Call(str(i), TASK, response="x") for i in range(count)]
            assert sum(1 for _ in watched.sandbox.score(source, calls, isolation=Isolation(level))) == count

        score("call", 50)
        assert is_soon(lambda: processes() == 1)
        before = descriptors().total()
        score("call", 400)
        score("batch", 2000)
        score("call", 50)
        assert is_soon(lambda: processes() == 1)  # a verdict comes before its call's process is collected
        assert is_soon(lambda: descriptors().total() <= before + 3)
        return [found.ident == box.ident for found in watched.boxes()]


@pytest.mark.slow
def test_thousands_of_calls_leave_nothing_behind(tmp_path: Path) -> None:
    assert in_interpreter(thousands_of_calls, str(tmp_path)) == [True], "it is the same box"


def test_cancelling_a_long_call_frees_its_box(watched: Watched, tmp_path: Path) -> None:
    source = SLOW.source(tmp_path)
    watched.sandbox.warm(source)

    async def leave_early() -> None:
        task = asyncio.ensure_future(
            anext(aiter(watched.sandbox.inner.score(source, [Call("1", TASK, response="50")])))
        )
        assert await asyncio.to_thread(is_soon, lambda: any(map(is_holding, watched.zygotes())))
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    watched.sandbox.run(leave_early())
    assert watched.judge(source, "0.01")["0.01"].rewards == {"correct": 1.0}
    assert watched.sandbox.inner.metrics.total("cancelled_boxes") == 1  # nobody waited for the call to end by itself
