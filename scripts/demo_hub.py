"""The steps of the demos: start a hub process, publish, wait for audits, train, print tables."""

import contextlib
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import platformdirs
from import_stock import collections_of, read_record, selection
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from hub_client.commands.import_packages import package_name
from hub_client.imports.defects import DEFECTS
from hub_server.first_party import lists, projects
from schemas.measures.grades import GRADE_LIMITS
from schemas.measures.percents import in_percent

ROOT = Path(__file__).resolve().parents[1]
VERIHUB = str(ROOT / ".venv" / "bin" / "verihub")
OWNER = "lecture"
SUITES = "suites"
"""The account that publishes the suites.

A verifier's own owner cannot publish independent evidence for its grade, so it is another account.
"""
STOCK = "stock"
"""The account that publishes what is imported from other libraries."""
HELD_OUT_TASKS = 48
STEPS = 8
TRAINING = [  # why each is what it is: docs/how_to/train.md
    "--model", "smollm2", "--recipe", "gdpo", "--prompts-per-step", "8", "--num-generations", "8",
    "--max-completion-length", "24", "--learning-rate", "5e-5", "--temperature", "0.9",
    "--set", "max_generation_batches=1", "--eval-tasks", str(HELD_OUT_TASKS), "--seed", "0",
]  # fmt: skip
console = Console(stderr=True, highlight=False)
_RELEASES_PER_DAY = 2000
"""Of an account: the whole stock is more than the 200 that a hub takes from a stranger."""
_REST = 9
"""Between two looks at the audits, so many times what a look takes: of hundreds of packages, a look takes a second."""
_TELL_SECONDS = 30
"""Between two lines about the audits in a file or a pipe."""
_START_SECONDS = 300
"""For a hub to become ready: 3 on an idle machine, over 60 beside twenty busy processes on two processors."""
tables = Console(highlight=False, width=None if sys.stdout.isatty() else 110)


class DemoError(Exception):
    """The demo cannot go on; the message says why and what to do."""


