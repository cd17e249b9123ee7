"""What model calls may cost. They are counted before they are sent, so that a limit is never passed."""

from dataclasses import dataclass, field

from schemas.judge_model import JudgeUse


class BudgetSpentError(Exception):
    """The next model call would pass a limit. The message names it."""


@dataclass(frozen=True)
class Prices:
    """Prices for a million tokens, in any currency. 0: not known, or free."""

    prompt: float = 0.0
    completion: float = 0.0

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float:
        """The cost of one model call."""
        return (prompt_tokens * self.prompt + completion_tokens * self.completion) / 1e6


@dataclass(frozen=True)
class JudgeLimits:
    """The most of one run. ``cost`` None: no limit."""

    calls: int
    tokens: int
    cost: float | None = None


@dataclass
class JudgeBudget:
    """The account of one run. A call under way has set aside the most it may need, so many at once pass no limit."""

    limits: JudgeLimits
    prices: Prices = field(default_factory=Prices)
    calls: int = 0
    cached: int = 0
    refused: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    _held: list[tuple[int, int]] = field(default_factory=list)

    def hold(self, prompt_tokens: int, completion_tokens: int) -> tuple[int, int]:
        """Set aside what a model call may need. Raises :class:`BudgetSpentError`."""
        held = prompt_tokens, completion_tokens
        prompts = self.prompt_tokens + sum(one[0] for one in self._held) + prompt_tokens
        completions = self.completion_tokens + sum(one[1] for one in self._held) + completion_tokens
        limits = self.limits
        if self.calls + len(self._held) + 1 > limits.calls:
            raise BudgetSpentError(f"{limits.calls} model calls are allowed, and all are used")
        if prompts + completions > limits.tokens:
            raise BudgetSpentError(f"the model call could pass the limit of {limits.tokens} tokens")
        if limits.cost is not None and self.prices.cost(prompts, completions) > limits.cost:
            raise BudgetSpentError(f"the model call could pass the limit of {limits.cost:g} for all calls")
        self._held.append(held)
        return held

    def release(self, held: tuple[int, int]) -> None:
        """The call was not sent after all."""
        self._held.remove(held)

    def settle(self, held: tuple[int, int], prompt_tokens: int, completion_tokens: int) -> None:
        """The call was sent and took so many tokens."""
        self.release(held)
        self.calls += 1
        self.prompt_tokens += prompt_tokens
        self.completion_tokens += completion_tokens

    def used(self, model: str) -> JudgeUse:
        """The account, for a report."""
        return JudgeUse(
            model=model,
            calls=self.calls,
            cached=self.cached,
            refused=self.refused,
            prompt_tokens=self.prompt_tokens,
            completion_tokens=self.completion_tokens,
            cost=self.prices.cost(self.prompt_tokens, self.completion_tokens),
            most_calls=self.limits.calls,
            most_tokens=self.limits.tokens,
            most_cost=self.limits.cost,
        )
