"""A run that meets a full disk says what is whole and how to go on."""

import errno

import pytest

from trainer_bridge.disk import full_disk_is_told
from trainer_bridge.errors import NotWrittenError
from trainer_bridge.loop import train


def test_a_full_disk_between_checkpoints_is_told_with_how_to_go_on(fake_hub, make_settings):
    """By the kernel's own full file. It was the machine's error alone, with "run it again", which is refused."""
    settings = make_settings(steps=2, eval_tasks=0)
    settings.output.mkdir()
    (settings.output / "rollouts.jsonl").symlink_to("/dev/full")
    hub = fake_hub()
    with pytest.raises(NotWrittenError, match=r"run could not be written to: No space left.* --resume"):
        train(settings, hub=hub)
    assert "NotWrittenError" in hub.runs.updates[-1].note


def test_another_error_of_the_machine_stays_what_it_is(tmp_path):
    with pytest.raises(PermissionError), full_disk_is_told(tmp_path):
        raise PermissionError(errno.EACCES, "no")