class Hub:
    """The demo's hub: a server process on a folder, and the account that publishes to it."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder = folder
        self.url = f"http://127.0.0.1:{port}"
        self.port = port
        self.process: subprocess.Popen[bytes] | None = None
        self.credentials_file = folder / "account.json"
        others = {name: folder / f"{name}.json" for name in (SUITES, STOCK)}
        self.accounts = {OWNER: self.credentials_file, **others}

    def start(self) -> None:
        """Start ``verihub serve`` and wait until it is ready. Its log is beside its data."""
        self.folder.mkdir(parents=True, exist_ok=True)
        log = (self.folder / "hub.log").open("ab")
        command = [
            VERIHUB,
            "serve",
            "--host",
            "127.0.0.1",
            "--port",
            str(self.port),
            "--data",
            str(self.folder / "hub"),
        ]
        environment = dict(os.environ) | {
            "VERIHUB_SERVER_SUITE_OWNERS": json.dumps([SUITES]),
            "VERIHUB_SERVER_LIMITS__RELEASES_PER_DAY": str(_RELEASES_PER_DAY),
        }
        self.process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True, env=environment)
        deadline = time.monotonic() + _START_SECONDS
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                tail = (self.folder / "hub.log").read_text(errors="replace").splitlines()[-5:]
                raise DemoError("The hub stopped while starting:\n  " + "\n  ".join(tail))
            with contextlib.suppress(httpx.HTTPError):
                if httpx.get(f"{self.url}/readyz", timeout=2).status_code == 200:
                    return
            time.sleep(0.2)
        raise DemoError(f"The hub did not become ready within {_START_SECONDS} s; its log is {self.folder / 'hub.log'}")

    def stop(self) -> None:
        """Ask the hub process to stop; kill it if it does not."""
        if self.process is None or self.process.poll() is not None:
            return
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()

    def token(self, owner: str = OWNER) -> str:
        """A publishing account's token; the account is made the first time."""
        file = self.accounts[owner]
        if file.exists():
            saved: dict[str, str] = json.loads(file.read_text())
            return saved["token"]
        body = {"name": owner, "email": f"{owner}@example.org", "password": secrets.token_urlsafe(24)}
        answer = httpx.post(f"{self.url}/api/v1/accounts", json=body, timeout=30)
        if answer.status_code != 201:
            raise DemoError(
                f"The hub refused the demo's account: {answer.text}\nRun scripts/demo --fresh to start over."
            )
        file.touch(mode=0o600)
        file.write_text(json.dumps({**body, "token": answer.json()["token"]}))
        return str(answer.json()["token"])

    def get(self, path: str) -> Any:
        """GET ``path`` below ``/api/v1`` and return the parsed answer."""
        answer = httpx.get(f"{self.url}/api/v1{path}", timeout=30)
        answer.raise_for_status()
        return answer.json()

    def verihub(self, *arguments: str, capture: bool = False, owner: str = OWNER) -> str:
        """Run the command line against this hub; its progress goes to the terminal."""
        command = [VERIHUB, "--url", self.url, *arguments]
        environment = {"VERIHUB_TOKEN": self.token(owner), "OMP_NUM_THREADS": "2"}
        done = subprocess.run(
            command,
            env=dict(os.environ) | environment,
            stdout=subprocess.PIPE if capture else None,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise DemoError(f"`verihub {' '.join(arguments)}` failed with exit code {done.returncode}.")
        return done.stdout or ""


@contextlib.contextmanager
def step(title: str) -> Iterator[None]:
    """Print what begins, and at the end how long it took."""
    started = time.monotonic()
    console.print(f"[bold]{title}[/bold]")
    yield
    console.print(f"[dim]  {time.monotonic() - started:.0f} s[/dim]")


def free_port(wanted: int) -> int:
    """``wanted`` if nobody listens there, else the next free port."""
    for port in range(wanted, wanted + 50):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            with contextlib.suppress(OSError):
                probe.bind(("127.0.0.1", port))
                return port
    raise DemoError(f"No free port between {wanted} and {wanted + 49}: name one with --port.")


def publish(hub: Hub, folders: list[Path]) -> None:
    """Publish project folders through the command line; what is there already stays as it is.

    Suites come first and in the name of an account of their own: published after a verifier they would count as cases
    that its author could not know.
    """
    suites = [folder for folder in folders if folder.name.startswith("suite-")]
    if suites:
        hub.verihub("publish", *[str(folder) for folder in suites], owner=SUITES)
    hub.verihub("publish", *[str(folder) for folder in folders if folder not in suites])
    for one in lists():
        hub.verihub(*one.command)


def collection_folders() -> list[Path]:
    """The packages of the collection, leaves first: what others refer to is published before them.

    Without those that ask a model: the demo's hub offers none.
    """
    return [project.folder for project in projects() if not project.asks_model]


def wait_for_audits(hub: Hub, still_seconds: float = 600) -> list[dict[str, Any]]:
    """Watch the hub's worker until every package is measured; return the packages' cards.

    A slow or busy machine may take as long as it needs. Raises ``DemoError`` when no audit has moved on for
    ``still_seconds``.
    """
    columns = (
        SpinnerColumn(),
        TextColumn("  {task.description:<28}"),
        BarColumn(),
        TextColumn("{task.fields[note]}"),
        TimeElapsedColumn(),
    )
    seen, deadline, told_at = "", time.monotonic() + still_seconds, time.monotonic()
    with Progress(*columns, console=console, transient=True) as progress:
        overall = progress.add_task("measured", total=None, note="")
        bars: dict[str, Any] = {}
        while True:
            asked = time.monotonic()
            try:
                cards = [card for card in all_cards(hub) if card["audit_state"] != "none"]
            except httpx.TransportError:  # a busy machine; a hub that has ended answers nothing for all that time
                if time.monotonic() > deadline:
                    raise
                time.sleep(_REST)
                continue
            waiting = [card for card in cards if card["audit_state"] in ("queued", "running")]
            ended = len(cards) - len(waiting)
            progress.update(overall, total=len(cards), completed=ended, note=f"{ended} of {len(cards)} packages")
            _show_running(hub, progress, bars, waiting)
            told_at = _tell_without_terminal(progress, told_at)
            if not waiting:
                return cards
            now_seen = f"{len(waiting)} {[(task.completed, task.fields['note']) for task in progress.tasks]}"
            if now_seen != seen:
                seen, deadline = now_seen, time.monotonic() + still_seconds
            elif time.monotonic() > deadline:
                names = ", ".join(card["id"] for card in waiting)
                raise DemoError(
                    f"Nothing moved for {still_seconds:.0f} s in the audits of {names}. See {hub.folder / 'hub.log'}"
                )
            time.sleep(max(0.7, _REST * (time.monotonic() - asked)))


def publish_results(hub: Hub) -> None:
    """Real results for the benchmark's page: this hub judges the kept answers of a small model, and trivial baselines.

    What an earlier demo sent is not sent again.
    """
    if hub.get(f"/benchmarks/{OWNER}/starter-bench/releases/latest/results?limit=1")["items"]:
        return
    command = [sys.executable, "-m", "scripts.bench_models", "publish", "--url", hub.url]
    done = subprocess.run(command, cwd=ROOT, env=dict(os.environ) | {"VERIHUB_TOKEN": hub.token()}, check=False)
    if done.returncode != 0:
        raise DemoError("The results of the benchmark could not be sent; see the messages above.")


def all_cards(hub: Hub) -> list[dict[str, Any]]:
    """Every package's card, page by page."""
    cards: list[dict[str, Any]] = []
    following = ""
    while True:
        page = hub.get(f"/packages?limit=100{following}")
        cards += page["items"]
        if not page["next"]:
            return cards
        following = f"&cursor={page['next']}"


def publish_stock(hub: Hub, brought: Path | None = None) -> None:
    """Import what is worth showing of other libraries, and publish it in the name of an account of its own.

    What an earlier demo imported is not imported again: the folder outlives ``--fresh``. ``brought``: a folder that
    ``scripts/import_stock`` has filled; then nothing is imported.
    """
    folder = brought or platformdirs.user_cache_path("verihub") / "stock"  # not below var: packing heeds .gitignore
    ended = 0 if brought else _import_stock(folder)
    rows = [row for row in selection(read_record(folder)) if _project(folder, row).is_dir()]
    chosen = [_project(folder, row) for row in rows]
    if not chosen:
        raise DemoError(f"Nothing of other libraries is in {folder}: is pip's index reachable?")
    if ended not in {0, 1}:
        console.print(f"  scripts/import_stock ended with status {ended}: what it had brought is published")
    console.print(f"  {len(chosen)} packages")
    for start in range(0, len(chosen), 20):
        hub.verihub("publish", *map(str, chosen[start : start + 20]), owner=STOCK)
    with tempfile.TemporaryDirectory() as scratch:
        for source, text in collections_of(rows, STOCK).items():
            file = Path(scratch) / f"{source}.toml"
            file.write_text(text, encoding="utf-8")
            hub.verihub("collection", "publish", str(file), owner=STOCK)
    for project in chosen:
        _submit_defects(hub, project)


def _project(folder: Path, row: dict[str, Any]) -> Path:
    return folder / package_name(row["source"], row["item"])


def _submit_defects(hub: Hub, project: Path) -> None:
    """Another account submits what the verifier judges wrongly. Nobody seconds it here: a rule made the labels."""
    defects = project / DEFECTS
    if defects.is_file() and defects.read_text(encoding="utf-8").strip():
        hub.verihub("cases", "submit", f"{STOCK}/{project.name}", str(defects), owner=SUITES)


def _import_stock(folder: Path) -> int:
    """How ``scripts/import_stock`` ended: 1 where something failed that no reason of the source's explains."""
    command = [sys.executable, str(ROOT / "scripts" / "import_stock.py"), str(folder), "--owner", STOCK]
    return subprocess.run(command, check=False).returncode


def _tell_without_terminal(progress: Progress, told_at: float) -> float:
    """Where no terminal shows the bars, a line of them from time to time. Returns when that was last."""
    if console.is_terminal or time.monotonic() < told_at + _TELL_SECONDS:
        return told_at
    overall, *running = progress.tasks
    now = ", ".join(f"{bar.description} {bar.fields['note']}" for bar in running)
    told = f"{overall.description} {overall.fields['note']}" + (f"; now {now}" if now else "")
    console.print(f"  {time.strftime('%H:%M:%S')}  {told}", markup=False, soft_wrap=True)
    return time.monotonic()


def _show_running(hub: Hub, progress: Progress, bars: dict[str, Any], waiting: list[dict[str, Any]]) -> None:
    """A bar for each audit that is running now: of hundreds that wait or have ended, no terminal can show all."""
    running = [card for card in waiting if card["audit_state"] == "running"]
    for ended in set(bars) - {card["id"] for card in running}:
        progress.remove_task(bars.pop(ended))
    for card in running:
        if card["id"] not in bars:
            bars[card["id"]] = progress.add_task(card["id"], total=None, note="")
        with contextlib.suppress(httpx.TransportError):
            _show_cases(hub, progress, bars[card["id"]], card)


def _show_cases(hub: Hub, progress: Progress, bar: Any, card: dict[str, Any]) -> None:
    record = hub.get(f"/packages/{card['id']}/releases/{card['latest']}/audits")["items"][0]
    done, total = record["done_cases"], record["total_cases"] or None
    progress.update(bar, total=total, completed=done, note=f"{done} of {total or '?'} cases")


def rate_text(rate: dict[str, Any]) -> str:
    """A rate with its interval, in per cent."""
    if rate["value"] is None:
        return "[dim]no cases[/dim]"
    value, low, high = (in_percent(rate[end], 1, GRADE_LIMITS) for end in ("value", "low", "high"))
    return f"{value} % [dim]{low}–{high}[/dim]"


def print_rates(cards: list[dict[str, Any]]) -> None:
    """Print the table of error rates."""
    table = Table(
        title="Measured in Docker by this hub's worker; rates in per cent with 95 % intervals",
        title_justify="left",
        box=None,
        padding=(0, 1),
    )
    table.add_column("package", no_wrap=True)  # at 80 columns the names were cut, and the rates folded as they are now
    for heading in ("release", "grade", "rejects right (FNR)", "accepts wrong (FPR)", "cases"):
        table.add_column(heading, justify="right" if heading == "cases" else "left")
    for card in cards:
        audit = card["audit"]
        if audit is None:
            table.add_row(card["id"], card["latest"] or "–", "–", card["audit_state"], "", "")
            continue
        overall = audit["reads"] or audit["overall"]
        hollow = " hollow" if audit["is_hollow"] else ""
        table.add_row(
            card["id"], audit["version"], f"[bold]{audit['grade']}[/bold]{hollow}",
            rate_text(overall["fnr"]), rate_text(overall["fpr"]), str(audit["case_count"]),
        )  # fmt: skip
    tables.print(table)
    if any(card["audit"] and card["audit"]["is_hollow"] for card in cards):
        console.print("A hollow grade stands on the author's own cases alone and is at most C: others' suites lift it.")


def train(hub: Hub, target: str, run_name: str, *, again: bool, steps: int = STEPS) -> dict[str, Any]:
    """GRPO on ``target``, which ends in a table; a finished run of that name is shown instead, unless ``again``."""
    runs = [run for run in hub.get("/runs?limit=50")["items"] if run["name"] == run_name and run["state"] == "finished"]
    if runs and not again:
        console.print(f"  {run_name} was trained before: --retrain trains it again")
        print_training(runs[0])
        return dict(runs[0])
    hub.verihub(
        "train",
        target,
        *TRAINING,
        "--steps",
        str(steps),
        "--run-name",
        run_name,
        "--output",
        str(hub.folder / "runs" / f"{run_name}-{int(time.time())}"),
    )
    runs = [run for run in hub.get("/runs?limit=50")["items"] if run["name"] == run_name]
    if not runs or runs[0]["state"] != "finished":
        raise DemoError(f"The training run {run_name} did not reach the hub; see the messages above.")
    return dict(runs[0])


def print_training(run: dict[str, Any]) -> None:
    """Reward components before and after, on held-out tasks."""
    table = Table(title=f"{run['name']}: held-out tasks, greedy", title_justify="left", box=None, padding=(0, 2))
    for heading in ("reward", "before (95 %)", "after (95 %)", "change"):
        table.add_column(heading)
    for name, change in run["summary"].items():
        before = f"{change['before']:.2f} [dim]{change['before_low']:.2f}–{change['before_high']:.2f}[/dim]"
        after = f"{change['after']:.2f} [dim]{change['after_low']:.2f}–{change['after_high']:.2f}[/dim]"
        outside = change["after_low"] > change["before_high"] or change["after_high"] < change["before_low"]
        word = "outside noise" if outside else "within noise"
        table.add_row(name, before, after, f"{change['after'] - change['before']:+.2f}, {word}")
    tables.print(table)
