import random

import pytest

from hub_client.commands.check import _advice
from schemas.kinds import PackageKind
from schemas.wheels.archive import LIMITS
from tests.making.project import make_project
from tests.making.wheel import MANIFEST, make_wheel


def test_a_verifier_that_raises_on_its_own_case_is_not_fit(verihub, tmp_path) -> None:
    code = "def verify(task, response):\n    return {'correct': 1 / len(response)}\n"
    folder = make_project(tmp_path / "x", files={"__init__.py": code})
    said = verihub("check", folder, "--format", "json")
    assert said.code == 6
    assert any(
        "empty" in fault and "could not be judged" in fault and "ZeroDivisionError" in fault
        for fault in said.json["faults"]
    )


def test_a_wrong_verdict_on_an_own_case_is_a_remark_and_a_fault_when_strict(verihub, tmp_path) -> None:
    code = "def verify(task, response):\n    return {'correct': 1.0}\n"
    folder = make_project(tmp_path / "x", files={"__init__.py": code})
    said = verihub("check", folder)
    assert said.code == 0
    assert "case wrong: accepted, and must be rejected" in said.out
    assert "10 of 20 as labelled" in said.out
    assert verihub("check", folder, "--strict").code == 6


@pytest.mark.parametrize(
    ("code", "word"),
    [
        ("def verify(task, response)\n    return {}\n", "__init__.py:1: is not valid Python 3.11"),
        ("def judge(task, response):\n    return {}\n", "defines no verify"),
        ("def verify(task, answer_text):\n    return {}\n", "wants answer_text"),
    ],
)
def test_source_faults_are_found_without_running_anything(verihub, tmp_path, code, word) -> None:
    said = verihub("check", make_project(tmp_path / "x", files={"__init__.py": code}))
    assert said.code == 6
    assert word in said.out


def test_names_that_come_from_imports_and_branches_count_as_defined(verihub, tmp_path) -> None:
    code = "try:\n    from alice_my_check.rules import verify\nexcept ImportError:\n    verify = None\n"
    rules = "def verify(task, response, *, strict=False):\n    return {'correct': 0.0}\n"
    folder = make_project(tmp_path / "x", files={"__init__.py": code, "rules.py": rules})
    assert verihub("check", folder, "--no-run").code == 0


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        ('random.Random(f"{split}/{seed}/{index}")', "random.Random()", "gave another task"),
        ('"id": f"{split}-{seed}-{index}",', '"id": "same",', "the same id"),
        ('"prompt": f"How', '"question": f"How', "must return a dict with a prompt"),
        ("    dice =", "    raise KeyError('oops')\n    dice =", "oops"),
    ],
)
def test_a_generator_is_tried_and_must_repeat(verihub, tmp_path, old, new, word) -> None:
    folder = make_project(tmp_path / "x", kind=PackageKind.ENVIRONMENT)
    code = folder / "src/alice_my_check/__init__.py"
    assert old in code.read_text()
    code.write_text(code.read_text().replace(old, new))
    said = verihub("check", folder)
    assert said.code == 6
    assert "tasks.test: " in said.out
    assert word in said.out


def test_a_tool_without_a_docstring_is_a_fault(verihub, tmp_path) -> None:
    code = "def to_roman(number: int) -> str:\n    return ''\n\n\ndef from_roman(text: str) -> int:\n    'Read it.'\n    return 1\n"
    said = verihub("check", make_project(tmp_path / "x", kind=PackageKind.TOOL, files={"__init__.py": code}))
    assert said.code == 6
    assert "to_roman has no docstring" in said.out
    assert "from_roman" not in said.out


def test_a_session_is_begun_once(verihub, tmp_path) -> None:
    folder = make_project(tmp_path / "x", kind=PackageKind.ENVIRONMENT, session=True)
    code = folder / "src/alice_my_check/__init__.py"
    code.write_text(code.read_text().replace('{"messages": messages, "tools": []}', '{"text": "hello"}'))
    said = verihub("check", folder)
    assert said.code == 6
    assert 'session: reset() must return {"messages"' in said.out


