import pytest
from pydantic import ValidationError

from schemas.trusted_publishers import IdentityTokenExchange, TrustedPublisherCreate

GOOD = {"provider": "github", "issuer": "https://x.example", "repository": "alice/sums", "workflow": "release.yml"}


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"repository": "lab/group/sums"},
        {"workflow": "ci/release.yaml"},
        {"environment": "pro duction"},
        {"provider": "gitlab"},
    ],
)
def test_what_providers_call_things_is_taken(change) -> None:
    assert TrustedPublisherCreate(**(GOOD | change)).environment == change.get("environment", "")


@pytest.mark.parametrize(
    "change",
    [{"repository": "alice"}, {"repository": "alice/"}, {"repository": "a/b\n"}, {"repository": "a/b@c"}, {"workflow": "x.sh"},
     {"workflow": "../x.yml@main"}, {"workflow": "/x.yml"}, {"environment": "a\x00"}, {"provider": "other"}, {"extra": 1}],
)  # fmt: skip
def test_what_could_be_read_two_ways_is_not(change) -> None:
    with pytest.raises(ValidationError):
        TrustedPublisherCreate(**(GOOD | change))


def test_a_token_has_a_longest_length() -> None:
    with pytest.raises(ValidationError):
        IdentityTokenExchange(package="alice/sums", identity_token="x" * 20_000)
