"""A hub that answers in the right shape with whatever it likes: each command ends in a sentence, and no letter of it
moves the cursor, colours the terminal or turns the line round.
"""

import json
import random
import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from hub_server.app import create_app
from tests.making.fuzz_command import open_services
from tests.making.wheel import make_wheel

OURS = {0, 1, 2, 3, 4, 5, 6, 7, 8}
EVIL = (
    "\x1b[31m\x1b]0;owned\x07\x9b2J",
    "\u202eevil\u2066",
    "\r\x08\x08gone",
    "a" * 5000,
    "../../etc/passwd",
    "=1+1",
    "",
)
SUMS = "alice/small-sums"
NAMED = {
    "package": SUMS, "id": SUMS, "version": "1.0.0", "latest": "1.0.0", "owner": "alice", "digest": "sha256:" + "0" * 64,
    "latest_digest": None, "account": "alice", "from_owner": "alice", "to_owner": "lab", "left": f"{SUMS}@1.0.0",
    "right": f"{SUMS}@1.0.0", "environment": SUMS, "environment_version": "1.0.0", "benchmark": SUMS, "next": None,
}  # fmt: skip
NUMBERS = (0, -1, 2**31, 2**63, 10**30, 0.5, 1e308)
COMMANDS = [line.split() for line in """
whoami|search sums|info alice/small-sums|versions alice/small-sums|diff alice/small-sums 1.0.0 1.1.0|report alice/small-sums|pull alice/small-sums|tasks alice/small-sums|verify alice/small-sums|monitor
owner show alice/small-sums|owner offers|owner profile|collection list|collection show alice/small-sums|cases list alice/small-sums|cases show alice/small-sums c
discuss list alice/small-sums|discuss show alice/small-sums d|run list|run show r|run compare r s|organization show lab|organization invitations
key show|token list|watch list|webhook list|webhook log w|trusted-publisher list alice/small-sums|owner accept alice/small-sums|cases second alice/small-sums c
openenv alice/small-sums|lock alice/small-sums|whoami --format json|search sums --format json|run show r --format json|info alice/small-sums --format json
discuss open alice/small-sums t --text x|watch add alice/small-sums|webhook test w|organization create lab|owner offer alice/small-sums lab|key new
""".replace("\n", "|").split("|") if line.strip()]  # fmt: skip
MOVING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


