from dataclasses import replace

import pytest

from hub_server.trusted_publishing.rules import Expected, owner_id_of, used_key, why_not
from schemas.trusted_publishers import Provider
from tests.making.identity_provider import GITLAB, Issuer

GITHUB = Expected(Provider.GITHUB, "alice/sums", "release.yml", "release", "")
CLAIMS = Issuer().claims()
LAB = Expected(Provider.GITLAB, "lab/group/sums", ".gitlab-ci.yml", "", "43/8")
LAB_CLAIMS = Issuer(GITLAB).claims()


def test_the_publishers_own_token_is_taken() -> None:
    assert why_not(GITHUB, CLAIMS) == ""
    assert why_not(replace(GITHUB, repository="Alice/Sums", environment=""), CLAIMS) == "", (
        "names at GitHub have no case"
    )
    assert why_not(LAB, LAB_CLAIMS) == ""
    assert owner_id_of(Provider.GITHUB, CLAIMS) == "42/7"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"repository": "mallory/sums"}, "another repository"), ({"repository": ["alice/sums"]}, "another repository"),
        ({"workflow_ref": "alice/sums/.github/workflows/test.yml@refs/heads/main"}, "another workflow"),
        ({"workflow_ref": "mallory/sums/.github/workflows/release.yml@refs/heads/main"}, "another workflow"),
        ({"workflow_ref": "alice/sums/.github/workflows/release.yml"}, "another workflow"),
        ({"workflow_ref": "alice/sums/.github/workflows/x/release.yml@r"}, "another workflow"),
        ({"workflow_ref": "alice/sums/.github/workflows/release.yml.yml@r"}, "another workflow"),
        ({"environment": "test"}, "another environment"), ({"environment": None}, "another environment"),
        ({"repository_owner_id": None}, "does not say"), ({"repository_id": 7}, "does not say"),
    ],
)  # fmt: skip
def test_what_is_not_the_publishers_is_named(changes, said) -> None:
    assert said in why_not(GITHUB, {**CLAIMS, **changes})


def test_a_name_that_was_given_to_somebody_else_is_noticed() -> None:
    pinned = replace(GITHUB, owner_id="42/7")
    assert why_not(pinned, CLAIMS) == ""
    for changes in ({"repository_owner_id": "43"}, {"repository_id": "9"}):
        assert "somebody else now" in why_not(pinned, {**CLAIMS, **changes})


@pytest.mark.parametrize(
    "uri",
    [
        "gitlab.example/lab/group/sums//other.yml@x",
        "gitlab.example/evil/sums//.gitlab-ci.yml@x",
        "",
        "//.gitlab-ci.yml@x",
    ],
)
def test_another_pipeline_is_not_the_publishers(uri) -> None:
    assert "another workflow" in why_not(LAB, {**LAB_CLAIMS, "ci_config_ref_uri": uri})


def test_a_tokens_id_counts_for_its_issuer() -> None:
    keys = {used_key({"iss": issuer, "jti": jti}) for issuer in "ab" for jti in "cd"}
    assert len(keys) == 4
