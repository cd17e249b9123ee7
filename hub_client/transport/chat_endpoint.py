"""Calls a model: messages and tools in, one assistant message out. Models in this process come from an entry point."""

import json
import re
from collections.abc import Sequence
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Protocol

from hub_client.errors import EndpointRefusedError, HubUnreachableError, NotLoggedInError, PolicyError, UsageError
from hub_client.transport.json_endpoint import JsonEndpoint
from schemas.extras import how_to_install

GROUP = "verihub.policies"
"""Entry points named ``local``, for models in this process:
``open_policy(name, *, temperature, max_tokens, offline, cache_dir) -> Policy``.
"""
LOCAL = "local:"
"""Prefix of the name of a model that runs in this process."""

Message = dict[str, Any]

# How servers say that a conversation no longer fits: OpenAI, vLLM, llama.cpp, SGLang, TGI.
_OVERFLOW = re.compile(
    r"context_length_exceeded|(maximum|model'?s?) context length|exceed_context_size|context (window|size)"
    r"|longer than the model|max_(total|input)_tokens|inputs? tokens? \+ .?max_new_tokens",
    re.IGNORECASE,
)

_UNKNOWN = re.compile(r"unsupported|not supported|unknown|unrecogni[sz]ed|not permitted|extra", re.IGNORECASE)
_OTHER_NAMES = {"max_tokens": "max_completion_tokens", "seed": ""}
"""Request settings that some servers refuse -> the name that they use instead; empty: there is no other name."""
_KEYS = "set VERIHUB_MODEL_KEY, or VERIHUB_JUDGE_KEY for a judge model"
_COUNTS = ("prompt_tokens", "completion_tokens")

MOST_STOPS, LONGEST_STOP = 16, 256
"""Of stop sequences, and of characters of each. All are looked for after each token, while others wait."""


def stop_fault(stop: Sequence[str]) -> str:
    """What is wrong with these stop sequences; empty: nothing."""
    if len(stop) > MOST_STOPS:
        return f"there may be {MOST_STOPS} sequences at most, not {len(stop)}"
    if any(len(word) > LONGEST_STOP for word in stop):
        return f"a sequence may have {LONGEST_STOP} characters at most"
    return "" if all(stop) else "it takes strings that are not empty: an empty string would end every answer"


class ContextOverflowError(PolicyError):
    """The conversation no longer fits into the model's context. The attempt ends at this point."""


class Policy(Protocol):
    """The model under evaluation. ``complete`` may be called from several threads at once."""

    name: str

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[dict[str, Any]],
        *,
        seed: int,
        max_tokens: int | None = None,
        stop: Sequence[str] = (),
    ) -> Message:
        """The assistant's next message, in chat-completions form (``content`` and maybe ``tool_calls``).

        ``finish_reason`` may stand beside them; ``length`` means that the answer was cut off at the limit of tokens.
        So may ``usage``: ``prompt_tokens`` and ``completion_tokens``. ``max_tokens`` takes the place of the limit with
        which the model was opened. The answer ends before the first of ``stop``, strings that are no part of it.

        Raises:
            HubUnreachableError: the model does not answer; the attempt is no result, and may be tried again.
            ContextOverflowError: the conversation does not fit.

        """
        ...

    def close(self) -> None:
        """Let go of connections and weights."""
        ...


class ChatEndpoint:
    """Any OpenAI-compatible ``/chat/completions``. ``url`` ends before that path (``http://localhost:8000/v1``)."""

    def __init__(self, url: str, model: str, *, api_key: str | None, temperature: float, max_tokens: int) -> None:
        if not url.startswith(("http://", "https://")):
            raise UsageError(f"--endpoint is an address such as http://localhost:8000/v1, not {url!r}")
        self.name = model
        self._settings = {"model": model, "temperature": temperature, "max_tokens": max_tokens}
        self._endpoint = JsonEndpoint(url, api_key)
        self._names: dict[str, str] = {}

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[dict[str, Any]],
        *,
        seed: int,
        max_tokens: int | None = None,
        stop: Sequence[str] = (),
    ) -> Message:
        """One request; see :class:`Policy`."""
        body = {**self._settings, "messages": list(messages), "seed": seed}
        body |= {"stop": list(stop)} if stop else {}
        body |= {"max_tokens": max_tokens} if max_tokens is not None else {}
        if tools:
            body["tools"] = list(tools)
        answer = self._ask(body)
        try:
            choice = answer["choices"][0]
            message = choice["message"]
            content, calls = message.get("content") or "", message.get("tool_calls") or []
            if not isinstance(content, str):
                raise TypeError("content is no text")
            kept = {"role": "assistant", "content": content, "finish_reason": str(choice.get("finish_reason") or "")}
            kept |= _usage(answer.get("usage"))
            return kept | ({"tool_calls": [_call(number, call) for number, call in enumerate(calls)]} if calls else {})
        except (KeyError, IndexError, TypeError, AttributeError):
            raise HubUnreachableError(
                f"{self._endpoint.url} gives an answer that is not a chat completion: {answer!r:.300}"
            ) from None

    def _ask(self, body: Message) -> Any:
        """Send a request. A setting that the server refuses is renamed or left out, for this and all later requests."""
        sent = {self._names.get(name, name): value for name, value in body.items()}
        try:
            return self._endpoint.post("chat/completions", {name: value for name, value in sent.items() if name})
        except EndpointRefusedError as refusal:
            unknown = _unknown_name(refusal, sent)
            if unknown is None:
                raise _explained(refusal, self._endpoint.url, self.name) from None
            self._names[unknown] = _OTHER_NAMES[unknown]
            return self._ask(body)

    def close(self) -> None:
        """Close the connection."""
        self._endpoint.close()


