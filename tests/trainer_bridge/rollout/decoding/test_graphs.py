"""Captured decode steps, with a stand-in for CUDA whose graphs run again what was recorded in them."""

import contextlib
import warnings

import pytest
import torch

from tests.trainer_bridge.rollout.decoding.families import make_model
from trainer_bridge.rollout.decoding import graphs
from trainer_bridge.rollout.decoding.forward import LlamaForward, decode_one
from trainer_bridge.rollout.decoding.graphs import DecodeStep
from trainer_bridge.rollout.decoding.kv_cache import StaticCache

CPU = torch.device("cpu")


class FakeGraph:
    """Keeps the one decode that ran while it was captured; ``replay`` runs it again into the same tensor."""

    made = 0

    def __init__(self):
        type(self).made += 1
        self.decoded = None

    def pool(self):
        return "pool"

    def replay(self):
        call, logits = self.decoded
        logits.copy_(decode_one(*call) + self.error)

    error = 0.0


@pytest.fixture
def cuda(monkeypatch):
    """Streams that do nothing and graphs that record what is decoded inside them."""
    recording, seen = [], []

    def decoding(*call):
        seen.append((len(call[1]), call[3]))
        logits = decode_one(*call)
        if recording:
            recording[-1].decoded = call, logits
        return logits

    @contextlib.contextmanager
    def capture(graph, pool=None):
        pools.append(pool)
        recording.append(graph)
        yield
        recording.pop()

    class Stream:
        def wait_stream(self, other):
            del other

    pools = []
    monkeypatch.setattr(FakeGraph, "made", 0)
    monkeypatch.setattr(graphs, "decode_one", decoding)
    monkeypatch.setattr(torch.cuda, "Stream", Stream)
    monkeypatch.setattr(torch.cuda, "current_stream", Stream)
    monkeypatch.setattr(torch.cuda, "stream", contextlib.nullcontext)
    monkeypatch.setattr(torch.cuda, "CUDAGraph", FakeGraph)
    monkeypatch.setattr(torch.cuda, "graph", capture)
    seen_and_pools = type("Cuda", (), {"decoded": seen, "pools": pools})
    yield seen_and_pools
    assert not recording


@pytest.fixture
def forward():
    with torch.no_grad():  # as the engine does
        yield LlamaForward(make_model("smollm2"))


def make_cache(forward, length=600):
    cache = StaticCache(forward.cache_shape(8, length), torch.float32, CPU)
    cache.filled_S += 3
    torch.manual_seed(1)
    cache.keys.normal_()
    cache.values.normal_()
    return cache


def test_a_replay_gives_the_numbers_of_a_plain_step_for_other_tokens_and_fewer_slots(cuda, forward):
    cache, step = make_cache(forward), DecodeStep(forward)
    for tokens in ([5, 6, 7], [8, 9, 10], [11, 12, 13, 14]):
        found = step(torch.tensor(tokens), cache, 10).clone()
        expected = decode_one(forward, torch.tensor(tokens), cache, 10)
        assert torch.allclose(found, expected, atol=1e-5)
        assert found.shape[0] == len(tokens)
    assert FakeGraph.made == 1, "three and four running slots share a bucket"


def test_one_graph_is_captured_for_each_bucket_of_slots_and_of_positions_and_they_share_memory(cuda, forward):
    cache, step = make_cache(forward), DecodeStep(forward)
    for slots, window in ((1, 4), (1, 256), (1, 257), (2, 4), (5, 4), (8, 256), (8, 599)):
        step(torch.zeros(slots, dtype=torch.long), cache, window)
    # (1, 256), (1, 512), (2, 256), (8, 256) and the last, whose window ends with the cache
    assert FakeGraph.made == 5
    assert cuda.pools == [None, *["pool"] * 4]
    assert {(8, 256), (8, 600)} <= set(cuda.decoded)


def test_a_cache_that_has_moved_is_captured_anew(cuda, forward):
    step = DecodeStep(forward)
    for cache in (make_cache(forward), make_cache(forward)):
        for _ in range(2):
            step(torch.tensor([5]), cache, 4)
    assert FakeGraph.made == 2


def test_weights_that_were_updated_in_place_are_seen(cuda, forward):
    cache, step = make_cache(forward), DecodeStep(forward)
    before = step(torch.tensor([5]), cache, 4).clone()
    forward._head_VD.mul_(2.0)
    after = step(torch.tensor([5]), cache, 4)
    assert not torch.allclose(before, after)
    assert torch.allclose(after, decode_one(forward, torch.tensor([5]), cache, 4), atol=1e-5)


