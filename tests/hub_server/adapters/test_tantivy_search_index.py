"""Search by tantivy: a stranger's query is words, the nearest name comes first, processes share a folder, damage heals."""

import os
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hub_server.adapters import tantivy_search_index
from hub_server.adapters.tantivy_search_index import TantivySearchIndex
from hub_server.ports.search_index import FACET_VALUES, SearchDocument


def document(package_id: str, tags: str = "", summary: str = "", readme: str = "", **facets: str) -> SearchDocument:
    """``facets``: values, separated by a comma."""
    owner, name = package_id.split("/")
    values = {"owner": [owner], **{facet: value.split(",") for facet, value in facets.items()}}
    return SearchDocument(package_id, f"{owner} {name.replace('-', ' ')}", tags, summary, readme, values)


DOCUMENTS = [
    document(
        "al/math-answer", "math", "Compares two answers", "Long words about algebra", kind="verifier", tag="math,x"
    ),
    document("al/code-check", "code", "Runs tests; says math once", "pytest", kind="tool", tag="code"),
    document("bo/under_score", "odd", "100% sure! Café in 数学", "C++ and NEAR and OR", kind="tool", tag="x"),
]


@pytest.fixture
def index() -> TantivySearchIndex:
    made = TantivySearchIndex(None)
    made.write(DOCUMENTS, [], 3)
    return made


def ids(index: TantivySearchIndex, text: str, limit: int = 100, **chosen: str) -> list[str]:
    """What is found, the best first."""
    found = index.find(text, {facet: value.split(",") for facet, value in chosen.items()}, limit)
    assert found.total >= len(found.hits)
    return sorted(found.hits, key=lambda package: -found.hits[package])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("math", ["al/math-answer", "al/code-check"]),
        ("MATH answ", ["al/math-answer"]),
        ("pytest", ["al/code-check"]),
        ("code-check", ["al/code-check"]),
        ("al/code-check", ["al/code-check"]),
        ("comparing", ["al/math-answer"]),
        ("cafe", ["bo/under_score"]),
        ("CAFÉ", ["bo/under_score"]),
        ("数学", ["bo/under_score"]),
        ("under_score", ["bo/under_score"]),
        ("_", []),
        ("%", []),
    ],
)
def test_every_word_must_be_there_or_begin_one_and_names_weigh_most(index, text: str, expected: list[str]) -> None:
    assert ids(index, text) == expected


def test_an_exact_name_beats_everything_else(index: TantivySearchIndex) -> None:
    loud = document("bo/loud", "math " * 50, "math answer " * 50, "math answer " * 500)
    index.write([loud, document("bo/math")], [], 4)
    assert ids(index, "math")[0] == "bo/math"
    assert ids(index, "math-answer")[0] == "al/math-answer"
    assert ids(index, " AL/MATH-ANSWER ")[0] == "al/math-answer"


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.text(max_size=300)
    | st.sampled_from(['"', "NEAR(a b)", "name: x", "a OR", "*", "^al", "-al", "(", "a AND", "al*", "'", "\x00al", "id:#position"])
)  # fmt: skip
def test_no_query_is_a_fault_of_the_index(index: TantivySearchIndex, text: str) -> None:
    known = {one.package_id for one in DOCUMENTS}
    assert set(ids(index, text)) <= known
    assert set(index.near(text, 10)) <= known


@pytest.mark.parametrize("text", ["#position", "position", "1"])
def test_what_the_index_keeps_for_itself_is_never_found(index: TantivySearchIndex, text: str) -> None:
    assert set(ids(index, text)) <= {one.package_id for one in DOCUMENTS}
    assert index.find("", {}, 0).total == len(DOCUMENTS)


def test_an_empty_text_finds_everything_and_one_without_words_nothing(index: TantivySearchIndex) -> None:
    assert index.find("  ", {}, 0).total == 3
    assert index.find("🦆 !", {}, 10).total == 0
    assert index.find("🦆 !", {}, 10).facets["kind"] == {}


