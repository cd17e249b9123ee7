"""Keys for signing releases: registered by the person alone, and by nobody who does not hold them."""

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from hub_server.accounts import actions
from hub_server.accounts.errors import AuthorKeyError, TokenNotFoundError
from hub_server.errors import NotAuthenticatedError, PasswordNeededError
from hub_server.publishing import actions as publishing
from hub_server.publishing.errors import AuthorSignatureError
from schemas.account import AuthorKey, AuthorKeyCreate
from schemas.journal.author_signature import AuthorSignature
from schemas.journal.authors import key_claim, sign_release
from schemas.journal.entries import encode
from schemas.names import digest_of
from tests.making.action_driver import ActionDriver, caller, person
from tests.making.hub import make_package

ALICE, BOB = person("alice"), person("bob")
KEY = Ed25519PrivateKey.from_private_bytes(b"a" * 32)
WHEEL = make_package()
RELEASE = ("alice/small-sums", "1.0.0", digest_of(WHEEL))


def request(key: Ed25519PrivateKey = KEY, name: str = "alice") -> AuthorKeyCreate:
    return AuthorKeyCreate(
        public_key=encode(key.public_key().public_bytes_raw()), claim=encode(key.sign(key_claim(name)))
    )


@pytest.fixture
def key(driver: ActionDriver) -> AuthorKey:
    driver.person("alice")
    driver.person("bob")
    return driver.do(ALICE, actions.add_author_key, request())


def publish(driver: ActionDriver, by, author: AuthorSignature | None, wheel: bytes = WHEEL):
    path = driver.services.settings.data / "fresh.whl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(wheel)
    inspection = driver.services.inspector.inspect(path, digest_of(wheel))
    driver.services.blobs.put_file(path, digest_of(wheel))
    driver.ask(by, publishing.check_release, inspection, None, author)
    return driver.do(by, publishing.make_release, inspection, None, author).release


def test_a_key_is_registered_once_and_removed(driver: ActionDriver, key: AuthorKey) -> None:
    assert driver.do(ALICE, actions.add_author_key, request()) == key, "again is no error"
    assert driver.ask(caller("alice"), actions.list_author_keys) == [key]
    assert driver.ask(BOB, actions.list_author_keys) == []
    with pytest.raises(TokenNotFoundError):
        driver.do(BOB, actions.remove_author_key, key.id)
    driver.do(ALICE, actions.remove_author_key, key.id)
    assert driver.ask(ALICE, actions.list_author_keys) == []


def test_no_token_and_no_old_password_registers_or_removes_one(driver: ActionDriver, key: AuthorKey) -> None:
    fresh = request(Ed25519PrivateKey.from_private_bytes(b"b" * 32))
    for who, error in [(None, NotAuthenticatedError), (caller("alice"), PasswordNeededError), (person("alice", is_proven=False), PasswordNeededError)]:  # fmt: skip
        with pytest.raises(error):
            driver.do(who, actions.add_author_key, fresh)
        with pytest.raises(error):
            driver.do(who, actions.remove_author_key, key.id)


def test_nobody_registers_what_they_do_not_hold_or_what_is_anothers(driver: ActionDriver, key: AuthorKey) -> None:
    stolen = request().model_copy()
    with pytest.raises(AuthorKeyError, match="has not signed"):
        driver.do(BOB, actions.add_author_key, stolen)
    with pytest.raises(AuthorKeyError, match="Another account"):
        driver.do(BOB, actions.add_author_key, request(KEY, "bob"))
    for number in range(1, 10):
        driver.do(ALICE, actions.add_author_key, request(Ed25519PrivateKey.from_private_bytes(bytes([number]) * 32)))
    with pytest.raises(AuthorKeyError, match="at most"):
        driver.do(ALICE, actions.add_author_key, request(Ed25519PrivateKey.from_private_bytes(b"z" * 32)))


def test_a_signature_is_kept_with_the_release_and_outlives_its_key(driver: ActionDriver, key: AuthorKey) -> None:
    author = sign_release(KEY, *RELEASE)
    assert publish(driver, caller("alice"), author).author_signature == author
    driver.do(ALICE, actions.remove_author_key, key.id)
    assert publish(driver, caller("alice"), None).author_signature == author, "the same bytes again change nothing"
    other = make_package(version="1.1.0")
    with pytest.raises(AuthorSignatureError, match="not registered"):
        publish(driver, caller("alice"), sign_release(KEY, RELEASE[0], "1.1.0", digest_of(other)), other)
    assert publish(driver, caller("alice"), None, other).author_signature is None


@pytest.mark.parametrize(
    "signed", [("alice/small-sums", "1.0.1", RELEASE[2]), ("alice/other", "1.0.0", RELEASE[2]), ("alice/small-sums", "1.0.0", "sha256:" + "0" * 64)]
)  # fmt: skip
def test_a_signature_of_something_else_is_refused(driver: ActionDriver, key: AuthorKey, signed) -> None:
    with pytest.raises(AuthorSignatureError, match="is not of alice/small-sums"):
        publish(driver, caller("alice"), sign_release(KEY, *signed))
    assert driver.rows("SELECT id FROM releases") == []


def test_another_accounts_key_does_not_sign_for_me(driver: ActionDriver, key: AuthorKey) -> None:
    wheel = make_package("bob/small-sums")
    with pytest.raises(AuthorSignatureError, match="bob has not registered"):
        publish(driver, caller("bob"), sign_release(KEY, "bob/small-sums", "1.0.0", digest_of(wheel)), wheel)


@pytest.mark.parametrize("header", ["x" * 500, "a " + "b" * 500])
def test_a_header_that_is_no_signature_is_refused(header: str) -> None:
    with pytest.raises(AuthorSignatureError):
        publishing.read_author(header)
