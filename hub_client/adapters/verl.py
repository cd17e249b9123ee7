"""A verifier as verl's reward function, and an environment's tasks as rows of verl's data files.

Rows::

    from datasets import Dataset
    from hub_client import Hub
    from hub_client.adapters.verl import dataset_rows

    with Hub() as hub:
        rows = dataset_rows(hub.environment("lecture/change-making@2.1.3"), "train", limit=1000)
    Dataset.from_list(rows).to_parquet("train.parquet")

and verl's settings, with no file of one's own::

    reward.custom_reward_function.path=pkg://hub_client.adapters.verl
    reward.custom_reward_function.name=compute_score
    reward.num_workers=1                                     # one sandbox; it has as many boxes as there are cores
    algorithm.adv_estimator=verihub_grpo                     # leaves out what could not be judged
    VERL_USE_EXTERNAL_MODULES=hub_client.adapters.verl_advantages      # in the environment: brings that estimator

A row holds its task and the pinned release that judges it. Other data sets work too, with
``+reward.custom_reward_function.reward_kwargs.target=OWNER/NAME``: the task is then ``ground_truth``.

The returned dictionary goes to ``reward_extra_info`` as it is: ``score`` (weighted sum, 0 behind a closed gate),
``acc`` (accepted by every threshold), ``judged``, and every reward under its name (``gdpo_reward_keys`` may name
them). Training can be seen on the hub: with ``+reward.custom_reward_function.reward_kwargs.report=NAME`` and
``….samples_per_step=N`` (``data.train_batch_size`` times ``rollout.n``) every step is reported with its samples, and
``….held_out=OWNER/NAME`` names a verifier that judges them too and is not learnt from.

An unjudged reward is NaN and not 0. ``verihub_grpo`` gives such a sample advantage 0 and leaves it out of its
group. With any other estimator the NaN reaches the gradient, and verl skips the step with a message.
"""

import asyncio
import atexit
import json
import math
import threading
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hub_client.adapters.batcher import judge_together
from hub_client.adapters.default_hub import DEFAULT_HUB
from hub_client.adapters.verl_report import StepReports
from hub_client.environments import Environment, Pair, Verifier
from hub_client.errors import UsageError
from hub_client.run_report import RunReport
from schemas.manifest import RewardRole
from schemas.task import Task
from schemas.verdict import Verdict

TASK_KEY = "verihub_task"
"""In ``extra_info``: the whole task, answer included, as JSON."""
REFERENCE_KEY = "verihub_reference"
"""In ``extra_info``: ``owner/name@sha256:…``, the release that judges it."""
_OWN = ("score", "acc", "judged")


def dataset_rows(
    env: Environment, split: str = "train", *, seed: int = 0, start: int = 0, limit: int | None = None, agent: str = ""
) -> list[dict[str, Any]]:
    """Rows as verl's data files have them; the task and the release that judges it are in ``extra_info``.

    ``agent`` names the agent loop that plays them: ``verihub`` for :mod:`hub_client.adapters.verl_agent_loop`.

    Raises UsageError for a generated split without ``limit``: its tasks have no end; and for a session without
    ``agent``. Its verifier would judge a text that nothing was played for.
    """
    if env.manifest.session is not None and not agent:
        raise UsageError(f'{env.package.reference} is a session: give agent="verihub", whose loop plays it')
    return [
        {
            **({"agent_name": agent} if agent else {}),
            "data_source": env.manifest.id,
            "prompt": Task.read(row).messages(),
            "ability": (row.get("tags") or [""])[0],
            "reward_model": {"style": "rule", "ground_truth": _text(row.get("answer"))},
            "extra_info": {
                "index": start + offset,
                "split": split,
                TASK_KEY: json.dumps(row, sort_keys=True),
                REFERENCE_KEY: f"{env.manifest.id}@{env.digest}",
            },
        }
        for offset, row in enumerate(env.task_list(split, seed=seed, start=start, limit=limit))
    ]


