"""Requests for a solution with NaN, 1e999, 100 000 levels, half a surrogate pair, missing or mistyped fields: each is
answered.
"""

from sandbox.checks.attacks.attempt import Attempt, records
from sandbox.checks.attacks.scripts import LINE

ATTEMPT = Attempt(
    program=LINE
    + r"""
whole = {"code": "1", "argv": None, "files": {}, "stdin": "", "entry": None, "calls": None,
         "timeout_seconds": 1.0, "memory_mb": 64}
def but(**changes):
    return json.dumps({**whole, **changes}).encode()
def deep(levels):
    return but(entry="f", calls=[["DEEP"]]).replace(b'"DEEP"', b"[" * levels + b"]" * levels)
bodies = [
    b"", b"{", b"{}", b"[]", b"null", b"1e999", b'"\\ud800"', b"[" * 100_000, b"\xff\xfe",
    but(timeout_seconds=float("nan")), but(timeout_seconds=float("inf")), but(timeout_seconds=[]),
    but(memory_mb="X").replace(b'"X"', b"1e999"), but(memory_mb=float("nan")), but(memory_mb={}),
    but(code=7), but(code=None), but(argv="ls"), but(files=["a"]), but(files={"a": 1}), but(stdin=5),
    but(entry="f"), but(calls=[[1]]), but(entry="f", calls=7), deep(300), deep(900), deep(50_000),
    but(code="\ud800"),
]
def ask(body):
    for start in range(0, len(body), 60_000):
        line.send(b"a" + body[start:start + 60_000])
    line.send(b"A")
    reply = b""
    while True:
        message = line.recv(1 << 17)
        reply += message[1:]
        if message[:1] == b"S":
            return json.loads(reply)
info["without an error"] = []
for number, body in enumerate(bodies):
    answer = ask(body)
    if not answer.get("error") or answer.get("results"):
        info["without an error"].append([number, repr(answer)[:200]])
""",
    is_safe=records(**{"without an error": []}),
)
