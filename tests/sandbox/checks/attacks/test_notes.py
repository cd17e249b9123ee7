"""Notes from call to call, tried in boxes of this machine's engine."""

import pytest

from sandbox.blocking import BlockingSandbox
from sandbox.checks.attacks.notes import NOTES, NoteAttempt


@pytest.mark.docker
@pytest.mark.parametrize("note", NOTES, ids=lambda note: note.name)
def test_the_next_call_finds_no_note(docker_sandbox: BlockingSandbox, note: NoteAttempt) -> None:
    assert docker_sandbox.run(note.problem(docker_sandbox.inner)) == ""
