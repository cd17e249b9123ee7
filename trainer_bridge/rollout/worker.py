"""Tasks to judged groups of rollouts: a harness plays them, and each is judged while others are still played."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from hub_client.environments import Environment
from hub_client.errors import HubUnreachableError
from hub_client.evaluation.harness import Harness, HarnessFailedError, Transcript
from schemas.verdict import ErrorKind, ScoreRequest, Verdict
from trainer_bridge.ports import Progress
from trainer_bridge.rollout.chat.chat_model import ChatModel, Limits
from trainer_bridge.rollout.decoding.engine import Engine
from trainer_bridge.rollout.decoding.sampling import Sampling
from trainer_bridge.rollout.live import LiveEngine, RolloutPolicy, run_in_loop
from trainer_bridge.rollout.rollouts import Rollout, shown
from trainer_bridge.rollout.scorer import Scorer, ScoringRound
from trainer_bridge.rollout.sequences import TokenCall, merge
from trainer_bridge.rollout.task_stream import Draw

_SEEDS = 1 << 48
_CALLS = 1 << 10
"""Seeds that are kept for the calls of one rollout."""


@dataclass(frozen=True)
class Timing:
    """Seconds of generation, of waiting for verdicts after it, and of the first those in which no token was written.

    Nothing is written while every live rollout waits for its environment.
    """

    generate: float
    wait: float
    environment: float = 0.0


@dataclass(frozen=True)
class PlayLimits:
    """``live`` rollouts at once; ``turns`` and ``tokens`` end a rollout as it stands (0: its harness and the model)."""

    live: int = 256
    turns: int = 0
    tokens: int = 0


@dataclass(frozen=True)
class _Played:
    """One rollout before its verdict. ``failure`` says why there is nothing to judge."""

    policy: RolloutPolicy
    transcript: Transcript | None
    failure: str = ""
    kind: ErrorKind = ErrorKind.VERIFIER_FAILED


@dataclass(frozen=True)
class RolloutWorker:
    """Everything that turns tasks into rollouts."""

    engine: Engine
    model: ChatModel
    harness: Harness
    environments: Sequence[Environment]
    """By number, as draws name them."""
    scorer: Scorer
    generator: torch.Generator
    progress: Progress
    limits: PlayLimits = PlayLimits()
    held_out_verifier: int | None = None
    """The scorer's number of the held-out verifier, if there is one."""

    def collect(
        self, draws: Sequence[Draw], copies: int, max_completion_length: int, sampling: Sampling, first_group: int = 0
    ) -> tuple[list[Rollout], Timing]:
        """Play every task ``copies`` times, each sent to scoring the moment it has ended."""
        self.engine.forget()  # the weights may have changed since the last round
        seeds = int(torch.randint(_SEEDS, (1,), generator=self.generator, device=self.generator.device))
        scoring = self.scorer.round()
        live = LiveEngine(self.engine, self.limits.live)
        played: dict[int, _Played] = {}
        total = len(draws) * copies

        async def play(key: int, draw: Draw) -> None:
            policy = RolloutPolicy(
                live,
                self.model,
                sampling=sampling,
                limits=Limits(max_completion_length, self.limits.tokens),
                turns=self.limits.turns,
                seed=seeds + _CALLS * (key + 1),
            )
            # All samples of a task begin in the same state: the environment's seed is the task's.
            played[key] = await self._play(live, draw, policy, seed=(seeds + key // copies) % (1 << 31))
            self._send(scoring, key, draw, played[key], total)
            self.progress.sampled(len(played), total)

        keyed = [(group * copies + member, draw) for group, draw in enumerate(draws) for member in range(copies)]
        start = time.perf_counter()
        run_in_loop(live.run_all([play(key, draw) for key, draw in keyed]))
        generated = time.perf_counter()
        verdicts = scoring.verdicts()
        timing = Timing(generated - start, time.perf_counter() - generated, live.idle_seconds)
        rollouts = [
            self._rollout(draw, first_group + key // copies, played[key], verdicts.get(key), verdicts.get(key + total))
            for key, draw in keyed
        ]
        return rollouts, timing

    def prompt_ids(self, draw: Draw) -> tuple[int, ...]:
        """The chat-formatted prompt, ready for the assistant's turn."""
        return self.model.template.begin(draw.task.messages())

    async def _play(self, live: LiveEngine, draw: Draw, policy: RolloutPolicy, *, seed: int) -> _Played:
        environment = self.environments[draw.environment]
        try:
            transcript = await self.harness.play_async(environment, draw.row, policy, seed=seed, wait=live.wait)
        except HarnessFailedError as error:
            return _Played(policy, None, str(error))
        except HubUnreachableError as error:
            return _Played(policy, None, str(error), ErrorKind.HOST)
        return _Played(policy, transcript)

    def _send(self, scoring: ScoringRound, key: int, draw: Draw, played: _Played, total: int) -> None:
        if played.transcript is None:
            return
        request = ScoreRequest(
            id=str(key), task=draw.row, messages=played.transcript.messages, state=played.transcript.state
        )
        scoring.submit(key, draw.environment, draw, request)
        if self.held_out_verifier is not None:
            scoring.submit(key + total, self.held_out_verifier, draw, request)

    def _rollout(
        self, draw: Draw, group: int, played: _Played, verdict: Verdict | None, held_out: Verdict | None
    ) -> Rollout:
        """A rollout that broke is not judged, so nothing is learnt from it: neither session nor policy is to blame."""
        calls, transcript = played.policy.calls, played.transcript
        if verdict is None:
            names = list(self.environments[draw.environment].rewards)
            verdict = Verdict.unjudged(names, played.kind, f"the rollout broke: {played.failure}")
        return Rollout(
            draw=draw,
            group=group,
            sequences=merge(TokenCall(call.ask.prompt, call.written.tokens, call.written.logprobs) for call in calls),
            text=shown(transcript.messages, played.policy.opening) if transcript is not None else "",
            verdict=verdict,
            held_out=held_out,
            truncated=bool(transcript is not None and transcript.overflow)
            or bool(calls and calls[-1].written.truncated),
            turns=len(calls),
            tool_calls=transcript.tool_calls if transcript is not None else 0,
        )
