"""The same verifier under another name is found by its code."""

import pytest

from hub_server.audits.rules.same_code import Code, digest_of_code, is_same_verifier

FILES = {
    "alice_sums/__init__.py": b"from alice_sums.rules import verify\n",
    "alice_sums/rules.py": b"def verify(task, response): ...\n",
    "alice_sums/verihub.toml": b'id = "alice/sums"\n',
    "alice_sums/audit.jsonl": b"{}\n",
}
DIGEST = digest_of_code(FILES, "alice_sums")


def renamed(name: str) -> dict[str, bytes]:
    return {
        path.replace("alice_sums", name): data.replace(b"alice_sums", name.encode()) for path, data in FILES.items()
    }


def test_name_cases_and_settings_are_not_the_code() -> None:
    files = renamed("bob_totals") | {"bob_totals/audit.jsonl": b"other", "bob_totals/verihub.toml": b"other"}
    assert digest_of_code(files, "bob_totals") == DIGEST


@pytest.mark.parametrize(
    "changed",
    [
        {"alice_sums/rules.py": b"def verify(task, response): return 1\n"},
        {"alice_sums/table.json": b"{}"},
        {"alice_sums/rules.py": b"", "alice_sums/more.py": b"def verify(task, response): ...\n"},
    ],
)
def test_other_files_are_other_code(changed: dict[str, bytes]) -> None:
    assert digest_of_code(FILES | changed, "alice_sums") != DIGEST


@pytest.mark.parametrize(
    "code",
    [
        b"# mine\ndef verify(task, response): ...\n",
        b'"""Mine."""\n\n\ndef verify( task,   response ): ...  # or not\n',
    ],
)
def test_a_comment_or_another_layout_makes_no_new_verifier_of_a_short_one(code: bytes) -> None:
    """It has too few shingles: each comment drew cases anew."""
    assert digest_of_code(FILES | {"alice_sums/rules.py": code}, "alice_sums") == DIGEST


@pytest.mark.parametrize("code", [b"def verify(:\n(", b'x = """', b"\xff\x00"])
def test_what_is_no_python_is_told_apart_as_it_is(code: bytes) -> None:
    one, other = (digest_of_code({"alice_sums/rules.py": code + more}, "alice_sums") for more in (b"#", b"# more"))
    assert one != other


def test_what_an_importer_made_is_told_apart_by_what_it_was_made_from() -> None:
    assert digest_of_code(FILES, "alice_sums", "reasoning-gym puzzle24") != DIGEST


@pytest.mark.parametrize(
    ("one", "other", "same_people", "is_same"),
    [
        (Code("a", []), Code("a", []), False, True),
        (Code("a", []), Code("b", []), True, False),
        (Code("", []), Code("", []), True, False),
        (Code("a", [*range(10)]), Code("b", [*range(8), 88, 99]), True, True),
        (Code("a", [*range(10)]), Code("b", [*range(8), 88, 99]), False, False),
        (Code("a", [*range(10)]), Code("b", [*range(7), 77, 88, 99]), True, False),
    ],
)
def test_the_same_digest_is_enough_and_nearly_the_same_code_only_among_the_same_people(
    one: Code, other: Code, same_people: bool, is_same: bool
) -> None:
    assert is_same_verifier(one, other, same_people=same_people) is is_same
