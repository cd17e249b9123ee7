"""Tools as one caller's: their state, their faults, their limits, and the tools of an episode."""

import asyncio
import dataclasses
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import pytest

from sandbox.blocking import BlockingSandbox
from sandbox.checks.samples import TASK, Sample
from sandbox.errors import NodeLostError, SandboxUnavailableError, TimeLimitError, VerifierFailedError
from sandbox.interface import Source
from sandbox.tools.tool_session import BlockingToolSession, ToolSession, UnknownToolError

NOTES = Sample(
    """
    import dataclasses, enum, os, time

    notes = []

    class Tone(enum.Enum):
        LOUD = "loud"
        SOFT = "soft"

    @dataclasses.dataclass
    class Note:
        text: str
        tone: Tone = Tone.SOFT

    def remember(note: Note) -> list[Note]:
        '''Remember a note.

        Args:
            note: what to remember
        '''
        notes.append(note)
        return notes

    async def count() -> dict[str, int]:
        '''How many there are.'''
        return {"notes": len(notes)}

    def fail(times: int = 1):
        '''Fails.'''
        raise LookupError("no such city")

    def wait(seconds: float) -> str:
        '''Waits.'''
        time.sleep(seconds)
        return "waited"

    def talk(length: int) -> str:
        '''Talks.'''
        return "x" * length

    def eat(megabytes: int) -> int:
        '''Eats.'''
        return len(bytearray(megabytes << 20))

    def vanish() -> None:
        '''Ends its process.'''
        os._exit(3)
    """,
    name="notes",
    kind="tool",
    rewards=(),
    timeout_seconds=5.0,
    head="tools = ["
    + ", ".join(f'"PACKAGE:{name}"' for name in ("remember", "count", "fail", "wait", "talk", "eat", "vanish"))
    + "]",
)
ROOM = Sample(
    """
    class Session:
        def reset(self, task, seed):
            self.opened = []
            return {
                "messages": [{"role": "user", "content": task["prompt"]}],
                "tools": [
                    {"type": "function", "function": {"name": "open_door", "description": "Open a door.", "parameters":
                     {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]}}},
                ],
            }

        def step(self, message):
            import json
            call, = message["tool_calls"]
            number = json.loads(call["function"]["arguments"])["number"]
            self.opened.append(number)
            answer = {"role": "tool", "tool_call_id": call["id"], "content": f"opened {self.opened}"}
            return {"messages": [answer], "done": number == 3, "rewards": {"correct": 1.0}}

    def peek() -> str:
        '''Look through the keyhole.'''
        return "dark"

    def verify(state):
        return {"correct": 1.0}
    """,
    name="room",
    kind="environment",
    head='verifier = "PACKAGE:verify"\nsession = "PACKAGE:Session"\ntools = ["PACKAGE:peek"]\n'
    'tasks = { train = "tasks.jsonl" }',
    files={"tasks.jsonl": '{"id": "t1", "prompt": "q"}\n'},
)
Make = Callable[..., BlockingToolSession]


@pytest.fixture
def tool_session(any_sandbox: BlockingSandbox, tmp_path: Path) -> Iterator[Make]:
    """``tool_session(sample, …)``: a tool session of these packages, closed at the end."""
    made: list[BlockingToolSession] = []

    def make(*samples: Sample) -> BlockingToolSession:
        sources = [sample.source(tmp_path) for sample in samples]
        made.append(BlockingToolSession(any_sandbox, sources, TASK))
        return made[-1]

    yield make
    for one in made:
        one.close()


def test_one_callers_tools_keep_their_state_and_another_caller_has_its_own(tool_session: Make) -> None:
    mine, other = tool_session(NOTES), tool_session(NOTES)
    mine.call("remember", {"note": {"text": "a", "tone": "loud"}})
    said = mine.call("remember", {"note": {"text": "b"}})
    assert said.text == '[{"text": "a", "tone": "loud"}, {"text": "b", "tone": "soft"}]'
    assert mine.call("count", {}).data == {"notes": 2}
    assert other.call("count", {}).data == {"notes": 0}


def test_tools_are_described_from_hints_and_docstrings(tool_session: Make) -> None:
    [remember] = [tool for tool in tool_session(NOTES).tools() if tool.name == "remember"]
    assert remember.description == "Remember a note."
    note = remember.parameters["properties"]["note"]
    assert note["description"] == "what to remember"
    assert note["properties"]["tone"] == {"type": "string", "enum": ["loud", "soft"], "default": "soft"}


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("fail", {}, "LookupError: no such city"),
        ("remember", {"note": {"text": 1}}, "remember: note.text must be text, not 1; it takes note"),
        ("wait", {}, "wait: seconds is missing; it takes seconds"),
        ("talk", {"length": 2 << 20}, "the reply has 2097"),
        ("eat", {"megabytes": 4000}, "needed more memory than the package asked for"),
    ],
)
def test_what_goes_wrong_is_told_to_the_caller_and_nothing_is_forgotten(
    tool_session: Make, name: str, arguments: dict[str, object], words: str
) -> None:
    tools = tool_session(NOTES)
    tools.call("remember", {"note": {"text": "a"}})
    said = tools.call(name, arguments)
    assert said.is_error
    assert words in said.text
    assert "File" not in said.text
    assert tools.call("count", {}).data == {"notes": 1}


