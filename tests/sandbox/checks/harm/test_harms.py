"""Harm is done at random until it is over; a box that was gone already is no failure of the run."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from sandbox.checks.harm.harms import Harmer, Harms
from sandbox.checks.harm.own_engine import OwnEngine


class ToldEngine(OwnEngine):
    """Answers what ``docker`` would say, and notes what it was told."""

    def __init__(self, folder: Path, answers: dict[str, str]) -> None:
        super().__init__(folder)
        self.answers = answers
        self.told: list[tuple[str, ...]] = []

    def docker(self, *arguments: str, check: bool = True) -> str:
        self.told.append(arguments)
        return self.answers.get(arguments[0], "")


def harms_of(folder: Path, **answers: str) -> tuple[ToldEngine, Harms]:
    engine = ToldEngine(folder, answers)
    return engine, Harms(engine, folder, seed=1)


def test_a_box_is_chosen_by_its_label_and_harmed(tmp_path: Path) -> None:
    engine, harms = harms_of(tmp_path, ps="abc\n")
    harms.table()["remove a box"][1]()
    assert engine.told == [
        ("ps", "-q", "--no-trunc", "--filter", "label=verihub.sandbox"),
        ("rm", "-f", "abc"),
    ]


def test_a_zygote_of_an_ended_box_is_never_signalled(tmp_path: Path) -> None:
    """The engine says 0 for it, and to signal 0 is to signal ourselves."""
    _, harms = harms_of(tmp_path, ps="abc\n", inspect="0\n")
    harmer = Harmer(harms, longest_pause=0.06)
    harms.table = only(harms, "kill a zygote", harmer, times=2)  # type: ignore[method-assign]
    harmer.run()
    assert harmer.failure is None
    assert harmer.done == {"(too late)": 2}
    assert harms.zygotes == set()


def test_what_keeps_harm_from_being_done_is_told(tmp_path: Path) -> None:
    _, harms = harms_of(tmp_path)

    def broken() -> None:
        raise PermissionError("mount")

    harms.table = lambda: {"x": (1, broken)}  # type: ignore[method-assign]
    harmer = Harmer(harms, longest_pause=0.06)
    harmer.run()
    assert isinstance(harmer.failure, PermissionError)


def only(harms: Harms, name: str, harmer: Harmer, times: int) -> Callable[[], dict[str, Any]]:
    """A table of one harm, after which all is over."""
    harm = harms.table()[name][1]
    left = iter(range(times - 1, -1, -1))

    def counted() -> None:
        if next(left) == 0:
            harmer.is_over.set()
        harm()

    return lambda: {name: (1, counted)}
