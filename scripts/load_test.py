"""A load test that anybody can repeat: readers, publishers, scorers and runs that report, all at once on one machine.

What the hub has acknowledged is written down, and looked for at the end: a release by its bytes, a run by its points,
verdicts by their number. A refusal (429, 503, a lost connection) is counted and tried again: it loses nothing.
Only loopback addresses are taken. Rates and times are those of this machine, which also plays the clients.
"""

import argparse
import base64
import hashlib
import io
import itertools
import json
import math
import secrets
import sys
import threading
import time
import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import httpx

_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_PASSWORD = "load test, no secret"  # noqa: S105 -- of accounts that exist for the test
_PAUSE_SECONDS = 0.2
_START_SECONDS = 60.0
"""So long a hub may refuse the first accounts and the first release: with a limit used up it would refuse for ever."""
_DONE = (200, 201, 204)
_PACKAGES_EACH = 3
_RELEASES_A_DAY = 190
"""Fewer than one account may publish."""
_MANIFEST = """\
format = 1
id = "{package}"
kind = "environment"
tasks = {{ train = "tasks.jsonl" }}
verifier = "{module}:verify"
audit = ["audit.jsonl"]

[rewards.correct]
description = "the sum is right"
"""
_METADATA = """\
Metadata-Version: 2.4
Name: {name}
Version: {version}
Summary: Made by a load test
License-Expression: Apache-2.0
Requires-Python: >=3.11
"""
_CODE = "def verify(task, response):\n    return {'correct': float(response.strip() == str(task['answer']))}\n"
_TASKS = '{"id": "t1", "prompt": "1+1?", "answer": 2}\n{"id": "t2", "prompt": "2+3?", "answer": 5}\n'
_CASES = (
    '{"id": "a1", "task_id": "t1", "response": "2", "label": "correct"}\n'
    '{"id": "a2", "task_id": "t2", "response": "6", "label": "incorrect"}\n'
)


