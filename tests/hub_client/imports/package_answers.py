"""A draft's code in a process of its own, since its stand-ins take the place of libraries."""

import itertools
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from hub_client.imports.draft import Draft
from hub_client.imports.project import write_project

_numbers = itertools.count()
_ANSWERED = """
def answered(calls, said):
    asked = next(calls)
    try:
        calls.send({"role": "assistant", "content": said})
    except StopIteration as end:
        return [asked, end.value]
"""


def told(draft: Draft, place: Path, *asked: str, library: Mapping[str, str] | None = None) -> list:
    """What these expressions over ``it``, the package, are. ``library``: path -> text of what else can be imported.

    ``answered(calls, said)``: the model call that a verifier makes, and its vector when the model answers ``said``.
    """
    target = place / f"project-{next(_numbers)}"
    write_project(target, "alice/small", draft)
    for path, text in (library or {}).items():
        (target / "library" / path).parent.mkdir(parents=True, exist_ok=True)
        (target / "library" / path).write_text(text)
    code = f"{_ANSWERED}\nimport json, alice_small as it\nfor text in {list(asked)!r}:\n    print('told', json.dumps(eval(text)))"
    ran = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": f"{target / 'src'}:{target / 'library'}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return [json.loads(line[5:]) for line in ran.stdout.splitlines() if line.startswith("told ")]
