"""A policy is an API: messages and tools in, one assistant message out. Endpoints here; local models by entry point."""

from collections.abc import Sequence
from importlib.metadata import entry_points
from typing import Any, Protocol

from hub_client.connection import JsonEndpoint
from hub_client.errors import HubUnreachableError, UsageError

GROUP = "verihub.policies"
"""Entry points named ``local``: ``open_policy(name, settings) -> Policy`` for models that run in this process."""

Message = dict[str, Any]


class Policy(Protocol):
    """The model under evaluation. ``complete`` may be called from several threads at once."""

    name: str

    def complete(self, messages: Sequence[Message], tools: Sequence[dict[str, Any]], *, seed: int) -> Message:
        """The assistant's next message, in chat-completions form (``content`` and maybe ``tool_calls``).

        Raises:
            HubUnreachableError: the model does not answer; the attempt is no result, and may be tried again.

        """
        ...

    def close(self) -> None:
        """Let go of connections and weights."""
        ...


class ChatEndpoint:
    """Any OpenAI-compatible ``/chat/completions``. ``url`` ends before that path (``http://localhost:8000/v1``)."""

    def __init__(self, url: str, model: str, *, api_key: str | None, temperature: float, max_tokens: int) -> None:
        self.name = model
        self._settings = {"model": model, "temperature": temperature, "max_tokens": max_tokens}
        self._endpoint = JsonEndpoint(url, api_key)

    def complete(self, messages: Sequence[Message], tools: Sequence[dict[str, Any]], *, seed: int) -> Message:
        """One request; see :class:`Policy`."""
        body = {**self._settings, "messages": list(messages), "seed": seed}
        if tools:
            body["tools"] = list(tools)
        answer = self._endpoint.post("chat/completions", body)
        try:
            message = answer["choices"][0]["message"]
            kept = {"role": "assistant", "content": message.get("content") or ""}
            return kept | ({"tool_calls": message["tool_calls"]} if message.get("tool_calls") else {})
        except (KeyError, IndexError, TypeError, AttributeError):
            raise HubUnreachableError(
                f"{self.name} answered with what is no chat completion: {answer!r:.300}"
            ) from None

    def close(self) -> None:
        """Close the connection."""
        self._endpoint.close()


def open_policy(model: str, *, endpoint: str, api_key: str | None, temperature: float, max_tokens: int) -> Policy:
    """The endpoint's model where ``endpoint`` is given, else a model in this process (``smollm2``, a folder)."""
    if endpoint:
        return ChatEndpoint(endpoint, model, api_key=api_key, temperature=temperature, max_tokens=max_tokens)
    found = [point for point in entry_points(group=GROUP) if point.name == "local"]
    try:
        opened: Policy = found[0].load()(model, temperature=temperature, max_tokens=max_tokens)
    except (IndexError, ModuleNotFoundError):
        raise UsageError(
            "a model in this process needs pip install 'verihub[trainer]'; an endpoint is named with --endpoint URL"
        ) from None
    return opened
