"""The processes of a run end when their launcher was killed, and the run can be resumed."""

import json
import os
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.trainer_bridge.test_torchrun import GIVEN, LAUNCHED, ROOT, TRAIN, start

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc")

WORKER = """
import os, pathlib, signal, sys, time
from trainer_bridge import launcher
launcher.LOOK_SECONDS, launcher.PATIENCE_SECONDS = 0.05, 0.3
signal.signal(signal.SIGTERM, lambda *_: pathlib.Path("asked").touch())
launcher.end_with_launcher()
launcher.end_with_launcher()  # as the command and the loop both do
pathlib.Path("begun").write_text(str(os.getpid()))
time.sleep(60)
"""
DIRECT = "import subprocess, sys; subprocess.run([sys.executable, 'worker.py'])"
BY_A_SHELL = "import subprocess, sys; subprocess.run(['sh', '-c', sys.executable + ' worker.py; true'])"


def wait_for(found, seconds):
    ends = time.monotonic() + seconds
    while not found():
        assert time.monotonic() < ends, "it did not happen"
        time.sleep(0.05)


def is_alive(number):
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(") ")[2][0] != "Z"
    except FileNotFoundError:
        return False


@contextmanager
def launched(code, folder):
    """A launcher that runs ``worker.py``, and the number of the worker. Both are gone afterwards."""
    (folder / "worker.py").write_text(WORKER)
    begun = folder / "begun"
    marked = "import os; os.environ.update(TORCHELASTIC_RUN_ID='a', RANK='0', LOCAL_RANK='0'); "
    given = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen([sys.executable, "-c", marked + code], cwd=folder, env=given) as launcher:
        try:
            wait_for(lambda: begun.exists() and begun.read_text(), seconds=60)
            yield launcher, int(begun.read_text())
        finally:
            launcher.kill()
            wait_for(lambda: not is_alive(int(begun.read_text())), seconds=60)


@pytest.mark.parametrize("code", [DIRECT, BY_A_SHELL])
def test_a_process_is_asked_to_end_and_then_ended_when_its_launcher_was_killed(code, tmp_path):
    with launched(code, tmp_path) as (launcher, worker):
        time.sleep(0.3)
        assert is_alive(worker)
        assert not (tmp_path / "asked").exists(), "its launcher lives"
        launcher.kill()
        launcher.wait()
        wait_for(lambda: not is_alive(worker), seconds=30)
        assert (tmp_path / "asked").exists()


FULL = """
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
taken = []
try:
    while True:
        taken.append(os.open("/dev/null", os.O_RDONLY))
except OSError:
    time.sleep(1)
for one in taken:
    os.close(one)
pathlib.Path("emptied").touch()
"""


def test_a_process_that_can_open_no_file_for_a_while_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr(sys.modules[__name__], "WORKER", WORKER.replace("time.sleep(60)", FULL + "time.sleep(60)"))
    with launched(DIRECT, tmp_path) as (launcher, worker):
        wait_for((tmp_path / "emptied").exists, seconds=60)
        time.sleep(0.3)
        assert is_alive(worker)
        assert not (tmp_path / "asked").exists(), "its launcher lives"
        launcher.kill()
        launcher.wait()
        wait_for(lambda: not is_alive(worker), seconds=30)


LAUNCHER = """
import os, subprocess, sys
given = {**os.environ, "RANK": "0", "LOCAL_RANK": "0", "MASTER_PORT": "29500"}
subprocess.run([sys.executable, "worker.py"], env=given)
"""
SCRIPT = """
import os, pathlib, subprocess, sys, time
subprocess.Popen([sys.executable, "-c", os.environ["LAUNCHER"]], start_new_session=True)
while not (pathlib.Path("begun").exists() and pathlib.Path("begun").read_text()):
    time.sleep(0.05)
"""


def test_a_launcher_that_had_a_runs_id_itself_outlives_the_script_that_put_it_into_the_background(tmp_path):
    (tmp_path / "worker.py").write_text(WORKER)
    given = {**os.environ, "PYTHONPATH": str(ROOT), "TORCHELASTIC_RUN_ID": "a", "LAUNCHER": LAUNCHER}
    subprocess.run([sys.executable, "-c", SCRIPT], cwd=tmp_path, env=given, check=True, timeout=60)
    worker = int((tmp_path / "begun").read_text())
    try:
        time.sleep(0.5)
        assert is_alive(worker)
        assert not (tmp_path / "asked").exists(), "the script has ended, and the launcher lives"
    finally:
        os.kill(worker, 9)


@pytest.mark.slow
def test_a_run_whose_torchrun_was_killed_ends_with_a_checkpoint_and_goes_on(tmp_path):
    folder, metrics = tmp_path / "run", tmp_path / "run" / "metrics.jsonl"
    command = [*LAUNCHED, *TRAIN, "--steps", "100000", "--device", "cpu", "--output", folder]
    with (tmp_path / "said").open("w") as said:
        launcher = subprocess.Popen([*map(str, command)], cwd=ROOT, env=GIVEN, stdout=said, stderr=said)
    workers = []
    try:
        wait_for(lambda: metrics.exists() and metrics.read_text(), seconds=240)
        children = Path(f"/proc/{launcher.pid}/task/{launcher.pid}/children").read_text()
        workers = [int(one) for one in children.split()]
        assert len(workers) == 2
        launcher.kill()
        launcher.wait()
        wait_for(lambda: not any(map(is_alive, workers)), seconds=60)
    finally:
        launcher.kill()
        launcher.wait()
        for worker in filter(is_alive, workers):
            os.kill(worker, 9)
    trained = [json.loads(line)["step"] for line in metrics.read_text().splitlines()]
    assert (folder / "checkpoints" / f"checkpoint-{trained[-1]:06d}").is_dir(), (tmp_path / "said").read_text()
    more = ("--steps", trained[-1] + 2, "--device", "cpu", "--output", folder, "--resume")
    ended = start(LAUNCHED, *more)
    assert ended.returncode == 0, ended.stderr
    steps = [json.loads(line)["step"] for line in metrics.read_text().splitlines()]
    assert sorted(set(steps)) == list(range(trained[-1] + 3))
    assert (folder / "model").is_dir()
