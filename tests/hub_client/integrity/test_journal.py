"""A hub that rewrites, shortens, forks or forges what it has signed is refused; one that goes on is followed."""

import shutil

import httpx
import pytest

from hub_client.client import Hub
from hub_client.errors import HubClientError, IntegrityError
from hub_client.settings import ClientSettings
from schemas.journal.entries import Act
from schemas.names import Reference
from schemas.package import PackageDetail
from tests.making.journal_hub import JournalHub, Key
from tests.making.scripted_hub import NOW, URL, card_of, problem
from tests.making.wheel import make_wheel

SUMS = "alice/small-sums"
TOKEN = "verihub_pat_of_a_member"


@pytest.fixture
def there():
    """The hub."""
    hub = JournalHub()
    hub.add(make_wheel())
    return hub


@pytest.fixture
def here(there, tmp_path):
    """Loads a release with a fresh client of the same machine."""

    def load(
        reference: str = SUMS,
        *,
        machine: str = "mine",
        offline: bool = False,
        token: str | None = None,
        lock=None,
        **more,
    ):
        folder = tmp_path / machine
        settings = ClientSettings.load(
            url=URL, token=token, cache_dir=folder / "cache", config_dir=folder / "config", offline=offline
        )
        with Hub(settings=settings, transport=httpx.MockTransport(there)) as hub:
            if lock is not None:
                hub.journal.trust(*lock)
            return hub.resolver.load(Reference.parse(reference), **more)

    return load


def test_a_release_is_proven_once_and_then_without_its_hub(there, here) -> None:
    found = here()
    assert (found.vouched.position, found.vouched.size, found.vouched.origin) == (0, 1, "verihub/test")
    there.asked.clear()
    assert here(offline=True, strict=True).vouched == found.vouched
    assert there.asked == []
    here()
    assert [line for line in there.asked if "journal" in line or "keys" in line] == []


def test_without_its_settings_a_machine_that_kept_proofs_asks_for_the_keys_again(there, here, tmp_path) -> None:
    """The cache outlives a new home, a second account or a container's settings; it said "pull once online"."""
    found = here()
    shutil.rmtree(tmp_path / "mine" / "config")
    with pytest.raises(IntegrityError, match="pull once online"):
        here(offline=True)
    assert here().vouched == found.vouched
    assert here(offline=True, strict=True).vouched == found.vouched


def test_a_hub_that_has_no_proof_any_more_is_refused_where_one_was_kept(there, here, tmp_path) -> None:
    here()
    shutil.rmtree(tmp_path / "mine" / "config")
    there.answers = {key: value for key, value in there.answers.items() if "/journal/" not in key[1]}
    with pytest.raises(IntegrityError, match="nothing is remembered"):
        here()


def test_a_journal_that_grows_is_followed(there, here) -> None:
    here()
    for number in range(2, 9):
        there.add(make_wheel(version=f"{number}.0"))
        assert here(f"{SUMS}@{number}.0").vouched.size == number


def test_a_hub_without_a_journal_is_used_unless_it_had_one(there, here) -> None:
    plain = dict(there.answers)
    there.answers = {key: value for key, value in plain.items() if "/journal/" not in key[1]}
    assert here(machine="other").vouched is None
    with pytest.raises(IntegrityError, match="keeps no journal"):
        here(machine="third", strict=True)
    there.answers = plain
    here()
    there.answers = {key: value for key, value in plain.items() if "/journal/" not in key[1]}
    there.add(make_wheel(version="2.0"))
    there.answers.pop(("GET", f"/journal/releases/{SUMS}/2.0"))
    with pytest.raises(IntegrityError, match="not in it"):
        here(f"{SUMS}@2.0")


