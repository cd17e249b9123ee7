from pathlib import Path

import pytest

from sandbox.blocking import BlockingSandbox
from sandbox.checks.attacks.attempt import HOST
from sandbox.checks.attacks.scripts import IN_SOLUTION, LINE
from tests.sandbox.conftest import judge_one

pytestmark = pytest.mark.docker


def test_what_is_tried_in_a_solution_is_recorded(docker_sandbox: BlockingSandbox, tmp_path: Path) -> None:
    program = IN_SOLUTION + 'in_solution(\'attempt("listed", os.listdir, ".")\\nattempt("made", os.mkdir, "/x")\')'
    verdict = judge_one(docker_sandbox, HOST.source(tmp_path), program)
    assert verdict.info == {"listed": "allowed: []", "made": "EROFS"}


def test_a_reply_on_the_calls_own_line_is_framed_as_the_guest_would(
    docker_sandbox: BlockingSandbox, tmp_path: Path
) -> None:
    program = LINE + "line.send(reply({'rewards': {'correct': 1.0}}, mark=b'E'))\nos._exit(0)"
    assert judge_one(docker_sandbox, HOST.source(tmp_path), program).rewards == {"correct": 1.0}
