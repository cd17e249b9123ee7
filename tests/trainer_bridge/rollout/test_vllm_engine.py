"""vLLM as the engine: over HTTP against a server with a real small model, in this process against a stand-in module."""

import json
import sys
from types import SimpleNamespace

import pytest
import torch

from tests.fakes.vllm_server import REAL, VllmServerFake, serving
from trainer_bridge.errors import EngineError, SettingsError
from trainer_bridge.loop import train
from trainer_bridge.models.loaded_model import load_model
from trainer_bridge.replay import replay
from trainer_bridge.rollout.decoding.engine_choice import open_engine
from trainer_bridge.rollout.decoding.requests import GenerationRequest
from trainer_bridge.rollout.decoding.sampling import Sampling
from trainer_bridge.rollout.vllm_engine import VllmInProcess, VllmServer, WeightsFolder, sampling_fields


def tiny_model(tmp_path):
    return load_model("tiny", dtype=torch.float32, device=torch.device("cpu"), cache=tmp_path)


@pytest.fixture
def served(tmp_path):
    """The fake with other weights than the policy's, and its address."""
    fake = VllmServerFake(tiny_model(tmp_path))
    with torch.no_grad():
        for parameter in fake.loaded.model.parameters():
            parameter.mul_(1.5)
    with serving(fake) as url:
        fake.url = url
        yield fake


@pytest.fixture
def connect(served, tiny, tmp_path):
    opened = []

    def make(**given):
        opened.append(VllmServer(served.url, WeightsFolder(tiny, tmp_path / "engine"), slots=4, **given))
        return opened[-1]

    yield make
    for engine in opened:
        engine.close()


def asks(count=6):
    return [
        GenerationRequest((5, 6, 7 + number % 2), 9, Sampling(1.3, 0.9, 20), seed=number) for number in range(count)
    ]


def written_by(engine, requests):
    for ask in requests:
        engine.submit(ask)
    found = {}
    while engine.is_busy:
        found |= dict(engine.step())
    return [found[ask] for ask in requests]


def test_a_server_writes_with_the_policys_weights_token_by_token(served, connect, tiny):
    engine, requests = connect(), asks()
    engine.load_weights()
    assert written_by(engine, requests) == written_by(open_engine(tiny, slots=1), requests)
    sent = served.bodies[-1]
    assert sent["stop_token_ids"] == list(tiny.eos_ids)
    assert (sent["top_k"], sent["repetition_penalty"], sent["min_p"]) == (20, 1.0, 0.0)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"token_ids": None}, "no token ids"),
        ({"token_ids": [1, 2]}, "not a log-probability for each"),
        ({"token_ids": [1], "logprobs": {"token_logprobs": [None]}}, "not a number"),
        ({"prompt_token_ids": [1]}, "another prompt than was sent"),
    ],
)
def test_an_answer_that_cannot_be_learnt_from_ends_the_run(change, said, served, connect):
    engine = connect()
    engine.load_weights()
    served.change = change
    with pytest.raises(EngineError, match=said):
        written_by(engine, asks(1))


def test_log_probabilities_before_temperature_are_refused_at_the_start(served, connect):
    served.mode = "raw"
    with pytest.raises(EngineError, match="--logprobs-mode processed_logprobs"):
        connect().load_weights()


def test_a_server_that_keeps_old_keys_and_values_is_refused(served, connect):
    served.stuck = True
    with pytest.raises(EngineError, match="did not drop"):
        connect().load_weights()


def test_a_key_is_sent_and_a_refusal_says_what_to_do(served, connect):
    served.key = "secret"
    connect(key="secret").load_weights()
    with pytest.raises(EngineError, match="VLLM_SERVER_DEV_MODE=1"):
        connect().load_weights()


def samples(folder):
    rows = [json.loads(line) for line in (folder / "rollouts.jsonl").read_text().splitlines()]
    return [(row["step"], row["task_id"], row["response"]) for row in rows]


