"""Two clients of one engine, each with its own mounts, boot id and host name: neither takes the other's boxes for orphans."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from sandbox.backends.docker.backend import DockerBackend
from sandbox.backends.docker.reaper import OWNER
from sandbox.blocking import BlockingSandbox
from sandbox.checks.benches.sessions import MESSAGE
from sandbox.checks.samples import TASK, Sample
from sandbox.settings import SandboxSettings
from tests.sandbox.conftest import judge_one

pytestmark = [
    pytest.mark.docker,
    pytest.mark.skipif(
        os.geteuid() != 0 or shutil.which("unshare") is None, reason="root and unshare make the neighbour"
    ),
]
SAMPLE = Sample("def verify(task, response):\n    return {'correct': 1.0}\n", name="neighbour")
NEIGHBOUR = """
import sys
from pathlib import Path
from sandbox.backends.docker.backend import DockerBackend
from sandbox.blocking import BlockingSandbox
from sandbox.settings import SandboxSettings
from tests.sandbox.backends.docker.test_neighbours import SAMPLE
from tests.sandbox.conftest import judge_one

settings = SandboxSettings(state_folder=Path(sys.argv[1]), replay_fraction=0.0)
source = SAMPLE.source(Path(sys.argv[2]))
with BlockingSandbox(DockerBackend(settings), settings) as sandbox:
    for _ in sys.stdin:
        reward = judge_one(sandbox, source, "x").rewards["correct"]
        sandbox.run(sandbox.inner.backend.reap())
        print(reward, sandbox.inner.metrics.total("boxes_lost"), flush=True)
"""
"""Judges a call and reaps, once a line; prints the reward and how many boxes it lost."""


class Neighbour:
    """A client in a mount namespace of its own. ``shares_folder``: it sees our locks, as over a network disk."""

    def __init__(self, state: Path, scratch: Path, *, shares_folder: bool) -> None:
        (scratch / "boot_id").write_text("22222222-2222-2222-2222-222222222222\n")
        hide = "true" if shares_folder else f"mount -t tmpfs -o mode=0700 none {state}"
        script = (
            f"mount --bind {scratch}/boot_id /proc/sys/kernel/random/boot_id && hostname neighbour && {hide} && "
            'exec "$@"'
        )
        command = ["unshare", "--mount", "--uts", "--propagation", "private", "sh", "-c", script, "sh"]
        command += [sys.executable, "-c", NEIGHBOUR, str(state), str(scratch)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def judge_and_reap(self) -> list[str]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("go\n")
        self._process.stdin.flush()
        return self._process.stdout.readline().split()

    def end(self) -> None:
        self._process.communicate()


@pytest.fixture(params=["a folder of its own", "our folder"])
def neighbour(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Neighbour]:
    (tmp_path / "state").mkdir(mode=0o700)
    (tmp_path / "scratch").mkdir()
    made = Neighbour(tmp_path / "state", tmp_path / "scratch", shares_folder=request.param == "our folder")
    yield made
    made.end()


def test_neighbours_on_one_engine_leave_each_other_s_boxes_alone(tmp_path: Path, neighbour: Neighbour) -> None:
    settings = SandboxSettings(state_folder=tmp_path / "state", replay_fraction=0.0)
    backend = DockerBackend(settings)
    with BlockingSandbox(backend, settings) as sandbox:
        source = SAMPLE.source(tmp_path)
        assert judge_one(sandbox, source, "x").rewards == {"correct": 1.0}
        own = str(backend._claim().lock_path)

        def our_boxes() -> set[str]:
            return {box.ident for box in backend.found_boxes() if box.labels[OWNER] == own}

        ours = our_boxes()
        assert neighbour.judge_and_reap() == ["1.0", "0"], "its first call, and it reaps with our box alive"
        sandbox.run(backend.reap())
        assert neighbour.judge_and_reap() == ["1.0", "0"], "we have reaped with its box alive"
        assert ours <= our_boxes()
        assert judge_one(sandbox, source, "x").rewards == {"correct": 1.0}


# -- what the kernel counts per uid ------------------------------------------------------------------------------------

HOARD = """
import ctypes

libc = ctypes.CDLL(None)

class Session:
    def reset(self, task, seed):
        while libc.inotify_init1(0) >= 0:
            pass
        return {"messages": [], "tools": []}

    def step(self, message):
        return {"messages": [{"role": "user", "content": str(libc.inotify_init1(0))}], "done": False}

def verify(task, state):
    return {"correct": 1.0}
"""
HOARDER = Sample(
    HOARD,
    name="hoarder",
    kind="environment",
    head='verifier = "PACKAGE:verify"\nsession = "PACKAGE:Session"\ntasks = { train = "tasks.jsonl" }',
    files={"tasks.jsonl": '{"id": "t1", "prompt": "q"}\n'},
)
WATCHER = Sample(
    "import ctypes\n"
    "def verify(task, response):\n"
    "    return {'correct': float(ctypes.CDLL(None).inotify_init1(0) >= 0)}\n",
    name="watcher",
)


def test_a_package_that_hoards_what_its_uid_may_have_starves_no_neighbour_with_other_lock_files(tmp_path: Path) -> None:
    """Both clients are the first owner of their folder. With one uid, the neighbour's right answer became a 0."""
    most = int(Path("/proc/sys/fs/inotify/max_user_instances").read_text())
    sandboxes = []
    for name in ("theirs", "ours"):
        settings = SandboxSettings(state_folder=tmp_path / name, replay_fraction=0.0)
        sandboxes.append(BlockingSandbox(DockerBackend(settings), settings))
    theirs, ours = sandboxes
    with theirs, ours, ExitStack() as sessions:
        source = HOARDER.source(tmp_path)
        for _ in range(most // 50 + 2):  # a session may have 64 files open
            session = sessions.enter_context(theirs.session(source, TASK))
            session.reset()
        assert session.step(MESSAGE)["messages"][0]["content"] == "-1", "nothing is left for that uid"
        assert judge_one(ours, WATCHER.source(tmp_path), "x").rewards == {"correct": 1.0}
