"""What pages show is worked out before the templates: words, rows, addresses."""

import pytest

from hub_server.accounts.pages import safe_next
from hub_server.audits import presenting as audits
from hub_server.catalog import presenting as catalog
from hub_server.catalog.differences import ReleaseFiles, compare_releases, line_hunks
from hub_server.catalog.rules import SearchRequest
from hub_server.execution.presenting import FAULTS, tell_verdict
from hub_server.runs import presenting as runs
from hub_server.runs.hacking import find_alarm
from schemas.audit import Grade
from schemas.manifest import RewardDeclaration
from schemas.page import Page
from schemas.run import MetricPoint
from schemas.verdict import ErrorKind, Verdict
from tests.hub_server.pages import samples


def head(version: int = 0) -> catalog.PackageHead:
    return catalog.PackageHead(samples.detail(), samples.RELEASES[version], "Readme")


def test_the_head_shows_the_releases_own_figures() -> None:
    assert head(0).summary == samples.RELEASES[0].audit
    assert head(3).summary.version == "1.6.3"
    assert head(4).summary is None  # an old release that nobody measured does not borrow the latest one's rates
    assert head(4).audit_state == "none"


def test_a_quarantined_release_can_be_read_but_not_tried() -> None:
    release = samples.release("3.0.0", None, 1, state="quarantined", state_reason="It calls home.")
    names = [name for name, _, _ in catalog.PackageHead(samples.detail(), release, "Readme").tabs()]
    assert "Try it" not in names
    assert "Code" in names


def test_removing_a_chip_keeps_everything_else() -> None:
    asked = SearchRequest(text="math", kinds=("tool", "verifier"), grades=("U",), sort="jaw")
    assert catalog.chips_of(asked) == [
        ("tool", "/packages?q=math&kind=verifier&grade=U&sort=jaw"),
        ("verifier", "/packages?q=math&kind=tool&grade=U&sort=jaw"),
        ("not graded", "/packages?q=math&kind=tool&kind=verifier&sort=jaw"),
    ]


def test_a_facet_that_was_chosen_stays_visible_without_a_hit() -> None:
    page = Page(items=[], total=0, facets={"kind": {"tool": 2}})
    facets = catalog.facets_of(page, SearchRequest(kinds=("recipe",)))
    kinds = next(facet for facet in facets if facet.name == "kind")
    assert [(option.value, option.count, option.is_on) for option in kinds.options] == [
        ("recipe", 0, True),
        ("tool", 2, False),
    ]


def test_a_grade_says_which_jaw_gave_it_and_what_a_better_one_takes() -> None:
    title, words = audits.grade_words(samples.report())
    assert title == "Grade B, from the upper ends"
    assert "“rejects right”: at most 2.5\u202f%" in words
    assert "For an A both jaws must stand at or below 1\u202f%" in words


def test_a_report_with_one_side_only_says_so() -> None:
    report = samples.report().model_copy(update={"overall": samples.measured(0, 0, 1, 40), "grade": Grade.F})
    assert "no case with right answers" in audits.grade_words(report)[1]


def test_ledger_rows_leave_out_what_has_no_threshold() -> None:
    names = [name for name, _, _, _ in audits.reward_rows(samples.report(), samples.REWARDS)]
    assert names == ["correct", "simplest_form", "parses", "units_match"]


def test_probes_stand_on_the_side_where_they_can_fail() -> None:
    right, wrong = audits.probe_sides(samples.report())
    assert right[0][0] == "equivalent_rewrite"
    assert {name for name, _ in wrong} >= {"answer_leaked", "empty"}


def test_not_judged_is_never_part_of_the_sum() -> None:
    verdict = Verdict(
        rewards={"correct": 1, "simplest_form": 0, "parses": 1, "units_match": None, "simplify_steps": 11}
    )
    told = tell_verdict(verdict, samples.REWARDS, 38)
    assert (told.sum, told.most, told.unjudged) == (1.0, 1.75, ["units_match"])


def test_a_closed_gate_is_named() -> None:
    told = tell_verdict(Verdict(rewards={"correct": 1, "parses": 0}), samples.REWARDS)
    assert told.sum == 0
    assert told.closed_gates == ["parses"]
    assert told.opposite == "correct"


def test_an_accepted_answer_is_contested_as_incorrect() -> None:
    rewards = {"correct": RewardDeclaration()}
    assert tell_verdict(Verdict(rewards={"correct": 1}), rewards).opposite == "incorrect"


def test_every_kind_of_error_says_whose_fault_it_is() -> None:
    assert set(FAULTS) == set(ErrorKind)


@pytest.mark.parametrize(
    ("target", "lands"),
    [
        ("/packages/a/b", "/packages/a/b"),
        ("/runs?owner=a#x", "/runs?owner=a#x"),
        ("//evil.example", "/account"),
        ("https://evil.example/", "/account"),
        ("/\\evil.example", "/account"),
        ("javascript:alert(1)", "/account"),
        ("/a\nSet-Cookie: x=1", "/account"),
        ("", "/account"),
    ],
)
def test_nobody_is_sent_elsewhere_after_signing_in(target: str, lands: str) -> None:
    assert safe_next(target) == lands


