"""Names, versions and references: what is valid has one spelling, and everything else is refused with an example."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version

from schemas.names import (
    MAX_NAME,
    MAX_PACKAGE_ID,
    NAME_PATTERN,
    OWNER_PATTERN,
    InvalidNameError,
    Reference,
    canonical_version,
    check_package_id,
    digest_of,
    distribution_name,
    import_name,
    names_package,
    split_package_id,
)

DIGEST = "sha256:" + "0123456789abcdef" * 4
IDS = st.tuples(
    st.from_regex(OWNER_PATTERN, fullmatch=True),
    st.from_regex(NAME_PATTERN, fullmatch=True).filter(lambda n: len(n) < 90),
).map("/".join)


@given(IDS)
def test_an_id_has_one_distribution_and_one_import_name(package_id):
    assert split_package_id(package_id) == tuple(package_id.split("/"))
    owner, _, name = distribution_name(package_id).partition("-")
    assert f"{owner}/{name}" == package_id, "the distribution's name splits in one way only"
    assert f"a{import_name(package_id)}".isidentifier()


@pytest.mark.parametrize(
    "text",
    ["", "alice", "a/b", "Alice/x", "alice/X", "alice/x_y", "alice/-x", "alice/x-", "alice/x--y", "al-ice/x", "alice/x/y",
     "alice/x\n", " alice/x", "alice/x ", "alíce/x", "alice/../x", "al/" + "x" * 140],
)  # fmt: skip
def test_what_is_no_id_is_refused(text):
    with pytest.raises(InvalidNameError, match="owner/name"):
        check_package_id(text)


def test_the_longest_owner_and_the_longest_name_make_the_longest_id():
    longest = f"{'a' * 39}/{'x' * MAX_NAME}"
    assert len(longest) == MAX_PACKAGE_ID
    assert check_package_id(longest) == longest
    with pytest.raises(InvalidNameError):
        check_package_id(f"{longest}x")


def test_a_name_is_no_longer_because_its_owner_is_short():
    longest = f"al/{'x' * MAX_NAME}"
    assert check_package_id(longest) == longest
    with pytest.raises(InvalidNameError, match="at most 100 characters"):
        check_package_id(f"{longest}x")


@pytest.mark.parametrize(
    ("text", "canonical"), [("1.0", "1.0"), ("v1.2.0", "1.2.0"), ("1.0-rc1", "1.0rc1"), ("01.2", "1.2")]
)
def test_versions_have_one_spelling(text, canonical):
    assert canonical_version(text) == canonical


@pytest.mark.parametrize("text", ["", "one", "1.0+local", "1.0.x", "1..0", "latest"])
def test_what_is_no_release_version_is_refused(text):
    with pytest.raises(InvalidNameError, match="version"):
        canonical_version(text)


@pytest.mark.parametrize(
    ("text", "selector", "is_exact"),
    [
        ("alice/x", "latest", False),
        ("alice/x@latest", "latest", False),
        ("alice/x@1.2.0", "1.2.0", True),
        ("alice/x@01.2.0", "1.2.0", True),
        ("alice/x@>=1,<2", "<2,>=1", False),
        (f"alice/x@{DIGEST}", DIGEST, True),
    ],
)
def test_references_say_which_release_is_meant(text, selector, is_exact):
    reference = Reference.parse(text)
    assert (reference.selector, reference.is_exact) == (selector, is_exact)
    assert Reference.parse(str(reference)) == reference


@pytest.mark.parametrize(
    "text", ["", "@1.0", "alice/x@newest", "alice/x@sha256:12", "alice/x@1.0@2.0", "alice/x@1.0+a"]
)
def test_what_is_no_reference_is_refused(text):
    with pytest.raises(InvalidNameError):
        Reference.parse(text)


@given(st.text(max_size=60))
def test_any_text_is_a_reference_or_refused(text):
    try:
        reference = Reference.parse(text)
    except InvalidNameError:
        return
    assert Reference.parse(str(reference)) == reference


def test_a_reference_chooses_the_highest_that_it_admits():
    versions = ["1.10", "1.9", "2.0rc1", "0.1"]
    assert Reference.parse("alice/x").choose(versions) == "1.10"
    assert Reference.parse("alice/x@<1.10").choose(versions) == "1.9"
    assert Reference.parse("alice/x@>=2.0rc1").choose(versions) == "2.0rc1"
    assert Reference.parse("alice/x@>=3").choose(versions) is None
    assert Reference.parse("alice/x@1.9").choose(versions) == "1.9"
    assert Reference.parse("alice/x@1.8").choose(versions) is None
    assert Reference.parse("alice/x").choose(["2.0rc1"]) is None


@given(
    st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)).map(lambda v: f"{v[0]}.{v[1]}"), min_size=1, unique=True)
)
def test_the_latest_is_the_highest(versions):
    assert Version(Reference.parse("alice/x").choose(versions)) == max(map(Version, versions))


@given(st.binary(max_size=100))
def test_a_digest_is_a_sha256(data):
    assert digest_of(data) == f"sha256:{hashlib.sha256(data).hexdigest()}"
    assert Reference.parse(f"alice/x@{digest_of(data)}").is_exact


@pytest.mark.parametrize("text", ["1" * 101, "1" * 5000, "1!" + "2" * 5000, "1.0rc" + "3" * 5000])
def test_a_version_is_short_enough_to_be_compared(text):
    with pytest.raises(InvalidNameError, match="at most 100 characters"):
        canonical_version(text)
    for selector in (text, f">={text}", f"<{text},>=1"):
        try:
            reference = Reference.parse(f"alice/x@{selector}")
        except InvalidNameError:
            continue
        reference.choose(["1.0"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [("alice/sums", True), ("alice/sums@>=1", True), ("alice/", True), ("alice", False), ("sums", False), ("", False)],
)
def test_a_package_is_told_from_a_name_alone(text: str, expected: bool) -> None:
    assert names_package(text) is expected
