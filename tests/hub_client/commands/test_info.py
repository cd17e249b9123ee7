"""One package, as a reader sees it: what it is, what keeps it from being chosen, and what to do next."""

import pytest

from hub_client.commands.info import _next_command
from schemas.kinds import PackageKind
from schemas.package import ReleaseState
from tests.making.scripted_hub import card_of, problem
from tests.making.wheel import make_wheel

TARGET = "alice/small-sums"


@pytest.mark.parametrize("kind", PackageKind)
def test_a_reader_is_told_a_next_command_for_every_kind(kind):
    assert _next_command("alice/x@1.0.0", kind).startswith("verihub ")


def test_what_a_release_is_stands_on_one_screen(verihub, scripted):
    release = scripted.add(make_wheel(), summary="Sums", task_counts={"train": 1, "more": None})
    said = verihub("info", TARGET).out
    for words in ("alice/small-sums 1.0.0", "Sums", release.digest, "train: 1 task\n", "more: generated",
                  "correct  [0, 1]  score x 1", "verihub eval alice/small-sums@1.0.0"):  # fmt: skip
        assert words in said
    assert verihub("info", TARGET, "-q").out.strip() == f"{TARGET}@{release.digest}"


def test_a_pinned_release_says_that_it_was_yanked_and_why(verihub, scripted):
    scripted.add(make_wheel(), state=ReleaseState.YANKED, state_reason="accepts all", blocked_from_latest="case c1")
    said = verihub("info", f"{TARGET}@1.0.0").out
    assert "YANKED: accepts all" in said
    assert "not @latest: case c1" in said
    scripted.add(make_wheel(), state=ReleaseState.YANKED, yanked_by="ann", yanked_at="2026-11-02T00:00:00Z")
    assert "YANKED by ann on 2026-11-02: " in verihub("info", f"{TARGET}@1.0.0").out
    assert verihub("info", TARGET).code == 4


def test_a_quarantined_release_is_refused(verihub, scripted):
    scripted.add(make_wheel(), state=ReleaseState.QUARANTINED)
    assert verihub("info", f"{TARGET}@1.0.0").code == 9


def test_a_hub_that_answers_with_another_package_is_not_believed(verihub, scripted):
    scripted.add(make_wheel())
    scripted.answers["GET", "/packages/bob/other"] = scripted.answers["GET", f"/packages/{TARGET}"]
    said = verihub("info", "bob/other")
    assert (said.code, said.out) == (7, "")
    assert "answers with alice/small-sums" in said.err


def test_a_mistyped_name_is_answered_with_the_near_one(verihub, scripted):
    scripted.on("GET", "/packages", {"items": [card_of(TARGET).model_dump(mode="json")]})
    scripted.on(
        "GET", "/packages/alice/smal-sums", problem(404, "package_not_found", "there is no package alice/smal-sums")
    )
    said = verihub("info", "alice/smal-sums")
    assert said.code == 4
    assert f"did you mean {TARGET}?" in said.err
