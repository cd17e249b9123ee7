"""An episode is played before a session is published: with each of its tools, and with what models get wrong."""

import json
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from hub_client.errors import CheckFailedError, SessionLostError
from hub_client.execution.session_check import SessionCheck
from schemas.evidence.cases import AuditCase


def tool(name, **properties):
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    return {"type": "function", "function": {"name": name, "description": name, "parameters": parameters}}


class House:
    """A sound session: each call gets its result, whatever a model writes."""

    tools = [tool("go", to={"enum": ["north", "south"]}), tool("take", what={"type": "string"})]  # noqa: RUF012
    lasts = 100

    def __init__(self):
        self.heard = []

    def reset(self, task, seed):
        return {"messages": [{"role": "user", "content": task["prompt"]}], "tools": self.tools}

    def step(self, message):
        self.heard.append(message)
        said = [self.reply(call) for call in message.get("tool_calls") or []]
        return {"messages": said or [{"role": "user", "content": "?"}], "done": len(self.heard) >= self.lasts}

    def reply(self, call):
        function = call["function"]
        return {
            "role": "tool",
            "tool_call_id": call["id"],
            "content": self.use(function["name"], function["arguments"]),
        }

    def use(self, name, arguments):
        try:
            given = json.loads(arguments)
        except ValueError:
            return "error: that is no JSON"
        return f"{name} {given}"


def played(make, cases=(), task=None):
    """What the check found of a session, and its episodes. The runner words errors as a sandbox does."""
    episodes = []

    class Running:
        @contextmanager
        def session(self, package, task, *, seed):
            inner = make()
            episodes.append(inner)
            yield SimpleNamespace(
                reset=lambda: worded(inner.reset, task, seed), step=lambda said: worded(inner.step, said)
            )

    def worded(call, *given):
        try:
            return call(*given)
        except SessionLostError:
            raise
        except Exception as error:
            raise CheckFailedError(f"{type(error).__name__}: {error}") from error

    manifest = SimpleNamespace(stored_splits={})
    package = SimpleNamespace(contents=SimpleNamespace(manifest=manifest, cases=lambda: list(cases)))
    check = SessionCheck(package, task or {"id": "t", "prompt": "You stand in a house."}, Running())
    check.play()
    return check, episodes


def test_every_tool_of_a_sound_session_is_called_and_nothing_is_said():
    check, episodes = played(House)
    assert (check.faults, check.remarks) == ([], [])
    calls = [call["function"] for one in episodes[0].heard for call in one.get("tool_calls") or []]
    assert {"name": "go", "arguments": '{"to": "north"}'} in calls
    assert {"name": "take", "arguments": '{"what": "example"}'} in calls
    assert {"name": "go", "arguments": '{"'} in calls
    assert "no_such_tool" in [call["name"] for call in calls]
    assert any(len(one.get("tool_calls") or []) == 2 for one in episodes[0].heard)


def test_a_session_that_ends_is_begun_again_so_that_every_tool_is_called():
    class Short(House):
        lasts = 1

    check, episodes = played(Short)
    assert check.faults == []
    heard = [
        call["function"]["name"] for one in episodes for said in one.heard for call in said.get("tool_calls") or []
    ]
    assert {"go", "take", "no_such_tool"} <= set(heard)
    assert all(len(one.heard) <= 1 for one in episodes)


class Breaking(House):
    """The faults that authors make."""

    def use(self, name, arguments):
        if name == "take":
            raise KeyError("bag")
        return super().use(name, arguments)


def test_a_tool_call_that_breaks_a_session_is_named_with_its_arguments():
    check, _ = played(Breaking)
    fault = 'step() broke on a call of take with {"what": "example"}, which its schema allows: KeyError: \'bag\''
    assert fault in check.faults
    assert not any("call of go with {" in one for one in check.faults)  # the others are tried all the same


class Trusting(House):
    def use(self, name, arguments):
        return name + json.loads(arguments)["to" if name == "go" else "what"]


class Silent(House):
    def step(self, message):
        return {**super().step(message), "messages": [{"role": "user", "content": "Well."}]}


class OnlyFirst(House):
    def step(self, message):
        said = super().step(message)
        return {**said, "messages": said["messages"][:1]}


class Texts(House):
    def step(self, message):
        return super().step(message) if message.get("tool_calls") or message["content"][0] else {}