class Liar:
    """Answers of the right shape, made from the API's own description."""

    def __init__(self, document: dict[str, Any], seed: int) -> None:
        self._document = document
        self._draw = random.Random(seed)
        self._paths = [
            (re.compile(re.sub(r"\{\w+\}", "[^/]+", path) + "$"), operations)
            for path, operations in document["paths"].items()
        ]

    def __call__(self, request: httpx.Request) -> httpx.Response:
        for pattern, operations in self._paths:
            operation = operations.get(request.method.lower())
            if operation is not None and pattern.match(request.url.path):
                good = next((code for code in operation["responses"] if code.startswith("2")), "200")
                content = operation["responses"].get(good, {}).get("content", {})
                schema = content.get("application/json", {}).get("schema")
                if schema is not None:
                    return httpx.Response(int(good), json=self.value(schema, 0))
        return httpx.Response(200, content=self._draw.choice(EVIL).encode("utf-8", "replace"))

    def value(self, schema: dict[str, Any], depth: int) -> Any:
        if "$ref" in schema:
            return self.value(self._document["components"]["schemas"][schema["$ref"].rpartition("/")[2]], depth + 1)
        for key in ("anyOf", "oneOf", "allOf"):
            if key in schema:
                return self.value(self._draw.choice(schema[key]), depth + 1)
        if "const" in schema or "enum" in schema:
            return schema.get("const", self._draw.choice(schema.get("enum", [None])))
        if "default" in schema and self._draw.random() < 0.3:
            return schema["default"]
        return self._of_type(schema, depth)

    def _named(self, name: str, schema: dict[str, Any], depth: int) -> Any:
        """Mostly what a client must find in a field of that name to read on."""
        if name in NAMED and self._draw.random() < 0.97:
            return NAMED[name]
        if schema.get("type") == "integer" and self._draw.random() < 0.9:
            return 1
        return self.value(schema, depth + 1)

    def _of_type(self, schema: dict[str, Any], depth: int) -> Any:
        draw, kind = self._draw, schema.get("type")
        if kind == "object":
            made = {name: self._named(name, of, depth) for name, of in schema.get("properties", {}).items()}
            more = schema.get("additionalProperties")
            if isinstance(more, dict) and depth < 12:
                made |= {draw.choice(EVIL): self.value(more, depth + 1) for _ in range(2)}
            return made
        if kind == "array":
            return (
                [] if depth > 12 else [self.value(schema.get("items", {}), depth + 1) for _ in range(draw.randrange(3))]
            )
        if kind == "string":
            if schema.get("format") == "date-time":
                return draw.choice(("2026-11-01T00:00:00Z", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00+14:00"))
            if "pattern" in schema or schema.get("maxLength", 9999) < 200:
                return draw.choice((*NAMED.values(), *EVIL))
            return draw.choice(EVIL)
        return {"integer": lambda: draw.choice(NUMBERS[:5]), "number": lambda: draw.choice(NUMBERS),
                "boolean": lambda: draw.random() < 0.5, "null": lambda: None}.get(kind, lambda: draw.choice((None, *EVIL)))()  # fmt: skip


@pytest.fixture(scope="module")
def document(tmp_path_factory) -> dict[str, Any]:
    services = open_services(tmp_path_factory.mktemp("hub"), "", [])
    try:
        return create_app(services).openapi()
    finally:
        services.close()


@pytest.mark.parametrize("seed", range(3))
def test_no_answer_of_the_right_shape_leaves_by_another_way(
    verihub, scripted, monkeypatch, document, tmp_path, seed
) -> None:
    monkeypatch.chdir(tmp_path)
    liar = Liar(document, seed)
    monkeypatch.setattr("hub_client.transport.connection.DeadlineTransport", lambda _: httpx.MockTransport(liar))
    assert [fault for command in COMMANDS if (fault := fault_of(verihub, command))] == []


OF_PACKAGE = [command for command in COMMANDS if command[0] in ("info", "versions", "pull", "verify", "tasks", "lock")]


def test_no_text_of_a_package_leaves_by_another_way(verihub, scripted, monkeypatch, tmp_path) -> None:
    """One text after the other of an answer that is sound otherwise."""
    monkeypatch.chdir(tmp_path)
    scripted.add(make_wheel())
    path = f"/packages/{SUMS}"
    for place in (path, f"{path}/releases/1.0.0"):
        sound = scripted.answers["GET", place](None).content
        for changed in changed_texts(json.loads(sound), "".join(EVIL[:3])):
            scripted.on("GET", place, changed)
            assert [fault for command in OF_PACKAGE if (fault := fault_of(verihub, command))] == []
        scripted.on("GET", place, json.loads(sound))


def changed_texts(value: Any, evil: str) -> Iterator[Any]:
    """The same data with one text replaced, for each text."""
    if isinstance(value, str):
        yield evil
    for key, one in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        for changed in changed_texts(one, evil):
            copy = value.copy()
            copy[key] = changed
            yield copy


def fault_of(verihub: Any, command: list[str]) -> str:
    """What is wrong with how a command ended; empty where nothing is."""
    try:
        said = verihub(*command)
    except BaseException as error:  # noqa: BLE001 -- that is what is looked for
        return f"{command}: {type(error).__name__}: {error}"[:300]
    if said.code not in OURS or "Traceback" in said.err:
        return f"{command}: {said.code} {said.err[-300:]}"
    shown = said.out + said.err
    found = MOVING.search(shown)
    return f"{command}: {shown[max(0, found.start() - 60) : found.end() + 20]!a}" if found else ""