def test_facets_count_what_each_choice_would_leave(index: TantivySearchIndex) -> None:
    everything = index.find("", {}, 0).facets
    assert everything["kind"] == {"tool": 2, "verifier": 1}
    assert everything["tag"] == {"x": 2, "code": 1, "math": 1}
    assert everything["licence"] == {}
    chosen = index.find("", {"kind": ["tool"], "owner": ["al", "bo"]}, 10)
    assert chosen.total == 2
    assert chosen.facets["kind"] == {"tool": 2, "verifier": 1}
    assert chosen.facets["tag"] == {"code": 1, "x": 1}
    assert index.find("", {"tag": ["x"]}, 10).facets["tag"] == {"x": 2, "math": 1}, "what a further tag leaves"
    assert index.find("", {"tag": ["x", "math"]}, 10).facets["tag"] == {"x": 1, "math": 1}
    assert index.find("", {"tag": ["code", "math"]}, 10).total == 0


def test_the_most_frequent_values_are_counted_and_ties_are_cut_by_name(index: TantivySearchIndex) -> None:
    names = [f"t{number:02}" for number in range(FACET_VALUES + 10)]
    index.write([document(f"al/p{name}", tag=f"{name},often") for name in names], [], 4)
    counted = index.find("", {}, 0).facets["tag"]
    assert list(counted) == ["often", "x", "code", "math", *names[: FACET_VALUES - 4]]
    assert len(counted) == FACET_VALUES


def test_counts_are_whole_where_hits_are_cut(index: TantivySearchIndex) -> None:
    found = index.find("", {}, 1)
    assert (found.total, len(found.hits)) == (3, 1)
    assert sum(found.facets["kind"].values()) == 3


