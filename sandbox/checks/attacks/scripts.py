"""Code with which several attempts start."""

LINE = """
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
"""``line``: the call's connection to the zygote, found by trying descriptors. ``reply``: a reply framed as by the
guest.
"""

SYSCALL = """
import ctypes, platform
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *arguments):
    ctypes.set_errno(0)
    return libc.syscall(number, *[ctypes.c_long(a) if isinstance(a, int) else a for a in arguments])
assert platform.machine() == "x86_64"
"""
"""``call``: a system call by its number."""


IN_SOLUTION = """
import json
from sandbox.guest import run_solution
TRY = '''
import errno, json, os, resource
info = {}
def attempt(name, function, *arguments):
    try:
        result = function(*arguments)
    except OSError as error:
        info[name] = errno.errorcode.get(error.errno, str(error.errno))
    except BaseException as error:
        info[name] = type(error).__name__
    else:
        info[name] = f"allowed: {result!r}"[:200]
'''
def in_solution(code):
    ran = run_solution(code=TRY + code + "\\nprint(json.dumps(info), flush=True)", timeout_seconds=2)
    info.update(json.loads(ran.stdout) if ran.stdout else {"nothing": ran.error})
"""
"""``in_solution``: runs code in a solution box, with an ``attempt`` as in a call, and records the results."""
