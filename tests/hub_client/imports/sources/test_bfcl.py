import json
import sys

import pytest

from hub_client.errors import NotFoundError
from hub_client.imports import library as libraries
from hub_client.imports.draft import ImportRefusedError
from hub_client.imports.registry import Request
from hub_client.imports.sources.bfcl import Bfcl
from tests.making import library as making

FUNCTION = {
    "name": "math.area",
    "parameters": {"properties": {"base": {}, "unit": {}, "scale": {}}, "required": ["base", "scale"]},
}
QUESTION = {"id": "s_0", "question": [[{"role": "user", "content": "Area?"}]], "function": [FUNCTION]}
POSSIBLE = [
    {
        "math.area": {
            "base": [10, 10.0],
            "unit": ["units", ""],
            "scale": ["", 2],
            "form": [{"kind": ["flat"], "deep": [1, ""]}],
        }
    }
]
CHECKER = (
    "from bfcl_eval.constants.model_config import MODEL_CONFIG_MAPPING\n\n\n"
    "def ast_checker(functions, calls, possible, language, category, model):\n"
    "    assert not MODEL_CONFIG_MAPPING[model].underscore_to_dot\n"
    "    if calls == [{'math.area': {'base': None}}]:\n        raise TypeError('None')\n"
    "    return {'valid': calls == [{'math.area': {'base': 10, 'scale': 2, 'form': {'kind': 'flat'}}}]}\n"
)
FILES = {
    "bfcl_eval/__init__.py": "raise ImportError('every client')\n",
    "bfcl_eval/constants/__init__.py": "",
    "bfcl_eval/constants/enums.py": "class Language:\n    PYTHON = 'python'\n",
    "bfcl_eval/eval_checker/__init__.py": "",
    "bfcl_eval/eval_checker/ast_eval/__init__.py": "",
    "bfcl_eval/eval_checker/ast_eval/ast_checker.py": CHECKER,
    "bfcl_eval/data/BFCL_v4_simple_python.json": json.dumps(QUESTION) + "\n",
    "bfcl_eval/data/possible_answer/BFCL_v4_simple_python.json": json.dumps({"id": "s_0", "ground_truth": POSSIBLE}),
}


@pytest.fixture
def bfcl(cache, monkeypatch) -> Bfcl:
    data = making.plain_wheel("bfcl-eval", "1.0", FILES)
    monkeypatch.setattr(libraries, "lock_alone", lambda _, cache, *_more: making.keep(cache, "bfcl-eval", "1.0", data))
    return Bfcl(Request(cache))


@pytest.fixture
def verify(bfcl, tmp_path, monkeypatch):
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    names: dict = {}
    exec(bfcl.draft("simple_python").code, names)
    yield names["verify"]
    for name in [name for name in sys.modules if name.startswith("bfcl_eval")]:
        del sys.modules[name]


def test_the_answer_is_a_call_with_what_is_required_and_without_what_may_be_left_out(bfcl) -> None:
    (task,) = bfcl.draft("simple_python").splits["test"]
    assert task["answer"] == "[math.area(base=10, scale=2, form={'kind': 'flat'})]"
    assert '"math.area"' in task["prompt"][0]["content"]
    assert task["prompt"][1] == {"role": "user", "content": "Area?"}
    assert "flat" not in json.dumps(task["prompt"])


def test_nothing_that_the_library_depends_on_is_looked_up(bfcl) -> None:
    needs = bfcl.draft("simple_python").needs
    assert [item.name for item in needs.lock] == ["bfcl-eval"]


@pytest.mark.parametrize(
    ("response", "correct", "readable"),
    [
        ("[math.area(base=10, scale=2, form={'kind': 'flat'})]", 1, 1),
        ("```python\n[math.area(base=10, scale=2, form={'kind': 'flat'})]\n```", 1, 1),
        ("math.area(base=10, scale=2, form={'kind': 'flat'})", 1, 1),
        ("[math.area(10, 2)]", 0, 1),
        ("[math.area(base=None)]", 0, 1),
        ("[math.area(base=__import__('os').getcwd())]", 0, 0),
        ("[]", 0, 1),
        ("None of them fits.", 0, 0),
        ("(" * 5000, 0, 0),
        ("", 0, 0),
    ],
)
def test_a_response_is_read_and_never_run(verify, response: str, correct: int, readable: int) -> None:
    task = {"info": {"functions": [FUNCTION], "possible": POSSIBLE}}
    assert verify(task, response) == {"correct": correct, "readable": readable}


def test_what_cannot_be_had_says_why(bfcl) -> None:
    assert {item.name for item in bfcl.items() if not item.refused} >= {"simple_python", "live_parallel"}
    with pytest.raises(ImportRefusedError, match="constant answer"):
        bfcl.draft("irrelevance")
    with pytest.raises(NotFoundError, match="simple_python"):
        bfcl.draft("simple_pyton")