def files(version: str, contents: dict[str, bytes]) -> ReleaseFiles:
    return ReleaseFiles(version, {path: str(hash(data)) for path, data in contents.items()}, contents.__getitem__)


def test_a_diff_names_each_file_once_and_ignores_the_wheels_own_records() -> None:
    old = files("1.0", {"p/a.py": b"x = 1\ny = 2\n", "p/gone.py": b"1\n", "p/b.bin": b"\xff\x00", "p-1.0.dist-info/RECORD": b"1", "p-1.0.dist-info/METADATA": b"Version: 1.0\n"})  # fmt: skip
    new = files("1.1", {"p/a.py": b"x = 1\ny = 3\n", "p/new.py": b"1\n", "p/b.bin": b"\xff\x01", "p-1.1.dist-info/RECORD": b"2", "p-1.1.dist-info/METADATA": b"Version: 1.1\n"})  # fmt: skip
    changes = {change.path: change for change in compare_releases(old, new)}
    assert {path: change.what for path, change in changes.items()} == {
        "p.dist-info/METADATA": "changed",
        "p/a.py": "changed",
        "p/b.bin": "changed",
        "p/gone.py": "removed",
        "p/new.py": "added",
    }
    assert (changes["p/a.py"].added, changes["p/a.py"].removed) == (1, 1)
    assert changes["p/b.bin"].note == "This file is not text."


def test_hunks_carry_the_line_numbers_of_both_sides() -> None:
    old = [str(k) for k in range(40)]
    new = [*old[:20], "twenty", *old[21:]]
    (hunk,) = line_hunks(old, new)
    assert [(line.kind, line.old, line.new) for line in hunk][3:5] == [("cut", 21, None), ("add", None, 21)]


def test_the_alarm_needs_a_gap_that_grows_and_lasts() -> None:
    points = samples.metrics()
    train = runs.series(points, "rewards/correct/mean")
    held = runs.series(points, "held_out/correct/mean")
    found = find_alarm(train, held, 0.0094)
    assert found is not None
    assert 150 < found.step < 330
    assert found.train - found.held > 0.2


@pytest.mark.parametrize(
    "held",
    [
        [(k, 0.2 + 0.6 * k / 99) for k in range(100)],  # follows the training verifier
        [(k, 0.1 + 0.6 * k / 99) for k in range(100)],  # stricter from the start, and no more later
        [(k, 0.2 if 40 < k < 60 else 0.2 + 0.6 * k / 99) for k in range(100)],  # came back
        [(k, 0.0) for k in range(95, 100)],  # too few points
    ],
)
def test_no_alarm_without_evidence(held: list[tuple[float, float]]) -> None:
    train = [(float(k), 0.2 + 0.6 * k / 99) for k in range(100)]
    assert find_alarm(train, held, 0.01) is None


def test_a_verifier_audited_as_bad_explains_a_larger_gap() -> None:
    train = [(float(k), 0.2 + 0.6 * k / 99) for k in range(100)]
    held = [(float(k), 0.2 + 0.47 * k / 99) for k in range(100)]
    assert find_alarm(train, held, 0.01) is not None
    assert find_alarm(train, held, 0.2) is None


def test_an_audit_too_small_to_say_anything_excuses_no_wide_gap() -> None:
    train = [(float(k), 0.2 + 0.6 * k / 99) for k in range(100)]
    held = [(float(k), 0.2 + 0.3 * k / 99) for k in range(100)]
    assert find_alarm(train, held, 0.9) is not None


def test_the_story_of_a_run_names_its_components_and_its_alarm() -> None:
    story = runs.tell_story(samples.run(), samples.metrics(), 0.0094)
    assert story.reward is not None
    assert story.reward.names == ["correct", "correct, held out", "simplest_form", "parses"]
    assert story.alarm is not None
    assert "audited upper FPR of 0.9\u202f%" in story.alarm.words
    assert [chart.title for chart in story.charts][:2] == ["Held-out reward against entropy", "Entropy"]
    assert story.time is not None
    assert story.time.parts[-1] == ("wait for verdicts", pytest.approx(0.3), "t-w")


def test_a_run_without_a_held_out_verifier_raises_no_alarm() -> None:
    points = [
        MetricPoint(step=p.step, values={k: v for k, v in p.values.items() if not k.startswith("held_out/")})
        for p in samples.metrics()
    ]
    assert runs.tell_story(samples.run(), points, 0.01).alarm is None


def test_a_few_steps_are_a_table_not_a_curve() -> None:
    story = runs.tell_story(samples.run(last_step=3), samples.metrics(4, stride=1)[:4], None)
    assert story.reward is None
    assert len(story.few.rows) == 4


def test_an_empty_run_tells_nothing() -> None:
    story = runs.tell_story(samples.run(last_step=None), [], None)
    assert (story.figures, story.reward, story.few, story.charts, story.time, story.alarm) == (
        [],
        None,
        None,
        [],
        None,
        None,
    )