def gdpo_weights(verifier: Verifier) -> dict[str, float]:
    """For ``algorithm.gdpo_reward_keys`` and ``gdpo_reward_weights``: each score's name in the vector, its weight."""
    scores = {name: reward for name, reward in verifier.rewards.items() if reward.role is RewardRole.SCORE}
    return {_key(name): reward.weight for name, reward in scores.items()}


class RewardFunctions:
    """verl's reward functions. Each target's verifier is opened once in a process, by ``open_verifier(target)``.

    ``open_report(name, verifier, held_out)`` makes a run on the hub, where the settings ask for one.
    """

    def __init__(
        self,
        open_verifier: Callable[[str], Verifier],
        open_report: Callable[[str, Verifier, str], RunReport] = DEFAULT_HUB.report,
    ) -> None:
        self._open, self._open_report = open_verifier, open_report
        self._reports: dict[tuple[str, int, str], StepReports] = {}
        self._verifiers: dict[str, Verifier] = {}
        self._lock = threading.Lock()

    def compute_score(
        self,
        data_source: str,
        solution_str: str,
        ground_truth: Any = None,
        extra_info: Mapping[str, Any] | None = None,
        *,
        target: str | None = None,
        **more: Any,
    ) -> dict[str, float]:
        """Judge one sample, for managers that take one at a time. Thread-safe; concurrent calls are judged together."""
        verifier, pair = self._pair(data_source, solution_str, ground_truth, extra_info, target)
        verdict = verifier.score([pair]).verdicts[0]
        self._report(extra_info, (verifier, pair, verdict), **more)
        return vector(verifier, verdict)

    async def compute_score_async(
        self,
        data_source: str,
        solution_str: str,
        ground_truth: Any = None,
        extra_info: Mapping[str, Any] | None = None,
        *,
        target: str | None = None,
        **more: Any,
    ) -> dict[str, float]:
        """The same for verl's reward loop, without a thread for each call.

        Thousands of calls may run at the same time; they are judged together.
        """
        call = (data_source, solution_str, ground_truth, extra_info, target)
        is_open = (target or (extra_info or {}).get(REFERENCE_KEY)) in self._verifiers
        verifier, pair = self._pair(*call) if is_open else await asyncio.to_thread(self._pair, *call)
        verdict = await judge_together(verifier, pair)
        self._report(extra_info, (verifier, pair, verdict), **more)
        return vector(verifier, verdict)

    def compute_scores(
        self,
        data_sources: Sequence[str],
        solution_strs: Sequence[str],
        ground_truths: Sequence[Any],
        extra_infos: Sequence[Mapping[str, Any] | None] | None = None,
        *,
        target: str | None = None,
        **more: Any,
    ) -> list[dict[str, float]]:
        """Judge a whole batch, for the manager ``batch``. Raises UsageError if its samples have different reward
        vectors.
        """
        extras = extra_infos if extra_infos is not None else [None] * len(solution_strs)
        scores: list[dict[str, float]] = [{} for _ in solution_strs]
        work: dict[int, tuple[Verifier, list[int], list[Pair]]] = {}
        for index, row in enumerate(zip(data_sources, solution_strs, ground_truths, extras, strict=True)):
            verifier, pair = self._pair(*row, target)
            of_verifier = work.setdefault(id(verifier), (verifier, [], []))
            of_verifier[1].append(index)
            of_verifier[2].append(pair)
        for verifier, indices, pairs in work.values():
            for index, pair, verdict in zip(indices, pairs, verifier.score(pairs).verdicts, strict=True):
                scores[index] = vector(verifier, verdict)
                self._report(extras[index], (verifier, pair, verdict), **more)
        if len({tuple(score) for score in scores}) > 1:
            raise UsageError("the samples of one batch have different reward vectors, which verl cannot hold")
        return scores

    def _report(
        self,
        extra: Mapping[str, Any] | None,
        sample: tuple[Verifier, Pair, Verdict],
        *,
        report: str = "",
        samples_per_step: int = 0,
        held_out: str = "",
        **_: Any,
    ) -> None:
        """Add a training sample to the run that the settings name, if they name one."""
        if not report or (extra or {}).get("split", "train") != "train":
            return
        key = (report, int(samples_per_step), held_out)
        with self._lock:
            if key not in self._reports:
                self._reports[key] = StepReports(
                    int(samples_per_step), lambda verifier: self._open_report(report, verifier, held_out)
                )
                atexit.register(self._reports[key].close)
            reports = self._reports[key]
        reports.add(*sample)

    def _pair(
        self, data_source: str, response: str, ground_truth: Any, extra: Mapping[str, Any] | None, target: str | None
    ) -> tuple[Verifier, Pair]:
        """The verifier, and the task with the response."""
        info = extra or {}
        reference = target or info.get(REFERENCE_KEY)
        if not reference:
            raise UsageError(
                f"a row of {data_source!r} names no verifier: make rows with dataset_rows(env), or give "
                "+reward.custom_reward_function.reward_kwargs.target=OWNER/NAME"
            )
        with self._lock:
            if reference not in self._verifiers:
                self._verifiers[reference] = self._open(reference)
            verifier = self._verifiers[reference]
        if TASK_KEY in info:
            return verifier, (json.loads(info[TASK_KEY]), response)
        return verifier, ({"id": str(info.get("index", 0)), "prompt": "", "answer": ground_truth}, response)


