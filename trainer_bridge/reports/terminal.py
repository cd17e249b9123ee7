"""Progress displays: one on stderr, drawn with rich, and one that shows nothing."""

import math
from collections.abc import Mapping
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as RichBars

from schemas.metric_names import MEAN_LENGTH, REWARD, rewarded_in


class NoProgress:
    """Shows nothing."""

    def say(self, text: str) -> None: ...
    def warn(self, text: str) -> None: ...
    def sampled(self, done: int, total: int) -> None: ...
    def step(self, step: int, total: int, metrics: Mapping[str, float]) -> None: ...


class Terminal:
    """A line a step and a bar for what is being sampled. A context manager."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bars = RichBars(
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), console=console
        )
        self._bar = self._bars.add_task("Starting", total=None)
        self._live = Live(self._bars, console=console, transient=True, refresh_per_second=4)

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()

    def say(self, text: str) -> None:
        self._bars.update(self._bar, description=text, completed=0, total=None)
        self._console.print(f"[dim]{escape(text)}[/dim]", highlight=False, soft_wrap=True)

    def warn(self, text: str) -> None:
        self._console.print("[yellow]Warning:[/yellow]", escape(text), highlight=False, soft_wrap=True)

    def sampled(self, done: int, total: int) -> None:
        self._bars.update(self._bar, completed=done, total=total)

    def step(self, step: int, total: int, metrics: Mapping[str, float]) -> None:
        means = [(rewarded_in(name), value) for name, value in metrics.items()]
        rewards = "  ".join(f"{name} {_shown(value)}" for name, value in means if name is not None)
        self._console.print(
            f"step {step:>{len(str(total))}}/{total}  reward [bold]{_shown(metrics[REWARD])}[/bold]  {rewards}  "
            f"length {metrics[MEAN_LENGTH]:.0f}  [dim]{metrics['step_time']:.1f} s[/dim]",
            highlight=False,
            soft_wrap=True,
        )
        self._bars.update(self._bar, description=f"Step {step + 1} of {total}" if step < total else "Done", completed=0)


def _shown(value: float) -> str:
    return "not judged" if math.isnan(value) else f"{value:.3f}"
