"""``python -m sandbox doctor | run | conformance | attack | harm | reap | node``: what operators and authors run."""

import argparse
import asyncio
import json
import signal
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from sandbox.backends import BACKENDS, make_backend
from sandbox.blocking import BlockingSandbox
from sandbox.checks.attacks.runner import run_attempts
from sandbox.checks.conformance import run_checks
from sandbox.checks.doctor import examine_host
from sandbox.checks.harm.run import run_harm
from sandbox.cluster.links.command import serve_node
from sandbox.errors import SandboxError
from sandbox.interface import Call, Source
from sandbox.sandbox import Sandbox
from sandbox.settings import SandboxSettings
from sandbox.wiring import SANDBOXES, make_sandbox
from schemas.manifest import Isolation
from schemas.settings import why_unusable
from schemas.wheels.box_python import BOX_PYTHONS, DEFAULT_PYTHON
from schemas.wheels.wheel import WheelError, read_wheel

_MARKS = {"ok": "ok     ", "warning": "warning", "missing": "MISSING"}


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse, run, exit: 0 all well, 6 a check failed, 8 no sandbox can be had, 2 usage."""
    options = _parser().parse_args(arguments)
    try:
        status = _COMMANDS[options.command](options)
    except SandboxError as error:
        print(f"error: {error}", file=sys.stderr)  # noqa: T201 -- a command line speaks on its streams
        status = 8
    except ValidationError as error:
        if not (wrong := why_unusable(error)):
            raise
        print(f"error: {wrong}", file=sys.stderr)  # noqa: T201 -- as above
        status = 2
    except KeyboardInterrupt:
        status = 130
    sys.exit(status)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m sandbox", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("doctor", help="is this host fit?")
    commands.add_parser("reap", help="remove boxes that dead owners left behind")
    commands.add_parser("node", help="serve a sandbox of this machine to whoever holds the standard streams")
    for name, text in (
        ("conformance", "what every backend must pass"),
        ("attack", "escapes, forgeries and abuse, tried against this deployment"),
    ):
        command = commands.add_parser(name, help=text)
        choices = BACKENDS if name == "attack" else SANDBOXES
        command.add_argument("--backend", default="docker", choices=choices)
        command.add_argument("--python", default=DEFAULT_PYTHON, choices=sorted(BOX_PYTHONS), help="of the boxes")
        command.add_argument("--only", default="", help="names that contain this")
        command.add_argument("--format", default="human", choices=("human", "json"))
    harm = commands.add_parser("harm", help="judge while boxes, an engine of its own, disks and clients are harmed")
    harm.add_argument("--minutes", type=float, default=60.0)
    harm.add_argument("--seed", type=int, default=1, help="of what is done when")
    harm.add_argument("--format", default="human", choices=("human", "json"))
    run = commands.add_parser("run", help="score calls (JSON lines on stdin: id, task, response …) with a wheel")
    run.add_argument("wheel", type=Path)
    run.add_argument("--backend", default="docker", choices=SANDBOXES)
    run.add_argument("--isolation", choices=[level.value for level in Isolation])
    return parser


def _doctor(_: argparse.Namespace) -> int:
    findings = examine_host(SandboxSettings())
    for finding in findings:
        _say(f"{_MARKS[finding.level]}  {finding.what}{': ' if finding.advice else ''}{finding.advice}")
    return 6 if any(finding.level == "missing" for finding in findings) else 0


def _reap(_: argparse.Namespace) -> int:
    async def reap() -> int:
        backend = make_backend("docker", SandboxSettings())
        try:
            return await backend.reap()
        finally:
            await backend.aclose()

    _say(f"{asyncio.run(reap())} orphaned boxes removed")
    return 0


def _conformance(options: argparse.Namespace) -> int:
    async def check() -> int:
        sandbox = make_sandbox(options.backend, SandboxSettings())
        try:
            await sandbox.check()
            return await _report(options, run_checks(sandbox, options.only, options.python))
        finally:
            await sandbox.aclose()

    return asyncio.run(check())


def _node(_: argparse.Namespace) -> int:
    asyncio.run(serve_node())
    return 0


def _attack(options: argparse.Namespace) -> int:
    async def attack() -> int:
        settings = SandboxSettings()
        async with Sandbox(make_backend(options.backend, settings), settings) as sandbox:
            return await _report(options, run_attempts(sandbox, options.only, options.python))

    return asyncio.run(attack())


def _harm(options: argparse.Namespace) -> int:
    # It has an engine, disks and mounts of its own. They must go also when a service manager ends it, and when a shell
    # started it in the background, which lets it ignore an interrupt.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    report = run_harm(options.minutes * 60, options.seed, lambda text: print(text, file=sys.stderr, flush=True))  # noqa: T201 -- a command line speaks on its streams
    if options.format == "json":
        _say(json.dumps(report.as_json()))
    else:
        _say("\n".join([report.sentence(), *(f"  {line}" for line in report.tally.first)]))
    return 0 if report.is_clean else 6


async def _report(options: argparse.Namespace, outcomes: AsyncIterator[Any]) -> int:
    """Print the outcomes of tests as they come, and at last how many there were."""
    tried = failed = 0
    async for outcome in outcomes:
        tried += 1
        failed += bool(outcome.problem)
        if options.format == "json":
            _say(json.dumps({"name": outcome.name, "seconds": outcome.seconds, "problem": outcome.problem}))
        else:
            mark = "FAILED" if outcome.problem else "ok    "
            _say(f"{mark} {outcome.seconds:6.2f} s  {outcome.name}: {outcome.sentence}")
            if outcome.problem:
                _say(f"         {outcome.problem}")
    if options.format != "json":
        _say(f"{tried} tried, {failed} failed")
    return 6 if failed else 0


def _run(options: argparse.Namespace) -> int:
    try:
        contents = read_wheel(options.wheel.read_bytes())
    except (OSError, WheelError) as error:
        print(f"error: {options.wheel}: {error}", file=sys.stderr)  # noqa: T201 -- a command line speaks on its streams
        return 2
    source = Source(contents.digest, options.wheel, contents.manifest, python=contents.metadata.box_python)
    isolation = Isolation(options.isolation) if options.isolation else None
    calls = (Call(**json.loads(line)) for line in sys.stdin if line.strip())
    with BlockingSandbox(make_sandbox(options.backend)) as sandbox:
        for ident, verdict in sandbox.score(source, calls, isolation=isolation):
            _say(json.dumps({"id": ident, "verdict": verdict.model_dump(mode="json")}))
    return 0


def _say(text: str) -> None:
    print(text, flush=True)  # noqa: T201 -- a command line speaks on its streams


_COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "doctor": _doctor,
    "reap": _reap,
    "node": _node,
    "conformance": _conformance,
    "attack": _attack,
    "harm": _harm,
    "run": _run,
}
