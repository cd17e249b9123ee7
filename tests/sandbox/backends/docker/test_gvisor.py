"""Boxes under gVisor, for real: an engine of the tests' own with the runtime that docs/explanation/sandbox.md describes."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.backends import make_backend
from sandbox.backends.docker.engine import DockerEngine
from sandbox.blocking import BlockingSandbox
from sandbox.checks.attacks.attempt import HOST
from sandbox.checks.attacks.runner import ATTEMPTS, run_attempt
from sandbox.checks.conformance import run_checks
from sandbox.checks.doctor import examine_host, how_to_add
from sandbox.checks.harm.own_engine import OwnEngine, what_is_missing
from sandbox.images.base import ensure_base
from sandbox.images.settings import ImageSettings
from sandbox.settings import SandboxSettings

pytestmark = [
    pytest.mark.docker,
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("runsc") is None, reason="runsc (gVisor) is not installed: apt-get install runsc"),
    pytest.mark.together("gvisor"),
]
CHECKS = (
    "judges_at_every_level",
    "ends_a_call_in_time",
    "one_bad_call",
    "runs_solutions",
    "calls_tools",
    "holds_sessions",
)
# What gVisor does otherwise than Linux, and what once was open here: each with what closes it in docs/explanation/threat_model.md.
TRIED = ("tcp-out", "socket-families", "zygote-memory", "kill-the-zygote", "kill-everybody", "fork-bomb", "thread-bomb",
         "namespaces", "mknod", "shared-memory-left-behind", "capabilities", "text-that-is-code", "earlier-answers")  # fmt: skip


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnEngine]:
    missing = what_is_missing()
    if missing:
        pytest.skip(f"no engine of one's own: {missing}")
    own = OwnEngine(tmp_path_factory.mktemp("gvisor"))
    own.mount()
    lines = how_to_add("runsc")
    settings = lines[lines.index("{") : lines.rindex("}") + 1]  # as the doctor tells operators
    (own.folder / "daemon.json").write_text(settings)
    try:
        own.start()
        yield own
    finally:
        own.stop()
        own.unmount()


@pytest.fixture(scope="module")
def settings(engine: OwnEngine) -> SandboxSettings:
    return SandboxSettings(docker_url=engine.url, runtime="runsc", replay_fraction=0.0, boxes_per_package=2)


def test_without_a_base_image_and_a_way_to_make_one_the_doctor_says_both(
    settings: SandboxSettings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("VERIHUB_IMAGES_REGISTRY_IMAGE", "127.0.0.1:9/nothing:1")
    missing = [finding for finding in examine_host(settings) if finding.level == "missing"]
    assert [finding.what for finding in missing] == [
        "no base image, no registry that has 127.0.0.1:9/nothing:1, and no mmdebstrap"
    ]
    assert "apt-get install mmdebstrap" in missing[0].advice


@pytest.fixture(scope="module")
def gvisor(engine: OwnEngine, settings: SandboxSettings) -> Iterator[BlockingSandbox]:
    shared = DockerEngine()
    engine.load(ensure_base(shared, ImageSettings()).references[0])
    shared.close()
    with BlockingSandbox(make_backend("docker", settings), settings) as sandbox:
        yield sandbox


def test_the_doctor_runs_a_call_under_the_runtime(gvisor: BlockingSandbox, settings: SandboxSettings) -> None:
    found = examine_host(settings)
    assert not [finding for finding in found if finding.level == "missing"]
    assert {"runtime runsc", "base image"} <= {finding.what for finding in found}
    assert any(finding.what.startswith("a box ran a call") for finding in found)


def test_a_box_sees_gvisors_kernel_and_not_ours(gvisor: BlockingSandbox, engine: OwnEngine) -> None:
    from sandbox.checks.samples import TASK  # noqa: PLC0415
    from sandbox.interface import Call  # noqa: PLC0415

    source = HOST.source(engine.folder)
    seen = "import os\ninfo['release'] = os.uname().release\ninfo['proc'] = os.listdir('/proc')"
    [(_, verdict)] = gvisor.score(source, [Call("1", TASK, response=seen)])
    assert verdict.info == {"release": "4.4.0", "proc": []}


@pytest.mark.parametrize("name", CHECKS)
def test_gvisor_boxes_do_what_every_backend_must(gvisor: BlockingSandbox, name: str) -> None:
    async def check() -> list[str]:
        return [outcome.problem async for outcome in run_checks(gvisor.inner, name, limit_seconds=2.0)]

    assert gvisor.run(check()) == [""]


@pytest.mark.parametrize("name", TRIED)
def test_what_is_tried_under_gvisor_ends_safely(gvisor: BlockingSandbox, engine: OwnEngine, name: str) -> None:
    [attempt] = [attempt for attempt in ATTEMPTS if attempt.name == name]
    outcome = gvisor.run(run_attempt(gvisor.inner, HOST.source(engine.folder), attempt))
    assert outcome.problem == ""


def test_the_lines_that_add_the_runtime_are_json() -> None:
    lines = how_to_add("runsc")
    assert json.loads(lines[lines.index("{") : lines.rindex("}") + 1])["runtimes"]["runsc"]["path"]
