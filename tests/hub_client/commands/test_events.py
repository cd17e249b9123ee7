"""What happened on a hub, in order."""


def test_events_follow_a_number_and_say_with_which_to_go_on(verihub, measured) -> None:
    said = verihub("events")
    assert said.code == 0, said.err
    assert "release.published" in said.out
    assert "reader/letters 0.1.0" in said.out
    newest = verihub("events", "-q").out.strip()
    assert f"go on with --since {newest}" in said.err
    assert verihub("events", "--since", newest).out.strip() == f"nothing since {newest}"
    found = verihub("events", "--format", "json", "--limit", "1").json
    assert [one["position"] for one in found["items"]] == [1]
    more = verihub("events", "--limit", "1")
    assert "there are" in more.err
    assert "reader/letters" in verihub("events", "--owner", "reader").out


def test_what_no_hub_would_answer_is_refused(verihub, scripted) -> None:
    assert verihub("events", "--since", "-1").code == 2
    assert verihub("events", "--limit", "0").code == 2
    assert scripted.asked == []
