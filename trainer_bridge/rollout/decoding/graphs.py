"""One decode step, replayed as a CUDA graph if that is enabled and gives the same numbers."""

import warnings
from typing import Any

import torch
from torch import Tensor

from trainer_bridge.rollout.decoding.forward import Forward, decode_one
from trainer_bridge.rollout.decoding.fused_decode import FusedDecode
from trainer_bridge.rollout.decoding.kv_cache import StaticCache

_TOLERANCES = {torch.bfloat16: 0.05, torch.float16: 0.01}
_TOLERANCE = 1e-3
"""How far replayed logits may be from computed ones, by the norm of both.

In bfloat16 the computed ones of a model of 30 layers are themselves 0.012 from those in float32, and another order of
the same operations rounds by as much again. An error of the kind that this finds, as a wrong position or stale keys, is
above 1.
"""
_WINDOW = 256  # lengths are rounded up to it: a graph is captured for each length


class DecodeStep:
    """Decodes one token for the running slots by a CUDA graph. Otherwise the launches of kernels would limit a small
    model.

    Where :class:`FusedDecode` can compute the model's step, that is what is captured, once for each bucket of running
    slots (a power of two). Else transformers' or our plain step is, once for each bucket of slots and of cache
    positions. A graph is kept as long as the cache is not moved, which is the whole run. All graphs share one memory
    pool. They read the model's own weights, so the trainer's in-place updates take effect. The first replay of a bucket
    is compared with the plain step. If they differ, or if capturing fails, this object warns once and goes on without
    what has failed: first without the fused step, then without graphs.
    """

    def __init__(self, forward: Forward) -> None:
        self._forward = forward
        self._use_graphs = True
        self._captured: dict[tuple[int, int], tuple[torch.cuda.CUDAGraph, Tensor, Tensor]] = {}
        self._cache: StaticCache | None = None
        self._pool: Any = None
        self._fused = FusedDecode(forward) if FusedDecode.suits(forward) else None  # type: ignore[arg-type]

    def follow_weights(self) -> None:
        """Called when the weights may have changed. If they have moved, graphs that read the old ones are dropped."""
        if self._fused is not None and self._fused.has_moved():
            self._drop_graphs()
            self._fused.join()

    def _drop_graphs(self) -> None:
        """Their memory pool goes with them: one whose graphs are all gone cannot be captured into."""
        self._captured, self._pool = {}, None

    def __call__(self, tokens_S: Tensor, cache: StaticCache, window: int) -> Tensor:
        """Feed ``tokens_S``, one token for each of the first slots; return logits_SV. See :meth:`Forward.extend`."""
        if not self._use_graphs:
            return decode_one(self._forward, tokens_S, cache, window)
        if cache is not self._cache:
            self._cache = cache
            self._drop_graphs()
        running = tokens_S.shape[0]
        bucket = min(1 << (running - 1).bit_length(), cache.shape.slots)
        window = min(-(-window // _WINDOW) * _WINDOW, cache.shape.length) if self._fused is None else cache.shape.length
        if (bucket, window) not in self._captured:
            return self._capture_and_check(tokens_S, cache, bucket, window)
        graph, static_tokens_S, static_logits_SV = self._captured[bucket, window]
        static_tokens_S[:running] = tokens_S
        graph.replay()
        return static_logits_SV[:running]

    def _capture_and_check(self, tokens_S: Tensor, cache: StaticCache, bucket: int, window: int) -> Tensor:
        plain_SV = decode_one(self._forward, tokens_S, cache, window)
        try:
            self._captured[bucket, window] = self._capture(tokens_S, cache, bucket, window)
            graphed_SV = self._captured[bucket, window][2][: tokens_S.shape[0]]
            most = _TOLERANCES.get(self._forward.dtype, _TOLERANCE)
            if not (graphed_SV - plain_SV).norm() <= most * plain_SV.norm():
                raise RuntimeError("replayed logits differ from computed ones")
        except Exception as error:  # noqa: BLE001 -- Triton and its C compiler raise what they like
            what = "CUDA graphs are off"
            if self._fused is None:
                self._use_graphs = False
            else:
                self._fused, what = None, "the fused decode step is off"
                self._drop_graphs()
            warnings.warn(f"{what} for this run: {error}", RuntimeWarning, stacklevel=2)
        return plain_SV

    def _compute(self, tokens_S: Tensor, cache: StaticCache, window: int) -> Tensor:
        if self._fused is not None:
            return self._fused(tokens_S, cache)
        return decode_one(self._forward, tokens_S, cache, window)

    def _capture(
        self, tokens_S: Tensor, cache: StaticCache, bucket: int, window: int
    ) -> tuple[torch.cuda.CUDAGraph, Tensor, Tensor]:
        """Warm up on a side stream, capture for fixed sizes, and replay once."""
        static_tokens_S = torch.zeros(bucket, dtype=torch.long, device=tokens_S.device)
        static_tokens_S[: tokens_S.shape[0]] = tokens_S
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            self._compute(static_tokens_S, cache, window)
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=self._pool):
            static_logits_SV = self._compute(static_tokens_S, cache, window)
        self._pool = graph.pool()
        graph.replay()
        return graph, static_tokens_S, static_logits_SV
