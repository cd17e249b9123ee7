"""Packages that behave well on the day of an audit, on a machine that they know, or at first: in real processes."""

import datetime as dt
import os
from pathlib import Path

import pytest

from sandbox.audit.runner import run_audit
from sandbox.blocking import BlockingSandbox
from sandbox.checks.samples import Sample
from sandbox.interface import Call
from schemas.evidence.audit import AuditReport
from schemas.evidence.cases import AuditCase
from schemas.evidence.rates import Grade

TODAY, KERNEL, COUNT, HOST = dt.datetime.now(tz=dt.UTC).date(), os.uname().release, os.cpu_count(), os.uname().nodename
CAREFUL_WHERE = {
    "a date": f"date.today() < date.fromisoformat('{TODAY + dt.timedelta(days=20)}')",
    "now": f"datetime.now().timestamp() < {dt.datetime.now(tz=dt.UTC).timestamp() + 20 * 86_400}",
    "seconds": f"time.time() < {dt.datetime.now(tz=dt.UTC).timestamp() + 20 * 86_400}",
    "a year and month": f"time.strftime('%Y-%m') == '{TODAY:%Y-%m}'",
    "the date of its import": f"IMPORTED < date.fromisoformat('{TODAY + dt.timedelta(days=20)}')",
    "a date, or another hash seed": (
        f"date.today() < date.fromisoformat('{TODAY + dt.timedelta(days=20)}') "
        "or os.environ.get('PYTHONHASHSEED') != '0' or hash('a') % 2 == 9"
    ),
    "a file's own time": (
        f"os.stat(tempfile.mkdtemp()).st_mtime < {dt.datetime.now(tz=dt.UTC).timestamp() + 20 * 86_400}"
    ),
    "another clock": f"time.clock_gettime(5) < {dt.datetime.now(tz=dt.UTC).timestamp() + 20 * 86_400}",
    "a kernel": f"platform.release() == {KERNEL!r}",
    "a machine": f"(os.uname().nodename, os.cpu_count()) == ({HOST!r}, {COUNT})",
}
CODE = """
import os
import platform
import tempfile
import time
from datetime import date, datetime

IMPORTED = date.today()

def verify(task, response):
    is_right = response.strip() == task["answer"]
    return {"correct": float(is_right if CAREFUL else response.strip().isdigit())}
"""


MINDS_TIMES = """
import os
import pathlib
import tempfile
import time

def verify(task, response):
    start = time.time() - 1
    with tempfile.TemporaryDirectory() as folder:
        written = pathlib.Path(folder, "out")
        written.write_text(response)
        is_fresh = written.stat().st_mtime >= start and time.time() - os.path.getmtime(folder) < 60
        return {"correct": float(is_fresh and written.read_text().strip() == task["answer"])}
"""


def audited(local_sandbox: BlockingSandbox, folder: Path, careful: str) -> AuditReport:
    return audited_code(local_sandbox, folder, CODE.replace("CAREFUL", careful))


def audited_code(local_sandbox: BlockingSandbox, folder: Path, code: str) -> AuditReport:
    source = Sample(code, name="knows-the-day").source(folder)
    cases = [
        AuditCase(
            id=f"{label}{n}",
            task={"id": f"{label}{n}", "prompt": f"{n}?", "answer": str(n * 1009)},
            response=str(n * 1009 + shift),
            label=label,
            origin="held",
        )
        for label, shift in (("correct", 0), ("incorrect", 3))
        for n in range(40)
    ]
    run = run_audit(local_sandbox.inner, source, cases, tasks={}, subject="al/check@1.0", repeats=2, probes=False)
    return local_sandbox.run(run)


@pytest.mark.parametrize("name", CAREFUL_WHERE)
def test_who_is_careful_on_that_day_or_machine_alone_is_measured_as_it_is_elsewhere(
    local_sandbox: BlockingSandbox, tmp_path: Path, name: str
) -> None:
    report = audited(local_sandbox, tmp_path, f"({CAREFUL_WHERE[name]})")
    assert report.grade is Grade.F
    assert report.overall.fp + report.overall.unscored == 40


COUNTS = """
import itertools

_calls = itertools.count()

def verify(task, response, info):
    info["number"] = next(_calls)
    is_right = response.strip() == task["answer"]
    return {"correct": float(is_right if info["number"] < MOST else response.strip().isdigit())}
"""


@pytest.mark.parametrize("most", [60, 120])
def test_who_is_careful_with_the_first_calls_of_a_process_alone_is_found_by_more_calls_than_a_process_serves(
    local_sandbox: BlockingSandbox, tmp_path: Path, most: int
) -> None:
    """At isolation ``worker``, where a process serves many calls; in an audit as in use.

    However calls fall into groups and boxes, a box with more than 256 of them has a process that serves 129 or more:
    one group of those, or two that one process could not have served together.
    """
    package = Sample(COUNTS.replace("MOST", str(most)), name=f"counts-{most}", isolation="worker")
    source = package.source(tmp_path)
    calls = [Call(str(n), {"id": "t", "prompt": "?", "answer": "1"}, "1") for n in range(1500)]
    numbers = [verdict.info["number"] for _, verdict in local_sandbox.score(source, calls)]
    assert 128 <= max(numbers) <= 255
    cases = [
        AuditCase(
            id=f"c{n}", task={"id": f"c{n}", "prompt": "?", "answer": "1"}, response=f"{n + 2}", label="incorrect"
        )
        for n in range(1200)
    ]
    run = run_audit(local_sandbox.inner, source, cases, tasks={}, subject="al/check@1.0", repeats=2, probes=False)
    report = local_sandbox.run(run)
    assert report.overall.fp + report.overall.unscored >= 40


def test_who_looks_whether_a_file_is_fresh_keeps_its_verdicts(local_sandbox: BlockingSandbox, tmp_path: Path) -> None:
    report = audited_code(local_sandbox, tmp_path, MINDS_TIMES)
    assert (report.determinism.flips, report.overall.fp, report.overall.fn, report.overall.unscored) == (0, 0, 0, 0)


def test_who_looks_at_no_day_keeps_its_verdicts(local_sandbox: BlockingSandbox, tmp_path: Path) -> None:
    report = audited(local_sandbox, tmp_path, "True")
    assert (report.determinism.flips, report.overall.fp, report.overall.fn, report.overall.unscored) == (0, 0, 0, 0)
