"""run_solution as an author uses it, over real boxes."""

import json
from pathlib import Path
from typing import Any

import pytest

from sandbox.backends import make_backend
from sandbox.blocking import BlockingSandbox
from sandbox.checks.samples import TASK, Sample
from sandbox.guest import SolutionUnavailableError, run_solution
from sandbox.interface import BoxResources, BoxRole, Call
from sandbox.settings import SandboxSettings
from schemas.verdict import ErrorKind

ANYTHING = Sample(
    """
    from dataclasses import asdict
    from sandbox.guest import run_solution

    def verify(task, response, info):
        import json
        info.update(asdict(run_solution(**json.loads(response))))
        return {"correct": 1.0}
    """,
    name="anything",
    timeout_seconds=60.0,
)


@pytest.fixture(params=["local", pytest.param("docker", marks=pytest.mark.docker)])
def ran(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    sandbox: BlockingSandbox = request.getfixturevalue(f"{request.param}_sandbox")
    source = ANYTHING.source(tmp_path)

    def run(**arguments: Any) -> dict[str, Any]:
        [(_, verdict)] = sandbox.score(source, [Call("1", TASK, response=json.dumps(arguments))])
        assert verdict.error is None, verdict.error
        return verdict.info

    return run


def test_a_script_has_stdin_stdout_files_and_an_exit_status(ran: Any) -> None:
    code = "import sys\nn = int(input())\nprint(n * 2, open('data/a.txt').read())\n"
    code += "open('out.txt', 'w').write('made')\nsys.stderr.write('note')\nsys.exit(3)\n"
    result = ran(code=code, stdin="21\n", files={"data/a.txt": "given"})
    assert result["stdout"] == "42 given\n"
    assert result["stderr"] == "note"
    assert result["exit_status"] == 3
    assert result["files"] == {"out.txt": "made"}
    assert result["error"] == "the solution ended with status 3: note"


def test_a_command_runs_with_files(ran: Any) -> None:
    result = ran(argv=["python3", "main.py", "x"], files={"main.py": "import sys\nprint(sys.argv[1:])\n"})
    assert result["stdout"] == "['x']\n"
    assert result["exit_status"] == 0


def test_one_entry_gives_its_value(ran: Any) -> None:
    assert ran(code="def f(a, b):\n    return {'sum': a + b}\n", entry="f", args=[1, 2])["result"] == {"sum": 3}


def test_many_calls_give_a_value_or_an_error_each(ran: Any) -> None:
    result = ran(code="def f(x):\n    return 10 // x\n", entry="f", calls=[[5], [0], [2]])
    assert result["results"] == [
        {"value": 2},
        {"error": "ZeroDivisionError: integer division or modulo by zero"},
        {"value": 5},
    ]


def test_an_entry_that_is_missing_is_the_solutions_error(ran: Any) -> None:
    result = ran(code="def g(): pass\n", entry="f", args=[])
    assert result["error"] == "the solution ended with status 1: KeyError: 'f'"
    assert result["result"] is None


def test_time_and_memory_are_limited(ran: Any) -> None:
    # It sleeps: one that computes would be nobody's fault while strangers have the processor.
    late = ran(code="import time\ntime.sleep(600)\n", timeout_seconds=3)
    assert late["timed_out"]
    assert "3 s" in late["error"]
    big = ran(code="x = bytearray(900 << 20)\n", memory_mb=64)
    assert big["exit_status"] == 1
    assert "MemoryError" in big["stderr"]


def test_what_is_not_json_is_an_error_not_a_value(ran: Any) -> None:
    for code in ("def f():\n    return {1, 2}\n", "def f():\n    return float('nan')\n", "def f():\n    yield 1\n"):
        result = ran(code=code, entry="f", args=[])
        assert result["result"] is None
        assert result["error"]


def test_a_file_that_would_leave_the_folder_is_refused(ran: Any) -> None:
    assert "not a path inside" in ran(code="pass", files={"../x": "y"})["error"]


def test_output_is_cut(ran: Any) -> None:
    assert len(ran(code="print('x' * 1000000)\n")["stdout"]) == 64 << 10


NEST = "def f(levels):\n    v = 'x'\n    for _ in range(levels):\n        v = [v]\n    return v\n"


def test_a_value_of_200_levels_comes_through_and_one_of_201_is_an_error(
    any_sandbox: BlockingSandbox, tmp_path: Path
) -> None:
    code = f"""
    from sandbox.guest import run_solution

    def verify(task, response, info):
        ran = run_solution(code={NEST!r}, entry="f", calls=[[200], [201]], timeout_seconds=10)
        info["levels"] = str(ran.results[0]).count("[")
        info["errors"] = [ran.error, ran.results[1].get("error")]
        return {{"correct": 1.0}}
    """
    [(_, verdict)] = any_sandbox.score(Sample(code, name="deep").source(tmp_path), [Call("1", TASK, response="x")])
    assert verdict.info == {
        "levels": 200,
        "errors": ["", "the result cannot be used: it is nested more than 200 deep"],
    }


def test_a_verifier_cannot_take_a_result_that_is_too_large_for_wrong(
    any_sandbox: BlockingSandbox, tmp_path: Path
) -> None:
    code = """
    from sandbox.guest import run_solution

    def verify(task, response):
        try:
            ran = run_solution(code="def f(): return list(range(150_000))", entry="f")
        except BaseException:
            return {"correct": 0.0}
        return {"correct": float(ran.result == list(range(150_000)))}
    """
    [(_, verdict)] = any_sandbox.score(Sample(code, name="strict").source(tmp_path), [Call("1", TASK, response="x")])
    assert verdict.rewards == {"correct": None}
    assert verdict.error is not None
    assert verdict.error.kind is ErrorKind.OUTPUT


def test_boxes_that_cannot_begin_are_the_hosts_fault_and_not_the_programs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    resources = BoxResources(BoxRole.SOLUTION, 256, open_file_count=8)
    monkeypatch.setattr("sandbox.host.box_pool.solution_resources", lambda _: resources)
    settings = SandboxSettings(trust_local_code=True, replay_fraction=0.0, boxes_per_package=1)
    source = ANYTHING.source(tmp_path)
    with BlockingSandbox(make_backend("local", settings), settings) as sandbox:
        [(_, verdict)] = sandbox.score(source, [Call("1", TASK, response='{"code": "print(1)"}')])
    assert verdict.rewards == {"correct": None}
    assert verdict.error is not None
    assert verdict.error.kind is ErrorKind.HOST


def test_outside_a_sandbox_there_is_nobody_to_ask() -> None:
    with pytest.raises(SolutionUnavailableError):
        run_solution(code="1")
    with pytest.raises(ValueError, match="one of them"):
        run_solution()
    with pytest.raises(ValueError, match="need entry"):
        run_solution(code="1", calls=[[1]])
