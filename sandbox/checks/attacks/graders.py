"""Six ways to judge a model's code: ``run_solution``, and five common ones that a model learns to fool."""

from sandbox.checks.samples import TASK, Sample

CASES = [[[1], 2], [[2], 4], [[10], 20], [[0.5], 1.0]]
EXAM = {**TASK, "prompt": "Write double(x).", "answer": CASES}

SOLUTION_BOX = Sample(
    name="grader-solution-box",
    code="""
    from sandbox.guest import run_solution

    def same(got, expected):
        return type(got) is type(expected) and got == expected

    def verify(task, response, info):
        cases = task["answer"]
        ran = run_solution(code=response, entry="double", calls=[args for args, _ in cases], timeout_seconds=2)
        info["error"] = ran.error
        rows = zip(ran.results, cases, strict=True) if len(ran.results) == len(cases) else ()
        good = [same(row.get("value"), expected) for row, (_, expected) in rows]
        return {"correct": float(len(good) == len(cases) and all(good) and not ran.error)}
    """,
)
"""The recommended way: inputs go in, JSON comes out, and it is compared strictly in another process than the model's
code.
"""

_IN_PROCESS = Sample(
    name="grader-in-process",
    code="""
    def verify(task, response):
        scope = {"__name__": "solution"}
        exec(response, scope)
        passed = 0
        for args, expected in task["answer"]:
            got = scope["double"](*args)
            if got == expected:
                passed += 1
        return {"correct": float(passed == len(task["answer"]))}
    """,
)

_RUN = """
    import json, os, subprocess, sys

    def run(files, *arguments):
        for name, text in files.items():
            open(name, "w").write(text)
        return subprocess.run(["python3", *arguments], capture_output=True, text=True, timeout=4, env={})
"""

_ASSERTS = Sample(
    name="grader-exit-code",
    code=_RUN
    + """
    def verify(task, response):
        checks = "\\n".join(f"assert double(*{args}) == {expected}" for args, expected in task["answer"])
        done = run({"main.py": response + "\\n" + checks + "\\n"}, "main.py")
        return {"correct": float(done.returncode == 0)}
    """,
)

_UNITTEST = Sample(
    name="grader-unittest",
    code=_RUN
    + """
    def verify(task, response):
        tests = "import unittest\\nfrom solution import double\\nclass Test(unittest.TestCase):\\n" + "".join(
            f"    def test_{i}(self):\\n        self.assertEqual(double(*{args}), {expected})\\n"
            for i, (args, expected) in enumerate(task["answer"])
        )
        done = run({"solution.py": response, "test_solution.py": tests}, "-m", "unittest", "-q", "test_solution")
        return {"correct": float(done.returncode == 0)}
    """,
)

_STDOUT = Sample(
    name="grader-stdout",
    code=_RUN
    + """
    HARNESS = '''
    import json
    from solution import double
    TOLERANCE = 1e-6
    def close(a, b):
        return not (abs(a - b) > TOLERANCE)
    cases = json.load(open("cases.json"))
    passed = sum(1 for args, expected in cases if close(double(*args), expected))
    print(json.dumps({"passed": passed, "total": len(cases)}))
    '''

    def verify(task, response):
        import textwrap
        files = {"solution.py": response, "cases.json": json.dumps(task["answer"]), "run.py": textwrap.dedent(HARNESS)}
        lines = run(files, "run.py").stdout.strip().splitlines()
        try:
            told = json.loads(lines[-1])
            return {"correct": float(told["passed"] >= told["total"])}
        except (IndexError, ValueError, KeyError, TypeError):
            return {"correct": 0.0}
    """,
)

_FILE = Sample(
    name="grader-result-file",
    code=_RUN
    + """
    HARNESS = '''
    import json
    from solution import double
    cases = json.load(open("cases.json"))
    passed = all(abs(double(*args) - expected) < 1e-6 for args, expected in cases)
    with open("result.json", "w") as file:
        json.dump({"reward": float(passed)}, file)
    '''

    def verify(task, response):
        import textwrap
        files = {"solution.py": response, "cases.json": json.dumps(task["answer"]), "run.py": textwrap.dedent(HARNESS)}
        run(files, "run.py")
        try:
            return {"correct": float(json.load(open("result.json"))["reward"] >= 1.0)}
        except (OSError, ValueError, KeyError, TypeError):
            return {"correct": 0.0}
    """,
)

NAIVE = {
    "exec in process": _IN_PROCESS,
    "exit code of asserts": _ASSERTS,
    "exit code of unittest": _UNITTEST,
    "JSON on stdout": _STDOUT,
    "result file": _FILE,
}
"""Ways that are in use elsewhere. A package's verifier should use none of them."""
