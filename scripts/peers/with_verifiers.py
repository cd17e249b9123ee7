"""The runtimes of the package `verifiers`: its own task scores a trace, and its reward runs a program in the runtime.

Runs in an environment of its own that has `verifiers`: ``with_verifiers.py [IMAGE]``, where IMAGE has python3.
"""

import asyncio
import json
import subprocess
import sys
from importlib.metadata import version
from typing import Any

import verifiers.v1 as vf
from measurement import EQUAL, MATH, call_of, measure, report
from verifiers.v1.runtimes import DockerRuntime, provision_runtime
from verifiers.v1.trace import AgentInfo

PROGRAM_CALLS = 4  # a program that imports sympy takes a core for half a second


class CallData(vf.TaskData):
    """One call."""

    call: dict[str, str]


class ProgramTask(vf.Task[CallData]):
    """Judged by a program in the runtime, as their documentation's tasks are."""

    program = EQUAL
    python = "python3"
    flags: tuple[str, ...] = ("-I", "-S")

    @vf.reward
    async def correct(self, trace: vf.Trace, runtime: vf.Runtime) -> float:  # noqa: ARG002
        """What the program printed."""
        call = json.dumps(self.data.call)
        result = await runtime.run([self.python, *self.flags, "-c", self.program, call], {})
        if result.exit_code:
            raise RuntimeError(result.stderr)
        return float(result.stdout)


class MathProgramTask(ProgramTask):
    """The same with math-verify in a program."""

    program = MATH
    python = sys.executable
    flags = ()


class InProcessTask(vf.Task[CallData]):
    """Judged in this very process, with their own helper."""

    @vf.reward
    async def correct(self, trace: vf.Trace) -> float:  # noqa: ARG002
        """Math-verify on this event loop."""
        call = self.data.call
        return vf.verify_boxed_math_answer(f"\\boxed{{{call['response']}}}", call["answer"])


async def verdict(kind: type[Any], number: int, runtime: vf.Runtime | None) -> float:
    """Build task and trace and have the framework score it."""
    task = kind(CallData(call=call_of(number)))
    seen = vf.TraceTask(type=kind.__name__, data=task.data)
    trace = vf.Trace(task=seen, agent=AgentInfo(config=vf.AgentConfig()))
    await task.score(trace, runtime)
    return trace.rewards["correct"].score


async def measure_docker(image: str, figures: dict[str, Any]) -> None:
    """In a container that their runtime starts; where it cannot, in one of ours that it borrows, and the reason."""

    async def score(runtime: vf.Runtime) -> None:
        figures["verifiers_docker"] = await measure(lambda number: verdict(ProgramTask, number, runtime))

    config = vf.DockerConfig(image=image, workdir="/tmp")  # noqa: S108
    try:
        async with provision_runtime(config) as runtime:
            await score(runtime)
            return
    except (vf.RolloutError, RuntimeError, OSError) as error:
        figures["notes"]["verifiers_docker"] = f"their runtime did not start, so it borrows a container: {error}"
    command = ["docker", "run", "--detach", "--network", "none", "--entrypoint", "sleep", image, "infinity"]
    container = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()  # noqa: ASYNC221
    try:
        async with DockerRuntime.attach(config, container) as runtime:
            await score(runtime)
    finally:
        subprocess.run(["docker", "rm", "--force", container], check=True, capture_output=True)  # noqa: ASYNC221


async def main(image: str) -> None:
    """Print figures by name."""
    figures: dict[str, Any] = {"versions": {"verifiers": version("verifiers")}, "notes": {}}
    async with provision_runtime(vf.SubprocessConfig()) as runtime:
        figures["verifiers_subprocess"] = await measure(lambda number: verdict(ProgramTask, number, runtime))
        figures["verifiers_subprocess_math"] = await measure(
            lambda number: verdict(MathProgramTask, number, runtime), in_flight=PROGRAM_CALLS, rounds=1
        )
    if image:
        await measure_docker(image, figures)
    figures["verifiers_in_process_math"] = await measure(lambda number: verdict(InProcessTask, number, None))
    report(figures)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else ""))
