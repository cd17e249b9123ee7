"""Odd requests that a careless verifier may send to run_solution. It must get an error as data, and no box may be
lost.
"""
# ruff: noqa: E501 -- a table of programs reads better with few line ends

from sandbox.checks.attacks.attempt import Attempt, completes

_ROW = 75
_ASKED: dict[str, tuple[str, str]] = {
    "files": (
        "File names that lead out of the folder or are invalid, and too many files",
        """
for names in (["../x"], ["/x"], ["a\\0b"], ["a//b"], [""], ["."], ["x" * 300], ["a", "a/b"],
              [str(n) for n in range(5000)], [chr(0xD800)]):
    ran = run_solution(code="def f(): return 42", entry="f", files={name: "x" for name in names})
    assert ran.error and ran.result is None, (names[:2], ran)
""",
    ),
    "limits": (
        "Limits that are too small, negative or too large",
        """
for seconds, memory in ((1e-9, 64), (0.0, 64), (-1, 64), (1e300, 64), (2, 0), (2, -5), (2, 1 << 62)):
    run_solution(code="def f(): return 42", entry="f", timeout_seconds=seconds, memory_mb=memory)
ran = run_solution(code="def f(): return 42", entry="f", timeout_seconds=20, memory_mb=64)
assert ran.result == 42, ran
""",
    ),
    "programs": (
        "Programs that do not exist, may not be executed, or have too many arguments",
        """
for argv in (["nowhere"], ["/etc/passwd"], ["/"], [""], ["python3", "x" * 200_000], ["python3", *["x"] * 300_000]):
    ran = run_solution(argv=argv)
    assert ran.error, (argv[:2], ran)
ran = run_solution(argv=["python3", "-c", "print(6 * 7)"], timeout_seconds=20)
assert ran.stdout == "42\\n", ran
""",
    ),
    "large-requests": (
        "Much input, much code, many calls",
        """
ran = run_solution(code="import sys\\ndef f(): return len(sys.stdin.read())", entry="f", stdin="x" * (3 << 20), timeout_seconds=20)
assert ran.result == 3 << 20, ran
ran = run_solution(code="#" * (3 << 20) + "\\ndef f(n): return n", entry="f", calls=[[n] for n in range(9000)], timeout_seconds=20)
assert ran.results[8999] == {"value": 8999}, ran.error
""",
    ),
}
"""Name -> what is requested, and the verifier's code, which checks the answer."""


ASKED_SOLUTIONS = [
    Attempt(
        program=f"from sandbox.guest import run_solution\n{code}",
        is_safe=completes,
        row=_ROW,
        name=f"solution-asked-{name}",
        sentence=f"A solution is asked for: {sentence}",
    )
    for name, (sentence, code) in _ASKED.items()
]
"""Every such request, by name."""