def _unknown_name(refusal: EndpointRefusedError, sent: Message) -> str | None:
    """The setting that the server says it does not know, if it can be renamed or left out."""
    if refusal.status not in (400, 422) or _OVERFLOW.search(refusal.said) or not _UNKNOWN.search(refusal.said):
        return None
    return next((name for name in _OTHER_NAMES if name in sent and name in refusal.said), None)


def _usage(said: Any) -> dict[str, Any]:
    """``usage`` for the message, where the server counts tokens."""
    counts = {name: said.get(name) for name in _COUNTS} if isinstance(said, dict) else {}
    if any(not isinstance(count, int) or isinstance(count, bool) or count < 0 for count in counts.values()):
        return {}
    return {"usage": counts} if counts else {}


def _call(number: int, said: Any) -> dict[str, Any]:
    """A tool call in the form that harnesses expect.

    Some servers leave out the id, some send the arguments as an object.
    """
    function = said["function"]
    arguments = function.get("arguments") or "{}"
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {
        "id": str(said.get("id") or f"call-{number}"),
        "type": "function",
        "function": {"name": str(function["name"]), "arguments": text},
    }


def _explained(refusal: EndpointRefusedError, url: str, model: str) -> Exception:
    """The client's error for a refusal, with what to do."""
    said = " ".join(refusal.said.split())[:300] or "it said nothing"
    status = refusal.status
    if status in (400, 413, 422) and _OVERFLOW.search(refusal.said):
        return ContextOverflowError(f"the conversation does not fit into {model}'s context: {said}")
    if status in (401, 403):
        return NotLoggedInError(f"{url} refuses the key ({status}): {_KEYS}. It said: {said}")
    if status == 404:
        return HubUnreachableError(
            f"{url} has no chat/completions, or no model {model!r}: it is named by its URL up to /v1. It said: {said}"
        )
    if status == 429:
        fewer = "use fewer --workers (of a judge model: a smaller VERIHUB_SANDBOX_JUDGE_REQUESTS)"
        return HubUnreachableError(f"{url} is too busy, six times in a row: {fewer}. It said: {said}")
    if status >= 500:
        return HubUnreachableError(f"{url} fails ({status}), six times in a row. It said: {said}")
    return HubUnreachableError(f"{url} refuses the request ({status}): {said}")


def open_policy(
    model: str,
    *,
    endpoint: str,
    api_key: str | None,
    temperature: float,
    max_tokens: int,
    offline: bool = False,
    cache_dir: Path | None = None,
) -> Policy:
    """The endpoint's model when ``endpoint`` is given, else a model in this process (``local:smollm2``, a folder).

    ``offline``: nothing is downloaded for a model in this process. A named endpoint is still used.
    ``cache_dir``: where downloaded models lie; without it, where the user's settings say.
    """
    if endpoint and model.startswith(LOCAL):
        raise UsageError(f"{model} runs in this process: leave out --endpoint, or {LOCAL}")
    if endpoint:
        return ChatEndpoint(endpoint, model, api_key=api_key, temperature=temperature, max_tokens=max_tokens)
    installed = next((point for point in entry_points(group=GROUP) if point.name == "local"), None)
    missing = f"a model in this process needs {how_to_install('trainer')}; an endpoint is named with --endpoint URL"
    if installed is None:
        raise UsageError(missing)
    try:
        open_local = installed.load()
        opened: Policy = open_local(
            model.removeprefix(LOCAL),
            temperature=temperature,
            max_tokens=max_tokens,
            offline=offline,
            cache_dir=cache_dir,
        )
    except ModuleNotFoundError as error:
        raise UsageError(f"{missing} ({error})") from None
    return opened