def test_a_run_writes_the_same_samples_as_with_the_own_engine(served, fake_hub, make_settings, tmp_path):
    """So the server has the weights of every step: after the first they are others."""
    given = {"steps": 3, "recipe": "dr_grpo", "learning_rate": 0.02, "rollouts_per_step": 100}
    own = make_settings(**given)
    train(own, hub=fake_hub())
    theirs = make_settings(**given, engine="vllm", engine_url=served.url, output=tmp_path / "vllm")
    train(theirs, hub=fake_hub())
    assert samples(theirs.output) == samples(own.output)
    assert served.reloads == 5  # three steps, and an evaluation before and after
    with pytest.raises(SettingsError, match="do not repeat to the bit"):
        replay(theirs.output, fake_hub())


class StandIn:
    """What is used of the module vllm. It takes what vLLM's own source takes (scripts/vllm_interface.py) and no more."""

    def __init__(self, tiny):
        self.tiny, self.calls, self.given = tiny, [], {}

    def SamplingParams(self, **fields):  # noqa: N802 -- vLLM's name
        assert set(fields) <= set(REAL["SamplingParams"])
        return SimpleNamespace(**fields)

    def LLM(self, **given):  # noqa: N802 -- vLLM's name
        assert set(given) <= {*REAL["LLM.__init__"], *REAL["EngineArgs"]}
        self.given = given
        return self

    def collective_rpc(self, method, kwargs):
        assert {"method", "kwargs"} <= set(REAL["LLM.collective_rpc"])
        assert set(kwargs) <= set(REAL["GPUModelRunner.reload_weights"])
        self.calls.append((method, kwargs))

    def reset_prefix_cache(self):
        return True

    def generate(self, prompts, sampling, *, use_tqdm):
        del use_tqdm
        assert REAL["LLM.generate"][:3] == ["prompts", "sampling_params", "use_tqdm"]
        found = []
        for prompt, fields in zip(prompts, sampling, strict=True):
            assert set(prompt) <= set(REAL["TokensPrompt"])
            how = Sampling(fields.temperature, fields.top_p, fields.top_k)
            ask = GenerationRequest(tuple(prompt["prompt_token_ids"]), fields.max_tokens, how, fields.seed)
            (written,) = written_by(open_engine(self.tiny, slots=1), [ask])
            pairs = zip(written.tokens, written.logprobs, strict=True)
            steps = [{token: SimpleNamespace(logprob=value)} for token, value in pairs]
            found.append(SimpleNamespace(outputs=[SimpleNamespace(token_ids=written.tokens, logprobs=steps)]))
        return found


def test_vllm_in_this_process_is_asked_by_its_own_names(tiny, tmp_path, monkeypatch):
    module = StandIn(tiny)
    monkeypatch.setitem(sys.modules, "vllm", module)
    engine, requests = VllmInProcess(WeightsFolder(tiny, tmp_path / "engine"), slots=4, memory=0.3), asks()
    engine.load_weights()
    assert module.given["logprobs_mode"] == "processed_logprobs"
    assert module.calls == [("reload_weights", {"weights_path": str(tmp_path / "engine")})]
    assert written_by(engine, requests) == written_by(open_engine(tiny, slots=1), requests)
    engine.close()


def test_words_that_end_an_answer_and_what_is_read_of_one_are_called_as_in_vllm():
    stop = SimpleNamespace(words=("a",))
    sent = sampling_fields(GenerationRequest((1,), 2, Sampling(1.0), seed=0, stop=stop), (7,))
    assert sent["stop"] == ["a"]
    assert set(sent) <= set(REAL["SamplingParams"]) & set(REAL["CompletionRequest"])
    assert {"token_ids", "logprobs"} <= set(REAL["CompletionOutput"]) & set(REAL["CompletionResponseChoice"])
    assert "logprob" in REAL["Logprob"]
    assert REAL["LLM.reset_prefix_cache"]


def test_without_vllm_the_extra_is_named(tiny, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "vllm", None)
    with pytest.raises(SettingsError, match=r"pip install .*\[vllm\]"):
        VllmInProcess(WeightsFolder(tiny, tmp_path / "engine"), slots=4, memory=0.3)