def test_counts_of_many_are_a_minute_old_at_most_and_hits_of_now(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hub_server.adapters.tantivy_search_index._MANY_HITS", 3)
    now = [0.0]
    index = TantivySearchIndex(None, lambda: now[0])
    index.write(DOCUMENTS, [], 1)
    few = {"kind": ["verifier"]}
    assert (index.find("", {}, 9).facets["kind"]["tool"], index.find("", few, 9).facets["grade"]) == (2, {})
    index.write([document("bo/new", kind="tool"), document("bo/rare", kind="verifier", grade="A")], [], 2)
    found = index.find("", {}, 9)
    assert (found.total, "bo/new" in found.hits, found.facets["kind"]["tool"]) == (5, True, 2)
    assert index.find("", few, 9).facets["grade"] == {"A": 1}, "few are counted each time"
    assert index.find("", {"tag": ["x"]}, 9).facets["tag"]["x"] == 2, "another choice is another question"
    now[0] = 61
    assert index.find("", {}, 9).facets["kind"]["tool"] == 3
    index.clear()
    index.write(DOCUMENTS[:1], [], 3)
    assert index.find("", {}, 9).facets["kind"] == {DOCUMENTS[0].facets["kind"][0]: 1}


def test_a_document_is_replaced_whole_and_can_go(index: TantivySearchIndex) -> None:
    index.write([document("al/math-answer", summary="of poems")], ["al/code-check"], 5)
    assert ids(index, "algebra") == []
    assert ids(index, "poems") == ["al/math-answer"]
    assert ids(index, "pytest") == []
    assert index.position() == 5


@pytest.mark.parametrize("text", ["mth-answer", "math-anwser", "al/mathanswer", "math"])
def test_names_that_resemble_are_near(index: TantivySearchIndex, text: str) -> None:
    assert "al/math-answer" in index.near(text, 10)
    assert len(index.near(text, 1)) == 1


def test_nothing_is_near_a_name_like_no_other(index: TantivySearchIndex) -> None:
    assert index.near("zzzzzzzzzz", 10) == []
    assert index.near("", 10) == []
    assert index.near("/", 10) == []


def test_an_index_in_a_folder_is_there_after_a_restart_and_seen_by_other_processes(tmp_path: Path) -> None:
    first, second = TantivySearchIndex(tmp_path), TantivySearchIndex(tmp_path)
    assert (first.position(), second.position()) == (0, 0)
    first.write(DOCUMENTS, [], 7)
    assert second.position() == 7
    assert ids(second, "pytest") == ["al/code-check"]
    assert TantivySearchIndex(tmp_path).position() == 7


def test_what_another_process_wrote_meanwhile_is_not_taken_back(tmp_path: Path) -> None:
    """A process that read the database earlier, and waited, must not put its older state in place of a newer one."""
    first, second = TantivySearchIndex(tmp_path), TantivySearchIndex(tmp_path)
    second.position()
    first.write([document("al/math-answer", summary="new words")], [], 9)
    second.write([document("al/math-answer", summary="old words")], [], 8)
    assert second.position() == 9
    assert ids(second, "new") == ["al/math-answer"]
    assert ids(second, "old") == []


def test_many_threads_of_two_processes_write_and_lose_nothing(tmp_path: Path) -> None:
    indexes = [TantivySearchIndex(tmp_path), TantivySearchIndex(tmp_path)]
    positions = iter(range(1, 1000))
    lock = threading.Lock()

    def write(index: TantivySearchIndex) -> None:
        for _ in range(5):
            with lock:  # what a database's position does: each writer holds all that stands before it
                position = next(positions)
                index.write([document(f"al/p{position}", summary="thread")], [], position)
                index.find("thread", {}, 100)

    run_all([lambda index=index: write(index) for index in indexes for _ in range(2)])
    assert indexes[0].position() == indexes[1].position() == 20
    assert indexes[0].find("thread", {}, 0).total == 20


def run_all(works: list[Callable[[], None]]) -> None:
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_while_another_process_holds_the_lock_nothing_is_written_and_nothing_raised(
    tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setattr(tantivy_search_index, "_PATIENCE_SECONDS", 0.05)
    first, second = TantivySearchIndex(tmp_path), TantivySearchIndex(tmp_path)
    held = first._index().writer(15_000_000, 1)
    second.write(DOCUMENTS, [], 3)
    assert second.position() == 0
    del held
    second.write(DOCUMENTS, [], 3)
    assert second.position() == 3


@pytest.mark.parametrize("damage", ["cut", "garbage", "gone", "a file in its place"])
def test_a_damaged_index_is_thrown_away_and_starts_at_zero(tmp_path: Path, damage: str) -> None:
    TantivySearchIndex(tmp_path).write(DOCUMENTS, [], 3)
    meta = tmp_path / tantivy_search_index.LAYOUT / "meta.json"
    match damage:
        case "cut":
            meta.write_bytes(meta.read_bytes()[:20])
        case "garbage":
            meta.write_bytes(os.urandom(200))
        case "gone":
            for file in meta.parent.iterdir():
                if file.suffix in (".idx", ".term", ".store", ".fast", ".fieldnorm", ".pos"):
                    file.unlink()
        case _:
            for file in meta.parent.iterdir():
                file.unlink()
            meta.parent.rmdir()
            meta.parent.write_text("not a folder")
    again = TantivySearchIndex(tmp_path)
    assert again.position() == 0
    again.write(DOCUMENTS, [], 3)
    assert ids(again, "pytest") == ["al/code-check"]


def test_a_cleared_index_is_empty_also_after_a_restart(tmp_path: Path) -> None:
    index = TantivySearchIndex(tmp_path)
    index.write(DOCUMENTS, [], 3)
    index.clear()
    assert (index.position(), ids(index, "math")) == (0, [])
    assert TantivySearchIndex(tmp_path).position() == 0
    index.write(DOCUMENTS, [], 3)
    assert ids(index, "pytest") == ["al/code-check"]


def test_a_process_that_reads_outlives_another_that_clears(tmp_path: Path) -> None:
    reader, clearer = TantivySearchIndex(tmp_path), TantivySearchIndex(tmp_path)
    reader.write(DOCUMENTS, [], 3)
    clearer.clear()
    assert (reader.position(), ids(reader, "math")) == (0, [])
    clearer.write(DOCUMENTS, [], 3)
    assert reader.position() == 3
    assert ids(reader, "pytest") == ["al/code-check"]


def test_where_no_package_has_every_word_those_with_half_of_them_are_found(index: TantivySearchIndex) -> None:
    found = index.find("algebra pytest", {}, 10)
    assert (found.has_every_word, set(found.hits)) == (False, {"al/math-answer", "al/code-check"})
    assert found.facets["kind"] == {"tool": 1, "verifier": 1}
    assert index.find("math pytest", {}, 10).has_every_word
    three = index.find("algebra nothing never", {}, 10)
    assert (three.total, three.has_every_word) == (0, True), "one of three words is less than half"
    called = index.find("math nothing never", {}, 10)
    assert (called.has_every_word, list(called.hits)) == (False, ["al/math-answer"]), "in name or tags, one is enough"
    assert set(index.find("math answers nothing", {}, 10).hits) == {"al/math-answer"}
    assert index.find("nothing", {}, 10).total == 0


def test_a_filter_narrows_also_what_has_half_of_the_words(index: TantivySearchIndex) -> None:
    assert set(index.find("algebra pytest", {"kind": ["tool"]}, 10).hits) == {"al/code-check"}


@pytest.mark.parametrize("text", ["is there math for me", "What MATH", "math or not"])
def test_words_that_say_nothing_are_not_asked_for(index: TantivySearchIndex, text: str) -> None:
    found = index.find(text, {}, 10)
    assert set(found.hits) == {"al/math-answer", "al/code-check"}
    assert found.has_every_word


def test_a_text_of_nothing_but_such_words_still_finds_what_has_them(index: TantivySearchIndex) -> None:
    index.write([document("bo/to-be", readme="or not to be")], [], 4)
    assert ids(index, "to be") == ["bo/to-be"]
    assert ids(index, "to-be or not") == ["bo/to-be"]
    assert ids(index, "to-be")[0] == "bo/to-be"


def test_they_are_looked_for_whole_where_they_stand_in_texts(index: TantivySearchIndex) -> None:
    """What begins with "to" is a tenth of all texts: to read them was half of such a search's time."""
    index.write([document("bo/judge", summary="together"), document("bo/together")], [], 4)
    assert ids(index, "to") == ["bo/together"]


def test_of_a_long_text_the_words_are_asked_for_that_few_packages_have(index: TantivySearchIndex) -> None:
    rare = " ".join(f"rare{letter}" for letter in "abcdefgh")
    common = " ".join(f"common{letter}" for letter in "abcdef")
    several = [document(f"bo/p{number}", readme=common) for number in range(9)]
    index.write([*several, document("bo/meant", readme=rare)], [], 4)
    found = index.find(f"{common} {rare} mistyped mistypee", {}, 10)
    assert (found.has_every_word, next(iter(found.hits))) == (True, "bo/meant")


def test_an_index_is_opened_again_only_after_a_commit_of_any_process(tmp_path: Path) -> None:
    """What was unpacked of it is lost with it: ids of a thousand hits cost 3 ms of CPU more."""

    class Counted:
        reloads = 0

        def __init__(self, inner: object) -> None:
            self.inner = inner

        def __getattr__(self, name: str) -> object:
            self.reloads += name == "reload"
            return getattr(self.inner, name)

    reader, writer = TantivySearchIndex(tmp_path), TantivySearchIndex(tmp_path)
    writer.write(DOCUMENTS, [], 3)
    counted = reader._opened = Counted(reader._index())  # type: ignore[assignment]
    assert [reader.position() for _ in range(5)] == [3] * 5
    assert counted.reloads == 1
    writer.write([document("al/new")], [], 4)
    assert [reader.position() for _ in range(5)] == [4] * 5
    assert counted.reloads == 2
    assert ids(reader, "new") == ["al/new"]


def test_facet_words_are_found_and_weigh_less_than_an_authors_tag(index: TantivySearchIndex) -> None:
    by_facet = replace(document("al/zeta"), facet_words="several turns, multi turn, long horizon")
    index.write([by_facet, document("bo/alpha", tags="long horizon")], [], 4)
    assert ids(index, "long horizon") == ["bo/alpha", "al/zeta"]
    assert ids(index, "multi-turn") == ["al/zeta"]


def test_alike_are_packages_of_the_kind_that_share_a_family_or_tag_the_rare_ones_first() -> None:
    """A tag that many have says less than a rare one, and a tag that everybody may write less than a family."""
    index = TantivySearchIndex(None)
    asked = document("al/sums", "math", "Adds numbers", kind="environment", family="exact-number", tag="math,carrying")
    others = [
        document("bo/family", "", "Else", kind="environment", family="exact-number"),
        document("bo/rare", "", "Else", kind="environment", tag="carrying"),
        *(document(f"bo/common{n}", "", "Else", kind="environment", tag="math") for n in range(9)),
        document("bo/words", "", "Adds numbers", kind="environment", tag="math"),
        document("bo/tool", "", "Adds numbers", kind="tool", family="exact-number", tag="math,carrying"),
        document("bo/stranger", "", "Adds numbers", kind="environment", tag="poems"),
    ]
    index.write([asked, *others], [], 1)
    found = index.alike(asked, 4)
    assert set(found[:2]) == {"bo/family", "bo/rare"}
    assert found[2] == "bo/words", "words decide among equals"
    every = index.alike(asked, 100)
    assert not {"al/sums", "bo/tool", "bo/stranger"} & set(every)
    assert len(every) == 12


def test_a_package_without_tag_or_family_is_like_none() -> None:
    index = TantivySearchIndex(None)
    index.write(DOCUMENTS, [], 1)
    assert index.alike(document("al/plain", "", "math answer", kind="verifier"), 5) == []
    odd = document("al/odd", "", '"AND NOT \x00 ^*', kind="verifier", tag='x" OR *,\x00')
    assert index.alike(odd, 5) == []


def test_a_hyphenated_word_is_found_as_one_and_in_its_parts() -> None:
    made = TantivySearchIndex(None)
    made.write([document("al/post", "e-mail multi-turn-game", "Reads e-mails")], [], 1)
    for text in ("email", "e-mail", "mail", "multiturngame", "multi turn"):
        assert ids(made, text) == ["al/post"], text
    assert ids(made, "emails") == ["al/post"]


def test_a_text_without_an_end_is_searched_for_hyphens_in_no_time() -> None:
    made = TantivySearchIndex(None)
    made.write([document("al/long", "x", readme="w" * 50_000), document("al/dashes", "x", readme="w-" * 25_000)], [], 1)
    assert len(ids(made, "x")) == 2


def test_few_with_every_word_come_first_and_those_with_two_thirds_follow() -> None:
    made = TantivySearchIndex(None)
    texts = ["red green blue", "green blue and more of it", "red blue", "blue"]
    made.write([document(f"al/p{number}", summary=text) for number, text in enumerate(texts)], [], 1)
    found = made.find("red green blue", {}, 10)
    assert max(found.hits, key=found.hits.__getitem__) == "al/p0"
    assert (found.total, set(found.hits), found.has_every_word) == (3, {"al/p0", "al/p1", "al/p2"}, True)
    assert ids(made, "red green") == ["al/p0"], "of two words both are meant"
    made.write([document(f"al/all{number}", summary=texts[0]) for number in range(5)], [], 2)
    assert made.find("red green blue", {}, 10).total == 6, "where enough have every word, the others are left out"
