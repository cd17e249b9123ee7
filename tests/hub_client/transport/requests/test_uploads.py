"""What is sent for an upload in parts."""

from hub_client.transport.requests import uploads
from schemas.names import digest_of


def test_a_part_names_the_wheel_its_place_and_its_own_digest() -> None:
    call = uploads.send_part("sha256:ab", 3, b"part")
    assert (call.method, call.path) == ("PUT", "/api/v1/uploads/sha256:ab/parts/3")
    assert call.headers["Digest-Sha256"] == digest_of(b"part")
    assert call.is_repeatable
