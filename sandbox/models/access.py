"""Model calls of verifiers: each is checked, looked up in the cache, sent if the budgets allow it, and recorded."""

import asyncio
import contextlib
import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from cachetools import LRUCache
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sandbox.errors import ModelUnansweredError
from sandbox.models.answer_store import AnswerStore
from sandbox.models.budget import BudgetSpentError, JudgeBudget, JudgeLimits, Prices
from sandbox.models.port import JudgeModel, ModelAnswer, ModelRefusedError, ModelSilentError
from schemas.judge_model import ANY_MODEL, JudgeCall, JudgeNeeds, JudgeUse
from schemas.manifest import Manifest
from schemas.names import digest_of
from schemas.task import canonical_json

NOT_OFFERED = (
    "no model is offered here, and {package} asks one: whoever runs it names one (VERIHUB_JUDGE_MODEL; on a hub, "
    "VERIHUB_SERVER_JUDGE__URL and __MODEL)"
)
_MOST_CHARACTERS = 100_000  # of all values of one model call
_LETTERS_A_TOKEN = 2  # of ASCII, fewer than any tokenizer makes of text; each byte of another letter may be a token
_LONGEST_ANSWER = 200_000  # characters; chosen: more than any limit of tokens here gives, and a small box can hold it
_KEPT_BUDGETS = 1024  # chosen, not measured


class ModelCallRequest(BaseModel):
    """What a verifier yields: the name of a prompt of its manifest, and a text for each place of it."""

    model_config = ConfigDict(extra="forbid", strict=True)

    complete: str = Field(max_length=60)
    values: dict[str, str]


class Completed(NamedTuple):
    """The answer as JSON for the box, and the record of the model call."""

    reply: bytes
    call: JudgeCall


@dataclass(frozen=True)
class AccessRules:
    """What one offers of a model: limits of one run and of one day, prices, and how long one waits for an answer."""

    run: JudgeLimits
    day: JudgeLimits
    prices: Prices = field(default_factory=Prices)
    timeout_seconds: float = 120.0
    requests: int = 4
    """Model calls at a time."""
    allows: Callable[[Manifest], str] = field(default=lambda _: "")
    """Why this package may not ask; empty when it may."""


class ModelAccess:
    """One model for all verifiers of one sandbox. Used from one event loop; the model is asked in threads.

    Budgets are kept for each release, from :meth:`begin` on, and for all of them over a day.
    """

    def __init__(
        self, model: JudgeModel, rules: AccessRules, store: AnswerStore | None, today: Callable[[], object] = lambda: 0
    ) -> None:
        self.model = model
        self._rules = rules
        self._store = store
        self._today = today
        self._day: tuple[object, JudgeBudget] = (today(), JudgeBudget(rules.day, rules.prices))
        self._budgets: LRUCache[str, tuple[object, JudgeBudget]] = LRUCache(_KEPT_BUDGETS)
        self._places = asyncio.Semaphore(rules.requests)

    def begin(self, digest: str) -> None:
        """A new run of this release: its account begins anew."""
        self._budgets[digest] = self._today(), JudgeBudget(self._rules.run, self._rules.prices)

    def used(self, digest: str) -> JudgeUse:
        """What the release has asked since :meth:`begin`."""
        return self._budget(digest).used(self.model.name)

    async def complete(self, manifest: Manifest, digest: str, request: bytes, asked_before: int) -> Completed:
        """Answer one model call of a verifier. The same verdict has made ``asked_before`` others.

        Raises ModelUnansweredError, with the reason, for every model call without a usable answer.
        """
        budget = self._budget(digest)
        try:
            return await self._completed(manifest, budget, request, asked_before)
        except (ModelSilentError, BudgetSpentError) as error:
            budget.refused += 1
            raise ModelUnansweredError(str(error)) from None

    def close(self) -> None:
        """Let go of model and answers. An answer that is still awaited is dropped."""
        self.model.close()
        if self._store is not None:
            self._store.close()

    def _budget(self, digest: str) -> JudgeBudget:
        """The release's account. Outside of an audit it begins anew each day, so that nobody spends it for ever."""
        if digest not in self._budgets or self._budgets[digest][0] != self._today():
            self.begin(digest)
        return self._budgets[digest][1]

    def _day_budget(self) -> JudgeBudget:
        if self._day[0] != self._today():
            self._day = self._today(), JudgeBudget(self._rules.day, self._rules.prices)
        return self._day[1]

    async def _completed(self, manifest: Manifest, budget: JudgeBudget, request: bytes, asked_before: int) -> Completed:
        needs = self._needs(manifest, asked_before)
        asked, messages = _read(needs, request)
        parameters = {"temperature": 0, "max_tokens": needs.max_tokens, "seed": needs.seed}
        key = digest_of(canonical_json({"model": self.model.name, "messages": [*messages], **parameters}))
        kept = digest_of(canonical_json({"address": self.model.address, "asked": key}))
        answer = await asyncio.to_thread(self._store.find, kept) if self._store is not None else None
        is_cached = answer is not None
        if answer is None:
            answer = await self._asked(needs, messages, budget)
            if self._store is not None:
                await asyncio.to_thread(self._store.keep, kept, answer)
        else:
            budget.cached += 1
        call = JudgeCall(
            model=self.model.name,
            prompt=asked.complete,
            prompt_digest=needs.prompts[asked.complete].digest,
            key=key,
            messages=messages,
            answer=answer.text,
            prompt_tokens=answer.prompt_tokens or 0,
            completion_tokens=answer.completion_tokens or 0,
            cached=is_cached,
        )
        message = {"role": "assistant", "content": answer.text, "finish_reason": "length" if answer.is_cut else "stop"}
        return Completed(json.dumps({"message": message}).encode(), call)

    def _needs(self, manifest: Manifest, asked_before: int) -> JudgeNeeds:
        """What the package may ask. Raises ModelSilentError with what is in the way."""
        needs = manifest.model
        if needs is None:
            raise ModelSilentError(f"{manifest.id} asks a model, but its verihub.toml has no [model]")
        if refusal := self._rules.allows(manifest):
            raise ModelSilentError(refusal)
        if needs.name not in (ANY_MODEL, self.model.name):
            raise ModelSilentError(f"{manifest.id} asks for the model {needs.name}; {self.model.name} is offered here")
        if asked_before >= needs.calls:
            raise ModelSilentError(f"model.calls of {manifest.id} allows {needs.calls} model calls for one verdict")
        return needs

    async def _asked(self, needs: JudgeNeeds, messages: list[dict[str, str]], budget: JudgeBudget) -> ModelAnswer:
        """Ask within both budgets. A model call that was sent counts, whether or not its answer came in time.

        What the server refused unread took no tokens: it is counted as a call without tokens.
        """
        guess = sum(_most_tokens(one["content"]) for one in messages) + 1
        day = self._day_budget()
        held = budget.hold(guess, needs.max_tokens)
        try:
            held_of_day = day.hold(guess, needs.max_tokens)
        except BudgetSpentError as error:
            budget.release(held)
            raise BudgetSpentError(f"for today: {error}") from None
        spent = (guess, needs.max_tokens)
        try:
            answer = await self._written(needs, messages)
            spent = answer.prompt_tokens or guess, answer.completion_tokens or needs.max_tokens
        except ModelRefusedError:
            spent = (0, 0)
            raise
        finally:
            budget.settle(held, *spent)
            day.settle(held_of_day, *spent)
        _check(answer)
        return ModelAnswer(answer.text, answer.is_cut, *spent)

    async def _written(self, needs: JudgeNeeds, messages: list[dict[str, str]]) -> ModelAnswer:
        await self._places.acquire()
        written = _in_a_thread(lambda: self.model.complete(messages, max_tokens=needs.max_tokens, seed=needs.seed))
        written.add_done_callback(self._left)  # a thread whose answer comes too late still has its place until then
        try:
            return await asyncio.wait_for(asyncio.shield(written), self._rules.timeout_seconds)
        except TimeoutError:
            raise ModelSilentError(
                f"{self.model.name} did not answer within {self._rules.timeout_seconds:g} s"
            ) from None

    def _left(self, written: asyncio.Future[ModelAnswer]) -> None:
        self._places.release()
        if not written.cancelled():
            written.exception()  # whoever still waits for it is told; nobody else needs to be


