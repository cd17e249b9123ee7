"""What docs/adapters.md shows exists."""

import importlib.util
import re
from pathlib import Path

from hub_client.commands.main import COMMANDS

PAGE = (Path(__file__).parents[3] / "docs/adapters.md").read_text()
FOLDER = Path(importlib.util.find_spec("hub_client.adapters").origin).parent


def test_its_python_is_python() -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) == 5
    for block in blocks:
        compile(block, "docs/adapters.md", "exec")


def test_every_function_that_it_imports_is_there() -> None:
    imports = re.findall(r"from hub_client\.adapters\.(\w+) import ([\w, ]+)", PAGE)
    assert {module for module, _ in imports} == {"trl", "verl", "inspect", "nemo_gym"}
    for module, names in imports:
        code = (FOLDER / f"{module}.py").read_text()
        for name in names.split(", "):
            assert re.search(rf"^def {name}\(", code, re.MULTILINE), name


def test_its_commands_and_modules_exist() -> None:
    assert set(re.findall(r"verihub (export|openenv)\b", PAGE)) <= set(COMMANDS)
    for module in set(re.findall(r"hub_client\.adapters\.(\w+)", PAGE)):
        assert (FOLDER / f"{module}.py").is_file(), module