LIES = {
    "another act": lambda hub: hub.forge(1, act=Act.ACTIVE),
    "another version": lambda hub: hub.forge(1, version="3.0"),
    "another package": lambda hub: hub.forge(1, package="alice/other"),
    "other bytes": lambda hub: hub.forge(1, sha256="0" * 64),
    "a rewritten past": lambda hub: hub.forge(0, sha256="0" * 64),
    "another journal": lambda hub: setattr(hub, "origin", "verihub/other"),
    "another key": lambda hub: hub.rotate(Key(9), properly=False),
    "a signature of somebody else": lambda hub: hub.envelopes.__setitem__(1, Key(9).seal(hub.statements[1])),
    "a statement that is none": lambda hub: hub.envelopes.__setitem__(1, hub.key.seal(b"{}")),
    "an entry outside of the tree": lambda hub: hub.envelopes.__setitem__(1, hub.key.seal(hub.statements[1] + b" ")),
    "another place": lambda hub: hub.places.__setitem__(f"/journal/releases/{SUMS}/2.0", 0),
}


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES)
def test_a_lie_is_refused_and_the_truth_is_kept(there, here, lie) -> None:
    here()
    there.add(make_wheel(version="2.0"))
    lie(there)
    with pytest.raises(IntegrityError) as refused:
        here(f"{SUMS}@2.0")
    assert refused.value.exit_code == 7
    assert here(SUMS + "@1.0.0", offline=True, strict=True).vouched.position == 0, "what was known is still good"


def test_a_hub_that_is_set_back_is_refused(there, here, tmp_path) -> None:
    there.add(make_wheel(version="2.0"))
    there.add(make_wheel(version="3.0"))
    here(f"{SUMS}@2.0")
    del there.statements[2:], there.envelopes[2:]
    with pytest.raises(IntegrityError, match="changed its past") as refused:
        here(f"{SUMS}@1.0.0")
    assert str(tmp_path / "mine" / "config" / "known_hubs") in str(refused.value), "it says what to delete"


def test_an_older_answer_of_the_same_journal_is_no_lie(there, here) -> None:
    """Of two answers that cross, the older one is a beginning of what is known."""
    old = there.proof(f"/journal/releases/{SUMS}/1.0.0")
    there.add(make_wheel(version="2.0"))
    here(f"{SUMS}@2.0")
    there.on("GET", f"/journal/releases/{SUMS}/1.0.0", old)
    assert here(f"{SUMS}@1.0.0").vouched.size == 1
    there.add(make_wheel(version="3.0"))
    assert here(f"{SUMS}@3.0").vouched.size == 3


def test_two_machines_that_were_shown_different_journals_find_out(there, here) -> None:
    """A fork: each half is sound by itself, and neither continues the other."""
    there.add(make_wheel(version="2.0"))
    here(f"{SUMS}@2.0")
    there.forge(1, version="2.1")
    there.places.pop(f"/journal/releases/{SUMS}/2.0")
    there.add(make_wheel(version="3.0"))
    here(f"{SUMS}@3.0", machine="other")
    with pytest.raises(IntegrityError, match="changed its past"):
        here(f"{SUMS}@3.0")


def test_offline_a_lock_of_a_fork_takes_the_place_of_nothing(there, tmp_path) -> None:
    """Else the fork, once remembered, would be what the next online command continues: the evidence would be gone."""
    there.add(make_wheel(version="2.0"))

    def journal(offline: bool) -> Hub:
        settings = ClientSettings.load(url=URL, cache_dir=tmp_path, config_dir=tmp_path, offline=offline)
        return Hub(settings=settings, transport=httpx.MockTransport(there))

    with journal(offline=False) as hub:
        hub.resolver.load(Reference.parse(f"{SUMS}@2.0"))
        before = hub.journal.known()
    there.forge(1, sha256="0" * 64)
    there.add(make_wheel(version="3.0"))
    keys = [str(there.key.public(there.origin))]
    with journal(offline=True) as hub:
        hub.journal.trust(keys, there.checkpoint())
        assert hub.journal.known() == before
    with journal(offline=False) as hub, pytest.raises(IntegrityError, match="changed its past"):
        hub.journal.trust(keys, there.checkpoint())


def test_a_package_that_was_proven_once_cannot_be_called_private(there, here) -> None:
    """A private package has no proof, so the claim would let a hub serve any bytes."""
    here()
    there.add(make_wheel(version="2.0"))
    there.answers.pop(("GET", f"/journal/releases/{SUMS}/2.0"))
    card = card_of(SUMS, visibility="private")
    detail = PackageDetail(card=card, owner="alice", created_at=NOW, releases=there.releases[SUMS])
    there.on("GET", f"/packages/{SUMS}", detail)
    assert here(f"{SUMS}@1.0.0").vouched is not None, "what was proven stays good"
    with pytest.raises(IntegrityError, match="never becomes private"):
        here(f"{SUMS}@2.0", token=TOKEN)


