"""Invalid and hostile JSON, at every place where data of a call leaves its box."""

from sandbox.checks.attacks.attempt import FAILED, MEMORY, OUTPUT, TIMEOUT, Attempt, Judge, can_be_written, fails
from sandbox.checks.attacks.scripts import LINE
from schemas.verdict import Verdict

_ROW = 77

VALUES = {
    "nan": b"NaN",
    "infinity": b"-Infinity",
    "1e999": b"1e999",
    "half-a-pair": b'"\\ud800"',
    "no-text": b'"\xff\xfe"',
    "1000-levels": b"[" * 1000 + b"]" * 1000,
    "100000-levels": b"[" * 100_000,
    "integer-of-5000-digits": b"9" * 5000,
    "hexadecimal": b"0x1",
    "python": b"True",
    "cut": b"[1, 2",
    "byte-order-mark": b"\xef\xbb\xbf1",
}
"""Name -> bytes that are JSON, or nearly."""


_LARGE = (
    (
        "says-50-mb",
        f"{LINE}\nfor _ in range(900):\n    line.send(b'R' + b'x' * 60_000)\nos._exit(0)\n",
        "50 MB of replies",
    ),
    (
        "asks-50-mb",
        f"{LINE}\nfor _ in range(900):\n    line.send(b'a' + b'x' * 60_000)\nos._exit(0)\n",
        "50 MB of a request",
    ),
    ("info-50-mb", "info['x'] = 'x' * (50 << 20)\n", "50 MB of info"),
    ("raises-50-mb", "raise ValueError('x' * (50 << 20))\n", "50 MB in the message of an exception"),
)


def _is_no_reward(verdict: Verdict) -> str:
    """Every reward is null by the call's own fault, and the verdict can be encoded."""
    return can_be_written(verdict) or fails(FAILED, OUTPUT, MEMORY, TIMEOUT)(verdict)


def _raw(name: str, sentence: str, body: str, judge: Judge) -> Attempt:
    """An attempt that sends ``body``, a Python expression, as the call's last answer."""
    program = f"{LINE}\nline.send(reply({body}, mark=b'E'))\nos._exit(0)\n"
    return Attempt(program, judge, row=_ROW, name=name, sentence=sentence)


def _attempts() -> list[Attempt]:
    found = []
    for name, value in VALUES.items():
        places = {
            "reward": (b'{"rewards": {"correct": %b}}', _is_no_reward, "as a reward"),
            "reward-name": (
                b'{"rewards": {"correct": 0.0, "x": %b}}',
                _is_no_reward,
                "under a name that is not declared",
            ),
            "info": (b'{"rewards": {"correct": 0.0}, "info": {"x": %b}}', can_be_written, "in an info"),
            "error": (b'{"error": {"kind": "verifier_failed", "message": %b}}', can_be_written, "as an error's words"),
            "kind": (b'{"error": {"kind": %b, "message": "x"}}', _is_no_reward, "as an error's kind"),
        }
        for place, (frame, judge, words) in places.items():
            if len(value) > 60_000:  # one message of the line
                body = f"b'{(frame % b'[').decode()}'.replace(b'[', b'[' * 60_000)"
            else:
                body = repr(frame % value)
            found.append(_raw(f"raw-{place}-{name}", f"{name} {words}, written past our own checks", body, judge))
    found += [
        Attempt(program, fails(FAILED, OUTPUT, MEMORY, TIMEOUT), row=_ROW, name=name, sentence=words)
        for name, program, words in _LARGE
    ]
    return found


BOUNDARIES = _attempts()
"""Each of the values at each place of a call's answer."""
