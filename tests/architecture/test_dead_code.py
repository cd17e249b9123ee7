"""Nothing is kept that no code of ours uses. A function that only a test calls is not used.

Vulture does not follow names in strings, such as ``"hub_client.commands.sync:sync"``; those count as used here.
"""

import re
from pathlib import Path

from vulture import Vulture

ROOT = Path(__file__).parents[2]
IN_A_STRING = re.compile(r'"[a-z_.]+:([A-Za-z_]+)"')
PACKAGES = ["schemas", "sandbox", "hub_client", "hub_server", "trainer_bridge", "migrations"]

USED_BY_OTHERS = {
    "a base class of a library calls it": [
        "connect_unix_socket", "code_block", "fence", "format_commands", "get_seq_length", "initial_observation", "make_globals",
        "_new_conn", "get_connection", "on_log", "on_step_begin", "on_train_begin", "process_bind_param", "process_result_value", "readable",
        "readinto", "settings_customise_sources", "table_close", "table_open", "get_metadata",
    ],
    "Python calls it": ["__getattr__", "_missing_"],
    "users name it in their own code or in another framework's settings": [
        "HubAgentLoop", "HubMessageEnv", "HubSessionEnv", "HubTextEnv", "RunCallback", "VerihubResourcesServer",
        "dataset_rows", "environment_factory", "gdpo_weights", "make_taskset", "reward_functions", "session_rows",
    ],
    "scripts/reference.py writes a document with it": ["refusals_as_markdown"],
    "found by its prefix": ["on_*"],
}  # fmt: skip


def test_everything_is_used() -> None:
    files = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
    named = {name for path in [*files, ROOT / "pyproject.toml"] for name in IN_A_STRING.findall(path.read_text())}
    finder = Vulture(
        ignore_names=[*named, *(name for names in USED_BY_OTHERS.values() for name in names)],
        ignore_decorators=["@*"],
    )
    finder.scavenge(files)
    unused = [*finder.unused_funcs, *finder.unused_classes, *finder.unused_methods, *finder.unused_props]
    found = [f"{Path(one.filename).relative_to(ROOT)}:{one.first_lineno} {one.name}" for one in unused]
    assert not found, "\n".join(found)
