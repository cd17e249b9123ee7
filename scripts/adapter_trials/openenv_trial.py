"""OpenEnv's own client against ``verihub openenv``, on a live hub and real boxes: words, and tools of a session."""

import json
import subprocess
import sys
import time
from typing import Any

import httpx
from openenv.core import GenericEnvClient


def wait_for(url: str, server: subprocess.Popen[bytes]) -> None:
    """Until the server answers. Raises SystemExit when it has ended."""
    for _ in range(600):
        if server.poll() is not None:
            raise SystemExit("verihub openenv ended")
        try:
            httpx.get(f"{url}/health", timeout=2)
        except httpx.HTTPError:
            time.sleep(0.1)
        else:
            return
    raise SystemExit("verihub openenv did not become ready")


def play(target: str, port: int, messages: list[dict[str, Any]]) -> Any:
    """The last turn of one episode with these messages."""
    url = f"http://127.0.0.1:{port}"
    main = "from hub_client.commands.main import main; main()"
    command = [sys.executable, "-c", main, "openenv", target, "--port", str(port)]
    with subprocess.Popen(command) as server:
        try:
            wait_for(url, server)
            with GenericEnvClient(base_url=url).sync() as client:
                turn = client.reset(index=0)
                print(target, turn.observation["messages"][-1]["content"][:70].replace("\n", " "))
                for message in messages:
                    turn = client.step(message)
                    print("  >", [str(each["content"])[:60] for each in turn.observation["messages"]], turn.done)
                return turn
        finally:
            server.terminate()


def main() -> None:
    """Two environments: one that listens to words, and one whose session has tools."""
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 8951
    ended = play(
        "lecture/wordle", port, [{"content": word} for word in ("crane", "moist", "build", "jumpy", "vexed", "fight")]
    )
    print(" ", ended.reward, ended.observation["reward_components"])
    if not ended.done or ended.observation["reward_components"]["valid_guesses"] != 1.0:
        raise SystemExit("six valid guesses end a game of Wordle")
    call = {
        "id": "1",
        "type": "function",
        "function": {"name": "search", "arguments": json.dumps({"words": "meeting"})},
    }
    seen = play("lecture/mail-assistant", port + 1, [{"content": "", "tool_calls": [call]}])
    if seen.observation["messages"][0]["role"] != "tool" or "error" in str(seen.observation["messages"][0]["content"]):
        raise SystemExit("the session's own tool did not answer")


if __name__ == "__main__":
    main()
