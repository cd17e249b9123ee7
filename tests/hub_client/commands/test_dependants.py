"""Which packages use one."""

import httpx

USER = {"id": "bob/ladder", "kind": "benchmark", "summary": "sums", "latest": "1.0.0"}


def test_the_kinds_travel_and_a_longer_list_says_so(verihub, scripted) -> None:
    asked = []

    def handler(request):
        asked.extend(request.url.params.multi_items())
        return httpx.Response(200, json={"items": [USER], "next": "c"})

    scripted.on("GET", "/packages/alice/x/dependants", handler)
    said = verihub("dependants", "alice/x", "--kind", "benchmark", "--kind", "environment", "--limit", "1")
    assert (said.code, "bob/ladder" in said.out, "--limit shows more" in said.err) == (0, True, True)
    assert asked == [("kind", "benchmark"), ("kind", "environment"), ("limit", "1")]
    assert verihub("dependants", "alice/x", "-q").out.strip() == "bob/ladder"
    scripted.on("GET", "/packages/alice/x/dependants", {"items": []})
    assert verihub("dependants", "alice/x").out.strip() == "no package uses it"
