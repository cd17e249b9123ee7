"""Versions order as PEP 440 says, and the latest release is the one it should be."""

from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version

from hub_server.catalog.rules.versions import LatestCandidate, choose_latest, choose_shown, version_key

numbers = st.integers(min_value=0, max_value=10**6)


@st.composite
def versions(draw: st.DrawFn) -> str:
    text = ".".join(str(number) for number in draw(st.lists(numbers, min_size=1, max_size=4)))
    epoch = draw(st.integers(0, 3))
    text = f"{epoch}!{text}" if epoch else text
    if draw(st.booleans()):
        text += draw(st.sampled_from(["a", "b", "rc"])) + str(draw(numbers))
    if draw(st.booleans()):
        text += f".post{draw(numbers)}"
    if draw(st.booleans()):
        text += f".dev{draw(numbers)}"
    return text


@given(versions(), versions())
def test_keys_order_as_versions_do(one: str, other: str) -> None:
    keys, real = (version_key(one), version_key(other)), (Version(one), Version(other))
    assert (keys[0] < keys[1]) == (real[0] < real[1])
    assert (keys[0] == keys[1]) == (real[0] == real[1])


def candidate(version: str, state: str = "active", blocked: str = "") -> LatestCandidate:
    return LatestCandidate(version, version_key(version), Version(version).is_prerelease, state, blocked)


def test_the_latest_is_final_and_neither_yanked_quarantined_nor_blocked() -> None:
    everything = [
        candidate("1.0"),
        candidate("1.1", "deprecated"),
        candidate("1.2", "yanked"),
        candidate("1.3", "quarantined"),
        candidate("1.4", blocked="a case returned"),
        candidate("2.0rc1"),
    ]
    latest = choose_latest(everything)
    assert latest is not None
    assert latest.version == "1.1"
    assert choose_latest(everything[2:]) is None
    shown = choose_shown(everything[2:])
    assert shown is not None
    assert shown.version == "2.0rc1"
    assert choose_shown([candidate("1.3", "quarantined")]) is None
