"""Runs an engine on its own thread for callers on any thread: for `verihub eval` and `verihub serve-model`."""

import threading
from concurrent.futures import Future
from types import TracebackType
from typing import Self

from trainer_bridge.rollout.decoding.engine import Engine
from trainer_bridge.rollout.decoding.requests import Generated, GenerationRequest


class ServingEngine:
    """Steps the engine while there are requests, and sleeps otherwise. A context manager."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._changed = threading.Condition()
        self._open = True
        self._waiting: dict[GenerationRequest, Future[Generated]] = {}
        self._thread = threading.Thread(target=self._run, name="verihub-engine", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop after the current step. Requests that still wait fail."""
        with self._changed:
            self._open = False
            self._changed.notify()
        self._thread.join()

    @property
    def is_open(self) -> bool:
        """Whether it takes requests."""
        return self._open

    def submit(self, request: GenerationRequest) -> Future[Generated]:
        """Queue a request. The future fails if a step fails while it is in the engine, or if the engine is closed."""
        future: Future[Generated] = Future()
        # A caller that gives up cancels nothing here. Its request is ended by `GenerationRequest.is_wanted`.
        future.set_running_or_notify_cancel()
        with self._changed:
            if not self._open:
                raise RuntimeError("the engine is closed")
            self._waiting[request] = future
            self._engine.submit(request)
            self._changed.notify()
        return future

    def _run(self) -> None:
        reason: BaseException = RuntimeError("the engine was closed before it answered")
        try:
            while True:
                with self._changed:
                    self._changed.wait_for(lambda: not self._open or self._engine.is_busy)
                    if not self._open:
                        return
                self._step()
        except BaseException as error:  # noqa: BLE001 -- raised by the future of every caller that waits
            reason = error
        finally:
            with self._changed:
                self._open = False
            self._fail_all(reason)

    def _step(self) -> None:
        """One step. Where it fails, for lack of memory say, so do all requests that are in the engine, since nobody can
        tell which of them is the cause. Later ones find an empty engine.
        """
        try:
            ended = self._engine.step()
        except Exception as error:  # noqa: BLE001 -- as above
            with self._changed:
                self._engine.drop_requests()
                self._fail_all(error)
            return
        for request, generated in ended:
            with self._changed:
                future = self._waiting.pop(request)
            future.set_result(generated)

    def _fail_all(self, reason: BaseException) -> None:
        with self._changed:
            left, self._waiting = self._waiting, {}
        for future in left.values():
            future.set_exception(reason)
