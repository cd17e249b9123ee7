"""The same verifier under another name is found by its code."""

import tomllib
from itertools import combinations
from pathlib import Path

import pytest

from hub_server.audits.rules.minhash import minhash_of, similarity
from hub_server.audits.rules.same_code import TOUCHED_UP, Code, digest_of_code, is_same_verifier

COLLECTION = Path(__file__).resolve().parents[4] / "collection"

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
        (Code("a", [*range(10)]), Code("b", [*range(5), *range(55, 60)]), True, True),
        (Code("a", [*range(10)]), Code("b", [*range(8), 88, 99]), False, False),
        (Code("a", [*range(10)]), Code("b", [*range(4), *range(54, 60)]), True, False),
    ],
)
def test_the_same_digest_is_enough_and_nearly_the_same_code_only_among_the_same_people(
    one: Code, other: Code, same_people: bool, is_same: bool
) -> None:
    assert is_same_verifier(one, other, same_people=same_people) is is_same


def test_no_two_verifiers_of_the_collection_which_has_one_author_are_taken_for_one() -> None:
    """What an author's verifiers have in common by being that author's is far from the bound."""
    found = {}
    for manifest in sorted(COLLECTION.glob("*/src/*/verihub.toml")):
        table = tomllib.loads(manifest.read_text())
        if "verifier" in table and "imported" not in table:
            code = {str(path): path.read_bytes() for path in manifest.parent.rglob("*.py")}
            found[table["id"]] = minhash_of(code)
    alike = {(one, other): similarity(found[one], found[other]) for one, other in combinations(found, 2)}
    assert len(found) >= 20
    assert max(alike.values()) < TOUCHED_UP / 2, max(alike, key=lambda pair: alike[pair])


def scattered(code: str, every: int) -> str:
    """Another number in place of each ``every``-th token, where it stands: names, operators and words alike."""
    tokens = code.split()
    return " ".join(f"{number}" if number % every == 0 else token for number, token in enumerate(tokens, start=1))


FLAT = " ".join(f"a{n} = f{n} ( b{n} , {n} )" for n in range(60))
"""480 tokens: with a space between each, so that any can be replaced."""
DEAD = "\n".join(f"d{n} = g{n}[{n}:{n}]" for n in range(120))
SHORT = "def verify(task, response): return {'correct': 1.0}"
WRAPPED = "from a_library import verify"


def code_of(text: str, **files: str) -> Code:
    whole = {
        "p/__init__.py": text.encode(),
        **{f"p/{name.replace('_', '.')}": data.encode() for name, data in files.items()},
    }
    return Code(digest_of_code(whole, "p"), minhash_of(whole))


@pytest.mark.parametrize(
    ("one", "other", "by_people", "by_strangers"),
    [
        (code_of(FLAT), code_of(f"# mine\n{FLAT}", words_txt="x", settings_toml="", more_jsonl="{}"), True, True),
        (code_of(FLAT), code_of(FLAT.replace("f7", "other")), True, False),
        (code_of(FLAT), code_of(scattered(FLAT, 60)), True, False),
        (code_of(FLAT), code_of(f"{FLAT}\n" + "\n".join(DEAD.splitlines()[:14])), True, False),
        (code_of(FLAT), code_of(scattered(FLAT, 15)), False, False),
        (code_of(FLAT), code_of(f"{FLAT}\n{DEAD}"), False, False),
        (code_of(SHORT), code_of(SHORT.replace("1.0", "1.5")), False, False),
        (code_of(FLAT), code_of(WRAPPED), False, False),
        (code_of(WRAPPED), code_of(WRAPPED, requirements_lock="a-library==2"), True, True),
        (code_of(FLAT, rules_json="[]"), code_of(FLAT, rules_json="[1]"), True, False),
        (code_of(SHORT, rules_json="[]"), code_of(SHORT, rules_json="[1]"), False, False),
        (code_of(SHORT, rules_txt="x"), code_of(SHORT, rules_txt="y"), True, True),
    ],
    ids=[
        "comments, texts and settings", "other names", "one token in sixty", "a quarter of dead code",
        "one token in fifteen", "as much dead code", "a short one", "into a dependency", "the dependency changes",
        "a data file", "a data file of a short one", "a text file",
    ],
)  # fmt: skip
def test_what_draws_anew_is_what_the_page_on_audits_says(
    one: Code, other: Code, by_people: bool, by_strangers: bool
) -> None:
    found = tuple(is_same_verifier(one, other, same_people=people) for people in (True, False))
    assert found == (by_people, by_strangers), similarity(one.minima, other.minima)
