import pytest

from hub_client.errors import NotFoundError
from hub_client.imports.draft import ImportRefusedError
from hub_client.imports.registry import Request
from hub_client.imports.sources.reasoning_gym import ReasoningGym


@pytest.fixture
def gym(cache, index) -> ReasoningGym:
    return ReasoningGym(Request(cache))


def test_every_data_set_is_found_with_its_line_or_why_it_cannot_be_had(gym) -> None:
    found = {item.name: item for item in gym.items()}
    assert list(found) == ["composite", "halves", "leg_counting", "zebra"]
    assert found["leg_counting"].line == "Leg counting tasks"
    assert [name for name, item in found.items() if item.refused] == ["composite", "zebra"]
    assert "C extensions" in found["zebra"].refused


def test_a_draft_depends_on_the_library_and_copies_nothing_of_it(gym) -> None:
    draft = gym.draft("leg_counting")
    assert draft.needs.dependencies == ["reasoning-gym==0.9.1"]
    assert [item.name for item in draft.needs.lock] == ["inner-parts", "reasoning-gym", "small-yaml"]
    assert 'MODULE = "reasoning_gym.arithmetic.legs"' in draft.code
    assert "('reasoning_gym', 'reasoning_gym.arithmetic')" in draft.code
    assert "Legs of" not in draft.code
    assert draft.tags[0] == "arithmetic"


def test_only_a_scorer_of_its_own_may_find_several_answers_right(gym) -> None:
    assert gym.draft("leg_counting").one_right_answer
    assert not gym.draft("halves").one_right_answer


@pytest.mark.parametrize(
    ("item", "error"), [("zebra", ImportRefusedError), ("composite", ImportRefusedError), ("leg", NotFoundError)]
)
def test_what_cannot_be_had_says_why(gym, item: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        gym.draft(item)


def test_a_version_can_be_asked_for(cache, index) -> None:
    ReasoningGym(Request(cache, version="0.9.1")).draft("halves")
    assert index.asked[0] == "reasoning-gym==0.9.1"