def test_a_graph_that_gives_other_numbers_is_not_used_and_said_once(cuda, forward, monkeypatch):
    monkeypatch.setattr(FakeGraph, "error", 100.0)
    cache, step = make_cache(forward), DecodeStep(forward)
    with pytest.warns(RuntimeWarning, match="replayed logits differ"):
        found = step(torch.tensor([5, 6]), cache, 4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = step(torch.tensor([5, 6]), cache, 4)
    for logits in (found, again):
        assert torch.allclose(logits, decode_one(forward, torch.tensor([5, 6]), cache, 4), atol=1e-5)
    assert FakeGraph.made == 1


def test_where_nothing_can_be_captured_the_run_goes_on_without(cuda, forward, monkeypatch):
    def refused(*_, **__):
        raise RuntimeError("operation not permitted when stream is capturing")

    monkeypatch.setattr(torch.cuda, "graph", refused)
    cache, step = make_cache(forward), DecodeStep(forward)
    with pytest.warns(RuntimeWarning, match="CUDA graphs are off for this run: operation not permitted"):
        found = step(torch.tensor([5]), cache, 4)
    assert torch.allclose(found, decode_one(forward, torch.tensor([5]), cache, 4), atol=1e-5)


def test_a_pool_goes_with_its_graphs(cuda, forward):
    """CUDA cannot capture into the pool of graphs that are all gone: it ended graphs for the rest of a run."""
    step = DecodeStep(forward)
    for cache in (make_cache(forward), make_cache(forward)):
        step(torch.tensor([5]), cache, 4)
    assert cuda.pools == [None, None]


class Fused:
    """The plain step over the whole cache, times ``factor``, in place of the fused one."""

    factor = 1.0

    def __init__(self, forward):
        self.forward, self.joined = forward, 0

    @staticmethod
    def suits(forward):
        return True

    def __call__(self, tokens, cache):
        return graphs.decode_one(self.forward, tokens, cache, cache.shape.length) * self.factor

    def has_moved(self):
        return True

    def join(self):
        self.joined += 1


@pytest.mark.parametrize("length", [64, 600])
@pytest.mark.parametrize("factor", [2.0, float("nan")])
def test_a_fused_step_that_gives_other_numbers_is_replaced_by_the_plain_one_within_graphs(
    cuda, forward, monkeypatch, factor, length
):
    """Its graph is not used again either: in a short cache the plain step's graph has the same sizes."""
    monkeypatch.setattr(graphs, "FusedDecode", Fused)
    monkeypatch.setattr(Fused, "factor", factor)
    monkeypatch.setattr(FakeGraph, "replay", lambda graph: None)  # what was computed while it was captured
    cache, step = make_cache(forward, length), DecodeStep(forward)
    with pytest.warns(RuntimeWarning, match="the fused decode step is off for this run: replayed logits differ"):
        step(torch.tensor([5]), cache, 4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = step(torch.tensor([5]), cache, 4)
    assert torch.allclose(again, decode_one(forward, torch.tensor([5]), cache, 4), atol=1e-5)


def test_the_fused_step_is_captured_once_for_all_lengths_and_anew_when_weights_have_moved(cuda, forward, monkeypatch):
    monkeypatch.setattr(graphs, "FusedDecode", Fused)
    cache, step = make_cache(forward), DecodeStep(forward)
    for window in (4, 300, 599):
        step(torch.tensor([5]), cache, window)
    assert FakeGraph.made == 1
    step.follow_weights()
    assert step._fused.joined == 1
    step(torch.tensor([5]), cache, 4)
    assert FakeGraph.made == 2, "the first one reads the old storage"
    assert cuda.pools == [None, None]


def test_more_slots_than_the_cache_has_are_never_decoded(cuda, forward):
    cache, step = StaticCache(forward.cache_shape(6, 64), torch.float32, CPU), DecodeStep(forward)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = step(torch.tensor([5, 6, 7, 8, 9]), cache, 10)
    assert torch.allclose(found, decode_one(forward, torch.tensor([5, 6, 7, 8, 9]), cache, 10), atol=1e-5)
    assert (6, 64) in cuda.decoded


@pytest.mark.parametrize(("dtype", "is_kept"), [(torch.bfloat16, True), (torch.float32, False)])
def test_bfloat16_may_round_otherwise_and_float32_may_not(cuda, dtype, is_kept, monkeypatch):
    monkeypatch.setattr(FakeGraph, "error", 0.01)
    with torch.no_grad():
        forward = LlamaForward(make_model("smollm2").to(dtype))
        cache, step = StaticCache(forward.cache_shape(2, 64), dtype, CPU), DecodeStep(forward)
        with contextlib.nullcontext() if is_kept else pytest.warns(RuntimeWarning, match="replayed logits differ"):
            logits = step(torch.tensor([5]), cache, 4)
    assert 0.001 < 0.01 * logits.numel() ** 0.5 / logits.norm() < 0.05, "the error lies between the two tolerances"
    assert step._use_graphs == is_kept
