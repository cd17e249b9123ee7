"""``vf-eval`` against a live hub and real boxes: packages of ``verihub export``, of one turn and of several."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from endpoint import endpoint

from hub_client import Hub
from hub_client.adapters.verifiers_export import write_package

TASKS = 4


def evaluated(hub: Hub, target: str, url: str, folder: Path) -> list[dict[str, Any]]:
    """The traces of four episodes."""
    place = folder / target.replace("/", "_")
    name = write_package(hub.environment(target), place, hub_url=hub.url)
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-deps", str(place)], check=True)
    out = folder / f"out-{name}"
    command = [
        str(Path(sys.executable).parent / "vf-eval"), name, "-m", "fixed", "--no-push", "-r", "1", "-o", str(out),
        "--client.base-url", url, "--client.api-key-var", "TRIAL_KEY", "--select.limit", str(TASKS),
        "--env.agent.harness.id", "null", "--env.agent.runtime.type", "subprocess",
    ]  # fmt: skip
    done = subprocess.run(command, env=os.environ | {"TRIAL_KEY": "none"}, check=False, text=True, capture_output=True)
    files = list(out.rglob("traces.jsonl"))
    if done.returncode or not files:
        raise SystemExit(f"vf-eval ended with {done.returncode}:\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
    return [json.loads(line) for line in files[0].read_text().splitlines()]


def main() -> None:
    """Sums answered with 1/2, and Wordle with one guess for ever."""
    with tempfile.TemporaryDirectory() as folder, endpoint(lambda _: "crane") as url, Hub() as hub:
        for target in ("lecture/change-making", "lecture/wordle"):
            episodes = evaluated(hub, target, url, Path(folder))
            judged = [trace for episode in episodes for trace in episode["traces"]]
            print(target, len(judged), "traces;", judged[0]["rewards"], judged[0]["metrics"], judged[0]["errors"])
            if len(judged) != TASKS or any(trace["errors"] or not trace["rewards"] for trace in judged):
                raise SystemExit("each trace must be judged")


if __name__ == "__main__":
    main()
