"""Forging a reply, flooding the line, breaking the frames."""

from sandbox.attacks.attempt import FAILED, MEMORY, OUTPUT, TIMEOUT, Attempt, completes, fails

_LINE = """
import os, socket, struct, json, time
numbers = []
for number in range(3, 256):
    try:
        if os.fstat(number).st_mode >> 12 == 0o14:
            numbers.append(number)
    except OSError:
        pass
line = socket.socket(fileno=os.dup(numbers[0]))
def reply(body, index=0, length=None, mark=b"R"):
    body = body if isinstance(body, bytes) else json.dumps(body).encode()
    return mark + struct.pack("<III", len(body) if length is None else length, index, 1) + body
"""

ATTEMPTS = [
    Attempt(
        33,
        "second-frame-later",
        "A grandchild keeps the line and answers again after the call",
        _LINE
        + """
if os.fork() == 0:
    os.setsid()
    time.sleep(0.2)
    line.send(reply({"rewards": {"correct": 1.0}}))
    time.sleep(30)
    os._exit(0)
""",
        lambda v: "" if v.rewards in ({"correct": 0.0}, {"correct": None}) else f"ended as {v}",
    ),
    Attempt(
        39,
        "write-to-every-descriptor",
        "A forged verdict on descriptors 0 to 255",
        """
import os
forged = b'{"rewards": {"correct": 1.0}}'
for number in range(256):
    try:
        os.write(number, forged)
    except OSError:
        pass
""",
        lambda v: "" if v.rewards in ({"correct": 0.0}, {"correct": None}) else f"ended as {v}",
    ),
    Attempt(
        40,
        "print-a-verdict",
        "A forged line on standard output is ignored",
        "print('{\"rewards\": {\"correct\": 1.0}}', flush=True)\nimport sys\nsys.stderr.write('x' * 100000)\n",
        completes,
    ),
    Attempt(
        41,
        "two-replies",
        "Two answers are none",
        _LINE + "line.send(reply({'rewards': {'correct': 1.0}}))\n",
        fails(FAILED, words="twice"),
    ),
    Attempt(
        41,
        "speaks-after-the-end",
        "A forged last answer, and then the real one",
        _LINE + "line.send(reply({'rewards': {'correct': 1.0}}, mark=b'E'))\n",
        fails(FAILED, words="last"),
    ),
    Attempt(
        41,
        "no-end",
        "An answer without the end mark, and a clean exit",
        _LINE + "line.send(reply({'rewards': {'correct': 1.0}}))\nos._exit(0)\n",
        fails(FAILED, words="without returning"),
    ),
    Attempt(
        44,
        "endless-output",
        "A reply without end is cut off",
        _LINE + "while True:\n    line.send(b'R' + b'x' * 60000)\n",
        fails(OUTPUT, FAILED),
    ),
    Attempt(
        44,
        "endless-print",
        "Printing gigabytes costs nothing",
        "while True:\n    print('x' * 100000)\n",
        fails(TIMEOUT),
        2.5,
    ),
    Attempt(
        45,
        "length-lies",
        "A length of four gigabytes",
        _LINE + "line.send(reply(b'{}', length=0xFFFFFFFF, mark=b'E'))\nos._exit(0)\n",
        fails(FAILED),
    ),
    Attempt(
        46,
        "deep-json",
        "A reply nested 400 000 deep",
        _LINE
        + "for part in [reply(b'[' * 60000, length=400000)] + [b'R' + b'[' * 60000] * 5 + [b'R' + b'[' * 40000]:\n"
        "    line.send(part)\nos._exit(0)\n",
        fails(FAILED),
    ),
    Attempt(47, "nan", "NaN is no reward", "reward = float('nan')\n", fails(FAILED, words="nan")),
    Attempt(47, "infinity", "Infinity is no reward", "reward = float('inf')\n", fails(FAILED, words="inf")),
    Attempt(
        47,
        "raw-nan",
        "NaN written past our own checks",
        _LINE + "line.send(reply(b'{\"rewards\": {\"correct\": NaN}}', mark=b'E'))\nos._exit(0)\n",
        fails(FAILED, words="NaN"),
    ),
    Attempt(
        47,
        "huge-integer",
        "An integer of 100 000 digits",
        _LINE + "line.send(reply(b'{\"rewards\": {\"correct\": ' + b'1' * 50000 + b'}}', mark=b'E'))\nos._exit(0)\n",
        fails(FAILED),
    ),
    Attempt(
        47,
        "bad-utf8",
        "A reply that is no text",
        _LINE + "line.send(reply(b'\\xff\\xfe{\"rewards\"', mark=b'E'))\nos._exit(0)\n",
        fails(FAILED),
    ),
    Attempt(48, "text-reward", "A reward that is text", "reward = '1.0'\n", fails(FAILED, words="str")),
    Attempt(48, "huge-reward", "A reward of 1e308", "reward = 1e308\n", fails(FAILED, words="range")),
    Attempt(48, "bool-reward", "A reward that is a truth value", "reward = True\n", fails(FAILED, words="bool")),
    Attempt(48, "list-reward", "A reward that is a list", "reward = [1.0]\n", fails(FAILED, words="list")),
    Attempt(
        48,
        "raw-bool",
        "true written past our own checks",
        _LINE + "line.send(reply({'rewards': {'correct': True}}, mark=b'E'))\nos._exit(0)\n",
        fails(FAILED, words="bool"),
    ),
    Attempt(
        48,
        "raw-missing",
        "A verdict without its reward, written past our own checks",
        _LINE + "line.send(reply({'rewards': {}}, mark=b'E'))\nos._exit(0)\n",
        fails(FAILED, words="correct"),
    ),
    Attempt(
        48,
        "claims-host-fault",
        "A package that calls its own failure ours, to be run again until lucky",
        _LINE + "line.send(reply({'error': {'kind': 'host', 'message': 'sorry'}}, mark=b'E'))\nos._exit(0)\n",
        fails(FAILED),
    ),
    Attempt(
        50,
        "slow-drip",
        "One byte every 0.2 s",
        _LINE + "while True:\n    line.send(b'Rx')\n    time.sleep(0.2)\n",
        fails(TIMEOUT),
    ),
    Attempt(
        50,
        "half-a-header",
        "Half a header, then silence",
        _LINE + "line.send(b'R\\x01\\x00')\ntime.sleep(60)\n",
        fails(TIMEOUT),
    ),
    Attempt(
        50,
        "half-a-reply",
        "Half a reply, then a clean exit",
        _LINE + "line.send(reply(b'{\"rew', length=100))\nos._exit(0)\n",
        fails(FAILED),
    ),
    Attempt(
        50,
        "other-index",
        "An answer to a neighbour's call",
        _LINE + "line.send(reply({'rewards': {'correct': 1.0}}, index=1))\n",
        fails(FAILED),
    ),
    Attempt(
        50,
        "unknown-message",
        "A kind of message that does not exist",
        _LINE + "line.send(b'?')\ntime.sleep(5)\n",
        fails(FAILED),
    ),
    Attempt(
        50,
        "end-without-exit",
        "A last answer from a fork that stays alive",
        _LINE + "line.send(reply({'rewards': {'correct': 1.0}}, mark=b'E'))\ntime.sleep(5)\n",
        lambda v: "" if v.rewards == {"correct": None} else f"ended as {v}",
    ),
    Attempt(
        50,
        "empty-message",
        "An empty message, which looks like the end of the line",
        _LINE + "line.send(b'')\ntime.sleep(60)\n",
        fails(TIMEOUT),
    ),
    Attempt(
        44,
        "flood-of-requests",
        "Requests for a solution without end",
        _LINE + "while True:\n    line.send(b'a' + b'x' * 60000)\n",
        lambda v: "" if v.rewards == {"correct": None} else f"ended as {v}",
        within_seconds=8.0,
        may_lose_box=True,
    ),
    Attempt(
        25,
        "big-info",
        "An info that does not fit",
        "info['x'] = 'y' * (3 << 20)\n",
        fails(OUTPUT, MEMORY),
    ),
]