TOOL = """{"type": "function", "function": {"name": "open", "description": "Open it.",
            "parameters": {"type": "object", "properties": {"what": {"type": "string"}}, "required": ["what"]}}}"""
REPLY = '{"messages": [{"role": "tool", "tool_call_id": CALL["id"], "content": WHAT}], "done": False}'


@pytest.mark.parametrize(
    ("what", "code", "word"),
    [
        ("self.doors['hall']", 6, 'session: step() broke on a call of open with {"what": "example"}, which its schema'),
        ("CALL['function']['arguments']", 0, "fit to be published"),
    ],
)
def test_a_tool_call_that_breaks_a_session_is_found_by_check(verihub, tmp_path, what, code, word) -> None:
    folder = make_project(tmp_path / "x", kind=PackageKind.ENVIRONMENT, session=True)
    source = folder / "src/alice_my_check/__init__.py"
    text = source.read_text()
    reply = REPLY.replace("WHAT", what).replace("CALL", "message['tool_calls'][0]")
    step = f"        self.doors = {{}}\n        if message.get('tool_calls'):\n            return {reply}\n"
    begins = "    def step(self, message: dict) -> dict:\n"
    assert begins in text
    assert '"tools": []' in text
    source.write_text(text.replace('"tools": []', f'"tools": [{TOOL}]').replace(begins, begins + "# here\n"))
    assert (
        "session: step() did not answer a call of open" in verihub("check", folder).out
    )  # the starter reads text alone
    source.write_text(source.read_text().replace("# here\n", step, 1))
    said = verihub("check", folder)
    assert (said.code, word in said.out) == (code, True), said.out


@pytest.fixture
def no_sandbox(monkeypatch):
    monkeypatch.delenv("VERIHUB_SANDBOX_TRUST_LOCAL_CODE")
    monkeypatch.setenv("VERIHUB_RUN_AT", "here")


def test_where_nothing_could_run_the_check_fails_and_says_so(verihub, tmp_path, no_sandbox) -> None:
    folder = make_project(tmp_path / "x")
    said = verihub("check", folder, "--format", "json")
    assert said.code == 8
    assert said.json["not_run"]
    said = verihub("check", folder)
    assert said.code == 8
    assert "nothing was run" in said.err
    assert "fit to be published" not in said.out
    assert verihub("check", folder, "--no-run").code == 0


def test_a_package_that_is_data_needs_no_sandbox(verihub, tmp_path, no_sandbox) -> None:
    assert verihub("check", make_project(tmp_path / "x", kind=PackageKind.RECIPE)).code == 0


def test_one_cause_is_one_fault_however_many_cases_it_meets(verihub, tmp_path) -> None:
    code = "import no_such_module\n\n\ndef verify(task, response):\n    return {'correct': 0.0}\n"
    said = verihub("check", make_project(tmp_path / "x", files={"__init__.py": code}), "--format", "json")
    assert said.code == 6
    assert len(said.json["faults"]) == 1
    assert "20 cases" in said.json["faults"][0]
    assert "[project] dependencies" in said.json["faults"][0]
    assert "1 fault" in said.err


RESET = "    def reset(self, task, seed):\n        return {'messages': []}\n"
CALLBACK = "def run(messages, complete):\n    return [*messages, complete(messages)]\n"
NO_GENERATOR = "def run(messages):\n    return {'messages': messages}\n"
ENDLESS = "def run(messages):\n    while True:\n        yield {'complete': messages}\n"
ACTS = "def run(messages):\n    yield {'act': messages[0]}\n    return {'messages': messages}\n"
WRONG_END = "def run(messages):\n    reply = yield {'complete': messages}\n    return reply\n"
WRONG_WISH = "def run(messages):\n    yield 'please'\n"


@pytest.mark.parametrize(
    ("code", "word"),
    [
        (CALLBACK, "wants complete"),
        (NO_GENERATOR, "must be a generator"),
        (ENDLESS, "had not ended"),
        (ACTS, "without a session"),
        (WRONG_END, "the whole conversation"),
        (WRONG_WISH, "a harness yields a dict"),
    ],
)
def test_a_harness_that_would_break_in_use_is_found_by_check(verihub, tmp_path, code, word) -> None:
    said = verihub("check", make_project(tmp_path / "x", kind=PackageKind.HARNESS, files={"__init__.py": code}))
    assert said.code == 6
    assert word in said.out


