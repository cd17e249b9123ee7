"""Each part of a package runs once before it is published, and each fault of an author becomes one sentence."""

from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from hub_client.errors import CheckFailedError
from hub_client.execution.smoke_test import has_parts_to_run, smoke_test


def package(**parts):
    """A package whose manifest has these parts and nothing else."""
    empty = {"generated_splits": {}, "own_tools": [], "session": None, "harness": None, "tasks": {},
             "foreign_verifier": None, "entry_points": {}}  # fmt: skip
    return SimpleNamespace(contents=SimpleNamespace(manifest=SimpleNamespace(**(empty | parts)), cases=list))


def faults(package, runner):
    """The faults alone."""
    return smoke_test(package, runner).faults


class Author:
    """A runner over what an author's parts would return."""

    def __init__(self, rows=(), tools=(), reset=None, step=None, refused=None):
        self.rows, self.schemas, self.first, self.answer = list(rows), list(tools), reset, step
        self.refused, self.called = refused, []

    def tasks(self, _, split, *, start, count, seed):
        rows = self.rows.pop(0) if self.rows and isinstance(self.rows[0], list) else self.rows
        return rows[start : start + count]

    def tools(self, _):
        return self.schemas

    def call_tool(self, _, name, arguments):
        self.called.append((name, arguments))
        if self.refused:
            raise CheckFailedError(self.refused)

    @contextmanager
    def session(self, _, task, *, seed):
        yield SimpleNamespace(reset=lambda: self.first, step=lambda message: self.answer)


def row(name):
    return {"id": name, "prompt": "?"}


SPLIT = {"generated_splits": {"train": "x:generate"}}
GOOD = [row("train-0-0"), row("train-0-1"), row("train-0-2"), row("train-0-3")]


def test_a_sound_generator_has_no_faults():
    assert faults(package(**SPLIT), Author(GOOD)) == []


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([], "generates no task"),
        ([row("a"), row("a")], "two tasks have the same id"),
        ([{"prompt": "no id"}, row("b")], "task 0 is not sound: id"),
        ([{"prompt": "no id"}, {"prompt": "none either"}], "task 1 is not sound: id"),
    ],
)
def test_a_generators_fault_is_named_with_its_split(rows, words):
    found = faults(package(**SPLIT), Author(rows))
    assert any(line.startswith(f"tasks.train: {words}") for line in found), found


def test_a_generator_that_draws_anew_is_found_out():
    class Drawing(Author):
        calls = 0

        def tasks(self, _, split, *, start, count, seed):
            self.calls += 1
            return [row(f"{self.calls}-{start + n}") for n in range(count)]

    assert "gave another task" in faults(package(**SPLIT), Drawing())[0]


def test_a_tool_without_a_docstring_is_named():
    tools = [
        {"type": "function", "function": {"name": "open", "description": " "}},
        {"name": "shut", "description": "Shut."},
    ]
    found = faults(package(own_tools=["x:open"]), Author(tools=tools))
    assert found == ["tools: open has no docstring: the model chooses by it"]


@pytest.mark.parametrize(
    ("raised", "is_fault"),
    [("NameError: name 'jsn' is not defined", True), ("ValueError: no such city", False), ("too slow", False)],
)
def test_each_tool_is_called_and_a_mistake_in_its_code_is_a_fault(raised, is_fault):
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    author = Author(tools=[{"name": "look", "description": "Look.", "parameters": schema}], refused=raised)
    found = smoke_test(package(own_tools=["x:look"]), author)
    assert author.called == [("look", {"city": "example"})]
    (said,) = found.faults if is_fault else found.remarks
    assert said.startswith(f'tools: look broke on {{"city": "example"}}, which its schema allows: {raised}')
    assert not (found.remarks if is_fault else found.faults)


def test_a_tool_whose_arguments_cannot_be_made_up_is_a_remark():
    schema = {"type": "object", "properties": {"day": {"type": "string", "pattern": "^M"}}, "required": ["day"]}
    author = Author(tools=[{"name": "open", "description": "Open.", "parameters": schema}])
    found = smoke_test(package(own_tools=["x:open"]), author)
    assert (found.faults, author.called) == ([], [])
    assert found.remarks == ["tools: open was not called: no text with pattern '^M' can be made"]


