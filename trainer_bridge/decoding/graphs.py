"""One decode step, replayed as a CUDA graph where that was asked for and gives the same numbers."""

import warnings

import torch
from torch import Tensor

from trainer_bridge.decoding.llama_forward import LlamaForward
from trainer_bridge.decoding.static_cache import StaticCache

_TOLERANCE = 1e-2  # relative, bfloat16: another batch size may pick another matrix kernel


class DecodeStep:
    """Decode one token for the running slots; a small model on an accelerator is otherwise bound by kernel launches.

    A graph is captured for each bucket (power of two) of running slots. Its weights are read where they lie, so
    the trainer's in-place updates are seen. The first replay of a bucket is compared with the plain step; if they
    differ, or capturing fails, this object warns once and goes on without graphs.
    """

    def __init__(self, forward: LlamaForward, cache: StaticCache, *, use_graphs: bool) -> None:
        self._forward, self._cache = forward, cache
        self._use_graphs = use_graphs and forward.device.type == "cuda"
        self._captured: dict[int, tuple[torch.cuda.CUDAGraph, Tensor, Tensor]] = {}

    def __call__(self, tokens: Tensor, window: int) -> Tensor:
        """Logits [S, V] after ``tokens`` [S]; see :meth:`LlamaForward.decode`."""
        if not self._use_graphs:
            return self._forward.decode(tokens, self._cache, window)
        running = tokens.shape[0]
        bucket = min(1 << (running - 1).bit_length(), self._cache.shape.slots)
        if bucket not in self._captured:
            return self._capture_and_check(tokens, bucket, window)
        graph, static_tokens, static_logits = self._captured[bucket]
        static_tokens[:running] = tokens
        graph.replay()
        return static_logits[:running]

    def _capture_and_check(self, tokens: Tensor, bucket: int, window: int) -> Tensor:
        plain = self._forward.decode(tokens, self._cache, window)
        try:
            self._captured[bucket] = self._capture(tokens, bucket)
            graphed = self._captured[bucket][2][: tokens.shape[0]]
            if not torch.allclose(
                plain.float(), graphed.float(), rtol=_TOLERANCE, atol=_TOLERANCE * plain.abs().max().item()
            ):
                raise RuntimeError("replayed logits differ from computed ones")
        except RuntimeError as error:
            self._use_graphs = False
            warnings.warn(f"CUDA graphs are off for this generation: {error}", RuntimeWarning, stacklevel=2)
        return plain

    def _capture(self, tokens: Tensor, bucket: int) -> tuple[torch.cuda.CUDAGraph, Tensor, Tensor]:
        """Warm up on a side stream, capture over the full window (its size is baked in), replay once."""
        static_tokens = torch.zeros(bucket, dtype=torch.long, device=tokens.device)
        static_tokens[: tokens.shape[0]] = tokens
        length = self._cache.shape.length
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            self._forward.decode(static_tokens, self._cache, length)
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            static_logits = self._forward.decode(static_tokens, self._cache, length)
        graph.replay()
        return graph, static_tokens, static_logits