@pytest.mark.parametrize(
    ("body", "word"),
    [
        (RESET, "lacks step"),
        (
            f"{RESET}    def step(self, message):\n        return {{'messages': []}}\n",
            "step() must return",
        ),
        (
            f"{RESET}    def step(self, message):\n        return message['oops']\n",
            "oops",
        ),
    ],
)
def test_a_session_that_cannot_take_a_step_is_found_by_check(verihub, tmp_path, body, word) -> None:
    folder = make_project(tmp_path / "x", kind=PackageKind.ENVIRONMENT, session=True)
    code = folder / "src/alice_my_check/__init__.py"
    text = code.read_text()
    start, end = text.index("class Session:"), text.index("def read_guess")
    code.write_text(text[:start] + "class Session:\n" + body + "\n\n" + text[end:])
    said = verihub("check", folder)
    assert said.code == 6
    assert word in said.out


def test_a_wheel_can_be_checked_as_it_is(verihub, tmp_path) -> None:
    said = verihub("pack", make_project(tmp_path / "x"), "--out", tmp_path / "dist", "--format", "quiet")
    assert verihub("check", said.out.strip()).code == 0


def test_pack_lists_what_would_be_in_the_wheel_and_writes_nothing(verihub, tmp_path) -> None:
    said = verihub("pack", make_project(tmp_path / "x"), "--list", "--out", tmp_path / "dist")
    assert "alice_my_check/verihub.toml" in said.out
    assert not (tmp_path / "dist").exists()


def test_an_audit_of_a_folder_is_the_report_as_one_object(verihub, tmp_path) -> None:
    said = verihub("audit", make_project(tmp_path / "x"), "--format", "json")
    report = said.json
    assert (report["subject"], report["grade"]) == ("alice/my-check@0.1.0", "D")
    assert report["overall"]["tp"] + report["overall"]["fn"] == 10
    assert report["determinism"] == {"repeats": 2, "flips": 0}, "as a hub does, so that chance shows"
    assert report["probes"]


def test_an_audit_below_what_was_asked_for_fails_and_still_prints(verihub, tmp_path) -> None:
    markdown = tmp_path / "report.md"
    said = verihub("audit", make_project(tmp_path / "x"), "--fail-below", "b", "--markdown", markdown, "--no-probes")
    assert said.code == 6
    assert "grade D" in said.out
    assert markdown.read_text().startswith("# Audit of alice/my-check@0.1.0")


def test_a_verdict_is_printed_as_it_is_defined(verihub, tmp_path, typed) -> None:
    folder = make_project(tmp_path / "x")
    task = '{"prompt": "?", "answer": 42}'
    said = verihub("score", folder, "--task", task, "--response", "Answer: 42", "--format", "json")
    assert said.json == {"rewards": {"correct": 1.0}, "info": {}, "asked": [], "error": None}
    typed("Answer: 41")
    assert verihub("score", folder, "--task", task, "--response", "-", "--format", "quiet").out == "correct=0\n"
    assert verihub("score", folder, "--task", task).code == 2


CASES_BY_RULE = """
import {needed}

def verify(task, response):
    return {{"correct": float(response == task["answer"])}}

def cases(split, seed, index):
    right = index % 2 == 0
    task = {{"id": f"t{{index}}", "prompt": f"p {{index}}", "answer": "a"}}
    case = {{"id": f"c{{index}}", "task": task, "response": "a" if right else "b"}}
    return {{**case, "label": "correct" if right else "incorrect"}} if index < 4 else None
"""


def _with_cases_by_rule(tmp_path, needed: str):
    folder = make_project(tmp_path / "x", files={"__init__.py": CASES_BY_RULE.format(needed=needed)})
    manifest = folder / "src/alice_my_check/verihub.toml"
    manifest.write_text(manifest.read_text().replace('audit = ["audit.jsonl"]', 'audit = ["alice_my_check:cases"]'))
    (folder / "src/alice_my_check/audit.jsonl").unlink()
    return folder


