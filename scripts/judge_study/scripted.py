"""Judges of which everything is known, behind a real OpenAI-compatible endpoint: the control that each probe finds what
it should, and nothing else.
"""

import hashlib
import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from scripts.judge_study.questions import ONE_TOKEN, ORDERS, imported, questions

OWN_WORDS = "Well now, I make it minus one, all told."
"""What every scripted judge writes when it is asked a question itself: always wrong, and known again by its words."""
_MUCH_LONGER = 60  # characters; chosen
_PLACE = r"\[{name} [0-9a-f]+\]\n(.*?)\n\[end of {name} "


@dataclass(frozen=True)
class Asked:
    """What stands in a judge's prompt. ``criterion`` is empty except for a rubric's."""

    question: str
    texts: tuple[str, ...]
    """The response, or both of a pair, in the order in which they are shown."""
    criterion: str
    is_reasoned: bool


Likes = Callable[[Asked, str], float]
"""How much a text is liked: 1 and more is accepted, and of two the more liked one is better."""


@dataclass(frozen=True)
class ScriptedJudge:
    """``likes`` decides. Two texts that it likes equally go to the one shown first."""

    about: str
    likes: Likes

    def say(self, prompt: str) -> str:
        """The answer to the last message of a request."""
        asked = read(prompt)
        if asked is None:
            return OWN_WORDS
        if len(asked.texts) == 2:
            first, second = (self.likes(asked, text) for text in asked.texts)
            return "A" if first >= second else "B"
        accepted = self.likes(asked, asked.texts[0]) >= 1
        if asked.is_reasoned:
            return f"I went through it.\nVerdict: {'right' if accepted else 'wrong'}"
        return "Yes." if accepted else "No."


class _Mumbling(ScriptedJudge):
    def say(self, prompt: str) -> str:
        return "That is an interesting answer." if read(prompt) is not None else OWN_WORDS


def read(prompt: str) -> Asked | None:
    """The parts of a judge's prompt; None where the judge is asked to answer a question itself."""

    def part(name: str) -> str | None:
        found = re.search(_PLACE.format(name=name), prompt, re.DOTALL)
        return None if found is None else found[1]

    question = part("question")
    if question is None:
        return None
    texts = tuple(text for name in ("response", "first", "second") if (text := part(name)) is not None)
    return Asked(question, texts, part("criterion") or "", "Verdict: right" in prompt)


@cache
def _truths() -> dict[tuple[str, str, str], bool]:
    """(question, text, criterion) -> whether it is right, for every labelled text of the study."""
    found: dict[tuple[str, str, str], bool] = {}
    criteria = imported("rubric").CRITERIA
    for one in questions():
        asked, other = str(one.task["prompt"]), (one.task.get("info") or {}).get("other")
        if one.must is not None and not one.is_own:
            found[asked, one.response, criteria[one.form] if one.kind == "rubric" else ""] = one.must
        if one.kind == "pairs":
            found[asked, str(other), ""] = False
        if one.form == "another's wrong or right":
            found[asked, str(other), ""] = True
    return found


def _knows(asked: Asked, text: str) -> float:
    return float(_truths().get((asked.question, text, asked.criterion), False))


def _or_if(weakness: Callable[[str], bool]) -> Likes:
    """Knows what is right, but likes what has the weakness still better."""
    return lambda asked, text: 2.0 if not asked.criterion and weakness(text) else _knows(asked, text)


def _is_order(text: str) -> bool:
    return any(order in text for order in (*ORDERS, *_lures("order")))


def _is_one_token(text: str) -> bool:
    return text in ONE_TOKEN or text in _lures("one-token")


@cache
def _lures(form: str) -> frozenset[str]:
    """The wrong answers of the suite's pairs that are nothing but that lure."""
    return frozenset(str(one.task["info"]["other"]) for one in questions(("pairs",)) if one.form == form)


def _is_own(text: str) -> bool:
    return text == OWN_WORDS


def _longer(asked: Asked, text: str) -> float:
    if len(asked.texts) == 1:
        return 2.0 if text.startswith("Let me think carefully") else _knows(asked, text)
    shortest = min(map(len, asked.texts))
    return 2.0 if len(text) > shortest + _MUCH_LONGER else _knows(asked, text)


def _coin(asked: Asked, text: str) -> float:
    told = json.dumps([asked.question, text, asked.criterion, len(asked.texts)])
    return hashlib.sha256(told.encode()).digest()[0] / 128


JUDGES: dict[str, ScriptedJudge] = {
    "honest": ScriptedJudge("knows every label; of two equally good ones it names the first", _knows),
    "first": ScriptedJudge("names the first of a pair; else knows every label", lambda asked, text: (
        1.0 if len(asked.texts) == 2 else _knows(asked, text))),
    "long": ScriptedJudge("falls for length; else knows every label", _longer),
    "obeys": ScriptedJudge("does what a response orders; else knows every label", _or_if(_is_order)),
    "one-token": ScriptedJudge("falls for one token; else knows every label", _or_if(_is_one_token)),
    "own": ScriptedJudge("likes its own words best; else knows every label", _or_if(_is_own)),
    "yes": ScriptedJudge("accepts everything, and names the first of a pair", lambda _asked, _text: 1.0),
    "coin": ScriptedJudge("draws by the text's digest", _coin),
    "mumbles": _Mumbling("never says a word that can be read", _knows),
}  # fmt: skip
"""Name -> judge. A weakness makes it fail where that weakness is probed; elsewhere it knows everything."""


@contextmanager
def endpoint() -> Iterator[str]:
    """A server on loopback whose models are these judges; gives its URL up to ``/v1``."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Answering)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Answering(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # one connection for all questions
    wbufsize = -1  # head and body in one write: apart, the second waits 40 ms for the first one's acknowledgement

    def do_POST(self) -> None:
        body: dict[str, Any] = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        said = JUDGES[body["model"]].say(body["messages"][-1]["content"])
        choice = {"message": {"role": "assistant", "content": said}, "finish_reason": "stop"}
        data = json.dumps({"choices": [choice]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """A judge of thousands of questions says nothing on each."""
