"""scripts/docker_engine on machines that it cannot help: one sentence that says what to do."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[3] / "scripts" / "docker_engine"
TOOLS = ("bash", "timeout", "env", "sleep")


@pytest.fixture
def run(tmp_path: Path):
    """Run the script with nothing but stand-ins on the PATH. ``stubs`` maps a program to its shell text."""

    def start(stubs: dict[str, str], **environment: str) -> subprocess.CompletedProcess[str]:
        for tool in TOOLS:
            found = shutil.which(tool)
            assert found
            (tmp_path / tool).symlink_to(found)
        for name, text in stubs.items():
            stub = tmp_path / name
            stub.write_text(f"#!{shutil.which('bash')}\n{text}\n")
            stub.chmod(0o755)
        return subprocess.run(
            [shutil.which("bash") or "bash", str(SCRIPT)],
            env={"PATH": str(tmp_path), "VERIHUB_DOCKERD_LOG": os.devnull, **environment},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return start


DEAD = {"docker": "exit 1", "uname": "echo Linux", "id": "echo 0"}


def test_an_engine_that_answers_is_left_alone(run):
    done = run({"docker": "echo 20.10.24", "apt-get": "echo touched; exit 9"})
    assert done.returncode == 0
    assert done.stdout == "Docker engine answers: 20.10.24\n"


@pytest.mark.parametrize(
    ("stubs", "environment", "says"),
    [
        (DEAD, {"DOCKER_HOST": "tcp://elsewhere:1"}, "nothing answers there"),
        (DEAD | {"uname": "echo Darwin"}, {}, "start Docker Desktop"),
        (DEAD | {"id": "echo 1000"}, {}, "sudo systemctl start docker"),
        (DEAD, {}, "not a Debian-like system"),
        (DEAD | {"apt-get": "exit 100"}, {}, "could not install docker.io"),
    ],
    ids=["remote", "mac", "user", "other-linux", "apt-fails"],
)
def test_otherwise_it_says_in_one_sentence_what_to_do(run, stubs, environment, says):
    done = run(stubs, **environment)
    assert done.returncode == 1
    assert says in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
