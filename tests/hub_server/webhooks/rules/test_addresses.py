"""Addresses of the web are taken, others refused in words."""

import pytest

from hub_server.webhooks.rules.addresses import why_not_url


@pytest.mark.parametrize(
    "url",
    [
        "https://hooks.example/x?y=z",
        "http://hooks.example:8080",
        "https://1.2.3.4/",
        "https://[2606:4700::1]:8443/a",
        "https://xn--bcher-kva.example/",
    ],
)
def test_addresses_of_the_web_are_taken(url: str) -> None:
    assert why_not_url(url) == ""


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("ftp://x.example/", "begins with https"), ("https:///x", "names a host"), ("https://", "names a host"),
        ("https://user@x.example/", "no user name"), ("https://a:b@x.example/", "no user name"), ("https://x.example/#f", "fragment"),
        ("https://x.example:22/", "Port 22"), ("https://x.example:99999/", "no address"), ("https://[::1/", "no address"),
        ("https://x.example:a/", "no address"),
    ],
)  # fmt: skip
def test_others_are_refused_in_words(url: str, said: str) -> None:
    assert said in why_not_url(url)