SESSION = {"session": "x:Session", "tasks": {"train": "x:generate"}}


@pytest.mark.parametrize(
    ("reset", "step", "words"),
    [
        ({"messages": []}, {"messages": [], "done": True}, None),
        ({}, {}, "reset() must return"),
        ({"messages": "hello"}, {}, "reset() must return"),
        ({"messages": []}, {"messages": []}, "step() must return"),
        ({"messages": []}, {"messages": [], "done": 1}, "step() must return"),
    ],
)
def test_a_session_is_reset_and_stepped(reset, step, words):
    found = faults(package(**SESSION), Author([row("a")], reset=reset, step=step))
    assert [line.startswith(f"session: {words}") for line in found] == ([True] if words else [])


def test_a_session_without_a_task_cannot_be_tried():
    assert faults(package(**SESSION), Author([], reset={})) == []


COMPLETE = {"done": False, "action": {"complete": {}}}
ACT = {"done": False, "action": {"act": {}}}
END = {"done": True, "action": {}}


def harness(*said):
    """A harness that says these in turn, the last one for ever."""

    class Harness(Author):
        @contextmanager
        def session(self, _, task, *, seed):
            left = list(said)
            turn = lambda *_: left.pop(0) if len(left) > 1 else left[0]  # noqa: E731
            yield SimpleNamespace(reset=turn, step=turn)

    return faults(package(harness="x:run"), Harness())


def test_a_harness_that_ends_is_sound():
    assert harness(COMPLETE, END) == []


def offering(*tools):
    """What is remarked of a harness that asks with these tools."""
    asks = {"done": False, "action": {"all": [{"complete": [], "tools": list(tools)}]}}

    class Asking(Author):
        @contextmanager
        def session(self, _, given, *, seed):
            yield SimpleNamespace(reset=lambda: asks, step=lambda _: END)

    found = smoke_test(package(harness="x:run"), Asking())
    assert found.faults == []
    return found.remarks


def test_a_harness_that_offers_no_tool_of_a_session_is_told_so():
    assert offering({"type": "function"}) == []
    (remark,) = offering()
    assert remark.startswith("harness: it does not offer a session's tools to the model (its argument session_tools)")


def test_a_harness_that_never_ends_is_stopped_and_told_once():
    assert harness(COMPLETE) == ["harness: had not ended after 200 actions, with a model that answers at once"]


def test_a_harness_that_acts_where_there_is_no_session_is_told_where_to_look():
    [fault] = harness(ACT, END)
    assert fault.startswith("harness, in an environment without a session: it acts, and nothing can act there")


def test_a_harness_that_raises_in_one_kind_of_environment_alone_is_told_in_which():
    class Harness(Author):
        @contextmanager
        def session(self, _, given, *, seed):
            if not given["interactive"]:
                raise CheckFailedError("ValueError: this loop plays sessions")
            yield SimpleNamespace(reset=lambda: END)

    assert faults(package(harness="x:run"), Harness()) == [
        "harness, in an environment without a session: ValueError: this loop plays sessions"
    ]


def test_an_authors_exception_is_one_more_finding_and_the_other_parts_still_run():
    class Raising(Author):
        def tasks(self, *_, **more):
            raise CheckFailedError("ZeroDivisionError: division by zero")

    found = faults(package(**SPLIT, own_tools=["x:f"]), Raising(tools=[{"name": "f"}]))
    assert found[0] == "tasks.train: ZeroDivisionError: division by zero"
    assert found[1].startswith("tools: f has no docstring")


@pytest.mark.parametrize(
    ("parts", "expected"),
    [({}, False), ({"entry_points": {"verifier": "x:verify"}}, True), ({"foreign_verifier": "a/b@1"}, True)],
)
def test_data_alone_has_nothing_to_run(parts, expected):
    assert has_parts_to_run(package(**parts)) is expected
