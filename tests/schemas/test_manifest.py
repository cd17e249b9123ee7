"""verihub.toml: whatever a stranger writes is understood or refused in words that name the key."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from schemas.manifest import ImportedFrom, Isolation, Manifest, ManifestError, RewardDeclaration, RewardRole

SOUND = """
format = 1
id = "alice/small-sums"
kind = "environment"
tasks = { train = "tasks.jsonl" }
verifier = "alice_small_sums:verify"
tools = ["bob/calculator@>=1"]

[rewards.correct]
description = "the sum is right"
"""
VERIFIER = """
format = 1
id = "alice/judge"
kind = "verifier"
verifier = "alice_judge:verify"
[rewards.correct]
"""


def test_a_sound_manifest_is_read():
    manifest = Manifest.from_toml(SOUND)
    assert (manifest.id, manifest.import_name, manifest.kind) == ("alice/small-sums", "alice_small_sums", "environment")
    assert manifest.own_verifier == "alice_small_sums:verify"
    assert [(key, str(reference)) for key, reference in manifest.references] == [("tools", "bob/calculator@>=1")]
    assert manifest.sandbox.isolation is Isolation.CALL
    assert manifest.sandbox.network is False
    assert manifest.evaluated_splits == ("test",)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('id = "alice/small-sums"', 'id = "Alice/small-sums"', "is not owner/name"),
        ('id = "alice/small-sums"', "", "id is missing"),
        ("format = 1", "format = 2", "format"),
        ('kind = "environment"', 'kind = "enviroment"', "kind"),
        ("tasks =", "task =", "did you mean 'tasks'"),
        ("description =", "descripton =", "did you mean 'description'"),
        ('"tasks.jsonl"', '"../tasks.jsonl"', "inside the package"),
        ('"tasks.jsonl"', '"tasks.csv"', "must end in .jsonl"),
        ('"alice_small_sums:verify"', '"verify"', "is not module:function"),
        ('"alice_small_sums:verify"', '"os:system"', "own import package"),
        ('"bob/calculator@>=1"', '"calculator"', "is not module:function"),
        ("[rewards.correct]", "[rewards.Correct]", "rewards"),
        ('description = "the sum is right"', "range = [1, 0]", "low < high"),
        ('description = "the sum is right"', "threshold = 2", "outside the range"),
        ("[rewards.correct]", "[sandbox]\nnetwork = true\n[rewards.correct]", "network"),
        ("[rewards.correct]", "[sandbox]\ntimeout_seconds = nan\n[rewards.correct]", "timeout_seconds"),
        ("[rewards.correct]", "[sandbox]\ntimeout_seconds = 1e9\n[rewards.correct]", "timeout_seconds"),
        ("[rewards.correct]", "[sandbox]\nmemory_mb = 1\n[rewards.correct]", "memory_mb"),
        ('[rewards.correct]\ndescription = "the sum is right"', "", "at least one [rewards.NAME]"),
        ("format = 1", "format = ", "not valid TOML"),
        ("format = 1", "\x00", "not valid TOML"),
    ],
)
def test_what_is_wrong_is_named(old, new, words):
    assert old in SOUND
    with pytest.raises(ManifestError) as caught:
        Manifest.from_toml(SOUND.replace(old, new))
    assert words in str(caught.value)
    assert "verihub.toml" in str(caught.value)


@pytest.mark.parametrize("number", ["nan", "inf", "-inf"])
@pytest.mark.parametrize("key", ["threshold = {}", "weight = {}", "range = [0, {}]", "range = [{}, 1]"])
def test_numbers_that_are_none_are_refused(key, number):
    with pytest.raises(ManifestError):
        Manifest.from_toml(VERIFIER + key.format(number))


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("environment", "needs tasks"),
        ("tool", "needs tools"),
        ("harness", "needs harness"),
        ("benchmark", "needs environments"),
        ("recipe", "needs recipe"),
    ],
)
def test_each_kind_says_what_it_cannot_do_without(kind, words):
    with pytest.raises(ManifestError, match=words):
        Manifest.from_toml(f'format = 1\nid = "alice/x"\nkind = "{kind}"\n')


def test_a_benchmark_names_its_splits_in_one_way():
    text = 'format = 1\nid = "al/b"\nkind = "benchmark"\nenvironments = ["al/c"]\n'
    assert Manifest.from_toml(text + 'splits = ["a", "b"]').evaluated_splits == ("a", "b")
    with pytest.raises(ManifestError, match="keep one"):
        Manifest.from_toml(text + 'split = "a"\nsplits = ["b"]')


def test_isolation_can_only_be_raised():
    assert Isolation.CALL.raised_to(Isolation.BOX) is Isolation.BOX
    assert Isolation.CALL.raised_to(Isolation.WORKER) is Isolation.CALL
    assert Isolation.CALL.raised_to(None) is Isolation.CALL
    assert sorted(Isolation, key=lambda level: level.strength) == list(Isolation)


def test_a_metric_may_have_any_threshold():
    assert RewardDeclaration(role=RewardRole.METRIC, range=(0, 64), threshold=100).threshold == 100


@given(st.text(max_size=300))
def test_any_text_is_refused_with_words(text):
    with pytest.raises(ManifestError) as caught:
        Manifest.from_toml(text)
    assert str(caught.value).startswith("verihub.toml")


@given(st.data())
def test_a_sound_manifest_with_anything_cut_out_is_read_or_refused_with_words(data):
    start = data.draw(st.integers(0, len(SOUND)))
    end = data.draw(st.integers(start, len(SOUND)))
    said = ""
    try:
        manifest = Manifest.from_toml(SOUND[:start] + data.draw(st.text(max_size=5)) + SOUND[end:])
    except ManifestError as error:
        said = str(error)
    else:
        assert Manifest.model_validate(manifest.model_dump(mode="json", by_alias=True)) == manifest
    assert not said or "verihub.toml" in said


@pytest.mark.parametrize("source", ["reasoning-gym", "Gym:maze", ":maze", "gym:", "gym:a\nb", "gym:" + "x" * 300])
def test_where_an_import_came_from_names_a_source_and_an_item(source):
    with pytest.raises(ValidationError, match="source"):
        ImportedFrom(source=source)
    assert ImportedFrom(source="rows:data/my rows.jsonl").library == "rows"


@pytest.mark.parametrize("line", ["range = [0, 1e308]", "range = [-1e10, 0]\nthreshold = -1.0", "weight = -1e300"])
def test_a_reward_that_no_float32_can_square_is_refused_where_it_is_written(line: str) -> None:
    """Training on it ended with the advice to lower the learning rate."""
    with pytest.raises(ManifestError, match=r"rewards\.correct: range and weight must lie between"):
        Manifest.from_toml(VERIFIER + line)
    assert Manifest.from_toml(VERIFIER + "range = [0, 1e9]\nweight = 1e9")


def test_a_release_with_such_a_reward_that_is_there_already_can_be_read() -> None:
    data = Manifest.from_toml(VERIFIER).model_dump(mode="json")
    data["rewards"]["correct"]["range"] = [0, 1e308]
    assert Manifest.read(data).rewards["correct"].range[1] == 1e308


@pytest.mark.parametrize(
    ("key", "line"),
    [
        ("verifier", 'verifier = "alice/small-sums@>=1"'),
        ("tools", 'verifier = "bob/judge@1.0.0"\ntools = ["alice/small-sums@1.0.0"]'),
    ],
)
def test_a_package_that_names_itself_is_refused(key: str, line: str) -> None:
    """It was fit to be published, and then its audit failed and nobody could use it."""
    text = f'format = 1\nid = "alice/small-sums"\nkind = "environment"\ntasks = {{ train = "t.jsonl" }}\n{line}\n'
    with pytest.raises(ManifestError, match=f"verihub.toml: {key}: alice/small-sums@.* is this package itself"):
        Manifest.from_toml(text)
    assert Manifest.from_toml(text.replace('"alice/small-sums"', '"alice/others"', 1)).id == "alice/others"
