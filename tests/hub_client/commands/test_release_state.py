"""What yanking and deprecating refuse alike."""

import pytest

from hub_client.commands.release_state import change_state
from hub_client.errors import UsageError


@pytest.mark.parametrize("reference", ["alice/x", "alice/x@>=1"])
def test_one_exact_release_must_be_named(reference: str) -> None:
    with pytest.raises(UsageError, match="name one release"):
        change_state(reference, "yank", "x", undo=False, wanted_reason="")


def test_without_a_reason_it_is_said_what_to_say() -> None:
    with pytest.raises(UsageError, match="say more"):
        change_state("alice/x@1.0.0", "yank", "", undo=False, wanted_reason="say more")
