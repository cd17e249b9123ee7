"""Notes from call to call, in boxes of this machine's engine. A part of what ``python -m sandbox attack`` tries."""

from dataclasses import replace

import pytest

from sandbox.blocking import BlockingSandbox
from sandbox.checks.attacks.notes import NOTES, NoteAttempt

TRIED = (
    "note-locks-of-standard-streams",
    "note-flags-of-standard-streams",
    "note-locks-of-a-packages-file",
    "note-a-packages-folder",
    "note-far-descriptors",
)


@pytest.mark.docker
@pytest.mark.parametrize("note", [note for note in NOTES if note.name in TRIED], ids=lambda note: note.name)
def test_the_next_call_finds_no_note(docker_sandbox: BlockingSandbox, note: NoteAttempt) -> None:
    assert docker_sandbox.run(note.problem(docker_sandbox.inner)) == ""


@pytest.mark.docker
def test_a_note_that_cannot_be_left_is_no_success(docker_sandbox: BlockingSandbox) -> None:
    broken = replace(NOTES[0], leave="raise ValueError")
    assert "could not be left" in docker_sandbox.run(broken.problem(docker_sandbox.inner))
