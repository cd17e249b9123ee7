"""The author's signature over HTTP: a header beside the wheel, shown by the API and on the page."""

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from hub_server.app import create_app
from schemas.journal.authors import key_claim, sign_release
from schemas.journal.entries import encode
from schemas.names import digest_of
from tests.making.action_driver import ActionDriver
from tests.making.hub import Api, make_package

KEY = Ed25519PrivateKey.from_private_bytes(b"a" * 32)
WHEEL = make_package()


def test_a_signed_release_says_so_and_an_unsound_header_is_refused(driver: ActionDriver) -> None:
    alice = Api(create_app(driver.services)).sign_up("alice")
    body = {"public_key": encode(KEY.public_key().public_bytes_raw()), "claim": encode(KEY.sign(key_claim("alice")))}
    assert alice.post("/api/v1/account/author-keys", json=body).json()["code"] == "password_needed"
    added = alice.as_person().post("/api/v1/account/author-keys", json=body)
    assert added.status_code == 201, added.text
    assert alice.get("/api/v1/account/author-keys").json()["items"] == [added.json()]
    author = sign_release(KEY, "alice/small-sums", "1.0.0", digest_of(WHEEL))
    for header in ("x", "x y z", f"{author.public_key} {author.public_key}"):
        refused = alice.post("/api/v1/packages", content=WHEEL, headers={"Author-Signature": header})
        assert (refused.status_code, refused.json()["code"]) == (422, "author_signature"), header
    header = f"{author.public_key} {author.signature}"
    made = alice.post("/api/v1/packages", content=WHEEL, headers={"Author-Signature": header})
    assert made.status_code == 201, made.text
    shown = alice.get("/api/v1/packages/alice/small-sums/releases/1.0.0").json()["author_signature"]
    assert shown == {"public_key": author.public_key, "signature": author.signature}
    page = alice.get("/packages/alice/small-sums", headers={"accept": "text/html"}).text
    assert "signed by alice" in page
    assert author.key_id in page
    gone = alice.as_person().request("DELETE", f"/api/v1/account/author-keys/{author.key_id}")
    assert gone.status_code == 204
