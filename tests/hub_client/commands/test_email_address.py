"""The address of one's account, at a live hub."""

PASSWORD = "correct horse battery staple\n"


def test_an_address_is_shown_and_changed_by_the_person_alone(verihub, at_hub, typed) -> None:
    typed("")
    assert verihub("email", "show").code == 2, "a token is not enough"
    typed(PASSWORD)
    said = verihub("email", "show")
    assert (said.code, said.out.strip()) == (0, f"{at_hub}@example.org: not confirmed")
    typed(PASSWORD)
    said = verihub("email", "set", "other@example.org")
    assert (said.code, "verihub email confirm CODE" in said.err) == (0, True), said.err
    typed(PASSWORD)
    assert verihub("email", "send").code == 0
    typed(PASSWORD)
    assert verihub("email", "show", "-q").out.strip() == "other@example.org"


def test_what_is_no_address_and_a_code_that_was_never_mailed_are_refused(verihub, at_hub, typed) -> None:
    typed(PASSWORD)
    assert verihub("email", "set", "nobody").code == 2
    assert verihub("email", "confirm", "made-up").code not in (0, 1)


def test_a_whole_link_will_do(verihub, scripted) -> None:
    scripted.on("POST", "/account/email/confirmation", {})
    for typed in ("abc", "https://hub.example/email?code=abc", "https://hub.example/email/abc"):
        assert verihub("email", "confirm", typed).code == 0
        assert scripted.bodies[-1] == b'{"code": "abc"}'
