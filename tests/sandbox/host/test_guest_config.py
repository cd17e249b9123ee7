import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sandbox.checks.samples import Sample
from sandbox.errors import VerifierFailedError
from sandbox.guest.elsewhere import Elsewhere
from sandbox.host.guest_config import (
    environment_resources,
    guest_config,
    layout_config,
    solution_resources,
    verifier_resources,
)
from sandbox.interface import BoxLayout, BoxRole, BoxSpec, Source
from sandbox.settings import SandboxSettings

SETTINGS = SandboxSettings(sessions_per_box=16, session_undo_depth=3, solution_memory_mb=300)


def test_a_solution_box_is_told_nothing_of_any_package() -> None:
    config = guest_config(BoxSpec(BoxRole.SOLUTION, solution_resources(SETTINGS)), SETTINGS)
    assert set(config) == {"role", "limits", "preload"}
    assert config["limits"]["memory_mb"] == 300


def test_a_verifier_box_is_told_its_declared_rewards_and_no_session(equal_source: Source) -> None:
    config = guest_config(BoxSpec(BoxRole.VERIFIER, verifier_resources(equal_source, SETTINGS), equal_source), SETTINGS)
    assert config["rewards"] == {"correct": [0.0, 1.0]}
    assert config["session"] is None
    assert config["call_seconds"] == equal_source.manifest.sandbox.timeout_seconds


def test_only_a_box_that_is_elsewhere_is_told_another_day_and_machine_and_each_another_one(
    equal_source: Source,
) -> None:
    def told(source: Source) -> Any:
        spec = BoxSpec(BoxRole.VERIFIER, verifier_resources(source, SETTINGS), source)
        return guest_config(spec, SETTINGS).get("elsewhere")

    places = [told(replace(equal_source, is_elsewhere=True)) for _ in range(20)]
    assert told(equal_source) is None
    assert len({json.dumps(one) for one in places}) == 20
    assert all(set(one) == set(Elsewhere._fields) for one in places)
    assert min(one["ahead"] for one in places) > 31 * 86_400


def test_an_environment_box_has_processes_for_every_state_that_a_session_can_go_back_to(tmp_path: Path) -> None:
    head = 'verifier = "PACKAGE:verify"\nsession = "PACKAGE:Session"\ntasks = { train = "tasks.jsonl" }'
    files = {"tasks.jsonl": '{"id": "t1", "prompt": "q"}\n'}
    source = Sample("", name="talks", kind="environment", head=head, files=files).source(tmp_path)
    resources = environment_resources(source, SETTINGS)
    assert resources.process_count >= 16 * 2 * (3 + 1)
    assert resources.memory_shares > 1
    assert guest_config(BoxSpec(BoxRole.ENVIRONMENT, resources, source), SETTINGS)["session"] is not None
    assert guest_config(BoxSpec(BoxRole.VERIFIER, resources, source), SETTINGS)["session"] is None


def test_a_layout_says_where_things_lie() -> None:
    config = layout_config(BoxLayout(("/p", "/d"), "/tmp", "sha256:x", "/run/line", has_landlock=True))
    assert config == {
        "work_folder": "/tmp",
        "import_paths": ["/p", "/d"],
        "landlock": True,
        "socket": "/run/line",
    }


@pytest.mark.parametrize("resources", [verifier_resources, environment_resources])
@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ({"most_memory_mb": 255}, r"256 MB \(memory_mb\), but this sandbox gives at most 255 MB.*MOST_MEMORY_MB"),
        ({"most_timeout_seconds": 4.5}, r"5 s \(timeout_seconds\), but .* at most 4\.5 s.*MOST_TIMEOUT_SECONDS"),
    ],
)
def test_what_asks_for_more_than_the_operator_gives_is_not_run(
    tmp_path: Path, resources: Callable[..., object], limits: dict[str, Any], words: str
) -> None:
    source = Sample("", memory_mb=256, timeout_seconds=5.0).source(tmp_path)
    resources(source, SandboxSettings())
    with pytest.raises(VerifierFailedError, match=words):
        resources(source, SandboxSettings(**limits))


def test_the_operator_says_how_many_processes_a_box_may_have(equal_source: Source) -> None:
    assert verifier_resources(equal_source, SandboxSettings(call_processes=17)).process_count == 17
