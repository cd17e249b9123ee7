"""Packages with tools, as files: one that remembers, one that is slow, and an episode that acts."""

NOTES = """
notes: list[str] = []


def remember(text: str) -> list[str]:
    '''Remember a text.'''
    if text == "secret":
        raise PermissionError("that may not be kept")
    notes.append(text)
    return notes
"""
NOTES_MANIFEST = """format = 1
id = "alice/notes"
kind = "tool"
tools = ["alice_notes:remember"]
[sandbox]
timeout_seconds = 120
"""
SLOW = """
import itertools
import time

calls = itertools.count(1)


def wait(seconds: float) -> str:
    '''Wait.'''
    time.sleep(seconds)
    return f"call {next(calls)}"
"""
SLOW_MANIFEST = """format = 1
id = "alice/slow"
kind = "tool"
tools = ["alice_slow:wait"]
[sandbox]
timeout_seconds = 1
"""
ROOM = """
import json


class Session:
    def reset(self, task, seed):
        self.task, self.opened = task, []
        parameters = {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]}
        door = {"name": "open_door", "description": "Open a door.", "parameters": parameters}
        return {
            "messages": [{"role": "user", "content": task["prompt"]}],
            "tools": [{"type": "function", "function": door}],
        }

    def step(self, message):
        (call,) = message["tool_calls"]
        self.opened.append(json.loads(call["function"]["arguments"])["number"])
        said = f"{self.task['id']}: opened {self.opened}"
        return {"messages": [{"role": "tool", "tool_call_id": call["id"], "content": said}], "done": False}

    def state(self):
        return {"opened": self.opened}


def verify(state):
    return {"correct": 1.0}
"""
ROOM_MANIFEST = """format = 1
id = "alice/room"
kind = "environment"
tasks = { train = "tasks.jsonl" }
verifier = "alice_room:verify"
session = "alice_room:Session"
[sandbox]
timeout_seconds = 120
[rewards.correct]
"""
ROOM_TASKS = (
    '{"id": "attic", "prompt": "You are in the attic."}\n{"id": "cellar", "prompt": "You are in the cellar."}\n'
)

SLOW_FILES = {"__init__.py": SLOW, "verihub.toml": SLOW_MANIFEST}
NOTES_FILES = {"__init__.py": NOTES, "verihub.toml": NOTES_MANIFEST}
ROOM_FILES = {"__init__.py": ROOM, "verihub.toml": ROOM_MANIFEST, "tasks.jsonl": ROOM_TASKS, "audit.jsonl": ""}