def vector(verifier: Verifier, verdict: Verdict) -> dict[str, float]:
    """The dictionary for verl. It always has the same keys; unjudged rewards are NaN."""
    score, accepted = verdict.weighted_sum(verifier.rewards), verdict.accepts(verifier.rewards)
    return {
        "score": _number(score),
        "acc": _number(accepted),
        "judged": float(score is not None),
        **{_key(name): _number(verdict.rewards.get(name)) for name in verifier.rewards},
    }


def masked_grpo(
    token_level_rewards: Any,
    response_mask: Any,
    index: Sequence[Any],
    epsilon: float = 1e-6,
    norm_adv_by_std_in_grpo: bool = True,
    **_: Any,
) -> tuple[Any, Any]:
    """``verihub_grpo``: GRPO's advantages (arXiv 2402.03300; undivided, Dr. GRPO's, 2503.20783) over judged samples.

    ``token_level_rewards`` and ``response_mask`` [batch, response], ``index`` [batch]: the group of each sample.
    Returns (advantages, returns), both [batch, response]. A sample whose sum is NaN gets 0 and is in no mean and no
    deviation. A group whose judged rewards are all equal gets exactly 0: in float32 its deviation is rounding noise.
    A group that was sampled with one member keeps its reward, as in verl's own estimator. Tensors are used through
    their own methods only, so that nothing here needs torch.
    """
    scores = token_level_rewards.detach().sum(-1)
    advantages = scores.new_zeros(scores.shape)
    groups: dict[Any, list[int]] = defaultdict(list)
    for place, group in enumerate(index):
        groups[group].append(place)
    for members in groups.values():
        judged = [place for place in members if not bool(scores[place].isnan())]
        values = scores[judged]
        if len(members) == 1:
            advantages[judged] = values
        elif len(judged) > 1 and bool(values.max() > values.min()):
            centred = values - values.mean()
            advantages[judged] = centred / (values.std() + epsilon) if norm_adv_by_std_in_grpo else centred
    spread = advantages.unsqueeze(-1) * response_mask
    return spread, spread


def _number(value: float | bool | None) -> float:
    return math.nan if value is None else float(value)


def _key(name: str) -> str:
    """A reward's name in the vector; three names are taken."""
    return f"{name}_reward" if name in _OWN else name


def _text(answer: Any) -> str:
    return answer if isinstance(answer, str) else json.dumps(answer, sort_keys=True)


_functions = RewardFunctions(DEFAULT_HUB.verifier)
compute_score = _functions.compute_score
compute_scores = _functions.compute_scores


async def compute_score_async(*args: Any, **kwargs: Any) -> dict[str, float]:
    """:meth:`RewardFunctions.compute_score_async` of this process; a function, because verl asks whether it is one."""
    return await _functions.compute_score_async(*args, **kwargs)
