import subprocess

import pytest

from hub_client.imports.draft import ImportRefusedError
from hub_client.imports.harbor_folder import read_tasks
from hub_client.imports.harbor_recipe import make_recipe
from tests.making.harbor import FILES, make_task


def _made(tmp_path, **changed):
    (task,) = read_tasks(make_task(tmp_path / "sort-lines", **changed))
    return make_recipe(task)


def test_a_task_as_a_box_is_told_of_it(tmp_path) -> None:
    recipe = _made(tmp_path)
    assert recipe.told["workdir"] == "/app"
    assert recipe.told["files"] == {"/app/words.txt": ["pear\napple\n", None, False]}
    assert set(recipe.told["tests"]) == {"/tests/test.sh"}
    assert {"/app", "/tests", "/logs", "/tmp"} <= set(recipe.told["mapped"])
    assert recipe.solution == FILES["solution/solve.sh"]
    assert not recipe.has_canary


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"tests__test_dot_sh": None}, "it has no tests/test.sh"),
        ({"environment__Dockerfile": None}, "it has no environment/Dockerfile"),
        ({"instruction_dot_md": "  \n"}, "it has no instruction.md"),
        ({"environment__docker-compose_dot_yaml": "x"}, "it has services (environment/docker-compose.yaml)"),
        ({"tests__Dockerfile": "FROM x"}, "its tests run in a container of their own"),
        ({"task_dot_toml": "[environment]\ngpus = 1"}, "it needs a GPU"),
        ({"task_dot_toml": "[environment]\ndocker_image = 'x/y'"}, "its environment is a prebuilt image: x/y"),
        ({"task_dot_toml": "[[steps]]\nname = 'a'"}, "it has several steps"),
        ({"task_dot_toml": "environment = 3"}, "its task.toml has no table [environment]"),
        ({"task_dot_toml": "[verifier]\nenvironment_mode = 'separate'"}, "its tests run in a container of their own"),
        (
            {"task_dot_toml": "[verifier.env]\nOPENAI_API_KEY = '${OPENAI_API_KEY}'"},
            "its tests ask a model or a service: they need OPENAI_API_KEY from the host's environment",
        ),
        (
            {"tests__test_x_dot_py": "import pandas"},
            "its tests import pandas, and a box has Python's own library and pytest",
        ),
        ({"tests__test_x_dot_py": "def (:"}, "tests/test_x.py cannot be read as Python"),
        ({"tests__test_x_dot_py": "(" * 5000}, "tests/test_x.py cannot be read as Python"),
        (
            {"environment__Dockerfile": "FROM ubuntu\nRUN apt-get install -y jq", "instruction_dot_md": "Use jq."},
            "its image installs jq (apt-get)",
        ),
        ({"tests__test_dot_sh": "curl https://x.invalid/judge"}, "its tests fetches (curl)"),
    ],
)
def test_what_needs_a_machine_is_refused_by_name(tmp_path, changed, why) -> None:
    with pytest.raises(ImportRefusedError) as refused:
        _made(tmp_path, **changed)
    assert str(refused.value) == why.replace("its tests fetches", "its tests: it fetches")


def test_tests_may_import_what_the_work_consists_of(tmp_path) -> None:
    recipe = _made(
        tmp_path,
        tests__test_x_dot_py="import solver, helper, pytest, json",
        tests__helper_dot_py="",
        instruction_dot_md="Write /app/solver.py",
    )
    assert recipe.name == "sort-lines"


def test_files_of_a_solution_come_with_it(tmp_path) -> None:
    recipe = _made(
        tmp_path,
        solution__data__table_dot_csv="a,b\n1,2\n",
        solution__solve_dot_sh="cat /solution/data/table.csv > out.csv\n",
    )
    (tmp_path / "solution" / "data").mkdir(parents=True)
    script = recipe.solution.replace("/solution", str(tmp_path / "solution"))
    subprocess.run(["bash", "-c", script], cwd=tmp_path, check=True)
    assert (tmp_path / "out.csv").read_text() == "a,b\n1,2\n"


def test_paths_of_system_folders_are_meant_in_part_only(tmp_path) -> None:
    dockerfile = "FROM ubuntu\nRUN mkdir -p /etc/nginx/conf.d /usr/local/share/x /var/log/app\nWORKDIR /job/a\n"
    mapped = _made(tmp_path, environment__Dockerfile=dockerfile).told["mapped"]
    assert {"/etc/nginx", "/usr/local/share", "/var/log", "/job"} <= set(mapped)
    assert "/etc" not in mapped
    assert mapped.index("/usr/local/share") < mapped.index("/etc/nginx"), "longer ones come first"


def test_a_canary_is_seen_in_any_file(tmp_path) -> None:
    assert _made(tmp_path, tests__x_dot_txt="terminal-bench-CANARY GUID 1").has_canary
