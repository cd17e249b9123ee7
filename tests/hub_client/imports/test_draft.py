import pytest

from hub_client.imports.draft import ImportRefusedError
from tests.hub_client.imports.test_project import TASK, draft_of


@pytest.mark.parametrize(("generates", "splits"), [(True, {"test": [TASK]}), (False, {})])
def test_tasks_come_from_one_place(generates: bool, splits) -> None:
    with pytest.raises(ValueError, match="gym:maze: a draft either generates"):
        draft_of(generates=generates, splits=splits)


def test_a_refusal_ends_the_command_as_a_failed_check_does() -> None:
    assert ImportRefusedError("no").exit_code == 6