@pytest.fixture
def private_claim(there) -> JournalHub:
    """The hub serves 2.0 without a proof, and says that the package is private."""
    there.add(make_wheel(version="2.0"))
    there.answers.pop(("GET", f"/journal/releases/{SUMS}/2.0"))
    card = card_of(SUMS, visibility="private")
    there.on(
        "GET",
        f"/packages/{SUMS}",
        PackageDetail(card=card, owner="alice", created_at=NOW, releases=there.releases[SUMS]),
    )
    return there


def test_a_fresh_machine_that_does_not_say_who_it_is_believes_no_private_claim(private_claim, here) -> None:
    keys = ([str(private_claim.key.public(private_claim.origin))], private_claim.checkpoint())
    with pytest.raises(IntegrityError, match="was not told who asks"):
        here(f"{SUMS}@2.0", machine="fresh", lock=keys)
    assert here(f"{SUMS}@2.0", machine="fresh", token=TOKEN).vouched is None, "a member may see it"


def test_a_fresh_machine_with_a_lock_believes_no_private_claim_of_what_the_lock_proves(private_claim, here) -> None:
    keys = ([str(private_claim.key.public(private_claim.origin))], private_claim.checkpoint())
    with pytest.raises(IntegrityError, match="never becomes private"):
        here(f"{SUMS}@2.0", machine="fresh", token=TOKEN, lock=(*keys, [SUMS]))


def test_proofs_of_another_hub_that_stood_at_the_address_before_say_nothing(there, here, tmp_path) -> None:
    """Whoever sets a hub up anew deletes what is known of the old one; its proofs lie in the cache still."""
    here()
    for file in (tmp_path / "mine" / "config" / "known_hubs").glob("*.txt"):
        file.unlink()
    there.origin = "verihub/anew"
    there.add(make_wheel(version="2.0"))
    here(f"{SUMS}@2.0")
    next((tmp_path / "mine").rglob("2.0.json")).unlink()
    there.add(make_wheel(version="3.0"))
    there.answers.pop(("GET", f"/journal/releases/{SUMS}/3.0"))
    card = card_of(SUMS, visibility="private")
    detail = PackageDetail(card=card, owner="alice", created_at=NOW, releases=there.releases[SUMS])
    there.on("GET", f"/packages/{SUMS}", detail)
    assert here(f"{SUMS}@3.0", token=TOKEN).vouched is None


def test_after_a_rotation_old_and_new_are_good_on_old_and_new_machines(there, here) -> None:
    here()
    for seed in (2, 3):
        there.rotate(Key(seed))
    there.add(make_wheel(version="2.0"))
    for machine in ("mine", "fresh"):
        for version in ("1.0.0", "2.0"):
            assert here(f"{SUMS}@{version}", machine=machine, strict=True).vouched is not None
    thief = Key(2)
    there.key = thief
    there.add(make_wheel(version="4.0"))
    assert here(f"{SUMS}@4.0").vouched.key_id == thief.public("x").id


@pytest.mark.parametrize(
    "break_note", [lambda note: note[:-30] + "A" * 28 + "=\n", lambda note: note.replace("key", "kay")]
)
def test_a_rotation_that_the_old_key_has_not_signed_is_none(there, here, break_note) -> None:
    here()
    there.rotate(Key(2))
    key, note = there.introductions[0]
    there.introductions[0] = (key, break_note(note))
    there.add(make_wheel(version="2.0"))
    with pytest.raises(IntegrityError, match="rotate-key"):
        here(f"{SUMS}@2.0")


GARBAGE = [b"", b"null", b"[]", b"{}", b'{"position":"x"}', b'{"position":1e400}', b"\xff\xfe", b"[" * 9000]


@pytest.mark.parametrize("path", [f"/journal/releases/{SUMS}/2.0", "/journal/consistency"])
@pytest.mark.parametrize("body", GARBAGE)
def test_garbage_is_a_sentence(there, here, path, body) -> None:
    here()
    there.add(make_wheel(version="2.0"))
    there.on("GET", path, httpx.Response(200, content=body))
    with pytest.raises(HubClientError):
        here(f"{SUMS}@2.0")


def test_a_hub_that_cannot_answer_now_is_not_called_a_liar(there, here) -> None:
    here()
    there.add(make_wheel(version="2.0"))
    there.on("GET", "/journal/consistency", problem(503, "storage_unavailable", "full"))
    with pytest.raises(HubClientError) as refused:
        here(f"{SUMS}@2.0")
    assert refused.value.exit_code == 8
