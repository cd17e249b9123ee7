"""An agent loop of verl that plays environments of the hub: sessions, tools, or a single turn.

Rows name it, and a file of two lines makes it known to verl's workers::

    rows = dataset_rows(hub.environment("lecture/wordle@1.2.1"), "train", limit=1000, agent="verihub")

    # agents.yaml, for actor_rollout_ref.rollout.agent.agent_loop_config_path
    - name: verihub
      _target_: hub_client.adapters.verl_agent_loop.HubAgentLoop

The verifier judges each episode in the loop: the weighted sum is ``reward_score``, the vector ``reward_extra_info``,
and what could not be judged is NaN (``verihub_grpo`` leaves it out). Calls are read by the parser that
``multi_turn.format`` names; ``multi_turn.max_assistant_turns`` and ``response_length`` end an episode early.
"""

import asyncio
import json
from typing import Any
from uuid import uuid4

from verl.experimental.agent_loop.agent_loop import AgentLoopBase, AgentLoopMetrics, AgentLoopOutput
from verl.experimental.agent_loop.tool_parser import ToolParser
from verl.tools.schemas import OpenAIFunctionToolSchema

from hub_client.adapters.default_hub import DEFAULT_HUB
from hub_client.adapters.episodes import Episode
from hub_client.adapters.verl import REFERENCE_KEY, TASK_KEY, vector
from hub_client.adapters.verl_episode import Limits, Message, Played, play_episode
from hub_client.errors import UsageError


class HubAgentLoop(AgentLoopBase):  # type: ignore[misc]  # verl has no types for mypy
    """One episode a call of ``run``. A row's ``extra_info`` names task and release, as ``dataset_rows`` writes it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._parser = ToolParser.get_tool_parser(self.rollout_config.multi_turn.format, self.tokenizer)

    async def run(self, sampling_params: dict[str, Any], **kwargs: Any) -> AgentLoopOutput:
        """Play the task of a row; returns tokens with their mask, and the reward."""
        info = kwargs.get("extra_info") or {}
        if TASK_KEY not in info or REFERENCE_KEY not in info:
            raise UsageError('this row has no task of a hub: make rows with dataset_rows(env, agent="verihub")')
        env = await asyncio.to_thread(DEFAULT_HUB.environment, info[REFERENCE_KEY])
        request = uuid4().hex
        metrics = {"generate_sequences": 0.0}
        stops = self._parser.stop_token_ids
        sampling = {**sampling_params, "stop_token_ids": stops} if stops else sampling_params

        async def generate(ids: list[int]) -> Any:
            began = self.loop.time()
            output = await self.server_manager.generate(request_id=request, prompt_ids=ids, sampling_params=sampling)
            metrics["generate_sequences"] += self.loop.time() - began
            return output

        multi_turn = self.rollout_config.multi_turn
        limits = Limits(self.rollout_config.response_length, multi_turn.max_assistant_turns)
        played = await play_episode(self, Episode(env, json.loads(info[TASK_KEY])), generate, self._read, limits)
        return self._output(played, vector(env, played.verdict), metrics)

    async def _read(self, ids: list[int], tools: list[Message]) -> Message:
        """The model's message. Tool calls that the parser does not find stay text."""
        content, calls = await self._parser.extract_tool_calls(ids, _schemas(tools))
        text = content or ""
        for sign in self.tokenizer.all_special_tokens:  # verl's parsers leave the end token in the text
            text = text.replace(sign, "")
        message: Message = {"role": "assistant", "content": text}
        if calls:
            message["tool_calls"] = [
                {
                    "id": str(getattr(call, "tool_call_id", None) or number),
                    "type": "function",
                    "function": {"name": call.name, "arguments": call.arguments},
                }
                for number, call in enumerate(calls)
            ]
        return message

    def _output(self, played: Played, rewards: dict[str, float], metrics: dict[str, float]) -> AgentLoopOutput:
        most = self.rollout_config.response_length
        return AgentLoopOutput(
            prompt_ids=played.prompt,
            response_ids=played.response[:most],
            response_mask=played.mask[:most],
            response_logprobs=played.logprobs[:most] if played.logprobs else None,
            reward_score=rewards["score"],
            num_turns=2 * played.turns,
            metrics=AgentLoopMetrics(**metrics),
            extra_fields={"reward_extra_info": rewards, "turn_scores": [], "tool_rewards": []},
        )


def _schemas(tools: list[Message]) -> list[OpenAIFunctionToolSchema]:
    """The schemas that verl's class can represent. Parsers take the types of arguments from them."""
    made = []
    for tool in tools:
        try:
            made.append(OpenAIFunctionToolSchema.model_validate(tool))
        except ValueError:
            continue
    return made
