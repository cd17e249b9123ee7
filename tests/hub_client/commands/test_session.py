"""Browsers that are logged in as one, at a live hub."""

PASSWORD = "correct horse battery staple\n"


def test_a_session_is_listed_and_ended_by_the_person_alone(verihub, at_hub, typed) -> None:
    typed("")
    assert verihub("session", "list").code == 2, "a token is not enough"
    typed(PASSWORD)
    said = verihub("session", "list")
    assert (said.code, "password typed" in said.out, "this command" in said.out) == (0, True, True), said.err
    typed(PASSWORD)
    first, *_ = verihub("session", "list", "-q").out.split()
    typed(PASSWORD)
    assert verihub("session", "end", first).out.strip() == f"the session {first} is ended"
    typed(PASSWORD)
    assert first not in verihub("session", "list", "-q").out.split()