class Lost(House):
    def use(self, name, arguments):
        raise SessionLostError("the session's process has ended")


class Shapeless(House):
    def step(self, message):
        return {"messages": "no list", "done": False} if message.get("tool_calls") else super().step(message)


class Unnamed(House):
    tools = [{"name": "go"}]  # noqa: RUF012


class OneTool(House):
    tools = tool("go")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (Trusting, "step() broke on a call of go with arguments that are no JSON: JSONDecodeError"),
        (Trusting, "step() broke on a call of go with arguments that are no object: TypeError"),
        (Trusting, "step() broke on a call of go without arguments: KeyError: 'to'"),
        (Trusting, "step() broke on a call of a tool that does not exist: KeyError: 'what'"),
        (Silent, 'step() did not answer a call of go with {"to": "north"}, which its schema allows'),
        (
            OnlyFirst,
            'step() did not answer two calls in one message: there is no {"role": "tool", "tool_call_id": "call-2"',
        ),
        (Texts, "step() broke on an answer without text: IndexError"),
        (Lost, "the session's process has ended"),
        (Shapeless, 'step() must return {"messages": [...], "done": True or False}'),
        (Unnamed, "reset() lists {'name': 'go'} as a tool: it must be"),
        (OneTool, "as tools, which must be a list"),
    ],
)
def test_what_breaks_on_what_models_write_is_a_fault(make, words):
    check, _ = played(make)
    assert [fault for fault in check.faults if words in fault], check.faults


def test_a_tool_whose_arguments_cannot_be_made_up_is_a_remark():
    class Dated(House):
        tools = [tool("on", day={"type": "string", "format": "date"})]  # noqa: RUF012

    check, episodes = played(Dated)
    assert check.faults == []
    assert check.remarks == ["session: the tool on was not called: no text with format 'date' can be made"]
    assert [call for one in episodes[0].heard for call in one.get("tool_calls") or []]  # but with what is wrong


def case(label, *said, **more):
    messages = [{"role": "user", "content": "You stand in a house."}, *said]
    given = {"id": label, "task": {"id": "c", "prompt": "Another house."}, "label": label, "messages": messages}
    return AuditCase.model_validate(given | {"state": {}} | more)


KEY = {
    "role": "assistant",
    "content": "",
    "tool_calls": [{"id": "k", "type": "function", "function": {"name": "take", "arguments": '{"what": "key"}'}}],
}
TEXT = {"role": "assistant", "content": "I take the key."}


def test_a_labelled_episode_is_played_again_in_its_task():
    _, episodes = played(House, [case("incorrect", KEY), case("correct", TEXT, id="talk"), case("correct", TEXT, KEY)])
    assert episodes[-1].heard == [TEXT, KEY]


def test_a_session_that_breaks_on_a_right_episode_is_told_with_the_case_and_the_message():
    class Locked(House):
        def use(self, name, arguments):
            if "key" in arguments:
                raise KeyError("door")
            return super().use(name, arguments)

    check, _ = played(Locked, [case("correct", TEXT, KEY)])
    assert check.faults == ["step() broke on message 2 of the model in case correct: KeyError: 'door'"]


@pytest.mark.parametrize(
    "calls", [[{"type": "function", "function": {"name": "take", "arguments": "{}"}}], ["take"], 7, "take"]
)
def test_calls_that_no_result_can_name_are_no_traceback(calls):
    class Deaf(House):
        def step(self, message):
            return {"messages": [{"role": "user", "content": "Well."}], "done": False}

        tools = ()
        reset = lambda self, task, seed: {"messages": []}  # noqa: E731

    check, _ = played(Deaf, [case("correct", {"role": "assistant", "content": "", "tool_calls": calls})])
    assert check.faults == []


def test_results_that_name_no_call_are_told():
    class Listing(House):
        def reply(self, call):
            return {**super().reply(call), "tool_call_id": [call["id"]]}

    check, _ = played(Listing)
    assert check.faults[0].startswith("step() did not answer a call of go")


def test_a_reset_that_raises_is_told():
    class Closed(House):
        def reset(self, task, seed):
            raise KeyError("info")

    check, episodes = played(Closed)
    assert check.faults == ["reset() broke: KeyError: 'info'"]
    assert len(episodes) == 1
