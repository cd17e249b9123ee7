"""One decode step, replayed as a CUDA graph if that is enabled and gives the same numbers."""

import warnings
from typing import Any

import torch
from torch import Tensor

from trainer_bridge.rollout.decoding.forward import Forward, decode_one
from trainer_bridge.rollout.decoding.kv_cache import StaticCache

_TOLERANCE = 1e-2  # relative, for bfloat16: the graph's batch size may use another matrix kernel
_WINDOW = 256  # lengths are rounded up to it: a graph is captured for each length


class DecodeStep:
    """Decodes one token for the running slots by a CUDA graph. Otherwise the launches of kernels would limit a small
    model.

    One graph is captured for each bucket of running slots (a power of two) and of cache positions. It is kept as long
    as the cache is not moved, which is the whole run. All graphs share one memory pool. They read the model's own
    weights, so the trainer's in-place updates take effect. The first replay of a bucket is compared with the plain
    step. If they differ, or if capturing fails, this object warns once and continues without graphs.

    This has not been run on a GPU by us: it was written from PyTorch's documentation.
    """

    def __init__(self, forward: Forward) -> None:
        self._forward = forward
        self._use_graphs = True
        self._captured: dict[tuple[int, int], tuple[torch.cuda.CUDAGraph, Tensor, Tensor]] = {}
        self._cache: StaticCache | None = None
        self._pool: Any = None

    def __call__(self, tokens_S: Tensor, cache: StaticCache, window: int) -> Tensor:
        """Feed ``tokens_S``, one token for each of the first slots; return logits_SV. See :meth:`Forward.extend`."""
        if not self._use_graphs:
            return decode_one(self._forward, tokens_S, cache, window)
        if cache is not self._cache:
            self._captured, self._cache = {}, cache
        running = tokens_S.shape[0]
        bucket = min(1 << (running - 1).bit_length(), cache.shape.slots)
        window = min(-(-window // _WINDOW) * _WINDOW, cache.shape.length)
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
            if not torch.allclose(plain_SV, graphed_SV, rtol=_TOLERANCE, atol=_TOLERANCE * float(plain_SV.abs().max())):
                raise RuntimeError("replayed logits differ from computed ones")
        except RuntimeError as error:
            self._use_graphs = False
            warnings.warn(f"CUDA graphs are off for this run: {error}", RuntimeWarning, stacklevel=2)
        return plain_SV

    def _capture(
        self, tokens_S: Tensor, cache: StaticCache, bucket: int, window: int
    ) -> tuple[torch.cuda.CUDAGraph, Tensor, Tensor]:
        """Warm up on a side stream, capture for fixed sizes, and replay once."""
        static_tokens_S = torch.zeros(bucket, dtype=torch.long, device=tokens_S.device)
        static_tokens_S[: tokens_S.shape[0]] = tokens_S
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            decode_one(self._forward, static_tokens_S, cache, window)
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=self._pool):
            static_logits_SV = decode_one(self._forward, static_tokens_S, cache, window)
        self._pool = graph.pool()
        graph.replay()
        return graph, static_tokens_S, static_logits_SV
