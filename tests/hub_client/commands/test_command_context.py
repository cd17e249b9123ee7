"""What every command starts with: the hub is closed at the end, and a mistyped name is answered with near ones."""

import pytest

from hub_client.commands.command_context import open_context, request_of
from hub_client.errors import NotFoundError, UsageError
from hub_client.transport.requests import packages
from schemas.account import OrganizationCreate, TokenCreate
from tests.making.scripted_hub import card_of, problem


def refuse(scripted, package, *known):
    scripted.on("GET", f"/packages/{package}", problem(404, "package_not_found", f"there is no package {package}"))
    scripted.on("GET", "/packages", {"items": [card_of(name).model_dump(mode="json") for name in known]})


def asked_for(package):
    with pytest.raises(NotFoundError) as caught, open_context() as context:
        context.hub.send(packages.get_package(package))
    return str(caught.value)


def test_near_names_are_offered_and_far_ones_are_not(scripted):
    refuse(scripted, "alice/gms8k", "alice/gsm8k", "bob/chess")
    assert asked_for("alice/gms8k").endswith("\n  did you mean alice/gsm8k?")


def test_without_a_near_name_nothing_is_offered(scripted):
    refuse(scripted, "alice/gms8k", "bob/chess")
    assert "did you mean" not in asked_for("alice/gms8k")


def test_a_package_of_the_collection_that_a_new_hub_lacks_comes_with_where_it_is(scripted):
    refuse(scripted, "lecture/gsm8k")
    assert "`verihub serve --with-collection`" in asked_for("lecture/gsm8k")


def test_a_hub_whose_search_fails_still_says_what_was_not_found(scripted):
    refuse(scripted, "alice/gms8k")
    scripted.on("GET", "/packages", problem(500, "internal", "no"))
    assert "there is no package alice/gms8k" in asked_for("alice/gms8k")


def test_a_hub_that_names_no_package_in_its_refusal_is_not_searched(scripted):
    scripted.on("GET", "/packages/alice/x", problem(404, "package_not_found", "gone"))
    asked_for("alice/x")
    assert scripted.asked == ["GET /packages/alice/x"]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_the_hub_is_closed_also_after_an_error(scripted, monkeypatch, error):
    closed = []

    def close(hub):
        closed.append(hub)

    monkeypatch.setattr("hub_client.client.Hub.close", close)
    with pytest.raises(error), open_context() as context:
        raise error
    assert closed == [context.hub]


def test_each_value_that_cannot_be_sent_is_named():
    with pytest.raises(UsageError) as caught:
        request_of(TokenCreate, name="", expires_days=400)
    text = str(caught.value)
    assert "name: " in text
    assert "expires_days: " in text
    assert "\n" not in text


def test_a_hub_that_a_project_chose_is_named_and_gets_no_token(scripted, monkeypatch, own_folders, capsys):
    monkeypatch.delenv("VERIHUB_URL")
    (own_folders / ".verihub.toml").write_text('url = "http://strange.example"\n')
    seen = []
    scripted.on(
        "GET", "/packages/alice/x", lambda request: seen.append(request) or problem(404, "package_not_found", "no")
    )
    asked_for("alice/x")
    assert "hub http://strange.example, named by" in capsys.readouterr().err
    assert seen[0].url.host == "strange.example"
    assert "secret-token" not in str(seen[0].headers.raw)


def test_a_name_that_cannot_be_is_refused_in_words() -> None:
    with pytest.raises(UsageError, match=r"^name: 'Our Lab' is not 2 to 39 of a-z and 0-9 \(ourlab would do\)$"):
        request_of(OrganizationCreate, name="Our Lab")