def test_cases_that_a_function_makes_count_as_cases(verihub, tmp_path) -> None:
    said = verihub("check", _with_cases_by_rule(tmp_path, "json"))
    assert "own cases: 4 of 4 as labelled" in said.out
    assert "no audit cases" not in said.out


def test_a_dependency_that_the_function_of_cases_lacks_is_a_fault_with_advice(verihub, tmp_path) -> None:
    said = verihub("check", _with_cases_by_rule(tmp_path, "nowhere_installed"))
    assert said.code == 6
    assert "FAULT: audit = alice_my_check:cases made no cases" in said.out
    assert "add what brings nowhere_installed to [project] dependencies" in said.out


def test_a_replay_names_the_function_whose_cases_it_leaves_out(verihub, scripted, tmp_path) -> None:
    by_rule = MANIFEST.replace('audit = ["audit.jsonl"]', 'audit = ["audit.jsonl", "alice_small_sums:cases"]')
    assert by_rule != MANIFEST
    scripted.add(make_wheel(manifest=by_rule))
    scripted.on("GET", "/packages/alice/small-sums/cases", {"items": []})
    said = verihub("check", make_project(tmp_path / "x"), "--against", "alice/small-sums")
    assert "not replayed: the cases that alice_small_sums:cases makes" in said.out, said.err


def test_the_starter_of_a_harness_offers_a_sessions_tools_and_one_that_does_not_is_told(verihub, tmp_path) -> None:
    folder = make_project(tmp_path / "x", kind=PackageKind.HARNESS)
    assert "session_tools" not in verihub("check", folder).out
    code = folder / "src/alice_my_check/__init__.py"
    assert ', "tools": session_tools' in code.read_text()
    code.write_text(code.read_text().replace(', "tools": session_tools', ""))
    said = verihub("check", folder)
    assert (said.code, "remark: harness: it does not offer a session's tools" in said.out) == (0, True)


def test_a_file_that_the_usual_hub_refuses_is_told_before_it_is_sent(verihub, tmp_path) -> None:
    folder = make_project(tmp_path / "x")
    (folder / "src/alice_my_check/table.bin").write_bytes(random.Random(0).randbytes(LIMITS.file_bytes + 1))
    said = verihub("check", folder, "--no-run")
    assert said.code == 0
    assert "alice_my_check/table.bin: over 16 MiB, which a hub refuses unless" in said.out


def test_a_verifier_that_is_judged_by_a_third_package_is_a_fault(verihub, scripted, tmp_path) -> None:
    """It was fit to be published, and refused where it was used."""
    environment = 'format = 1\nid = "alice/small-sums"\nkind = "environment"\ntasks = { train = "tasks.jsonl" }\n'
    scripted.add(make_wheel(manifest=f'{environment}verifier = "carol/judge@1.0.0"\n'))
    folder = make_project(tmp_path / "x", kind=PackageKind.ENVIRONMENT)
    file = folder / "src/alice_my_check/verihub.toml"
    text = file.read_text().replace('"alice_my_check:verify"', '"alice/small-sums@1.0.0"')
    file.write_text(text.partition("[rewards")[0])
    said = verihub("check", folder, "--no-run")
    assert said.code == 6, said
    assert "alice/small-sums@1.0.0 is judged by carol/judge@1.0.0 itself: name that one" in said.out


@pytest.mark.parametrize(
    ("cause", "advice"),
    [
        ("URLError: <urlopen error [Errno -3] Temporary failure in name resolution>", "a box has no network"),
        ("OSError: [Errno 101] Network is unreachable", "a box has no network"),
        ("ModuleNotFoundError: No module named 'numpy'", "add what brings numpy"),
        ("KeyError: 'answer'", ""),
    ],
)
def test_a_cause_comes_with_what_to_do_where_it_is_known(cause: str, advice: str) -> None:
    found = _advice(cause)
    assert advice in found
    assert bool(found) is bool(advice)
