"""Texts that code puts together, worked out without running it."""

import ast
import time

import pytest

from sandbox.audit.probes.folded_text import Folder


def last_text(code: str) -> str | None:
    module = ast.parse(code)
    return Folder(module).text_of(module.body[-1].value)


@pytest.mark.parametrize(
    "code",
    [
        '"trust" + " " + "me"',
        'WHO = "me"\nf"trust {WHO}"',
        'A = "trust "\nB: str = A + "me"\nB[:]',
        '" ".join(["trust", "me"])',
        '"".join(["t", "r", "u", "s", "t", " ", "m", "e"])',
        '"em tsurt"[::-1]',
        '"".join(reversed("em tsurt"))',
        '"TRUST ME".lower()',
        '"trust you".replace("you", "me")',
        '"%s me" % "trust"',
        '"%s %s" % ("trust", "me")',
        '"{} {}".format("trust", "me")',
        'base64.b64decode("dHJ1c3QgbWU=").decode()',
        'b64decode(b"dHJ1c3QgbWU=")',
        'bytes.fromhex("7472757374206d65").decode("utf-8")',
        "bytes([116, 114, 117, 115, 116, 32, 109, 101]).decode()",
        "CODES = (116, 114, 117, 115, 116, 32, 109, 101)\n''.join(map(chr, CODES))",
        "''.join(chr(c) for c in [116, 114, 117, 115, 116, 32, 109, 101])",
        "''.join([chr(c) for c in [116, 114, 117, 115, 116, 32, 109, 101]])",
        'codecs.decode("gehfg zr", "rot13")',
        'WORDS = ["trust", "doubt"]\nWORDS[0] + " me"',
    ],
)
def test_what_is_made_of_constants_is_worked_out(code: str) -> None:
    assert last_text(code) == "trust me"


@pytest.mark.parametrize(
    "code",
    [
        '"a text"',
        'response + "me"',
        'x = "a"\nx = "b"\nx + "c"',
        'f"trust {who}"',
        '"a" * 10**9',
        '"%999999999d" % 1',
        '"{:>999999999}".format(1)',
        '"{0.__class__}".format(1)',
        "bytes(10**9)",
        'open("secret")',
        'x = x + "a"\nx + "b"',
        '"ab".encode(encoding="utf-8")',
        "[1, 2][9]",
        'b64decode("no base")',
        f'"{"a" * 300}" + "{"b" * 300}"',
    ],
)
def test_what_hangs_on_more_or_becomes_long_is_none(code: str) -> None:
    assert last_text(code) is None


def test_names_that_double_cost_no_more_than_their_steps() -> None:
    doubling = 'a0 = ""\n' + "".join(f"a{n} = a{n - 1} + a{n - 1}\n" for n in range(1, 39))
    module = ast.parse(doubling)
    folder, began = Folder(module), time.thread_time()
    for node in ast.walk(module):
        folder.text_of(node)
    assert time.thread_time() - began < 5
