"""What holds for every test: where nothing may be missing, a skipped test is a failed one."""

import gc
import logging
import os
import signal
from collections.abc import Generator, Iterator, Mapping
from typing import Any

import hypothesis
import pytest

# A busy machine must not fail a test: no clock an example, and the same examples in every run. VERIHUB_TEST_EXPLORE=1
# draws new ones, for whoever looks for what nobody has found yet.
hypothesis.settings.register_profile(
    "verihub",
    deadline=None,
    derandomize=os.environ.get("VERIHUB_TEST_EXPLORE", "") == "",
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("verihub")

_OFF = {"", "0", "false", "no"}
_MAY_LACK = ("gpu",)
"""Markers of what a machine that must have everything may lack all the same."""
_MAY_SKIP = ("tests/hub_client/adapters/",)
"""Other projects' trainers and harnesses: each pins its own versions, and is tried in an environment of its own."""
_OPTIONAL = "an optional dependency"
"""A skip that gives this reason is meant."""


def is_all_required(environment: Mapping[str, str]) -> bool:
    """Whether engine, browser, database and the rest must be here: VERIHUB_TEST_REQUIRE=all, or CI without =none."""
    wanted = environment.get("VERIHUB_TEST_REQUIRE", "").lower()
    if wanted not in ("", "all", "none"):
        raise pytest.UsageError(f"VERIHUB_TEST_REQUIRE is {wanted!r}: all or none")
    return wanted == "all" or (wanted == "" and environment.get("CI", "").lower() not in _OFF)


def pytest_configure(config: pytest.Config) -> None:
    """Read once, so that a test that changes its environment changes nothing here."""
    config.stash[_REQUIRED] = is_all_required(os.environ)
    # A shell starts what runs in the background deaf to Ctrl-C, and all that this run starts would be deaf as well.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


_REQUIRED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """A million objects stay from here on; without this each full collection looks through them, 0.8 s of CPU a time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.collect()
        gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test that skipped itself."""
    report = yield
    may_lack = item.nodeid.startswith(_MAY_SKIP) or any(item.get_closest_marker(name) for name in _MAY_LACK)
    if item.config.stash[_REQUIRED] and not may_lack and not hasattr(report, "wasxfail"):
        _refuse(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """A module that skipped itself, for instance by ``importorskip``."""
    report = yield
    if collector.config.stash[_REQUIRED] and not collector.nodeid.startswith(_MAY_SKIP):
        _refuse(report)
    return report


def _refuse(report: Any) -> None:
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    if report.skipped and _OPTIONAL not in reason:
        report.outcome = "failed"
        report.longrepr = (
            f"{reason.removeprefix('Skipped: ')}\nNothing may be missing here (CI or VERIHUB_TEST_REQUIRE=all): install "
            "it (scripts/test does), or let what cannot run here skip: VERIHUB_TEST_REQUIRE=none"
        )


class _LostErrors(logging.Handler):
    """Notes what asyncio says of a task or future whose exception nobody took."""

    def __init__(self) -> None:
        super().__init__()
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        message = record.getMessage()
        if "never retrieved" in message:
            self.messages.append(f"{message} {record.exc_info[1]!r}" if record.exc_info else message)


@pytest.fixture(autouse=True)
def no_error_of_a_task_is_lost() -> Iterator[None]:
    """An error in a task that nobody awaits leaves somebody waiting for ever. asyncio only logs it: here it fails."""
    handler = _LostErrors()
    logger = logging.getLogger("asyncio")
    logger.addHandler(handler)
    yield
    gc.collect(0)  # a task is told of when it is collected; what this test has made is young
    logger.removeHandler(handler)
    assert handler.messages == []