@pytest.mark.parametrize(("name", "arguments"), [("wait", {"seconds": 60}), ("vanish", {})])
def test_a_process_that_ends_takes_its_memory_along_and_says_so(
    tool_session: Make, name: str, arguments: dict[str, object]
) -> None:
    tools = tool_session(NOTES)
    tools.call("remember", {"note": {"text": "a"}})
    said = tools.call(name, arguments)
    assert said.is_error
    assert "the next call starts a new one" in said.text
    assert tools.call("count", {}).data == {"notes": 0}


def test_an_unknown_tool_is_answered_with_those_there_are(tool_session: Make) -> None:
    with pytest.raises(UnknownToolError, match="there is no tool 'forget'; there is: remember, count"):
        tool_session(NOTES).call("forget", {})


def test_two_tools_of_one_name_get_their_packages_in_front(tool_session: Make) -> None:
    same = Sample("def peek() -> str:\n    '''Peek.'''\n    return 'light'\n", name="lamp", kind="tool", rewards=(),
                  head='tools = ["PACKAGE:peek"]')  # fmt: skip
    tools = tool_session(ROOM, same)
    assert [tool.name for tool in tools.tools()] == ["sample_room__peek", "open_door", "sample_lamp__peek"]
    assert tools.call("sample_lamp__peek", {}).text == "light"
    assert tools.call("sample_room__peek", {}).text == "dark"


def test_an_episodes_tools_are_acted_out_and_its_rewards_stay_here(tool_session: Make) -> None:
    tools = tool_session(ROOM)
    assert tools.opening() == TASK["prompt"]
    assert tools.call("open_door", {"number": 1}).text == "opened [1]"
    last = tools.call("open_door", {"number": 3})
    assert last.text == "opened [1, 3]\n(The episode is over.)"
    assert "1.0" not in last.model_dump_json()
    assert tools.call("open_door", {"number": 1}).is_error


def test_a_package_that_lies_about_its_tools_is_refused(tool_session: Make) -> None:
    liar = Sample(
        """
        import sandbox.guest.call

        def describe(tool, name):
            return {"function": {"name": name, "parameters": {"type": "object", "$ref": "http://127.0.0.1/x"}}}

        sandbox.guest.call.function_schema = describe

        def tool() -> None:
            '''A tool.'''
        """,
        name="liar",
        kind="tool",
        rewards=(),
        head='tools = ["PACKAGE:tool"]',
    )
    with pytest.raises(VerifierFailedError, match=r"sample/liar lists an invalid tool: parameters: .*elsewhere"):
        tool_session(liar).tools()


def test_calls_that_come_together_share_one_process(tool_session: Make) -> None:
    tools = tool_session(NOTES)
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda text: tools.call("remember", {"note": {"text": text}}), "abcd"))
    assert tools.call("count", {}).data == {"notes": 4}


@pytest.mark.parametrize(
    ("code", "seconds", "error", "words"),
    [
        ("import time; time.sleep(60)", 1.0, TimeLimitError, r"took longer than 1 s"),
        ("raise LookupError('no such room')", 5.0, VerifierFailedError, "LookupError: no such room"),
    ],
)
def test_an_episode_that_cannot_begin_says_so_each_time_it_is_asked(
    tool_session: Make, code: str, seconds: float, error: type[Exception], words: str
) -> None:
    broken = dataclasses.replace(
        ROOM, name="broken", timeout_seconds=seconds, code=ROOM.code.replace("self.opened = []", code)
    )
    tools = tool_session(broken)
    for _ in range(2):
        with pytest.raises(error, match=words):
            tools.tools()


def test_whoever_waits_for_a_sessions_box_may_be_told_that_none_comes(
    any_sandbox: BlockingSandbox, tmp_path: Path
) -> None:
    """The engine was looked at when the connection began; a session that was opened later waited as long as it liked."""
    opened: list[str] = []

    async def silent(opening: Coroutine[Any, Any, Any]) -> Any:
        opened.append("asked")
        opening.close()
        raise SandboxUnavailableError("silent")

    tools = BlockingToolSession(any_sandbox, [NOTES.source(tmp_path)], TASK, attend=silent)
    for _ in range(2):
        with pytest.raises(SandboxUnavailableError, match="silent"):
            tools.call("count", {})
    assert len(opened) == 2, "the next call tries again"
    tools.close()


def test_a_package_whose_session_cannot_be_ended_leaves_no_other_open(tmp_path: Path) -> None:
    """Its node is lost, say; the others' processes would stay until their boxes are idle."""

    class Sessions:
        """A sandbox of which only sessions are asked: the first cannot be ended."""

        def __init__(self) -> None:
            self.ended: list[str] = []

        @asynccontextmanager
        async def session(self, source: Source, task: object, seed: int) -> AsyncIterator[object]:
            try:
                yield object()
            finally:
                self.ended.append(source.manifest.id)
                if len(self.ended) == 1:
                    raise NodeLostError("a node is gone")

    async def work() -> list[str]:
        sandbox = Sessions()
        session = ToolSession(cast("Any", sandbox), sources, TASK)
        for package in session._packages:
            package._manager = sandbox.session(package._source, TASK, 0)
            await package._manager.__aenter__()
        with pytest.raises(NodeLostError):
            await session.aclose()
        return list(sandbox.ended)  # before the loop ends, which ends what is open

    sources = [NOTES.source(tmp_path), dataclasses.replace(NOTES, name="other").source(tmp_path)]
    assert len(asyncio.run(work())) == 2
