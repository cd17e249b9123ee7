"""verl's own base class, token builder and parser, where verl is installed (scripts/test_adapters verl)."""

import json
import math

import pytest

from hub_client.adapters.verl import dataset_rows
from hub_client.errors import UsageError
from tests.hub_client.adapters.test_episodes import WITH_VERIFIER

pytest.importorskip("verl", reason="verl is an optional dependency")
loops = pytest.importorskip("verl.experimental.agent_loop.agent_loop")
replica = pytest.importorskip("verl.workers.rollout.replica")
adapter = pytest.importorskip("hub_client.adapters.verl_agent_loop")
pytestmark = pytest.mark.anyio

_TEMPLATE = (
    "{% if tools %}<|im_start|>system\n{{ tools | tojson }}<|im_end|>\n{% endif %}"
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}"
    "{% for call in message.tool_calls or [] %}<tool_call>{{ call.function | tojson }}</tool_call>{% endfor %}"
    "<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


@pytest.fixture(scope="module")
def tokenizer():
    """A token for each byte, and two for the ends of a message."""
    tokenizers = pytest.importorskip("tokenizers")
    transformers = pytest.importorskip("transformers")
    signs = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    model = tokenizers.models.BPE({sign: number for number, sign in enumerate(signs)}, [])
    inner = tokenizers.Tokenizer(model)
    inner.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = tokenizers.decoders.ByteLevel()
    made = transformers.PreTrainedTokenizerFast(tokenizer_object=inner, eos_token="<|im_end|>", pad_token="<|im_end|>")
    made.add_special_tokens({"additional_special_tokens": ["<|im_start|>"]})
    made.chat_template = _TEMPLATE
    return made


class Server:
    """Writes what a script says, as the inference server of verl gives it."""

    def __init__(self, tokenizer, words) -> None:
        self._tokenizer, self._words, self.prompts = tokenizer, list(words), []

    async def generate(self, *, request_id, prompt_ids, sampling_params, **_):
        self.prompts.append(list(prompt_ids))
        ids = self._tokenizer(self._words.pop(0) + "<|im_end|>", add_special_tokens=False)["input_ids"]
        return replica.TokenOutput(token_ids=ids, log_probs=[-0.25] * len(ids))


@pytest.fixture
def run(tokenizer, monkeypatch):
    omegaconf = pytest.importorskip("omegaconf")

    async def made(env, *words, extra_info=None):
        row = dataset_rows(env, limit=1, agent="verihub")[0]
        monkeypatch.setattr(adapter.DEFAULT_HUB, "environment", {row["extra_info"]["verihub_reference"]: env}.get)
        rollout = {
            "prompt_length": 2048, "response_length": 2048,
            "multi_turn": {"format": "hermes", "max_assistant_turns": None},
        }  # fmt: skip
        config = omegaconf.OmegaConf.create({"actor_rollout_ref": {"rollout": rollout}, "data": {}})
        server = Server(tokenizer, words)
        loop = adapter.HubAgentLoop(
            trainer_config=loops.DictConfigWrap(config), server_manager=server, tokenizer=tokenizer, processor=None,
            dataset_cls=None, data_config=loops.DictConfigWrap(config.data), hf_model_type=None, tools=None,
        )  # fmt: skip
        info = row["extra_info"] if extra_info is None else extra_info
        output = await loop.run({"temperature": 1.0}, raw_prompt=row["prompt"], extra_info=info)
        return output, server

    return made


async def test_one_turn_is_judged_in_the_loop(env, run, tokenizer) -> None:
    output, server = await run(env, "2 it is")
    assert output.prompt_ids == server.prompts[0]
    assert tokenizer.decode(output.response_ids) == "2 it is<|im_end|>"
    assert output.response_mask == [1] * len(output.response_ids)
    assert output.reward_score == 1.5
    assert output.extra_fields["reward_extra_info"]["words"] == 3.0
    batch = output.as_dict()
    assert float(batch["rm_scores"].sum()) == 1.5


async def test_a_session_with_calls_is_played_turn_by_turn(make_env, run, tokenizer) -> None:
    env = make_env(WITH_VERIFIER)
    call = "<tool_call>" + json.dumps({"name": "look", "arguments": {"where": "up"}}) + "</tool_call>"
    output, server = await run(env, call, "hm", "2")
    text = tokenizer.decode(output.response_ids)
    assert (
        output.response_ids[: len(server.prompts[1]) - len(output.prompt_ids)]
        == server.prompts[1][len(output.prompt_ids) :]
    )
    assert "<|im_start|>tool" in text, "the tool's answer is in the sequence"
    policys = tokenizer.decode(
        [token for token, own in zip(output.response_ids, output.response_mask, strict=True) if own]
    )
    assert policys == f"{call}<|im_end|>hm<|im_end|>2<|im_end|>"
    assert len(output.response_logprobs) == len(output.response_ids)
    assert output.reward_score == 1.0


async def test_what_cannot_be_judged_is_nan(env, run) -> None:
    output, _ = await run(env, "loop")
    assert math.isnan(output.reward_score)
    assert output.extra_fields["reward_extra_info"]["judged"] == 0.0


async def test_a_row_without_a_task_says_how_rows_are_made(env, run) -> None:
    with pytest.raises(UsageError, match="dataset_rows"):
        await run(env, extra_info={"index": 3})