def _in_a_thread(ask: Callable[[], ModelAnswer]) -> asyncio.Future[ModelAnswer]:
    """The answer of ``ask``, which blocks, from a thread that no end of the process waits for.

    A pool's threads are waited for: a command that had printed its verdict stayed until the server answered.
    """
    loop = asyncio.get_running_loop()
    written: asyncio.Future[ModelAnswer] = loop.create_future()

    def settle(answer: ModelAnswer | None, error: Exception | None) -> None:
        if written.done():
            return
        if error is not None:
            written.set_exception(error)
        elif answer is not None:
            written.set_result(answer)

    def run() -> None:
        answer, failure = None, None
        try:
            answer = ask()
        except Exception as error:  # noqa: BLE001 -- whoever waits is told
            failure = error
        with contextlib.suppress(RuntimeError):  # the loop has ended, and nobody waits
            loop.call_soon_threadsafe(settle, answer, failure)

    threading.Thread(target=run, name="verihub-judge", daemon=True).start()
    return written


def _most_tokens(text: str) -> int:
    letters = len(text)
    plain = sum(map(str.isascii, text))
    return plain // _LETTERS_A_TOKEN + len(text.encode("utf-8", "replace")) - plain if letters else 0


def _read(needs: JudgeNeeds, request: bytes) -> tuple[ModelCallRequest, list[dict[str, str]]]:
    """The model call and its messages. Raises ModelSilentError for what the manifest does not allow."""
    try:
        call = ModelCallRequest.model_validate_json(request)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise ModelSilentError(f"the model call cannot be read: {where}: {first['msg']}") from None
    prompt = needs.prompts.get(call.complete)
    if prompt is None:
        raise ModelSilentError(f"verihub.toml has no prompt {call.complete!r}: {', '.join(needs.prompts)}")
    length = sum(map(len, call.values.values()))
    if length > _MOST_CHARACTERS:
        raise ModelSilentError(f"the values have {length} characters; {_MOST_CHARACTERS} are allowed")
    try:
        return call, prompt.messages(call.values)
    except ValueError as error:
        raise ModelSilentError(f"prompt {call.complete}: {error}") from None


def _check(answer: ModelAnswer) -> None:
    if not answer.text.strip():
        raise ModelSilentError("the model's answer is empty")
    if len(answer.text) > _LONGEST_ANSWER:
        raise ModelSilentError(
            f"the model's answer has {len(answer.text)} characters; the server does not keep to max_tokens"
        )
