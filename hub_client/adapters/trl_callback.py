"""A callback with which TRL's trainer reports its run to the hub: TRL's metrics, and every completion with its verdict.

::

    with RunReport(hub, "my run", env, held_out=hub.verifier("alice/strict")) as report:
        GRPOTrainer(…, reward_funcs=reward_functions(env, report=report), callbacks=[RunCallback(report)]).train()
"""

from typing import Any

from transformers import TrainerCallback

from hub_client.run_report import TRAINING, RunReport


class RunCallback(TrainerCallback):  # type: ignore[misc]  # transformers is not typed here
    """Tells a report which step it is, whether TRL trains or evaluates, and what TRL logged.

    In a run of several processes only the first one reports, with its own samples.
    """

    def __init__(self, report: RunReport) -> None:
        self._report = report
        self._model: Any = None
        report.where = self._where
        self._step = 0

    def _where(self) -> tuple[int, str]:
        """Step and phase of the samples that are judged now. As in TRL, the model's mode tells training from
        evaluation.
        """
        is_training = self._model is None or self._model.training
        return self._step, TRAINING if is_training else "eval"

    def on_train_begin(self, args: Any, state: Any, control: Any, model: Any = None, **rest: Any) -> None:
        """The first step is 1, as in TRL's logs."""
        del args, control, rest
        self._model, self._step = model, state.global_step + 1
        self._report.is_silent = not state.is_world_process_zero

    def on_step_begin(self, args: Any, state: Any, control: Any, **rest: Any) -> None:
        """Samples drawn from here on belong to the step that ends next."""
        del args, control, rest
        self._step = state.global_step + 1

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, Any] | None = None, **rest: Any) -> None:
        """What TRL logged after a step."""
        del args, control, rest
        numbers = {name: float(value) for name, value in (logs or {}).items() if isinstance(value, int | float)}
        if numbers:
            self._report.log(max(state.global_step, 1), numbers)
