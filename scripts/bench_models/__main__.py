"""Real results for a hub's benchmark page: small models and trivial baselines on ``lecture/starter-bench``.

``.venv/bin/python -m scripts.bench_models publish --url URL`` sends a hub what was played before: its own verifiers
judge the kept answers again, and no model is asked. The account is that of VERIHUB_TOKEN. ``play`` lets the models play
anew and keeps what they answer; start ``verihub serve-model smollm2`` first, and name it with ``--model URL#smollm2``.
A play that was stopped goes on where it was. Baselines need no model: they play whenever results are published.

What is kept now was written in batches by transformers' ``generate``, from the weights that ``serve-model smollm2``
serves and with its chat template. A play by another engine, or of a sampled entry, gives other answers.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path

from hub_client.client import Hub
from hub_client.settings import ClientSettings
from scripts.bench_models import stored
from scripts.bench_models.entries import ENTRIES, Entry, endpoint

PLAYED = Path("var", "bench_models")


def main(arguments: Sequence[str] | None = None) -> None:
    """Play, or publish."""
    options = argparse.ArgumentParser(
        prog="python -m scripts.bench_models",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    options.add_argument("what", choices=["play", "publish"])
    options.add_argument("--url", help="the hub; default: as verihub's own --url")
    options.add_argument("--model", default="http://127.0.0.1:8644/v1#smollm2", help="the language model, to play")
    options.add_argument("--tasks", type=int, default=12, help="of each environment, to play")
    given = options.parse_args(arguments)
    settings = ClientSettings.load(url=given.url) if given.url else ClientSettings.load()
    with Hub(settings=settings) as hub:
        if given.what == "publish":
            publish(hub)
        else:
            play(hub, given.model, given.tasks)


def play(hub: Hub, model: str, tasks: int) -> None:
    """Let the language model play in each of its settings, and keep all attempts."""
    rows = []
    with endpoint(model) as url:
        for entry in ENTRIES:
            if entry.answer is None:
                folder = PLAYED / entry.slug
                evaluate(hub, entry, url, tasks, folder, "--no-hub")
                rows.append(stored.collect(entry, stored.cells(hub, entry.harnesses, tasks), folder))
    stored.write(chain.from_iterable(rows))


def publish(hub: Hub, rows: Iterable[stored.Row] | None = None) -> None:
    """Have the hub's own releases judge what is kept, and send the results.

    ``verihub eval`` goes on there with nothing to play. Raises :class:`~scripts.bench_models.stored.ChangedTasksError`
    where the hub has other tasks.
    """
    kept = list(stored.read() if rows is None else rows)
    count = stored.count_of(kept)
    with tempfile.TemporaryDirectory() as scratch, endpoint() as url:
        for entry in ENTRIES:
            folder = Path(scratch, entry.slug)
            if entry.answer is None:
                stored.lay_out(entry, stored.cells(hub, entry.harnesses, count), kept, folder)
            evaluate(hub, entry, url, count, folder)


def evaluate(hub: Hub, entry: Entry, url: str, tasks: int, folder: Path, *more: str) -> None:
    """``verihub eval`` of one entry."""
    harnesses = [part for name in entry.harnesses for part in ("--harness", name)]
    command = [
        sys.executable, "-m", "hub_client.commands.main", "--url", hub.url, "eval", stored.BENCHMARK,
        "--model", entry.name, "--endpoint", url, "--temperature", f"{entry.temperature:g}",
        "--max-tokens", str(stored.MOST_TOKENS), "--tasks", str(tasks), "--workers", "16", "--output", str(folder),
        *harnesses, *more,
    ]  # fmt: skip
    subprocess.run(command, check=True, env=dict(os.environ))


if __name__ == "__main__":
    main()