def make_wheel(package: str, version: str) -> bytes:
    """A small sound environment."""
    module, name = package.replace("/", "_").replace("-", "_"), package.replace("/", "-")
    info = f"{name.replace('-', '_')}-{version}.dist-info"
    files = {
        f"{module}/__init__.py": _CODE,
        f"{module}/verihub.toml": _MANIFEST.format(package=package, module=module),
        f"{module}/tasks.jsonl": _TASKS,
        f"{module}/audit.jsonl": _CASES,
        f"{info}/METADATA": _METADATA.format(name=name, version=version),
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: load test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    files[f"{info}/RECORD"] = "".join(map(_record_line, files, files.values())) + f"{info}/RECORD,,\n"
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in files.items():
            archive.writestr(zipfile.ZipInfo(path, (2026, 1, 1, 0, 0, 0)), text)
    return sink.getvalue()


def _record_line(path: str, text: str) -> str:
    """What a wheel's RECORD says of a file."""
    hashed = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")
    return f"{path},sha256={hashed},{len(text.encode())}\n"


@dataclass
class Book:
    """What was asked, and what was acknowledged. Any thread may write."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    refusals: Counter[tuple[str, str]] = field(default_factory=Counter)
    faults: Counter[tuple[str, str]] = field(default_factory=Counter)
    releases: dict[tuple[str, str], str] = field(default_factory=dict)
    """(package, version) -> digest."""
    points: Counter[str] = field(default_factory=Counter)
    """Run -> its acknowledged points."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, act: str, seconds: float, refusal: str = "", fault: str = "") -> None:
        """One request."""
        with self.lock:
            if refusal:
                self.refusals[act, refusal] += 1
            elif fault:
                self.faults[act, fault] += 1
            else:
                self.seconds[act].append(seconds)


class LoadTest:
    """Threads that ask the hub behind ``urls`` (its serving processes, in turns) until they are told to stop.

    ``pause_seconds``: how long each waits before it publishes, reads or reports again.
    """

    def __init__(self, urls: Sequence[str], pause_seconds: float = 0.0) -> None:
        for url in urls:
            if urlsplit(url).hostname not in _LOOPBACK:
                raise ValueError(f"{url} is not on this machine: a load test of somebody else's hub is an attack")
        self.urls = [url.rstrip("/") for url in urls]
        self.book = Book()
        self.stopped = threading.Event()
        self._pause_seconds = pause_seconds
        self._turn = itertools.count()
        self._clients = threading.local()
        self._opened: list[httpx.Client] = []
        self._threads: list[threading.Thread] = []
        self._mark = secrets.token_hex(3)

    def start(self, *, readers: int, publishers: int, scorers: int, runs: int) -> None:
        """Sign up the accounts, publish a first package, and begin."""
        tokens = [self._sign_up(f"load{self._mark}{number}") for number in range(publishers + runs + 1)]
        self.package = f"load{self._mark}{publishers + runs}/sums"
        self._publish(self.package, "1.0.0", tokens[-1], _START_SECONDS)
        if not self.book.releases:
            raise RuntimeError(f"nothing can be published: {dict(self.book.refusals + self.book.faults)}")
        works: list[Callable[[], None]] = [self._read] * readers + [self._score] * scorers
        for number in range(publishers):
            name = f"load{self._mark}{number}"
            works.append(lambda name=name, token=tokens[number]: self._publish_many(name, token))  # type: ignore[misc]
        works += [lambda token=token: self._report(token) for token in tokens[publishers : publishers + runs]]  # type: ignore[misc]
        for work in works:
            thread = threading.Thread(target=work, daemon=True)
            thread.start()
            self._threads.append(thread)

    def stop(self) -> None:
        """End, each thread after its last request."""
        self.stopped.set()
        for thread in self._threads:
            thread.join(120)
        for client in self._opened:
            client.close()

    def ask(
        self,
        act: str,
        method: str,
        path: str,
        *,
        expect: Sequence[int] = _DONE,
        patience_seconds: float = math.inf,
        **more: Any,
    ) -> Any:
        """One request, tried again while it is refused, for ``patience_seconds``; None when it was not answered by then
        or the test has ended.
        """
        deadline = time.monotonic() + patience_seconds
        while True:
            started = time.perf_counter()
            url = self.urls[next(self._turn) % len(self.urls)]
            try:
                answer = self._client().request(method, url + path, **more)
            except httpx.HTTPError as error:
                self.book.note(act, 0, refusal=type(error).__name__)
            else:
                if answer.status_code in expect:
                    self.book.note(act, time.perf_counter() - started)
                    return answer
                if answer.status_code not in (429, 502, 503):
                    self.book.note(act, 0, fault=f"{answer.status_code} {_code_of(answer)}")
                    return None
                self.book.note(act, 0, refusal=str(answer.status_code))
            if self.stopped.wait(_PAUSE_SECONDS) or time.monotonic() > deadline:
                return None

    def _client(self) -> httpx.Client:
        if not hasattr(self._clients, "one"):
            self._clients.one = httpx.Client(timeout=60)
            self._opened.append(self._clients.one)
        client: httpx.Client = self._clients.one
        return client

    def _sign_up(self, name: str) -> str:
        body = {"name": name, "email": f"{name}@example.org", "password": _PASSWORD}
        answer = self.ask("sign up", "POST", "/api/v1/accounts", json=body, patience_seconds=_START_SECONDS)
        if answer is None:
            told = dict(self.book.refusals + self.book.faults)
            raise RuntimeError(f"no account could be made within {_START_SECONDS:.0f} s: {told}")
        return str(answer.json()["token"])

    def _publish(self, package: str, version: str, token: str, patience_seconds: float = math.inf) -> None:
        wheel = make_wheel(package, version)
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/octet-stream"}
        more: dict[str, Any] = {"content": wheel, "headers": headers, "patience_seconds": patience_seconds}
        if self.ask("publish", "POST", "/api/v1/packages", **more) is not None:
            with self.book.lock:
                self.book.releases[package, version] = f"sha256:{hashlib.sha256(wheel).hexdigest()}"

    def _publish_many(self, owner: str, token: str) -> None:
        for number in range(_RELEASES_A_DAY):
            if self.stopped.wait(self._pause_seconds):
                return
            self._publish(f"{owner}/sums-{number % _PACKAGES_EACH}", f"1.{number // _PACKAGES_EACH}.0", token)

    def _read(self) -> None:
        pages = ("/", "/packages?q=sums", f"/packages/{self.package}", "/api/v1/packages?limit=20", "/simple/", "/runs")
        for page in itertools.cycle(pages):
            if self.stopped.wait(self._pause_seconds):
                return
            self.ask(f"read {page.partition('?')[0].replace(self.package, 'PACKAGE')}", "GET", page)

    def _score(self) -> None:
        lines = [{"id": str(at), "task_id": "t1", "response": str(at % 3)} for at in range(20)]
        body = "".join(json.dumps(line) + "\n" for line in lines)
        path = f"/api/v1/packages/{self.package}/releases/1.0.0/score"
        while not self.stopped.is_set():
            answer = self.ask("score 20", "POST", path, content=body)
            if answer is not None and len(answer.text.splitlines()) != len(lines) + 1:
                self.book.note("score 20", 0, fault=f"{len(answer.text.splitlines())} lines for {len(lines)}")

    def _report(self, token: str) -> None:
        headers = {"Authorization": f"Bearer {token}"}
        while not self.stopped.is_set():
            made = self.ask("run", "POST", "/api/v1/runs", json={"name": "load", "kind": "training"}, headers=headers)
            if made is None:
                continue
            self._report_steps(made.json()["id"], headers)

    def _report_steps(self, run: str, headers: dict[str, str]) -> None:
        """Fifty steps of a run. A point that is sent twice is one."""
        for step in range(1, 51):
            points = {"items": [{"step": step, "values": {"reward": step / 50}}]}
            path = f"/api/v1/runs/{run}/metrics"
            if self.ask("metrics", "POST", path, json=points, expect=_DONE, headers=headers) is not None:
                with self.book.lock:
                    self.book.points[run] += 1
            if self.stopped.wait(self._pause_seconds):
                return

    def lost(self) -> list[str]:
        """What was acknowledged and is not there, one sentence each."""
        found = []
        # A hub closes a connection that was idle for a while, and a request that meets the close has no answer.
        with httpx.Client(timeout=60, limits=httpx.Limits(max_keepalive_connections=0)) as client:
            for (package, version), digest in sorted(self.book.releases.items()):
                answer = client.get(f"{self.urls[0]}/api/v1/packages/{package}/releases/{version}/wheel")
                if f"sha256:{hashlib.sha256(answer.content).hexdigest()}" != digest:
                    found.append(f"{package} {version} is not what was published ({answer.status_code})")
            for run, points in self.book.points.items():
                answer = client.get(f"{self.urls[-1]}/api/v1/runs/{run}/metrics")
                count = len(answer.json()["items"]) if answer.status_code == 200 else 0
                if count < points:
                    found.append(f"run {run} has {count} of {points} points")
        return found


def _code_of(answer: httpx.Response) -> str:
    """The hub's word for a refusal."""
    try:
        return str(answer.json()["code"])
    except (ValueError, KeyError, TypeError):
        return "without a word"


def figures(book: Book, seconds: float) -> dict[str, Any]:
    """By act: how many, how many a second, p50, p95 and longest in ms, and what was refused or failed."""
    acts: dict[str, Any] = {}
    for act, times in sorted(book.seconds.items()):
        ordered = sorted(times)
        at = [ordered[min(len(ordered) - 1, int(len(ordered) * part))] * 1000 for part in (0.5, 0.95, 1)]
        acts[act] = {
            "count": len(times),
            "a_second": len(times) / seconds,
            "p50": at[0],
            "p95": at[1],
            "longest": at[2],
        }
    told = {"refused": book.refusals, "failed": book.faults}
    return {"acts": acts, **{name: {" ".join(key): n for key, n in sorted(c.items())} for name, c in told.items()}}


def main() -> int:
    """Run it, and say what came of it. Exit status 1: something was lost or failed."""
    parser = argparse.ArgumentParser(prog="scripts/load_test", description=__doc__)
    parser.add_argument("urls", nargs="+", metavar="URL", help="the hub's serving processes, on this machine")
    parser.add_argument("--minutes", type=float, default=10.0)
    for name, count in (("readers", 4), ("publishers", 2), ("scorers", 2), ("runs", 2)):
        parser.add_argument(f"--{name}", type=int, default=count)
    parser.add_argument("--format", choices=("text", "json"), default="text")
    given = parser.parse_args()
    try:
        test = LoadTest(given.urls)
    except ValueError as error:
        parser.error(str(error))
    started = time.monotonic()
    try:
        test.start(readers=given.readers, publishers=given.publishers, scorers=given.scorers, runs=given.runs)
    except RuntimeError as error:
        test.stop()
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 1
    test.stopped.wait(given.minutes * 60)
    test.stop()
    result = figures(test.book, time.monotonic() - started) | {"lost": test.lost()}
    if given.format == "json":
        print(json.dumps(result, indent=1))
    else:
        print_text(result)
    return 1 if result["lost"] or result["failed"] else 0


def print_text(result: dict[str, Any]) -> None:
    """A table of acts, then what was refused, failed and lost."""
    print(f"{'':24}{'count':>8}{'a second':>10}{'p50 ms':>9}{'p95 ms':>9}{'longest':>9}")
    for act, one in result["acts"].items():
        print(f"{act:24}{one['count']:8}{one['a_second']:10.1f}{one['p50']:9.0f}{one['p95']:9.0f}{one['longest']:9.0f}")
    for name in ("refused", "failed"):
        for what, count in result[name].items():
            print(f"{name}: {count} x {what}")
    print("\n".join(result["lost"]) or "nothing that was acknowledged is lost")


if __name__ == "__main__":
    sys.exit(main())
