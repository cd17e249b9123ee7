"""The soak: a changed verdict ends it, growth is for each 100,000, and what it counts on this machine is there."""

import asyncio
import json
import os
import subprocess
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from sandbox.checks.benches import soak as bench
from sandbox.checks.benches.soak import Facts, Phase, Soak, flat
from sandbox.checks.samples import TASK
from sandbox.errors import SandboxUnavailableError
from sandbox.interface import Call, Source
from schemas.manifest import Isolation
from schemas.verdict import ErrorKind, Verdict
from tests.fakes.timed_sandbox import Ticks, TimedSandbox, TimedSessions
from tests.sandbox.guest.forked import in_child


class Looking(Soak):
    """What it sees grows by one megabyte a look."""

    def __init__(self, sandbox: Any, source: Source) -> None:
        super().__init__(sandbox, None, source)  # type: ignore[arg-type]
        self.looks = 0

    async def look(self) -> Facts:
        self.looks += 1
        return facts(rss_mb=float(self.looks))


def facts(**known: float) -> Facts:
    return Facts(**{**dict.fromkeys(Facts.__dataclass_fields__, 0), **known})  # type: ignore[arg-type]


def odd(call: Call) -> Verdict:
    return Verdict(rewards={"correct": float(int(call.response or "") % 2)})


@pytest.fixture
def source(tmp_path: Path) -> Source:
    return bench.LITTERING.source(tmp_path)


def soaked(source: Source, count: int = 20, **more: Any) -> Phase:
    sandbox = TimedSandbox(Ticks(), **{"verdict": odd, **more})
    return asyncio.run(Looking(sandbox, source).calls(Isolation.WORKER, count))


def test_calls_are_looked_at_when_warm_half_way_and_at_the_end(source: Source) -> None:
    phase = soaked(source)
    assert (phase.name, phase.count) == ("worker", 20)
    assert [moment.rss_mb for moment in (phase.before, phase.middle, phase.after)] == [2.0, 3.0, 4.0]


def otherwise(reward: float | None) -> Callable[[Call], Verdict]:
    """Right but for call 13."""
    return lambda call: Verdict(rewards={"correct": reward}) if call.id == "13" else odd(call)


@pytest.mark.parametrize("reward", [0.0, None, 0.5])
def test_one_changed_verdict_ends_it_and_is_shown(source: Source, reward: float | None) -> None:
    with pytest.raises(AssertionError, match=r"a wrong verdict: .*13"):
        soaked(source, verdict=otherwise(reward))


def test_an_unjudged_call_is_a_changed_verdict(source: Source) -> None:
    with pytest.raises(AssertionError, match="a wrong verdict"):
        soaked(source, verdict=lambda _: Verdict.unjudged(["correct"], ErrorKind.HOST, "lost"))


def test_a_lost_verdict_ends_it(source: Source) -> None:
    with pytest.raises(AssertionError, match="18 verdicts of 20 calls"):
        soaked(source, lost=2)


@pytest.mark.parametrize(("count", "looks"), [(60, [1.0, 2.0, 3.0]), (45, [1.0, 2.0, 3.0]), (7, [1.0, 1.0, 1.0])])
def test_as_many_sessions_live_as_were_asked_for(
    source: Source, monkeypatch: pytest.MonkeyPatch, count: int, looks: list[float]
) -> None:
    monkeypatch.setattr(bench, "_DYING_SECONDS", 0)
    house = TimedSessions(Ticks())
    phase = asyncio.run(Looking(house, source).sessions(source, count))
    assert house.opened == 2 * count, "each has one branch"
    assert house.live == []
    assert [moment.rss_mb for moment in (phase.before, phase.middle, phase.after)] == looks


def test_a_session_whose_undo_or_branch_is_wrong_ends_it(source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "_DYING_SECONDS", 0)
    with pytest.raises(AssertionError, match="a wrong state"):
        asyncio.run(Looking(TimedSessions(Ticks(), forgets=True), source).sessions(source, 1))


PHASE = Phase("call", 200_000, 4.0, facts(rss_mb=10, zombies=1), facts(rss_mb=12), facts(rss_mb=19, zombies=1))


def test_growth_is_for_each_100_000_of_the_nine_tenths_that_are_looked_at() -> None:
    assert PHASE.growth("rss_mb") == pytest.approx(5.0)
    assert PHASE.growth("zombies") == 0.0


def test_figures_name_the_level_what_was_counted_and_when() -> None:
    figures = flat([PHASE])
    assert (figures["call_count"], figures["call_seconds"]) == (200_000, 4.0)
    assert [figures[f"call_rss_mb_{moment}"] for moment in ("start", "middle", "end")] == [10, 12, 19]
    assert figures["call_rss_mb_growth_per_100k"] == pytest.approx(5.0)
    assert len(figures) == 2 + 4 * len(asdict(PHASE.before))


def test_the_command_says_its_figures_as_one_object_and_which_levels(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[Any] = []

    async def soak(*wanted: Any) -> list[Phase]:
        asked.extend(wanted)
        return [PHASE]

    monkeypatch.setattr(bench, "soak", soak)
    bench.main(["--calls", "10", "--sessions", "3", "--levels", "call,batch", "--format", "json"])
    assert asked == [10, 3, [Isolation.CALL, Isolation.BATCH]]
    assert json.loads(capsys.readouterr().out) == flat([PHASE])


def test_without_an_engine_the_reason_is_said_and_the_status_is_8(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def soak(*_: Any) -> list[Phase]:
        raise SandboxUnavailableError("Docker does not answer.")

    monkeypatch.setattr(bench, "soak", soak)
    with pytest.raises(SystemExit) as stop:
        bench.main([])
    assert stop.value.code == 8
    assert capsys.readouterr().err == "error: Docker does not answer.\n"


def test_what_is_counted_of_this_process_is_there(tmp_path: Path) -> None:
    def count() -> list[int]:
        return [bench._zombies_of(os.getpid()), bench._own_descriptors()]

    def body() -> list[list[int]]:
        found = [count()]
        ended = subprocess.Popen(["/bin/true"])
        os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and nobody has taken its status
        with (tmp_path / "held").open("wb") as held:
            held.write(b"x" * 1000)
            held.flush()
            found.append(count())
        ended.wait()
        return [*found, count()]

    (zombies, files), amid, after = in_child(body)
    assert (amid, after) == ([zombies + 1, files + 1], [zombies, files])
    assert bench._own_rss_mb() > 1
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "file").write_bytes(b"y" * 24)
    assert (bench._size(tmp_path), bench._size(tmp_path / "none")) == (1024, 0)


def test_the_package_litters_and_judges_as_the_soak_expects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    scope: dict[str, Any] = {}
    exec(compile(bench.LITTERING.code.replace("\n    ", "\n"), "littering", "exec"), scope)
    calls = [call for call in bench._calls(203) if int(call.id) % 1000 != 7]  # 7 forks
    for call in calls:
        assert scope["verify"](TASK, call.response, {}) == {"correct": float(int(call.id) % 2)}
    assert len(list(tmp_path.iterdir())) == 100
