"""An identity provider of our own: makes keys, publishes them, and signs tokens as GitHub and GitLab word them."""

import time
from functools import cache
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

GITHUB = "https://token.github.example"
GITLAB = "https://gitlab.example"
AUDIENCE = "https://hub.example"


@cache
def _key_of(address: str) -> rsa.RSAPrivateKey:
    """One for all tests of a process: making it takes up to a second of CPU."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


class Issuer:
    """``fetch`` answers what the issuer publishes; ``asked`` counts."""

    def __init__(self, address: str = GITHUB) -> None:
        self.address = address
        self.key = _key_of(address)
        self.key_id = "key-1"
        self.asked: list[str] = []

    def fetch(self, url: str) -> Any:
        self.asked.append(url)
        if url.endswith("/openid-configuration"):
            return {"issuer": self.address, "jwks_uri": f"{self.address}/keys"}
        public = jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key(), as_dict=True)
        return {"keys": [{**public, "kid": self.key_id, "alg": "RS256", "use": "sig"}]}

    def claims(self, number: int = 1, **changes: Any) -> dict[str, Any]:
        now = int(time.time())
        base = {
            "iss": self.address,
            "aud": AUDIENCE,
            "sub": "x",
            "jti": f"t{number}",
            "iat": now,
            "nbf": now,
            "exp": now + 300,
        }
        github = {
            "repository": "alice/sums", "repository_id": "7", "repository_owner_id": "42", "environment": "release",
            "workflow_ref": "alice/sums/.github/workflows/release.yml@refs/tags/v1",
        }  # fmt: skip
        gitlab = {
            "project_path": "lab/group/sums", "project_id": "8", "namespace_id": "43",
            "ci_config_ref_uri": "gitlab.example/lab/group/sums//.gitlab-ci.yml@refs/heads/main",
        }  # fmt: skip
        own = github if self.address == GITHUB else gitlab
        return {name: value for name, value in {**base, **own, **changes}.items() if value is not None}

    def token(
        self,
        number: int = 1,
        *,
        key: Any = None,
        headers: dict[str, Any] | None = None,
        algorithm: str = "RS256",
        **changes: Any,
    ) -> str:
        head = {"kid": self.key_id, **(headers or {})}
        return jwt.encode(self.claims(number, **changes), self.key if key is None else key, algorithm, headers=head)
