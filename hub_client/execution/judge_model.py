"""The user's judge model: at an endpoint, or in this process. It is opened at the first call."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from threading import Lock

from hub_client.errors import HubClientError
from hub_client.transport.chat_endpoint import LOCAL, Policy, open_policy
from sandbox.models.port import ModelAnswer, ModelSilentError

_MOST_TOKENS = 8192  # the longest answer, if a request sets no limit


class ClientJudge:
    """``model`` is ``local:NAME`` or ``URL#MODEL``; verdicts show NAME or MODEL. The temperature is 0.

    ``offline``: nothing is downloaded for a model in this process. ``cache_dir``: where downloaded models lie.
    """

    def __init__(
        self,
        model: str,
        api_key: str | None = None,
        open_model: Callable[..., Policy] = open_policy,
        *,
        offline: bool = False,
        cache_dir: Path | None = None,
    ) -> None:
        self._endpoint, _, name = model.partition("#")
        self._is_local = model.startswith(LOCAL)
        self.name = model.removeprefix(LOCAL) if self._is_local else name
        self.address = LOCAL if self._is_local else self._endpoint.rstrip("/")
        self._api_key = api_key
        self._open_model = partial(open_model, offline=offline, cache_dir=cache_dir)
        self._lock = Lock()
        self._policy: Policy | None = None

    def complete(self, messages: Sequence[dict[str, str]], *, max_tokens: int, seed: int) -> ModelAnswer:
        """See :class:`~sandbox.models.port.JudgeModel`."""
        try:
            said = self._opened().complete(messages, [], seed=seed, max_tokens=max_tokens)
        except HubClientError as error:
            raise ModelSilentError(str(error)) from error
        usage = said.get("usage") or {}
        return ModelAnswer(
            said.get("content") or "",
            said.get("finish_reason") == "length",
            usage.get("prompt_tokens"),
            usage.get("completion_tokens"),
        )

    def close(self) -> None:
        """Let go of the model, if it was ever asked."""
        with self._lock:
            if self._policy is not None:
                self._policy.close()

    def _opened(self) -> Policy:
        with self._lock:
            if self._policy is None:
                place = {"model": f"{LOCAL}{self.name}", "endpoint": ""}
                if not self._is_local:
                    place = {"model": self.name, "endpoint": self._endpoint}
                self._policy = self._open_model(
                    **place, api_key=self._api_key or None, temperature=0.0, max_tokens=_MOST_TOKENS
                )
            return self._policy
