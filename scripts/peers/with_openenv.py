"""OpenEnv: an environment of its own classes behind its own server, one step a verdict, asked by its own client.

Runs in an environment of its own that has `openenv-core` and math-verify: ``with_openenv.py`` measures and starts
``with_openenv.py serve PORT``. The server runs on this machine as it would in its image, whose build needs a registry.
"""

import asyncio
import socket
import subprocess
import sys
import time
import urllib.request
from importlib.metadata import version
from typing import Any

import uvicorn
from math_verify import parse, verify
from measurement import IN_FLIGHT, call_of, measure, report
from openenv.core import GenericEnvClient
from openenv.core.env_server import Action, Environment, Observation, State, create_app


class CallAction(Action):
    """One call."""

    answer: str
    response: str
    with_math: bool = False


class VerifierEnvironment(Environment[CallAction, Observation, State]):
    """A step is a verdict."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def reset(self, seed: int | None = None, episode_id: str | None = None, **_: Any) -> Observation:  # noqa: ARG002
        """Nothing to set up."""
        return Observation()

    def step(self, action: CallAction, timeout_s: float | None = None, **_: Any) -> Observation:  # noqa: ARG002
        """Judge."""
        if action.with_math:
            # math-verify's clock is a signal, which a server's threads do not have
            gold, found = (
                parse(f"${text}$", parsing_timeout=None, raise_on_error=True)
                for text in (action.answer, action.response)
            )
            return Observation(reward=float(verify(gold, found, timeout_seconds=None)))
        return Observation(reward=float(action.answer == action.response))

    @property
    def state(self) -> State:
        """An empty state: the environment keeps none."""
        return State()


def serve(port: int) -> None:
    """Serve until the process is killed."""
    app = create_app(VerifierEnvironment, CallAction, Observation, max_concurrent_envs=2 * IN_FLIGHT)
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="error")


async def measure_server(url: str) -> dict[str, Any]:
    """One WebSocket for each call in flight."""
    clients = [GenericEnvClient(base_url=url) for _ in range(IN_FLIGHT)]
    for client in clients:
        await client.connect()
        await client.reset()

    async def step(number: int, *, with_math: bool) -> float:
        result = await clients[number % IN_FLIGHT].step({**call_of(number), "with_math": with_math})
        return float(result.reward)

    try:
        # the measurement of one call alone uses rising numbers, so each client has one call at a time
        return {
            "openenv": await measure(lambda number: step(number, with_math=False)),
            "openenv_math": await measure(lambda number: step(number, with_math=True)),
        }
    finally:
        for client in clients:
            await client.close()


def main() -> None:
    """Start the server, measure, end it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, __file__, "serve", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            _await_health(port, server)
            figures = asyncio.run(measure_server(f"http://127.0.0.1:{port}"))
        finally:
            server.kill()
    report({"versions": {"openenv-core": version("openenv-core")}, "notes": {}, **figures})


def _await_health(port: int, server: "subprocess.Popen[bytes]") -> None:
    for _ in range(300):
        if server.poll() is not None:
            raise RuntimeError("the OpenEnv server ended at its start")
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5):
                return
        except OSError:
            time.sleep(0.2)
    raise RuntimeError("the OpenEnv server was not healthy after 60 seconds")


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        serve(int(sys.argv[2]))
    else:
        main()
